"""A match from words alone: somebody who sees no picture reads the text board and types."""

from __future__ import annotations

import re

from simcord import MemberActor

from engine.tiles import Tile, rotated, rotations
from tests.bot.house import GOING_OUT, House
from tests.bot.reading import menus, pictures, private, told, words_of

PLACE = re.compile(r"\*\*([A-Z]{1,2})\*\*: (.+)")
TILE = re.compile(r"\*?\*?(\d)-(\d)-(\d)\*?\*?: (.+)")


class Reader:
    """What somebody knows who listens to the text board."""

    def __init__(self, text: str) -> None:
        above, _, below = text.partition("Your tiles:")
        above, _, places = above.partition("Open places:")
        self.places: dict[str, list[int | None]] = {}
        for letter, needs in PLACE.findall(places):
            corners = needs.split(", ")
            assert len(corners) == 3
            self.places[letter] = [None if one.endswith(" free") else int(one.split()[-1]) for one in corners]
        self.hand: list[Tile] = []
        self.told: dict[Tile, set[str]] = {}
        for a, b, c, fits in TILE.findall(below):
            tile = (int(a), int(b), int(c))
            self.hand.append(tile)
            self.told[tile] = set(re.findall(r"([A-Z]{1,2}) [+−0]", fits))

    def fits(self, tile: Tile) -> set[str]:
        """The places whose corners the tile can meet, worked out from the words."""
        return {
            letter
            for letter, needs in self.places.items()
            for turn in rotations(tile)
            if all(need in (None, label) for need, label in zip(needs, rotated(tile, turn), strict=True))
        }


async def test_a_round_is_played_from_the_text_board_alone(house: House, ada: MemberActor, grace: MemberActor) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace)
    turns = 0
    while (await house.head()).state == "open" and turns < 60:
        mover = house.to_move()
        text = private(await mover.slash(house.channel, "tiles board", text=True))
        assert pictures(text) == []
        assert menus(text) == []
        said = words_of(text)
        if "round 1" not in said:
            break
        reader = Reader(said)
        assert reader.hand
        for tile in reader.hand:
            assert reader.fits(tile) == reader.told[tile], "what is said of a tile follows from what is said of places"
        tile = max((tile for tile in reader.hand if reader.fits(tile)), key=sum)
        played = told(
            await mover.slash(house.channel, "tiles play", tile="-".join(map(str, tile)), place=min(reader.fits(tile)))
        )
        assert played.startswith("You played ")
        turns += 1
    assert turns >= 5
    assert (await house.match()).round == 2
    assert any("Round 1 is over" in words_of(message) for message in house.public())


async def test_the_text_board_says_scores_last_move_and_whose_turn_it_is(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace)
    mover = house.to_move()
    await house.play_by_typing(mover)
    match = await house.match()
    for person in (ada, linus):
        lines = told(await person.slash(house.channel, "tiles board", text=True)).split("\n")
        assert lines[0] == "## Triominoes · round 1 · to 400"
        marks = ["▶" if match.turn == seat else "·" for seat in (0, 1)]
        scores = [str(seat.total).replace("-", "−") for seat in match.seats]
        tiles = [len(seat.hand) for seat in match.seats]
        assert lines[1] == f"{marks[0]} Ada: {scores[0]} · {tiles[0]} tiles"
        assert lines[2] == f"{marks[1]} Grace: {scores[1]} · {tiles[1]} tiles"
        assert lines[3] == f"Boneyard {len(match.boneyard)}."
        assert any(line.startswith(f"**{mover.user.global_name}** ") for line in lines[4:7])
        assert f"**{house.to_move().user.global_name}** to play." in lines
    assert lines[-1] == "You are watching this match."


async def test_a_blind_player_finds_hand_and_moves_in_the_alt_text(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    house.deals.wanted = [GOING_OUT]
    await house.table(ada, grace)
    mover = house.to_move()
    hand = await house.hand(mover)
    (alt,) = pictures(hand)
    match = await house.match()
    tiles = sorted("-".join(map(str, tile)) for tile in match.seats[match.turn].hand)
    assert alt.startswith(f"Your hand: {', '.join(tiles)}. Moves, best first: ")
    best = menus(hand)[0].options[0].label
    tile, letter, points = re.split(r" → | · ", best)
    assert f"Moves, best first: {tile} at {letter} {points};" in alt
    assert "Open places, corners clockwise from left (point up)" in alt
