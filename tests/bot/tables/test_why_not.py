"""Refusals by rules name the reason, and the button **Why not?** explains the rule."""

from dataclasses import dataclass

import pytest
from simcord import MemberActor

from data.rulebook import load_rules
from data.words import load_words
from engine.match.errors import Violation
from tests.bot.messages import button_ids, menus, private, told, words_of
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.stacked_deals import dealt, played, store_match
from tests.wording import en, says


@dataclass(frozen=True)
class RefusalCase:
    why: Violation
    game: str
    hands: tuple[str, str]
    typed: tuple[str, str]
    said: str
    moves: tuple[str, ...] = ()
    preset: str = "default"


MUST_PLAY = en("why.MUST_PLAY", moves="").rstrip(".")


def mirror_text(shown: str, exists: str) -> str:
    return en("why.NO_SUCH_TILE_MIRROR", shown=shown, exists=exists)


def fits_text(places: str) -> str:
    return " " + (en("why.FITS_AT", places=places) if places else en("why.FITS_NOWHERE"))


def mismatch_text(key: str, tile: str, letter: str, place: str, needs: str, shows: str, places: str = "") -> str:
    facts = {"tile": tile, "letter": letter, "place": place, "needs": needs, "shows": shows}
    if key == "SIDE_MISMATCH_FIVES":
        facts["beside"] = "4"
    return en(f"why.{key}", **facts) + fits_text(places)


REFUSALS = {
    "a tile that is not in the set, whose mirror image is": RefusalCase(
        Violation.NO_SUCH_TILE, "triominoes", ("555 012", "055 013"), ("0-3-1", "A"), mirror_text("0-3-1", "0-1-3")
    ),
    "the one square that was left out": RefusalCase(
        Violation.NO_SUCH_TILE,
        "quad-ominos",
        ("4455 0000", "0255 3333"),
        ("0-2-4-5", "A"),
        en("why.NO_SUCH_TILE", shown="0-2-4-5"),
    ),
    "a square whose numbers fall": RefusalCase(
        Violation.NO_SUCH_TILE,
        "quad-ominos",
        ("4455 0000", "0255 3333"),
        ("5-4-4-2", "A"),
        mirror_text("5-4-4-2", "2-4-4-5"),
    ),
    "the mirror of a domino": RefusalCase(
        Violation.NO_SUCH_TILE, "points", ("444 001", "013 224"), ("2-4-3", "A"), mirror_text("2-4-3", "2-3-4")
    ),
    "a taken square": RefusalCase(
        Violation.OCCUPIED,
        "quad-ominos",
        ("4455 0000", "4445 3333"),
        ("4-4-4-5", "0,0"),
        en("why.OCCUPIED", by="4-4-5-5") + fits_text("A (+17), B (+17) and C (+17)"),
    ),
    "a tile that lies there": RefusalCase(
        Violation.TILE_ALREADY_PLAYED,
        "trioker",
        ("333 000", "033 001"),
        ("3-3-3", "A"),
        en("why.TILE_ALREADY_PLAYED", tile="3-3-3"),
    ),
    "a tile of somebody else's": RefusalCase(
        Violation.NOT_IN_HAND,
        "star",
        ("444 000", "034 001"),
        ("2-2-2", "A"),
        en("why.NOT_IN_HAND", tile="2-2-2", hand="0-0-1 and 0-3-4"),
    ),
    "a place beyond the edge": RefusalCase(
        Violation.OFF_THE_BOARD,
        "trioker",
        ("333 000", "033 001"),
        ("0-3-3", "U40,0"),
        en("why.OFF_THE_BOARD"),
        preset="puzzle",
    ),
    "a square that touches with a point only": RefusalCase(
        Violation.NO_SIDE_CONTACT,
        "quad-ominos",
        ("4455 0000", "4445 3334"),
        ("3-3-3-4", "1,1"),
        en("why.NO_SIDE_CONTACT") + fits_text(""),
    ),
    "a place beside an older tile": RefusalCase(
        Violation.NOT_NEXT_TO_LAST,
        "points",
        ("444 344 000", "134 001"),
        ("3-4-4", "D-1,0"),
        en("why.NOT_NEXT_TO_LAST", letter="D-1,0") + fits_text("B"),
        moves=("D0,0=134",),
    ),
    "a corner of a square": RefusalCase(
        Violation.CORNER_MISMATCH,
        "quad-ominos",
        ("4455 0000", "4445 4444"),
        ("4-4-4-4", "1,0"),
        mismatch_text("CORNER_MISMATCH", "4-4-4-4", "C", "bottom left", "5", "4", "A (+16)"),
    ),
    "a corner of a triangle": RefusalCase(
        Violation.CORNER_MISMATCH,
        "trioker",
        ("333 000", "033 001"),
        ("0-0-1", "A"),
        mismatch_text("CORNER_MISMATCH", "0-0-1", "A", "top right", "3", "0"),
    ),
    "a side of a domino": RefusalCase(
        Violation.SIDE_MISMATCH,
        "points",
        ("444 000", "134 013"),
        ("0-1-3", "D0,0"),
        mismatch_text("SIDE_MISMATCH", "0-1-3", "B", "left", "4", "3"),
    ),
    "sides that do not make five": RefusalCase(
        Violation.SIDE_MISMATCH,
        "muggins",
        ("444 000", "134 023"),
        ("0-2-3", "D0,0"),
        mismatch_text("SIDE_MISMATCH_FIVES", "0-2-3", "B", "left", "1", "3"),
    ),
    "corners that do not meet in the same numbers": RefusalCase(
        Violation.CORNER_MISMATCH,
        "star",
        ("233 000", "334 012"),
        ("0-1-2", "D1,-1"),
        mismatch_text("CORNER_MISMATCH_TOUCH", "0-1-2", "L", "top left", "3 and 3", "2 and 0", "E (0)"),
    ),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
async def test_refused_move_is_explained(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, case: RefusalCase
) -> None:
    log, event_log = played(dealt(load_rules(case.game, case.preset), *case.hands), *case.moves)
    await store_match(sim, log, ada, grace)
    mover = (ada, grace)[event_log.match.turn]
    before = await sim.standing()
    tile, place = case.typed

    refused = private(await mover.slash(sim.channel, "tiles play", tile=tile, place=place))

    assert words_of(refused) == case.said
    assert list(button_ids(refused)) == ["My hand", "Why not?"]
    explained = private(await mover.click(refused, label="Why not?"))
    assert explained.id != refused.id, "the refusal stays to be read again"
    say = load_words()
    assert words_of(explained).split("\n") == [
        f"**Why not?** {say(f'whyname.{case.why}')} · {say(f'whyrule.{case.why}')}",
        say(f"whytext.{case.why}"),
    ]
    assert await sim.standing() == before
    assert "### Your turn" in told(await mover.click(refused, label="My hand"))


async def test_wrong_opening_is_refused_in_every_game(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    log = dealt(load_rules("quad-ominos"), "5555 0012 0123", "4444 0001", by_hand=True)
    await store_match(sim, log, ada, grace)
    refused = private(await ada.slash(sim.channel, "tiles play", tile="0-0-1-2", place="A"))
    assert words_of(refused) == en("why.WRONG_OPENING", choices="5-5-5-5")
    assert "four equal numbers" in told(await ada.click(refused, label="Why not?"))


@pytest.mark.parametrize(
    ("game", "hands", "command", "said"),
    [
        ("points", ("444 001", "034 000"), "draw", MUST_PLAY),
        ("points", ("444 001", "012 000"), "draw", en("why.BONEYARD_EMPTY")),
        ("trioker", ("333 001", "033 000"), "pass", MUST_PLAY),
        ("quad-ominos", ("3333 0001", "0000 0011"), "pass", en("why.MUST_DRAW_UNLIMITED")),
        ("triominoes", ("555 001", "000 002"), "pass", en("why.MUST_DRAW", drawn=0, limit=3)),
        ("star", ("444 001", "034 000"), "choose", en("why.NOTHING_TO_CHOOSE")),
    ],
)
async def test_refused_draw_pass_or_choice_says_what_to_do(
    sim: SimGuild,
    ada: MemberActor,
    grace: MemberActor,
    game: str,
    hands: tuple[str, str],
    command: str,
    said: str,
) -> None:
    opening = {"quad-ominos": ("0,0=3333", "points")}.get(game, ("U0,0=" + hands[0].split()[0],))
    log, _ = played(dealt(load_rules(game), *hands, by_hand=True), *opening)
    await store_match(sim, log, ada, grace)
    before = await sim.standing()
    options = {"option": "points"} if command == "choose" else {}
    refused = private(await grace.slash(sim.channel, f"tiles {command}", **options))
    assert words_of(refused).startswith(said)
    assert await sim.standing() == before
    assert told(await grace.click(refused, label="Why not?")).startswith("**Why not?** ")


async def test_too_many_seats_are_refused_with_allowed_range(sim: SimGuild, ada: MemberActor) -> None:
    for game, most in (("trioker", 4), ("points", 6)):
        refused = private(await ada.slash(sim.channel, "tiles new", game=game, seats=most + 1))
        assert words_of(refused) == en("why.SEAT_COUNT", least="2", most=most, seats=most + 1)
        assert says(told(await ada.click(refused, label="Why not?")), "whytext.SEAT_COUNT")
    assert sim.public() == []


async def test_why_not_button_works_after_restart(
    sim: SimGuild, ada: MemberActor, grace: MemberActor, linus: MemberActor
) -> None:
    await sim.table(ada, grace)
    refused = private(await sim.waiting().slash(sim.channel, "tiles draw"))
    copied = await sim.post(button_ids(refused)["Why not?"], "by:why:1|NONSENSE", "by:why", "by:why:7|OCCUPIED")
    await sim.restart()
    assert told(await linus.click(copied, label="Button 0")).startswith(
        en("whynot.title", name=en("whyname.NOT_YOUR_TURN"), rule=en("whyrule.NOT_YOUR_TURN"))
    )
    for number in (1, 2):
        assert en("help.text").split("\n")[0] in told(await linus.click(copied, label=f"Button {number}"))
    assert says(told(await linus.click(copied, label="Button 3")), "whynot.title", name=en("whyname.OCCUPIED"))


async def test_help_lists_and_explains_every_refusal(sim: SimGuild, ada: MemberActor) -> None:
    everything = await ada.autocomplete(sim.channel, "tiles help", "why", "")
    assert [choice["value"] for choice in everything] == list(Violation)
    assert len(everything) <= 25
    for choice in everything:
        for typed in (choice["value"], choice["name"]):
            said = told(await ada.slash(sim.channel, "tiles help", why=typed))
            assert said.startswith(f"**Why not?** {choice['name']} · ")
            assert len(said.split("\n")[1]) > 20
    found = await ada.autocomplete(sim.channel, "tiles help", "why", " MATCH")
    assert {"SIDE_MISMATCH", "CORNER_MISMATCH", "MATCH_OVER"} == {choice["value"] for choice in found}
    assert await ada.autocomplete(sim.channel, "tiles help", "why", "🂠") == []
    assert en("help.text").split("\n")[0] in told(await ada.slash(sim.channel, "tiles help", why="because"))


async def test_square_with_several_rotations_needs_typed_rotation(
    sim: SimGuild, ada: MemberActor, grace: MemberActor
) -> None:
    log, _ = played(dealt(load_rules("quad-ominos"), "3444 0000", "2444 0001"))
    await store_match(sim, log, ada, grace)
    hand = await sim.hand(grace)
    options = [option for menu in menus(hand) for option in menu.options]
    assert len({(option.label, option.description) for option in options}) == len(options), "each can be told apart"
    several = [option for option in options if option.label.startswith("2-4-4-4 → C")]
    assert len(several) == 2

    asked = told(await grace.slash(sim.channel, "tiles play", tile="2-4-4-4", place="C"))

    assert says(asked, "no.WHICH_WAY", tile="2-4-4-4", corner="top left")
    ways = asked.split("`")[1::2]
    corners = [en(f"corner.{corner}") for corner in range(4)]
    shown = [way.split("-") for way in ways]
    differ = [corner for corner in range(4) if shown[0][corner] != shown[1][corner]]
    for way, option in zip(shown, several, strict=True):
        assert option.description.startswith(", ".join(f"{way[corner]} {corners[corner]}" for corner in differ))
    assert (await sim.match()).turn == 1
    said = told(await grace.slash(sim.channel, "tiles play", tile=ways[1], place="C"))
    assert said.startswith(
        en("hand.played_at", tile="2-4-4-4", where="right of 3-4-4-4", arithmetic="**+14**", total="14")
    )
    lies = list((await sim.match()).board.placed.values())[-1]
    assert "-".join(map(str, lies.shown_labels)) == ways[1]


async def test_place_list_names_each_rotation_of_square(sim: SimGuild, ada: MemberActor, grace: MemberActor) -> None:
    log, _ = played(dealt(load_rules("quad-ominos"), "3444 0000", "2444 0001"))
    await store_match(sim, log, ada, grace)
    listed = await grace.autocomplete(sim.channel, "tiles play", "place", "", tile="2-4-4-4")
    names, values = [one["name"] for one in listed], [one["value"] for one in listed]
    assert len(set(names)) == len(set(values)) == len(listed) == len(menus(await sim.hand(grace))[0].options)
    said = told(await grace.slash(sim.channel, "tiles play", tile="2-4-4-4", place=values[1]))
    assert said.startswith("You played 2-4-4-4 ")
    lies = list((await sim.match()).board.placed.values())[-1]
    assert "-".join(map(str, lies.shown_labels)) in names[1]
