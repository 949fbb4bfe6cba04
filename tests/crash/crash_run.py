"""One crash test: players play during faults and kills, then the bots become idle and the result is checked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from bot.playground.discord_limits import RateLimits
from bot.playground.server import LocalDiscord
from data.store.store import Store
from tests.crash.bot_processes import CLOCK, BotProcesses
from tests.crash.delivered_messages import DeliveryLog
from tests.crash.discord_faults import DiscordFaults
from tests.crash.fast_clock import Steps
from tests.crash.final_check import Verdict, judge
from tests.crash.guild_faults import GuildFaults
from tests.crash.machine_faults import OFTEN, FaultTracker
from tests.crash.overdue_work import unsaid_after
from tests.crash.simulated_players import TABLES, Group, Terms, seated
from tests.crash.stored_rows import Reader, StoredRows, reader, settled
from tests.crash.tournaments_and_deals import gathered, gone_wrong

STARTED = 300.0  # Seconds until the first bot is ready
REST = 400.0
"""Seconds within which all due work is done after the faults end, also on a busy machine."""
STOPS = 3  # Maximum number of shutdowns at the end, because turns may time out during a shutdown
GRACE = 60_000  # In ms of the bots' clock: work that is overdue by more at the end counts as missed
PAUSE = (0.3, 1.7)  # Minimum and maximum seconds between two kills
OVERLAP = 1.5
"""Seconds that the old and the new bot overlap in a deployment; most of a minute of the bots' clock."""
LOOK = 0.7  # Seconds between two checks for the expected fault
AMBUSH = 0.5
"""Share of kills right after a message was posted and before its sender knows."""


@dataclass
class Run:
    """The statistics and faults of a run."""

    verdict: Verdict
    caught: bool
    """Whether the expected kind of fault was seen during the run; it may have been repaired since."""
    kills: int
    deploys: int
    asked: int
    told: int
    posted: int
    troubles: dict[str, int]
    stopped: list[int]  # Exit statuses of the bots after the final stop signal
    deaths: list[int]
    token: str
    log: str
    faults: list[str]  # Requests that the local Discord rejected, which users see only as "nothing happened"

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
    kind: type[BotProcesses] = BotProcesses,
    tables: Sequence[Terms] = TABLES,
    shards: int | None = None,
    deploys: float = 0.0,
    beside: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
    befalling: Sequence[str] = (),
    often: float = OFTEN,
    rates: RateLimits | None = None,
) -> Run:
    rng = Random(seed)
    storm, database = DiscordFaults(rng=Random(seed)), database or f"sqlite:///{folder / 'boneyard.db'}"
    async with LocalDiscord(None, port=0, answer_within=1.5, faults=storm, rates=rates) as discord:
        ledger = DeliveryLog(discord)
        storm.heard = ledger.answered
        store = await Store.open(database)
        around, steps = GuildFaults(discord, storm, Random(seed)), Steps(folder / CLOCK)
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
                            break  # otherwise new work became due during the shutdown, and the next bots report it
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
            discord.bot_errors,
        )


async def _found(kind: str, written: Reader, ledger: DeliveryLog) -> bool:
    return bool(kind) and kind in judge(await written.books(), ledger).faults()


@dataclass
class Killing:
    """Kill bots while players play."""

    herd: BotProcesses
    storm: DiscordFaults
    kills: int
    pause: tuple[float, float]
    enough: Callable[[], Awaitable[bool]]
    troubles: FaultTracker
    told: Callable[[], bool]  # Whether any user got a confirmation
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
        """Let players play for this time, or until enough faults were found."""
        end = asyncio.get_running_loop().time() + seconds
        while not self.caught and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(LOOK, left))
            self.caught = await self.enough()

    async def _until_told(self) -> None:
        """Ignore bots that were killed during their start, as happens on a busy machine."""
        with suppress(TimeoutError):
            async with asyncio.timeout(REST):
                while not self.told():  # noqa: ASYNC110 - another process sets the condition
                    await asyncio.sleep(LOOK)

    async def _struck(self) -> int:
        """Kill one bot: at any moment, or right after it or the other one has posted a message."""
        if self.herd.rng.random() >= AMBUSH:
            return self.herd.strike()
        struck: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def spring() -> None:
            if not struck.done():  # all waiters are gone
                struck.set_result(self.herd.strike())

        self.storm.posted = spring
        try:
            return await asyncio.wait_for(struck, 2)
        except TimeoutError:
            return self.herd.strike()
        finally:
            self.storm.posted = None


def _is_done(found: StoredRows, now: int) -> bool:
    return settled(found, now, GRACE) and gathered(found)


async def _come_to_rest(written: Reader, herd: BotProcesses) -> int:
    """Wait until no work is due. Return the time on the bots' clock. Remaining work is reported as missing later."""
    quiet = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(REST):
            while quiet < 3:  # messages follow one step after the stored data
                await asyncio.sleep(0.3)
                quiet = quiet + 1 if _is_done(await written.books(), herd.now()) else 0
    return herd.now()
