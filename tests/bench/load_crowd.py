"""Many tables of two in a local Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

from bot.playground.news import Happening
from bot.playground.server import LocalDiscord
from tests.bench.load_pace import Pace
from tests.bench.load_party import Habits, Party
from tests.bench.load_watch import Watch

A_SERVER: Final = 50
"""Tables of one server."""
QUICK: Final = 0.5
"""Of all people, so many want no second look before a move."""


async def _at_once() -> None:
    """Nothing to wait for."""


@dataclass
class Crowd:
    """All tables and their people. Make it before the bot connects."""

    discord: LocalDiscord
    tables: int
    rng: Random
    habits: Habits
    watch: Watch = field(default_factory=Watch)
    parties: dict[str, Party] = field(default_factory=dict)
    quick: set[str] = field(default_factory=set)
    opening: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(8))
    """Not everybody opens a table at the same moment."""
    rest: Callable[[], Awaitable[None]] = _at_once
    """What everybody waits for before the next thing they do."""
    playing: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        world = self.discord.world
        self.pace = Pace(Random(self.rng.random()))
        for number in range(self.tables):
            if number % A_SERVER == 0:
                guild = world.add_guild(f"Server {number // A_SERVER}")
            channel = world.add_channel(f"table-{number}", guild_id=guild["id"])
            people = (world.add_person(f"Ada {number}"), world.add_person(f"Grace {number}"))
            self.quick |= {person["id"] for person in people if self.rng.random() < QUICK}
            self.parties[channel["id"]] = Party(self, channel, people, Random(self.rng.random()))
        world.news.listen(self._hear)

    def _hear(self, happening: Happening) -> None:
        if happening.kind in ("message_create", "message_update", "message_delete"):
            party = self.parties.get(happening.data["channel_id"])
            if party is not None:
                party.hear(happening)
        elif happening.kind == "interaction_done":
            self.watch.done(happening.data["interaction_id"])
        elif happening.kind == "interaction_failed":
            self.watch.failed(happening.data["interaction_id"])

    def begin(self) -> None:
        """Everybody sits down."""
        self.playing = [asyncio.create_task(party.play()) for party in self.parties.values()]

    async def all_called(self) -> None:
        """Wait until every table waits for somebody to move."""
        while not all(party.waits for party in self.parties.values()):
            for task in self.playing:
                if task.done():
                    task.result()
            await asyncio.sleep(0.2)

    async def leave(self) -> None:
        """Everybody gets up where they are."""
        self.pace.set_rate(None)
        for task in self.playing:
            task.cancel()
        for task in self.playing:
            with suppress(asyncio.CancelledError):
                await task
