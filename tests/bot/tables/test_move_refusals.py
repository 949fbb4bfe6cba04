"""Refused moves: each answer is private, gives the reason, and changes nothing."""

import re
from collections import Counter

import pytest
from simcord import InteractionResult, MemberActor

from bot.tables.move_labels import SHAPES, format_tile
from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import (
    Tile,
    format_tile_notation,
    list_fitting_rotations,
    list_rotations,
    rotate_tile,
    to_canonical,
)
from engine.match.player_view import PlayerView, view_for
from tests.bot.messages import button_ids, private, told, words_of
from tests.bot.simulated_guild import LIVELY, SHORT_MATCH, SimGuild
from tests.wording import en, says


@pytest.fixture
async def running(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> SimGuild:
    sim.deals.wanted = [LIVELY]
    await sim.table(ada, grace)
    for _ in range(2):
        await sim.play_by_typing(sim.to_move())
    return sim


async def current_view(sim: SimGuild) -> PlayerView:
    match = await sim.match()
    return view_for(match, match.turn)


async def play_refused(sim: SimGuild, person: MemberActor, **options: str) -> str:
    before = await sim.standing()
    asked = await person.slash(sim.channel, "tiles play", **options)
    assert await sim.standing() == before
    return told(asked)


def hand_tiles(current_view: PlayerView) -> tuple[Tile, ...]:
    assert current_view.own_seat.hand is not None
    return current_view.own_seat.hand


async def test_move_out_of_turn_is_refused_with_player_name(running: SimGuild) -> None:
    other = running.waiting()
    name = running.to_move().user.global_name
    said = await play_refused(running, other, tile="1-2-3", place="A")
    assert said == en("why.NOT_YOUR_TURN", name=name)
    hand = await running.hand(other)
    assert says(words_of(hand), "hand.title_wait", name=name)
    assert "Choose a move…" not in str(button_ids(hand))


async def test_move_of_watcher_is_refused_with_board_buttons(running: SimGuild, linus: MemberActor) -> None:
    said = await play_refused(running, linus, tile="1-2-3", place="A")
    assert says(said, "no.NOT_SEATED")
    asked = await linus.click(running.board(), label="My hand")
    assert told(asked) == said
    assert {"Text board", "Scores"} <= set(button_ids(private(asked)))
    text = told(await linus.click(private(asked), label="Text board"))
    assert says(text, "text.no_hand")


async def test_tile_outside_hand_is_refused_with_hand(running: SimGuild) -> None:
    now = await current_view(running)
    hand = hand_tiles(now)
    lying = {placement.tile for placement in now.tiles}
    foreign = next(tile for tile in now.rules.tiles if tile not in hand and tile not in lying)
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(foreign), place="A")
    assert says(said, "why.NOT_IN_HAND", tile=format_tile_notation(foreign))
    assert all(format_tile_notation(tile) in said for tile in hand)


async def test_tile_already_played_is_refused(running: SimGuild) -> None:
    lying = (await current_view(running)).tiles[0].tile
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(lying), place="A")
    assert said == en("why.TILE_ALREADY_PLAYED", tile=format_tile_notation(lying))


async def test_nonexistent_tile_is_refused_and_mirror_explained(running: SimGuild) -> None:
    assert await play_refused(running, running.to_move(), tile="9-9-9", place="A") == en(
        "why.NO_SUCH_TILE", shown="9-9-9"
    )
    said = await play_refused(running, running.to_move(), tile="1-3-2", place="A")
    assert said == (en("why.NO_SUCH_TILE_MIRROR", shown="1-3-2", exists="1-2-3"))


@pytest.mark.parametrize("tile", [" ", "12", "1-2", "1-2-3-4", "abc", "🂠", "1–2–3", "²³¹", "x" * 500, "**1**"])
async def test_unreadable_tile_is_refused_with_example(running: SimGuild, tile: str) -> None:
    said = await play_refused(running, running.to_move(), tile=tile, place="A")
    assert says(said, "no.UNREADABLE_TILE", labels=3, like="1-2-4")


@pytest.mark.parametrize("place", ["7", "U0", "U0,0,0", "U1234567,0", "Z-1,4", "the left one", "!", "A A", "U0,0.²"])
async def test_unreadable_place_is_refused_with_example(running: SimGuild, place: str) -> None:
    tile = hand_tiles(await current_view(running))[0]
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(tile), place=place)
    assert says(said, "no.UNREADABLE_PLACE")


async def test_unknown_place_letter_is_refused_with_valid_letters(running: SimGuild) -> None:
    now = await current_view(running)
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(hand_tiles(now)[0]), place="zz")
    letters = ", ".join(place.letter for place in now.places)
    assert said == en("no.NO_SUCH_PLACE", letter="ZZ", letters=letters)


async def test_occupied_place_is_refused_with_tile_there(running: SimGuild) -> None:
    now = await current_view(running)
    first, best = now.tiles[0], now.moves[0]
    said = await play_refused(
        running, running.to_move(), tile=format_tile_notation(best.placement.tile), place=str(first.cell)
    )
    assert says(said, "why.OCCUPIED", by=format_tile_notation(first.tile))
    assert f"{best.letter} (+{best.points})" in said


async def test_refusal_at_shape_table_names_tiles_in_shapes(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    sim.deals.wanted = [LIVELY]
    await sim.table(ada, grace, theme="picture")
    for _ in range(2):
        await sim.play_by_typing(sim.to_move())
    now = await current_view(sim)
    best, first = now.moves[0], now.tiles[0]
    tile, mover = best.placement.tile, sim.to_move()
    taken = await play_refused(sim, mover, tile=format_tile_notation(tile), place=str(first.cell))
    assert says(taken, "why.OCCUPIED", by=format_tile(first.tile, "picture"))
    place = next(place for place in now.places if not list_fitting_rotations(tile, place.needs))
    said = await play_refused(sim, mover, tile=format_tile_notation(tile), place=place.letter)
    shape = rf"({'|'.join(SHAPES)}) (\d)"
    found = re.search(rf"corner must be {shape} \(you have a {shape} there\)", said)
    assert found is not None, said
    assert [SHAPES.index(found[1]), SHAPES.index(found[3])] == [int(found[2]), int(found[4])]
    foreign = next(lies.tile for lies in now.tiles if lies.tile not in hand_tiles(now))
    hand = await play_refused(sim, mover, tile=format_tile_notation(foreign), place=best.letter)
    assert hand.startswith(en("why.TILE_ALREADY_PLAYED", tile=format_tile(foreign, "picture"))), hand
    counted = Counter(move.placement.tile for move in now.moves)
    several = next(tile for tile, places in counted.items() if places > 1)
    which = await play_refused(sim, mover, tile=format_tile_notation(several))
    assert says(which, "no.WHICH_PLACE", tile=format_tile(several, "picture")), which


async def test_place_without_contact_is_refused(running: SimGuild) -> None:
    tile = hand_tiles(await current_view(running))[0]
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(tile), place="U40,-40")
    assert said.startswith(en("why.NO_SIDE_CONTACT"))


async def test_corner_mismatch_names_both_numbers_and_fitting_places(running: SimGuild) -> None:
    now = await current_view(running)
    tile = now.moves[0].placement.tile
    place = next(place for place in now.places if not list_fitting_rotations(tile, place.needs))
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(tile), place=place.letter)
    found = re.fullmatch(
        re.escape(
            en(
                "why.CORNER_MISMATCH",
                tile=format_tile_notation(tile),
                letter=place.letter,
                place="P",
                needs="N",
                shows="S",
            )
        )
        .replace("P", "([a-z ]+)")
        .replace("N", r"(\d)")
        .replace("S", r"(\d)")
        + r" It fits at (.+)\.",
        said,
    )
    assert found is not None, said
    corners = ("left", "top", "right") if place.cell.kind == "U" else ("top left", "top right", "bottom")
    corner, needs, shows = corners.index(found[1]), int(found[2]), int(found[3])
    assert place.needs[corner] == needs != shows
    # The named corner is a mismatch of the best rotation.
    missing = min(
        sum(need not in (None, label) for need, label in zip(place.needs, rotate_tile(tile, turn), strict=True))
        for turn in list_rotations(tile)
    )
    assert missing >= 1
    fits = [move.letter for move in now.moves if move.placement.tile == tile]
    assert all(f"{letter} (+" in found[4] for letter in fits[:5])


async def test_tile_without_fitting_place_is_refused_with_reason(running: SimGuild) -> None:
    now = await current_view(running)
    playable = {move.placement.tile for move in now.moves}
    useless = next(tile for tile in hand_tiles(now) if tile not in playable)
    said = await play_refused(
        running, running.to_move(), tile=format_tile_notation(useless), place=now.places[0].letter
    )
    assert said.endswith(en("why.FITS_NOWHERE"))
    assert says(said, "why.CORNER_MISMATCH", tile=format_tile_notation(useless), letter="A")
    assert (await play_refused(running, running.to_move(), tile=format_tile_notation(useless))).endswith(
        en("why.FITS_NOWHERE")
    )


async def test_exact_cell_with_wrong_rotation_is_refused(running: SimGuild) -> None:
    now = await current_view(running)
    move: Placement = next(move.placement for move in now.moves if len(set(move.placement.tile)) > 1)
    turned = (move.rotation + 1) % 3
    said = await play_refused(
        running, running.to_move(), tile=format_tile_notation(move.tile), place=f"{move.cell}.{turned}"
    )
    assert says(said, "why.CORNER_MISMATCH", tile=format_tile_notation(move.tile))


async def test_tile_with_several_places_needs_place(running: SimGuild) -> None:
    now = await current_view(running)
    places: dict[Tile, set[Cell]] = {}
    for move in now.moves:
        places.setdefault(move.placement.tile, set()).add(move.placement.cell)
    tile = next(tile for tile, cells in places.items() if len(cells) > 1)
    said = await play_refused(running, running.to_move(), tile=format_tile_notation(tile))
    assert says(said, "no.WHICH_PLACE", tile=format_tile_notation(tile))


async def test_tile_can_be_typed_from_any_corner(running: SimGuild) -> None:
    now = await current_view(running)
    move = next(move for move in now.moves if len(set(move.placement.tile)) == 3)
    shown = rotate_tile(move.placement.tile, 1)
    assert to_canonical(shown) == move.placement.tile
    played = await running.to_move().slash(
        running.channel, "tiles play", tile=" ".join(map(str, shown)), place=move.letter.lower()
    )
    assert told(played).startswith(f"You played {format_tile_notation(move.placement.tile)} ")


async def test_wrong_opening_tile_is_refused_with_right_one(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace, by_hand=True)
    match = await sim.match()
    (right,) = match.choices
    wrong = next(tile for tile in match.seats[match.turn].hand if tile != right)
    said = await play_refused(sim, sim.to_move(), tile=format_tile_notation(wrong), place="A")
    assert said == en("why.WRONG_OPENING", choices=format_tile_notation(right))


async def test_draw_and_pass_out_of_turn_are_refused(running: SimGuild, linus: MemberActor) -> None:
    for command in ("draw", "pass"):
        asked: InteractionResult = await running.waiting().slash(running.channel, f"tiles {command}")
        assert says(told(asked), "why.NOT_YOUR_TURN")
        assert says(told(await linus.slash(running.channel, f"tiles {command}")), "no.NOT_SEATED")


async def test_commands_in_finished_match_offer_rematch(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [SHORT_MATCH]
    await sim.table(ada, grace, linus, target=60)
    await sim.play_to_the_end()
    seq = (await sim.head()).seq
    for command, options in (
        ("play", {"tile": "1-2-3", "place": "A"}),
        ("draw", {}),
        ("pass", {}),
        ("match resign", {}),
    ):
        asked = private(await ada.slash(sim.channel, f"tiles {command}", **options))
        assert words_of(asked) == en("no.FINISHED")
        assert "Rematch" in button_ids(asked)
    assert says(told(await ada.slash(sim.channel, "tiles hand")), "hand.title_over")
    assert (await sim.head()).seq == seq
