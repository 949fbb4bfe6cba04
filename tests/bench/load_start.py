"""Starting: how long a bot takes to READY, with nothing in its database and with very many open matches.

`python -m tests.bench.load_start` prints both, after a stop of a minute and after one so long that time is given back.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import Annotated, Final

import typer

from bot.playground.server import LocalDiscord
from bot.service.acts import Acts
from bot.service.invitations import Invitation
from bot.service.repayment import Repayment
from bot.service.tables import Tables
from data.store import Outage, Store
from data.store.shards import PULSE, Shard
from engine.actions import Action
from engine.players import greedy
from engine.seen import see
from engine.table.commands import Act, Join, Look
from tests.bench.load_bots import BotProcess

MATCHES: Final = 10_000
MOVES: Final = 12
"""Played at each of the open tables."""
SERVERS: Final = 100
MINUTE: Final = 60_000  # ms
COPIED: Final = {
    "matches": ("match_id", "channel_id", "guild_id"),
    "seats": ("match_id", "user_id"),
    "participants": ("match_id", "user_id"),
    "events": ("match_id",),
}
"""Tables that are copied for every further match, and the numbers in them that differ."""


@dataclass(frozen=True)
class Start:
    """From the start of the process to READY."""

    seconds: float
    cpu: float
    """CPU seconds of the process."""


async def with_open_matches(file: Path, count: int, *, away: int, clock: str = "days 3d") -> None:
    """A database with so many open matches, of a bot that stopped `away` ms ago. Half of them have a clock."""
    now = time.time_ns() // 1_000_000 - away
    store = await Store.open(f"sqlite:///{file}")
    try:
        if count:
            for number, pace in enumerate((clock, "relaxed")):
                await _played(store, now, 1 + number, pace)
    finally:
        await store.close()
    await asyncio.to_thread(_copy, file, count)
    # Very many take minutes, and the bot is away for no longer than it is to be.
    store = await Store.open(f"sqlite:///{file}")
    try:
        await store.pulse(PULSE, now=time.time_ns() // 1_000_000 - away)
    finally:
        await store.close()


async def _played(store: Store, now: int, number: int, clock: str) -> None:
    """A match in which some moves have been made."""
    requests, rng, tables = itertools.count(10 * number * MOVES), Random(number), Tables(store)
    acts = Acts(store, tables, lambda: now, lambda: rng.randbytes(32))
    asked = Invitation(guild_id=1, channel_id=number, host_id=10 * number, game="triominoes", seats=2, clock=clock)
    table = await acts.open(asked, request=next(requests))
    table = (await acts.act(table.head.match_id, Join(10 * number + 1), request=next(requests))).table
    for _ in range(MOVES):
        user, seat = table.turn_user(), table.match.turn
        assert user is not None
        action = greedy.choose(see(table.match, seat), rng)
        acted = await acts.act(table.head.match_id, Act(user, _always(action)), request=next(requests))
        table = acted.table
        if table.state.unsettled is not None and (following := table.turn_user()) is not None:
            table = (await acts.act(table.head.match_id, Look(following))).table


def _always(action: Action) -> Callable[[int], Action]:
    return lambda _: action


def _copy(file: Path, count: int) -> None:
    """Many more like the two that are there, each in a channel of its own, shown and with nothing left to say."""
    with closing(sqlite3.connect(file)) as base, base:
        base.execute("PRAGMA foreign_keys = off")
        base.execute(
            "CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS "
            f"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {max(1, count // 2) - 1}) SELECT i FROM n"
        )
        base.execute("DELETE FROM outbox")
        base.execute("DELETE FROM requests")
        base.execute("UPDATE matches SET shown_seq = seq, board_message_id = match_id")
        if count > 2:
            for table, numbers in COPIED.items():
                names = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
                read = [
                    f"{name} + 10000 * i"
                    if name in numbers[:2]
                    else f"{name} + i % {SERVERS}"
                    if name in numbers
                    else name
                    for name in names
                ]
                query = f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(read)} FROM {table}, numbers"
                base.execute(query)


async def start(folder: Path, database: Path) -> Start:
    """Start a bot on a database, see it connect, and stop it."""
    async with LocalDiscord(None, port=0) as discord:
        for number in range(SERVERS):
            discord.world.add_guild(f"Server {number}")
        began = time.perf_counter()
        bot = await BotProcess.started("boneyard", discord.url, discord.token, folder, database=f"sqlite:///{database}")
        try:
            async with asyncio.timeout(300):
                await discord.gateway.connected.wait()
            return Start(time.perf_counter() - began, bot.cpu)
        finally:
            await bot.stop()


async def compare(count: int, repeats: int, *, away: int) -> tuple[list[Start], list[Start]]:
    """Starts with an empty database and with `count` open matches, in turns; each on a fresh copy."""
    empty: list[Start] = []
    full: list[Start] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The first start of all compiles and warms what the others find ready.
        for number in range(repeats + 1):
            for kept, matches in ((empty, 0), (full, count)):
                file = folder / f"{matches}-{number}.db"
                await with_open_matches(file, matches, away=away)
                found = await start(folder, file)
                if number:
                    kept.append(found)
    return empty, full


async def given_back(count: int, *, away: int) -> tuple[int, float]:
    """What the sweeps after READY have to do: how many clocks get their time back, and the CPU seconds of that."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "boneyard.db"
        await with_open_matches(file, count, away=away)
        store = await Store.open(f"sqlite:///{file}")
        try:
            stopped, now = (await store.pulses())[PULSE], time.time_ns() // 1_000_000
            await store.note_outage(Shard(), Outage(start=stopped, end=now), pulse=stopped)
            began = time.process_time()
            tables = Tables(store)
            acts = Acts(store, tables, lambda: now, lambda: bytes(32))
            clocks = await Repayment(store, tables, acts).finish()
            return len(clocks), time.process_time() - began
        finally:
            await store.close()


def ratio(empty: list[Start], full: list[Start]) -> float:
    """By CPU, the median of the pairs: the wall clock of a shared machine tells little."""
    return median(more.cpu / less.cpu for less, more in zip(empty, full, strict=True))


async def measured(count: int, repeats: int) -> None:
    """Start in turns, and print what it took."""
    for away in (MINUTE, 60 * MINUTE):
        empty, full = await compare(count, repeats, away=away)
        for name, found in (("empty", empty), (f"{count:,} open matches", full)):
            wall, cpu = median(one.seconds for one in found), median(one.cpu for one in found)
            print(f"away for {away // MINUTE} min, {name}: {wall:.2f} s, {cpu:.2f} s CPU to READY", flush=True)
        print(f"  ratio of CPU {ratio(empty, full):.2f}", flush=True)
    clocks, cpu = await given_back(count, away=60 * MINUTE)
    print(f"after READY: {clocks:,} clocks given their time back in {cpu:.2f} s CPU")


def main(
    matches: Annotated[int, typer.Option(help="Open matches in the full database.")] = MATCHES,
    repeats: Annotated[int, typer.Option(help="Starts of each kind.")] = 5,
) -> None:
    """Start a bot with nothing in its database, and with many open matches."""
    asyncio.run(measured(matches, repeats))


if __name__ == "__main__":
    typer.run(main)
