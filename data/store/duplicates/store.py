"""Sealed deals: made, played at many tables by users who sit at one of them each, and opened at their end.

What is told of a weekly deal in its channel is written with it. A process takes a line of that for a while; should it
be killed, another one looks for the message before it sends it again.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Row, Select, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import facts
from data.store.connection.engines import upsert
from data.store.connection.hooks import purges_guild, register_guild_column
from data.store.connection.json_text import to_mapping, to_text
from data.store.connection.privacy_key import PrivacyKey, fingerprint
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.tables import aside, forgotten, guilds, matches
from data.store.duplicates.deals import DEAL, KINDS, DealNews, SealedDeal, WeeklyDeal, WeeklySet
from data.store.duplicates.tables import deal_news, weekly_deals
from data.store.guilds.store import hold
from data.store.log import heads
from data.store.log.deal_tables import deal_matches, deal_sitters, deals
from data.store.log.match_values import Head
from data.store.matches import journal
from data.store.outbox import outbox
from engine.table.table_events import OF_MATCH, DealOpened
from engine.table.table_posts import Post

_ASIDE: Final = (
    select(aside.c.match_id)
    .join(deal_matches, deal_matches.c.match_id == aside.c.match_id)
    .where(deal_matches.c.deal_id == bindparam("deal"))
)
"""The tables of a deal whose log cannot be read."""


register_guild_column(weekly_deals.c.guild_id)


@purges_guild
async def purge_weekly_deals(connection: AsyncConnection, guild_id: int) -> None:
    """Delete the weekly deal of a server."""
    await connection.execute(delete(weekly_deals).where(weekly_deals.c.guild_id == guild_id))


async def make(
    connection: AsyncConnection, deal: SealedDeal, of_match: int | None, seen_by: Collection[int]
) -> SealedDeal | None:
    """Keep a new one; None where its name is taken. `of_match` has been played with it already, by these people."""
    taken = select(deals.c.deal_id).where(deals.c.guild_id == deal.guild_id, deals.c.name == deal.name)
    await hold(connection, deal.guild_id, deal.made_at)
    if (await connection.execute(taken)).first() is not None:
        return None
    row = {
        "guild_id": deal.guild_id,
        "channel_id": deal.channel_id,
        "name": deal.name,
        "terms": to_text(dict(deal.terms)),
        "secret": deal.secret,
        "tables": deal.tables,
        "made_at": deal.made_at,
        "closes_at": deal.closes_at,
    }
    number = (await connection.execute(insert(deals).values(row).returning(deals.c.deal_id))).scalar_one()
    if of_match is not None:
        await connection.execute(insert(deal_matches).values(match_id=of_match, deal_id=number))
        if rows := [{"deal_id": number, "user_id": user_id, "match_id": of_match} for user_id in sorted(seen_by)]:
            await connection.execute(insert(deal_sitters), rows)
    return replace(deal, deal_id=number)


async def seat_refusal(
    connection: AsyncConnection, deal: SealedDeal, match_id: int, user_ids: Collection[int], key: PrivacyKey
) -> tuple[str, int] | None:
    """Why somebody may not sit at this table of a deal, and who that is: they sat at another ("seen"), or had
    themselves forgotten since it was made ("forgotten"), so that nobody knows whether they did.
    """
    others = select(deal_sitters.c.user_id).where(
        deal_sitters.c.deal_id == deal.deal_id,
        deal_sitters.c.match_id != match_id,
        deal_sitters.c.user_id.in_(user_ids),
    )
    if (seen := (await connection.execute(others.order_by(deal_sitters.c.user_id))).scalar()) is not None:
        return "seen", seen
    since = select(forgotten.c.mark).where(forgotten.c.at > deal.made_at)
    marks = set(await connection.scalars(since))
    if marks:
        fingerprints = await facts.fingerprint_key(connection, key)
        for user_id in sorted(user_ids):
            if fingerprint(fingerprints, user_id) in marks:
                return "forgotten", user_id
    return None


async def this_weeks(connection: AsyncConnection, guild_id: int, now: int) -> SealedDeal | None:
    """The weekly deal of a server that is sealed now, whatever has become of the wish for more of them."""
    announced = select(deal_news.c.deal_id).where(deal_news.c.deal_id == deals.c.deal_id).exists()
    sealed = select(deals).where(
        deals.c.guild_id == guild_id, deals.c.opened_at.is_(None), deals.c.closes_at > now, announced
    )
    row = (await connection.execute(sealed.order_by(deals.c.closes_at.desc()).limit(1))).first()
    return None if row is None else _deal(row)


def _tables(deal_id: int, *, all_of_them: bool = False) -> Select[Any]:
    joined = select(matches).join(deal_matches, deal_matches.c.match_id == matches.c.match_id)
    mine = joined.where(deal_matches.c.deal_id == deal_id)
    return (mine if all_of_them else mine.where(matches.c.state != "void")).order_by(matches.c.match_id)


def _weekly(row: Row[Any]) -> WeeklyDeal:
    terms = to_mapping(row.terms)
    return WeeklyDeal(guild_id=row.guild_id, channel_id=row.channel_id, terms=terms, next_at=row.next_at)


def _deal(row: Row[Any]) -> SealedDeal:
    return SealedDeal(
        deal_id=row.deal_id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        name=row.name,
        terms=to_mapping(row.terms),
        secret=bytes(row.secret),
        tables=row.tables,
        made_at=row.made_at,
        closes_at=row.closes_at,
        opened_at=row.opened_at,
    )


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


class DealStore(Repository):
    """Deals that many tables play alike."""

    @writes
    async def make_deal(
        self,
        connection: AsyncConnection,
        deal: SealedDeal,
        *,
        of_match: int | None = None,
        seen_by: Collection[int] = (),
    ) -> SealedDeal | None:
        """Keep a new deal, with its number; None where a deal of the server has that name already. One that is the
        deal `of_match`, which is over, was seen by these people there.
        """
        return await make(connection, deal, of_match, seen_by)

    @reads
    async def deal(self, connection: AsyncConnection, guild_id: int, name: str) -> SealedDeal | None:
        """The deal of a server with this name."""
        row = (
            await connection.execute(select(deals).where(deals.c.guild_id == guild_id, deals.c.name == name))
        ).first()
        return None if row is None else _deal(row)

    @reads
    async def deal_numbered(self, connection: AsyncConnection, deal_id: int) -> SealedDeal | None:
        """The deal with this number."""
        row = (await connection.execute(select(deals).where(deals.c.deal_id == deal_id))).first()
        return None if row is None else _deal(row)

    @reads
    async def deals(self, connection: AsyncConnection, guild_id: int, *, limit: int = 25) -> list[SealedDeal]:
        """The deals of a server: sealed ones first, that which is opened next first; then those opened last."""
        mine = select(deals).where(deals.c.guild_id == guild_id)
        order = deals.c.opened_at.is_not(None), deals.c.opened_at.desc(), deals.c.closes_at, deals.c.deal_id
        return [_deal(row) for row in await connection.execute(mine.order_by(*order).limit(limit))]

    @reads
    async def sealed_deals(self, connection: AsyncConnection, guild_id: int) -> int:
        """How many deals of a server are sealed."""
        query = select(func.count()).where(deals.c.guild_id == guild_id, deals.c.opened_at.is_(None))
        return int((await connection.execute(query)).scalar_one())

    @writes
    async def drop_unplayed_deal(self, connection: AsyncConnection, guild_id: int, *, before: int) -> bool:
        """Delete the oldest sealed deal of a server that was made before this moment and has no table. False where
        there is none.
        """
        played = select(deal_matches.c.deal_id).where(deal_matches.c.deal_id == deals.c.deal_id).exists()
        weekly = select(deal_news.c.deal_id).where(deal_news.c.deal_id == deals.c.deal_id).exists()
        unplayed = select(deals.c.deal_id).where(
            deals.c.guild_id == guild_id, deals.c.opened_at.is_(None), deals.c.made_at < before, ~played, ~weekly
        )
        number = (await connection.execute(unplayed.order_by(deals.c.made_at, deals.c.deal_id).limit(1))).scalar()
        if number is None:
            return False
        await connection.execute(delete(deals).where(deals.c.deal_id == number))
        return True

    @reads
    async def deal_tables(self, connection: AsyncConnection, deal_id: int) -> list[Head]:
        """The tables of a deal that came or may come to something, in the order in which they were opened."""
        return [heads.to_head(row) for row in await connection.execute(_tables(deal_id))]

    @reads
    async def deal_refusal(
        self, connection: AsyncConnection, deal: SealedDeal, user_ids: Collection[int], *, match_id: int = 0
    ) -> tuple[str, int] | None:
        """Why somebody may not sit at this table of a deal, "seen" or "forgotten", and who; None where all may."""
        return await seat_refusal(connection, deal, match_id, user_ids, self.transactions.privacy_key)

    @reads
    async def deals_due(self, connection: AsyncConnection, now: int, *, limit: int = 50) -> list[SealedDeal]:
        """Sealed deals whose time is over, longest first."""
        over = select(deals).where(deals.c.opened_at.is_(None), deals.c.closes_at <= now).order_by(deals.c.closes_at)
        return [_deal(row) for row in await connection.execute(over.limit(limit))]

    @writes
    async def open_deal(self, connection: AsyncConnection, deal_id: int, *, now: int) -> list[int]:
        """Open a deal, with all its tables, whose numbers these are; none where somebody else has."""
        mine = (deals.c.deal_id == deal_id, deals.c.opened_at.is_(None))
        if (await connection.execute(update(deals).where(*mine).values(opened_at=now))).rowcount != 1:
            return []
        home = select(deals.c.channel_id).where(deals.c.deal_id == deal_id)
        told = set(await connection.scalars(home)) if await result_due(connection, deal_id, now) else set()
        found = [heads.to_head(row) for row in await connection.execute(_tables(deal_id, all_of_them=True))]
        source = (await connection.execute(select(deals.c.name).where(deals.c.deal_id == deal_id))).scalar_one()
        unreadable = set(await connection.scalars(_ASIDE, {"deal": deal_id}))
        shown = []
        for head in found:
            if source == f"{OF_MATCH}{head.match_id}":
                continue  # it was open all the time
            await journal.move_on(connection, head.match_id, DealOpened(), now)
            if head.state == "void" or head.match_id in unreadable:
                # Its record is open to all, should it ever be read again; what stands in its channel stays as it is.
                as_it_is = update(matches).where(matches.c.match_id == head.match_id)
                await connection.execute(as_it_is.values(shown_seq=matches.c.seq))
                continue
            shown.append(head.match_id)
            if head.channel_id not in told and head.state in ("open", "done"):
                told.add(head.channel_id)
                moved = await heads.head(connection, head.match_id)
                assert moved is not None
                await outbox.queue(connection, moved, [Post(kind=DEAL, body={"deal": deal_id})], now)
        return shown

    @writes
    async def set_weekly_deal(self, connection: AsyncConnection, weekly: WeeklyDeal) -> WeeklySet:
        """A server has this deal made every week, beginning after the one that it has sealed now, if any."""
        await hold(connection, weekly.guild_id, weekly.next_at)
        before = (
            await connection.execute(select(weekly_deals).where(weekly_deals.c.guild_id == weekly.guild_id))
        ).first()
        current = await this_weeks(connection, weekly.guild_id, weekly.next_at)
        found = weekly if current is None else replace(weekly, next_at=current.closes_at)
        row = {"channel_id": found.channel_id, "terms": to_text(dict(found.terms)), "next_at": found.next_at}
        await upsert(connection, weekly_deals, {"guild_id": found.guild_id}, {}, row)
        return WeeklySet(found, None if before is None else _weekly(before), current)

    @reads
    async def this_weeks_deal(self, connection: AsyncConnection, guild_id: int, now: int) -> SealedDeal | None:
        """The weekly deal of a server that is sealed now."""
        return await this_weeks(connection, guild_id, now)

    @writes
    async def no_weekly_deal(self, connection: AsyncConnection, guild_id: int) -> bool:
        """A server has none made any more; whether it had."""
        return (await connection.execute(delete(weekly_deals).where(weekly_deals.c.guild_id == guild_id))).rowcount == 1

    @reads
    async def weekly_deals_due(self, connection: AsyncConnection, now: int, *, limit: int = 50) -> list[WeeklyDeal]:
        """The weekly deals of which the next one is to be made."""
        left = select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))
        due = (weekly_deals.c.next_at <= now, weekly_deals.c.guild_id.not_in(left))
        over = select(weekly_deals).where(*due).order_by(weekly_deals.c.next_at)
        return [_weekly(row) for row in await connection.execute(over.limit(limit))]

    @writes
    async def make_weekly_deal(
        self, connection: AsyncConnection, weekly: WeeklyDeal, deal: SealedDeal, names: Collection[str]
    ) -> SealedDeal | None:
        """Make this week's deal, by the first of these names that is free, and note that the next one is due when it is
        opened. None where another process has made it, or it is wanted no more.
        """
        await hold(connection, weekly.guild_id, deal.made_at)
        mine = (weekly_deals.c.guild_id == weekly.guild_id, weekly_deals.c.next_at == weekly.next_at)
        known = select(deals.c.name).where(deals.c.guild_id == weekly.guild_id, deals.c.name.in_(names))
        taken = set(await connection.scalars(known))
        free = next((name for name in names if name not in taken), None)
        moved_on = update(weekly_deals).where(*mine).values(next_at=deal.closes_at)
        if free is None or (await connection.execute(moved_on)).rowcount != 1:
            return None
        made = await make(connection, replace(deal, name=free), None, ())
        if made is not None:
            await news_begins(connection, made.deal_id, made.made_at)
        return made

    @reads
    async def deal_news_due(
        self, connection: AsyncConnection, now: int, limit: int, *, of: Shards = UNDIVIDED
    ) -> list[DealNews]:
        """What is to be told of the weekly deals of these shards, oldest first."""
        first = deal_news.alias("first")
        query = (
            select(deal_news, deals.c.guild_id, deals.c.channel_id, first.c.message_id.label("announced"))
            .join(deals, deals.c.deal_id == deal_news.c.deal_id)
            .outerjoin(first, (first.c.deal_id == deal_news.c.deal_id) & (first.c.kind == "sealed"))
            .where(deal_news.c.next_at <= now, of.hold(deals.c.guild_id))
            .order_by(deal_news.c.created_at, deal_news.c.deal_id)
        )
        return [_of(row) for row in await connection.execute(query.limit(limit))]

    @writes
    async def take_deal_news(self, connection: AsyncConnection, news: DealNews, *, until: int) -> bool:
        """Only the caller tells it, until then. False where somebody else does, or has."""
        mine = (*_mine(news), deal_news.c.next_at == news.next_at)
        taken = update(deal_news).where(*mine).values(next_at=until, attempts=news.attempts + 1)
        return (await connection.execute(taken)).rowcount == 1

    @writes
    async def deal_news_told(self, connection: AsyncConnection, news: DealNews, message_id: int | None) -> None:
        """It was told by this message; None: there is nothing to tell, or nobody takes it."""
        await connection.execute(update(deal_news).where(*_mine(news)).values(next_at=None, message_id=message_id))

    @writes
    async def put_deal_news_off(self, connection: AsyncConnection, news: DealNews, at: int) -> None:
        """It could not be told, and is tried again then."""
        waiting = (*_mine(news), deal_news.c.next_at.is_not(None))
        await connection.execute(update(deal_news).where(*waiting).values(next_at=at))
