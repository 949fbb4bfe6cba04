"""The use cases around a lobby, without Discord."""

import asyncio

import pytest

from bot.core.guild_settings import GuildSettings
from bot.core.refusal_text import refusal_text
from bot.tables.lobbies import Invitation, agreed
from bot.tables.service import Table
from data.words import words
from engine.match.actions import Play
from engine.match.errors import RuleBroken, Why
from engine.match.player_view import view_for
from engine.table.commands import Act, AddComputer, Answer, Ask, Join, Leave, MoveTable, RunDue, Start
from engine.table.refusals import No, Refused
from engine.table.table_state import EXPIRES
from tests.bot.desk import ADA, CHANNEL, GRACE, GUILD, LINUS, Desk


def people(table: Table) -> list[int | None]:
    return [row.user_id for row in table.seats]


async def test_people_sit_down_in_order_and_last_one_starts_match(desk: Desk) -> None:
    table = await desk.open(seats=3)
    match_id = table.head.match_id
    table = await desk.act(match_id, Join(GRACE), request=desk.request())
    assert (table.head.state, people(table), table.event_log) == ("lobby", [ADA, GRACE], None)
    table = await desk.act(match_id, Join(LINUS), request=desk.request())
    assert (table.head.state, people(table)) == ("open", [ADA, GRACE, LINUS])
    assert len(table.match.seats) == 3
    assert table.turn_user() in (ADA, GRACE, LINUS)


async def test_hosts_part_passes_on_and_seats_close_up(desk: Desk) -> None:
    table = await desk.open(seats=4)
    match_id = table.head.match_id
    await desk.act(match_id, AddComputer(ADA), request=desk.request())
    await desk.act(match_id, Join(GRACE), request=desk.request())
    table = await desk.act(match_id, Leave(ADA), request=desk.request())
    assert table.head.host_id == GRACE
    assert [(row.seat, row.user_id, row.computer) for row in table.seats] == [(0, None, "greedy"), (1, GRACE, None)]
    table = await desk.act(match_id, Start(GRACE), request=desk.request())
    assert table.match.seats[0].computer
    assert not table.match.seats[1].computer


async def test_guest_who_leaves_does_not_change_host(desk: Desk) -> None:
    table = await desk.open(seats=4)
    await desk.act(table.head.match_id, Join(GRACE), request=desk.request())
    table = await desk.act(table.head.match_id, Leave(GRACE), request=desk.request())
    assert (table.head.host_id, people(table)) == (ADA, [ADA])


async def test_table_that_everybody_left_is_closed_and_frees_its_channel(desk: Desk) -> None:
    table = await desk.open(seats=4)
    await desk.act(table.head.match_id, AddComputer(ADA), request=desk.request())
    table = await desk.act(table.head.match_id, Leave(ADA), request=desk.request())
    assert (table.head.state, table.state.closed) == ("void", "empty")
    assert (await desk.open()).head.match_id != table.head.match_id
    for late in (
        desk.act(table.head.match_id, Join(GRACE), request=desk.request()),
        desk.act(table.head.match_id, Start(ADA), request=desk.request()),
        desk.act(table.head.match_id, Leave(ADA), request=desk.request()),
        desk.resign(table, ADA),
    ):
        with pytest.raises(Refused) as refused:
            await late
        assert refused.value.why is No.CLOSED


async def test_lobby_is_due_after_day_and_closes_then(desk: Desk) -> None:
    table = await desk.open()
    assert (table.head.due.at, table.head.due.kind) == (desk.time + EXPIRES, "expire")
    assert EXPIRES == 24 * 3600 * 1000
    assert await desk.store.matches.heads_due(desk.time + EXPIRES - 1, limit=9) == []
    assert [head.match_id for head in await desk.store.matches.heads_due(desk.time + EXPIRES, limit=9)] == [1]
    desk.time += EXPIRES
    closed = await desk.act(table.head.match_id, RunDue(table.head.due))
    assert (closed.head.state, closed.state.closed) == ("void", "expired")
    assert await desk.store.matches.heads_due(desk.time + 2 * EXPIRES, limit=9) == []


async def test_match_that_began_does_not_expire(desk: Desk) -> None:
    lobby = await desk.open(seats=2)
    due = lobby.head.due
    assert due is not None
    table = await desk.act(lobby.head.match_id, Join(GRACE), request=desk.request())
    assert table.head.due.kind == "remind"
    desk.time += EXPIRES
    late = await desk.acts.act(lobby.head.match_id, RunDue(due))
    assert (late.events, late.table.head.state) == ((), "open")


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"seats": 1}, Why.SEAT_COUNT),
        ({"seats": 7}, Why.SEAT_COUNT),
        ({"computers": 6}, Why.SEAT_COUNT),
        ({"seats": 2, "computers": 2}, No.TOO_MANY_COMPUTERS),
        ({"seats": 6, "computers": 6}, No.TOO_MANY_COMPUTERS),
    ],
)
async def test_terms_that_make_no_table_are_refused(desk: Desk, terms: dict[str, int], why: No | Why) -> None:
    with pytest.raises((Refused, RuleBroken)) as refused:
        await desk.open(**terms)
    assert refused.value.why is why
    assert await desk.store.matches.heads_in_channel(CHANNEL) == []


async def test_computers_named_alone_set_size_of_table(desk: Desk) -> None:
    table = await desk.open(computers=3)
    assert (len(table.seats), table.terms.seats, table.head.state) == (4, 4, "open")


async def test_every_request_has_one_effect_however_often_it_is_delivered(desk: Desk) -> None:
    invitation = Invitation(guild_id=GUILD, channel_id=CHANNEL, host_id=ADA, game="triominoes", seats=4)
    opened = await desk.acts.open(invitation, request=1)
    again = await desk.acts.open(invitation, request=1)
    assert again.head == opened.head
    match_id = opened.head.match_id
    for request, step in (
        (2, lambda: desk.act(match_id, Join(GRACE), request=2)),
        (3, lambda: desk.act(match_id, AddComputer(ADA), request=3)),
        (4, lambda: desk.act(match_id, Leave(GRACE), request=4)),
        (5, lambda: desk.act(match_id, Join(LINUS), request=5)),
        (6, lambda: desk.act(match_id, Start(ADA), request=6)),
    ):
        first = await step()
        assert (await desk.store.matches.seen_request(request)) == (match_id, first.head.seq)
        assert (await step()).head == first.head
    table = await desk.tables.load(match_id)
    while table.turn_user() is None:
        await desk.computers.play(match_id, _nobody)
        table = await desk.tables.load(match_id)
    user, move = table.turn_user(), view_for(table.match, table.match.turn).moves[0].placement
    assert user is not None
    acted = [
        await desk.acts.act(
            match_id, Act(user, lambda seat: Play(seat, move.tile, move.cell, move.rotation)), request=7
        )
        for _ in range(2)
    ]
    assert acted[0].told
    assert acted[1].told == ()
    assert acted[0].table.head.seq == acted[1].table.head.seq


async def _nobody(match_id: int) -> None: ...


async def test_unknown_table_is_refused(desk: Desk) -> None:
    with pytest.raises(Refused) as refused:
        await desk.act(404, Join(ADA), request=desk.request())
    assert refused.value.why is No.NO_SUCH_TABLE


async def test_table_is_brought_to_another_channel_with_its_call(desk: Desk) -> None:
    table = await desk.started(GRACE)
    moved = await desk.act(table.head.match_id, MoveTable(GRACE, 21), request=desk.request())
    assert (moved.head.channel_id, moved.head.shown_seq, moved.head.board_message_id) == (21, 0, None)
    assert moved.match.turn == table.match.turn
    waiting = [row for row in await desk.store.outbox.due_outbox(desk.time, limit=9) if row.kind == "turn"]
    assert [(row.channel_id, row.body["seat"]) for row in waiting] == [(21, table.match.turn)]
    assert (await desk.open()).head.channel_id == CHANNEL, "the old channel is free again"


@pytest.mark.parametrize("term", ["preset", "theme", "clock", "absent"])
def test_term_without_end_is_not_repeated_whole(term: str) -> None:
    asked = {"game": "triominoes", term: "x" * 6000}
    with pytest.raises(Refused) as refused:
        agreed(Invitation(guild_id=1, channel_id=1, host_id=1, **asked))  # type: ignore[arg-type]
    said = refusal_text(words(), refused.value, {})
    assert "x" * 60 in said
    assert "x" * 61 not in said


async def opened(desk: Desk, channel: int, host: int = ADA) -> Table:
    invitation = Invitation(guild_id=GUILD, channel_id=channel, host_id=host, game="triominoes")
    return await desk.acts.open(invitation, request=desk.request())


async def outcomes(*acts: object) -> list[object]:
    done = await asyncio.gather(*acts, return_exceptions=True)  # type: ignore[call-overload]
    return sorted(one.why.value if isinstance(one, Refused) else type(one).__name__ for one in done)


async def test_two_tables_joined_at_once_are_one_where_one_is_allowed(desk: Desk) -> None:
    tables = [await opened(desk, 1), await opened(desk, 2, LINUS)]
    await desk.store.guilds.set_guild(GUILD, GuildSettings(person=1).stored(), now=0)
    acts = [desk.act(table.head.match_id, Join(GRACE), request=desk.request()) for table in tables]
    assert await outcomes(*acts) == [No.TOO_MANY_TABLES_PERSON, "Table"]
    assert len(await desk.tables.of(GRACE)) == 1


async def test_two_tables_opened_at_once_are_one_where_one_is_allowed(desk: Desk) -> None:
    await desk.store.guilds.set_guild(GUILD, GuildSettings(server=1).stored(), now=0)
    assert await outcomes(opened(desk, 1, ADA), opened(desk, 2, GRACE)) == [No.TOO_MANY_TABLES_SERVER, "Table"]
    await desk.store.guilds.set_guild(GUILD, GuildSettings(person=1).stored(), now=0)
    assert await outcomes(opened(desk, 3, LINUS), opened(desk, 4, LINUS)) == [No.TOO_MANY_TABLES_PERSON, "Table"]


async def test_seat_is_not_handed_to_somebody_who_sits_at_too_many_tables(desk: Desk) -> None:
    table = await desk.started(GRACE)
    await opened(desk, 2, LINUS)
    await desk.store.guilds.set_guild(GUILD, GuildSettings(person=1).stored(), now=0)
    match_id = table.head.match_id
    table = await desk.act(match_id, Ask(GRACE, "substitute", LINUS), request=desk.request())
    answer = desk.act(match_id, Answer(LINUS, table.question.number, yes=True), request=desk.request())
    assert await outcomes(answer) == [No.SITS_AT_TOO_MANY]
    assert (await desk.tables.load(match_id)).seats[1].user_id == GRACE
