"""Premoves: chosen in the own hand, played automatically, hidden from others."""

import json
from types import SimpleNamespace

import pytest
from simcord import MemberActor

from bot.core.component_items import handle_click
from bot.core.layout import CustomId
from bot.tables.hand_views import MOST_POINTS
from bot.tables.move_labels import format_tile
from data.store.connection.store_errors import StaleVersion
from data.store.log.match_values import Change
from engine.board.board import Placement
from engine.match.events import Placed
from engine.match.player_view import view_for
from engine.table.table_events import Rearmed, TurnBegan
from engine.table.table_state import create_premove, find_drop_reason
from tests.bot.core.forged_interactions import Stranger
from tests.bot.core.stored_traces import forget, traces
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import take_turn
from tests.bot.tables.premoves import (
    choose_premove,
    find_safe_premove,
    menu_value,
    premove_menu,
    start_with_possible_premove,
)
from tests.wording import en, says


async def click_forged(sim: SimGuild, person: MemberActor, press: CustomId, values: list[str] | None = None) -> str:
    user = SimpleNamespace(id=person.id, display_name="X")
    data = {"custom_id": str(press), "values": values or []}
    asked = Stranger(sim.client, user, sim.guild.id, sim.channel.id, data=data)
    await handle_click(asked)  # type: ignore[arg-type]
    return asked.heard[-1] if asked.heard else ""


async def find_conflicting_premove(
    sim: SimGuild, mover: MemberActor, person: MemberActor
) -> tuple[str, Placement] | None:
    table = await sim.now()
    seat = table.find_seat(person.id)
    assert seat is not None
    for theirs in view_for(table.match, table.find_seat(mover.id)).moves:
        after = table.match.copy()
        after.board.place(theirs.placement)
        for move in view_for(table.match, seat).moves:
            if find_drop_reason(after, create_premove(table.match, seat, move.placement)) == "place":
                return menu_value(move.placement), theirs.placement
    return None


async def test_premove_is_played_once_previous_move_settles(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    before = [words_of(message) for message in sim.public()]
    shown = words_of(await choose_premove(sim, person, await find_safe_premove(sim, mover, person)))
    assert says(shown, "premove.armed")
    assert [words_of(message) for message in sim.public()] == before, "nobody else learns of it"
    calls = len(sim.calls())
    await sim.play_by_menu(mover, stands=False)
    assert (await sim.now()).state.tentative_turn is not None
    assert len((await sim.match()).board.placed) == len((await sim.now()).match.board.placed)

    await sim.wait(seconds=25)

    log = [entry.event for entry in (await sim.loaded()).log]
    last = max(number for number, event in enumerate(log) if isinstance(event, Placed))
    assert log[last - 1] == TurnBegan((await sim.now()).find_seat(person.id), log[last - 1].height)  # type: ignore[union-attr, arg-type]
    assert f"**{person.name.title()}** played" in words_of(sim.board())
    assert person.id not in [one.id for message in sim.calls()[calls:] for one in message.mentions]
    hand = await sim.hand(person)
    assert says(words_of(hand), "premove.played")
    assert "Take back" in button_ids(hand), "it can be taken back like any other"
    back = words_of(private(await person.click(hand, label="Take back")))
    assert "You took back" in back
    assert not says(back, "premove.armed")


async def test_premove_can_be_changed_and_cancelled(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    first = await choose_premove(sim, person)
    menu = premove_menu(first)
    again = private(await person.select(first, [menu.options[-1].value], custom_id=menu.custom_id))
    assert words_of(again).count("**Planned move:**") == 1
    gone = private(await person.click(again, label="Cancel planned move"))
    assert says(words_of(gone), "premove.cancelled")
    assert "Cancel planned move" not in button_ids(gone)
    height = len((await sim.match()).board.placed)
    await sim.play_by_menu(mover)
    assert len((await sim.match()).board.placed) == height + 1


async def test_premove_with_occupied_place_is_dropped_with_notice(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    found = None
    for _ in range(30):
        found = await find_conflicting_premove(sim, mover, person)
        if found is not None:
            break
        await take_turn(sim, mover)
        mover = await sim.turn()
        person = next(one for one in (ada, grace) if one.id != mover.id)
    assert found is not None
    value, taken = found
    await choose_premove(sim, person, value)
    tile = "-".join(map(str, taken.tile))
    await mover.slash(sim.channel, "tiles play", tile=tile, place=f"{taken.cell}.{taken.rotation}")
    await sim.wait(seconds=25)
    hand = words_of(await sim.hand(person))
    assert "### Your turn" in hand
    assert says(hand, "premove.place")
    assert sim.to_move().id == person.id, "they are called as ever"
    assert "lanned move" not in words_of(await sim.play_by_menu(person))


async def test_forged_premoves_are_refused(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    head = await sim.head()
    table = await sim.now()
    theirs = view_for(table.match, table.find_seat(mover.id)).moves[0].placement
    value = menu_value(theirs)
    press = CustomId("premove", head.match_id, head.seq)
    await click_forged(sim, mover, press, [value])
    assert says(await click_forged(sim, linus, press, [value]), "no.NOT_SEATED")
    for forged in (value, "999.U0,0.0", "345.Z9.9", "nonsense", "", "345", MOST_POINTS + "x"):
        await click_forged(sim, person, press, [forged])
    await click_forged(sim, person, CustomId("premove", head.match_id, 1), [MOST_POINTS])
    assert (await sim.now()).premoves == {}


async def test_automatic_premove_at_rated_table_is_refused(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace)
    menu = premove_menu(await sim.hand(person))
    assert MOST_POINTS not in [one.value for one in menu.options]
    head = await sim.head()
    await click_forged(sim, person, CustomId("premove", head.match_id, head.seq), [MOST_POINTS])
    assert (await sim.now()).premoves == {}


async def test_automatic_premove_at_unrated_table_is_played(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace, rated=False)
    shown = words_of(await choose_premove(sim, person, MOST_POINTS))
    assert says(shown, "premove.armed_most")
    height = len((await sim.match()).board.placed)
    await sim.play_by_menu(mover, stands=False)
    await sim.wait(seconds=25)
    assert len((await sim.match()).board.placed) >= height + 2
    assert says(words_of(await sim.hand(person)), "premove.played", tile="most points")


async def test_premove_in_quad_ominos_asks_for_bonus_choice(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace, game="quad-ominos")
    for _ in range(30):
        table = await sim.now()
        person = next(one for one in (ada, grace) if one.id != table.find_turn_user())
        seat = table.find_seat(person.id)
        moves = [move for move in view_for(table.match, seat).moves if move.reward is not None]
        if moves:
            break
        await take_turn(sim, await sim.turn())
    lies = moves[0].placement
    hand = await sim.hand(person)
    menu = premove_menu(hand)
    value = menu_value(lies)
    if value not in [one.value for one in menu.options]:
        hand = private(await person.select(hand, [value.split(".")[0]], custom_id=menu.custom_id))
        menu = premove_menu(hand)
        assert menu is not None
    asked = private(await person.select(hand, [value], custom_id=menu.custom_id))
    assert says(words_of(asked), "premove.choose_then")
    assert "Ask me later" in button_ids(asked)
    armed = private(await person.click(asked, label="+25 points"))
    assert says(words_of(armed), "premove.then_points")
    assert (await sim.now()).premoves[person.id].then == "points"


async def test_premove_menu_at_shape_table_names_tile_in_shapes(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace, theme="picture")
    table = await sim.now()
    seat = table.find_seat(person.id)
    assert seat is not None
    tile = table.match.list_legal_moves(seat)[0].tile
    wanted = CustomId("premove", table.head.match_id, table.head.seq, "".join(map(str, tile)))
    menu = premove_menu(private(await person.click(await sim.post(str(wanted)), label="Button 0")))
    assert menu.placeholder == en("premove.menu_place", tile=format_tile(tile, "picture"))


async def test_premove_is_exported_and_deleted_with_user_data(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace)
    await choose_premove(sim, person)
    answer = private(await person.slash(sim.channel, "tiles data export"))
    held = json.loads(await answer.attachments[0].read())
    assert len(held["premoves"]) == 1
    await forget(sim, person)
    assert traces(sim, person) == []


async def test_commit_that_ignores_premove_is_stale(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace)
    table = await sim.now()
    seat = table.find_seat(person.id)
    assert seat is not None
    move = view_for(table.match, seat).moves[0].placement
    await sim.store.matches.save_premove(table.head, person.id, create_premove(table.match, seat, move))
    late = Change(match_id=table.head.match_id, expected_seq=table.head.seq, decided_on=table.head, events=[Rearmed()])
    with pytest.raises(StaleVersion):
        await sim.store.matches.commit(late, now=sim.clock())
    assert (await sim.now()).premoves.keys() == {person.id}


async def test_end_of_match_deletes_premoves(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    await choose_premove(sim, person)
    await mover.click(private(await mover.slash(sim.channel, "tiles match resign")), label="Resign")
    assert (await sim.head()).state == "done"
    assert "premoves" not in traces(sim, person)


async def test_text_board_shows_premove_to_owner_only(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    await choose_premove(sim, person)
    assert "**Planned move:**" in told(await person.slash(sim.channel, "tiles board", text=True))
    assert "Planned move" not in told(await mover.slash(sim.channel, "tiles board", text=True))
