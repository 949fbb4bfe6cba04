"""Posts that somebody's clock put into the future: a machine whose time was ahead, and that died or was set right."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Update, and_, bindparam, case, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import outbox as waiting
from data.store.posts import ALERT, BLOCKED
from data.store.tables import outbox
from engine.table.pace import DAY
from engine.table.posts import LAPSES
from engine.table.set_back import SKEW

_NOW: Final = bindparam("now", type_=BigInteger)
_SOON: Final = bindparam("soon", type_=BigInteger)


async def is_ahead(connection: AsyncConnection, now: int, waits: tuple[int, ...]) -> bool:
    """Whether a post waits longer than any can."""
    query = select(outbox.c.id).where(_never(waits)).limit(1)
    return (await connection.execute(query, {"now": now})).first() is not None


async def bring_back(connection: AsyncConnection, now: int, waits: tuple[int, ...]) -> int:
    """Let each of them be taken up as soon as whoever may be at it must have ended; returns how many there were.

    `waits` are the longest times in ms that a post is put off after so many attempts in vain, from none on.
    """
    done = await connection.execute(_brought_back(waits), {"now": now, "soon": now + waiting.LEASE})
    return done.rowcount


@cache
def _brought_back(waits: tuple[int, ...]) -> Update:
    tried = outbox.c.attempts > 0
    return (
        update(outbox)
        .where(_never(waits))
        .values(
            # What nobody has taken yet waits as long as it was to wait when it was written.
            next_at=case((tried, _SOON), else_=outbox.c.next_at - outbox.c.created_at + _NOW),
            created_at=case((tried, outbox.c.created_at), else_=_NOW),
        )
    )


def _never(waits: tuple[int, ...]) -> ColumnElement[bool]:
    """What can only be true of a post that was written or taken by a clock that was ahead."""
    # Sweeps run often, and an index leads to what lies ahead.
    taken = and_(outbox.c.attempts > 0, outbox.c.next_at > _NOW + _longest(waits) + SKEW)
    # A question lapses by its own time, which stands in the log.
    written = and_(outbox.c.attempts == 0, outbox.c.created_at > _NOW + SKEW, outbox.c.kind != LAPSES)
    return and_(outbox.c.next_at > _NOW + SKEW, or_(taken, written))


def _longest(waits: tuple[int, ...]) -> ColumnElement[int]:
    """So long, in ms, a post that was taken waits at most."""
    after: Mapping[Any, int] = {n: max(waiting.LEASE, wait) for n, wait in enumerate(waits, 1)}
    # A closed channel is looked at once a day; nobody is told of a table in their quiet hours.
    by_attempts = case(after, value=outbox.c.attempts, else_=max(after.values()))
    return case((outbox.c.kind.in_((ALERT, BLOCKED)), DAY), else_=by_attempts)
