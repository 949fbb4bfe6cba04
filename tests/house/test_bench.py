"""`boneyard bench`: where it runs, and what counts as meeting a goal."""

import json
from pathlib import Path

import pytest

from bot.operating.bench import CHECKOUT, bench
from tests.bench.measure import SHORT
from tests.bench.rows import Missing, Question, Row
from tests.bench.table import as_json


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
    assert json.loads(as_json([row])) == [
        {"name": "beside chess", "value": None, "goal": 6, "better": "more", "met": False}
    ]
