"""Background jobs of leagues: begin and end seasons, open matches in threads, and update messages.

The store keeps what is due. A process has a lease on a season for a minute. If it dies, another one continues: it finds
a message by its delivery mark, a thread by its name, and a match by its fixture.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import discord

from bot.core.discord_errors import REQUEST_ERRORS, compute_retry_delay, format_error_code
from bot.core.languages import Languages
from bot.core.logs import get_logger
from bot.core.permissions import list_missing_permissions
from bot.leagues import views
from bot.leagues.posts import SeasonMessages, SeasonPosts
from bot.leagues.service import LeagueSeason, LeagueService
from bot.sending.announcer import Announcer
from bot.sending.scheduler import Scheduler
from bot.sending.sender import Sender
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import UNSHARDED, Shards
from data.store.connection.store_errors import StaleVersion, StoreClosed
from data.store.leagues.seasons import DUE_NOW, SeasonHead
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues.season import Fixture
from engine.table.refusals import Refusal, RefusalError

log = get_logger(__name__)

LEASE: Final = 60_000  # milliseconds of a lease on a season
BATCH: Final = 20  # the most seasons of one sweep
MAX_OPENED_THREADS: Final = 5  # the most threads that are opened for a season at once. Discord allows few in a row.
ARCHIVE_DELAY: Final = 15 * 60_000
"""Milliseconds from the end of a match to the archiving of its thread, so that its players can talk."""
THREAD_NAME_LIMIT: Final = 100
NO_CODE: Final = 0  # the stored code of an error that has no number from Discord
LONGEST_WAIT: Final = 300  # the longest time between two tries, in seconds. Nothing reports that permissions are back.


class SeasonRunner:
    """Runs seasons in separate tasks, so that a closed channel delays no other league."""

    def __init__(
        self,
        sender: Sender,
        store: Store,
        book: LeagueService,
        languages: Languages,
        messages: SeasonMessages,
        announcer: Announcer,
        scheduler: Scheduler,
        now: Callable[[], int],
    ) -> None:
        self._sender = sender
        self._store = store
        self._season_store = SeasonStore(store.transactions)
        self._book = book
        self._languages = languages
        self.messages = messages
        self._posts = SeasonPosts(sender, store, book, messages, now)
        self._announcer = announcer
        self._scheduler = scheduler
        self._now = now
        self._running: dict[int, asyncio.Task[None]] = {}  # the running task of each season
        self._archive_task: asyncio.Task[None] | None = None
        self._archive_times: dict[int, int] = {}  # by finished match: when to archive its thread
        self._opened_names: deque[str] = deque(maxlen=100)  # the names of the threads that were opened last

    async def sweep(self, of: Shards = UNSHARDED) -> None:
        """Start tasks for the seasons that are due on these shards."""
        if not of:
            return
        for head in await self._season_store.list_due_seasons(self._now(), BATCH, of=of):
            self._start_task(head)
        over = any(at <= self._now() for at in self._archive_times.values())
        if over and (self._archive_task is None or self._archive_task.done()):
            self._archive_task = asyncio.create_task(self._archive_threads())

    async def run_now(self, season_id: int) -> None:
        """Run one season now, because a user has changed it.

        If its task is running, the next sweep does the rest: two tasks would open threads twice.
        """
        head = (await self._book.load(season_id)).head
        if head.due_at is not None and head.due_at <= self._now():
            begun = self._start_task(head)
            if begun is not None:
                await asyncio.wait([begun])

    async def move(self, league: LeagueSeason, channel_id: int) -> None:
        """Move a season to this channel and delete its old message."""
        await self._season_store.move_season(league.head.season_id, channel_id, now=self._now())
        await self.run_now(league.head.season_id)

    async def wait_until_idle(self) -> None:
        while running := [task for task in (*self._running.values(), self._archive_task) if task and not task.done()]:
            await asyncio.wait(running)

    async def delete_thread_notice(self, message: discord.Message) -> None:
        """Delete Discord's notice of a new thread: its players are called, and a round would push other messages up."""
        opened = message.type is discord.MessageType.thread_created and message.content in self._opened_names
        if opened and message.guild is not None:
            self._opened_names.remove(message.content)
            try:
                await self._sender.delete(self._sender.get_channel(message.channel.id, message.guild.id), message.id)
            except REQUEST_ERRORS as error:
                log.info("a line about a thread stays", code=format_error_code(error))

    async def reopen_deleted_thread(self, guild_id: int, thread_id: int) -> None:
        """Open a new thread for a running match whose thread was deleted. If that fails, its host is notified."""
        for head in await self._store.matches.list_heads_in_channel(thread_id):
            season_id = await self._season_store.find_season_of_match(head.match_id)
            if season_id is None:
                continue
            league = await self._book.load(season_id, guild_id)
            fixture = league.season.find_fixture(head.match_id)
            if fixture is None or league.season.state != "running":
                continue
            try:
                thread = await self._open_thread(await self._require_parent(league.head), league, fixture)
                await self._book.move_match(league, fixture, thread.id)
            except (*REQUEST_ERRORS, _SeasonHeldError, RefusalError) as error:
                log.warning("a league match has no thread", season=season_id, code=format_error_code(error))
                continue
            self._announcer.refresh(head.match_id)

    def _start_task(self, head: SeasonHead) -> asyncio.Task[None] | None:
        """Start the task of a season; None if it is running."""
        current = self._running.get(head.season_id)
        if current is not None and not current.done():
            return None
        task = self._running[head.season_id] = asyncio.create_task(self._run_with_lease(head))
        task.add_done_callback(lambda done: self._remove_task(head.season_id, done))
        return task

    def _remove_task(self, season_id: int, task: asyncio.Task[None]) -> None:
        if self._running.get(season_id) is task:
            del self._running[season_id]

    async def _run_with_lease(self, head: SeasonHead) -> None:
        until = self._now() + LEASE
        try:
            is_leased = await self._season_store.lease_season(head, until=until)
            # A server that is away is looked at again when the lease is over.
            if is_leased and not self._sender.is_unavailable(head.guild_id):
                await self._run_due(head, until)
        except StoreClosed:
            log.info("a league continues after the next start", season=head.season_id)
        except DatabaseUnavailable:
            log.info("a league continues when the database works again", season=head.season_id)
        except RefusalError as refused:  # its log is damaged, which has been logged
            log.warning("a league is held up", season=head.season_id, code=refused.why)
            await self._postpone(head, until)
        except Exception:
            log.exception("a league could not continue", season=head.season_id)
            await self._postpone(head, until)

    async def _postpone(self, head: SeasonHead, until: int) -> None:
        """Postpone a season after a fault that only the operator can repair."""
        at = self._now() + compute_retry_delay(None, head.attempts, longest=LONGEST_WAIT)
        try:
            await self._season_store.release_season(head.season_id, taken=until, at=at, trouble=NO_CODE)
        except (DatabaseUnavailable, StoreClosed):
            log.info("a league will be checked again when its lease ends", season=head.season_id)

    async def _run_due(self, head: SeasonHead, until: int) -> None:
        """Do all that is due in a season, and store when something is due again."""
        await self._book.run(head.season_id)
        trouble: Exception | None = None
        try:
            await self._open_matches(await self._book.load(head.season_id))
        except (*REQUEST_ERRORS, _SeasonHeldError) as error:
            trouble = error
        league = await self._book.load(head.season_id)
        league = replace(league, head=replace(league.head, trouble=_find_error_code(trouble)))
        try:
            await self._posts.show(league, force=league.head.trouble != head.trouble)
        except REQUEST_ERRORS as error:
            trouble = trouble or error
        if trouble is not None:
            log.warning("a league is held up", season=head.season_id, code=format_error_code(trouble))
        now, season = self._now(), league.season
        at = season.find_next_due(now)
        if trouble is not None:
            sent = trouble if isinstance(trouble, discord.HTTPException) else None
            at = now + compute_retry_delay(sent, head.attempts, longest=LONGEST_WAIT)
        elif season.list_ready_fixtures(now):
            at = DUE_NOW
        await self._season_store.release_season(head.season_id, taken=until, at=at, trouble=_find_error_code(trouble))

    async def _open_matches(self, league: LeagueSeason) -> None:
        """Open the matches that are ready. Raises `_SeasonHeldError` without the permissions or the channel."""
        self._schedule_archiving(league)
        ready = league.season.list_ready_fixtures(self._now())[:MAX_OPENED_THREADS]
        if not ready:
            return
        parent = await self._require_parent(league.head)
        for fixture in ready:
            if not await self._open_match(parent, league, fixture):
                return
            league = await self._book.load(league.head.season_id)

    async def _open_match(self, parent: discord.TextChannel, league: LeagueSeason, fixture: Fixture) -> bool:
        """Open a fixture in a new thread. Return False if it is open already, or a player is gone."""
        thread = await self._open_thread(parent, league, fixture)
        try:
            table = await self._book.open(league, fixture, thread.id)
        except StaleVersion:
            log.info("a fixture has changed", season=league.head.season_id)
            return False
        except RefusalError as refused:
            if refused.why is Refusal.NOT_IN_SEASON:
                return False  # the player leaves in the next run
            # Another try would be refused as well, without a notice.
            raise _SeasonHeldError(NO_CODE) from refused
        self._announcer.refresh(table.head.match_id)
        self._scheduler.wake(table.head.match_id)
        return True

    async def _require_parent(self, head: SeasonHead) -> discord.TextChannel:
        guild = self._sender.find_guild(head.guild_id)
        channel = None if guild is None else guild.get_channel(head.channel_id)
        if guild is None or not isinstance(channel, discord.TextChannel):
            raise _SeasonHeldError(views.CHANNEL_GONE)
        if list_missing_permissions(channel.permissions_for(guild.me), in_thread=False, opens_thread=True):
            raise _SeasonHeldError(views.NO_PERMISSION)
        return channel

    async def _open_thread(self, parent: discord.TextChannel, league: LeagueSeason, fixture: Fixture) -> discord.Thread:
        """Return the thread of a fixture: new, or opened earlier by a process that died."""
        words = await self._languages.load_guild_words(league.head.guild_id)
        player_names = await self.messages.load_names(league, words)
        first, second = (player_names.plain[player] for player in fixture.players)
        season = league.season.conditions
        # A weekly tournament can have the same name and the same pair again.
        number = league.head.season_id if league.season.is_tournament else season.number
        suffix = f" · {number}.{fixture.number}"
        name = f"{first} – {second} · {season.name}"[: THREAD_NAME_LIMIT - len(suffix)] + suffix
        for thread in parent.threads:
            if thread.name == name and thread.owner_id == parent.guild.me.id:
                return thread
        kind = discord.ChannelType.news_thread if parent.is_news() else discord.ChannelType.public_thread
        self._opened_names.append(name)
        return await parent.create_thread(name=name, type=kind, auto_archive_duration=10080)

    def _schedule_archiving(self, league: LeagueSeason) -> None:
        for number, match_id in league.season.match_ids.items():
            if number in league.season.decisions:
                self._archive_times.setdefault(match_id, self._now() + ARCHIVE_DELAY)

    async def _archive_threads(self) -> None:
        """Archive the threads that are due. A message opens them again."""
        due = [match_id for match_id, at in self._archive_times.items() if at <= self._now()]
        try:
            heads = await self._store.matches.list_heads(due)
        except (DatabaseUnavailable, StoreClosed):
            return  # the threads stay due
        for head in heads:
            guild = self._sender.find_guild(head.guild_id)
            thread = None if guild is None else guild.get_thread(head.channel_id)
            if thread is not None and not thread.archived and head.state in ("done", "void"):
                try:
                    await thread.edit(archived=True)
                except REQUEST_ERRORS as error:
                    log.info("a thread stays where it is", code=format_error_code(error))
        for match_id in due:
            self._archive_times[match_id] = 2**62


class _SeasonHeldError(Exception):
    """The next matches cannot open before a user has changed something."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _find_error_code(error: Exception | None) -> int | None:
    if error is None:
        return None
    if isinstance(error, _SeasonHeldError | discord.HTTPException):
        return error.code
    return NO_CODE
