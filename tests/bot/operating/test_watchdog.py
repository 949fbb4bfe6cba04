"""The watchdog: it replaces the connection if outbox items wait and no attempt completes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import structlog

from bot.core import discord_errors
from bot.operating import watchdog
from bot.operating.watchdog import DeliveryStalled, watch
from bot.sending import outage_credit
from bot.tables.lobbies import TableRequest
from data.store.log.match_values import Change, Head
from engine.table.commands import Join
from engine.table.terms import DAY, HOUR
from tests.bot.local_bot import LocalBot, play_by_typing, run_local_bot
from tests.bot.sending.posts import EDIT
from tests.bot.waiting import wait_until

CHANNELS = "/api/v10/channels"
FOREVER_SECONDS = 1000.0
TABLE_COUNT = 12

Events = list[dict[str, Any]]


@pytest.fixture
async def sim(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalBot]:
    monkeypatch.setattr(watchdog, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(watchdog, "STALL_TIMEOUT", 2.0)
    async with run_local_bot(url) as found:
        await found.client.wait_until_ready()
        found.client._sweeper.change_interval(seconds=0.2)
        found.client._sweeper.restart()
        await found.start_table()
        yield found


@asynccontextmanager
async def run_watchdog(sim: LocalBot) -> AsyncIterator[tuple[Events, asyncio.Task[None]]]:
    with structlog.testing.capture_logs() as events:
        watchdog_task = asyncio.create_task(watch(sim.client))
        try:
            yield events, watchdog_task
        finally:
            watchdog_task.cancel()
            await asyncio.gather(watchdog_task, return_exceptions=True)


def filter_events(events: Events, name: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == name]


async def is_silent(sim: LocalBot) -> None:
    with structlog.testing.capture_logs() as events, pytest.raises(DeliveryStalled):
        await watch(sim.client)
    assert len(filter_events(events, "no post reaches Discord; reconnecting")) == 1


async def move_unseen(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    await sim.wait_for_answer(mover, await play_by_typing(mover, sim.channel_id))


async def is_shown(sim: LocalBot) -> bool:
    return not (await sim.load_head()).is_board_outdated


async def has_no_outdated_tables(sim: LocalBot) -> bool:
    return await sim.store.matches.list_outdated_heads(limit=1, after=0) == []


async def test_hanging_task_is_cancelled_and_client_is_closed(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(match_id: int, report_progress: Callable[[], None]) -> None:
        await asyncio.sleep(FOREVER_SECONDS)

    monkeypatch.setattr(sim.client.services.announcer.publisher, "publish", hangs)
    sim.client._sweeper.cancel()
    await move_unseen(sim)
    await is_silent(sim)
    await sim.client.services.announcer.wait_until_idle()
    assert sim.client.services.announcer.running_count == 0, "nobody holds what another client is to send"


async def test_client_without_sweeper_is_replaced(sim: LocalBot) -> None:
    sim.client._sweeper.cancel()
    await sim.wait_until_idle()
    await sim.store.outbox.note_board_lost(1, (await sim.load_head()).board_message_id or 0)
    await is_silent(sim)


@pytest.mark.deep
async def test_dead_session_is_replaced_with_its_client(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord_errors, "RESPONSE_TIMEOUT", FOREVER_SECONDS)  # nothing else ends the task
    sim.faults.delay(CHANNELS, FOREVER_SECONDS, times=1 << 20)
    await move_unseen(sim)
    await is_silent(sim)


@pytest.mark.deep
async def test_discord_refusing_all_posts_keeps_connection(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    # An attempt that takes half the time limit does not count as hanging, even on a busy machine.
    monkeypatch.setattr(watchdog, "STALL_TIMEOUT", 6.0)
    sim.faults.inject_status(CHANNELS, 503, times=1 << 20)
    async with run_watchdog(sim) as (_, watchdog_task):
        await move_unseen(sim)
        await wait_until(lambda: sim.client.services.announcer.deliveries.failed_count >= 3)
        assert not watchdog_task.done(), "a new connection would make nothing better"
        sim.faults.clear()
        await wait_until(lambda: is_shown(sim))


@pytest.mark.deep
async def test_rate_limit_wait_does_not_trigger_watchdog(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_watchdog(sim) as (_, watchdog_task):
        sim.faults.inject_status(EDIT, 429, retry_after=6.0, scope="global")
        await move_unseen(sim)
        await wait_until(lambda: is_shown(sim))
        assert not watchdog_task.done()
    assert sum(EDIT in line for line in sim.faults.requests) >= 2, "it was tried again by discord.py alone"


async def test_quiet_period_keeps_connection(sim: LocalBot) -> None:
    async with run_watchdog(sim) as (events, watchdog_task):
        await asyncio.sleep(3)
        assert not watchdog_task.done()
    assert [event for event in events if event["log_level"] in ("warning", "error")] == []


async def test_failing_database_does_not_stop_watchdog(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails() -> int:
        raise OSError("the disk")

    monkeypatch.setattr(sim.client.services.announcer, "count_waiting", fails)
    async with run_watchdog(sim) as (events, watchdog_task):
        await wait_until(lambda: len(filter_events(events, "the state of the posts could not be read")) >= 2)
        assert not watchdog_task.done()


@pytest.mark.deep
async def test_outage_credit_for_many_tables_raises_no_alarm(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    services, world = sim.client.services, sim.discord.world
    ada, grace = int(sim.ada.id), int(sim.grace.id)
    for number in range(TABLE_COUNT):
        room = world.add_channel(f"room-{number}")
        request = TableRequest(
            guild_id=int(room["guild_id"]), channel_id=int(room["id"]), host_id=ada, game="triominoes", seats=2
        )
        table = await services.acts.open(replace(request, clock="2h"), request=100 + number)
        await services.acts.act(table.head.match_id, Join(grace), request=200 + number)
        services.announcer.refresh(table.head.match_id)
    await sim.wait_until_idle()
    commit_each = sim.store.matches.commit_each

    async def commit_slowly(changes: Sequence[Change], *, now: int) -> list[Head]:
        await asyncio.sleep(0.6)
        return await commit_each(changes, now=now)

    async def too_early(head: Head) -> bool:
        raise AssertionError(f"{head} is owed time")

    monkeypatch.setattr(watchdog, "STALL_TIMEOUT", 5.0)
    monkeypatch.setattr(services.user_settings, "run_due", too_early)
    monkeypatch.setattr(outage_credit, "CREDIT_BATCH", 1)
    monkeypatch.setattr(sim.store.matches, "commit_each", commit_slowly)
    async with run_watchdog(sim) as (events, _):
        sim.skipped[0] += 2 * HOUR  # according to the heartbeat, the bot was disconnected in between
        await wait_until(lambda: filter_events(events, "time of an outage given back"))
        await wait_until(lambda: has_no_outdated_tables(sim))
    (finished_event,) = filter_events(events, "time of an outage given back")
    assert finished_event["clocks"] == TABLE_COUNT + 1
    assert [event for event in events if event["log_level"] == "error"] == []
    start_events = filter_events(events, "an outage is to be given back")
    assert len(start_events) == 1, "who gives back is there meanwhile"


async def test_machine_asleep_during_sweep_costs_no_time(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    sim.client._sweeper.cancel()
    scheduler = sim.client.services.scheduler
    await sim.wait_until_idle()
    before = await sim.load_head()
    correct_clock = scheduler._clock_correction.correct

    async def sleeps() -> None:
        await correct_clock()
        sim.skipped[0] += 7 * DAY  # after the heartbeat and before the query for due work

    await scheduler.sweep()
    with monkeypatch.context() as patch:
        patch.setattr(scheduler._clock_correction, "correct", sleeps)
        await scheduler.sweep()
    await scheduler.sweep()
    await sim.wait_until_idle()
    after = await sim.load_head()
    assert after.due.kind == before.due.kind
    assert after.due.at - before.due.at >= 7 * DAY
