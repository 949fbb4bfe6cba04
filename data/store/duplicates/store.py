"""The store's door to sealed deals: made, looked up, opened; and what a server has every week."""

from collections.abc import Collection

from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.transactions import Part
from data.store.duplicates import deals
from data.store.duplicates import news as deal_news
from data.store.duplicates.deals import SealedDeal, WeeklyDeal, WeeklySet
from data.store.duplicates.news import DealNews
from data.store.log.match_values import Head


class SealedDeals(Part):
    """Deals that many tables play alike."""

    async def make_deal(
        self, deal: SealedDeal, *, of_match: int | None = None, seen_by: Collection[int] = ()
    ) -> SealedDeal | None:
        """Keep a new deal, with its number; None where a deal of the server has that name already. One that is the
        deal `of_match`, which is over, was seen by these people there.
        """
        return await self._write(lambda connection: deals.make(connection, deal, of_match, seen_by))

    async def deal(self, guild_id: int, name: str) -> SealedDeal | None:
        """The deal of a server with this name."""
        return await self._read(lambda connection: deals.deal_named(connection, guild_id, name))

    async def deal_numbered(self, deal_id: int) -> SealedDeal | None:
        """The deal with this number."""
        return await self._read(lambda connection: deals.by_number(connection, deal_id))

    async def deals(self, guild_id: int, *, limit: int = 25) -> list[SealedDeal]:
        """The deals of a server: sealed ones first, that which is opened next first; then those opened last."""
        return await self._read(lambda connection: deals.of_guild(connection, guild_id, limit))

    async def sealed_deals(self, guild_id: int) -> int:
        """How many deals of a server are sealed."""
        return await self._read(lambda connection: deals.sealed_ones(connection, guild_id))

    async def drop_unplayed_deal(self, guild_id: int, *, before: int) -> bool:
        """Delete the oldest sealed deal of a server that was made before this moment and has no table. False where
        there is none.
        """
        return await self._write(lambda connection: deals.drop_unplayed(connection, guild_id, before))

    async def deal_tables(self, deal_id: int) -> list[Head]:
        """The tables of a deal that came or may come to something, in the order in which they were opened."""
        return await self._read(lambda connection: deals.tables_of(connection, deal_id))

    async def deal_refusal(
        self, deal: SealedDeal, user_ids: Collection[int], *, match_id: int = 0
    ) -> tuple[str, int] | None:
        """Why somebody may not sit at this table of a deal, "seen" or "forgotten", and who; None where all may."""
        return await self._read(
            lambda connection: deals.seat_refusal(connection, deal, match_id, user_ids, self._privacy_key)
        )

    async def deals_due(self, now: int, *, limit: int = 50) -> list[SealedDeal]:
        """Sealed deals whose time is over, longest first."""
        return await self._read(lambda connection: deals.due_deals(connection, now, limit))

    async def open_deal(self, deal_id: int, *, now: int) -> list[int]:
        """Open a deal, with all its tables, whose numbers these are; none where somebody else has."""
        return await self._write(lambda connection: deals.open_deal(connection, deal_id, now))

    async def set_weekly_deal(self, weekly: WeeklyDeal) -> WeeklySet:
        """A server has this deal made every week, beginning after the one that it has sealed now, if any."""
        return await self._write(lambda connection: deals.set_weekly(connection, weekly))

    async def this_weeks_deal(self, guild_id: int, now: int) -> SealedDeal | None:
        """The weekly deal of a server that is sealed now."""
        return await self._read(lambda connection: deals.this_weeks(connection, guild_id, now))

    async def no_weekly_deal(self, guild_id: int) -> bool:
        """A server has none made any more; whether it had."""
        return await self._write(lambda connection: deals.no_weekly(connection, guild_id))

    async def weekly_deals_due(self, now: int, *, limit: int = 50) -> list[WeeklyDeal]:
        """The weekly deals of which the next one is to be made."""
        return await self._read(lambda connection: deals.weekly_due(connection, now, limit))

    async def make_weekly_deal(self, weekly: WeeklyDeal, deal: SealedDeal, names: Collection[str]) -> SealedDeal | None:
        """Make this week's deal, by the first of these names that is free, and note that the next one is due when it is
        opened. None where another process has made it, or it is wanted no more.
        """
        return await self._write(lambda connection: deals.make_weekly(connection, weekly, deal, names))

    async def deal_news_due(self, now: int, limit: int, *, of: Shards = UNDIVIDED) -> list[DealNews]:
        """What is to be told of the weekly deals of these shards, oldest first."""
        return await self._read(lambda connection: deal_news.due_news(connection, now, limit, of))

    async def take_deal_news(self, news: DealNews, *, until: int) -> bool:
        """Only the caller tells it, until then. False where somebody else does, or has."""
        return await self._write(lambda connection: deal_news.take_news(connection, news, until))

    async def deal_news_told(self, news: DealNews, message_id: int | None) -> None:
        """It was told by this message; None: there is nothing to tell, or nobody takes it."""
        await self._write(lambda connection: deal_news.news_told(connection, news, message_id))

    async def put_deal_news_off(self, news: DealNews, at: int) -> None:
        """It could not be told, and is tried again then."""
        await self._write(lambda connection: deal_news.put_news_off(connection, news, at))
