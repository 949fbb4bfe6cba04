"""The publisher leases and records the posts of a table in batches."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.sending import post_lease
from bot.sending.publisher import CALL_MAX_AGE
from bot.sending.sender import Outgoing
from bot.tables import messages
from data.store.connection.transactions import Transactions
from data.store.log.match_values import Change
from data.store.outbox.outbox import LEASE
from data.store.outbox.outbox_values import BOARD, Batch, DeliveryStatus, OutboxRow
from data.store.store import Store
from engine.match.actions import Play
from engine.match.player_view import PlayerView, view_for
from engine.table.commands import MoveTable, TakeAction
from engine.table.table_events import Rearmed
from engine.table.table_posts import TURN
from render.canvas.picture import Picture
from render.table.table_picture import render_table
from tests.bot.local_bot import LocalBot, read_text, run_second_bot
from tests.bot.sending.posts import EDIT, is_up_to_date, queue_posts, start_next_turn
from tests.bot.waiting import wait_until


async def play_best_move(local: LocalBot) -> None:
    services = local.client.services
    table = await services.tables.load(1)
    placement = view_for(table.match, table.match.turn).moves[0].placement
    await services.acts.act(1, TakeAction(table.find_turn_user(), lambda seat: Play(seat, *placement)))


def kill_publisher(
    local: LocalBot,
    monkeypatch: pytest.MonkeyPatch,
    should_die: Callable[[Sequence[DeliveryStatus], Batch | None], bool],
) -> None:
    lease_posts, died = local.store.outbox.lease_due_posts, asyncio.Event()

    async def lease_or_die(match_id: int, statuses: Sequence[DeliveryStatus] = (), **kwargs: Any) -> Batch | None:
        if not died.is_set() and should_die(statuses, None):
            died.set()
            raise asyncio.CancelledError
        batch = await lease_posts(match_id, statuses, **kwargs)
        if not died.is_set() and batch is not None and should_die((), batch):
            died.set()
            raise asyncio.CancelledError
        return batch

    monkeypatch.setattr(local.store.outbox, "lease_due_posts", lease_or_die)


async def publish(local: LocalBot) -> None:
    await asyncio.wait([local.client.services.announcer.refresh(1)])


async def list_posted_numbers(local: LocalBot) -> list[str]:
    return [read_text(one)[5:-1] for one in await local.list_public_messages() if read_text(one).startswith("Post ")]


@pytest.mark.parametrize(
    "when",
    [
        pytest.param(lambda statuses, batch: batch is not None, id="between taking and sending"),
        pytest.param(lambda became, batch: batch is None and bool(became), id="between sending and noting"),
    ],
)
async def test_killed_publisher_calls_player_exactly_once(
    stage: LocalBot, monkeypatch: pytest.MonkeyPatch, when: Callable[[Sequence[DeliveryStatus], Batch | None], bool]
) -> None:
    await stage.ada.listen()
    await stage.grace.listen()
    await start_next_turn(stage)
    kill_publisher(stage, monkeypatch, when)
    await publish(stage)
    pending_rows = await stage.list_pending_posts()
    assert {(row.kind, row.attempts) for row in pending_rows} >= {(BOARD, 1), (TURN, 1)}, (
        "it is said for as long as sending takes"
    )
    stage.take_requests()
    await stage.skip_time(LEASE / 1000 - 5)
    assert stage.take_requests() == [], "nobody else touches it before that"
    await stage.skip_time(10)
    assert await is_up_to_date(stage)
    notifications = Counter(event["type"] for person in (stage.ada, stage.grace) for event in person.events)
    assert notifications["mention"] == 1


async def test_publisher_with_expired_lease_sends_nothing(stage: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    await start_next_turn(stage)
    lease_posts, has_slept = stage.store.outbox.lease_due_posts, asyncio.Event()

    async def lease_then_sleep(match_id: int, statuses: Sequence[DeliveryStatus] = (), **kwargs: Any) -> Batch | None:
        batch = await lease_posts(match_id, statuses, **kwargs)
        if not has_slept.is_set():
            has_slept.set()
            stage.skipped[0] += LEASE + 1  # the machine was suspended at this moment
        return batch

    monkeypatch.setattr(stage.store.outbox, "lease_due_posts", lease_then_sleep)
    batches: list[Batch] = []
    deal = stage.client.services.announcer.publisher._deliver_batch

    async def deliver_and_record(batch: Batch) -> list[DeliveryStatus]:
        batches.append(batch)
        line_count = len(stage.faults.requests)
        statuses = await deal(batch)
        if len(batches) == 1:
            assert stage.faults.requests[line_count:] == [], "it is somebody else's by now"
        return statuses

    monkeypatch.setattr(stage.client.services.announcer.publisher, "_deliver_batch", deliver_and_record)
    await publish(stage)
    await stage.skip_time(LEASE / 1000 + 1)
    assert len(batches) > 1
    assert await is_up_to_date(stage)


async def test_call_is_sent_after_kill_between_board_and_call(stage: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    await start_next_turn(stage)
    sender = stage.client.services.announcer._sender
    send = sender.send

    async def take_or_die(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(sender, "send", take_or_die)
    await publish(stage)
    monkeypatch.setattr(sender, "send", send)
    assert await stage.list_calls() == []
    await stage.skip_time(LEASE / 1000 + 1)
    assert await is_up_to_date(stage)


async def test_call_sent_before_crash_moves_with_table(stage: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    await start_next_turn(stage)
    kill_publisher(stage, monkeypatch, lambda statuses, batch: batch is None and bool(statuses))
    await publish(stage)
    old_channel_id, stage.channel_id = stage.channel_id, stage.discord.world.add_channel("elsewhere")["id"]
    await stage.client.services.acts.act(1, MoveTable(int(stage.ada.id), int(stage.channel_id)))
    await stage.skip_time(LEASE / 1000 + 1)
    await stage.wait_until_all_sent()
    calls = [
        one
        for place in (old_channel_id, stage.channel_id)
        for one in await stage.ada.fetch_messages(place)
        if one["mentions"]
    ]
    assert [one["channel_id"] for one in calls] == [stage.channel_id]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["in this process", "in another process"])
async def test_rate_limited_call_is_dropped_after_turn(stage: LocalBot, url: str, elsewhere: bool) -> None:
    await start_next_turn(stage)
    table = await stage.client.services.tables.load(1)
    mover = stage.people[str(table.find_turn_user())]
    await mover.listen()
    stage.faults.inject_status(EDIT, 429, retry_after=2)
    refresh_task = stage.client.services.announcer.refresh(1)
    await wait_until(lambda: any(line.startswith(EDIT) for line in stage.faults.requests))
    if elsewhere:
        second = await Store.open(url)
        head = await stage.load_head()
        change = Change(match_id=1, expected_seq=head.seq, events=[Rearmed()], turn=None)
        await second.matches.commit(change, now=stage.client.services.now())
        await second.close()
        stage.skipped[0] += CALL_MAX_AGE
    else:
        await play_best_move(stage)
    await asyncio.wait([refresh_task])
    await stage.wait_until_idle()
    assert [event for event in mover.events if event["type"] == "mention"] == []
    assert await stage.list_calls() == []


async def test_two_processes_send_each_post_once_in_order(stage: LocalBot, url: str) -> None:
    async with run_second_bot(stage, url) as other:
        await queue_posts(stage, *(f"Post {number}." for number in range(6)))
        other.services.announcer.publisher.writers |= stage.client.services.announcer.publisher.writers
        await asyncio.wait([one.services.announcer.refresh(1) for one in (stage.client, other)])
        await stage.skip_time(0)
        assert await list_posted_numbers(stage) == [str(number) for number in range(6)]
        assert await is_up_to_date(stage)


async def test_sent_post_is_recorded_before_next_post(stage: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    await queue_posts(stage, "Post 0.", "Post 1.")
    monkeypatch.setattr(post_lease, "RENEW_SECONDS", 0.05)
    was_noted = asyncio.Event()
    extend_leases = stage.store.outbox.extend_leases

    async def extend_and_note(
        rows: Sequence[OutboxRow], statuses: Sequence[DeliveryStatus] = (), **kwargs: Any
    ) -> frozenset[str]:
        result = await extend_leases(rows, statuses, **kwargs)
        if statuses:
            was_noted.set()
        return result

    monkeypatch.setattr(stage.store.outbox, "extend_leases", extend_and_note)
    send = stage.client.services.announcer._sender.send

    async def send_or_hang(
        channel: Any, outgoing: Outgoing, *, nonce: str, since: int | None, version: int | None = None
    ) -> Any:
        if await list_posted_numbers(stage):
            await asyncio.Event().wait()  # until the task is cancelled
        return await send(channel, outgoing, nonce=nonce, since=since, version=version)

    monkeypatch.setattr(stage.client.services.announcer._sender, "send", send_or_hang)
    refresh_task = stage.client.services.announcer.refresh(1)
    async with asyncio.timeout(300):
        await was_noted.wait()
    refresh_task.cancel()
    await asyncio.wait([refresh_task])
    monkeypatch.setattr(stage.client.services.announcer._sender, "send", send)
    assert [row.body["text"] for row in await stage.list_pending_posts() if row.kind == "test"] == ["Post 1."]
    await stage.skip_time(LEASE / 1000 + 1)
    assert await list_posted_numbers(stage) == ["0", "1"]


async def test_unsent_posts_after_failed_board_are_not_searched(stage: LocalBot) -> None:
    await start_next_turn(stage)
    stage.faults.inject_status(EDIT, 503)
    await publish(stage)
    assert {row.kind: row.attempts for row in await stage.list_pending_posts()}[TURN] == 0, (
        "nobody has begun to send it"
    )
    stage.take_requests()
    await stage.skip_time(15)
    searches = [line for line in stage.take_requests() if line.startswith("GET") and line.endswith("/messages")]
    assert len(searches) == 1, "for the board, which may have been posted"
    assert await is_up_to_date(stage)


async def test_unchanged_board_picture_is_rendered_once(stage: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[PlayerView] = []

    def count_and_render(view: PlayerView, *args: Any, **kwargs: Any) -> Picture:
        drawn.append(view)
        return render_table(view, *args, **kwargs)

    monkeypatch.setattr(messages, "render_table", count_and_render)
    for language, expected in (("", 0), ("de", 1), ("de", 1)):
        await stage.store.guilds.set_guild((await stage.load_head()).guild_id, {"language": language}, now=1)
        stage.take_requests()
        await queue_posts(stage)
        await publish(stage)
        assert [line for line in stage.take_requests() if line.startswith(EDIT)], "it says which move it is"
        assert len(drawn) == expected, "the words in it are another language's, once"
        assert not (await stage.load_head()).is_board_outdated


@pytest.fixture
def transaction_counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counts: Counter[str] = Counter()
    monkeypatch.setattr("bot.client.SWEEP_INTERVAL", 3600.0)
    for kind in ("read", "write"):
        original = getattr(Transactions, kind)

        def count_and_run(
            self: Transactions, *args: Any, _kind: str = kind, _original: Any = original, **kwargs: Any
        ) -> Any:
            counts[_kind] += 1
            return _original(self, *args, **kwargs)

        monkeypatch.setattr(Transactions, kind, count_and_run)
    return counts


async def wait_until_started(local: LocalBot) -> None:
    async with asyncio.timeout(300):
        await local.client.wait_until_ready()
        handlers = [task for task in asyncio.all_tasks() if task.get_name().startswith("discord.py: on_")]
        await asyncio.gather(*handlers)
    local.client._sweeper.cancel()


async def test_publishing_move_takes_two_transactions(transaction_counts: Counter[str], stage: LocalBot) -> None:
    await start_next_turn(stage)
    await wait_until_started(stage)
    transaction_counts.clear()
    stage.take_requests()
    await publish(stage)
    assert transaction_counts == {"write": 2}, "one takes it, one notes it and finds that there is nothing more"
    assert [line.partition(" /")[0] for line in stage.take_requests()] == ["PATCH", "POST"]
    assert await is_up_to_date(stage)


async def test_repeated_refresh_requests_cost_no_further_transaction(
    transaction_counts: Counter[str], stage: LocalBot
) -> None:
    await start_next_turn(stage)
    await wait_until_started(stage)
    transaction_counts.clear()
    announcer = stage.client.services.announcer
    refreshes = [announcer.refresh(1) for _ in range(5)]
    await asyncio.sleep(0)
    refreshes += [announcer.refresh(1) for _ in range(5)]
    await asyncio.wait(refreshes)
    await stage.wait_until_idle()
    assert transaction_counts == {"write": 2}


async def test_scheduler_wake_up_on_player_turn_reads_nothing(
    transaction_counts: Counter[str], stage: LocalBot
) -> None:
    await stage.wait_until_idle()
    await wait_until_started(stage)
    scheduler = stage.client.services.scheduler
    transaction_counts.clear()
    scheduler.wake(1)
    await scheduler._running[1]
    assert transaction_counts == {}
    # The sweep reports a newer head than the cached one.
    scheduler.wake(1, seq=(await stage.load_head()).seq)
    await scheduler._running[1]
    assert transaction_counts["read"] > 1
