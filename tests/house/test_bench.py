"""`boneyard bench`: where it runs, and what counts as meeting a goal."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from bot.operating.bench import CHECKOUT, bench
from tests.bench.measure import SHORT, Effort, Work, ratio
from tests.bench.report import report, show
from tests.bench.rows import Missing, Question, Row
from tests.house.bench_troubles import CRASHES, FAILS, GOOD, HANGS

LIMIT = 60
"""Seconds, which a process takes to begin on a busy machine; one row of the tests is given up after them."""


def test_in_a_checkout_it_finds_the_bench() -> None:
    assert (CHECKOUT / "tests" / "bench" / "__main__.py").exists()


def test_away_from_a_checkout_it_says_where_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench([], checkout=tmp_path) == 2
    assert "runs from a checkout of the project" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "met", "nearly"),
    [
        (Row("faster", 60, 60, "more", "x"), True, True),
        (Row("faster", 46, 60, "more", "x"), False, True),
        (Row("faster", 44, 60, "more", "x"), False, False),
        (Row("dearer", 10, 10, "less", "x"), True, True),
        (Row("dearer", 12, 10, "less", "x"), False, True),
        (Row("dearer", 13, 10, "less", "x"), False, False),
        (Row("stated", 1900, None, "more", "/s"), True, True),
        (Row("not measured", None, 6, "more", "x"), False, False),
    ],
)
def test_a_goal_is_met_from_its_own_figure_on_and_nearly_met_a_quarter_off(row: Row, met: bool, nearly: bool) -> None:
    assert (row.met, row.within(0.25)) == (met, nearly)


def test_a_yardstick_that_is_not_installed_is_named_and_its_goal_is_not_met() -> None:
    def absent(_: object) -> float:
        raise Missing("chess is not installed")

    row = Question("beside chess", "engine", absent, 6, "more", "x", False, None).ask(SHORT)

    assert (row.value, row.met, row.note) == (None, False, "chess is not installed")


def test_rows_that_fail_hang_or_crash_lose_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    rows = report([GOOD, FAILS, HANGS, CRASHES, GOOD], SHORT, limit=LIMIT, as_json=False)

    assert [(row.value, row.met) for row in rows] == [(7, True), *[(None, False)] * 3, (7, True)]
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines() if "│" in line] == [
        ["│", "good", "│", "7x", "│", "≥", "6x", "│", "yes", "│"],
        ["│", "fails", "│", "-", "│", "│", "failed", "│"],
        ["│", "hangs", "│", "-", "│", "≥", "6x", "│", "failed", "│"],
        ["│", "crashes", "│", "-", "│", "≥", "6x", "│", "failed", "│"],
        ["│", "good", "│", "7x", "│", "≥", "6x", "│", "yes", "│"],
    ]
    assert [line for line in printed.splitlines() if ":" in line] == [
        "fails: OSError: [Errno 98] Address already in use",
        f"hangs: it was not done after {LIMIT} s",
        "crashes: its process ended with status -9",
    ]


def test_json_comes_as_it_is_measured_and_is_whole_though_the_bench_is_stopped() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.house.bench_troubles", "--json"],
        cwd=CHECKOUT,
        stdout=PIPE,
        stderr=PIPE,
        text=True,
    ) as bench:
        assert bench.stdout is not None
        first = bench.stdout.readline()
        bench.send_signal(signal.SIGTERM)
        rest = bench.stdout.read()

    assert json.loads(first + rest) == [
        {"name": "good", "value": 7, "goal": 6, "better": "more", "met": True, "note": ""}
    ]


def test_a_table_that_was_stopped_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    show([Row("good", 7, 6, "more", "x")], of=2)

    assert capsys.readouterr().out.splitlines()[-3:] == [
        "│ good │       7x │ ≥ 6x │ yes │",
        "└──────┴──────────┴──────┴─────┘",
        "Ended early: 1 of 2 rows were not measured.",
    ]


def test_it_needs_nothing_that_only_the_checks_have() -> None:
    """Its environment has neither of these; one import of a helper of theirs, and no row is measured."""
    without = "import sys; sys.modules['simcord'] = sys.modules['playwright'] = None; import tests.bench.table"
    subprocess.run([sys.executable, "-c", without], cwd=CHECKOUT, check=True)


@pytest.mark.parametrize("least", [False, True])
def test_a_ratio_is_that_of_units_however_many_parts_make_them(least: bool) -> None:
    def count() -> int:
        return sum(range(10_000))

    whole, halves = Work.of([count] * 3, units=1), Work.of([count] * 6, units=4)
    assert ratio(whole, halves, Effort(5, 0.02, least=least)) == pytest.approx(2, rel=0.4)
