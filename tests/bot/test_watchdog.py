"""Posts wait and no attempt to send one ends: that is noticed, and the connection is replaced."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import structlog

from bot.core import discord_errors
from bot.operating import watchdog
from bot.operating.watchdog import Silent, watch
from bot.sending import outage_credit
from bot.tables.lobbies import Invitation
from data.store.log.match_values import Change, Head
from engine.table.commands import Join
from engine.table.terms import DAY, HOUR
from tests.bot.parlour import Parlour, parlour
from tests.bot.posts import EDIT, until

CHANNELS = "/api/v10/channels"
EVER = 1000.0
TABLES = 12

Events = list[dict[str, Any]]


@pytest.fixture
async def house(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parlour]:
    monkeypatch.setattr(watchdog, "LOOK", 0.1)
    monkeypatch.setattr(watchdog, "SILENT", 2.0)
    async with parlour(url) as found:
        await found.client.wait_until_ready()
        found.client._sweeper.change_interval(seconds=0.2)
        found.client._sweeper.restart()
        await found.table()
        yield found


@asynccontextmanager
async def watched(house: Parlour) -> AsyncIterator[tuple[Events, asyncio.Task[None]]]:
    with structlog.testing.capture_logs() as events:
        watching = asyncio.create_task(watch(house.client))
        try:
            yield events, watching  # type: ignore[misc]
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


def said(events: Events, what: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == what]


async def is_silent(house: Parlour) -> None:
    with structlog.testing.capture_logs() as events, pytest.raises(Silent):
        await watch(house.client)
    assert len(said(events, "nothing gets through; the connection to Discord is made anew")) == 1  # type: ignore[arg-type]


async def move_unseen(house: Parlour) -> None:
    mover = await house.mover()
    offered = await mover.autocomplete(house.place, "tiles", "play", focused="tile", tile="")
    tile = offered[0]["value"]
    places = await mover.autocomplete(house.place, "tiles", "play", focused="place", tile=tile, place="")
    await house.answered(mover, await mover.slash(house.place, "tiles", "play", tile=tile, place=places[0]["value"]))


async def is_shown(house: Parlour) -> bool:
    return not (await house.head()).dirty


async def none_is_dirty(house: Parlour) -> bool:
    return await house.store.matches.heads_dirty(limit=1, after=0) == []


async def test_task_that_hangs_ends_client_and_is_cancelled(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(match_id: int, looks: Callable[[], None]) -> None:
        await asyncio.sleep(EVER)

    monkeypatch.setattr(house.client.services.announcer.publisher, "publish", hangs)
    house.client._sweeper.cancel()
    await move_unseen(house)
    await is_silent(house)
    await house.client.services.announcer.idle()
    assert house.client.services.announcer.at_work == 0, "nobody holds what another client is to send"


async def test_client_without_sweeper_is_replaced(house: Parlour) -> None:
    house.client._sweeper.cancel()
    await house.quiet()
    await house.store.outbox.board_lost(1, (await house.head()).board_message_id or 0)
    await is_silent(house)


@pytest.mark.deep
async def test_dead_session_is_replaced_with_its_client(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord_errors, "ANSWER", EVER)  # nothing else ends it
    house.faults.delay(CHANNELS, EVER, times=1 << 20)
    await move_unseen(house)
    await is_silent(house)


@pytest.mark.deep
async def test_discord_refusing_all_posts_keeps_connection(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    # What takes half as long as this hangs: an attempt on a busy machine does not.
    monkeypatch.setattr(watchdog, "SILENT", 6.0)
    house.faults.next_status(CHANNELS, 503, times=1 << 20)
    async with watched(house) as (_, watching):
        await move_unseen(house)
        await until(lambda: house.client.services.announcer.deliveries.failed >= 3)
        assert not watching.done(), "a new connection would make nothing better"
        house.faults.clear()
        await until(lambda: is_shown(house))


@pytest.mark.deep
async def test_wait_that_discord_asks_for_is_kept(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    async with watched(house) as (_, watching):
        house.faults.next_status(EDIT, 429, retry_after=6.0, scope="global")
        await move_unseen(house)
        await until(lambda: is_shown(house))
        assert not watching.done()
    assert sum(EDIT in line for line in house.faults.lines) >= 2, "it was tried again by discord.py alone"


async def test_quiet_night_keeps_connection(house: Parlour) -> None:
    async with watched(house) as (events, watching):
        await asyncio.sleep(3)
        assert not watching.done()
    assert [event for event in events if event["log_level"] in ("warning", "error")] == []


async def test_failing_database_does_not_end_watch(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails() -> int:
        raise OSError("the disk")

    monkeypatch.setattr(house.client.services.announcer, "waiting", fails)
    async with watched(house) as (events, watching):
        await until(lambda: len(said(events, "it could not be seen whether anything gets through")) >= 2)
        assert not watching.done()


@pytest.mark.deep
async def test_outage_credit_for_many_tables_raises_no_alarm(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    services, world = house.client.services, house.discord.world
    ada, grace = int(house.ada.id), int(house.grace.id)
    for number in range(TABLES):
        room = world.add_channel(f"room-{number}")
        asked = Invitation(
            guild_id=int(room["guild_id"]), channel_id=int(room["id"]), host_id=ada, game="triominoes", seats=2
        )
        table = await services.acts.open(replace(asked, clock="2h"), request=100 + number)
        await services.acts.act(table.head.match_id, Join(grace), request=200 + number)
        services.announcer.refresh(table.head.match_id)
    await house.quiet()
    writes = house.store.matches.commit_each

    async def slowly(changes: Sequence[Change], *, now: int) -> list[Head]:
        await asyncio.sleep(0.6)
        return await writes(changes, now=now)

    async def too_early(head: Head) -> bool:
        raise AssertionError(f"{head} is owed time")

    monkeypatch.setattr(watchdog, "SILENT", 5.0)
    monkeypatch.setattr(services.people, "run_due", too_early)
    monkeypatch.setattr(outage_credit, "A_LOOK", 1)
    monkeypatch.setattr(house.store.matches, "commit_each", slowly)
    async with watched(house) as (events, _):
        house.skipped[0] += 2 * HOUR  # nothing was heard of it meanwhile, so far as the pulse tells
        await until(lambda: said(events, "time of an outage given back"))
        await until(lambda: none_is_dirty(house))
    (given,) = said(events, "time of an outage given back")
    assert given["clocks"] == TABLES + 1
    assert [event for event in events if event["log_level"] == "error"] == []
    begun = said(events, "an outage is to be given back")
    assert len(begun) == 1, "who gives back is there meanwhile"


async def test_machine_asleep_during_sweep_costs_no_time(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    house.client._sweeper.cancel()
    scheduler = house.client.services.scheduler
    await house.quiet()
    before = await house.head()
    assert before.due is not None
    really = scheduler._steps.bring_back

    async def sleeps() -> None:
        await really()
        house.skipped[0] += 7 * DAY  # after the pulse, and before it is read what is due

    await scheduler.sweep()
    with monkeypatch.context() as patched:
        patched.setattr(scheduler._steps, "bring_back", sleeps)
        await scheduler.sweep()
    await scheduler.sweep()
    await house.quiet()
    after = await house.head()
    assert after.due.kind == before.due.kind
    assert after.due.at - before.due.at >= 7 * DAY
