"""Outbox items are written with the act, sent once, and sent in order."""

import pytest

from data.store.log.match_values import Head
from data.store.outbox.outbox import build_nonce
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from engine.table.table_posts import Post
from engine.table.table_state import Turn
from tests.data.store.scene import ADA, CHANNEL, GRACE, NOW, add_match, build_seat, commit_change
from tests.data.store.server import BOTH_DATABASES

BOTH_SEATS = [build_seat(0, ADA), build_seat(1, GRACE)]


@pytest.fixture
async def head(store: Store) -> Head:
    return await open_table(store)


async def open_table(store: Store, channel: int = CHANNEL, **changes: object):
    return await add_match(store, channel_id=channel, state="open", seats=BOTH_SEATS, **changes)


async def list_kinds(store: Store, now: int = NOW) -> list[str]:
    return [row.kind for row in await store.outbox.list_due(now, 50)]


async def test_post_is_queued_in_same_commit_as_its_event(store: Store, head: Head):
    post = Post(kind="round", body={"seq": 2, "text": "Ada – 0-3-5 ✓"})
    after = await commit_change(store, head, outbox=[post], now=NOW + 1)
    assert await store.outbox.list_due(NOW + 1, 10) == [
        OutboxRow(
            match_id=head.match_id,
            channel_id=CHANNEL,
            kind="round",
            nonce=build_nonce(after, 0),
            body={"seq": 2, "text": "Ada – 0-3-5 ✓"},
            attempts=0,
            created_at=NOW + 1,
            next_at=NOW + 1,
            message_id=None,
        )
    ]


async def test_new_table_can_queue_post(store: Store):
    await open_table(store, outbox=[Post(kind="welcome")])
    assert await list_kinds(store) == ["welcome"]


async def test_posts_keep_order_when_clock_is_set_back(store: Store, head: Head):
    other = await open_table(store, channel=2)
    head = await commit_change(store, head, outbox=[Post(kind="one"), Post(kind="two")])
    head = await commit_change(store, head, outbox=[Post(kind="three")], now=NOW - 60_000)
    await commit_change(store, other, outbox=[Post(kind="elsewhere")])
    assert [row.kind for row in await store.outbox.list_due(NOW, 50, match_id=head.match_id)] == ["one", "two", "three"]
    first, *_ = await store.outbox.list_due(NOW, 50, match_id=head.match_id)
    assert await store.outbox.lease(first, now=NOW)
    assert await list_kinds(store) == ["elsewhere"], "whatever comes after it waits, and nothing of another match"


async def test_post_can_be_scheduled_and_sent_to_other_channel(store: Store, head: Head):
    await commit_change(store, head, outbox=[Post(kind="later", at=NOW + 50, channel_id=7)])
    assert await store.outbox.list_due(NOW + 49, 10) == []
    assert [row.channel_id for row in await store.outbox.list_due(NOW + 50, 10)] == [7]


async def test_sent_post_is_not_sent_again(store: Store, head: Head):
    await commit_change(store, head, outbox=[Post(kind="one"), Post(kind="two")])
    first, second = await store.outbox.list_due(NOW, 10)
    await store.outbox.note_sent(first, 900)
    assert await store.outbox.list_due(NOW, 10) == [second]
    # A late failure of a second sender does not make the post due again.
    await store.outbox.postpone(first, NOW, now=NOW)
    assert await store.outbox.list_due(NOW, 10) == [second]


async def test_dropped_post_is_never_sent(store: Store, head: Head):
    await commit_change(store, head, outbox=[Post(kind="one")])
    (row,) = await store.outbox.list_due(NOW, 10)
    await store.outbox.drop(row)
    await store.outbox.postpone(row, NOW, now=NOW)
    assert await store.outbox.list_due(NOW, 10) == []


async def test_failed_post_is_retried_later_and_attempts_are_counted(store: Store, head: Head):
    await commit_change(store, head, outbox=[Post(kind="one")])
    for at in (NOW, NOW + 5):
        (row,) = await store.outbox.list_due(at, 10)
        assert await store.outbox.lease(row, now=at)
        await store.outbox.postpone(row, at + 5, now=NOW)
    assert await store.outbox.list_due(NOW + 9, 10) == []
    assert [row.attempts for row in await store.outbox.list_due(NOW + 10, 10)] == [2]


@BOTH_DATABASES
async def test_postponed_post_delays_only_posts_of_same_match(store: Store, head: Head):
    other = await open_table(store, channel=2)
    await commit_change(store, head, outbox=[Post(kind="one"), Post(kind="two")])
    await commit_change(store, other, outbox=[Post(kind="elsewhere")])
    first, *_ = await store.outbox.list_due(NOW, 10)
    assert await store.outbox.lease(first, now=NOW)
    await store.outbox.postpone(first, NOW + 5, now=NOW)
    assert await list_kinds(store) == ["elsewhere"]
    assert await list_kinds(store, NOW + 5) == ["one", "two", "elsewhere"]


@BOTH_DATABASES
async def test_turn_mention_replaces_older_unsent_one(store: Store, head: Head):
    other = await open_table(store, channel=2)
    await commit_change(store, other, outbox=[Post(kind="turn", body={"other": True})], now=NOW - 1)
    head = await commit_change(store, head, outbox=[Post(kind="turn", body={"n": 1}), Post(kind="round")])
    await commit_change(store, head, outbox=[Post(kind="turn", body={"n": 2})])
    assert [(row.kind, row.body) for row in await store.outbox.list_due(NOW, 10)] == [
        ("turn", {"other": True}),
        ("round", {}),
        ("turn", {"n": 2}),
    ]


async def test_unsent_turn_mention_is_dropped_when_match_ends(store: Store):
    head = await open_table(store, turn=Turn(seat=0, user=ADA))
    head = await commit_change(store, head, outbox=[Post(kind="turn")])
    await commit_change(store, head, state="void", outbox=[Post(kind="end")])
    assert await list_kinds(store) == ["end"]


async def test_unsent_turn_mention_stays_while_turn_lasts(store: Store):
    head = await open_table(store, turn=Turn(seat=0, user=ADA))
    head = await commit_change(store, head, outbox=[Post(kind="turn")])
    await commit_change(store, head, turn=Turn(seat=0, user=ADA))
    assert await list_kinds(store) == ["turn"]


async def test_post_nonces_are_unique_and_valid_for_discord(store: Store, head: Head):
    for _ in range(3):
        head = await commit_change(store, head, outbox=[Post(kind="note")] * 4)
    other = await open_table(store, channel=2)
    await commit_change(store, other, outbox=[Post(kind="note")] * 4)
    nonces = [row.nonce for row in await store.outbox.list_due(NOW, 50)]
    assert len(nonces) == len(set(nonces)) == 16
    assert max(map(len, nonces)) <= 25
