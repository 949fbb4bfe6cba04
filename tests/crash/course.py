"""One whole run: people play through a storm while bots are killed, then everything comes to rest and is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bot.playground.server import LocalDiscord
from data.store import Store
from tests.crash.herd import Herd
from tests.crash.ledger import Ledger
from tests.crash.people import TABLES, Group, Terms, seated
from tests.crash.storm import Storm
from tests.crash.verdict import Verdict, books, judge, settled

REST = 30.0
"""Seconds in which everything that is due is done once the storm is over."""
PAUSE = (0.3, 1.7)
"""Seconds between two kills, at least and at most."""
AMBUSH = 0.5
"""How many kills wait for the moment in which a message has been posted and its sender does not know it yet."""


@dataclass
class Run:
    """What happened, and what was found wrong."""

    verdict: Verdict
    caught: bool
    """Whether a fault of the kind that was looked for was seen while people played; it may have healed since."""
    kills: int
    asked: int
    told: int
    posted: int
    troubles: dict[str, int]
    stopped: list[int]
    """Exit statuses of the bots that were told to stop at the end."""
    deaths: list[int]
    token: str
    log: str
    faults: list[str]
    """What the local Discord refused that people would only see as "nothing happened"."""

    def __str__(self) -> str:
        verdict = self.verdict
        troubles = ", ".join(f"{count} {name}" for name, count in self.troubles.items())
        found = {name: len(value) for name, value in vars(verdict).items() if isinstance(value, list)}
        return (
            f"{self.kills} kills, {verdict.matches} tables, {self.asked} requests of people, {verdict.acts} acts, "
            f"{self.told} told done, {self.posted} posts, {verdict.expired} lobbies expired, "
            f"{verdict.fired} reminders and deadlines; {troubles}; "
            f"found {found}"
        )


async def run(
    folder: Path,
    *,
    kills: int,
    seed: int,
    size: int = 2,
    pause: tuple[float, float] = PAUSE,
    mutant: str = "",
    enough: str = "",
    kind: type[Herd] = Herd,
    tables: Sequence[Terms] = TABLES,
) -> Run:
    """Let people play until `kills` bots were killed, or until a fault of the kind `enough` is found.

    `pause` are the seconds between two kills, at least and at most; `kind` is how the bots are started.
    """
    rng = Random(seed)
    storm, file = Storm(rng=Random(seed)), folder / "boneyard.db"
    database = f"sqlite:///{file}"
    async with LocalDiscord(None, port=0, answer_within=1.5, faults=storm) as discord:
        ledger = Ledger(discord)
        storm.heard = ledger.answered
        store = await Store.open(database)
        try:
            async with (
                kind(discord.url, discord.token, database, folder, rng, size, mutant) as herd,
                seated(discord, store, rng, tables) as groups,
            ):
                await discord.gateway.connected.wait()
                killing = Killing(herd, storm, kills, pause, lambda: _found(enough, str(file), ledger))
                await killing.while_playing(groups)
                storm.raging = False
                stopped = await herd.stop()
                herd.mutant = ""
                await herd.start()
                await _come_to_rest(str(file))
                stopped += await herd.stop()
                verdict = judge(books(str(file)), ledger)
        finally:
            await store.close()
        return Run(
            verdict,
            killing.caught,
            herd.kills,
            sum(group.asked for group in groups),
            len(ledger.told),
            len(ledger.posted),
            storm.told,
            stopped,
            herd.deaths,
            discord.token,
            herd.log(),
            discord.bot_faults,
        )


def _found(kind: str, file: str, ledger: Ledger) -> bool:
    """Whether a fault of this kind has shown by now. One of those that can be seen at any moment."""
    return bool(kind) and kind in judge(books(file), ledger).faults()


@dataclass
class Killing:
    """Kills bots while people play."""

    herd: Herd
    storm: Storm
    kills: int
    pause: tuple[float, float]
    enough: Callable[[], bool]
    caught: bool = False

    async def while_playing(self, groups: list[Group]) -> None:
        """Until there were enough kills, or enough was found."""
        playing = [asyncio.create_task(group.stay()) for group in groups]
        try:
            while self.herd.kills < self.kills and not self.caught:
                await asyncio.sleep(self.herd.rng.uniform(*self.pause))
                await self.herd.replace(await self._struck())
                for task in playing:
                    if task.done():
                        task.result()
                self.caught = self.enough()
        finally:
            for group in groups:
                group.leaving.set()
            await asyncio.gather(*playing)

    async def _struck(self) -> int:
        """One bot is killed: at any moment, or just after it, or the other one, has posted something."""
        if self.herd.rng.random() >= AMBUSH:
            return self.herd.strike()
        struck: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.storm.posted = lambda: struck.set_result(self.herd.strike())
        try:
            return await asyncio.wait_for(struck, 2)
        except TimeoutError:
            self.storm.posted = None
            return self.herd.strike()


async def _come_to_rest(file: str) -> None:
    """Wait until nothing is due any more. What still is after a long time will be found missing."""
    quiet = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(REST):
            while quiet < 3:  # what is said is one step behind what is written
                await asyncio.sleep(0.3)
                quiet = quiet + 1 if settled(books(file)) else 0
