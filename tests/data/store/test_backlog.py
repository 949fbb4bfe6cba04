"""Since when something waits: what an operator is woken for. What is to come, or waits on purpose, wakes nobody."""

from data.store import ALERT, Post, Store
from engine.table.posts import LAPSES
from engine.table.questions import LASTS
from engine.table.state import Due
from tests.data.store.scene import NOW, note, table

MINUTE = 60_000


async def oldest(store: Store, now: int) -> tuple[int, int]:
    """How many posts should have been sent by then, and for how many ms the oldest has waited."""
    found = await store.backlog(now=now)
    return found.posts, found.oldest


async def test_what_is_to_be_said_in_a_day_waits_from_that_day_on(store: Store) -> None:
    head = await store.create(table(), now=NOW)
    await store.commit(note(head, outbox=[Post(kind=LAPSES, at=NOW + LASTS)]), now=NOW)
    assert await oldest(store, NOW + LASTS - 1) == (0, 0)
    later = NOW + LASTS + MINUTE
    assert await oldest(store, later) == (1, MINUTE)
    (row,) = await store.due_outbox(later, 10)
    assert await store.take(row, now=later)
    assert await oldest(store, later) == (1, MINUTE), "while it is being said, too"


async def test_each_failure_leaves_the_wait_as_long_as_it_was(store: Store) -> None:
    head = await store.create(table(), now=NOW)
    await store.commit(note(head, outbox=[Post(kind="round")]), now=NOW)
    (row,) = await store.due_outbox(NOW, 10)
    assert await store.take(row, now=NOW)
    await store.put_off(row, NOW + 60 * MINUTE, now=NOW)
    assert await oldest(store, NOW + 7 * MINUTE) == (1, 7 * MINUTE)


async def test_whoever_is_told_when_they_are_awake_again_is_not_waited_for(store: Store) -> None:
    head = await store.create(table(), now=NOW)
    await store.commit(note(head, outbox=[Post(kind=ALERT)]), now=NOW)
    (row,) = await store.alerts_due(NOW, 10)
    assert await store.take(row, now=NOW)
    await store.put_off(row, NOW + 60 * MINUTE, now=NOW)
    assert await oldest(store, NOW + 7 * MINUTE) == (0, 0)


async def test_a_table_is_late_from_when_its_clock_should_have_acted(store: Store) -> None:
    head = await store.create(table(), now=NOW)
    await store.commit(note(head, due=Due(at=NOW + MINUTE, kind="remind")), now=NOW)
    assert (await store.backlog(now=NOW + MINUTE - 1)).due == 0
    found = await store.backlog(now=NOW + 3 * MINUTE)
    assert (found.due, found.due_age) == (1, 2 * MINUTE)
