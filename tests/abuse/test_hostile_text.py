"""Hostile input for `boneyard judge`, and hostile records."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.__main__ import app
from bot.tools.cli import judge_lines
from bot.tools.position_reading import MAX_OPTIONS, MAX_TEXT
from bot.tools.replay import MAX_BYTES
from data.rulebook import list_games, load_rules
from engine.record import DamagedRecordError, read
from engine.record.text import MAX_LINE

CASE = "U0,0=135 ; D0,0=355"
GOLDEN = Path(__file__).parents[1] / "golden" / "triominoes-by-hand.txt"


def count_calls(function: Callable[[], object]) -> int:
    count = 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(count_call)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def judge_triominoes(*lines: str) -> list[dict[str, object]]:
    return list(judge_lines(load_rules("triominoes"), lines))


def run_boneyard(*arguments: str, lines: str | bytes = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=lines)


def test_line_with_endless_options_costs_no_more_than_valid_line():
    honest = CASE + "; target=100" * MAX_OPTIONS
    (answer,) = judge_triominoes(honest)
    assert answer["legal"]
    hostile = CASE + ";a=1" * 4000
    assert len(hostile) < MAX_TEXT
    (refused,) = judge_triominoes(hostile)
    assert str(refused["error"]).startswith("option: 4000 given;")
    assert str(refused["error"]).endswith(f" {MAX_OPTIONS}")
    assert count_calls(lambda: judge_triominoes(hostile)) <= count_calls(lambda: judge_triominoes(honest))


def test_line_with_twenty_thousand_options_is_refused_by_length():
    hostile = CASE + "; target=100" * 20_000
    refused, fine = judge_triominoes(hostile, CASE)
    assert str(refused["error"]).endswith(f"longer than {MAX_TEXT} characters")
    assert fine["legal"], "and the next one is judged"
    assert count_calls(lambda: judge_triominoes(hostile)) < 50


@pytest.mark.parametrize("word", ["x", "é", "\udc80", "\x00", "; "])
def test_endless_line_is_not_buffered_beyond_limit(word: str):
    endless = (word * (3 * MAX_TEXT)).encode("utf-8", errors="surrogatepass")
    result = run_boneyard(
        "judge", "placement", "triominoes", "-", lines=b"\n".join([CASE.encode(), endless, CASE.encode(), endless])
    )
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [("error" in answer, answer.get("legal")) for answer in answers] == [
        (False, True),
        (True, None),
        (False, True),
        (True, None),
    ]
    assert result.exit_code == 2


def test_line_of_maximum_length_is_judged():
    case = CASE.ljust(MAX_TEXT)
    result = run_boneyard("judge", "placement", "triominoes", "-", lines=f"{case}\n{case} \n")
    assert ["error" in json.loads(line) for line in result.stdout.splitlines()] == [False, True]


@pytest.mark.parametrize(
    "words",
    [
        ("placement", "--move", "U0,0=135", *["--option=target=100"] * (MAX_OPTIONS + 1)),
        ("placement", "--move", "U0,0=135", "--position", "U0,0=135 " * MAX_TEXT),
        ("opening", "--hands", "0-0-0 / " + "1-1-1 " * MAX_TEXT),
        ("opening", "--hands", "0-0-0 / 1-1-1", *["--option=target=100"] * (MAX_OPTIONS + 1)),
        ("block", "--totals", "1," * MAX_TEXT),
        ("block", "--totals", "1,2", "--tiles", "1," * MAX_TEXT),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_command_line_arguments_are_bounded(words: tuple[str, ...]):
    command, *others = words
    result = run_boneyard("judge", command, "triominoes", *others)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 200, "and what is wrong is not said back at length"


def test_line_limit_exceeds_options_of_every_game():
    assert max(len(load_rules(game).list_options()) for game in list_games()) * 2 < MAX_OPTIONS


def test_endless_record_is_not_read_completely(tmp_path: Path):
    result = run_boneyard("replay", "/dev/zero")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"boneyard: /dev/zero: longer than {MAX_BYTES} bytes")
    long = tmp_path / "long.txt"
    with long.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "longer than" in run_boneyard("replay", str(long)).stderr


def test_overlong_record_line_is_refused_with_number():
    text = GOLDEN.read_text(encoding="utf-8")
    for long in ("x" * (MAX_LINE + 1), "#" * (MAX_LINE + 1), "0-0-0 " * MAX_LINE):
        with pytest.raises(DamagedRecordError) as damage:
            read(f"{text}\n{long}\n", load_rules)
        assert damage.value.line == text.count("\n") + 2
        assert str(damage.value).endswith(f"longer than {MAX_LINE} characters")
    assert read(text + "#" * MAX_LINE, load_rules).plays == 127


def test_million_lines_are_read_in_linear_time():
    text = GOLDEN.read_text(encoding="utf-8")
    head, body = text.split("round 1\n", 1)
    deal = "round 1\n" + body.split("\n1 ", 1)[0] + "\n"
    for build in (
        lambda n: head + "# x\n" * n + "round 1\n" + body,
        lambda n: head + deal * n,
        lambda n: head + deal + "".join(f"{i} A resigns\n" for i in range(1, n)),
        lambda n: head + deal + "round 1 ends: blocked\n" + "A holds " + "0-0-0 " * n + ": +0 -> 0\n",
        lambda n: head + "".join(f"a{i}: 1\n" for i in range(n)) + "round 1\n" + body,
    ):

        def count_read_calls(n: int, build: Callable[[int], str] = build) -> int:
            def read_record() -> None:
                try:
                    read(build(n), load_rules)
                except DamagedRecordError:
                    return

            return count_calls(read_record)

        few, many = count_read_calls(500), count_read_calls(1500)
        assert many < 3.5 * few + 1000
