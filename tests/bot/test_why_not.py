"""Why not? Every refusal by a rule says which and where, in every game, and one press explains the rule."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from simcord import MemberActor

from data.rulebook import rules
from data.words import words
from engine.errors import Why
from tests.bot.house import House
from tests.bot.reading import button_ids, menus, private, told, words_of
from tests.bot.stacked import dealt, played, seated


@dataclass(frozen=True)
class Meeting:
    """Grace meets a rule: Ada has opened, and Grace types something that is not to be."""

    why: Why
    game: str
    hands: tuple[str, str]
    """Ada's, whose first tile opens; and Grace's."""
    moves: tuple[str, ...]
    """What was played after the opening."""
    typed: tuple[str, str]
    said: str
    preset: str = "default"


MEETINGS = {
    "a tile that is not in the set, whose mirror image is": Meeting(
        Why.NO_SUCH_TILE,
        "triominoes",
        ("555 012", "055 013"),
        (),
        ("0-3-1", "A"),
        "There is no tile 0-3-1: read clockwise it would be the mirror of 0-1-3, and tiles are never flipped.",
    ),
    "the one square that was left out": Meeting(
        Why.NO_SUCH_TILE, "quad-ominos", ("4455 0000", "0255 3333"), (), ("0-2-4-5", "A"), "There is no tile 0-2-4-5."
    ),
    "a square whose numbers fall": Meeting(
        Why.NO_SUCH_TILE,
        "quad-ominos",
        ("4455 0000", "0255 3333"),
        (),
        ("5-4-4-2", "A"),
        "There is no tile 5-4-4-2: read clockwise it would be the mirror of 2-4-4-5, and tiles are never flipped.",
    ),
    "the mirror of a domino": Meeting(
        Why.NO_SUCH_TILE,
        "points",
        ("444 001", "013 224"),
        (),
        ("2-4-3", "A"),
        "There is no tile 2-4-3: read clockwise it would be the mirror of 2-3-4, and tiles are never flipped.",
    ),
    "a taken square": Meeting(
        Why.OCCUPIED,
        "quad-ominos",
        ("4455 0000", "4445 3333"),
        (),
        ("4-4-4-5", "0,0"),
        "That place is taken: 4-4-5-5 lies there. It fits at A (+17), B (+17) and C (+17).",
    ),
    "a tile that lies there": Meeting(
        Why.TILE_ALREADY_PLAYED,
        "trioker",
        ("333 000", "033 001"),
        (),
        ("3-3-3", "A"),
        "3-3-3 already lies on the table.",
    ),
    "a tile of somebody else's": Meeting(
        Why.NOT_IN_HAND,
        "star",
        ("444 000", "034 001"),
        (),
        ("2-2-2", "A"),
        "2-2-2 is not in your hand. You hold 0-0-1 and 0-3-4.",
    ),
    "a place beyond the edge": Meeting(
        Why.OFF_THE_BOARD,
        "trioker",
        ("333 000", "033 001"),
        (),
        ("0-3-3", "U40,0"),
        "That place is outside the board.",
        preset="puzzle",
    ),
    "a square that touches with a point only": Meeting(
        Why.NO_SIDE_CONTACT,
        "quad-ominos",
        ("4455 0000", "4445 3334"),
        (),
        ("3-3-3-4", "1,1"),
        "That place touches no side of a tile on the table. Tiles go side to side. It fits nowhere now.",
    ),
    "a place beside an older tile": Meeting(
        Why.NOT_NEXT_TO_LAST,
        "points",
        ("444 344 000", "134 001"),
        ("D0,0=134",),
        ("3-4-4", "D-1,0"),
        "At D-1,0 it would not lie next to the last tile. Play goes on from the tile of the turn before. It fits at B.",
    ),
    "a corner of a square": Meeting(
        Why.CORNER_MISMATCH,
        "quad-ominos",
        ("4455 0000", "4445 4444"),
        (),
        ("4-4-4-4", "1,0"),
        "4-4-4-4 does not fit at C: its bottom left corner must be 5 (you have a 4 there). It fits at A (+16).",
    ),
    "a corner of a triangle": Meeting(
        Why.CORNER_MISMATCH,
        "trioker",
        ("333 000", "033 001"),
        (),
        ("0-0-1", "A"),
        "0-0-1 does not fit at A: its top right corner must be 3 (you have a 0 there). It fits nowhere now.",
    ),
    "a side of a domino": Meeting(
        Why.SIDE_MISMATCH,
        "points",
        ("444 000", "134 013"),
        (),
        ("0-1-3", "D0,0"),
        "0-1-3 does not fit at B: its left side must be 4 (you have a 3 there). It fits nowhere now.",
    ),
    "sides that do not make five": Meeting(
        Why.SIDE_MISMATCH,
        "muggins",
        ("444 000", "134 023"),
        (),
        ("0-2-3", "D0,0"),
        "0-2-3 does not fit at B: its left side meets a 4 and must be 1 to make a multiple of five "
        "(you have a 3 there). It fits nowhere now.",
    ),
    "corners that do not meet in the same numbers": Meeting(
        Why.CORNER_MISMATCH,
        "star",
        ("233 000", "334 012"),
        (),
        ("0-1-2", "D1,-1"),
        "0-1-2 does not fit at L: from corner to corner, 3 and 3 must lie beside its top left corner "
        "(you have 2 and 0 there). It fits at E (0).",
    ),
}


@pytest.mark.parametrize("met", MEETINGS.values(), ids=MEETINGS)
async def test_a_move_is_refused_with_the_rule_and_the_place_and_explained(
    house: House, ada: MemberActor, grace: MemberActor, met: Meeting
) -> None:
    log, story = played(dealt(rules(met.game, met.preset), *met.hands), *met.moves)
    await seated(house, log, ada, grace)
    mover = (ada, grace)[story.match.turn]
    before = await house.standing()
    tile, place = met.typed

    refused = private(await mover.slash(house.channel, "tiles play", tile=tile, place=place))

    assert words_of(refused) == met.said
    assert list(button_ids(refused)) == ["My hand", "Why not?"]
    explained = private(await mover.click(refused, label="Why not?"))
    assert explained.id != refused.id, "the refusal stays to be read again"
    say = words()
    assert words_of(explained).split("\n") == [
        f"**Why not?** {say(f'whyname.{met.why}')} · {say(f'whyrule.{met.why}')}",
        say(f"whytext.{met.why}"),
    ]
    assert await house.standing() == before
    assert "### Your turn" in told(await mover.click(refused, label="My hand"))


async def test_the_wrong_opening_is_refused_in_every_game(house: House, ada: MemberActor, grace: MemberActor) -> None:
    log = dealt(rules("quad-ominos"), "5555 0012 0123", "4444 0001", by_hand=True)
    await seated(house, log, ada, grace)
    refused = private(await ada.slash(house.channel, "tiles play", tile="0-0-1-2", place="A"))
    assert words_of(refused) == "This round must open with 5-5-5-5."
    assert "four equal numbers" in told(await ada.click(refused, label="Why not?"))


@pytest.mark.parametrize(
    ("game", "hands", "command", "said"),
    [
        ("points", ("444 001", "034 000"), "draw", "You can play, so you must: "),
        ("points", ("444 001", "012 000"), "draw", "There is nothing to draw: pass instead."),
        ("trioker", ("333 001", "033 000"), "pass", "You can play, so you must: "),
        (
            "quad-ominos",
            ("3333 0001", "0000 0011"),
            "pass",
            "Before passing you must draw, until a tile fits or nothing is left to draw.",
        ),
        (
            "triominoes",
            ("555 001", "000 002"),
            "pass",
            "Before passing you must draw: 0 of 3 drawn so far, and the boneyard is not empty.",
        ),
        ("star", ("444 001", "034 000"), "choose", "There is nothing to choose now."),
    ],
)
async def test_drawing_passing_and_choosing_at_the_wrong_time_is_told_what_to_do(
    house: House, ada: MemberActor, grace: MemberActor, game: str, hands: tuple[str, str], command: str, said: str
) -> None:
    opening = {"quad-ominos": ("0,0=3333", "points")}.get(game, ("U0,0=" + hands[0].split()[0],))
    log, _ = played(dealt(rules(game), *hands, by_hand=True), *opening)
    await seated(house, log, ada, grace)
    before = await house.standing()
    options = {"option": "points"} if command == "choose" else {}
    refused = private(await grace.slash(house.channel, f"tiles {command}", **options))
    assert words_of(refused).startswith(said)
    assert await house.standing() == before
    assert told(await grace.click(refused, label="Why not?")).startswith("**Why not?** ")


async def test_too_many_seats_for_a_game_are_refused_with_what_it_takes(house: House, ada: MemberActor) -> None:
    for game, most in (("trioker", 4), ("points", 6)):
        refused = private(await ada.slash(house.channel, "tiles new", game=game, seats=most + 1))
        assert words_of(refused) == f"This game is for 2 to {most} seats, not {most + 1}."
        assert "so that the tiles suffice" in told(await ada.click(refused, label="Why not?"))
    assert house.public() == []


async def test_whoever_reads_a_refusal_can_ask_why_also_later_and_elsewhere(
    house: House, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await house.table(ada, grace)
    refused = private(await house.waiting().slash(house.channel, "tiles draw"))
    copied = await house.post(button_ids(refused)["Why not?"], "by:why:1|NONSENSE", "by:why", "by:why:7|OCCUPIED")
    await house.restart()
    assert told(await linus.click(copied, label="Button 0")).startswith("**Why not?** Not your turn · Rules §3\n")
    for number in (1, 2):
        assert "hosts tile games" in told(await linus.click(copied, label=f"Button {number}"))
    assert told(await linus.click(copied, label="Button 3")).startswith("**Why not?** The place is taken")


async def test_help_explains_every_refusal_by_its_name_and_lists_them_while_one_types(
    house: House, ada: MemberActor
) -> None:
    everything = await ada.autocomplete(house.channel, "tiles help", "why", "")
    assert [choice["value"] for choice in everything] == list(Why)
    assert len(everything) <= 25
    for choice in everything:
        for typed in (choice["value"], choice["name"]):
            said = told(await ada.slash(house.channel, "tiles help", why=typed))
            assert said.startswith(f"**Why not?** {choice['name']} · ")
            assert len(said.split("\n")[1]) > 20
    found = await ada.autocomplete(house.channel, "tiles help", "why", " MATCH")
    assert {"SIDE_MISMATCH", "CORNER_MISMATCH", "MATCH_OVER"} == {choice["value"] for choice in found}
    assert await ada.autocomplete(house.channel, "tiles help", "why", "🂠") == []
    assert "hosts tile games" in told(await ada.slash(house.channel, "tiles help", why="because"))


async def test_a_square_that_fits_a_place_in_several_ways_is_typed_as_it_should_read(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(rules("quad-ominos"), "3444 0000", "2444 0001"))
    await seated(house, log, ada, grace)
    hand = await house.hand(grace)
    options = [option for menu in menus(hand) for option in menu.options]
    assert len({(option.label, option.description) for option in options}) == len(options), "each can be told apart"
    several = [option for option in options if option.label.startswith("2-4-4-4 → C")]
    assert len(several) == 2

    asked = told(await grace.slash(house.channel, "tiles play", tile="2-4-4-4", place="C"))

    assert asked.startswith(
        "2-4-4-4 fits there in several ways. Write it as it should read clockwise from the top left: "
    )
    ways = asked.split("`")[1::2]
    corners = ("top left", "top right", "bottom right", "bottom left")
    shown = [way.split("-") for way in ways]
    differ = [corner for corner in range(4) if shown[0][corner] != shown[1][corner]]
    for way, option in zip(shown, several, strict=True):
        assert option.description.startswith(", ".join(f"{way[corner]} {corners[corner]}" for corner in differ))
    assert (await house.match()).turn == 1
    said = told(await grace.slash(house.channel, "tiles play", tile=ways[1], place="C"))
    assert said.startswith("You played 2-4-4-4 right of 3-4-4-4: **+14**.")
    lies = list((await house.match()).board.placed.values())[-1]
    assert "-".join(map(str, lies.shown)) == ways[1]


async def test_the_list_of_places_names_each_way_that_a_square_fits(
    house: House, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(rules("quad-ominos"), "3444 0000", "2444 0001"))
    await seated(house, log, ada, grace)
    listed = await grace.autocomplete(house.channel, "tiles play", "place", "", tile="2-4-4-4")
    names, values = [one["name"] for one in listed], [one["value"] for one in listed]
    assert len(set(names)) == len(set(values)) == len(listed) == len(menus(await house.hand(grace))[0].options)
    said = told(await grace.slash(house.channel, "tiles play", tile="2-4-4-4", place=values[1]))
    assert said.startswith("You played 2-4-4-4 ")
    lies = list((await house.match()).board.placed.values())[-1]
    assert "-".join(map(str, lies.shown)) in names[1]
