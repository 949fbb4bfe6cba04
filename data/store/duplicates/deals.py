"""Sealed deals: made, played at many tables by people who sit at one of them each, and opened at their end."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Row, Select, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import upsert
from data.store.connection.privacy_key import PrivacyKey, fingerprint
from data.store.duplicates import news as deal_news
from data.store.log import codec, heads, journal
from data.store.log.deal_tables import deal_matches, deal_sitters, deals, weekly_deals
from data.store.log.deal_tables import deal_news as news
from data.store.log.match_values import Head
from data.store.log.tables import aside, forgotten, guilds, matches
from data.store.operations import facts
from data.store.outbox import outbox
from engine.table.table_events import OF_MATCH, DealOpened
from engine.table.table_posts import Post

_ASIDE: Final = (
    select(aside.c.match_id)
    .join(deal_matches, deal_matches.c.match_id == aside.c.match_id)
    .where(deal_matches.c.deal_id == bindparam("deal"))
)
"""The tables of a deal whose log cannot be read."""

DEAL: Final = "deal"
"""The kind of the post that tells how the tables of a deal compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDeal:
    """One of them. `terms` say what is played: game, seats, target, preset, options, by_hand."""

    deal_id: int = 0
    guild_id: int
    channel_id: int
    name: str
    terms: Mapping[str, Any]
    secret: bytes = field(repr=False)
    """32 bytes behind the deals of all its tables."""
    tables: int = 0
    """With so many tables that are over it is opened at once, and there are no more; 0: any number, until its time."""
    made_at: int
    closes_at: int
    opened_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyDeal:
    """What a server has made every week, and when next."""

    guild_id: int
    channel_id: int
    terms: Mapping[str, Any]
    next_at: int


@dataclass(frozen=True, slots=True)
class WeeklySet:
    """What came of setting a weekly deal."""

    weekly: WeeklyDeal
    """As it is from now on."""
    before: WeeklyDeal | None
    """As it was."""
    current: SealedDeal | None
    """This week's, where one is sealed: it stays, and the next one is made when it is opened."""

    @property
    def is_same(self) -> bool:
        """Whether nothing has changed by it."""
        before, weekly = self.before, self.weekly
        if before is None or self.current is None:
            return False
        return (before.channel_id, dict(before.terms)) == (weekly.channel_id, dict(weekly.terms))


async def make(
    connection: AsyncConnection, deal: SealedDeal, of_match: int | None, seen_by: Collection[int]
) -> SealedDeal | None:
    """Keep a new one; None where its name is taken. `of_match` has been played with it already, by these people."""
    taken = select(deals.c.deal_id).where(deals.c.guild_id == deal.guild_id, deals.c.name == deal.name)
    await journal.hold(connection, deal.guild_id, deal.made_at)
    if (await connection.execute(taken)).first() is not None:
        return None
    row = {
        "guild_id": deal.guild_id,
        "channel_id": deal.channel_id,
        "name": deal.name,
        "terms": codec.to_text(dict(deal.terms)),
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


async def deal_named(connection: AsyncConnection, guild_id: int, name: str) -> SealedDeal | None:
    """The deal of a server with this name."""
    row = (await connection.execute(select(deals).where(deals.c.guild_id == guild_id, deals.c.name == name))).first()
    return None if row is None else _deal(row)


async def of_guild(connection: AsyncConnection, guild_id: int, limit: int) -> list[SealedDeal]:
    """Those of a server: the sealed ones first, that which is opened next first; then those opened last."""
    mine = select(deals).where(deals.c.guild_id == guild_id)
    order = deals.c.opened_at.is_not(None), deals.c.opened_at.desc(), deals.c.closes_at, deals.c.deal_id
    return [_deal(row) for row in await connection.execute(mine.order_by(*order).limit(limit))]


async def tables_of(connection: AsyncConnection, deal_id: int) -> list[Head]:
    """The tables at which a deal is or was played, in the order in which they were opened; no lobby that closed."""
    return [heads.to_head(row) for row in await connection.execute(_tables(deal_id))]


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


async def due_deals(connection: AsyncConnection, now: int, limit: int) -> list[SealedDeal]:
    """Sealed deals whose time is over, that for which it has been for longest first."""
    over = select(deals).where(deals.c.opened_at.is_(None), deals.c.closes_at <= now).order_by(deals.c.closes_at)
    return [_deal(row) for row in await connection.execute(over.limit(limit))]


async def open_deal(connection: AsyncConnection, deal_id: int, now: int) -> list[int]:
    """Open it, with everything at its tables, those that were aborted or set aside too; the tables whose message shows
    something else by that. Where somebody was quicker there are none.

    Each channel is told once how they compare.
    """
    mine = (deals.c.deal_id == deal_id, deals.c.opened_at.is_(None))
    if (await connection.execute(update(deals).where(*mine).values(opened_at=now))).rowcount != 1:
        return []
    home = select(deals.c.channel_id).where(deals.c.deal_id == deal_id)
    told = set(await connection.scalars(home)) if await deal_news.result_due(connection, deal_id, now) else set()
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


async def by_number(connection: AsyncConnection, deal_id: int) -> SealedDeal | None:
    """The deal of this number."""
    row = (await connection.execute(select(deals).where(deals.c.deal_id == deal_id))).first()
    return None if row is None else _deal(row)


async def sealed_ones(connection: AsyncConnection, guild_id: int) -> int:
    """How many of a server are sealed."""
    query = select(func.count()).where(deals.c.guild_id == guild_id, deals.c.opened_at.is_(None))
    return int((await connection.execute(query)).scalar_one())


async def drop_unplayed(connection: AsyncConnection, guild_id: int, before: int) -> bool:
    """Delete the oldest sealed one that was made before this moment and has no table; whether there was one. A weekly
    one, which was announced to all, stays.
    """
    played = select(deal_matches.c.deal_id).where(deal_matches.c.deal_id == deals.c.deal_id).exists()
    weekly = select(news.c.deal_id).where(news.c.deal_id == deals.c.deal_id).exists()
    unplayed = select(deals.c.deal_id).where(
        deals.c.guild_id == guild_id, deals.c.opened_at.is_(None), deals.c.made_at < before, ~played, ~weekly
    )
    number = (await connection.execute(unplayed.order_by(deals.c.made_at, deals.c.deal_id).limit(1))).scalar()
    if number is None:
        return False
    await connection.execute(delete(deals).where(deals.c.deal_id == number))
    return True


async def set_weekly(connection: AsyncConnection, weekly: WeeklyDeal) -> WeeklySet:
    """A server has this one every week from now on; where this week's is sealed already, from the next one on."""
    await journal.hold(connection, weekly.guild_id, weekly.next_at)
    before = (await connection.execute(select(weekly_deals).where(weekly_deals.c.guild_id == weekly.guild_id))).first()
    current = await this_weeks(connection, weekly.guild_id, weekly.next_at)
    found = weekly if current is None else replace(weekly, next_at=current.closes_at)
    row = {"channel_id": found.channel_id, "terms": codec.to_text(dict(found.terms)), "next_at": found.next_at}
    await upsert(connection, weekly_deals, {"guild_id": found.guild_id}, {}, row)
    return WeeklySet(found, None if before is None else _weekly(before), current)


async def this_weeks(connection: AsyncConnection, guild_id: int, now: int) -> SealedDeal | None:
    """The weekly deal of a server that is sealed now, whatever has become of the wish for more of them."""
    announced = select(news.c.deal_id).where(news.c.deal_id == deals.c.deal_id).exists()
    sealed = select(deals).where(
        deals.c.guild_id == guild_id, deals.c.opened_at.is_(None), deals.c.closes_at > now, announced
    )
    row = (await connection.execute(sealed.order_by(deals.c.closes_at.desc()).limit(1))).first()
    return None if row is None else _deal(row)


async def no_weekly(connection: AsyncConnection, guild_id: int) -> bool:
    """A server has none any more; whether it had."""
    return (await connection.execute(delete(weekly_deals).where(weekly_deals.c.guild_id == guild_id))).rowcount == 1


async def weekly_due(connection: AsyncConnection, now: int, limit: int) -> list[WeeklyDeal]:
    """Those of which the next one is to be made; none of a server that the bot was sent away from."""
    left = select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))
    due = (weekly_deals.c.next_at <= now, weekly_deals.c.guild_id.not_in(left))
    over = select(weekly_deals).where(*due).order_by(weekly_deals.c.next_at)
    return [_weekly(row) for row in await connection.execute(over.limit(limit))]


async def make_weekly(
    connection: AsyncConnection, weekly: WeeklyDeal, deal: SealedDeal, names: Collection[str]
) -> SealedDeal | None:
    """Make this week's, by the first of these names that is free; the next one is due when it is opened. None where
    somebody else has made it, the server wants none any more, or no name is free.
    """
    await journal.hold(connection, weekly.guild_id, deal.made_at)
    mine = (weekly_deals.c.guild_id == weekly.guild_id, weekly_deals.c.next_at == weekly.next_at)
    known = select(deals.c.name).where(deals.c.guild_id == weekly.guild_id, deals.c.name.in_(names))
    taken = set(await connection.scalars(known))
    free = next((name for name in names if name not in taken), None)
    moved_on = update(weekly_deals).where(*mine).values(next_at=deal.closes_at)
    if free is None or (await connection.execute(moved_on)).rowcount != 1:
        return None
    made = await make(connection, replace(deal, name=free), None, ())
    if made is not None:
        await deal_news.news_begins(connection, made.deal_id, made.made_at)
    return made


def _tables(deal_id: int, *, all_of_them: bool = False) -> Select[Any]:
    joined = select(matches).join(deal_matches, deal_matches.c.match_id == matches.c.match_id)
    mine = joined.where(deal_matches.c.deal_id == deal_id)
    return (mine if all_of_them else mine.where(matches.c.state != "void")).order_by(matches.c.match_id)


def _weekly(row: Row[Any]) -> WeeklyDeal:
    terms = codec.to_mapping(row.terms)
    return WeeklyDeal(guild_id=row.guild_id, channel_id=row.channel_id, terms=terms, next_at=row.next_at)


def _deal(row: Row[Any]) -> SealedDeal:
    return SealedDeal(
        deal_id=row.deal_id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        name=row.name,
        terms=codec.to_mapping(row.terms),
        secret=bytes(row.secret),
        tables=row.tables,
        made_at=row.made_at,
        closes_at=row.closes_at,
        opened_at=row.opened_at,
    )
