"""A player who opened the hand without a call and then became inactive."""

from data.store.store import Store
from engine.table.table_posts import TURN, TURN_POST_DELAY


async def make_delayed_call_due(store: Store, match_id: int, now: int) -> None:
    """Make the delayed call of an inactive player due now."""
    for row in await store.outbox.list_due(now + TURN_POST_DELAY, limit=9, match_id=match_id):
        if row.kind == TURN:
            await store.outbox.postpone(row, now, now=now)
