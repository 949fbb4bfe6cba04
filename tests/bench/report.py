"""The rows as they are measured, printed as a table or as JSON."""

import json
from collections.abc import Generator, Sequence
from contextlib import closing

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from tests.bench.answers import answered
from tests.bench.measure import Effort
from tests.bench.rows import Question, Row


def report(asked: Sequence[Question], effort: Effort, limit: float, *, as_json: bool) -> list[Row]:
    """Measure all of it and print it: the table when nothing more comes, for whatever reason, JSON as it comes."""
    rows: list[Row] = []
    try:
        with closing(_measured(asked, effort, limit)) as coming:
            for row in coming:
                rows.append(row)
                if as_json:
                    print("[" if len(rows) == 1 else ",", _object(row), flush=True)
    finally:
        if as_json:
            print("]" if rows else "[]", flush=True)
        else:
            show(rows, of=len(asked))
    return rows


def _measured(asked: Sequence[Question], effort: Effort, limit: float) -> Generator[Row]:
    """The rows, with a bar on standard error while they come."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with (
        Progress(*columns, console=Console(stderr=True), transient=True) as progress,
        closing(answered(asked, effort, limit)) as coming,
    ):
        task = progress.add_task("", total=len(asked))
        for question in asked:
            progress.update(task, description=question.name)
            yield next(coming)
            progress.advance(task)


def _object(row: Row) -> str:
    """A line of JSON with name, value, goal, better, met, and why there is no value."""
    return json.dumps({key: getattr(row, key) for key in ("name", "value", "goal", "better", "met", "note")})


def show(rows: Sequence[Row], of: int) -> None:
    """Print the table on standard output, and whether it is all that was asked for."""
    console = Console()
    if not console.is_terminal:
        # A file or a pipe has no width, and names must not be cut.
        console = Console(width=120)
    table = Table("what", *(Column(name, justify="right") for name in ("measured", "goal", "met")))
    for row in rows:
        table.add_row(row.name, _amount(row.value, row.unit), _goal(row), _verdict(row))
    console.print(table)
    for row in rows:
        if row.note:
            console.print(f"{row.name}: {row.note}", markup=False)
    if len(rows) < of:
        console.print(f"Ended early: {of - len(rows)} of {of} rows were not measured.")


def _goal(row: Row) -> str:
    if row.goal is None:
        return ""
    return f"{'≥' if row.better == 'more' else '≤'} {_amount(row.goal, row.unit)}"


def _verdict(row: Row) -> str:
    if row.failed:
        return "failed"
    if row.goal is None:
        return ""
    if row.value is None:
        return "not measured"
    return "yes" if row.met else "NO"


def _amount(value: float | None, unit: str) -> str:
    """`4.9x`, `144x`, `1,900,000 nodes/s`."""
    if value is None:
        return "-"
    number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return number + unit if unit == "x" else f"{number} {unit}"
