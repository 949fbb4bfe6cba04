"""Pruning deletes only rows that are no longer needed."""

from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.log.match_values import Head
from data.store.outbox.outbox_values import REMOVE, PostSent
from data.store.store import Store
from engine.table.table_posts import QUESTION, Post
from tests.data.store.scene import CHANNEL, NOW, add_match, commit_change
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

DAY = 24 * 3600 * 1000


@BOTH_DATABASES
async def test_pruning_deletes_old_requests_and_sent_posts_only(store: Store, engine: AsyncEngine, sql: Sql):
    head = await add_match(store, request=11)
    head = await commit_change(store, head, outbox=[Post(kind="one"), Post(kind="two")], request=12)
    first, _ = await store.outbox.list_due(NOW, 10)
    await store.outbox.note_sent(first, 900)
    head = await commit_change(store, head, outbox=[Post(kind="three")], request=13, now=NOW + DAY)
    *_, third = await store.outbox.list_due(NOW + DAY, 10)
    await store.outbox.note_sent(third, 901)
    assert await store.operations.prune(NOW) == 0
    assert await store.operations.prune(NOW + 1) == 3
    assert await store.operations.prune(NOW + 1) == 0
    assert await sql("SELECT interaction_id FROM requests") == [(13,)]
    assert await sql("SELECT kind FROM outbox ORDER BY seq, number") == [("two",), ("three",)]


async def test_pruning_works_in_small_batches(store: Store, head: Head, engine: AsyncEngine, sql: Sql):
    for number in range(5):
        head = await commit_change(store, head, request=100 + number)
    went = [await store.operations.prune(NOW + 1, limit=2) for _ in range(4)]
    assert went == [2, 2, 1, 0]
    assert await sql("SELECT count(*) FROM requests") == [(0,)]


async def test_pruning_deletes_sent_posts_behind_waiting_ones(store: Store, head: Head, engine: AsyncEngine, sql: Sql):
    for_later = [Post(kind="later", at=NOW + 100 * DAY)] * 3
    await commit_change(store, head, outbox=[*for_later, Post(kind="sent"), Post(kind="dropped")])
    sent, dropped = await store.outbox.list_due(NOW, 10)
    await store.outbox.note_sent(sent, 900)
    await store.outbox.drop(dropped)
    assert [await store.operations.prune(NOW + 1, limit=1) for _ in range(3)] == [1, 1, 0]
    assert await sql("SELECT kind FROM outbox") == [("later",)] * 3


async def test_message_of_turn_is_deleted_even_after_long_turn(store: Store, head: Head):
    head = await commit_change(store, head, state="open", outbox=[Post(kind="remind")])
    (reminder,) = await store.outbox.list_due(NOW, 10)
    await store.outbox.note_statuses([PostSent(reminder, 900, ends_with_turn=True)], now=NOW)
    assert [await store.operations.prune(NOW + DAY, limit=1) for _ in range(2)] == [1, 0], (
        "the post is told of, its message stands"
    )
    await commit_change(store, head, state="done", now=NOW + 2 * DAY)
    (chore,) = await store.outbox.list_due(NOW + 2 * DAY, 10)
    assert (chore.kind, chore.body) == (REMOVE, {"message": 900})


async def test_open_question_is_found_until_match_is_over(store: Store, head: Head, engine: AsyncEngine, sql: Sql):
    asked = [Post(kind=QUESTION, body={"number": number}) for number in (1, 2)]
    head = await commit_change(store, head, state="open", outbox=asked)
    first, dropped = await store.outbox.list_due(NOW, 10)
    await store.outbox.note_sent(first, 900)
    await store.outbox.drop(dropped)
    assert await store.operations.prune(NOW + DAY) == 1, "the one that was never sent"
    assert [row.message_id for row in await store.outbox.list_sent_posts(head.match_id, QUESTION)] == [900]
    await commit_change(store, head, state="void", now=NOW + DAY)
    assert await store.operations.prune(NOW + DAY) == 1
    assert await sql("SELECT * FROM outbox") == []


async def test_channel_is_blocked_once_and_can_be_unblocked(store: Store, head: Head):
    head = await commit_change(store, head, outbox=[Post(kind="round")])
    assert await store.outbox.block(head.match_id, CHANNEL, 50013, now=NOW)
    assert not await store.outbox.block(head.match_id, CHANNEL, 50001, now=NOW + 1)
    (row,) = await store.outbox.list_blocked()
    assert (row.match_id, row.channel_id, row.body, row.attempts) == (head.match_id, CHANNEL, {"code": 50013}, 0)
    assert await store.outbox.list_due(NOW + 5, 10) == [], "its posts wait"
    assert [row.kind for row in await store.outbox.list_due(NOW + 5, 10, match_id=head.match_id)] == ["round"]
    await store.outbox.postpone(row, NOW + DAY, now=NOW)
    assert [row.kind for row in await store.outbox.list_due(NOW + 5, 10, match_id=head.match_id)] == ["round"]
    await store.outbox.reopen_channel(head.match_id)
    assert await store.outbox.list_blocked() == []
    assert [row.kind for row in await store.outbox.list_due(NOW + 5, 10)] == ["round"]


async def test_moved_match_is_not_blocked_by_old_channel(store: Store, head: Head):
    await store.outbox.block(head.match_id, CHANNEL, 10003, now=NOW)
    await commit_change(store, head, channel_id=77, outbox=[Post(kind="round")])
    assert await store.outbox.list_blocked() == []
    assert [row.kind for row in await store.outbox.list_due(NOW, 10)] == ["round"]


async def test_posts_of_abandoned_match_are_dropped(store: Store, head: Head):
    head = await commit_change(store, head, state="void", outbox=[Post(kind="end")])
    await store.outbox.block(head.match_id, CHANNEL, 10003, now=NOW)
    await store.outbox.give_up(head.match_id)
    assert await store.outbox.list_blocked() == []
    assert await store.outbox.list_due(NOW, 10) == []
    assert await store.matches.list_outdated_heads(10) == []
