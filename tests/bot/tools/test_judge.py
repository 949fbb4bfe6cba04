"""The commands `boneyard judge` and `boneyard perft`."""

import json
import subprocess
import sys
from typing import Any

import pytest

from data.rulebook import list_games, load_rules
from tests.bot.tools.judging import (
    REFUSED,
    build_option_arguments,
    judge_placement,
    read_error,
    read_json,
    read_sentence,
    run_command,
)
from tests.engine.examples import OPENINGS, PLACEMENTS, Example

TWO_TILES = "U0,0=135 D0,0=355"
HEXAGON_GAP = "D-1,0=111 D0,-1=134 U0,-1=514 D-1,-1=515 U-1,0=511"
MOVES_COMMAND = ("judge", "moves", "triominoes", "--position", HEXAGON_GAP)
GAMES = ", ".join(list_games())
OPTIONS = ", ".join(load_rules("triominoes").list_options())


def run_batch(text: str) -> tuple[int, list[Any]]:
    code = "import typer; from bot.tools.cli import mount; app = typer.Typer(); mount(app); app()"
    words = ["judge", "placement", "triominoes", "-"]
    run = subprocess.run([sys.executable, "-c", code, *words], input=text.encode(), capture_output=True, check=False)
    assert run.stderr == b""
    return run.returncode, [json.loads(line) for line in run.stdout.splitlines()]


def test_legal_placement_gives_documented_answer():
    result = run_command("judge", "placement", "triominoes", "--position", TWO_TILES, "--move", "D-1,0=331", "--json")

    assert result.exit_code == 0
    assert result.stdout == (
        '{"legal": true, "points": 7, "base": 7, "hexagons": 0, "bridge": false, "why": null, '
        '"matched": 0, "bonus_choice": false, "extra_turn": false}\n'
    )


def test_illegal_placement_has_code_no_points_and_status_0():
    result = run_command("judge", "placement", "triominoes", "--position", "U0,0=135", "--move", "D0,0=344", "--json")

    assert result.exit_code == 0
    assert result.stdout == (
        '{"legal": false, "points": null, "base": null, "hexagons": 0, "bridge": false, "why": "CORNER_MISMATCH", '
        '"matched": 0, "bonus_choice": false, "extra_turn": false}\n'
    )


@pytest.mark.parametrize("example", PLACEMENTS, ids=lambda example: example.id)
def test_judge_agrees_with_placement_in_rules(example: Example):
    found = judge_placement(
        "triominoes",
        example.position,
        example.placement,
        "--drawn",
        str(example.draw_count),
        *build_option_arguments(example.option),
    )

    assert (found["points"], found["why"]) == (example.points, example.violation)
    assert found["legal"] == (example.violation is None)


def test_batch_judges_all_placements_of_rules_line_by_line():
    lines = [
        f"{example.position} ; {example.placement} ; drawn={example.draw_count}"
        f"{f' ; {example.option}' * bool(example.option)}"
        for example in PLACEMENTS
    ]

    status, answers = run_batch("\n".join(lines))

    assert status == 0
    assert [(found["points"], found["why"]) for found in answers] == [
        (example.points, example.violation) for example in PLACEMENTS
    ]


@pytest.mark.parametrize("example", OPENINGS, ids=lambda example: example.id)
def test_judge_agrees_with_opening_in_rules(example: Example):
    found = read_json(
        "judge", "opening", "triominoes", "--hands", " / ".join(example.hands), *build_option_arguments(example.option)
    )

    assert list(found) == ["seat", "tiles", "points"]
    if isinstance(found["points"], list):
        assert (example.id, found) == ("T05", {"seat": 0, "tiles": ["0-0-0", "1-1-1"], "points": [40, 13]})
    else:
        assert f"{'ABC'[found['seat']]} opens {' or '.join(found['tiles'])}, +{found['points']}" == example.expected


@pytest.mark.parametrize(
    ("totals", "more", "awards"),
    [
        ("23,15,27", "", [0, 20, 0]),  # T51
        ("23,15,27", "--option blocked_bonus=others_minus_own", [0, 35, 0]),  # T52
        ("12,12,20", "", [8, 8, 0]),  # T53
        ("12,12,20", "--option blocked_tie=none", [0, 0, 0]),  # T54
        ("9,9", "", [0, 0]),  # T55
        (" 0 , 5 ", "", [5, 0]),
        ("23,15,27", "--option blocked_bonus=lose_own", [-23, -15, -27]),
        (
            "23,15,27",
            "--option blocked_bonus=others_all --option blocked_winner=fewest_tiles --tiles 2,3,4",
            [42, 0, 0],
        ),
        ("23,15,27", "--option scoring=children", [0, 0, 0]),
        ("10,20", "--option blocked_bonus=none", [0, 0]),  # T65
        ("23,15,27", "--tiles 2,4,5", [0, 20, 0]),
        ("23,15,27", "--option blocked_winner=fewest_tiles --tiles 2,4,5", [4, 0, 0]),
        (
            "23,15,27",
            "--option blocked_winner=fewest_tiles --option blocked_bonus=others_minus_own --tiles 2,4,5",
            [19, 0, 0],
        ),
    ],
)
def test_blocked_round_is_scored_as_in_rules(totals: str, more: str, awards: list[int]):
    assert read_json("judge", "block", "triominoes", "--totals", totals, *more.split()) == {"awards": awards}


@pytest.mark.parametrize(("start", "counts"), [("5-5-5", [15, 210, 3270, 57240]), ("0-1-2", [9, 108, 1578])])
def test_perft_matches_known_counts(start: str, counts: list[int]):
    words = ("perft", "triominoes", "--start", start, "--depth", str(len(counts)))

    assert read_json(*words) == {"counts": counts}
    assert read_sentence(*words) == ", ".join(map(str, counts))


def test_first_tile_may_be_anywhere_and_scores_as_opening():
    assert judge_placement("triominoes", "", "U0,0=555")["points"] == 25
    assert judge_placement("triominoes", "  ", "D7,-3=000") == judge_placement("triominoes", "", "U0,0=000")
    assert judge_placement("triominoes", "", "U0,0=000") == REFUSED | {"legal": True, "points": 40, "base": 0}
    assert read_json("judge", "placement", "triominoes", "--move", "U0,0=455")["points"] == 14
    assert judge_placement("triominoes", "", "U0,0=031")["why"] == "NO_SUCH_TILE"


@pytest.mark.parametrize(
    ("position", "move", "drawn", "said"),
    [
        (TWO_TILES, "D-1,0=331", "0", "Legal, 7 points: 7."),
        (TWO_TILES, "D-1,0=331", "2", "Legal, -3 points: 7 - 10 (2 drawn)."),
        ("U0,0=000", "D0,0=010", "0", "Legal, 1 point: 1."),
        ("", "U0,0=555", "0", "Legal, 25 points: 15 + 10 (opening)."),
        (
            "D0,-1=134 U0,-1=514 D-1,-1=515 U-1,0=511 D-1,0=111",
            "U0,0=113",
            "2",
            "Legal, 45 points: 5 + 50 (1 hexagon) - 10 (2 drawn).",
        ),
        (
            "D-1,0=341 U-1,1=344 D-1,1=444 U0,1=445 D0,0=455 U1,0=555 D1,-1=550 U1,-1=150",
            "D0,-1=151",
            "0",
            "Legal, 47 points: 7 + 40 (bridge).",
        ),
        (
            TWO_TILES,
            "D-1,0=031",
            "0",
            "Refused, NO_SUCH_TILE: there is no tile that reads 0-3-1 clockwise; "
            "the set has 0-1-3, which reads the other way round.",
        ),
        (TWO_TILES, "D-1,0=937", "0", "Refused, NO_SUCH_TILE: there is no tile that reads 3-7-9 clockwise."),
        (TWO_TILES, "D0,0=111", "0", "Refused, OCCUPIED: D0,0 already holds 3-5-5."),
        (TWO_TILES, "D-1,0=535", "0", "Refused, TILE_ALREADY_PLAYED: 3-5-5 is already on the table."),
        (TWO_TILES, "D1,-1=111", "0", "Refused, NO_SIDE_CONTACT: D1,-1 shares no side with a tile."),
        (TWO_TILES, "D-1,0=332", "0", "Refused, CORNER_MISMATCH: corner 2 of D-1,0 carries 1 and the tile shows 2."),
    ],
)
def test_text_output_is_a_sentence(position: str, move: str, drawn: str, said: str):
    words = ("judge", "placement", "triominoes", "--position", position, "--move", move, "--drawn", drawn)

    assert read_sentence(*words) == said


@pytest.mark.parametrize(
    ("position", "points"),
    [
        (HEXAGON_GAP, 55),
        ("U-1,0=511 D0,-1=134 U0,-1=514 D-1,-1=515 D-1,0=111", 55),
        ("D0,-1=134 D-1,0=111 U-1,0=511 D-1,-1=515 U0,-1=514", 55),
        ("D–1,0=111 D0,–1=134 U0,−1=514 D−1,−1=515 U-1,0=511", 55),
    ],
)
def test_position_may_be_given_in_any_order(position: str, points: int):
    assert judge_placement("triominoes", position, "U0,0=113")["points"] == points


@pytest.mark.parametrize(
    "example", [one for one in PLACEMENTS if one.violation is None], ids=lambda example: example.id
)
def test_moves_have_legal_placement_in_rules(example: Example):
    placed = ("--position", example.position, "--tiles", example.placement.partition("=")[2])
    found = read_json("judge", "moves", "triominoes", *placed, *build_option_arguments(example.option))["moves"]

    points = {move["move"]: move["points"] for move in found}
    assert points[example.placement] == example.points + 5 * example.draw_count


@pytest.mark.parametrize(
    ("tiles", "lines"),
    [
        ("1–1–3 (0,0,5)", ["U0,0=113  55 points: 5 + 50 (1 hexagon)", "U-1,1=131  5 points: 5"]),
        ("000", ["None of these tiles can be placed."]),
    ],
)
def test_moves_are_listed_with_most_points_first(tiles: str, lines: list[str]):
    assert read_sentence(*MOVES_COMMAND, "--tiles", tiles).splitlines() == lines


@pytest.mark.parametrize("game", ["Triominoes", " TRIOMINOES "])
def test_game_may_be_written_as_its_name(game: str):
    assert read_json("judge", "moves", game, "--tiles", "555")["moves"][0]["points"] == 25


def test_moves_without_tiles_are_those_of_all_unplayed_tiles():
    assert len(read_json("judge", "moves", "triominoes", "--position", "U0,0=555")["moves"]) == 15


@pytest.mark.parametrize(
    ("game", "hands", "left", "found"),
    [
        ("triominoes", "000 222 / 002 333", "", {"blocked": True, "can_place": [[], []], "awards": [5, 0]}),
        ("triominoes", "000 222 / 002 333", "022", {"blocked": True, "left": 1, "left_fit": [], "awards": None}),
        ("triominoes", "000 222 / 002 333", "022 113", {"blocked": False, "left_fit": ["1-1-3"], "awards": None}),
        ("triominoes", "000 222 / 002 113", "", {"blocked": False, "can_place": [[], ["1-1-3"]], "left": 0}),
        ("triominoes", "000 222 / 002 333", None, {"blocked": False, "left": 47}),
        ("trioker", "000 222 / 002 333", None, {"blocked": True, "left": 0, "awards": [5, 0]}),
    ],
)
def test_round_is_blocked_if_no_hand_and_no_draw_fits(game: str, hands: str, left: str | None, found: dict[str, Any]):
    position = HEXAGON_GAP if game == "triominoes" else "U0,0=111"
    drawn = () if left is None else ("--left", left)
    answer = read_json("judge", "block", game, "--position", position, "--hands", hands, *drawn)

    assert answer | found == answer


def test_text_output_describes_openings_and_blocked_rounds():
    hands = "3-5-5 4-4-5 / 3-4-5 2-5-5"

    assert read_sentence("judge", "opening", "triominoes", "--hands", hands) == (
        "Seat 0 opens with 3-5-5 or 4-4-5 and scores 13."
    )
    assert read_sentence("judge", "block", "triominoes", "--totals", "23,15,27") == "Awards by seat: 0, 20, 0."


PLACEMENT_COMMAND = ("judge", "placement", "triominoes")
BLOCK_NEEDS_POSITION = "position: missing; a round that has not opened can't be blocked"
BLOCK_OPTIONS = "block: give --totals and --tiles, or --position, --hands and --left"
NO_DRAW = "left: in trioker nobody draws; leave left out"
OPENING_COMMAND = ("judge", "opening", "triominoes")
BLOCK_COMMAND = ("judge", "block", "triominoes")
PERFT_COMMAND = ("perft", "triominoes", "--start", "5-5-5")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("judge", "placement", "chess", "--move", "U0,0=135"), f"there is no game 'chess'; there is {GAMES}"),
        (("perft", "go", "--start", "5-5-5"), f"there is no game 'go'; there is {GAMES}"),
        (PLACEMENT_COMMAND, 'move: missing; write it like --move "D-1,0=331"'),
        ((*PLACEMENT_COMMAND, "--move", " "), "move: missing; write it like U0,0=135"),
        ((*PLACEMENT_COMMAND, "--move", "U0,0"), "move: 'U0,0' is no placement; write it like U0,0=135"),
        ((*PLACEMENT_COMMAND, "--move", "X0,0=135"), "move: 'X0,0' is no cell; write it like U0,0"),
        ((*PLACEMENT_COMMAND, "--move", "U0,0=13"), "move: '13' is no tile; write it like 1-3-5"),
        (
            (*PLACEMENT_COMMAND, "--position", "U0,0=135 D0,0=35", "--move", "D-1,0=331"),
            "position, tile 2 'D0,0=35': '35' is no tile; write it like 1-3-5",
        ),
        (
            (*PLACEMENT_COMMAND, "--position", "U0,0=135 D0,0=344", "--move", "D-1,0=331"),
            "position, tile 2 'D0,0=344': CORNER_MISMATCH: corner 2 of D0,0 carries 5 and the tile shows 4",
        ),
        (
            (*PLACEMENT_COMMAND, "--position", "U0,0=135 U5,5=222 D0,0=355", "--move", "D-1,0=331"),
            "position, tile 2 'U5,5=222': NO_SIDE_CONTACT: U5,5 shares no side with a tile",
        ),
        (
            (*PLACEMENT_COMMAND, "--position", "U0,0=666", "--move", "D-1,0=331"),
            "position, tile 1 'U0,0=666': NO_SUCH_TILE: there is no tile that reads 6-6-6 clockwise",
        ),
        (
            (*PLACEMENT_COMMAND, "--position", TWO_TILES, "--move", "D-1,0=331", "--drawn", "4"),
            "drawn: '4' is no whole number from 0 to 3",
        ),
        (
            (*PLACEMENT_COMMAND, "--position", TWO_TILES, "--move", "D-1,0=331", "--drawn", "x"),
            "drawn: 'x' is no whole number from 0 to 3",
        ),
        (
            (*PLACEMENT_COMMAND, "--move", "U0,0=555", "--drawn", "1"),
            "drawn: nobody draws before the opening; drawn must be 0 on an empty position",
        ),
        ((*PLACEMENT_COMMAND, "file.txt"), "'file.txt' is out of place; write - to read cases from standard input"),
        (
            (*PLACEMENT_COMMAND, "-", "--move", "U0,0=555"),
            "- reads positions and moves from standard input; leave --position, --move, --drawn out",
        ),
        (OPENING_COMMAND, "hands, seat 0: no tiles; write hands like 0-4-5 3-3-3 / 4-4-4 0-0-1"),
        (
            (*OPENING_COMMAND, "--hands", "0-4-5 / "),
            "hands, seat 1: no tiles; write hands like 0-4-5 3-3-3 / 4-4-4 0-0-1",
        ),
        ((*OPENING_COMMAND, "--hands", "0-4-5"), "hands: 1 given; triominoes is for 2 to 6 seats"),
        ((*OPENING_COMMAND, "--hands", "0-4-5 / 4-5-0"), "hands: 0-4-5 is there twice"),
        (
            (*OPENING_COMMAND, "--hands", "0-4-5 / 5-4-0"),
            "hands, seat 1: NO_SUCH_TILE: triominoes has no tile 5-4-0; it has 0-4-5, with the same numbers in another "
            "order",
        ),
        (
            ("judge", "opening", "quad-ominos", "--hands", "1-1-2-2 / 2-1-3-4"),
            "hands, seat 1: NO_SUCH_TILE: quad-ominos has no tile 2-1-3-4; it has 1-2-3-4, with the same numbers in "
            "another order",
        ),
        ((*OPENING_COMMAND, "--hands", "0-4-5 / four"), "hands, seat 1: 'four' is no tile; write it like 1-3-5"),
        ((*MOVES_COMMAND, "--tiles", "113 3-1-1"), "tiles: 1-1-3 is there twice"),
        ((*MOVES_COMMAND, "--tiles", "111"), "tiles: 1-1-1 is already on the table"),
        ((*MOVES_COMMAND, "--tiles", " "), "tiles: no tiles; write tiles like 0-4-5 3-3-3"),
        ((*BLOCK_COMMAND, "--hands", "0-0-0 / 1-1-1"), BLOCK_NEEDS_POSITION),
        (("judge", "block", "trioker", "--position", "U0,0=333", "--hands", "000 / 111", "--left", "222"), NO_DRAW),
        ((*BLOCK_COMMAND, "--totals", "1,2", "--hands", "0-0-0 / 1-1-1"), BLOCK_OPTIONS),
        (BLOCK_COMMAND, "totals: '' is no whole number from 0 to 420"),
        ((*BLOCK_COMMAND, "--totals", "23,-1"), "totals: '-1' is no whole number from 0 to 420"),
        ((*BLOCK_COMMAND, "--totals", "23,1.5"), "totals: '1.5' is no whole number from 0 to 420"),
        ((*BLOCK_COMMAND, "--totals", "23"), "totals: 1 given; triominoes is for 2 to 6 seats"),
        ((*BLOCK_COMMAND, "--totals", "1,2,3,4,5,6,7"), "totals: 7 given; triominoes is for 2 to 6 seats"),
        ((*PERFT_COMMAND, "--depth", "0"), "depth: '0' is no whole number from 1 to 55"),
        ((*PERFT_COMMAND, "--depth", "56"), "depth: '56' is no whole number from 1 to 55"),
        (("perft", "triominoes"), "start: '' is no tile; write it like 1-3-5"),
        (("perft", "triominoes", "--start", "6-6-6"), "start: NO_SUCH_TILE: triominoes has no tile 6-6-6"),
    ],
)
def test_invalid_input_exits_with_2_and_one_line(words: tuple[str, ...], line: str):
    assert read_error(*words) == line
    assert read_error(*words, "--json") == line


@pytest.mark.parametrize(
    "words",
    [
        (*PLACEMENT_COMMAND, "--position", TWO_TILES, "--move", "D-1,0=331"),
        (*PLACEMENT_COMMAND, "-"),
        (*OPENING_COMMAND, "--hands", "0-4-5 / 4-4-4"),
        (*BLOCK_COMMAND, "--totals", "1,2"),
        PERFT_COMMAND,
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("bridge_extension=some", "option: bridge_extension is two_sides, opposite_point, any_side, none; not 'some'"),
        ("bridge=some", f"option: there is no option 'bridge'; there is {OPTIONS}"),
        ("target=many", "option: target is a whole number; not 'many'"),
        ("target=0", "option: target must be from 1 to 100000"),
        ("draw_limit=-1", "option: draw_limit is a whole number or unlimited; not '-1'"),
        ("bridge_extension", "option: 'bridge_extension' is no option; write it as name=value"),
        ("=none", "option: '=none' is no option; write it as name=value"),
    ],
)
def test_options_work_everywhere_and_unknown_ones_are_named(words: tuple[str, ...], option: str, line: str):
    assert read_error(*words, "--option", option) == line


def test_invalid_batch_line_is_reported_and_others_are_judged():
    lines = [
        f"{TWO_TILES} ; D-1,0=331",
        "nonsense",
        f"{TWO_TILES};D-1,0=331;drawn=2",
        "",
        f"{TWO_TILES} ; D-1,0=331 ; drawn=1 ; drawn=2",
        f"{TWO_TILES} ; D-1,0=331 ; bonus_stacking=all",
        f"{TWO_TILES} ; D-1,0=331 ; three",
        "U0,0=135 D0,0=344 ; D-1,0=331",
        f"{TWO_TILES} ; ",
        "; U0,0=555",
        f"{TWO_TILES} ; D0,0=111",
        "\x00\ufffd ; é",
    ]

    status, answers = run_batch("\r\n".join(lines) + "\n")

    assert status == 2
    assert [found.get("error", found.get("points", found)) for found in answers] == [
        7,
        "a case is POSITION ; MOVE, with a semicolon between them",
        -3,
        "drawn: given more than once",
        "option: bonus_stacking is hexagon_only, sum; not 'all'",
        "option: 'three' is no option; write it as name=value",
        "position, tile 2 'D0,0=344': CORNER_MISMATCH: corner 2 of D0,0 carries 5 and the tile shows 4",
        "move: missing; write it like U0,0=135",
        25,
        None,
        "position, tile 1 '\\x00\ufffd': '\\x00\ufffd' is no placement; write it like U0,0=135",
    ]


def test_invalid_utf8_affects_only_its_own_line():
    result = run_command(*PLACEMENT_COMMAND, "-", lines=b"\xff\xfe ; \x80\n" + f"{TWO_TILES} ; D-1,0=331\n".encode())

    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 2
    assert "error" in answers[0]
    assert answers[1]["points"] == 7


def test_empty_batch_has_no_cases():
    assert run_batch("") == (0, [])
    assert run_batch("\n\n") == (0, [])


def test_thousands_of_cases_are_answered_in_order():
    lines = [f"U0,0=135 D0,0=355 ; D-1,0=331 ; drawn={number % 4}" for number in range(4000)]

    status, answers = run_batch("\n".join(lines))

    assert status == 0
    assert [found["points"] for found in answers] == [7 - 5 * (number % 4) for number in range(4000)]


def test_help_explains_line_format_and_invalid_lines():
    text = " ".join(run_command(*PLACEMENT_COMMAND[:2], "--help").stdout.split())

    assert "POSITION ; MOVE [; drawn=N] [; NAME=VALUE]..." in text
    assert '{"error": "..."}' in text
