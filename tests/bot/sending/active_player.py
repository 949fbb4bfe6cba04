"""Whoever has gone on to their turn themselves, and then does nothing more."""

from data.store.store import Store
from engine.table.table_posts import AT_IT, TURN


async def left(store: Store, match_id: int, now: int) -> None:
    """They are not at it any more: the call that waits for that is due."""
    for row in await store.outbox.due_outbox(now + AT_IT, limit=9, match_id=match_id):
        if row.kind == TURN:
            await store.outbox.put_off(row, now, now=now)
