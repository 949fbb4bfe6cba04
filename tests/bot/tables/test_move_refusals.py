"""Refused moves: each answer is private, gives the reason, and changes nothing."""

import re
from collections import Counter

import pytest
from simcord import InteractionResult

from bot.tables.move_labels import SHAPES, format_tile
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import (
    Tile,
    format_tile_notation,
    list_fitting_rotations,
    rotate_tile,
    to_canonical,
)
from engine.match.player_view import PlayerView, view_for
from tests.bot.member import Member
from tests.bot.messages import get_private_answer, read_button_ids, read_private_text, read_text
from tests.bot.simulated_guild import MIXED_HAND_DEAL, SHORT_MATCH_DEAL, SimGuild
from tests.wording import en, has_sentence


@pytest.fixture
async def running(sim: SimGuild, ada: Member, grace: Member) -> SimGuild:
    await sim.start_table(ada, grace, deal=MIXED_HAND_DEAL)
    await sim.play_turns(2)
    return sim


async def load_current_view(sim: SimGuild) -> PlayerView:
    match = await sim.replay_match()
    return view_for(match, match.turn)


async def play_refused(sim: SimGuild, tile: Tile | str, place: str = "", by: Member | None = None) -> str:
    """Type a move as the called player by default; check that it changes nothing; return the refusal."""
    before, options = await sim.take_snapshot(), {"place": place} if place else {}
    tile_text = tile if isinstance(tile, str) else format_tile_notation(tile)
    answer = await (by or sim.get_called_player()).use_command("tiles play", tile=tile_text, **options)
    assert await sim.take_snapshot() == before
    return read_private_text(answer)


async def test_move_out_of_turn_is_refused_with_player_name(running: SimGuild) -> None:
    other = running.get_waiting_player()
    name = running.get_called_player().user.global_name
    answer = await play_refused(running, "1-2-3", "A", by=other)
    assert answer == en("why.NOT_YOUR_TURN", name=name)
    hand = await running.open_hand(other)
    assert has_sentence(read_text(hand), "hand.title_wait", name=name)
    assert "Choose a move…" not in str(read_button_ids(hand))


async def test_move_of_watcher_is_refused_with_board_buttons(running: SimGuild, linus: Member) -> None:
    refusal = await play_refused(running, "1-2-3", "A", by=linus)
    assert has_sentence(refusal, "no.NOT_SEATED")
    answer = await linus.click(running.get_board(), label="My hand")
    assert read_private_text(answer) == refusal
    assert {"Text board", "Scores"} <= set(read_button_ids(get_private_answer(answer)))
    text = await linus.read_click(get_private_answer(answer), "Text board")
    assert has_sentence(text, "text.no_hand")


@pytest.mark.parametrize("tile", [" ", "12", "1-2", "1-2-3-4", "abc", "🂠", "x" * 500, "**1**"])
async def test_unreadable_tile_is_refused_with_example(running: SimGuild, tile: str) -> None:
    answer = await play_refused(running, tile, "A")
    assert has_sentence(answer, "no.UNREADABLE_TILE", labels=3, like="1-2-4")


@pytest.mark.parametrize("place", ["7", "U0", "U0,0,0", "U1234567,0", "Z-1,4", "the left one", "!", "A A", "U0,0.²"])
async def test_unreadable_place_is_refused_with_example(running: SimGuild, place: str) -> None:
    tile = (await load_current_view(running)).own_seat.hand[0]
    answer = await play_refused(running, tile, place)
    assert has_sentence(answer, "no.UNREADABLE_PLACE")


async def test_unknown_place_letter_is_refused_with_valid_letters(running: SimGuild) -> None:
    view = await load_current_view(running)
    answer = await play_refused(running, view.own_seat.hand[0], "zz")
    letters = ", ".join(place.letter for place in view.places)
    assert answer == en("no.NO_SUCH_PLACE", letter="ZZ", letters=letters)


async def test_refusal_at_shape_table_names_tiles_in_shapes(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, theme="picture", deal=MIXED_HAND_DEAL)
    await sim.play_turns(2)
    view = await load_current_view(sim)
    best, first = view.moves[0], view.tiles[0]
    tile = best.placement.tile
    occupied_answer = await play_refused(sim, tile, str(first.cell))
    assert has_sentence(occupied_answer, "why.OCCUPIED", by=format_tile(first.tile, "picture"))
    place = next(place for place in view.places if not list_fitting_rotations(tile, place.needs))
    answer = await play_refused(sim, tile, place.letter)
    shape_pattern = rf"({'|'.join(SHAPES)}) (\d)"
    found = re.search(rf"corner must be {shape_pattern} \(you have a {shape_pattern} there\)", answer)
    assert found is not None, answer
    assert [SHAPES.index(found[1]), SHAPES.index(found[3])] == [int(found[2]), int(found[4])]
    absent_tile = next(placement.tile for placement in view.tiles if placement.tile not in view.own_seat.hand)
    hand = await play_refused(sim, absent_tile, best.letter)
    assert hand.startswith(en("why.TILE_ALREADY_PLAYED", tile=format_tile(absent_tile, "picture"))), hand
    counted = Counter(move.placement.tile for move in view.moves)
    ambiguous_tile = next(tile for tile, places in counted.items() if places > 1)
    ambiguous_answer = await play_refused(sim, ambiguous_tile)
    assert has_sentence(ambiguous_answer, "no.WHICH_PLACE", tile=format_tile(ambiguous_tile, "picture")), (
        ambiguous_answer
    )


async def test_tile_without_fitting_place_is_refused_with_reason(running: SimGuild) -> None:
    view = await load_current_view(running)
    playable = {move.placement.tile for move in view.moves}
    unplayable_tile = next(tile for tile in view.own_seat.hand if tile not in playable)
    answer = await play_refused(running, unplayable_tile, view.places[0].letter)
    assert answer.endswith(en("why.FITS_NOWHERE"))
    assert has_sentence(answer, "why.CORNER_MISMATCH", tile=format_tile_notation(unplayable_tile), letter="A")
    assert (await play_refused(running, unplayable_tile)).endswith(en("why.FITS_NOWHERE"))


async def test_exact_cell_with_wrong_rotation_is_refused(running: SimGuild) -> None:
    view = await load_current_view(running)
    move: Placement = next(move.placement for move in view.moves if len(set(move.placement.tile)) > 1)
    wrong_rotation = (move.rotation + 1) % 3
    answer = await play_refused(running, move.tile, f"{move.cell}.{wrong_rotation}")
    assert has_sentence(answer, "why.CORNER_MISMATCH", tile=format_tile_notation(move.tile))


async def test_tile_with_several_places_needs_place(running: SimGuild) -> None:
    view = await load_current_view(running)
    places: dict[Tile, set[Cell]] = {}
    for move in view.moves:
        places.setdefault(move.placement.tile, set()).add(move.placement.cell)
    tile = next(tile for tile, cells in places.items() if len(cells) > 1)
    answer = await play_refused(running, tile)
    assert has_sentence(answer, "no.WHICH_PLACE", tile=format_tile_notation(tile))


@pytest.mark.parametrize("separator", [" ", "–"])
async def test_tile_can_be_typed_from_any_corner(running: SimGuild, separator: str) -> None:
    view = await load_current_view(running)
    move = next(move for move in view.moves if len(set(move.placement.tile)) == 3)
    rotated_tile = rotate_tile(move.placement.tile, 1)
    assert to_canonical(rotated_tile) == move.placement.tile
    answer = await running.get_called_player().use_command(
        "tiles play", tile=separator.join(map(str, rotated_tile)), place=move.letter.lower()
    )
    assert read_private_text(answer).startswith(f"You played {format_tile_notation(move.placement.tile)} ")


async def test_draw_and_pass_out_of_turn_are_refused(running: SimGuild, linus: Member) -> None:
    for command in ("draw", "pass"):
        answer: InteractionResult = await running.get_waiting_player().use_command(f"tiles {command}")
        assert has_sentence(read_private_text(answer), "why.NOT_YOUR_TURN")
        assert has_sentence(await linus.read_command(f"tiles {command}"), "no.NOT_SEATED")


async def test_commands_in_finished_match_offer_rematch(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, linus, target=60, deal=SHORT_MATCH_DEAL)
    await sim.play_to_the_end()
    seq = (await sim.load_head()).seq
    for command, options in (
        ("play", {"tile": "1-2-3", "place": "A"}),
        ("draw", {}),
        ("pass", {}),
        ("match resign", {}),
    ):
        answer = await ada.open_command(f"tiles {command}", **options)
        assert read_text(answer) == en("no.FINISHED")
        assert "Rematch" in read_button_ids(answer)
    assert has_sentence(await ada.read_command("tiles hand"), "end.title")
    assert (await sim.load_head()).seq == seq
