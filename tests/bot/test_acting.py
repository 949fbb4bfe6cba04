"""What can be done at a running table, without Discord."""

from functools import partial

import pytest

from engine.actions import Play, Resign
from engine.errors import RuleBroken, Why
from engine.events import Resigned
from engine.seen import see
from engine.table.commands import Act
from engine.table.refusals import No
from tests.bot.desk import ADA, GRACE, LINUS, Desk, refusal


async def test_a_move_is_refused_when_the_table_moved_on_since_the_button(desk: Desk) -> None:
    table = await desk.started(GRACE)
    user = table.turn_user()
    assert await refusal(desk.acts.act(table.head.match_id, Act(user, Resign, table.head.seq - 1))) is No.STALE
    assert (await desk.tables.load(table.head.match_id)).head == table.head


async def test_resigning_from_a_table_of_two_ends_it_for_the_other(desk: Desk) -> None:
    table = await desk.resign(await desk.started(GRACE), ADA)
    assert table.head.state == "done"
    assert table.match.ended.places == (2, 1)
    results = await desk.store.results(table.head.match_id)
    assert [(result.user_id, result.place) for result in results] == [(GRACE, 1), (ADA, 2)]
    assert await refusal(desk.resign(table, GRACE)) is No.FINISHED


async def test_resigning_from_a_table_of_three_lets_the_others_go_on(desk: Desk) -> None:
    table = await desk.resign(await desk.started(GRACE, LINUS), GRACE)
    assert table.head.state == "open"
    assert table.match.active == [0, 2]
    assert table.turn_user() in (ADA, LINUS)
    with pytest.raises(RuleBroken) as broken:
        await desk.resign(table, GRACE)
    assert broken.value.why is Why.RESIGNED
    table = await desk.resign(table, LINUS)
    assert table.match.ended.places == (1, 3, 2), "who leaves first is last"


async def test_a_match_in_which_only_computers_are_left_is_over(desk: Desk) -> None:
    table = await desk.open(computers=2)
    table = await desk.resign(table, ADA)
    assert table.head.state == "done"
    assert table.match.ended.places[0] == 3
    assert [event for event in await desk.store.events(table.head.match_id) if isinstance(event, Resigned)]


async def test_only_people_at_the_table_can_act(desk: Desk) -> None:
    table = await desk.started(GRACE)
    assert await refusal(desk.resign(table, LINUS)) is No.NOT_SEATED


async def test_computers_play_until_a_person_is_to_move(desk: Desk) -> None:
    table = await desk.open(computers=2)
    shown: list[int] = []

    async def look(match_id: int) -> None:
        shown.append((await desk.tables.load(match_id)).head.seq)

    for _ in range(3):
        await desk.computers.play(table.head.match_id, look)
        table = await desk.tables.load(table.head.match_id)
        assert table.turn_user() == ADA
        move = see(table.match, 0).moves[0].placement
        play = partial(Play, tile=move.tile, cell=move.cell, rotation=move.rotation)
        acted = await desk.acts.act(table.head.match_id, Act(ADA, play, table.head.seq))
        table = acted.table
    assert len(shown) >= 2
    assert shown == sorted(shown)
