"""How the store is doing: what waits to be said, for those who look after the bot."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.tables import matches, outbox
from data.store.values import Backlog


async def backlog(connection: AsyncConnection, now: int) -> Backlog:
    """The posts that should have been sent, and the boards that are behind."""
    late = select(func.count(), func.min(outbox.c.created_at)).where(outbox.c.next_at.is_not(None))
    posts, oldest = (await connection.execute(late)).one()
    behind = select(func.count()).where(matches.c.shown_seq < matches.c.seq)
    boards = (await connection.execute(behind)).scalar_one()
    return Backlog(posts=posts, oldest=0 if oldest is None else max(0, now - oldest), boards=boards)
