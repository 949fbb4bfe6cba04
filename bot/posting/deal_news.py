"""The weekly deal of a server, told in the channel it was set in: once that it is sealed, once how its tables compare.

Beside everything else, and each server beside the others: one where Discord asks for patience, or whose channel is
closed to the bot, keeps no other waiting.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Final

from bot.base.discord_errors import FAILURES, code_of, is_closed, is_refused, wait_after
from bot.base.logs import logger
from bot.base.requests import TooLate, only_while
from bot.posting.deal_posts import DealPosts
from bot.posting.sending import Outgoing, Sender
from bot.service.deals import WEEK, common_terms
from bot.views.deals import weekly_view
from bot.views.languages import Languages
from data.store import DatabaseTrouble, SealedDeal, Store, StoreClosed
from data.store.deal_news import DealNews
from data.store.shards import UNDIVIDED, Shards
from engine.shuffle import commitment

log = logger(__name__)

LEASE: Final = 60_000
"""For so many ms whoever takes a piece of news has it."""
AT_ONCE: Final = 20
"""So many are told between two looks."""


class DealNewsPosts:
    """Tells them."""

    def __init__(
        self,
        sender: Sender,
        store: Store,
        posts: DealPosts,
        languages: Languages,
        now: Callable[[], int],
    ) -> None:
        self._sender = sender
        self._store = store
        self._posts = posts
        self._languages = languages
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}
        """By server."""

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Begin with what is to be told on these shards, unless that is being done."""
        if not of:
            return
        self._running = {server: task for server, task in self._running.items() if not task.done()}
        found: defaultdict[int, list[DealNews]] = defaultdict(list)
        for news in await self._store.deal_news_due(self._now(), AT_ONCE, of=of):
            found[news.guild_id].append(news)
        for server in found.keys() - self._running.keys():
            self._running[server] = asyncio.create_task(self._tell(found[server]))

    async def idle(self) -> None:
        """Wait until nothing is being told."""
        while running := [task for task in self._running.values() if not task.done()]:
            await asyncio.wait(running)

    async def _tell(self, found: list[DealNews]) -> None:
        for news in found:
            until = self._now() + LEASE
            try:
                if self._sender.is_away(news.guild_id):
                    # It hides no other server meanwhile.
                    await self._store.put_deal_news_off(news, until)
                elif await self._store.take_deal_news(news, until=until):
                    with only_while(lambda until=until: self._now() < until):  # type: ignore[misc]
                        await self._tell_one(news)
            except StoreClosed:
                log.info("weekly deals are told of after the next start")
                return
            except DatabaseTrouble:
                log.info("weekly deals are told of when the database works again")
                return
            except TooLate:
                log.info("somebody else tells of a weekly deal by now")
            except FAILURES as error:
                await self._put_off(news, error)
            except Exception:
                # One deal that cannot be told of must not stop the others; it is tried again when its time is over.
                log.exception("a weekly deal could not be told of")

    async def _tell_one(self, news: DealNews) -> None:
        deal = await self._store.deal_numbered(news.deal_id)
        channel = self._sender.channel(news.channel_id, news.guild_id)
        if deal is None:
            await self._store.deal_news_told(news, None)
            return
        nonce = f"deal-{news.deal_id:x}-{news.kind[0]}-{deal.made_at // 1000:x}"[:25]
        since = news.created_at if news.attempts else None
        outgoing = await self._outgoing(deal, news)
        if outgoing is None:
            # Nobody has played it: a week later nothing of it need stand there.
            standing = news.announced
            if standing is None and since is not None:
                arrived = await self._sender.find(channel, nonce, since=since)
                standing = None if arrived is None else arrived.id
            if standing is not None:
                await self._sender.delete(channel, standing)
            await self._store.deal_news_told(news, None)
            return
        sent = await self._sender.send(channel, outgoing, nonce=nonce, since=since)
        await self._store.deal_news_told(news, None if sent is None else sent.id)

    async def _outgoing(self, deal: SealedDeal, news: DealNews) -> Outgoing | None:
        """What is to be told; None where there is nothing, or nothing any more."""
        if news.kind == "opened":
            return await self._posts.result(deal) if await self._store.deal_tables(deal.deal_id) else None
        if deal.opened_at is not None:
            return None
        words = await self._languages.at(deal.guild_id)
        return Outgoing(weekly_view(deal, common_terms(deal), commitment(deal.secret), words))

    async def _put_off(self, news: DealNews, error: Exception) -> None:
        late = self._now() >= news.created_at + WEEK
        if is_refused(error, news.attempts + 1) or (is_closed(error) and late):
            log.warning("a weekly deal is told of nowhere", code=code_of(error), server=news.guild_id)
            await self._store.deal_news_told(news, None)
            return
        wait = wait_after(error, news.attempts)
        log.warning("a weekly deal could not be told of yet", code=code_of(error), seconds=wait // 1000)
        await self._store.put_deal_news_off(news, self._now() + wait)
