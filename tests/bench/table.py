"""All rows, measured one after the other and printed as a table or as JSON."""

import json
from collections.abc import Collection, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from tests.bench import counted, engine, growth, load, moves, pictures
from tests.bench.measure import Effort
from tests.bench.rows import QUESTIONS, Question, Row

SUBJECTS = tuple(module.__name__.rpartition(".")[2] for module in (engine, pictures, moves, counted, load, growth))
"""The modules with rows, in the order of the table."""


def questions(only: Collection[str] = ()) -> list[Question]:
    """What is to be measured, all of it or the subjects named."""
    return [question for question in QUESTIONS if not only or question.subject in only]


def measured(asked: Sequence[Question], effort: Effort) -> list[Row]:
    """The rows, with a bar on standard error while they come."""
    rows = []
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(asked))
        for question in asked:
            progress.update(task, description=question.name)
            rows.append(question.ask(effort))
            progress.advance(task)
    return rows


def as_json(rows: Sequence[Row]) -> str:
    """A list of objects with name, value, goal, better and met."""
    keys = ("name", "value", "goal", "better", "met")
    return json.dumps([{key: getattr(row, key) for key in keys} for row in rows], indent=2)


def show(rows: Sequence[Row]) -> None:
    """Print the table on standard output."""
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
            console.print(f"{row.name}: {row.note}")


def _goal(row: Row) -> str:
    if row.goal is None:
        return ""
    return f"{'≥' if row.better == 'more' else '≤'} {_amount(row.goal, row.unit)}"


def _verdict(row: Row) -> str:
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
