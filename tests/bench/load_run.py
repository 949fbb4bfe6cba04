"""A bot process against the local Discord in this one, with people at its tables, and what is seen over some time."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Final

from bot.playground.server import LocalDiscord
from data.store import Store
from tests.bench.load_bots import BotProcess, Bots, Fast, Kind
from tests.bench.load_crowd import Crowd
from tests.bench.load_party import GIVES_UP, Habits
from tests.bench.load_watch import LATE, Watch, quantile

PATIENCE: Final = 300.0
"""Seconds after which a bot that has not begun, or has called nobody, will not: it starts beside much else."""
AT_ONCE: Final = 10
"""Turns that are always under way when the saturation rate is sought."""
SAMPLE: Final = 1.0
"""Seconds between two looks at the memory."""


@dataclass
class Figures:
    """What was seen over some time."""

    seconds: float
    moves: int
    matches: int
    moves_per_second: float
    bot_cpu: float
    """Of the bot, in cores."""
    discord_cpu: float
    """Of the local Discord and all people, in cores."""
    load_average: float
    """Of the whole machine, others included."""
    memory_start: float
    memory_end: float
    milliseconds: dict[str, dict[str, float]]
    """p50, p99 and the longest of each sight."""
    late: int
    """First responses that took longer than Discord waits."""
    troubles: dict[str, int]
    cpu_per_move: float
    """ms of the bot's CPU."""
    memory: list[tuple[float, float, int]] = field(default_factory=list, repr=False)
    """(seconds, MiB, finished matches)"""

    def __str__(self) -> str:
        sights = "; ".join(
            f"{sight} p50 {found['p50']:.0f} p99 {found['p99']:.0f} max {found['max']:.0f} ms"
            for sight, found in self.milliseconds.items()
        )
        return (
            f"{self.moves_per_second:.1f} moves/s ({self.moves} in {self.seconds:.0f} s, {self.matches} matches over), "
            f"CPU bot {self.bot_cpu:.2f} + Discord {self.discord_cpu:.2f} cores, load {self.load_average:.1f}, "
            f"{self.cpu_per_move:.1f} ms CPU a move, memory {self.memory_start:.0f} -> {self.memory_end:.0f} MiB, "
            f"late {self.late}; {sights}; troubles {self.troubles}"
        )


@dataclass
class Run:
    """A bot with people at its tables."""

    discord: LocalDiscord
    crowd: Crowd
    bot: Bots
    ready: float
    """Seconds from the start of the process to READY."""

    async def over(self, seconds: float, matches: int | None = None) -> Figures:
        """What happens in this time, or until so many matches are over."""
        watch = self.crowd.watch
        watch.begin()
        bot, own, memory = self.bot.cpu, process_time(), self.bot.memory
        samples = []
        while watch.seconds < seconds and (matches is None or watch.matches < matches):
            await asyncio.sleep(min(SAMPLE, max(0.05, seconds - watch.seconds)))
            samples.append((watch.seconds, self.bot.memory, watch.matches))
        return _figures(watch, self.bot.cpu - bot, process_time() - own, memory, samples)

    async def saturated(self, seconds: float, *, at_once: int = AT_ONCE, matches: int | None = None) -> Figures:
        """As fast as it goes, with so many turns always under way, or until so many matches are over."""
        self.crowd.pace.at_once = at_once
        self.crowd.habits.between = 0
        self.crowd.pace.set_rate(None)
        await asyncio.sleep(min(3.0, seconds / 4))
        return await self.over(seconds, matches)

    async def at_rate(self, rate: float, seconds: float) -> Figures:
        """So many turns a second, begun at random moments."""
        self.crowd.habits.between = 0.3
        self.crowd.pace.set_rate(rate)
        await asyncio.sleep(min(5.0, seconds / 4))
        return await self.over(seconds)


def _figures(watch: Watch, bot: float, own: float, memory: float, samples: list[tuple[float, float, int]]) -> Figures:
    seconds, moves = watch.seconds, watch.moves
    sights: dict[str, dict[str, float]] = {
        sight: {
            "p50": 1000 * quantile(found, 0.5),
            "p99": 1000 * quantile(found, 0.99),
            "max": 1000 * max(found),
            "count": len(found),
        }
        for sight, found in sorted(watch.sights.items())
    }
    late = sum(one > LATE for one in watch.sights.get("acknowledged", ()))
    return Figures(
        seconds=seconds,
        moves=moves,
        matches=watch.matches,
        moves_per_second=moves / seconds,
        bot_cpu=bot / seconds,
        discord_cpu=own / seconds,
        load_average=os.getloadavg()[0],
        memory_start=memory,
        memory_end=samples[-1][1],
        milliseconds=sights,
        late=late + watch.troubles["not acknowledged in time"],
        troubles={name: count for name, count in watch.troubles.items() if count},
        cpu_per_move=1000 * bot / max(1, moves),
        memory=samples,
    )


@asynccontextmanager
async def running(
    kind: Kind,
    folder: Path,
    tables: int,
    *,
    fast: Sequence[Fast] = (),
    resigns_after: int | None = None,
    target: int = 400,
    level: str = "",
    seed: int = 1,
    database: str = "",
    processes: int = 1,
    late: float = LATE,
    patience: float = GIVES_UP,
) -> AsyncIterator[Run]:
    """A bot whose tables all wait for their first move. The do-nothing bot takes the pictures that lie in `folder`.

    A computer of this `level` sits at each table, where one is named. The `database` is a new file there unless another
    is named; several `processes` share the servers. Discord gives up after `late` seconds, people after `patience`.
    """
    async with LocalDiscord(None, port=0, answer_within=late) as discord:
        habits = Habits(
            target, between=0, resigns_after=resigns_after, level=level, opens=kind != "nothing", patience=patience
        )
        crowd = Crowd(discord, tables, Random(seed), habits)
        crowd.pace.at_once = 0
        database = database or f"sqlite:///{folder / 'boneyard.db'}"
        people = {channel: [int(one["id"]) for one in party.people] for channel, party in crowd.parties.items()}
        if habits.opens:
            await _want_no_look(database, crowd)
        else:
            told = {"tables": people, "quick": [int(one) for one in crowd.quick]}
            (folder / "tables.json").write_text(json.dumps(told))
        began = perf_counter()
        shares = [f"{one}/{processes}" for one in range(processes)] if processes > 1 else [""]
        bot = Bots(
            [
                await BotProcess.started(
                    kind, discord.url, discord.token, folder, database=database, fast=fast, share=share
                )
                for share in shares
            ]
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await discord.gateway.connected.wait()
            ready = perf_counter() - began
            await _commands(discord, crowd)
            crowd.begin()
            async with asyncio.timeout(PATIENCE + tables):
                await crowd.all_called()
            yield Run(discord, crowd, bot, ready)
        finally:
            await crowd.leave()
            await bot.stop()


async def _want_no_look(database: str, crowd: Crowd) -> None:
    """Some people have said that they want to play at once."""
    store = await Store.open(database)
    for user in sorted(crowd.quick):
        await store.set_person(int(user), quick=True, now=1)
    await store.close()


async def _commands(discord: LocalDiscord, crowd: Crowd) -> None:
    """Wait until the bot has told its commands."""
    guild = next(iter(crowd.parties.values())).channel["guild_id"]
    async with asyncio.timeout(PATIENCE):
        while discord.commands.named(guild, "tiles") is None:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def pictures(run: Run, folder: Path) -> None:
    """Keep a hand and a board of this run, of the size in the middle, for the do-nothing bot."""
    found: dict[str, list[bytes]] = {"hand": [], "board": []}
    for party in list(run.crowd.parties.values())[:60]:
        timeline = run.discord.world.talk.timelines[party.channel["id"]]
        shown = list(party.hands.values()) + [post.body for post in timeline.everything()]
        for body in shown:
            for one in body["attachments"]:
                name = one["filename"].removesuffix(".png")
                path = str(one["url"]).removeprefix("/attachments/")
                data = await run.discord._shelf.blob(path)
                if name in found and data:
                    found[name].append(data)
    for name, all_ in found.items():
        (folder / f"{name}.png").write_bytes(sorted(all_, key=len)[len(all_) // 2])
