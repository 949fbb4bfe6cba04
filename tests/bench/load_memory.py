"""Memory: a bot at whose tables one short match after the other is played, and what a finished match leaves behind.

`python -m tests.bench.load_memory --matches 5000 --seconds 7200 --plot docs/pictures/load-memory.svg`
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tests.bench.load_bots import Fast
from tests.bench.load_run import Figures, running

MOVES = 2
"""Of a match, before somebody resigns."""


def slope(samples: list[tuple[float, float, int]]) -> float:
    """KiB of memory for each match that finished in the second half: by least squares, so that no two moments decide.

    In the first half caches fill up that are bounded.
    """
    later = [(matches, memory) for _, memory, matches in samples[len(samples) // 2 :]]
    count = len(later)
    mean_matches, mean_memory = (sum(one[axis] for one in later) / count for axis in (0, 1))
    spread = sum((matches - mean_matches) ** 2 for matches, _ in later)
    together = sum((matches - mean_matches) * (memory - mean_memory) for matches, memory in later)
    return 1024 * together / spread if spread else float("nan")


async def short_matches(tables: int, seconds: float, matches: int | None, *, drawn: bool = True) -> Figures:
    """Many of them: so many, or as many as there is time for."""
    with tempfile.TemporaryDirectory() as name:
        fast: list[Fast] = [] if drawn else ["blank"]
        async with running("boneyard", Path(name), tables, fast=fast, resigns_after=MOVES) as run:
            return await run.saturated(seconds, matches=matches)


def main(
    tables: Annotated[int, typer.Option(help="Tables of two people.")] = 20,
    matches: Annotated[int | None, typer.Option(help="How many matches.")] = None,
    seconds: Annotated[float, typer.Option(help="How long, at most.")] = 240,
    drawn: Annotated[bool, typer.Option(help="With pictures, whose caches fill up for long.")] = True,
    plot: Annotated[Path | None, typer.Option(help="Draw memory against finished matches.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the samples as JSON.")] = None,
) -> None:
    """Play short matches and watch the memory."""
    found = asyncio.run(short_matches(tables, seconds, matches, drawn=drawn))
    per_match, most = slope(found.memory), max(memory for _, memory, _ in found.memory)
    typer.echo(f"{found}\n{per_match:+.2f} KiB a match in the second half, {most:.0f} MiB at most")
    if out is not None:
        out.write_text(json.dumps({"samples": found.memory, "slope": per_match}))
    if plot is not None:
        from tests.bench.growth_plots import draw_memory

        draw_memory(found.memory, per_match, plot)


if __name__ == "__main__":
    typer.run(main)
