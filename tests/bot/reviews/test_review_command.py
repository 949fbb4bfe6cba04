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
from tests.depth import scaled

app = typer.Typer()
mount(app)

RECORDS = Path(__file__).parents[2] / "golden"
GOLDEN = RECORDS / "triominoes-evening.txt"
EFFORT = ("--effort", str(scaled(1) / 100))


def ask(*words: str | Path, lines: str | None = None) -> Result:
    return CliRunner().invoke(app, ["review", *map(str, words)], input=lines)


@cache
def told(*words: str | Path) -> str:
    result = ask(*words, *EFFORT)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.removesuffix("\n")


def answer(*words: str | Path) -> Any:
    return json.loads(told(*words, "--json"))


def lines_of_play(file: Path) -> dict[int, str]:
    found = [line.split(" ", 1) for line in file.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    return {int(number): rest for number, rest in found}


def test_review_lists_losses_and_luck_of_each_seat():
    found, kept = told(GOLDEN), answer(GOLDEN)

    head, ada, berta, moments, *draws = found.split("\n\n")
    assert head.startswith("triominoes, 5 rounds: A 167 (place 2), B 184 (place 1).\n")
    assert ada.startswith(f"A: accuracy {kept['seats'][0]['accuracy']:.0f} of 100, ")
    assert "-17 points ahead: luck" in ada
    assert "+17 points ahead: luck" in berta
    assert ada.count("would have been better by") == min(3, kept["seats"][0]["choices"] - good(kept, 0))
    assert moments.startswith("The match was decided by:\n")
    assert moments.count("before it B could expect") == len(kept["moments"])
    lines = lines_of_play(GOLDEN)
    assert len(draws) == bool(kept["draws"])
    for told_draw, draw in zip("".join(draws).splitlines()[1:], kept["draws"], strict=True):
        name, line = "AB"[draw["seat"]], int(told_draw.split(",")[0].removeprefix("  line "))
        assert f"{name} drew {draw['tiles']} tile" in told_draw
        assert lines[line].startswith(f"{name} draws")


def good(kept: Any, seat: int) -> int:
    return sum(one["seat"] == seat and one["label"] == "good" for one in kept["choices"])


def test_json_review_lists_every_choice_with_record_line():
    kept, lines = answer(GOLDEN), lines_of_play(GOLDEN)

    assert (kept["game"], kept["totals"], kept["places"]) == ("triominoes", [167, 184], [2, 1])
    assert kept["choices"]
    for one in kept["choices"]:
        assert lines[one["line"]].startswith(f"{'AB'[one['seat']]} plays {one['made']['placement']}")
        assert one["label"] == classify_cost(one["cost"])
    assert from_plain(kept, load_rules("triominoes")).moments == tuple(kept["moments"])


def test_review_uses_given_names_and_number_of_choices():
    found = told(GOLDEN, "--name", "Ada", "--name", "Berta", "--most", "1")

    assert "\nAda: accuracy" in found
    assert "Berta 184 (place 1)" in found
    assert found.count("would have been better by") == 2


def test_single_deal_review_explains_points():
    assert "hundredth of the win" in told(RECORDS / "muggins-blocked.txt")


def test_chosen_bonus_is_described_in_words():
    found = told(RECORDS / "quad-ominos-evening.txt", "--most", "99")

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
    at = next(number for number, line in enumerate(text) if line.startswith(f"{part} "))

    result = ask("-", lines="\n".join(text[:at]))

    assert (result.exit_code, result.stdout) == (2, "")
    assert "match is not" in result.stderr or "is wrong" in result.stderr
    assert result.stderr.count("\n") == 1


def test_record_with_wrong_line_refers_to_replay():
    text = GOLDEN.read_text(encoding="utf-8").replace("-> 184", "-> 185", 1)

    result = ask("-", lines=text)

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
    result = ask(file, lines=lines)

    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


def test_any_string_is_accepted_as_seed():
    result = ask(RECORDS / "muggins-blocked.txt", *EFFORT, "--seed", "\udcff")

    assert (result.exit_code, result.stderr) == (0, "")
