"""Load: a bot process against the local Discord in this one, with people who play at many tables.

`python -m tests.bench.load --tables 500 --seconds 60` finds the rate at which the bot is saturated, then plays at
70 % of it, then does the same with a bot that does nothing but answer.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tests.bench import load_start
from tests.bench.load_bots import Fast, Kind, versions
from tests.bench.load_run import Figures, pictures, running
from tests.bench.measure import FULL, Effort
from tests.bench.rows import row

SHARE: Final = 0.7
"""Of the saturation rate, at which latencies are measured."""
KINDS: Final[tuple[Kind, ...]] = ("boneyard", "nothing")
FEW_TABLES: Final = 20
"""Of the run that is part of the table."""


async def whole(
    kind: Kind,
    folder: Path,
    tables: int,
    seconds: float,
    *,
    fast: Sequence[Fast] = (),
    rate: float | None = None,
    level: str = "",
    told: bool = True,
) -> dict[str, Figures]:
    """Saturation, and 70 % of it unless another rate is given, with a computer of this level at each table, if any."""
    async with running(kind, folder, tables, fast=fast, level=level) as run:
        most = await run.saturated(seconds / 2)
        if told:
            typer.echo(f"{kind} {' '.join(fast)} saturated: {most}", err=True)
        steady = await run.at_rate(rate or SHARE * most.moves_per_second, seconds)
        if told:
            typer.echo(f"{kind} {' '.join(fast)} steady: {steady}", err=True)
        if kind == "boneyard":
            await pictures(run, folder)
    return {"saturated": most, "steady": steady}


# -- the rows of the table: a short run, of which the long one is the command


@cache
def evening(seconds: float) -> dict[str, dict[str, Figures]]:
    """Both bots, one after the other, at a few tables."""
    with tempfile.TemporaryDirectory() as name:
        return {kind: asyncio.run(whole(kind, Path(name), FEW_TABLES, seconds, told=False)) for kind in KINDS}


def _evening(effort: Effort) -> dict[str, dict[str, Figures]]:
    return evening(20.0 if effort == FULL else 8.0)


@row("process: CPU a move / a bot that only answers", goal=4, better="less")
def beside_nothing(effort: Effort) -> float:
    found = _evening(effort)
    return found["boneyard"]["steady"].cpu_per_move / found["nothing"]["steady"].cpu_per_move


@row(
    "a real bot process: acknowledgement p99 at 70 % of the rate that saturates it", goal=500, better="less", unit="ms"
)
def acknowledged(effort: Effort) -> float:
    return _evening(effort)["boneyard"]["steady"].milliseconds["acknowledged"]["p99"]


@row("a real bot process: acknowledgement p99 with a master at each of 20 tables", goal=500, better="less", unit="ms")
def acknowledged_beside_masters(effort: Effort) -> float:
    """As above, at 70 % of the rate that saturates such tables: somebody waits for a master's move all the time."""
    with tempfile.TemporaryDirectory() as name:
        seconds = 20.0 if effort == FULL else 8.0
        found = asyncio.run(whole("boneyard", Path(name), FEW_TABLES, seconds, level="master", told=False))
    return found["steady"].milliseconds["acknowledged"]["p99"]


@row("a real bot process: acknowledgements later than 3 s", goal=0, better="less", unit="late")
def late(effort: Effort) -> float:
    return float(sum(part.late for part in _evening(effort)["boneyard"].values()))


@row("start-up to READY: CPU with 10,000 open matches, to none", goal=1.1, better="less")
def starting(effort: Effort) -> float:
    empty, full = asyncio.run(
        load_start.compare(load_start.MATCHES, 5 if effort == FULL else 3, away=load_start.MINUTE)
    )
    return load_start.ratio(empty, full)


def main(
    tables: Annotated[int, typer.Option(help="Tables of two people.")] = 500,
    seconds: Annotated[float, typer.Option(help="Of the steady part; saturation is sought for half of it.")] = 60,
    rate: Annotated[
        float | None, typer.Option(help="Moves a second of the steady part; else 70 % of the most.")
    ] = None,
    fast: Annotated[bool, typer.Option(help="Also with uvloop, with orjson, and with both.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write all figures as JSON.")] = None,
) -> None:
    """Put a bot under load, and the do-nothing bot under the same."""
    variants: list[tuple[Fast, ...]] = [()]
    if fast:
        variants += [("uvloop",), ("orjson",), ("uvloop", "orjson")]
    figures: dict[str, Any] = {"versions": versions(), "tables": tables}
    for variant in variants:
        with tempfile.TemporaryDirectory() as name:
            for kind in KINDS:
                found = asyncio.run(whole(kind, Path(name), tables, seconds, fast=variant, rate=rate))
                figures["+".join((kind, *variant))] = {part: asdict(one) for part, one in found.items()}
        if out is not None:
            out.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    typer.run(main)
