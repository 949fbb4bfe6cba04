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
from tests.crash.bot_processes import CLOCK_FILE, BotProcesses
from tests.crash.delivered_messages import DeliveryLog
from tests.crash.discord_faults import DiscordFaults
from tests.crash.fast_clock import ClockOffset
from tests.crash.final_check import Verdict, judge
from tests.crash.guild_faults import GuildFaults
from tests.crash.machine_faults import FAULT_RATE, FaultInjector
from tests.crash.overdue_work import find_overdue_work
from tests.crash.simulated_players import TABLES, PlayerGroup, TableTerms, seat_players
from tests.crash.stored_rows import RowReader, StoredRows, is_settled, open_row_reader
from tests.crash.tournaments_and_deals import is_finished, iterate_faults

START_TIMEOUT = 300.0  # Seconds until the first bot is ready
IDLE_TIMEOUT = 400.0
"""Seconds within which all due work is done after the faults end, also on a busy machine."""
MAX_SHUTDOWNS = 3  # Maximum number of shutdowns at the end, because turns may time out during a shutdown
OVERDUE_GRACE = 60_000  # In ms of the bots' clock: work that is overdue by more at the end counts as missed
KILL_PAUSE = (0.3, 1.7)  # Minimum and maximum seconds between two kills
DEPLOY_OVERLAP = 1.5
"""Seconds that the old and the new bot overlap in a deployment; most of a minute of the bots' clock."""
CHECK_INTERVAL = 0.7  # Seconds between two checks for the expected fault
KILL_AFTER_POST_SHARE = 0.5
"""Share of kills right after a message was posted and before its sender knows."""


@dataclass
class RunResult:
    verdict: Verdict
    is_detected: bool
    """Whether the expected kind of fault was seen during the run; it may have been repaired since."""
    kills: int
    deploys: int
    confirmation_count: int
    fault_counts: dict[str, int]
    stop_statuses: list[int]  # Exit statuses of the bots after the final stop signal
    crash_statuses: list[int]
    token: str
    log: str
    discord_errors: list[str]  # Requests that the local Discord rejected, which users see only as "nothing happened"


async def run(
    folder: Path,
    database: str | None = None,
    *,
    kills: int,
    seed: int,
    size: int = 2,
    pause: tuple[float, float] = KILL_PAUSE,
    mutant: str = "",
    stop_at_fault: str = "",
    bots_class: type[BotProcesses] = BotProcesses,
    tables: Sequence[TableTerms] = TABLES,
    shards: int | None = None,
    deploys: float = 0.0,
    fault_context: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
    fault_kinds: Sequence[str] = (),
    fault_rate: float = FAULT_RATE,
    rate_limits: RateLimits | None = None,
) -> RunResult:
    rng = Random(seed)
    discord_faults, database = DiscordFaults(rng=Random(seed)), database or f"sqlite:///{folder / 'boneyard.db'}"
    async with LocalDiscord(None, port=0, answer_within=1.5, faults=discord_faults, rates=rate_limits) as discord:
        delivery_log = DeliveryLog(discord)
        discord_faults.on_response = delivery_log.record_response
        store = await Store.open(database)
        guild_faults, clock = GuildFaults(discord, discord_faults, Random(seed)), ClockOffset(folder / CLOCK_FILE)
        fault_injector = FaultInjector(
            database, discord_faults, clock, Random(seed), guild_faults, tuple(fault_kinds), fault_rate
        )
        try:
            async with (
                open_row_reader(database) as reader,
                bots_class(discord.url, discord.token, database, folder, rng, size, mutant, shards) as bots,
                seat_players(discord, store, rng, tables, shards or 1) as groups,
            ):
                async with asyncio.timeout(START_TIMEOUT):
                    await discord.gateway.connected.wait()
                has_fault = partial(_has_fault, stop_at_fault, reader, delivery_log)
                for group in groups:
                    group.premoves = delivery_log.premoves
                killer = BotKiller(
                    bots,
                    discord_faults,
                    kills,
                    pause,
                    has_fault,
                    fault_injector,
                    lambda: bool(delivery_log.confirmations),
                    deploys,
                )
                async with fault_context():
                    await killer.kill_while_playing(groups)
                discord_faults.is_active = False
                await fault_injector.end()
                stop_statuses, idle_at = [], None
                overdue: list[str] = []
                if not killer.is_detected:
                    overdue = await find_overdue_work(reader, bots.read_clock, IDLE_TIMEOUT)
                    stop_statuses = await bots.stop()
                    bots.mutant = ""
                    for _ in range(MAX_SHUTDOWNS):
                        for share in range(size if shards else 1):
                            await bots.start(share)
                        idle_at = await _wait_until_idle(reader, bots)
                        stop_statuses += await bots.stop()
                        if _is_done(await reader.read_rows(), idle_at):
                            break  # otherwise new work became due during the shutdown, and the next bots report it
                rows = await reader.read_rows()
                verdict = judge(rows, delivery_log, idle_at=idle_at, grace=OVERDUE_GRACE, silent=overdue)
                threads = [str(one["name"]) for one in discord.world.channels.values() if "thread_metadata" in one]
                for fault, description in iterate_faults(rows, delivery_log, threads):
                    getattr(verdict, fault).append(description)
        finally:
            await store.close()
        return RunResult(
            verdict,
            killer.is_detected,
            bots.kills,
            bots.deploys,
            len(delivery_log.confirmations),
            fault_injector.fault_counts,
            stop_statuses,
            bots.crash_statuses,
            discord.token,
            bots.read_log(),
            discord.replies.bot_errors,
        )


async def _has_fault(kind: str, reader: RowReader, delivery_log: DeliveryLog) -> bool:
    return bool(kind) and kind in judge(await reader.read_rows(), delivery_log).collect_faults()


@dataclass
class BotKiller:
    bots: BotProcesses
    discord_faults: DiscordFaults
    kills: int
    pause: tuple[float, float]
    has_fault: Callable[[], Awaitable[bool]]
    fault_injector: FaultInjector
    has_confirmation: Callable[[], bool]  # Whether any user got a confirmation
    deploy_rate: float = 0.0
    is_detected: bool = False

    async def kill_while_playing(self, groups: list[PlayerGroup]) -> None:
        playing = [asyncio.create_task(group.play()) for group in groups]
        try:
            while self.bots.kills < self.kills and not self.is_detected:
                await self._wait_for_fault(self.bots.rng.uniform(*self.pause))
                for task in playing:
                    if task.done():
                        task.result()
                if not self.is_detected:
                    async with self.fault_injector.maybe_inject():
                        killed = await self._kill_one()
                    await self.bots.replace(killed)
                if self.bots.rng.random() < self.deploy_rate and not self.is_detected:
                    await self.bots.deploy(DEPLOY_OVERLAP)
            if not self.is_detected:
                await self._wait_for_confirmation()
        finally:
            for group in groups:
                group.stop_event.set()
            await asyncio.gather(*playing)

    async def _wait_for_fault(self, seconds: float) -> None:
        """Let players play for this time, or until enough faults were found."""
        end = asyncio.get_running_loop().time() + seconds
        while not self.is_detected and (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(CHECK_INTERVAL, left))
            self.is_detected = await self.has_fault()

    async def _wait_for_confirmation(self) -> None:
        """Ignore bots that were killed during their start, as happens on a busy machine."""
        with suppress(TimeoutError):
            async with asyncio.timeout(IDLE_TIMEOUT):
                while not self.has_confirmation():  # noqa: ASYNC110 - another process sets the condition
                    await asyncio.sleep(CHECK_INTERVAL)

    async def _kill_one(self) -> int:
        """Kill one bot: at any moment, or right after it or the other one has posted a message."""
        if self.bots.rng.random() >= KILL_AFTER_POST_SHARE:
            return self.bots.kill_bot()
        killed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def kill_now() -> None:
            if not killed.done():  # all waiters are gone
                killed.set_result(self.bots.kill_bot())

        self.discord_faults.on_post = kill_now
        try:
            return await asyncio.wait_for(killed, 2)
        except TimeoutError:
            return self.bots.kill_bot()
        finally:
            self.discord_faults.on_post = None


def _is_done(stored: StoredRows, now: int) -> bool:
    return is_settled(stored, now, OVERDUE_GRACE) and is_finished(stored)


async def _wait_until_idle(reader: RowReader, bots: BotProcesses) -> int:
    """Wait until no work is due. Return the time on the bots' clock. Remaining work is reported as missing later."""
    idle_checks = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(IDLE_TIMEOUT):
            while idle_checks < 3:  # messages follow one step after the stored data
                await asyncio.sleep(0.3)
                idle_checks = idle_checks + 1 if _is_done(await reader.read_rows(), bots.read_clock()) else 0
    return bots.read_clock()
