"""The command `boneyard review`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from bot.tools.cli import mount
from bot.tools.review import format_review_lines
from data.rulebook import load_rules
from engine.match.events import Chose, Drew, Event, MatchEnded, Passed, Resigned, Started
from engine.reviews.findings import Expectation, Review, classify_cost, from_plain
from tests.depth import scale_count

app = typer.Typer()
mount(app)

RECORDS = Path(__file__).parents[2] / "golden"
GOLDEN = RECORDS / "triominoes-evening.txt"
EFFORT = ("--effort", str(scale_count(1) / 100))


def run_review(*arguments: str | Path, lines: str | None = None) -> Result:
    return CliRunner().invoke(app, ["review", *map(str, arguments)], input=lines)


@cache
def read_review_text(*arguments: str | Path) -> str:
    result = run_review(*arguments, *EFFORT)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.removesuffix("\n")


def load_json_review(*arguments: str | Path) -> Any:
    return json.loads(read_review_text(*arguments, "--json"))


def parse_play_lines(file: Path) -> dict[int, str]:
    found = [line.split(" ", 1) for line in file.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    return {int(number): rest for number, rest in found}


def test_review_lists_losses_and_luck_of_each_seat():
    text, json_review = read_review_text(GOLDEN), load_json_review(GOLDEN)

    head, seat_a, seat_b, moments, *draws = text.split("\n\n")
    assert head.startswith("triominoes, 5 rounds: A 167 (place 2), B 184 (place 1).\n")
    assert seat_a.startswith(f"A: accuracy {json_review['seats'][0]['accuracy']:.0f} of 100, ")
    assert "-17 points ahead: luck" in seat_a
    assert "+17 points ahead: luck" in seat_b
    good_choices = sum(one["seat"] == 0 and one["label"] == "good" for one in json_review["choices"])
    assert seat_a.count("would have been better by") == min(3, json_review["seats"][0]["choices"] - good_choices)
    assert moments.startswith("The match was decided by:\n")
    assert moments.count("before it B could expect") == len(json_review["moments"])
    lines = parse_play_lines(GOLDEN)
    assert len(draws) == bool(json_review["draws"])
    for draw_text, draw in zip("".join(draws).splitlines()[1:], json_review["draws"], strict=True):
        name, line = "AB"[draw["seat"]], int(draw_text.split(",")[0].removeprefix("  line "))
        assert f"{name} drew {draw['tiles']} tile" in draw_text
        assert lines[line].startswith(f"{name} draws")


def test_json_review_lists_every_choice_with_record_line():
    json_review, lines = load_json_review(GOLDEN), parse_play_lines(GOLDEN)

    assert (json_review["game"], json_review["totals"], json_review["places"]) == ("triominoes", [167, 184], [2, 1])
    assert json_review["choices"]
    for one in json_review["choices"]:
        assert lines[one["line"]].startswith(f"{'AB'[one['seat']]} plays {one['made']['placement']}")
        assert one["label"] == classify_cost(one["cost"])
    assert from_plain(json_review, load_rules("triominoes")).moments == tuple(json_review["moments"])


def test_review_uses_given_names_and_number_of_choices():
    found = read_review_text(GOLDEN, "--name", "Ada", "--name", "Berta", "--most", "1")

    assert "\nAda: accuracy" in found
    assert "Berta 184 (place 1)" in found
    assert found.count("would have been better by") == 2


def test_single_deal_review_explains_points():
    assert "hundredth of the win" in read_review_text(RECORDS / "muggins-blocked.txt")


def test_chosen_bonus_is_described_in_words():
    found = read_review_text(RECORDS / "quad-ominos-evening.txt", "--most", "99")

    assert "the points would have" in found or "the tiles would" in found


@pytest.mark.parametrize(
    ("done", "told_so"),
    [
        (Resigned(0), "A resigned"),
        (Passed(0, 0, -25), "A passed"),
        (Drew(0, (1, 2, 3)), "A drew"),
        (Chose(0, "points", 50, 0), "A chose"),
    ],
)
def test_decisive_turn_is_described_for_every_kind_of_move(done: Event, told_so: str):
    head = [
        Started(load_rules("triominoes"), 2, (), by_hand=True, commitment=""),
        done,
        MatchEnded((10, 20), (2, 1), ""),
    ]
    curve = [
        Expectation(at=0, round=1, ahead=(4, -4), error=1),
        Expectation(at=1, round=1, ahead=(-10, 10), error=0, seat=0),
    ]
    found = Review(version=1, seats=(), rounds=(1,), choices=(), curve=tuple(curve), moments=(1,))

    assert format_review_lines(found, head, [0, 7, 7], (), 3)[-1] == (
        f"  line 7, round 1: {told_so}; before it B could expect -4 points, after it +10."
    )


@pytest.mark.parametrize("part", [100, 20])
def test_unfinished_match_is_not_reviewed(part: int):
    text = GOLDEN.read_text(encoding="utf-8").splitlines()
    line_index = next(number for number, line in enumerate(text) if line.startswith(f"{part} "))

    result = run_review("-", lines="\n".join(text[:line_index]))

    assert (result.exit_code, result.stdout) == (2, "")
    assert "match is not" in result.stderr or "is wrong" in result.stderr
    assert result.stderr.count("\n") == 1


def test_record_with_wrong_line_refers_to_replay():
    text = GOLDEN.read_text(encoding="utf-8").replace("-> 184", "-> 185", 1)

    result = run_review("-", lines=text)

    assert result.exit_code == 2
    assert "boneyard replay tells" in result.stderr


@pytest.mark.parametrize(
    ("file", "lines", "said"),
    [
        ("nowhere.txt", None, "boneyard: nowhere.txt: No such file or directory\n"),
        (".", None, "boneyard: .: Is a directory\n"),
        ("-", "hello", "boneyard: standard input, line 1: a record begins with the line 'boneyard record 1'\n"),
    ],
)
def test_unreadable_record_is_reported_once(file: str, lines: str | None, said: str):
    result = run_review(file, lines=lines)

    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


def test_any_string_is_accepted_as_seed():
    result = run_review(RECORDS / "muggins-blocked.txt", *EFFORT, "--seed", "\udcff")

    assert (result.exit_code, result.stderr) == (0, "")
