"""Matches played with text boards and typed commands only, without pictures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from simcord import MemberActor

from bot.tables.move_labels import format_points
from data.rulebook import load_rules
from data.words import load_words
from engine.families import RULES_OF
from tests.bot.messages import menus, pictures, private, told, words_of
from tests.bot.simulated_guild import GOING_OUT, SimGuild
from tests.wording import en, says

PLACE = re.compile(r"\*\*([A-Z]{1,2})\*\*(?:, [^:]+)?: (.+)")
TILE = re.compile(r"\*?\*?(\d(?:-\d)+|BOSS)\*?\*?: (.+)")
TOUCH_TEXT = re.escape(en("text.touch", corner="C", numbers="N")).replace("C", "([a-z ]+)")
TOUCH = re.compile(TOUCH_TEXT.replace("N", r"(\d) and (\d)") + "(?:, )?")

CORNERS = (("left", "top", "right"), ("top left", "top right", "bottom"))
SIDES = (("left", "right", "bottom"), ("top", "right", "left"))
SQUARE = ("top left", "top right", "bottom right", "bottom left")


@dataclass
class Spot:
    needs: list[set[str] | None]
    corner: int | None = None
    beside: tuple[str, ...] = ()

    def fits(self, shown: Sequence[str]) -> bool:
        if any(need is not None and label not in need for need, label in zip(self.needs, shown, strict=True)):
            return False
        return self.corner is None or sorted(self.beside) == sorted((shown[self.corner - 1], shown[self.corner]))


def parse_spot(told: str, kinds: Sequence[Sequence[str]]) -> Spot:
    touch = TOUCH.match(told)
    named = dict(part.rsplit(" ", 1) for part in TOUCH.sub("", told).split(", ") if part)
    if touch:
        kind = next(number for number, names in enumerate(CORNERS) if touch[1] in names)
        order, corner = kinds[kind], CORNERS[kind].index(touch[1])
    else:
        order, corner = next(order for order in kinds if set(named) == set(order)), None
    assert set(named) <= set(order)
    needs = [None if named.get(name, "any") == "any" else set(named[name].split("/")) for name in order]
    return Spot(needs, corner, touch.groups()[1:] if touch else ())


class TextBoard:
    def __init__(self, text: str, kinds: Sequence[Sequence[str]]) -> None:
        above, _, below = text.partition("Your tiles:")
        above, _, places = above.partition(en("text.places"))
        self.places = {letter: parse_spot(told, kinds) for letter, told in PLACE.findall(places)}
        self.told = {tile: {entry.split()[0] for entry in fits.split(", ")} for tile, fits in TILE.findall(below)}
        _, _, nowhere = below.partition(en("text.fits_none", tiles=""))
        self.told |= {tile: set() for tile in nowhere.splitlines()[0].split(", ")} if nowhere else {}

    def fitting_rotations(self, tile: str, letter: str) -> list[str]:
        if tile == "BOSS":
            return [tile]
        labels = tile.split("-")
        turned = ["-".join(labels[turn:] + labels[:turn]) for turn in range(len(labels))]
        return [way for way in dict.fromkeys(turned) if self.places[letter].fits(way.split("-"))]

    def fits(self, tile: str) -> set[str]:
        return {letter for letter in self.places if self.fitting_rotations(tile, letter)}


GAMES = {
    "triominoes": (GOING_OUT, CORNERS, {"target": 50}),
    "quad-ominos": (94, (SQUARE,), {"options": "deal=half", "target": 120}),
    "points": (34, SIDES, {}),
    "muggins": (42, SIDES, {}),
    "star": (47, SIDES, {}),
    "trioker": (123, CORNERS, {}),
}


@pytest.mark.parametrize("game", GAMES)
async def test_match_is_played_from_text_board_alone(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, game: str
) -> None:
    deal, kinds, terms = GAMES[game]
    sim.deals.wanted = [deal]
    await sim.table(ada, grace, game=game, **terms)
    turns = 0
    while (await sim.head()).state == "open":
        turns += 1
        assert turns < 100
        mover = sim.to_move()
        text = private(await mover.slash(sim.channel, "tiles board", text=True))
        assert pictures(text) == []
        assert menus(text) == []
        said = words_of(text)
        if "You can take the points" in said:
            told(await mover.slash(sim.channel, "tiles choose", option="points"))
            await sim.stands()
            continue
        reader = TextBoard(said, kinds)
        for tile in reader.told:
            assert reader.fits(tile) == reader.told[tile], "what is said of a tile follows from what is said of places"
        tile = max((tile for tile in reader.told if reader.fits(tile)), key=lambda tile: (len(tile), tile))
        letter = min(reader.fits(tile))
        typed = reader.fitting_rotations(tile, letter)[-1]
        played = told(await mover.slash(sim.channel, "tiles play", tile=typed, place=letter))
        assert played.startswith("You played ")
        await sim.stands()
    assert turns >= 5
    assert load_words()(f"game.{game}") in words_of(sim.ends()[0])


def test_text_board_test_covers_every_game_family() -> None:
    assert {load_rules(game).family for game in GAMES} == set(RULES_OF)


async def test_text_board_explains_open_choice(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [7]
    await sim.table(ada, grace, game="quad-ominos", options="deal=half")
    mine = told(await ada.slash(sim.channel, "tiles board", text=True))
    assert says(mine, "board.whose_choice", name="Ada", bonus="+25 points", tiles="2 more tiles")
    assert says(mine, "text.options", options=f"{en('option.points')} or {en('option.tiles')}")
    theirs = told(await grace.slash(sim.channel, "tiles board", text=True))
    assert "**Ada** is choosing" in theirs
    assert "You can" not in theirs


async def test_text_board_shows_scores_last_move_and_turn(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace, clock="relaxed")
    mover = sim.to_move()
    await sim.play_by_typing(mover)
    match = await sim.match()
    for person in (ada, linus):
        lines = told(await person.slash(sim.channel, "tiles board", text=True)).split("\n")
        assert lines[0] == "## Triominoes · round 1 · to 400"
        marks = ["▶" if match.turn == seat else "·" for seat in (0, 1)]
        scores = [str(seat.total).replace("-", "−") for seat in match.seats]
        tiles = [len(seat.hand) for seat in match.seats]
        last = ["" if seat.change is None else f" (last {format_points(seat.change)})" for seat in match.seats]
        assert lines[1] == f"{marks[0]} Ada: {scores[0]}{last[0]} · {tiles[0]} tiles"
        assert lines[2] == f"{marks[1]} Grace: {scores[1]}{last[1]} · {tiles[1]} tiles"
        assert lines[3] == f"Boneyard {len(match.boneyard)}."
        assert any(line.startswith(f"**{mover.user.global_name}** ") for line in lines[4:7])
        assert en("board.whose", name=sim.to_move().user.global_name) in lines
    assert says(lines, "text.no_hand")


async def test_alt_text_lists_hand_and_moves(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    sim.deals.wanted = [GOING_OUT]
    await sim.table(ada, grace)
    mover = sim.to_move()
    hand = await sim.hand(mover)
    (alt,) = pictures(hand)
    match = await sim.match()
    tiles = sorted("-".join(map(str, tile)) for tile in match.seats[match.turn].hand)
    assert alt.startswith(f"Your hand: {', '.join(tiles)}. Moves, best first: ")
    best = menus(hand)[0].options[0].label
    tile, letter, points = re.split(r" → | · ", best)
    assert f"Moves, best first: {tile} at {letter} {points};" in alt
    assert says(alt, "alt.places_triangles_corners")
