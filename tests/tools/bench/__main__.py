"""Print how fast Boneyard is, and check the ratios and counts that have a limit."""

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from tests.tools.bench.rows import ROWS, SUBJECTS, Result, Row, measure_row

REPEATS: Final = 3
REPEATS_OF_CHECK: Final = 12


def main(words: Sequence[str] | None = None, rows: Sequence[Row] = ROWS) -> int:
    """Measure and print all rows. Return 1 if `--check` finds a row worse than its limit, else 0."""
    parser = argparse.ArgumentParser(prog="tests.tools.bench", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a ratio is worse than its limit")
    parser.add_argument("--json", action="store_true", help="print a JSON object a line instead of a table")
    parser.add_argument("--only", action="append", choices=SUBJECTS, help="measure one subject; can be repeated")
    asked = parser.parse_args(words)
    chosen = [row for row in rows if not asked.only or row.subject in asked.only]
    if asked.check:
        chosen = [row for row in chosen if row.limit is not None]
    results = []
    for row in chosen:
        results.append(measure_row(row, REPEATS_OF_CHECK if asked.check else REPEATS))
        if asked.json:
            print(json.dumps(to_json(results[-1])), flush=True)
    if not asked.json:
        Console(width=120).print(build_table(results))
    return int(asked.check and not all(result.is_met for result in results))


def to_json(result: Result) -> dict[str, Any]:
    """Return the fields of a row in JSON."""
    row, figure = result.row, result.figure
    return {
        "name": row.name,
        "subject": row.subject,
        "value": figure.value,
        "unit": row.unit,
        "checked": figure.checked,
        "compared_with": row.compared_with,
        "limit": row.limit,
        "met": result.is_met,
    }


def build_table(results: Iterable[Result]) -> Table:
    """Return all rows as a table for the terminal."""
    table = Table("what", "measured", "ratio or count", "limit", "in comparison with", "")
    for column in table.columns[1:4]:
        column.justify = "right"
    for result in results:
        row, figure = result.row, result.figure
        measured = f"{figure.value:,.4g} {row.unit}".strip()
        if row.limit is None or figure.checked is None:
            table.add_row(row.name, measured)
        else:
            verdict = "ok" if result.is_met else "worse"
            table.add_row(row.name, measured, f"{figure.checked:.3g}", f"{row.limit:g}", row.compared_with, verdict)
    return table


if __name__ == "__main__":
    raise SystemExit(main())
