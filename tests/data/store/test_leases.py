"""A sender leases a post before sending it, so no post is sent twice; expired leases are recovered."""

import asyncio

import pytest

from bot.sending.post_lease import RENEW_SECONDS
from data.store.log.match_values import Head
from data.store.outbox.outbox import LEASE
from data.store.outbox.outbox_values import (
    BOARD,
    RECALL,
    REMOVE,
    SHRINK,
    BoardShown,
    CallSent,
    OutboxRow,
    PostSent,
    RowCleared,
)
from data.store.store import Store
from engine.table.table_posts import QUARANTINE, Post
from engine.table.table_state import Turn
from tests.data.store.scene import ADA, GRACE, GUILD, NOW, add_match, build_seat, commit_change
from tests.data.store.server import BOTH_DATABASES

BOTH_SEATS = [build_seat(0, ADA), build_seat(1, GRACE)]
GRACE_TURN = Turn(seat=1, user=GRACE)


@pytest.fixture
async def mention(store: Store) -> OutboxRow:
    """The unsent mention of Ada at table 1."""
    head = await add_match(store, state="open", seats=BOTH_SEATS, turn=Turn(seat=0, user=ADA))
    await commit_change(store, head, outbox=[Post(kind="turn")])
    (row,) = await store.outbox.list_due(NOW, 10)
    return row


async def lease_board(store: Store, nonce: str, now: int = NOW) -> OutboxRow | None:
    batch = await store.outbox.lease_due_posts(1, nonce=nonce, now=now)
    return None if batch is None else next((row for row in batch.rows if row.kind == BOARD), None)


async def pass_turn(store: Store, *, turn: Turn | None = GRACE_TURN, now: int = NOW) -> None:
    head = await store.matches.find_head(1)
    assert head is not None
    await commit_change(store, head, turn=turn, outbox=[Post(kind="turn")] if turn and turn.user else [], now=now)


def test_lease_is_renewed_well_before_it_expires():
    assert 2 * RENEW_SECONDS * 1000 + 5000 < LEASE


async def test_renewed_lease_keeps_post_with_its_sender(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    for later in range(1, 5):
        assert await store.outbox.extend_leases([mention], now=NOW + later * LEASE // 2)
        assert await store.outbox.list_due(NOW + later * LEASE // 2 + LEASE - 1, 10) == []
    (again,) = await store.outbox.list_due(NOW + 3 * LEASE, 10)
    assert again.attempts == 1, "keeping it is no further attempt"


async def test_lease_cannot_be_renewed_when_lost_or_post_sent(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    (again,) = await store.outbox.list_due(NOW + LEASE, 10)
    await store.outbox.lease(again, now=NOW + LEASE)
    assert not await store.outbox.extend_leases([mention], now=NOW + LEASE)
    assert await store.outbox.extend_leases([again], now=NOW + LEASE)
    await store.outbox.note_sent(again, 500)
    assert not await store.outbox.extend_leases([again], now=NOW + LEASE)
    assert await store.outbox.list_due(NOW + 9 * LEASE, 10) == []


async def test_mention_in_delivery_at_turn_end_is_recalled_later(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    await pass_turn(store, turn=Turn(seat=1, user=None), now=NOW + 1000)
    assert await store.outbox.extend_leases([mention], now=NOW + LEASE - 1)
    assert await store.outbox.list_due(NOW + 2 * LEASE - 2, 10) == []
    (recall,) = await store.outbox.list_due(NOW + 2 * LEASE, 10)
    assert (recall.kind, recall.attempts) == (RECALL, 1)


async def test_board_lease_is_renewed_like_post_lease(store: Store):
    await add_match(store)
    row = await lease_board(store, "b1", NOW)
    assert row is not None
    assert await store.outbox.extend_leases([row], now=NOW + LEASE - 1)
    assert await lease_board(store, "b2", NOW + LEASE) is None


async def test_post_is_leased_by_one_of_many_senders(store: Store, mention: OutboxRow, other: Store):
    took = await asyncio.gather(*(each.outbox.lease(mention, now=NOW) for each in (store, other) * 5))
    assert sorted(took) == [False] * 9 + [True]


async def test_post_of_dead_sender_is_due_after_lease_as_retry(store: Store, mention: OutboxRow):
    assert await store.outbox.lease(mention, now=NOW)
    assert await store.outbox.list_due(NOW + LEASE - 1, 10) == []
    (again,) = await store.outbox.list_due(NOW + LEASE, 10)
    assert (again.nonce, again.attempts) == (mention.nonce, 1)
    assert await store.outbox.lease(again, now=NOW + LEASE)
    assert not await store.outbox.lease(mention, now=NOW + LEASE), "who read it before comes too late"


async def test_unsent_mention_is_dropped_when_turn_ends(store: Store, mention: OutboxRow):
    await pass_turn(store, turn=Turn(seat=1, user=None))
    assert await store.outbox.list_due(NOW + 2 * LEASE, 10) == []
    assert not await store.outbox.lease(mention, now=NOW), "who read it before sends nothing any more"


async def test_possibly_sent_mention_is_recalled_after_lease_expires(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    await pass_turn(store, turn=Turn(seat=1, user=None), now=NOW + 1000)
    assert await store.outbox.list_due(NOW + LEASE - 1, 10) == []
    (recall,) = await store.outbox.list_due(NOW + LEASE, 10)
    assert (recall.kind, recall.nonce) == (RECALL, mention.nonce)


async def test_postponed_mention_is_recalled_after_lease(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    await store.outbox.postpone(mention, NOW + 100 * LEASE, now=NOW)
    await pass_turn(store, turn=Turn(seat=1, user=None))
    assert [chore.kind for chore in await store.outbox.list_due(NOW + LEASE, 10)] == [RECALL]


async def test_dropping_old_mention_does_not_cancel_its_recall(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    await pass_turn(store, turn=Turn(seat=1, user=None))
    await store.outbox.drop(mention)
    assert [chore.kind for chore in await store.outbox.list_due(NOW + LEASE, 10)] == [RECALL]


async def test_notice_replaced_during_delivery_is_recalled(store: Store):
    head = await add_match(store, state="open", seats=BOTH_SEATS, turn=Turn(seat=0, user=ADA))
    assert await store.quarantine.quarantine_match(1, 1, "damaged", now=NOW)
    (row,) = await store.outbox.list_due(NOW, 10)
    assert await store.outbox.lease(row, now=NOW)
    await commit_change(store, head, outbox=[Post(kind=QUARANTINE, body={"back": True})], now=NOW + 1)
    await store.outbox.note_statuses([PostSent(row, 500)], now=NOW + 2)
    due = await store.outbox.list_due(NOW + LEASE + 1, 10)
    assert [(post.kind, post.nonce == row.nonce) for post in due if post.kind == RECALL] == [(RECALL, True)]


@BOTH_DATABASES
async def test_mention_is_removed_at_turn_end_and_tracked_until_deleted(store: Store, mention: OutboxRow):
    await store.outbox.note_statuses([CallSent(mention, 600, 600)], now=NOW)
    await store.outbox.note_statuses([CallSent(mention, 600, 600)], now=NOW)
    await pass_turn(store, turn=None)
    (chore,) = await store.outbox.list_due(NOW, 10)
    assert (chore.kind, chore.body) == (REMOVE, {"message": 600})
    head = await store.matches.find_head(1)
    assert head.turn_message_id is None
    await store.outbox.note_statuses([RowCleared(chore)], now=NOW)
    assert await store.outbox.list_due(NOW, 10) == []


async def test_mention_stays_while_turn_lasts(store: Store, mention: OutboxRow):
    await store.outbox.note_statuses([CallSent(mention, 600, 600)], now=NOW)
    head = await store.matches.find_head(1)
    after = await commit_change(store, head)
    assert after.turn_message_id == 600
    assert await store.outbox.list_due(NOW, 10) == []


async def test_mention_sent_after_turn_is_deleted(store: Store, mention: OutboxRow):
    await store.outbox.lease(mention, now=NOW)
    await pass_turn(store)
    (row,) = await store.outbox.list_due(NOW, 10)
    await store.outbox.note_statuses([CallSent(row, 602, 602)], now=NOW)
    await store.outbox.note_statuses([CallSent(mention, 601, 601)], now=NOW)
    assert [(chore.kind, chore.body) for chore in await store.outbox.list_due(NOW, 10)] == [(REMOVE, {"message": 601})]
    head = await store.matches.find_head(1)
    assert head.turn_message_id == 602, "the call that counts stays the one that is shown"


async def test_only_one_worker_updates_board(store: Store, other: Store):
    await add_match(store)
    begun = await asyncio.gather(*(lease_board(each, f"b{n}") for n, each in enumerate((store, other) * 3)))
    assert len([row for row in begun if row is not None]) == 1


async def test_next_board_worker_knows_previous_attempt(store: Store):
    await add_match(store)
    first = await lease_board(store, "b1", NOW)
    assert first.attempts == 0
    assert await lease_board(store, "b2", NOW + LEASE - 1) is None
    again = await lease_board(store, "b2", NOW + LEASE)
    assert (again.attempts, again.body) == (1, {"nonce": "b1"})


async def test_board_whose_sender_died_is_due_though_it_shows_head(store: Store, head: Head):
    assert await lease_board(store, "b1", NOW) is not None
    await store.outbox.note_shown(head.match_id, seq=1, message_id=500)
    assert [row.kind for row in await store.outbox.list_due(NOW + LEASE, 10)] == [BOARD], "an old picture may have come"


async def test_board_lease_ends_when_board_is_shown(store: Store, head: Head):
    row = await lease_board(store, "b1", NOW)
    assert row is not None
    await store.outbox.note_statuses([BoardShown(row, head, 500)], now=NOW)
    assert await store.outbox.list_due(NOW + LEASE, 10) == []
    shown = await store.matches.find_head(head.match_id)
    assert (shown.board_message_id, shown.is_board_outdated) == (500, False)
    await commit_change(store, shown)
    again = await lease_board(store, "b2", NOW)
    assert again.body == {"nonce": "b2"}


async def test_board_deleted_during_update_is_shown_again(store: Store, head: Head):
    await store.outbox.note_shown(head.match_id, seq=1, message_id=500)
    shown = await commit_change(store, head)
    row = await lease_board(store, "b1", NOW)
    assert await store.outbox.note_board_lost(head.match_id, 500)
    await store.outbox.note_statuses([BoardShown(row, shown, 500)], now=NOW)
    assert [row.kind for row in await store.outbox.list_due(NOW, 10)] == [BOARD]
    assert [dirty.match_id for dirty in await store.matches.list_outdated_heads(10)] == [head.match_id]


@BOTH_DATABASES
async def test_replaced_board_is_tracked_until_shrunk(store: Store, head: Head):
    await store.outbox.note_shown(head.match_id, seq=1, message_id=500)
    shown = await commit_change(store, head)
    row = await lease_board(store, "b1", NOW)
    assert row is not None
    await store.outbox.note_statuses([BoardShown(row, shown, 501)], now=NOW)
    (chore,) = await store.outbox.list_due(NOW, 10)
    assert (chore.kind, chore.body) == (SHRINK, {"message": 500})
    await store.outbox.note_statuses([RowCleared(chore)], now=NOW)
    assert await store.outbox.list_due(NOW, 10) == []


@pytest.mark.usefixtures("mention")
async def test_delivery_results_of_deleted_match_are_ignored(store: Store):
    batch = await store.outbox.lease_due_posts(1, nonce="a", now=NOW)
    (call,) = [row for row in batch.rows if row.kind == "turn"]
    await store.guilds.note_guild_left(GUILD, NOW, now=NOW)
    await store.guilds.purge_guild(GUILD, left_by=NOW)
    for became in (CallSent(call, 500, 500), PostSent(call, 500, ends_with_turn=True)):
        assert await store.outbox.lease_due_posts(1, [became], nonce="b", now=NOW) is None
        await store.outbox.note_statuses([became], now=NOW)
        assert not await store.outbox.extend_leases([call], [became], now=NOW)
