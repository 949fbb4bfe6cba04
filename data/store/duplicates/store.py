"""Duplicate deals: made, played at many tables with each user at one of them, and opened at their end.

News of a weekly deal is stored with the deal. A process takes a row for a limited time; after a crash, another process
first searches for the message.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Row, Select, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.bodies import read_body, register_body
from data.store.connection.engines import upsert
from data.store.connection.hooks import register_guild_column, register_guild_purger
from data.store.connection.repository import (
    Repository,
    build_read_method,
    build_write_method,
    read_transaction,
    write_transaction,
)
from data.store.connection.schema import to_mapping, to_text, to_value
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.tables import aside, guilds, matches
from data.store.duplicates.deals import (
    DEAL,
    NEWS_KINDS,
    DealNews,
    SealedDeal,
    WeeklyDeal,
    WeeklyDealUpdate,
    deal_news,
    weekly_deals,
)
from data.store.guilds.store import lock_guild
from data.store.log import heads
from data.store.log.deal_tables import deal_matches, deal_sitters, deals
from data.store.log.match_values import Head
from data.store.matches import journal
from data.store.outbox import outbox
from engine.table.table_events import MATCH_DEAL_PREFIX, DealOpened
from engine.table.table_posts import Post

T = TypeVar("T")
_QUARANTINED: Final = (
    select(aside.c.match_id)
    .join(deal_matches, deal_matches.c.match_id == aside.c.match_id)
    .where(deal_matches.c.deal_id == bindparam("deal"))
)


register_guild_column(weekly_deals.c.guild_id)


@register_guild_purger
async def purge_weekly_deals(connection: AsyncConnection, guild_id: int) -> None:
    await connection.execute(delete(weekly_deals).where(weekly_deals.c.guild_id == guild_id))


async def create_deal(
    connection: AsyncConnection, deal: SealedDeal, *, of_match: int | None = None, seen_by: Collection[int] = ()
) -> SealedDeal | None:
    """Store a new deal and return it with its number; None if its name is taken in the guild.

    If it is the deal of the match `of_match`, which is over, the users `seen_by` know it.
    """
    taken = select(deals.c.deal_id).where(deals.c.guild_id == deal.guild_id, deals.c.name == deal.name)
    await lock_guild(connection, deal.guild_id, deal.made_at)
    if (await connection.execute(taken)).first() is not None:
        return None
    names = ("guild_id", "channel_id", "name", "secret", "tables", "made_at", "closes_at")
    row = {name: getattr(deal, name) for name in names} | {"terms": to_text(dict(deal.terms))}
    number = (await connection.execute(insert(deals).values(row).returning(deals.c.deal_id))).scalar_one()
    if of_match is not None:
        await connection.execute(insert(deal_matches).values(match_id=of_match, deal_id=number))
        if rows := [{"deal_id": number, "user_id": user_id, "match_id": of_match} for user_id in sorted(seen_by)]:
            await connection.execute(insert(deal_sitters), rows)
    return replace(deal, deal_id=number)


async def find_weekly_deal(connection: AsyncConnection, guild_id: int, now: int) -> SealedDeal | None:
    """Return the weekly deal of a guild that is sealed now, even if no more weekly deals are made."""
    announced = select(deal_news.c.deal_id).where(deal_news.c.deal_id == deals.c.deal_id).exists()
    sealed = select(deals).where(
        deals.c.guild_id == guild_id, deals.c.opened_at.is_(None), deals.c.closes_at > now, announced
    )
    return await _find_deal(connection, sealed.order_by(deals.c.closes_at.desc()).limit(1))


async def _find_deal(connection: AsyncConnection, query: Select[Any]) -> SealedDeal | None:
    row = (await connection.execute(query)).first()
    return None if row is None else read_body(_to_deal, row, None)


def _build_tables_query(deal_id: int) -> Select[Any]:
    joined = select(matches).join(deal_matches, deal_matches.c.match_id == matches.c.match_id)
    return joined.where(deal_matches.c.deal_id == deal_id).order_by(matches.c.match_id)


def parse_terms(text: str) -> Mapping[str, Any]:
    """Parse the stored terms of a deal. Raises one of BODY_ERRORS."""
    _TERMS.decode(text)
    return to_mapping(text)


class _StoredTerms(msgspec.Struct):
    game: str = ""
    seats: int | None = None
    target: int | None = None
    preset: str | None = None
    options: tuple[str, ...] = ()


_TERMS: Final = msgspec.json.Decoder(_StoredTerms)
for _table in (deals, weekly_deals):
    register_body(_table.c.terms, lambda row: parse_terms(row.terms))


def _to_weekly_deal(row: Row[Any]) -> WeeklyDeal:
    """Raises one of BODY_ERRORS."""
    return to_value(WeeklyDeal, row, terms=parse_terms(row.terms))


def _to_deal(row: Row[Any]) -> SealedDeal:
    """Raises one of BODY_ERRORS."""
    return to_value(SealedDeal, row, terms=parse_terms(row.terms), secret=bytes(row.secret))


def _list_readable(read: Callable[[Row[Any]], T], rows: Iterable[Row[Any]]) -> list[T]:
    return [one for row in rows if (one := read_body(read, row, None)) is not None]


async def _schedule_result_news(connection: AsyncConnection, deal_id: int, now: int) -> bool:
    """Make the news of a deal's result due; False unless it is a weekly deal, which alone has news."""
    mine = (deal_news.c.deal_id == deal_id, deal_news.c.kind == "opened")
    due = update(deal_news).where(*mine).values(next_at=now, created_at=now)
    return (await connection.execute(due)).rowcount == 1


def _build_news_condition(news: DealNews) -> tuple[Any, ...]:
    return deal_news.c.deal_id == news.deal_id, deal_news.c.kind == news.kind


class DealStore(Repository):
    create_deal = build_write_method(create_deal)
    find_weekly_deal = build_read_method(find_weekly_deal)

    @read_transaction
    async def find_deal(self, connection: AsyncConnection, guild_id: int, name: str) -> SealedDeal | None:
        return await _find_deal(connection, select(deals).where(deals.c.guild_id == guild_id, deals.c.name == name))

    @read_transaction
    async def find_deal_by_id(self, connection: AsyncConnection, deal_id: int) -> SealedDeal | None:
        return await _find_deal(connection, select(deals).where(deals.c.deal_id == deal_id))

    @read_transaction
    async def list_deals(self, connection: AsyncConnection, guild_id: int, *, limit: int = 25) -> list[SealedDeal]:
        """Return the deals of a guild: sealed ones by their opening time, then the last opened."""
        mine = select(deals).where(deals.c.guild_id == guild_id)
        order = deals.c.opened_at.is_not(None), deals.c.opened_at.desc(), deals.c.closes_at, deals.c.deal_id
        return _list_readable(_to_deal, await connection.execute(mine.order_by(*order).limit(limit)))

    @read_transaction
    async def count_sealed_deals(self, connection: AsyncConnection, guild_id: int) -> int:
        query = select(func.count()).where(deals.c.guild_id == guild_id, deals.c.opened_at.is_(None))
        return await connection.scalar(query) or 0

    @write_transaction
    async def drop_unplayed_deal(self, connection: AsyncConnection, guild_id: int, *, before: int) -> bool:
        """Delete a guild's oldest sealed deal from before this time without a table; False if there is none."""
        played = select(deal_matches.c.deal_id).where(deal_matches.c.deal_id == deals.c.deal_id).exists()
        weekly = select(deal_news.c.deal_id).where(deal_news.c.deal_id == deals.c.deal_id).exists()
        unplayed = select(deals.c.deal_id).where(
            deals.c.guild_id == guild_id, deals.c.opened_at.is_(None), deals.c.made_at < before, ~played, ~weekly
        )
        number = await connection.scalar(unplayed.order_by(deals.c.made_at, deals.c.deal_id).limit(1))
        await connection.execute(delete(deals).where(deals.c.deal_id == number))
        return number is not None

    @read_transaction
    async def list_deal_tables(self, connection: AsyncConnection, deal_id: int) -> list[Head]:
        """Return the tables of a deal that are not void, by age."""
        some = _build_tables_query(deal_id).where(matches.c.state != "void")
        return [heads.to_head(row) for row in await connection.execute(some)]

    @read_transaction
    async def find_deal_refusal(
        self, connection: AsyncConnection, deal: SealedDeal, user_ids: Collection[int], *, match_id: int = 0
    ) -> tuple[str, int] | None:
        """Return why a user may not sit at this table of a deal, and the user; None if all may.

        "seen": they sat at another table. "forgotten": their data was erased since the deal was made, so they may have.
        """
        user_id = deal_sitters.c.user_id
        elsewhere = (deal_sitters.c.deal_id == deal.deal_id, deal_sitters.c.match_id != match_id)
        others = select(user_id).where(*elsewhere, user_id.in_(user_ids)).order_by(user_id)
        if (seen := await connection.scalar(others)) is not None:
            return "seen", seen
        key = self.transactions.privacy_key
        erased = await facts.list_erased_users(connection, key, user_ids, since=deal.made_at + 1)
        return ("forgotten", erased[0]) if erased else None

    @read_transaction
    async def list_due_deals(self, connection: AsyncConnection, now: int, *, limit: int = 50) -> list[int]:
        """Return the ids of deals to open, also of garbled ones."""
        over = (
            select(deals.c.deal_id)
            .where(deals.c.opened_at.is_(None), deals.c.closes_at <= now)
            .order_by(deals.c.closes_at)
        )
        return list(await connection.scalars(over.limit(limit)))

    @write_transaction
    async def open_deal(self, connection: AsyncConnection, deal_id: int, *, now: int) -> list[int]:
        """Open a deal and its tables; return the tables to draw again, none if it was already open."""
        mine = (deals.c.deal_id == deal_id, deals.c.opened_at.is_(None))
        if (await connection.execute(update(deals).where(*mine).values(opened_at=now))).rowcount != 1:
            return []
        deal = (await connection.execute(select(deals).where(deals.c.deal_id == deal_id))).one()
        notified_channels = {deal.channel_id} if await _schedule_result_news(connection, deal_id, now) else set()
        found = [heads.to_head(row) for row in await connection.execute(_build_tables_query(deal_id))]
        unreadable = set(await connection.scalars(_QUARANTINED, {"deal": deal_id}))
        shown = []
        for head in found:
            if deal.name == f"{MATCH_DEAL_PREFIX}{head.match_id}":
                continue  # it was never sealed
            await journal.append_event(connection, head.match_id, DealOpened(), now)
            if head.state == "void" or head.match_id in unreadable:
                # Its record becomes public if it is repaired; its messages stay as they are.
                mark_shown = update(matches).where(matches.c.match_id == head.match_id)
                await connection.execute(mark_shown.values(shown_seq=matches.c.seq))
                continue
            shown.append(head.match_id)
            if head.channel_id not in notified_channels and head.state in ("open", "done"):
                notified_channels.add(head.channel_id)
                moved = await heads.find_head(connection, head.match_id)
                assert moved is not None
                await outbox.queue(connection, moved, [Post(kind=DEAL, body={"deal": deal_id})], now)
        return shown

    @write_transaction
    async def set_weekly_deal(self, connection: AsyncConnection, weekly: WeeklyDeal) -> WeeklyDealUpdate:
        """Set the weekly deal of a guild. It starts after the current sealed deal, if any."""
        await lock_guild(connection, weekly.guild_id, weekly.next_at)
        known = select(weekly_deals).where(weekly_deals.c.guild_id == weekly.guild_id)
        before = (await connection.execute(known)).first()
        current = await find_weekly_deal(connection, weekly.guild_id, weekly.next_at)
        found = weekly if current is None else replace(weekly, next_at=current.closes_at)
        row = {"channel_id": found.channel_id, "terms": to_text(dict(found.terms)), "next_at": found.next_at}
        await upsert(connection, weekly_deals, {"guild_id": found.guild_id}, {}, row)
        return WeeklyDealUpdate(found, None if before is None else read_body(_to_weekly_deal, before, None), current)

    @write_transaction
    async def delete_weekly_deal(self, connection: AsyncConnection, guild_id: int) -> bool:
        return (await connection.execute(delete(weekly_deals).where(weekly_deals.c.guild_id == guild_id))).rowcount == 1

    @read_transaction
    async def list_due_weekly_deals(
        self, connection: AsyncConnection, now: int, *, limit: int = 50
    ) -> list[WeeklyDeal]:
        left = select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))
        due = (weekly_deals.c.next_at <= now, weekly_deals.c.guild_id.not_in(left))
        over = select(weekly_deals).where(*due).order_by(weekly_deals.c.next_at)
        return _list_readable(_to_weekly_deal, await connection.execute(over.limit(limit)))

    @write_transaction
    async def create_weekly_deal(
        self, connection: AsyncConnection, weekly: WeeklyDeal, deal: SealedDeal, names: Collection[str]
    ) -> SealedDeal | None:
        """Make this week's deal with the first free name; None if another process has, or the weekly deal changed."""
        await lock_guild(connection, weekly.guild_id, deal.made_at)
        mine = (weekly_deals.c.guild_id == weekly.guild_id, weekly_deals.c.next_at == weekly.next_at)
        known = select(deals.c.name).where(deals.c.guild_id == weekly.guild_id, deals.c.name.in_(names))
        taken = set(await connection.scalars(known))
        free = next((name for name in names if name not in taken), None)
        advance = update(weekly_deals).where(*mine).values(next_at=deal.closes_at)
        if free is None or (await connection.execute(advance)).rowcount != 1:
            return None
        made = await create_deal(connection, replace(deal, name=free))
        if made is not None:
            now = made.made_at
            news = {"deal_id": made.deal_id, "created_at": now, "attempts": 0}
            rows = [{**news, "kind": kind, "next_at": now if kind == "sealed" else None} for kind in NEWS_KINDS]
            await connection.execute(insert(deal_news), rows)
        return made

    @read_transaction
    async def list_due_deal_news(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNSHARDED
    ) -> list[DealNews]:
        first = deal_news.alias("first")
        query = (
            select(deal_news, deals.c.guild_id, deals.c.channel_id, first.c.message_id.label("announced"))
            .join(deals, deals.c.deal_id == deal_news.c.deal_id)
            .outerjoin(first, (first.c.deal_id == deal_news.c.deal_id) & (first.c.kind == "sealed"))
            .where(deal_news.c.next_at <= now, of.build_guild_condition(deals.c.guild_id))
            .order_by(deal_news.c.created_at, deal_news.c.deal_id)
        )
        return [to_value(DealNews, row) for row in await connection.execute(query.limit(limit))]

    @write_transaction
    async def lease_deal_news(self, connection: AsyncConnection, news: DealNews, *, until: int) -> bool:
        """Take a lease on this news; False if another process has it or sent it."""
        mine = (*_build_news_condition(news), deal_news.c.next_at == news.next_at)
        taken = update(deal_news).where(*mine).values(next_at=until, attempts=news.attempts + 1)
        return (await connection.execute(taken)).rowcount == 1

    @write_transaction
    async def note_deal_news_sent(self, connection: AsyncConnection, news: DealNews, message_id: int | None) -> None:
        """Note the message with this news; None if there is nothing to send or Discord rejects it."""
        sent = update(deal_news).where(*_build_news_condition(news)).values(next_at=None, message_id=message_id)
        await connection.execute(sent)

    @write_transaction
    async def postpone_deal_news(self, connection: AsyncConnection, news: DealNews, at: int) -> None:
        waiting = (*_build_news_condition(news), deal_news.c.next_at.is_not(None))
        await connection.execute(update(deal_news).where(*waiting).values(next_at=at))
