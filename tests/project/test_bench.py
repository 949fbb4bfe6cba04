"""The bench returns the right exit status, and every ratio and count stays within its limit."""

import json

import pytest

from tests.tools.bench.__main__ import main
from tests.tools.bench.measure import Figure
from tests.tools.bench.rows import ROWS, Row


def make_row(limit: float | None, checked: float | None) -> Row:
    return Row("a row", "bot", "ms", lambda _: Figure(5.0, checked), limit)


@pytest.mark.parametrize(
    ("limit", "checked", "status"), [(2.0, 2.0, 0), (2.0, 2.1, 1), (2.0, None, 1), (None, None, 0)]
)
def test_check_of_row_worse_than_its_limit_returns_one(limit: float | None, checked: float | None, status: int) -> None:
    assert main(["--check"], [make_row(limit, checked)]) == status


def test_bench_without_check_returns_zero() -> None:
    assert main([], [make_row(2.0, 2.1)]) == 0


def test_json_prints_one_object_for_each_chosen_row(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--json", "--only", "bot"], [make_row(2.0, 3.0), Row("another", "store", "ms", lambda _: Figure(1.0))])

    (line,) = capsys.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["name"], found["value"], found["checked"], found["limit"], found["met"]) == ("a row", 5, 3, 2, False)


def test_bench_has_at_most_twenty_rows_with_different_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) <= 20


@pytest.mark.deep
@pytest.mark.timeout(0)  # a busy machine may take any time
def test_every_row_is_within_its_limit() -> None:
    assert main(["--check"]) == 0
