"""Refusals by rules name the reason, and the button **Why not?** explains the rule."""

from dataclasses import dataclass

import pytest

from data.rulebook import load_rules
from data.words import load_words
from engine.match.errors import Violation
from tests.bot.member import Member
from tests.bot.messages import list_menus, read_button_ids, read_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.tables.stacked_deals import play_moves, stack_deal, store_match
from tests.wording import en, has_sentence


@dataclass(frozen=True)
class RefusalCase:
    why: Violation
    game: str
    hands: tuple[str, str]
    tile_and_place: tuple[str, str]
    expected_text: str
    moves: tuple[str, ...] = ()
    preset: str = "default"


MUST_PLAY = en("why.MUST_PLAY", moves="").rstrip(".")


def format_mirror_refusal(shown_tile: str, existing_tile: str) -> str:
    return en("why.NO_SUCH_TILE_MIRROR", shown=shown_tile, exists=existing_tile)


def format_fitting_places(places: str) -> str:
    return " " + (en("why.FITS_AT", places=places) if places else en("why.FITS_NOWHERE"))


def format_mismatch(key: str, tile: str, letter: str, place: str, needs: str, shows: str, places: str = "") -> str:
    facts = {"tile": tile, "letter": letter, "place": place, "needs": needs, "shows": shows}
    if key == "SIDE_MISMATCH_FIVES":
        facts["beside"] = "4"
    return en(f"why.{key}", **facts) + format_fitting_places(places)


REFUSALS = {
    "a tile that is not in the set, whose mirror image is": RefusalCase(
        Violation.NO_SUCH_TILE,
        "triominoes",
        ("555 012", "055 013"),
        ("0-3-1", "A"),
        format_mirror_refusal("0-3-1", "0-1-3"),
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
        format_mirror_refusal("5-4-4-2", "2-4-4-5"),
    ),
    "the mirror of a domino": RefusalCase(
        Violation.NO_SUCH_TILE,
        "points",
        ("444 001", "013 224"),
        ("2-4-3", "A"),
        format_mirror_refusal("2-4-3", "2-3-4"),
    ),
    "a taken square": RefusalCase(
        Violation.OCCUPIED,
        "quad-ominos",
        ("4455 0000", "4445 3333"),
        ("4-4-4-5", "0,0"),
        en("why.OCCUPIED", by="4-4-5-5") + format_fitting_places("A (+17), B (+17) and C (+17)"),
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
        en("why.NO_SIDE_CONTACT") + format_fitting_places(""),
    ),
    "a place beside an older tile": RefusalCase(
        Violation.NOT_NEXT_TO_LAST,
        "points",
        ("444 344 000", "134 001"),
        ("3-4-4", "D-1,0"),
        en("why.NOT_NEXT_TO_LAST", letter="D-1,0") + format_fitting_places("B"),
        moves=("D0,0=134",),
    ),
    "a corner of a square": RefusalCase(
        Violation.CORNER_MISMATCH,
        "quad-ominos",
        ("4455 0000", "4445 4444"),
        ("4-4-4-4", "1,0"),
        format_mismatch("CORNER_MISMATCH", "4-4-4-4", "C", "bottom left", "5", "4", "A (+16)"),
    ),
    "a corner of a triangle": RefusalCase(
        Violation.CORNER_MISMATCH,
        "trioker",
        ("333 000", "033 001"),
        ("0-0-1", "A"),
        format_mismatch("CORNER_MISMATCH", "0-0-1", "A", "top right", "3", "0"),
    ),
    "a corner of a triangle that fits elsewhere": RefusalCase(
        Violation.CORNER_MISMATCH,
        "triominoes",
        ("555 012", "055 001"),
        ("0-5-5", "D0,0.0"),
        format_mismatch("CORNER_MISMATCH", "0-5-5", "B", "top left", "5", "0", "A (+10), B (+10) and C (+10)"),
    ),
    "a side of a domino": RefusalCase(
        Violation.SIDE_MISMATCH,
        "points",
        ("444 000", "134 013"),
        ("0-1-3", "D0,0"),
        format_mismatch("SIDE_MISMATCH", "0-1-3", "B", "left", "4", "3"),
    ),
    "sides that do not make five": RefusalCase(
        Violation.SIDE_MISMATCH,
        "muggins",
        ("444 000", "134 023"),
        ("0-2-3", "D0,0"),
        format_mismatch("SIDE_MISMATCH_FIVES", "0-2-3", "B", "left", "1", "3"),
    ),
    "corners that do not meet in the same numbers": RefusalCase(
        Violation.CORNER_MISMATCH,
        "star",
        ("233 000", "334 012"),
        ("0-1-2", "D1,-1"),
        format_mismatch("CORNER_MISMATCH_TOUCH", "0-1-2", "L", "top left", "3 and 3", "2 and 0", "E (0)"),
    ),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
async def test_refused_move_is_explained(sim: SimGuild, ada: Member, grace: Member, case: RefusalCase) -> None:
    log, event_log = play_moves(stack_deal(load_rules(case.game, case.preset), *case.hands), *case.moves)
    await store_match(sim, log, ada, grace)
    mover = (ada, grace)[event_log.match.turn]
    before = await sim.take_snapshot()
    tile, place = case.tile_and_place

    refused = await mover.open_command("tiles play", tile=tile, place=place)

    assert read_text(refused) == case.expected_text
    assert list(read_button_ids(refused)) == ["My hand", "Why not?"]
    explanation = await mover.open_click(refused, "Why not?")
    assert explanation.id != refused.id, "the refusal stays to be read again"
    say = load_words()
    assert read_text(explanation).split("\n") == [
        f"**Why not?** {say(f'whyname.{case.why}')} · {say(f'whyrule.{case.why}')}",
        say(f"whytext.{case.why}"),
    ]
    assert await sim.take_snapshot() == before
    assert "### Your turn" in await mover.read_click(refused, "My hand")


async def test_wrong_opening_is_refused_in_every_game(sim: SimGuild, ada: Member, grace: Member) -> None:
    log = stack_deal(load_rules("quad-ominos"), "5555 0012 0123", "4444 0001", by_hand=True)
    await store_match(sim, log, ada, grace)
    before = await sim.take_snapshot()
    refused = await ada.open_command("tiles play", tile="0-0-1-2", place="A")
    assert read_text(refused) == en("why.WRONG_OPENING", choices="5-5-5-5")
    assert await sim.take_snapshot() == before
    assert "four equal numbers" in await ada.read_click(refused, "Why not?")


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
    sim: SimGuild, ada: Member, grace: Member, game: str, hands: tuple[str, str], command: str, said: str
) -> None:
    opening = {"quad-ominos": ("0,0=3333", "points")}.get(game, ("U0,0=" + hands[0].split()[0],))
    log, _ = play_moves(stack_deal(load_rules(game), *hands, by_hand=True), *opening)
    await store_match(sim, log, ada, grace)
    before = await sim.take_snapshot()
    options = {"option": "points"} if command == "choose" else {}
    refused = await grace.open_command(f"tiles {command}", **options)
    assert read_text(refused).startswith(said)
    assert await sim.take_snapshot() == before
    assert (await grace.read_click(refused, "Why not?")).startswith("**Why not?** ")


async def test_too_many_seats_are_refused_with_allowed_range(sim: SimGuild, ada: Member) -> None:
    for game, most in (("trioker", 4), ("points", 6)):
        refused = await ada.open_command("tiles new", game=game, seats=most + 1)
        assert read_text(refused) == en("why.SEAT_COUNT", least="2", most=most, seats=most + 1)
        assert has_sentence(await ada.read_click(refused, "Why not?"), "whytext.SEAT_COUNT")
    assert sim.list_public_messages() == []


async def test_why_not_button_works_after_restart(room: SimGuild, linus: Member) -> None:
    refused = await room.get_waiting_player().open_command("tiles draw")
    copied_message = await room.post(
        read_button_ids(refused)["Why not?"], "by:why:1|NONSENSE", "by:why", "by:why:7|OCCUPIED"
    )
    await room.restart()
    assert (await linus.read_click(copied_message, "Button 0")).startswith(
        en("whynot.title", name=en("whyname.NOT_YOUR_TURN"), rule=en("whyrule.NOT_YOUR_TURN"))
    )
    for number in (1, 2):
        assert en("help.text").split("\n")[0] in await linus.read_click(copied_message, f"Button {number}")
    assert has_sentence(await linus.read_click(copied_message, "Button 3"), "whynot.title", name=en("whyname.OCCUPIED"))


async def test_help_lists_and_explains_every_refusal(sim: SimGuild, ada: Member) -> None:
    all_choices = await ada.autocomplete(sim.channel, "tiles help", "why", "")
    assert [choice["value"] for choice in all_choices] == list(Violation)
    assert len(all_choices) <= 25
    for choice in all_choices:
        for typed in (choice["value"], choice["name"]):
            answer = await ada.read_command("tiles help", why=typed)
            assert answer.startswith(f"**Why not?** {choice['name']} · ")
            assert len(answer.split("\n")[1]) > 20
    found = await ada.autocomplete(sim.channel, "tiles help", "why", " MATCH")
    assert {"SIDE_MISMATCH", "CORNER_MISMATCH", "MATCH_OVER"} == {choice["value"] for choice in found}
    assert await ada.autocomplete(sim.channel, "tiles help", "why", "🂠") == []
    assert en("help.text").split("\n")[0] in await ada.read_command("tiles help", why="because")


async def test_square_with_several_rotations_needs_typed_rotation(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, _ = play_moves(stack_deal(load_rules("quad-ominos"), "3444 0000", "2444 0001"))
    await store_match(sim, log, ada, grace)
    hand = await sim.open_hand(grace)
    options = [option for menu in list_menus(hand) for option in menu.options]
    assert len({(option.label, option.description) for option in options}) == len(options), "each can be told apart"
    several = [option for option in options if option.label.startswith("2-4-4-4 → C")]
    assert len(several) == 2

    refusal = await grace.read_command("tiles play", tile="2-4-4-4", place="C")

    assert has_sentence(refusal, "no.WHICH_WAY", tile="2-4-4-4", corner="top left")
    rotations = refusal.split("`")[1::2]
    corners = [en(f"corner.{corner}") for corner in range(4)]
    rotation_labels = [rotation.split("-") for rotation in rotations]
    differing_corners = [corner for corner in range(4) if rotation_labels[0][corner] != rotation_labels[1][corner]]
    for way, option in zip(rotation_labels, several, strict=True):
        assert option.description.startswith(
            ", ".join(f"{way[corner]} {corners[corner]}" for corner in differing_corners)
        )
    assert (await sim.replay_match()).turn == 1
    answer = await grace.read_command("tiles play", tile=rotations[1], place="C")
    assert answer.startswith(
        en("hand.played_at", tile="2-4-4-4", where="right of 3-4-4-4", arithmetic="**+14**", total="14")
    )
    placement = list((await sim.replay_match()).board.placed.values())[-1]
    assert "-".join(map(str, placement.shown_labels)) == rotations[1]


async def test_place_list_names_each_rotation_of_square(sim: SimGuild, ada: Member, grace: Member) -> None:
    log, _ = play_moves(stack_deal(load_rules("quad-ominos"), "3444 0000", "2444 0001"))
    await store_match(sim, log, ada, grace)
    suggestions = await grace.autocomplete(sim.channel, "tiles play", "place", "", tile="2-4-4-4")
    names, values = [one["name"] for one in suggestions], [one["value"] for one in suggestions]
    assert (
        len(set(names))
        == len(set(values))
        == len(suggestions)
        == len(list_menus(await sim.open_hand(grace))[0].options)
    )
    answer = await grace.read_command("tiles play", tile="2-4-4-4", place=values[1])
    assert answer.startswith("You played 2-4-4-4 ")
    placement = list((await sim.replay_match()).board.placed.values())[-1]
    assert "-".join(map(str, placement.shown_labels)) in names[1]
