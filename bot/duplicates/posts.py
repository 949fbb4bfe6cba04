"""Posts about deals: the weekly deal in its channel, and how its tables compare.

A separate task serves each server, so that a rate limit or a closed channel delays no other server.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Final

from bot.core.discord_errors import FAILURES, TooLate, code_of, is_closed, is_refused, only_while, wait_after
from bot.core.languages import Languages
from bot.core.logs import logger
from bot.core.names import NameBook
from bot.core.pictures import drawn, file
from bot.duplicates.service import WEEK, DuplicateDeals, common_terms
from bot.duplicates.views import FIELD_FILE, field_drawn, field_view, weekly_view
from bot.sending.announcer import Announcer
from bot.sending.publisher import Writer
from bot.sending.sender import Outgoing, Sender
from bot.tables.service import Table
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.store_errors import StoreClosed
from data.store.duplicates.deals import DEAL, DealNews, SealedDeal
from data.store.duplicates.store import DealStore
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from engine.match.shuffle import commitment

log = logger(__name__)

EVERY: Final = 30_000  # milliseconds between two sweeps


class DealPosts:
    """Opens deals, makes the weekly ones, and returns the results of a deal."""

    def __init__(
        self, deals: DuplicateDeals, store: Store, names: NameBook, languages: Languages, now: Callable[[], int]
    ) -> None:
        self._deals = deals
        self._store = store
        self._deal_store = DealStore(store.transactions)
        self._names = names
        self._languages = languages
        self._now = now
        self._looked: int | None = None

    @property
    def writers(self) -> dict[str, Writer]:
        return {DEAL: self.compared}

    async def compared(self, table: Table, row: OutboxRow) -> Outgoing | None:
        deal = await self._deal_store.deal_numbered(int(row.body["deal"]))
        if deal is None or deal.opened_at is None:
            return None
        return await self.result(deal)

    async def result(self, deal: SealedDeal) -> Outgoing:
        guild_id = deal.guild_id
        messages, field = await self._languages.messages_at(guild_id), await self._deals.field(deal)
        words = messages.words
        people = {one.line.user_id for one in field.placed if one.line.user_id is not None}
        plain = {user: await self._names.name(guild_id, user, words) for user in sorted(people)}
        made = await drawn(field_drawn, deal, field, plain, words, messages.scheme)
        view = field_view(deal, field, plain, words, "" if made is None else made[1])
        return Outgoing(view, files=[] if made is None else [file(FIELD_FILE, *made)])

    async def sweep(self, announcer: Announcer) -> None:
        now = self._now()
        if self._looked is not None and 0 <= now - self._looked < EVERY:
            return
        self._looked = now
        for match_id in await self._deals.open_due():
            announcer.refresh(match_id)
        for deal in await self._deals.make_weekly():
            log.info("the weekly deal was made", server=deal.guild_id)


LEASE: Final = 60_000  # milliseconds of a lease on a post
AT_ONCE: Final = 20  # the most posts of one sweep


class DealNewsPosts:
    def __init__(
        self, sender: Sender, store: Store, posts: DealPosts, languages: Languages, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._store = store
        self._deal_store = DealStore(store.transactions)
        self._posts = posts
        self._languages = languages
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Start tasks for the posts that are due on these shards."""
        if not of:
            return
        self._running = {server: task for server, task in self._running.items() if not task.done()}
        found: defaultdict[int, list[DealNews]] = defaultdict(list)
        for news in await self._deal_store.deal_news_due(self._now(), AT_ONCE, of=of):
            found[news.guild_id].append(news)
        for server in found.keys() - self._running.keys():
            self._running[server] = asyncio.create_task(self._tell(found[server]))

    async def idle(self) -> None:
        while running := [task for task in self._running.values() if not task.done()]:
            await asyncio.wait(running)

    async def _tell(self, found: list[DealNews]) -> None:
        for news in found:
            until = self._now() + LEASE
            try:
                if self._sender.is_away(news.guild_id):
                    # A slow server does not delay the others.
                    await self._deal_store.put_deal_news_off(news, until)
                elif await self._deal_store.take_deal_news(news, until=until):
                    with only_while(lambda until=until: self._now() < until):  # type: ignore[misc]
                        await self._tell_one(news)
            except StoreClosed:
                log.info("weekly deals will be announced after the next start")
                return
            except DatabaseUnavailable:
                log.info("weekly deals will be announced when the database works again")
                return
            except TooLate:
                log.info("another process announces a weekly deal")
            except FAILURES as error:
                await self._put_off(news, error)
            except Exception:
                # One bad deal must not stop the others; it is tried again after the lease.
                log.exception("a weekly deal could not be announced")

    async def _tell_one(self, news: DealNews) -> None:
        deal = await self._deal_store.deal_numbered(news.deal_id)
        channel = self._sender.channel(news.channel_id, news.guild_id)
        if deal is None:
            await self._deal_store.deal_news_told(news, None)
            return
        nonce = f"deal-{news.deal_id:x}-{news.kind[0]}-{deal.made_at // 1000:x}"[:25]
        since = news.created_at if news.attempts else None
        outgoing = await self._outgoing(deal, news)
        if outgoing is None:
            # No player has used the deal, so its message is not needed.
            standing = news.announced
            if standing is None and since is not None:
                arrived = await self._sender.find(channel, nonce, since=since)
                standing = None if arrived is None else arrived.id
            if standing is not None:
                await self._sender.delete(channel, standing)
            await self._deal_store.deal_news_told(news, None)
            return
        sent = await self._sender.send(channel, outgoing, nonce=nonce, since=since)
        await self._deal_store.deal_news_told(news, None if sent is None else sent.id)

    async def _outgoing(self, deal: SealedDeal, news: DealNews) -> Outgoing | None:
        """Return the post; None if there is nothing to post any more."""
        if news.kind == "opened":
            return await self._posts.result(deal) if await self._deal_store.deal_tables(deal.deal_id) else None
        if deal.opened_at is not None:
            return None
        words = await self._languages.at(deal.guild_id)
        return Outgoing(weekly_view(deal, common_terms(deal), commitment(deal.secret), words))

    async def _put_off(self, news: DealNews, error: Exception) -> None:
        late = self._now() >= news.created_at + WEEK
        if is_refused(error, news.attempts + 1) or (is_closed(error) and late):
            log.warning("a weekly deal cannot be announced anywhere", code=code_of(error), server=news.guild_id)
            await self._deal_store.deal_news_told(news, None)
            return
        wait = wait_after(error, news.attempts)
        log.warning("a weekly deal could not be announced yet", code=code_of(error), seconds=wait // 1000)
        await self._deal_store.put_deal_news_off(news, self._now() + wait)
