"""Premoves: chosen in the own hand, played automatically, hidden from others."""

import json

import pytest

from bot.core.layout import CustomId
from bot.tables.hand_views import MAX_POINTS
from bot.tables.move_labels import format_tile
from data.store.connection.store_errors import StaleVersion
from data.store.log.match_values import Change
from engine.board.board import Placement
from engine.match.events import Placed
from engine.match.player_view import view_for
from engine.table.table_events import Rearmed, TurnBegan
from engine.table.table_state import create_premove, find_drop_reason
from tests.bot.core.forged_interactions import click_forged
from tests.bot.core.stored_traces import forget, list_user_tables
from tests.bot.member import Member
from tests.bot.messages import read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.greedy_clicks import take_turn
from tests.bot.tables.premoves import (
    choose_premove,
    find_premove_menu,
    find_safe_premove,
    format_menu_value,
    start_with_possible_premove,
)
from tests.wording import en, has_sentence


async def find_conflicting_premove(sim: SimGuild, mover: Member, person: Member) -> tuple[str, Placement] | None:
    table = await sim.load_table()
    seat = table.find_seat(person.id)
    assert seat is not None
    for mover_move in view_for(table.match, table.find_seat(mover.id)).moves:
        after = table.match.copy()
        after.board.place(mover_move.placement)
        for move in view_for(table.match, seat).moves:
            if find_drop_reason(after, create_premove(table.match, seat, move.placement)) == "place":
                return format_menu_value(move.placement), mover_move.placement
    return None


async def test_premove_is_played_once_previous_move_settles(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    before = sim.list_public_texts()
    premove_text = read_text(await choose_premove(sim, person, await find_safe_premove(sim, mover, person)))
    assert has_sentence(premove_text, "premove.armed")
    assert sim.list_public_texts() == before, "nobody else learns of it"
    calls = len(sim.list_calls())
    await sim.play_by_menu(mover, settle=False)
    assert (await sim.load_table()).state.tentative_turn is not None
    assert len((await sim.replay_match()).board.placed) == len((await sim.load_table()).match.board.placed)

    await sim.wait(seconds=25)

    log = [entry.event for entry in (await sim.load_stored_match()).log]
    last = max(number for number, event in enumerate(log) if isinstance(event, Placed))
    assert log[last - 1] == TurnBegan((await sim.load_table()).find_seat(person.id), log[last - 1].height)
    assert f"**{person.name.title()}** played" in sim.read_board()
    assert person.id not in [one.id for message in sim.list_calls()[calls:] for one in message.mentions]
    hand = await sim.open_hand(person)
    assert has_sentence(read_text(hand), "premove.played")
    assert "Take back" in read_button_ids(hand), "it can be taken back like any other"
    back = await person.read_click(hand, "Take back")
    assert "You took back" in back
    assert not has_sentence(back, "premove.armed")


async def test_premove_can_be_changed_and_cancelled(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    first = await choose_premove(sim, person)
    menu = find_premove_menu(first)
    changed = await person.open_select(first, menu.options[-1].value, custom_id=menu.custom_id)
    assert read_text(changed).count("**Planned move:**") == 1
    cancelled = await person.open_click(changed, "Cancel planned move")
    assert has_sentence(read_text(cancelled), "premove.cancelled")
    assert "Cancel planned move" not in read_button_ids(cancelled)
    height = len((await sim.replay_match()).board.placed)
    await sim.play_by_menu(mover)
    assert len((await sim.replay_match()).board.placed) == height + 1


async def test_premove_with_occupied_place_is_dropped_with_notice(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    found = None
    for _ in range(30):
        found = await find_conflicting_premove(sim, mover, person)
        if found is not None:
            break
        await take_turn(sim, mover)
        mover = await sim.load_turn_player()
        person = next(one for one in (ada, grace) if one.id != mover.id)
    assert found is not None
    value, occupied_place = found
    await choose_premove(sim, person, value)
    tile = "-".join(map(str, occupied_place.tile))
    await mover.use_command("tiles play", tile=tile, place=f"{occupied_place.cell}.{occupied_place.rotation}")
    await sim.wait(seconds=25)
    hand = read_text(await sim.open_hand(person))
    assert "### Your turn" in hand
    assert has_sentence(hand, "premove.place")
    assert sim.get_called_player().id == person.id, "they are called as ever"
    assert "lanned move" not in read_text(await sim.play_by_menu(person))


async def test_forged_premoves_are_refused(sim: SimGuild, ada: Member, grace: Member, linus: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    head = await sim.load_head()
    table = await sim.load_table()
    mover_placement = view_for(table.match, table.find_seat(mover.id)).moves[0].placement
    value = format_menu_value(mover_placement)
    press = CustomId("premove", head.match_id, head.seq)
    await click_forged(sim, mover, press, value)
    assert has_sentence(await click_forged(sim, linus, press, value), "no.NOT_SEATED")
    for forged in (value, "999.U0,0.0", "345.Z9.9", "nonsense", "", "345", MAX_POINTS + "x"):
        await click_forged(sim, person, press, forged)
    await click_forged(sim, person, CustomId("premove", head.match_id, 1), MAX_POINTS)
    assert (await sim.load_table()).premoves == {}


async def test_automatic_premove_at_rated_table_is_refused(sim: SimGuild, ada: Member, grace: Member) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace)
    menu = find_premove_menu(await sim.open_hand(person))
    assert MAX_POINTS not in [one.value for one in menu.options]
    head = await sim.load_head()
    await click_forged(sim, person, CustomId("premove", head.match_id, head.seq), MAX_POINTS)
    assert (await sim.load_table()).premoves == {}


async def test_automatic_premove_at_unrated_table_is_played(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace, rated=False)
    premove_text = read_text(await choose_premove(sim, person, MAX_POINTS))
    assert has_sentence(premove_text, "premove.armed_most")
    height = len((await sim.replay_match()).board.placed)
    await sim.play_by_menu(mover, settle=False)
    await sim.wait(seconds=25)
    assert len((await sim.replay_match()).board.placed) >= height + 2
    assert has_sentence(read_text(await sim.open_hand(person)), "premove.played", tile="most points")


async def test_premove_in_quad_ominos_asks_for_bonus_choice(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, game="quad-ominos")
    for _ in range(30):
        table = await sim.load_table()
        person = next(one for one in (ada, grace) if one.id != table.find_turn_user())
        seat = table.find_seat(person.id)
        moves = [move for move in view_for(table.match, seat).moves if move.reward is not None]
        if moves:
            break
        await take_turn(sim, await sim.load_turn_player())
    placement = moves[0].placement
    hand = await sim.open_hand(person)
    menu = find_premove_menu(hand)
    value = format_menu_value(placement)
    if value not in [one.value for one in menu.options]:
        hand = await person.open_select(hand, value.split(".")[0], custom_id=menu.custom_id)
        menu = find_premove_menu(hand)
    question = await person.open_select(hand, value, custom_id=menu.custom_id)
    assert has_sentence(read_text(question), "premove.choose_then")
    assert "Ask me later" in read_button_ids(question)
    confirmed = await person.open_click(question, "+25 points")
    assert has_sentence(read_text(confirmed), "premove.then_points")
    assert (await sim.load_table()).premoves[person.id].then == "points"


async def test_premove_menu_at_shape_table_names_tile_in_shapes(sim: SimGuild, ada: Member, grace: Member) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace, theme="picture")
    table = await sim.load_table()
    seat = table.find_seat(person.id)
    assert seat is not None
    tile = table.match.list_legal_moves(seat)[0].tile
    custom_id = CustomId("premove", table.head.match_id, table.head.seq, "".join(map(str, tile)))
    menu = find_premove_menu(await person.open_click(await sim.post(str(custom_id)), "Button 0"))
    assert menu.placeholder == en("premove.menu_place", tile=format_tile(tile, "picture"))


async def test_premove_is_exported_and_deleted_with_user_data(sim: SimGuild, ada: Member, grace: Member) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace)
    await choose_premove(sim, person)
    answer = await person.open_command("tiles data export")
    exported = json.loads(await answer.attachments[0].read())
    assert len(exported["premoves"]) == 1
    await forget(sim, person)
    assert list_user_tables(sim, person) == []


async def test_commit_that_ignores_premove_is_stale(sim: SimGuild, ada: Member, grace: Member) -> None:
    _, person = await start_with_possible_premove(sim, ada, grace)
    table = await sim.load_table()
    seat = table.find_seat(person.id)
    assert seat is not None
    move = view_for(table.match, seat).moves[0].placement
    await sim.store.matches.save_premove(table.head, person.id, create_premove(table.match, seat, move))
    stale_change = Change(
        match_id=table.head.match_id, expected_seq=table.head.seq, decided_on=table.head, events=[Rearmed()]
    )
    with pytest.raises(StaleVersion):
        await sim.store.matches.commit(stale_change, now=sim.clock())
    assert (await sim.load_table()).premoves.keys() == {person.id}


async def test_end_of_match_deletes_premoves(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    await choose_premove(sim, person)
    await mover.click(await mover.open_command("tiles match resign"), label="Resign")
    assert (await sim.load_head()).state == "done"
    assert "premoves" not in list_user_tables(sim, person)


async def test_text_board_shows_premove_to_owner_only(sim: SimGuild, ada: Member, grace: Member) -> None:
    mover, person = await start_with_possible_premove(sim, ada, grace)
    await choose_premove(sim, person)
    assert "**Planned move:**" in await person.read_command("tiles board", text=True)
    assert "Planned move" not in await mover.read_command("tiles board", text=True)
