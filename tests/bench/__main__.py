"""`python -m tests.bench`, which `boneyard bench` runs."""

import signal
from typing import Annotated

import typer

from tests.bench.answers import LIMIT
from tests.bench.measure import FULL, SHORT
from tests.bench.report import report
from tests.bench.table import SUBJECTS, questions


def bench(
    as_rows: Annotated[bool, typer.Option("--json", help="Print JSON, row by row, instead of a table.")] = False,
    only: Annotated[list[str] | None, typer.Option(help=f"One subject: {', '.join(SUBJECTS)}.")] = None,
    short: Annotated[bool, typer.Option("--short", help="Measure for a short time, and less exactly.")] = False,
    limit: Annotated[float, typer.Option(help="Seconds after which a row is given up.")] = LIMIT,
) -> None:
    """Measure how fast the house is, beside others. The status is 1 where a goal is missed."""
    unknown = sorted(set(only or ()) - set(SUBJECTS))
    if unknown:
        typer.echo(f"boneyard: there is no subject {', '.join(unknown)}; there is {', '.join(SUBJECTS)}", err=True)
        raise typer.Exit(2)
    # Whoever ends it gets what has been measured so far, however they do it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    rows = report(questions(only or ()), SHORT if short else FULL, limit, as_json=as_rows)
    raise typer.Exit(0 if all(row.met for row in rows) else 1)


if __name__ == "__main__":
    typer.run(bench)
