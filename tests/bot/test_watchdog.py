"""Something is due and nothing gets through: that is noticed, said and healed, whatever the reason."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import structlog

from bot.base import requests
from bot.operating import watchdog
from bot.operating.watchdog import ANEW, ASKED, DEAFENED, HELD, HUNG, REFUSING, TOO_LONG, Silent, Watchdog
from bot.service import repayment
from bot.service.invitations import Invitation
from data.store import Change, Head
from data.store.outbox import LEASE
from engine.table.commands import Join, Look
from engine.table.pace import DAY, HOUR
from tests.bot.parlour import Parlour, parlour
from tests.bot.posts import EDIT, shows_the_head, until

CHANNELS = "/api/v10/channels"
EVER = 1000.0
TABLES = 12

Events = list[dict[str, Any]]


@pytest.fixture
async def house(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parlour]:
    monkeypatch.setattr(watchdog, "LOOK", 0.1)
    monkeypatch.setattr(watchdog, "ALARM", 2.0)
    async with parlour(url) as found:
        await found.client.wait_until_ready()
        found.client._sweeper.change_interval(seconds=0.2)
        found.client._sweeper.restart()
        await found.table()
        yield found


@asynccontextmanager
async def watched(house: Parlour, patience: float = 30.0) -> AsyncIterator[tuple[Events, asyncio.Task[None]]]:
    dog = Watchdog(patience)
    with structlog.testing.capture_logs() as events:
        watching = asyncio.create_task(dog.watch(house.client))
        try:
            yield events, watching  # type: ignore[misc]
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


def said(events: Events, what: str) -> list[dict[str, Any]]:
    return [event for event in events if event["event"] == what]


async def move_unseen(house: Parlour) -> None:
    mover = await house.mover()
    offered = await mover.autocomplete(house.place, "tiles", "play", focused="tile", tile="")
    tile = offered[0]["value"]
    places = await mover.autocomplete(house.place, "tiles", "play", focused="place", tile=tile, place="")
    await house.answered(mover, await mover.slash(house.place, "tiles", "play", tile=tile, place=places[0]["value"]))


async def fail_to_send(house: Parlour, patience: float = 1.0) -> Events:
    async with watched(house, patience) as (events, watching):
        with pytest.raises(Silent):
            await watching
    return events


async def is_shown(house: Parlour) -> bool:
    return not (await house.head()).dirty


async def none_is_dirty(house: Parlour) -> bool:
    return await house.store.heads_dirty(limit=1, after=0) == []


def end_lease(house: Parlour) -> None:
    house.skipped[0] += LEASE + 1


async def test_gate_that_nobody_opens_again_is_opened(house: Parlour) -> None:
    house.client.http._global_over.clear()  # as a wait that was cancelled leaves it
    async with watched(house) as (events, _):
        await move_unseen(house)
        await until(lambda: said(events, HUNG))
        end_lease(house)
        await until(lambda: is_shown(house))
        await until(lambda: said(events, "it gets through again"))
    (alarm,) = said(events, HUNG)
    assert (alarm["log_level"], alarm["tables"], alarm["hung"], alarm["gate"]) == ("error", 1, 1, "was shut")
    await house.stands()
    await house.settled()
    assert await shows_the_head(house)


async def test_task_that_hangs_is_begun_anew(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher, hung = house.client.services.announcer.publisher, asyncio.Event()
    really = publisher.publish

    async def hangs(match_id: int, looks: Callable[[], None]) -> None:
        if not hung.is_set():
            hung.set()
            await asyncio.sleep(EVER)
        await really(match_id, looks)

    monkeypatch.setattr(publisher, "publish", hangs)
    async with watched(house) as (events, _):
        await move_unseen(house)
        await until(hung.is_set)
        await until(lambda: is_shown(house))
    (alarm,) = said(events, HUNG)
    assert alarm["gate"] == "was open"


async def test_one_table_that_hangs_among_others_is_begun_anew(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "STUCK", 1.0)
    monkeypatch.setattr(watchdog, "ALARM", EVER)
    stuck = asyncio.create_task(asyncio.sleep(EVER))
    announcer = house.client.services.announcer
    announcer._running[1], announcer._begun[1] = stuck, asyncio.get_running_loop().time()  # type: ignore[assignment]
    async with watched(house) as (events, _):
        await move_unseen(house)
        await until(lambda: said(events, TOO_LONG))
        await until(lambda: is_shown(house))
    assert stuck.cancelled()


async def test_client_without_sweeper_is_replaced_with_growing_patience(house: Parlour) -> None:
    house.client._sweeper.cancel()
    await house.quiet()
    await house.store.board_lost(1, (await house.head()).board_message_id or 0)
    dog = Watchdog(patience=0.5)
    for waits in (1.0, 2.0):
        with structlog.testing.capture_logs() as events, pytest.raises(Silent):
            await dog.watch(house.client)
        assert len(said(events, HUNG)) == len(said(events, ANEW)) == 1  # type: ignore[arg-type]
        assert dog.patience == waits, "a connection that did not help is waited for longer"


@pytest.mark.deep
async def test_dead_session_is_replaced_with_its_client(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "ANSWER", EVER)  # nothing else ends it
    house.faults.delay(CHANNELS, EVER, times=1 << 20)
    await move_unseen(house)
    events = await fail_to_send(house)
    assert len(said(events, HUNG)) == len(said(events, ANEW)) == 1
    assert not house.client.services.announcer._running, "nobody holds what another client is to say"


@pytest.mark.deep
async def test_discord_refusing_all_posts_is_waited_for(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    # What takes half as long as this hangs: an attempt on a busy machine does not.
    monkeypatch.setattr(watchdog, "ALARM", 6.0)
    house.faults.next_status(CHANNELS, 503, times=1 << 20)
    async with watched(house) as (events, watching):
        await move_unseen(house)
        await until(lambda: len(said(events, REFUSING)) >= 2)
        assert not watching.done(), "a new connection would make nothing better"
        house.faults.clear()
        await until(lambda: is_shown(house))
        await until(lambda: said(events, "it gets through again"))
    alarms = said(events, REFUSING)
    assert {(alarm["log_level"], alarm["code"]) for alarm in alarms} == {("error", "503/0")}
    assert len(alarms) <= 4, "later and later"
    assert said(events, HUNG) == []


@pytest.mark.deep
async def test_wait_that_discord_asks_for_is_kept(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "ALARM", 4.0)
    async with watched(house) as (events, watching):
        house.faults.next_status(EDIT, 429, retry_after=6.0, scope="global")
        await move_unseen(house)
        await until(lambda: said(events, ASKED))
        gate = house.client.http._global_over
        await until(gate.is_set)
        await until(lambda: is_shown(house))
        assert not watching.done()
    (asked,) = said(events, ASKED)
    assert 4 <= asked["seconds"] <= 6
    assert said(events, HUNG) == said(events, REFUSING) == []
    assert sum(EDIT in line for line in house.faults.lines) >= 2, "it was tried again by discord.py alone"


async def test_what_another_process_holds_is_said(house: Parlour) -> None:
    services = house.client.services
    await house.place_tile()
    following = (await services.tables.load(1)).turn_user()
    assert following is not None
    await services.acts.act(1, Look(following))
    batch = await house.store.take_posts(1, nonce="b" + 24 * "0", now=services.now())

    async def held() -> None:
        while True:
            await house.store.keep(batch.rows, now=services.now())
            await asyncio.sleep(0.1)

    holding = asyncio.create_task(held())
    async with watched(house) as (events, watching):
        await until(lambda: len(said(events, HELD)) >= 2)
        assert not watching.done(), "a new connection would make nothing better"
    holding.cancel()


@pytest.mark.deep
async def test_what_hangs_after_refusal_is_found_too(house: Parlour) -> None:
    house.faults.next_status(CHANNELS, 503, times=1 << 20)
    async with watched(house) as (events, _):
        await move_unseen(house)
        await until(lambda: said(events, REFUSING))
        house.client.http._global_over.clear()
        house.faults.clear()
        end_lease(house)
        await until(lambda: said(events, HUNG))
        end_lease(house)
        await until(lambda: is_shown(house))
    assert said(events, HUNG)[0]["gate"] == "was shut"


@pytest.mark.deep
async def test_single_broken_table_raises_no_alarm(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise LookupError("damaged")

    monkeypatch.setattr(house.client.services.announcer.publisher._boards, "show", broken)
    # Longer than a sweep takes on a busy machine.
    monkeypatch.setattr(watchdog, "ALARM", 6.0)
    async with watched(house) as (events, watching):
        await move_unseen(house)
        await asyncio.sleep(8)
        assert not watching.done()
        house.client._sweeper.cancel()  # nobody tries it again once its errors are no more expected
        await house.quiet()
    assert [event["event"] for event in events if event["event"] in (HUNG, HELD, REFUSING, ANEW)] == []


async def test_quiet_night_raises_no_alarm(house: Parlour) -> None:
    async with watched(house) as (events, watching):
        await asyncio.sleep(3)
        assert not watching.done()
    assert [event for event in events if event["log_level"] in ("warning", "error")] == []


async def test_gateway_that_is_gone_for_long_is_reconnected(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "DEAF", 1.0)
    for number in list(house.client.services.presence.heard.numbers):
        house.client.services.presence.lose(number)
    assert len(said(await fail_to_send(house), DEAFENED)) == 1


async def test_database_that_fails_does_not_end_watch(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails() -> int:
        raise OSError("the disk")

    monkeypatch.setattr(house.client.services.announcer, "waiting", fails)
    async with watched(house) as (events, watching):
        await until(lambda: len(said(events, "it could not be seen whether anything gets through")) >= 2)
        assert not watching.done()


async def test_watch_that_ends_cancels_its_query(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    asking: list[asyncio.Task[Any] | None] = []

    async def hangs() -> int:
        asking.append(asyncio.current_task())
        await asyncio.sleep(EVER)
        return 0

    monkeypatch.setattr(house.client.services.announcer, "waiting", hangs)
    async with watched(house):
        await until(lambda: asking)
    (task,) = asking
    await until(task.done)
    assert task.cancelled()


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
    writes = house.store.commit_each

    async def slowly(changes: Sequence[Change], *, now: int) -> list[Head]:
        await asyncio.sleep(0.6)
        return await writes(changes, now=now)

    async def too_early(head: Head) -> bool:
        raise AssertionError(f"{head} is owed time")

    monkeypatch.setattr(watchdog, "ALARM", 5.0)
    monkeypatch.setattr(services.people, "run_due", too_early)
    monkeypatch.setattr(repayment, "A_LOOK", 1)
    monkeypatch.setattr(house.store, "commit_each", slowly)
    async with watched(house) as (events, _):
        house.skipped[0] += 2 * HOUR  # nothing was heard of it meanwhile, so far as the pulse tells
        await until(lambda: said(events, "time of an outage given back"))
        await until(lambda: none_is_dirty(house))
    (given,) = said(events, "time of an outage given back")
    assert given["clocks"] == TABLES + 1
    alarms = (HUNG, HELD, REFUSING, ANEW, TOO_LONG, "it gets through again")
    assert [event for event in events if event["event"] in alarms or event["log_level"] == "error"] == []
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
