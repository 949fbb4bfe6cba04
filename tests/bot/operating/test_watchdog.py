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
from tests.bot.local_bot import LocalBot, run_local_bot
from tests.bot.sending.posts import EDIT, until

CHANNELS = "/api/v10/channels"
EVER = 1000.0
TABLES = 12

Events = list[dict[str, Any]]


@pytest.fixture
async def sim(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalBot]:
    monkeypatch.setattr(watchdog, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(watchdog, "STALL_TIMEOUT", 2.0)
    async with run_local_bot(url) as found:
        await found.client.wait_until_ready()
        found.client._sweeper.change_interval(seconds=0.2)
        found.client._sweeper.restart()
        await found.table()
        yield found


@asynccontextmanager
async def watched(sim: LocalBot) -> AsyncIterator[tuple[Events, asyncio.Task[None]]]:
    with structlog.testing.capture_logs() as events:
        watching = asyncio.create_task(watch(sim.client))
        try:
            yield events, watching  # type: ignore[misc]
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


def said(events: Events, what: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == what]


async def is_silent(sim: LocalBot) -> None:
    with structlog.testing.capture_logs() as events, pytest.raises(DeliveryStalled):
        await watch(sim.client)
    assert len(said(events, "no post reaches Discord; reconnecting")) == 1  # type: ignore[arg-type]


async def move_unseen(sim: LocalBot) -> None:
    mover = await sim.mover()
    offered = await mover.fetch_choices(sim.place, "tiles", "play", focused="tile", tile="")
    tile = offered[0]["value"]
    places = await mover.fetch_choices(sim.place, "tiles", "play", focused="place", tile=tile, place="")
    await sim.answered(mover, await mover.use_command(sim.place, "tiles", "play", tile=tile, place=places[0]["value"]))


async def is_shown(sim: LocalBot) -> bool:
    return not (await sim.head()).is_board_outdated


async def none_is_dirty(sim: LocalBot) -> bool:
    return await sim.store.matches.list_outdated_heads(limit=1, after=0) == []


async def test_hanging_task_is_cancelled_and_client_is_closed(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(match_id: int, looks: Callable[[], None]) -> None:
        await asyncio.sleep(EVER)

    monkeypatch.setattr(sim.client.services.announcer.publisher, "publish", hangs)
    sim.client._sweeper.cancel()
    await move_unseen(sim)
    await is_silent(sim)
    await sim.client.services.announcer.wait_until_idle()
    assert sim.client.services.announcer.running_count == 0, "nobody holds what another client is to send"


async def test_client_without_sweeper_is_replaced(sim: LocalBot) -> None:
    sim.client._sweeper.cancel()
    await sim.quiet()
    await sim.store.outbox.note_board_lost(1, (await sim.head()).board_message_id or 0)
    await is_silent(sim)


@pytest.mark.deep
async def test_dead_session_is_replaced_with_its_client(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord_errors, "RESPONSE_TIMEOUT", EVER)  # nothing else ends the task
    sim.faults.delay(CHANNELS, EVER, times=1 << 20)
    await move_unseen(sim)
    await is_silent(sim)


@pytest.mark.deep
async def test_discord_refusing_all_posts_keeps_connection(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    # An attempt that takes half the time limit does not count as hanging, even on a busy machine.
    monkeypatch.setattr(watchdog, "STALL_TIMEOUT", 6.0)
    sim.faults.inject_status(CHANNELS, 503, times=1 << 20)
    async with watched(sim) as (_, watching):
        await move_unseen(sim)
        await until(lambda: sim.client.services.announcer.deliveries.failed_count >= 3)
        assert not watching.done(), "a new connection would make nothing better"
        sim.faults.clear()
        await until(lambda: is_shown(sim))


@pytest.mark.deep
async def test_rate_limit_wait_does_not_trigger_watchdog(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async with watched(sim) as (_, watching):
        sim.faults.inject_status(EDIT, 429, retry_after=6.0, scope="global")
        await move_unseen(sim)
        await until(lambda: is_shown(sim))
        assert not watching.done()
    assert sum(EDIT in line for line in sim.faults.lines) >= 2, "it was tried again by discord.py alone"


async def test_quiet_period_keeps_connection(sim: LocalBot) -> None:
    async with watched(sim) as (events, watching):
        await asyncio.sleep(3)
        assert not watching.done()
    assert [event for event in events if event["log_level"] in ("warning", "error")] == []


async def test_failing_database_does_not_stop_watchdog(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails() -> int:
        raise OSError("the disk")

    monkeypatch.setattr(sim.client.services.announcer, "count_waiting", fails)
    async with watched(sim) as (events, watching):
        await until(lambda: len(said(events, "the state of the posts could not be read")) >= 2)
        assert not watching.done()


@pytest.mark.deep
async def test_outage_credit_for_many_tables_raises_no_alarm(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    services, world = sim.client.services, sim.discord.world
    ada, grace = int(sim.ada.id), int(sim.grace.id)
    for number in range(TABLES):
        room = world.add_channel(f"room-{number}")
        asked = TableRequest(
            guild_id=int(room["guild_id"]), channel_id=int(room["id"]), host_id=ada, game="triominoes", seats=2
        )
        table = await services.acts.open(replace(asked, clock="2h"), request=100 + number)
        await services.acts.act(table.head.match_id, Join(grace), request=200 + number)
        services.announcer.refresh(table.head.match_id)
    await sim.quiet()
    writes = sim.store.matches.commit_each

    async def slowly(changes: Sequence[Change], *, now: int) -> list[Head]:
        await asyncio.sleep(0.6)
        return await writes(changes, now=now)

    async def too_early(head: Head) -> bool:
        raise AssertionError(f"{head} is owed time")

    monkeypatch.setattr(watchdog, "STALL_TIMEOUT", 5.0)
    monkeypatch.setattr(services.user_settings, "run_due", too_early)
    monkeypatch.setattr(outage_credit, "CREDIT_BATCH", 1)
    monkeypatch.setattr(sim.store.matches, "commit_each", slowly)
    async with watched(sim) as (events, _):
        sim.skipped[0] += 2 * HOUR  # according to the heartbeat, the bot was disconnected in between
        await until(lambda: said(events, "time of an outage given back"))
        await until(lambda: none_is_dirty(sim))
    (given,) = said(events, "time of an outage given back")
    assert given["clocks"] == TABLES + 1
    assert [event for event in events if event["log_level"] == "error"] == []
    begun = said(events, "an outage is to be given back")
    assert len(begun) == 1, "who gives back is there meanwhile"


async def test_machine_asleep_during_sweep_costs_no_time(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    sim.client._sweeper.cancel()
    scheduler = sim.client.services.scheduler
    await sim.quiet()
    before = await sim.head()
    assert before.due is not None
    really = scheduler._clock_correction.correct

    async def sleeps() -> None:
        await really()
        sim.skipped[0] += 7 * DAY  # after the heartbeat and before the query for due work

    await scheduler.sweep()
    with monkeypatch.context() as patched:
        patched.setattr(scheduler._clock_correction, "correct", sleeps)
        await scheduler.sweep()
    await scheduler.sweep()
    await sim.quiet()
    after = await sim.head()
    assert after.due.kind == before.due.kind
    assert after.due.at - before.due.at >= 7 * DAY
