"""`python -m tests.bench`, which `boneyard bench` runs."""

from typing import Annotated

import typer

from tests.bench.measure import FULL, SHORT
from tests.bench.table import SUBJECTS, as_json, measured, questions, show


def bench(
    as_rows: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    only: Annotated[list[str] | None, typer.Option(help=f"One subject: {', '.join(SUBJECTS)}.")] = None,
    short: Annotated[bool, typer.Option("--short", help="Measure for a short time, and less exactly.")] = False,
) -> None:
    """Measure how fast the house is, beside others. The status is 1 where a goal is missed."""
    unknown = sorted(set(only or ()) - set(SUBJECTS))
    if unknown:
        typer.echo(f"boneyard: there is no subject {', '.join(unknown)}; there is {', '.join(SUBJECTS)}", err=True)
        raise typer.Exit(2)
    rows = measured(questions(only or ()), SHORT if short else FULL)
    if as_rows:
        typer.echo(as_json(rows))
    else:
        show(rows)
    raise typer.Exit(0 if all(row.met for row in rows) else 1)


if __name__ == "__main__":
    typer.run(bench)
