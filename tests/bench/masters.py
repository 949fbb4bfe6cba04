"""Twenty masters who think at the same time: what the bot's own process notices of it, and what theirs need."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter, process_time
from typing import Final, TypeVar, get_args

from bot.base.metrics import REGISTRY
from bot.service.thinking import Chooser
from bot.service.workers import Workers
from engine.table.state import Stumble
from tests.bench.boards import course
from tests.bench.measure import Effort
from tests.bench.moves import TICK
from tests.bench.rows import row

MASTERS: Final = 20
"""At so many tables, each of another host, it is a master's turn all the time."""

T = TypeVar("T")


def thoughts(how: str) -> float:
    """How many moves of masters went so."""
    return REGISTRY.get_sample_value("boneyard_thoughts_total", {"level": "master", "how": how}) or 0.0


def moves() -> float:
    """How many there were in all."""
    return sum(map(thoughts, get_args(Stumble))) + thoughts("thought")


@row("masters: the event loop's stall while 20 of them think, p99", goal=5, better="less", unit="ms")
def stall(effort: Effort) -> float:
    """How late a tick of half a millisecond is, in wall time: a machine with other work to do is late by itself."""

    async def ticks(until: float, _: Workers) -> float:
        late: list[float] = []
        while perf_counter() < until:
            before = perf_counter()
            await asyncio.sleep(TICK)
            late.append(perf_counter() - before - TICK)
        return quantiles(late, n=100)[98] * 1000

    return asyncio.run(_while_they_think(max(2.0, effort.pairs * effort.seconds), ticks))


@row("masters: CPU of the bot's process a move of theirs", goal=2, better="less", unit="ms")
def own_part(effort: Effort) -> float:
    """What asking, waiting and the siblings' moves cost the process in which everybody else is served."""

    async def spent(until: float, _: Workers) -> float:
        before, made = process_time(), moves()
        await asyncio.sleep(until - perf_counter())
        return (process_time() - before) / (moves() - made) * 1000

    return asyncio.run(_while_they_think(max(2.0, effort.pairs * effort.seconds), spent))


@row("masters: memory of a process that thinks", goal=100, better="less", unit="MB")
def memory(effort: Effort) -> float:
    """The most that it has had resident, the code it has read included."""

    async def most(until: float, workers: Workers) -> float:
        await asyncio.sleep(until - perf_counter())
        status = Path(f"/proc/{workers.pids[0]}/status").read_text(encoding="ascii")  # noqa: ASYNC240 - it is no disk
        return int(status.split("VmHWM:")[1].split()[0]) / 1000

    return asyncio.run(_while_they_think(2.0, most))


async def _while_they_think(seconds: float, look: Callable[[float, Workers], Awaitable[T]]) -> T:
    """What `look` finds until a time, once the first process has begun to think."""
    workers, positions = Workers(), [seen for _, seen in course() if len(seen.moves) > 1]
    chooser = Chooser(Random(1), workers)
    begun, over = thoughts("thought"), False

    async def play(table: int) -> None:
        at = table
        while not over:
            at += 1
            await chooser.choose("master", positions[at % len(positions)], whose=table)
            # A table whose sibling has moved is shown, and its next turn comes; nobody moves without end.
            await asyncio.sleep(0.05)

    playing = [asyncio.create_task(play(number)) for number in range(MASTERS)]
    while thoughts("thought") == begun:  # noqa: ASYNC110 - once, before anything is measured
        await asyncio.sleep(0.05)
    try:
        return await look(perf_counter() + seconds, workers)
    finally:
        over = True
        for one in playing:
            one.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await workers.end()
