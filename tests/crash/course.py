"""One whole run: people play through a storm while bots are killed, then everything comes to rest and is judged."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from bot.playground.discord_limits import Rates
from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.crash.books import Books, Reader, reader, settled
from tests.crash.gatherings import gathered, gone_wrong
from tests.crash.herd import CLOCK, Herd
from tests.crash.hurry import Steps
from tests.crash.ledger import Ledger
from tests.crash.neighbours import Neighbours
from tests.crash.people import TABLES, Group, Terms, seated
from tests.crash.silence import unsaid_after
from tests.crash.storm import Storm
from tests.crash.troubles import OFTEN, FaultTracker
from tests.crash.verdict import Verdict, judge

STARTED = 300.0  # Seconds within which the first bot is there
REST = 400.0
"""Seconds in which everything that is due is done once the storm is over, also on a machine with much else to do."""
STOPS = 3  # How often bots come to rest and are stopped, at most: while they stop somebody's time may run out
GRACE = 60_000  # In ms of the bots' clock: what was due for longer than that when all is at rest was missed
PAUSE = (0.3, 1.7)  # Seconds between two kills, at least and at most
OVERLAP = 1.5
"""Seconds that the old and the new bot run beside one another in a deploy; most of a minute of the bots' clock."""
LOOK = 0.7  # Seconds between two looks for the fault that is wanted
AMBUSH = 0.5
"""How many kills wait for the moment in which a message has been posted and its sender does not know it yet."""


@dataclass
class Run:
    """What happened, and what was found wrong."""

    verdict: Verdict
    caught: bool
    """Whether a fault of the kind that was looked for was seen while people played; it may have healed since."""
    kills: int
    deploys: int
    asked: int
    told: int
    posted: int
    troubles: dict[str, int]
    stopped: list[int]  # Exit statuses of the bots that were told to stop at the end
    deaths: list[int]
    token: str
    log: str
    faults: list[str]  # What the local Discord refused that people would only see as "nothing happened"

    def __str__(self) -> str:
        verdict = self.verdict
        troubles = ", ".join(f"{count} {name}" for name, count in self.troubles.items())
        found = {name: len(value) for name, value in vars(verdict).items() if isinstance(value, list)}
        return (
            f"{self.kills} kills, {self.deploys} deploys, {verdict.matches} tables, "
            f"{self.asked} requests of people, {verdict.acts} acts, "
            f"{self.told} told done, {self.posted} posts, {verdict.expired} lobbies expired, "
            f"{verdict.fired} reminders and deadlines, {verdict.ahead} premoves played; {troubles}; "
            f"found {found}"
        )


async def run(
    folder: Path,
    database: str | None = None,
    *,
    kills: int,
    seed: int,
    size: int = 2,
    pause: tuple[float, float] = PAUSE,
    mutant: str = "",
    enough: str = "",
    kind: type[Herd] = Herd,
    tables: Sequence[Terms] = TABLES,
    shards: int | None = None,
    deploys: float = 0.0,
    beside: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
    befalling: Sequence[str] = (),
    often: float = OFTEN,
    rates: Rates | None = None,
) -> Run:
    rng = Random(seed)
    storm, database = Storm(rng=Random(seed)), database or f"sqlite:///{folder / 'boneyard.db'}"
    async with LocalDiscord(None, port=0, answer_within=1.5, faults=storm, rates=rates) as discord:
        ledger = Ledger(discord)
        storm.heard = ledger.answered
        store = await Store.open(database)
        around, steps = Neighbours(discord, storm, Random(seed)), Steps(folder / CLOCK)
        troubles = FaultTracker(database, storm, steps, Random(seed), around, tuple(befalling), often)
        try:
            async with (
                reader(database) as written,
                kind(discord.url, discord.token, database, folder, rng, size, mutant, shards) as herd,
                seated(discord, store, rng, tables, shards or 1) as groups,
            ):
                async with asyncio.timeout(STARTED):
                    await discord.gateway.connected.wait()
                enough_now = partial(_found, enough, written, ledger)
                for group in groups:
                    group.ahead = ledger.ahead
                killing = Killing(herd, storm, kills, pause, enough_now, troubles, lambda: bool(ledger.told), deploys)
                async with beside():
                    await killing.while_playing(groups)
                storm.raging = False
                await troubles.end()
                stopped, rested = [], None
                silent: list[str] = []
                if not killing.caught:
                    silent = await unsaid_after(written, herd.now, REST)
                    stopped = await herd.stop()
                    herd.mutant = ""
                    for _ in range(STOPS):
                        for share in range(size if shards else 1):
                            await herd.start(share)
                        rested = await _come_to_rest(written, herd)
                        stopped += await herd.stop()
                        if _is_done(await written.books(), rested):
                            break  # else something fell due as they stopped: the next ones say it
                books = await written.books()
                verdict = judge(books, ledger, rested=rested, grace=GRACE, silent=silent)
                threads = [str(one["name"]) for one in discord.world.channels.values() if "thread_metadata" in one]
                for fault, what in gone_wrong(books, ledger, threads):
                    getattr(verdict, fault).append(what)
        finally:
            await store.close()
        return Run(
            verdict,
            killing.caught,
            herd.kills,
            herd.deploys,
            sum(group.asked for group in groups),
            len(ledger.told),
            len(ledger.posted),
            storm.told | troubles.told,
            stopped,
            herd.deaths,
            discord.token,
            herd.log(),
            discord.bot_faults,
        )


async def _found(kind: str, written: Reader, ledger: Ledger) -> bool:
    return bool(kind) and kind in judge(await written.books(), ledger).faults()


@dataclass
class Killing:
    """Kills bots while people play."""

    herd: Herd
    storm: Storm
    kills: int
    pause: tuple[float, float]
    enough: Callable[[], Awaitable[bool]]
    troubles: FaultTracker
    told: Callable[[], bool]  # Whether anybody was told that something is done
    deploys: float = 0.0
    caught: bool = False

    async def while_playing(self, groups: list[Group]) -> None:
        playing = [asyncio.create_task(group.stay()) for group in groups]
        try:
            while self.herd.kills < self.kills and not self.caught:
                await self._calm(self.herd.rng.uniform(*self.pause))
                for task in playing:
                    if task.done():
                        task.result()
                if not self.caught:
                    async with self.troubles.perhaps():
                        struck = await self._struck()
                    await self.herd.replace(struck)
                if self.herd.rng.random() < self.deploys and not self.caught:
                    await self.herd.deploy(OVERLAP)
            if not self.caught:
                await self._until_told()
        finally:
            for group in groups:
                group.leaving.set()
            await asyncio.gather(*playing)

    async def _calm(self, seconds: float) -> None:
        """Let people play for so long, or until enough was found."""
        end = asyncio.get_running_loop().time() + seconds
        while not self.caught and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(LOOK, left))
            self.caught = await self.enough()

    async def _until_told(self) -> None:
        """Bots that were killed while they still began, as they do on a busy machine, have shown nothing yet."""
        with suppress(TimeoutError):
            async with asyncio.timeout(REST):
                while not self.told():  # noqa: ASYNC110 - what tells of it is another process
                    await asyncio.sleep(LOOK)

    async def _struck(self) -> int:
        """One bot is killed: at any moment, or just after it, or the other one, has posted something."""
        if self.herd.rng.random() >= AMBUSH:
            return self.herd.strike()
        struck: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def spring() -> None:
            if not struck.done():  # nobody waits any more
                struck.set_result(self.herd.strike())

        self.storm.posted = spring
        try:
            return await asyncio.wait_for(struck, 2)
        except TimeoutError:
            return self.herd.strike()
        finally:
            self.storm.posted = None


def _is_done(found: Books, now: int) -> bool:
    return settled(found, now, GRACE) and gathered(found)


async def _come_to_rest(written: Reader, herd: Herd) -> int:
    """Wait until nothing is due any more; the time on the bots' clock. What still is will be found missing."""
    quiet = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(REST):
            while quiet < 3:  # what is said is one step behind what is written
                await asyncio.sleep(0.3)
                quiet = quiet + 1 if _is_done(await written.books(), herd.now()) else 0
    return herd.now()
