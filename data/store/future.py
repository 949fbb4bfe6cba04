"""Posts that somebody's clock put into the future: a machine whose time was ahead, and that died or was set right."""

from typing import Final

from sqlalchemy import BigInteger, and_, bindparam, case, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import outbox as waiting
from data.store.tables import outbox
from engine.table.posts import LAPSES
from engine.table.set_back import SKEW

_NOW: Final = bindparam("now", type_=BigInteger)
_SOON: Final = bindparam("soon", type_=BigInteger)


_FOLLOWING: Final = outbox.c.next_at > _NOW + SKEW
"""An index leads to what lies ahead: sweeps look for it often."""
_TRIED: Final = outbox.c.noted_at > _NOW + SKEW
# A question lapses by its own time, which stands in the log.
_UNTRIED: Final = and_(outbox.c.noted_at.is_(None), outbox.c.created_at > _NOW + SKEW, outbox.c.kind != LAPSES)
_AHEAD: Final = select(outbox.c.dedupe).where(_FOLLOWING, or_(_TRIED, _UNTRIED)).limit(1)
_BROUGHT_BACK: Final = (
    update(outbox)
    .where(_FOLLOWING, or_(_TRIED, _UNTRIED))
    .values(
        # Whoever took it may still be at it. What nobody has taken waits as long as it was to when it was written.
        next_at=case((_TRIED, _SOON), else_=outbox.c.next_at - outbox.c.created_at + _NOW),
        created_at=case((_TRIED, outbox.c.created_at), else_=_NOW),
        noted_at=case((_TRIED, _NOW), else_=outbox.c.noted_at),
    )
)


async def is_ahead(connection: AsyncConnection, now: int) -> bool:
    """Whether a post waits because of a clock that was ahead."""
    return (await connection.execute(_AHEAD, {"now": now})).first() is not None


async def bring_back(connection: AsyncConnection, now: int) -> int:
    """Let each of them be taken up as soon as whoever may be at it must have ended; returns how many there were."""
    done = await connection.execute(_BROUGHT_BACK, {"now": now, "soon": now + waiting.LEASE})
    return done.rowcount
