"""Matches played with text boards and typed commands only, without pictures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bot.tables.move_labels import format_points
from data.rulebook import load_rules
from data.words import load_words
from engine.families import RULES_OF
from tests.bot.member import Member
from tests.bot.messages import list_alt_texts, list_menus, read_text
from tests.bot.simulated_guild import GOING_OUT_DEAL, SimGuild
from tests.wording import en, has_sentence

PLACE = re.compile(r"\*\*([A-Z]{1,2})\*\*(?:, [^:]+)?: (.+)")
TILE = re.compile(r"\*?\*?(\d(?:-\d)+|BOSS)\*?\*?: (.+)")
TOUCH_TEXT = re.escape(en("text.touch", corner="C", numbers="N")).replace("C", "([a-z ]+)")
TOUCH = re.compile(TOUCH_TEXT.replace("N", r"(\d) and (\d)") + "(?:, )?")

CORNERS = (("left", "top", "right"), ("top left", "top right", "bottom"))
SIDES = (("left", "right", "bottom"), ("top", "right", "left"))
SQUARE = ("top left", "top right", "bottom right", "bottom left")


@dataclass
class OpenPlace:
    needs: list[set[str] | None]
    corner: int | None = None
    neighbour_labels: tuple[str, ...] = ()

    def matches(self, labels: Sequence[str]) -> bool:
        if any(need is not None and label not in need for need, label in zip(self.needs, labels, strict=True)):
            return False
        return self.corner is None or sorted(self.neighbour_labels) == sorted(
            (labels[self.corner - 1], labels[self.corner])
        )


def parse_open_place(text: str, kinds: Sequence[Sequence[str]]) -> OpenPlace:
    touch = TOUCH.match(text)
    labels = dict(part.rsplit(" ", 1) for part in TOUCH.sub("", text).split(", ") if part)
    if touch:
        kind = next(number for number, names in enumerate(CORNERS) if touch[1] in names)
        order, corner = kinds[kind], CORNERS[kind].index(touch[1])
    else:
        order, corner = next(order for order in kinds if set(labels) == set(order)), None
    assert set(labels) <= set(order)
    needs = [None if labels.get(name, "any") == "any" else set(labels[name].split("/")) for name in order]
    return OpenPlace(needs, corner, touch.groups()[1:] if touch else ())


class TextBoard:
    def __init__(self, text: str, kinds: Sequence[Sequence[str]]) -> None:
        board_text, _, hand_text = text.partition("Your tiles:")
        board_text, _, places = board_text.partition(en("text.places"))
        self.places = {letter: parse_open_place(place_text, kinds) for letter, place_text in PLACE.findall(places)}
        self.fitting_letters = {
            tile: {entry.split()[0] for entry in fits.split(", ")} for tile, fits in TILE.findall(hand_text)
        }
        _, _, unplaceable_tiles = hand_text.partition(en("text.fits_none", tiles=""))
        self.fitting_letters |= (
            {tile: set() for tile in unplaceable_tiles.splitlines()[0].split(", ")} if unplaceable_tiles else {}
        )

    def list_fitting_rotations(self, tile: str, letter: str) -> list[str]:
        if tile == "BOSS":
            return [tile]
        labels = tile.split("-")
        rotations = ["-".join(labels[turn:] + labels[:turn]) for turn in range(len(labels))]
        return [rotation for rotation in dict.fromkeys(rotations) if self.places[letter].matches(rotation.split("-"))]

    def list_fitting_letters(self, tile: str) -> set[str]:
        return {letter for letter in self.places if self.list_fitting_rotations(tile, letter)}


GAMES = {
    "triominoes": (GOING_OUT_DEAL, CORNERS, {"target": 50}),
    "quad-ominos": (94, (SQUARE,), {"options": "deal=half", "target": 120}),
    "points": (34, SIDES, {}),
    "muggins": (42, SIDES, {}),
    "star": (47, SIDES, {}),
    "trioker": (123, CORNERS, {}),
}


@pytest.mark.parametrize("game", GAMES)
async def test_match_is_played_from_text_board_alone(sim: SimGuild, ada: Member, grace: Member, game: str) -> None:
    deal, kinds, terms = GAMES[game]
    await sim.start_table(ada, grace, game=game, **terms, deal=deal)
    turns = 0
    while (await sim.load_head()).state == "open":
        turns += 1
        assert turns < 100
        mover = sim.get_called_player()
        text = await mover.open_command("tiles board", text=True)
        assert list_alt_texts(text) == []
        assert list_menus(text) == []
        board_text = read_text(text)
        if "You can take the points" in board_text:
            await mover.read_command("tiles choose", option="points")
            await sim.settle_turns()
            continue
        reader = TextBoard(board_text, kinds)
        for tile in reader.fitting_letters:
            assert reader.list_fitting_letters(tile) == reader.fitting_letters[tile], (
                "what is said of a tile follows from what is said of places"
            )
        tile = max(
            (tile for tile in reader.fitting_letters if reader.list_fitting_letters(tile)),
            key=lambda tile: (len(tile), tile),
        )
        letter = min(reader.list_fitting_letters(tile))
        rotated_tile = reader.list_fitting_rotations(tile, letter)[-1]
        answer = await mover.read_command("tiles play", tile=rotated_tile, place=letter)
        assert answer.startswith("You played ")
        await sim.settle_turns()
    assert turns >= 5
    assert load_words()(f"game.{game}") in read_text(sim.list_results()[0])


def test_text_board_test_covers_every_game_family() -> None:
    assert {load_rules(game).family for game in GAMES} == set(RULES_OF)


async def test_text_board_explains_open_choice(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, game="quad-ominos", options="deal=half", deal=7)
    own_board = await ada.read_command("tiles board", text=True)
    assert has_sentence(own_board, "board.whose_choice", name="Ada", bonus="+25 points", tiles="2 more tiles")
    assert has_sentence(own_board, "text.options", options=f"{en('option.points')} or {en('option.tiles')}")
    other_board = await grace.read_command("tiles board", text=True)
    assert "**Ada** is choosing" in other_board
    assert "You can" not in other_board


async def test_text_board_shows_scores_last_move_and_turn(
    sim: SimGuild, ada: Member, grace: Member, linus: Member
) -> None:
    await sim.start_table(ada, grace, clock="relaxed", deal=GOING_OUT_DEAL)
    mover = sim.get_called_player()
    await sim.play_by_typing(mover)
    match = await sim.replay_match()
    for person in (ada, linus):
        lines = (await person.read_command("tiles board", text=True)).split("\n")
        assert lines[0] == "## Triominoes · round 1 · to 400"
        marks = ["▶" if match.turn == seat else "·" for seat in (0, 1)]
        scores = [str(seat.total).replace("-", "−") for seat in match.seats]
        tiles = [len(seat.hand) for seat in match.seats]
        last = ["" if seat.change is None else f" (last {format_points(seat.change)})" for seat in match.seats]
        assert lines[1] == f"{marks[0]} Ada: {scores[0]}{last[0]} · {tiles[0]} tiles"
        assert lines[2] == f"{marks[1]} Grace: {scores[1]}{last[1]} · {tiles[1]} tiles"
        assert lines[3] == f"Boneyard {len(match.boneyard)}."
        assert any(line.startswith(f"**{mover.user.global_name}** ") for line in lines[4:7])
        assert en("board.whose", name=sim.get_called_player().user.global_name) in lines
    assert has_sentence(lines, "text.no_hand")


async def test_alt_text_lists_hand_and_moves(sim: SimGuild, ada: Member, grace: Member) -> None:
    await sim.start_table(ada, grace, deal=GOING_OUT_DEAL)
    mover = sim.get_called_player()
    hand = await sim.open_hand(mover)
    (alt,) = list_alt_texts(hand)
    match = await sim.replay_match()
    tiles = sorted("-".join(map(str, tile)) for tile in match.seats[match.turn].hand)
    assert alt.startswith(f"Your hand: {', '.join(tiles)}. Moves, best first: ")
    best = list_menus(hand)[0].options[0].label
    tile, letter, points = re.split(r" → | · ", best)
    assert f"Moves, best first: {tile} at {letter} {points};" in alt
    assert has_sentence(alt, "alt.places_triangles_corners")
