"""How the store is doing: what waits to be said, for those who look after the bot."""

from collections import Counter
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import codec
from data.store.posts import REFUSED, Backlog
from data.store.tables import matches, outbox

LATELY: Final = 7 * 24 * 3600 * 1000
"""A post that was refused is of interest for so many ms."""


async def backlog(connection: AsyncConnection, now: int) -> Backlog:
    """The posts that should have been sent, those that cannot be, and the boards that are behind."""
    # What is to be said at a later time only, and was not attempted, waits for nothing but that.
    ready = (outbox.c.next_at.is_not(None), or_(outbox.c.next_at <= now, outbox.c.attempts > 0))
    late = select(func.count(), func.min(outbox.c.created_at)).where(*ready)
    posts, oldest = (await connection.execute(late)).one()
    behind = select(func.count()).where(matches.c.shown_seq < matches.c.seq)
    boards = (await connection.execute(behind)).scalar_one()
    refused = select(outbox.c.body).where(outbox.c.kind == REFUSED, outbox.c.created_at > now - LATELY)
    codes = Counter(int(codec.to_mapping(body)["code"]) for body in await connection.scalars(refused))
    return Backlog(posts=posts, oldest=0 if oldest is None else max(0, now - oldest), boards=boards, refused=codes)
