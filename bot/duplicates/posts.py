"""Posts about deals: the weekly deal in its channel, and how its tables compare.

A separate task serves each server, so that a rate limit or a closed channel delays no other server.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from typing import Final

from bot.core.discord_errors import (
    REQUEST_ERRORS,
    LeaseLost,
    compute_retry_delay,
    format_error_code,
    guard_requests,
    is_channel_error,
    is_content_rejected,
)
from bot.core.languages import Languages
from bot.core.logs import get_logger
from bot.core.names import NameCache
from bot.core.pictures import build_file, draw_in_thread
from bot.duplicates.service import WEEK, DuplicateDeals, Field, build_common_terms
from bot.duplicates.views import FIELD_FILE, build_field_view, build_weekly_view, render_field
from bot.sending.announcer import Announcer
from bot.sending.sender import Outgoing, Sender
from bot.tables.messages import Content
from bot.tables.service import Table
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.store_errors import StoreClosed
from data.store.duplicates.deals import DealNews, SealedDeal
from data.store.duplicates.store import DealStore
from data.store.outbox.outbox_values import OutboxRow
from data.store.store import Store
from data.words import Words
from engine.match.shuffle import compute_commitment

log = get_logger(__name__)

SWEEP_INTERVAL: Final = 30_000  # milliseconds between two sweeps


class DealPosts:
    """Opens deals, makes the weekly ones, and returns the results of a deal."""

    def __init__(
        self, deals: DuplicateDeals, store: Store, names: NameCache, languages: Languages, now: Callable[[], int]
    ) -> None:
        self._deals = deals
        self._deal_store = DealStore(store.transactions)
        self._names = names
        self._languages = languages
        self._now = now
        self._swept_at: int | None = None

    async def build_comparison_post(self, table: Table, row: OutboxRow) -> Outgoing | None:
        deal = await self._deal_store.find_deal_by_id(int(row.body["deal"]))
        if deal is None or deal.opened_at is None:
            return None
        return await self.build_result_post(deal)

    async def build_result_post(self, deal: SealedDeal) -> Outgoing:
        messages = await self._languages.load_guild_messages(deal.guild_id)
        field = await self._deals.compute_field(deal)
        content = await build_comparison(deal, field, self._names, messages.words, messages.scheme)
        return Outgoing(content.view, files=content.files)

    async def sweep(self, announcer: Announcer) -> None:
        now = self._now()
        if self._swept_at is not None and 0 <= now - self._swept_at < SWEEP_INTERVAL:
            return
        self._swept_at = now
        for match_id in await self._deals.open_due_deals():
            announcer.refresh(match_id)
        for deal in await self._deals.create_due_weekly():
            log.info("the weekly deal was made", server=deal.guild_id)


async def build_comparison(deal: SealedDeal, field: Field, names: NameCache, words: Words, scheme: str) -> Content:
    """Return how the tables of an open deal compare, with a picture if there are results."""
    people = {one.result.user_id for one in field.ranking if one.result.user_id is not None}
    plain_names = await names.resolve_plain_names(deal.guild_id, sorted(people), words)
    picture = await draw_in_thread(render_field, deal, field, plain_names, words, scheme)
    view = build_field_view(deal, field, plain_names, words, "" if picture is None else picture[1])
    return Content(view, [] if picture is None else [build_file(FIELD_FILE, *picture)])


LEASE: Final = 60_000  # milliseconds of a lease on a post
MAX_POSTS: Final = 20  # the most posts of one sweep


class DealNewsPosts:
    def __init__(
        self, sender: Sender, store: Store, posts: DealPosts, languages: Languages, now: Callable[[], int]
    ) -> None:
        self._sender = sender
        self._deal_store = DealStore(store.transactions)
        self._posts = posts
        self._languages = languages
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}

    async def sweep(self, shards: Shards = UNSHARDED) -> None:
        """Start tasks for the posts that are due on these shards."""
        if not shards:
            return
        self._running = {server: task for server, task in self._running.items() if not task.done()}
        found: defaultdict[int, list[DealNews]] = defaultdict(list)
        for news in await self._deal_store.list_due_deal_news(self._now(), MAX_POSTS, of=shards):
            found[news.guild_id].append(news)
        for server in found.keys() - self._running.keys():
            self._running[server] = asyncio.create_task(self._post_all(found[server]))

    async def wait_until_idle(self) -> None:
        while running := [task for task in self._running.values() if not task.done()]:
            await asyncio.wait(running)

    async def _post_all(self, found: list[DealNews]) -> None:
        for news in found:
            until = self._now() + LEASE
            try:
                if self._sender.is_unavailable(news.guild_id):
                    # A slow server does not delay the others.
                    await self._deal_store.postpone_deal_news(news, until)
                elif await self._deal_store.lease_deal_news(news, until=until):
                    with guard_requests(lambda until=until: self._now() < until):  # type: ignore[misc]
                        await self._post_one(news)
            except StoreClosed:
                log.info("weekly deals will be announced after the next start")
                return
            except DatabaseUnavailable:
                log.info("weekly deals will be announced when the database works again")
                return
            except LeaseLost:
                log.info("another process announces a weekly deal")
            except REQUEST_ERRORS as error:
                await self._postpone(news, error)
            except Exception:
                # One bad deal must not stop the others; it is tried again after the lease.
                log.exception("a weekly deal could not be announced")

    async def _post_one(self, news: DealNews) -> None:
        deal = await self._deal_store.find_deal_by_id(news.deal_id)
        channel = self._sender.get_channel(news.channel_id, news.guild_id)
        if deal is None:
            await self._deal_store.note_deal_news_sent(news, None)
            return
        nonce = f"deal-{news.deal_id:x}-{news.kind[0]}-{deal.made_at // 1000:x}"[:25]
        since = news.created_at if news.attempts else None
        outgoing = await self._build_outgoing(deal, news)
        if outgoing is None:
            # No player has used the deal, so its message is not needed.
            posted_id = news.announced
            if posted_id is None and since is not None:
                found_message = await self._sender.find(channel, nonce, since=since)
                posted_id = None if found_message is None else found_message.id
            if posted_id is not None:
                await self._sender.delete(channel, posted_id)
            await self._deal_store.note_deal_news_sent(news, None)
            return
        sent = await self._sender.send(channel, outgoing, nonce=nonce, since=since)
        await self._deal_store.note_deal_news_sent(news, None if sent is None else sent.id)

    async def _build_outgoing(self, deal: SealedDeal, news: DealNews) -> Outgoing | None:
        """Return the post; None if there is nothing to post any more."""
        if news.kind == "opened":
            has_tables = await self._deal_store.list_deal_tables(deal.deal_id)
            return await self._posts.build_result_post(deal) if has_tables else None
        if deal.opened_at is not None:
            return None
        words = await self._languages.load_guild_words(deal.guild_id)
        return Outgoing(build_weekly_view(deal, build_common_terms(deal), compute_commitment(deal.secret), words))

    async def _postpone(self, news: DealNews, error: Exception) -> None:
        is_overdue, code = self._now() >= news.created_at + WEEK, format_error_code(error)
        if is_content_rejected(error, news.attempts + 1) or (is_channel_error(error) and is_overdue):
            log.warning("a weekly deal cannot be announced anywhere", code=code, server=news.guild_id)
            await self._deal_store.note_deal_news_sent(news, None)
            return
        wait = compute_retry_delay(error, news.attempts)
        log.warning("a weekly deal could not be announced yet", code=code, seconds=wait // 1000)
        await self._deal_store.postpone_deal_news(news, self._now() + wait)
