"""The command `boneyard judge` for all games except Triominoes."""

import json
import re
from pathlib import Path

import pytest

from data.rulebook import list_games, load_rules
from engine.match.rules import Rules
from tests.bot.tools.judging import (
    REFUSED,
    build_option_arguments,
    judge_placement,
    read_error,
    read_json,
    read_sentence,
)
from tests.engine.examples import DOMINO_PLACEMENTS, Example

RULES_EXAMPLES = Path(__file__).parents[2] / "engine" / "rules-examples.json"
ROWS = {row["id"]: row for row in json.loads(RULES_EXAMPLES.read_text(encoding="utf-8"))}
QUAD = r"-?\d+,-?\d+=\d{4}"
QUADS = {
    name: row
    for name, row in ROWS.items()
    if re.fullmatch(f"(?:{QUAD} ?)+", row["position"]) and re.fullmatch(QUAD, row["move"])
}
DOMINOES = {example.id: example for example in DOMINO_PLACEMENTS}


def test_every_placement_in_rules_is_tested():
    assert (len(QUADS), len(DOMINOES)) == (11, 29)


@pytest.mark.parametrize("row", QUADS.values(), ids=QUADS)
def test_judge_agrees_with_quad_ominos_placement_in_rules(row: dict[str, str]):
    found = judge_placement("quad-ominos", row["position"], row["move"])

    expected_text = row["expected"]
    points = re.match(r"legal, \+(\d+)", expected_text)
    reason_match = re.search(r"`(\w+)`", expected_text)
    assert found["points"] == (int(points[1]) if points else None)
    assert found["why"] == (reason_match[1] if reason_match else None)
    assert found["legal"] == (reason_match is None)
    assert found["bonus_choice"] == bool(re.search(r", (then \+25 or two tiles|one bonus|bonus)$", expected_text))
    assert (found["hexagons"], found["bridge"], found["extra_turn"]) == (0, False, False)


@pytest.mark.parametrize("example", DOMINOES.values(), ids=DOMINOES)
def test_judge_agrees_with_dominoes_placement_in_rules(example: Example):
    found = judge_placement(
        example.game, example.layout_text, example.placement, *build_option_arguments(example.option)
    )

    expected_text = example.expected
    points = re.match(r"legal, \+?(\d+)", expected_text)
    reason_match = re.search(r"`(\w+)`", expected_text)
    assert found["points"] == (None if reason_match else int(points[1]) if points else 0)
    assert found["why"] == (reason_match[1] if reason_match else None)
    assert found["legal"] == (reason_match is None)
    assert found["extra_turn"] == expected_text.endswith("extra turn")
    assert (found["hexagons"], found["bridge"], found["bonus_choice"], found["matched"]) == (0, False, False, 0)


@pytest.mark.parametrize(
    ("name", "position", "move", "matched"),
    [
        ("Q09", "0,0=4455", "1,0=4445", 2),
        ("Q14", "0,0=4455 0,1=3444", "1,0=4445", 2),
        ("Q15", "0,0=4455 1,0=4445 1,1=2244", "0,1=1244", 3),
        ("Q16", "0,0=4455 0,1=3444 1,1=4044 2,1=0234 2,0=4334", "1,0=4445", 4),
        ("opening", "", "3,-2=5555", 0),
    ],
)
def test_matched_corners_are_counted_once_each(name: str, position: str, move: str, matched: int):
    assert judge_placement("quad-ominos", position, move)["matched"] == matched


OPENINGS = {name: row for name, row in ROWS.items() if row["move"] == "opening" and name.startswith("Q")} | {
    "D03": ROWS["D03"]
}


@pytest.mark.parametrize("row", OPENINGS.values(), ids=OPENINGS)
def test_judge_agrees_with_opening_in_rules_of_game(row: dict[str, str]):
    hands = [hand.replace(",", " ") for hand in re.findall(r"\{(.*?)\}", row["position"])]
    game = "points" if row["id"] == "D03" else "quad-ominos"
    found = read_json("judge", "opening", game, "--hands", " / ".join(hands))

    expected = re.match(r"([AB]) (?:opens|leads) (\d+)", row["expected"])
    assert "AB"[found["seat"]] == expected[1]
    assert found["tiles"] == ["-".join(expected[2])]
    points = re.search(r"\+(\d+)", row["expected"])
    assert points is None or found["points"] == int(points[1])
    if "both rewards" in row["expected"]:
        assert found["both"]


@pytest.mark.parametrize(
    ("hands", "found"),
    [
        ("5555 0012 / 4444", {"seat": 0, "tiles": ["5-5-5-5"], "points": 20, "bonus_choice": True, "both": False}),
        ("4555 0011 / 3555", {"seat": 0, "tiles": ["4-5-5-5"], "points": 19, "bonus_choice": False, "both": False}),
        ("0000 1112 / 3335", {"seat": 0, "tiles": ["0-0-0-0"], "points": 0, "bonus_choice": True, "both": True}),
        (
            "3333 0000 0001 / 2222",
            {
                "seat": 0,
                "tiles": ["0-0-0-0", "3-3-3-3"],
                "points": [0, 12],
                "bonus_choice": True,
                "both": [True, False],
            },
        ),
    ],
)
def test_quad_ominos_opening_reports_its_points(hands: str, found: object):
    assert read_json("judge", "opening", "quad-ominos", "--hands", hands) == found


def test_quad_ominos_opening_is_described_in_sentence():
    words = ("judge", "opening", "quad-ominos", "--hands")

    assert read_sentence(*words, "4555 0011 / 3555") == "Seat 0 opens with 4-5-5-5 and scores 19."
    assert (
        read_sentence(*words, "5555 / 4444")
        == "Seat 0 opens with 5-5-5-5 and scores 20; 5-5-5-5 brings 25 points or 2 more tiles."
    )
    assert read_sentence(*words, "3333 0000 / 2222") == (
        "Seat 0 opens with 0-0-0-0 or 3-3-3-3 and scores 0 or 12; "
        "0-0-0-0 brings 25 points and 2 more tiles, 3-3-3-3 brings 25 points or 2 more tiles."
    )
    assert read_sentence(*words, "3333 0000 / 2222", *build_option_arguments("zero_opening=off")) == (
        "Seat 0 opens with 3-3-3-3 and scores 12; 3-3-3-3 brings 25 points or 2 more tiles."
    )


@pytest.mark.parametrize(
    ("game", "hands"),
    [
        ("points", "333 012 / 222 BOSS"),
        ("muggins", "012 222 / 333 011"),
        ("star", "BOSS 234 / 333"),
        ("trioker", "333 / 222 / 111 012"),
    ],
)
def test_other_games_open_with_highest_triple_without_points(game: str, hands: str):
    found = read_json("judge", "opening", game, "--hands", hands)

    assert list(found) == ["seat", "tiles", "points"]
    assert (found["tiles"], found["points"]) == (["3-3-3"], 0)
    assert "333" in hands.split(" / ")[found["seat"]]


@pytest.mark.parametrize(
    ("words", "awards"),
    [
        ("points --totals 7,12,20", [18, 0, 0]),  # D12
        ("muggins --totals 7,7,20", [13, 13, 0]),
        ("star --totals 7,12,20", [0, 0, 0]),
        ("trioker --totals 9,5,12 --tiles 1,2,3", [3, 0, 0]),
        ("trioker --totals 9,5,12 --tiles 2,2,3", [0, 11, 0]),
        ("trioker --totals 5,5,12 --tiles 2,2,3", [7, 7, 0]),
        ("quad-ominos --totals 7,12,20", [0, 0, 0]),  # Q29
        ("quad-ominos --totals 7,12,20 --option blocked_award=differences", [18, 0, 0]),
        ("quad-ominos --totals 7,12,20 --option blocked_award=others_minus_own", [25, 0, 0]),
    ],
)
def test_blocked_round_is_scored_by_rules_of_game(words: str, awards: list[int]):
    assert read_json("judge", "block", *words.split()) == {"awards": awards}


@pytest.mark.parametrize(
    ("game", "position", "move", "more", "told"),
    [
        (
            "quad-ominos",
            "0,0=4455 1,0=4445 1,1=2244",
            "0,1=1244",
            ["--drawn", "2"],
            "Legal, -29 points: 11 - 40 (2 drawn), then 25 points or 2 more tiles.",
        ),
        ("quad-ominos", "", "0,0=0000", [], "Legal, 0 points: 0, then 25 points and 2 more tiles."),
        ("quad-ominos", "", "0,0=1112", [], "Legal, 5 points: 5."),
        (
            "quad-ominos",
            "0,0=4455",
            "1,0=4444",
            [],
            "Refused, CORNER_MISMATCH: corner 3 of 1,0 carries 5 and the tile shows 4.",
        ),
        (
            "quad-ominos",
            "0,0=4455",
            "1,0=4542",
            [],
            "Refused, NO_SUCH_TILE: there is no tile that reads 2-4-5-4 clockwise.",
        ),
        (
            "quad-ominos",
            "0,0=1123",
            "1,0=1542",
            [],
            "Refused, NO_SUCH_TILE: there is no tile that reads 1-5-4-2 clockwise; "
            "the set has 1-2-4-5, which reads the other way round.",
        ),
        ("star", "U0,0=233", "D1,-1=313", [], "Legal, 15 points: 15, then a further turn."),
        (
            "star",
            "U0,0=233",
            "D1,-1=331",
            [],
            "Refused, CORNER_MISMATCH: corner 0 of D1,-1 must lie between 3 and 3 and lies between 1 and 3.",
        ),
        (
            "star",
            "U0,0=233",
            "U5,0=444",
            [],
            "Refused, NOT_NEXT_TO_LAST: U5,0 shares no side and no corner that can be played with the last tile.",
        ),
        (
            "points",
            "U0,0=444 D0,0=134",
            "D-1,0=344",
            [],
            "Refused, NOT_NEXT_TO_LAST: D-1,0 shares no side with the last tile.",
        ),
        (
            "points",
            "U0,0=444",
            "D0,0=341",
            [],
            "Refused, SIDE_MISMATCH: side 2 of D0,0 carries 4 and the tile shows 1.",
        ),
        (
            "muggins",
            "U0,0=444",
            "D0,0=344",
            [],
            "Refused, SIDE_MISMATCH: side 2 of D0,0 carries 4 and the tile shows 4, which make no multiple of five.",
        ),
        (
            "points",
            "U0,0=444 D0,0=134",
            "D9,9=333",
            build_option_arguments("layout=open"),
            "Refused, NO_SIDE_CONTACT: D9,9 shares no side with a tile.",
        ),
        (
            "trioker",
            "U0,0=333",
            "D9,9=111",
            build_option_arguments("trioker_board=hexagon"),
            "Refused, OFF_THE_BOARD: D9,9 is not on the board.",
        ),
        ("trioker", "U0,0=333", "D0,0=J00", [], "Refused, NO_SUCH_TILE: there is no tile that reads J-0-0 clockwise."),
    ],
)
def test_text_output_of_every_game_is_a_sentence(game: str, position: str, move: str, more: list[str], told: str):
    words = ("judge", "placement", game, "--position", position, "--move", move, *more)

    assert read_sentence(*words) == told


@pytest.mark.parametrize(
    ("game", "position", "move", "name", "points"),
    [
        (
            "quad-ominos",
            "0,0=1122",
            "1,0=1542",
            "quad_arrangement",
            {"clockwise": None, "counter_clockwise": 12, "free": 12},
        ),
        ("quad-ominos", "", "0,0=5421", "quad_arrangement", {"clockwise": None, "counter_clockwise": 12, "free": 12}),
        ("points", "U0,0=444 D0,0=134", "D-1,0=344", "layout", {"last_tile": None, "open": 0}),
        (
            "points",
            "U0,0=123 D0,0=022 U1,0=255 D1,-1=505 U1,-1=455",
            "D0,-1=144",
            "side_contact",
            {"all": None, "last_only": 0},
        ),
        ("points", "U0,0=444 D0,0=BOSS", "U1,0=333", "boss_after", {"zero": None, "wild": 0}),
        ("points", "U0,0=444", "D0,0=111", "pairing", {"equal": None, "fives": 0}),
        ("points", "U0,0=444", "D0,0=BOSS", "boss", {"out": None, "in": 0}),
        ("star", "U0,0=233", "D0,0=BOSS", "boss", {"out": None, "in": 10}),
        ("star", "U0,0=233", "D0,0=BOSS", "boss_value", {"round_up": 10, "none": 0}),
        ("star", "U0,0=234", "D1,-1=344", "star_corner_order", {"any": 20, "collinear": None, "mirror": 20}),
        (
            "star",
            "U0,0=111 D0,0=221 U0,1=302 D-1,1=131 U-1,1=414",
            "D-1,0=413",
            "star_sum",
            {"last_tile": 0, "all_touching": 20},
        ),
        ("trioker", "U0,0=310", "D0,0=J00", "trioker_joker", {"off": None, "on": 0}),
        ("trioker", "U0,0=333", "D0,0=343", "trioker_values", {"4": None, "5": 0}),
        ("trioker", "U0,0=333 D0,0=313 U1,0=310", "D1,0=110", "trioker_board", {"unbounded": 0, "hexagon": None}),
        (
            "trioker",
            "U0,0=031 D0,-1=011 D-1,0=230 U-1,0=020 U0,-1=001",
            "D-1,-1=000",
            "trioker_bonuses",
            {"off": 0, "on": 50},
        ),
        ("triominoes", "U0,0=135", "D-1,0=331", "scoring", {"usual": 7, "children": 1}),
        ("triominoes", "", "U0,0=000", "zero_opening_score", {"40": 40, "30": 30}),
    ],
)
def test_option_changes_judgement(game: str, position: str, move: str, name: str, points: dict[str, int | None]):
    found = {
        value: judge_placement(game, position, move, *build_option_arguments(f"{name}={value}"))["points"]
        for value in points
    }

    assert found == points


def test_joker_is_written_with_j_and_matches_any_number():
    joker_arguments = build_option_arguments("trioker_joker=on")

    assert judge_placement("trioker", "U0,0=310", "D0,0=J00", *joker_arguments)["legal"]
    assert judge_placement("trioker", "U0,0=301", "D0,0=0J0", *joker_arguments)["why"] == "CORNER_MISMATCH"
    assert judge_placement("trioker", "U0,0=300 D0,0=0J0", "U1,0=012", *joker_arguments)["legal"]
    assert judge_placement("trioker", "U0,0=310 D0,0=J00", "U0,1=120", *joker_arguments)["legal"]
    assert judge_placement("trioker", "U0,0=310 D0,0=J00", "U0,1=020", *joker_arguments)["why"] == "CORNER_MISMATCH"


def test_tile_set_is_inferred_from_tiles_unless_given():
    assert judge_placement("points", "U0,0=444", "D0,0=BOSS")["legal"]
    assert judge_placement("points", "U0,0=555", "D0,0=225")["legal"]
    assert judge_placement("points", "U0,0=444", "D0,0=666")["why"] == "NO_SUCH_TILE"
    assert (
        judge_placement("points", "U0,0=444", "D0,0=BOSS", *build_option_arguments("boss=out"))["why"] == "NO_SUCH_TILE"
    )
    assert judge_placement("points", "", "U0,0=555", *build_option_arguments("tile_set=td35"))["why"] == "NO_SUCH_TILE"
    assert read_error(
        "judge",
        "placement",
        "points",
        "--position",
        "U0,0=555",
        "--move",
        "D0,0=225",
        *build_option_arguments("tile_set=td35"),
    ) == ("position, tile 1 'U0,0=555': NO_SUCH_TILE: there is no tile that reads 5-5-5 clockwise")
    assert read_json("judge", "opening", "points", "--hands", "555 012 / 333 BOSS")["tiles"] == ["5-5-5"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("judge", "placement", "star", "--position", "U0,0=233", "--move", "D0,0=313", "--drawn", "1"),
            "drawn: in star nobody draws; leave drawn out",
        ),
        (
            ("judge", "placement", "star", "--position", "U0,0=233 U7,7=444", "--move", "D0,0=313"),
            "position, tile 2 'U7,7=444': NOT_NEXT_TO_LAST: "
            "U7,7 shares no side and no corner that can be played with the last tile",
        ),
        (("judge", "placement", "quad-ominos", "--move", "U0,0=135"), "move: 'U0,0' is no cell; write it like 0,0"),
        (("judge", "placement", "quad-ominos", "--move", "0,0"), "move: '0,0' is no placement; write it like 0,0=1355"),
        (("judge", "placement", "quad-ominos", "--move", " "), "move: missing; write it like 0,0=1355"),
        (
            ("judge", "opening", "quad-ominos", "--hands", "5555 / "),
            "hands, seat 1: no tiles; write hands like 0-4-4-5 3-3-3-3 / 4-4-4-4 0-0-0-1",
        ),
        (
            ("judge", "block", "trioker", "--totals", "1,2"),
            "tiles: the fewest tiles win a blocked round here; say how many everybody holds, like --tiles 3,2,4",
        ),
        (("judge", "block", "trioker", "--totals", "1,2,3,4,5"), "totals: 5 given; trioker is for 2 to 4 seats"),
        (("judge", "block", "quad-ominos", "--totals", "1,1250"), "totals: '1250' is no whole number from 0 to 1249"),
        (("perft", "quad-ominos", "--start", "0245"), "start: NO_SUCH_TILE: quad-ominos has no tile 0245"),
        (("perft", "points", "--start", "BOSS"), "start: NO_SUCH_TILE: points has no tile BOSS"),
    ],
)
def test_invalid_input_of_game_exits_with_2_and_one_line(words: tuple[str, ...], line: str):
    assert read_error(*words) == line


def test_dominoes_draw_is_free_with_reserved_boneyard_tiles():
    assert (
        judge_placement("star", "U0,0=233", "D0,0=313", "--drawn", "1", *build_option_arguments("remainder=boneyard"))[
            "points"
        ]
        == 15
    )


GAMES = {game: load_rules(game) for game in list_games()}


@pytest.mark.parametrize("reading", GAMES.values(), ids=GAMES)
def test_answers_of_all_games_have_same_keys(reading: Rules):
    placement_text = str(reading.build_placement(reading.plane.first, reading.tiles[-1]))

    legal, refused = (
        judge_placement(reading.game, "", placement_text),
        judge_placement(reading.game, placement_text, placement_text),
    )

    assert (legal["legal"], legal["why"]) == (True, None)
    assert refused == REFUSED | {"why": "OCCUPIED"}


@pytest.mark.parametrize("reading", GAMES.values(), ids=GAMES)
def test_every_option_of_every_game_is_accepted(reading: Rules):
    for name, values in reading.get_readings().items():
        for value in values:
            chosen = reading.with_option(name, value)
            placement_text = str(chosen.build_placement(chosen.plane.first, chosen.tiles[-1]))
            found = judge_placement(reading.game, "", placement_text, *build_option_arguments(f"{name}={value}"))
            assert found["legal"], (name, value)
