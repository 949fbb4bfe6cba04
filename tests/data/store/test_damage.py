"""What cannot be read costs its own match and no other."""

from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store import LogDamaged, Store
from engine.table.events import Paused
from tests.data.store.scene import GRACE, NOW, note, table

Sql = Callable[..., Awaitable[list[tuple[object, ...]]]]


async def test_a_match_whose_log_is_damaged_keeps_nobody_else_at_an_old_moment(
    store: Store, engine: AsyncEngine, sql: Sql
):
    damaged = await store.create(table(channel_id=1), now=NOW)
    for _ in range(3):
        damaged = await store.commit(note(damaged), now=NOW)
    other = await store.create(table(channel_id=2), now=NOW)
    await sql("UPDATE events SET kind = 'unheard-of' WHERE match_id = :match AND seq = 1", match=damaged.match_id)
    with pytest.raises(LogDamaged) as kept:
        await store.load(damaged.match_id)
    other = await store.commit(note(other), now=NOW)
    assert await store.head(other.match_id) == other, kept
    assert await store.head(damaged.match_id) == damaged


@pytest.mark.parametrize("wrong", ["kind = 'unheard-of'", "body = '{\"by\":'", "body = '{}'"])
async def test_whoever_stepped_in_at_a_match_whose_log_is_damaged_is_shown_and_forgotten_all_the_same(
    store: Store, sql: Sql, wrong: str
):
    heads = [await store.create(table(channel_id=channel), now=NOW) for channel in (1, 2)]
    for head in heads:
        await store.commit(note(head, events=[Paused(GRACE, "tea")]), now=NOW)
    await sql(f"UPDATE events SET {wrong} WHERE match_id = :match AND seq = 2", match=heads[0].match_id)
    held = await store.held(GRACE)
    assert held["moderations"] == [{"match_id": heads[1].match_id, "seq": 2, "user_id": GRACE}]
    # Both are lobbies whose logs name her, which she has left by what comes first.
    assert await store.forget(GRACE, left=[head.match_id for head in heads], now=NOW)
    assert GRACE not in await store.everybody()
