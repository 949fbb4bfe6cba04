"""Moves a second, and what a move costs, with one process on SQLite, one on PostgreSQL, two on it, and with a pooler.

`python -m tests.bench.load_servers --tables 64 --seconds 40`, with PostgreSQL and PgBouncer as Debian has them.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from tests.bench import load_crowd
from tests.bench.load_bots import TICKS
from tests.bench.load_run import Figures, running
from tests.postgres.bouncer import bouncer
from tests.postgres.servers import Server, server

A_SERVER: Final = 4
"""Tables of one Discord server, so that several processes have as many."""


@dataclass(frozen=True)
class Base:
    """Where matches are kept."""

    url: str
    cpu: Callable[[], float]
    """CPU seconds that its own processes have used."""


@asynccontextmanager
async def file(folder: Path) -> AsyncIterator[Base]:
    """A file, which the bot itself writes to."""
    yield Base(f"sqlite:///{folder / 'boneyard.db'}", lambda: 0.0)


@asynccontextmanager
async def direct(_: Path) -> AsyncIterator[Base]:
    """A server."""
    async with server(shared_buffers="128MB") as one:
        yield Base(await one.new_database("bones"), lambda: cpu_of(one))


@asynccontextmanager
async def pooled(_: Path) -> AsyncIterator[Base]:
    """A server behind a pooler, whose own work is not counted."""
    async with server(shared_buffers="128MB") as one, bouncer(one, connections=10) as address:
        await one.new_database("bones")
        yield Base(f"{address}/bones", lambda: cpu_of(one))


KINDS: Final[dict[str, tuple[Callable[[Path], AbstractAsyncContextManager[Base]], int]]] = {
    "one process, SQLite": (file, 1),
    "one process, PostgreSQL": (direct, 1),
    "two processes, PostgreSQL": (direct, 2),
    "two processes, PostgreSQL behind PgBouncer": (pooled, 2),
    "four processes, PostgreSQL": (direct, 4),
}


def cpu_of(one: Server) -> float:
    """CPU seconds of a PostgreSQL server: all that it has ended, and all that run."""
    assert one.process is not None
    own = one.process.pid
    children = Path(f"/proc/{own}/task/{own}/children").read_text().split()
    found = [_times(own, range(11, 15))]
    for child in children:
        try:
            found.append(_times(int(child), range(11, 13)))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sum(found) / TICKS


def _times(pid: int, which: range) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(fields[one]) for one in which)


async def measured(kind: str, tables: int, seconds: float, rate: float | None, *, blank: bool) -> dict[str, object]:
    """As fast as it goes, or at a rate."""
    made, processes = KINDS[kind]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            made(folder) as base,
            running(
                "boneyard", folder, tables, fast=["blank"] if blank else [], database=base.url, processes=processes
            ) as run,
        ):
            before = base.cpu()
            found = await (run.saturated(seconds) if rate is None else run.at_rate(rate, seconds))
            spent = base.cpu() - before
        return {**asdict(found), "server_cpu_per_move": 1000 * spent / max(1, found.moves)} | {
            "text": _line(found, spent)
        }


def _line(found: Figures, spent: float) -> str:
    acknowledged, shown = (found.milliseconds[sight] for sight in ("acknowledged", "board"))
    return (
        f"{found.moves_per_second:.1f} moves/s; CPU a move: bot {found.cpu_per_move:.1f} ms, server "
        f"{1000 * spent / max(1, found.moves):.1f} ms; bots {found.bot_cpu:.2f} cores, people {found.discord_cpu:.2f}; "
        f"acknowledged p50 {acknowledged['p50']:.0f} p99 {acknowledged['p99']:.0f} ms, board p50 {shown['p50']:.0f} "
        f"p99 {shown['p99']:.0f} ms; late {found.late}; load {found.load_average:.1f}; troubles {found.troubles}"
    )


def main(
    tables: Annotated[int, typer.Option(help="Tables of two people.")] = 64,
    seconds: Annotated[float, typer.Option(help="Of each.")] = 40,
    rate: Annotated[float | None, typer.Option(help="Moves a second; else as many as go.")] = None,
    blank: Annotated[bool, typer.Option(help="Without pictures, to see what all the rest does.")] = False,
    only: Annotated[str, typer.Option(help="A part of the name of those that are measured.")] = "",
    out: Annotated[Path | None, typer.Option(help="Write all figures as JSON.")] = None,
) -> None:
    """One after the other."""
    load_crowd.A_SERVER = A_SERVER  # type: ignore[misc]
    told: dict[str, object] = {}
    for kind in KINDS:
        if only in kind:
            told[kind] = asyncio.run(measured(kind, tables, seconds, rate, blank=blank))
            typer.echo(f"{kind}: {told[kind]['text']}")  # type: ignore[index]
    if out is not None:
        out.write_text(json.dumps({"load": os.getloadavg(), **told}, indent=1))


if __name__ == "__main__":
    typer.run(main)
