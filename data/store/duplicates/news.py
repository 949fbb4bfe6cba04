"""What is told of a weekly deal in its channel: that it is sealed, and how its tables compare once it is opened.

A line is written with what it tells of. Whoever takes one has it for a while; should they be killed, somebody else
looks for the message before they send it again.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Row, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.shards import Shards
from data.store.log.deal_tables import deal_news, deals

NewsKind = Literal["sealed", "opened"]
KINDS: Final[tuple[NewsKind, ...]] = ("sealed", "opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class DealNews:
    """One of them, as it was read."""

    deal_id: int
    guild_id: int
    channel_id: int
    kind: NewsKind
    created_at: int
    next_at: int
    attempts: int
    announced: int | None
    """The message that tells that the deal is sealed, where there is one."""


async def news_begins(connection: AsyncConnection, deal_id: int, now: int) -> None:
    """A weekly deal has just been made: that is told now, and its result when it is opened."""
    rows = [
        {
            "deal_id": deal_id,
            "kind": kind,
            "created_at": now,
            "next_at": now if kind == "sealed" else None,
            "attempts": 0,
        }
        for kind in KINDS
    ]
    await connection.execute(insert(deal_news), rows)


async def result_due(connection: AsyncConnection, deal_id: int, now: int) -> bool:
    """A deal has just been opened: whether its result is told in this way, as it is of a weekly one."""
    mine = (deal_news.c.deal_id == deal_id, deal_news.c.kind == "opened")
    told = update(deal_news).where(*mine).values(next_at=now, created_at=now)
    return (await connection.execute(told)).rowcount == 1


async def due_news(connection: AsyncConnection, now: int, limit: int, of: Shards) -> list[DealNews]:
    """What should be told by now on these shards, oldest first; a result before what is sealed after it."""
    first = deal_news.alias("first")
    query = (
        select(deal_news, deals.c.guild_id, deals.c.channel_id, first.c.message_id.label("announced"))
        .join(deals, deals.c.deal_id == deal_news.c.deal_id)
        .outerjoin(first, (first.c.deal_id == deal_news.c.deal_id) & (first.c.kind == "sealed"))
        .where(deal_news.c.next_at <= now, of.hold(deals.c.guild_id))
        .order_by(deal_news.c.created_at, deal_news.c.deal_id)
    )
    return [_of(row) for row in await connection.execute(query.limit(limit))]


async def take_news(connection: AsyncConnection, news: DealNews, until: int) -> bool:
    """Only the caller tells it, until then. False where somebody else does, or has."""
    mine = (*_mine(news), deal_news.c.next_at == news.next_at)
    taken = update(deal_news).where(*mine).values(next_at=until, attempts=news.attempts + 1)
    return (await connection.execute(taken)).rowcount == 1


async def news_told(connection: AsyncConnection, news: DealNews, message_id: int | None) -> None:
    """It stands in the channel as this message; None: there is nothing to tell, or nobody takes it."""
    await connection.execute(update(deal_news).where(*_mine(news)).values(next_at=None, message_id=message_id))


async def put_news_off(connection: AsyncConnection, news: DealNews, at: int) -> None:
    """It could not be told, and is tried again then."""
    waiting = (*_mine(news), deal_news.c.next_at.is_not(None))
    await connection.execute(update(deal_news).where(*waiting).values(next_at=at))


def _mine(news: DealNews) -> tuple[Any, ...]:
    return deal_news.c.deal_id == news.deal_id, deal_news.c.kind == news.kind


def _of(row: Row[Any]) -> DealNews:
    return DealNews(
        deal_id=row.deal_id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        kind=row.kind,
        created_at=row.created_at,
        next_at=row.next_at,
        attempts=row.attempts,
        announced=row.announced,
    )
