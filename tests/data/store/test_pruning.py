"""What nobody needs any more is thrown away, and nothing else."""

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from data.store import RECALL, REMOVE, SHRINK, Post, Store, Turn
from data.store.outbox import UNDER_WAY
from tests.data.store.scene import ADA, CHANNEL, GRACE, NOW, note, table

DAY = 24 * 3600 * 1000
Sql = Callable[..., Awaitable[list[tuple[object, ...]]]]


async def test_old_requests_and_sent_posts_go_and_the_rest_stays(store: Store, engine: AsyncEngine, sql: Sql):
    head = await store.create(table(), now=NOW, request=11)
    head = await store.commit(note(head, outbox=[Post(kind="one"), Post(kind="two")], request=12), now=NOW)
    first, _ = await store.due_outbox(NOW, 10)
    await store.mark_sent(first.id, 900)
    head = await store.commit(note(head, outbox=[Post(kind="three")], request=13), now=NOW + DAY)
    *_, third = await store.due_outbox(NOW + DAY, 10)
    await store.mark_sent(third.id, 901)

    assert await store.prune(NOW) == 0
    assert await store.prune(NOW + 1) == 3
    assert await store.prune(NOW + 1) == 0

    assert await sql("SELECT interaction_id FROM requests") == [(13,)]
    assert await sql("SELECT kind FROM outbox ORDER BY id") == [("two",), ("three",)]


async def test_a_little_goes_at_a_time_until_nothing_is_left(store: Store, engine: AsyncEngine, sql: Sql):
    head = await store.create(table(), now=NOW)
    for number in range(5):
        head = await store.commit(note(head, request=100 + number), now=NOW)
    went = [await store.prune(NOW + 1, limit=2) for _ in range(4)]
    assert went == [2, 2, 1, 0]
    assert await sql("SELECT count(*) FROM requests") == [(0,)]


async def test_a_channel_is_closed_once_and_opened_again(store: Store):
    head = await store.create(table(), now=NOW)
    head = await store.commit(note(head, outbox=[Post(kind="round")]), now=NOW)
    assert await store.block(head.match_id, CHANNEL, 50013, now=NOW)
    assert not await store.block(head.match_id, CHANNEL, 50001, now=NOW + 1)
    (row,) = await store.blocked()
    assert (row.match_id, row.channel_id, row.body, row.attempts) == (head.match_id, CHANNEL, {"code": 50013}, 0)
    assert await store.due_outbox(NOW + 5, 10) == [], "its posts wait"
    assert [row.kind for row in await store.due_outbox(NOW + 5, 10, match_id=head.match_id)] == ["round"]
    await store.put_off(row.id, NOW + DAY)
    assert [row.kind for row in await store.due_outbox(NOW + 5, 10, match_id=head.match_id)] == ["round"]
    await store.unblock(head.match_id)
    assert await store.blocked() == []
    assert [row.kind for row in await store.due_outbox(NOW + 5, 10)] == ["round"]


async def test_a_match_that_moves_is_not_kept_waiting_by_the_channel_it_left(store: Store):
    head = await store.create(table(), now=NOW)
    await store.block(head.match_id, CHANNEL, 10003, now=NOW)
    await store.commit(note(head, channel_id=77, outbox=[Post(kind="round")]), now=NOW)
    assert await store.blocked() == []
    assert [row.kind for row in await store.due_outbox(NOW, 10)] == ["round"]


async def test_a_call_that_was_sent_names_the_one_before_which_stays_noted_until_it_is_gone(store: Store):
    head = await store.create(table(state="open"), now=NOW)
    await store.turn_shown(head.match_id, message_id=600, now=NOW)
    await store.commit(note(head, outbox=[Post(kind="turn")]), now=NOW)
    (row,) = await store.due_outbox(NOW, 10)
    assert await store.called(row, sent_as=601, shown_as=601, now=NOW) == 600
    (chore,) = await store.due_outbox(NOW, 10)
    assert (chore.kind, chore.body) == (REMOVE, {"message": 600})
    assert await store.called(row, sent_as=601, shown_as=601, now=NOW) is None, "twice does no harm"
    await store.retired(600)
    assert await store.due_outbox(NOW, 10) == []


async def test_a_call_that_comes_after_its_turn_is_the_one_to_delete(store: Store):
    head = await store.create(table(state="open", turn=Turn(seat=0, user=ADA)), now=NOW)
    head = await store.commit(note(head, outbox=[Post(kind="turn")]), now=NOW)
    (late,) = await store.due_outbox(NOW, 10)
    head = await store.commit(note(head, turn=Turn(seat=1, user=GRACE), outbox=[Post(kind="turn")]), now=NOW)
    (row,) = await store.due_outbox(NOW, 10)
    assert await store.called(row, sent_as=602, shown_as=602, now=NOW) is None
    assert await store.called(late, sent_as=601, shown_as=601, now=NOW) == 601
    found = await store.head(head.match_id)
    assert found is not None
    assert found.turn_message_id == 602, "the call that counts stays the one that is shown"


async def test_a_call_that_lost_its_sense_unsent_is_looked_for_after_a_while(store: Store):
    head = await store.create(table(state="open", turn=Turn(seat=0, user=ADA)), now=NOW)
    head = await store.commit(note(head, outbox=[Post(kind="turn"), Post(kind="round")]), now=NOW)
    call, _ = await store.due_outbox(NOW, 10)
    await store.commit(note(head, turn=Turn(seat=1, user=None)), now=NOW)
    assert [row.kind for row in await store.due_outbox(NOW, 10)] == ["round"], "nothing waits for it"
    due = await store.due_outbox(NOW + UNDER_WAY, 10)
    assert [(row.kind, row.nonce) for row in due if row.id == call.id] == [(RECALL, call.nonce)]


async def test_a_board_that_was_replaced_stays_noted_until_it_is_shrunk(store: Store):
    head = await store.create(table(), now=NOW)
    await store.shown(head.match_id, seq=1, message_id=500)
    assert await store.shown(head.match_id, seq=1, message_id=501, replaces=500, now=NOW)
    (chore,) = await store.due_outbox(NOW, 10)
    assert (chore.kind, chore.body) == (SHRINK, {"message": 500})
    await store.retired(500)
    assert await store.due_outbox(NOW, 10) == []


async def test_nothing_is_said_any_more_of_a_match_that_was_given_up(store: Store):
    head = await store.create(table(), now=NOW)
    head = await store.commit(note(head, state="void", outbox=[Post(kind="end")]), now=NOW)
    await store.block(head.match_id, CHANNEL, 10003, now=NOW)
    await store.give_up(head.match_id)
    assert await store.blocked() == []
    assert await store.due_outbox(NOW, 10) == []
    assert await store.heads_dirty(10) == []
