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

from bot.core.discord_errors import FAILURES, code_of, wait_after
from bot.core.languages import Languages
from bot.core.logs import logger
from bot.core.permissions import missing
from bot.leagues import views as leagues_views
from bot.leagues.posts import SeasonMessages, SeasonPosts
from bot.leagues.service import LeagueBook, LeagueSeason
from bot.sending.announcer import Announcer
from bot.sending.scheduler import Scheduler
from bot.sending.sender import Sender
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.store_errors import Stale, StoreClosed
from data.store.leagues.seasons import DUE_NOW, SeasonHead
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from engine.leagues.season import Fixture
from engine.table.refusals import No, Refused

log = logger(__name__)

LEASE: Final = 60_000  # milliseconds of a lease on a season
BATCH: Final = 20  # the most seasons of one sweep
OPENED_AT_ONCE: Final = 5  # the most threads that are opened for a season at once. Discord allows few in a row.
ARCHIVED_AFTER: Final = 15 * 60_000
"""Milliseconds from the end of a match to the archiving of its thread, so that its players can talk."""
THREAD_NAME: Final = 100
NO_CODE: Final = 0  # the stored code of an error that has no number from Discord
LONGEST_WAIT: Final = 300  # the longest time between two tries, in seconds. Nothing reports that permissions are back.


class Seasons:
    """Runs seasons in separate tasks, so that a closed channel delays no other league."""

    def __init__(
        self,
        sender: Sender,
        store: Store,
        book: LeagueBook,
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
        self._tidying: asyncio.Task[None] | None = None
        self._archiving: dict[int, tuple[int, int]] = {}
        """By finished match: its server, and when to archive its thread."""
        self._named: deque[str] = deque(maxlen=100)  # the names of the threads that were opened last

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Start tasks for the seasons that are due on these shards."""
        if not of:
            return
        for head in await self._season_store.seasons_due(self._now(), BATCH, of=of):
            self._begin(head)
        over = any(at <= self._now() for _, at in self._archiving.values())
        if over and (self._tidying is None or self._tidying.done()):
            self._tidying = asyncio.create_task(self._put_away())

    async def go_on(self, season_id: int) -> None:
        """Run one season now, because a user has changed it.

        If its task is running, the next sweep does the rest: two tasks would open threads twice.
        """
        head = (await self._book.season(season_id)).head
        if head.due_at is not None and head.due_at <= self._now():
            begun = self._begin(head)
            if begun is not None:
                await asyncio.wait([begun])

    async def move(self, found: LeagueSeason, channel_id: int) -> None:
        """Move a season to this channel and delete its old message."""
        await self._season_store.move_season(found.head.season_id, channel_id, now=self._now())
        await self.go_on(found.head.season_id)

    async def idle(self) -> None:
        while running := [task for task in (*self._running.values(), self._tidying) if task and not task.done()]:
            await asyncio.wait(running)

    async def noticed(self, message: discord.Message) -> None:
        """Delete Discord's notice of a new thread: its players are called, and a round would push other messages up."""
        opened = message.type is discord.MessageType.thread_created and message.content in self._named
        if opened and message.guild is not None:
            self._named.remove(message.content)
            try:
                await self._sender.delete(self._sender.channel(message.channel.id, message.guild.id), message.id)
            except FAILURES as error:
                log.info("a line about a thread stays", code=code_of(error))

    async def thread_deleted(self, guild_id: int, thread_id: int) -> None:
        """Open a new thread for a running match whose thread was deleted. If that fails, its host is notified."""
        for head in await self._store.matches.heads_in_channel(thread_id):
            season_id = await self._season_store.season_of_match(head.match_id)
            if season_id is None:
                continue
            found = await self._book.season(season_id, guild_id)
            fixture = found.season.fixture_of(head.match_id)
            if fixture is None or found.season.state != "running":
                continue
            try:
                thread = await self._thread(await self._parent(found.head), found, fixture)
                await self._book.bring(found, fixture, thread.id)
            except (*FAILURES, _Held, Refused) as error:
                log.warning("a league match has no thread", season=season_id, code=code_of(error))
                continue
            self._announcer.refresh(head.match_id)

    def _begin(self, head: SeasonHead) -> asyncio.Task[None] | None:
        """Start the task of a season; None if it is running."""
        at_it = self._running.get(head.season_id)
        if at_it is not None and not at_it.done():
            return None
        task = self._running[head.season_id] = asyncio.create_task(self._go_on_with(head))
        task.add_done_callback(lambda done: self._ended(head.season_id, done))
        return task

    def _ended(self, season_id: int, task: asyncio.Task[None]) -> None:
        if self._running.get(season_id) is task:
            del self._running[season_id]

    async def _go_on_with(self, head: SeasonHead) -> None:
        until = self._now() + LEASE
        try:
            # A server that is away is looked at again when the lease is over.
            if await self._season_store.take_season(head, until=until) and not self._sender.is_away(head.guild_id):
                await self._taken(head, until)
        except StoreClosed:
            log.info("a league continues after the next start", season=head.season_id)
        except DatabaseUnavailable:
            log.info("a league continues when the database works again", season=head.season_id)
        except Exception:
            log.exception("a league could not continue", season=head.season_id)
            await self._hold(head, until)

    async def _hold(self, head: SeasonHead, until: int) -> None:
        """Postpone a season after a fault that only the operator can repair."""
        at = self._now() + wait_after(None, head.attempts, longest=LONGEST_WAIT)
        try:
            await self._season_store.let_go_of_season(head.season_id, taken=until, at=at, trouble=NO_CODE)
        except (DatabaseUnavailable, StoreClosed):
            log.info("a league will be checked again when its lease ends", season=head.season_id)

    async def _taken(self, head: SeasonHead, until: int) -> None:
        """Do all that is due in a season, and store when something is due again."""
        await self._book.run(head.season_id)
        trouble: Exception | None = None
        try:
            await self._open_matches(await self._book.season(head.season_id))
        except (*FAILURES, _Held) as error:
            trouble = error
        found = await self._book.season(head.season_id)
        found = replace(found, head=replace(found.head, trouble=_number(trouble)))
        try:
            await self._posts.show(found, anew=found.head.trouble != head.trouble)
        except FAILURES as error:
            trouble = trouble or error
        if trouble is not None:
            log.warning("a league is held up", season=head.season_id, code=code_of(trouble))
        now, season = self._now(), found.season
        at = season.due(now)
        if trouble is not None:
            sent = trouble if isinstance(trouble, discord.HTTPException) else None
            at = now + wait_after(sent, head.attempts, longest=LONGEST_WAIT)
        elif season.ready(now):
            at = DUE_NOW
        await self._season_store.let_go_of_season(head.season_id, taken=until, at=at, trouble=_number(trouble))

    async def _open_matches(self, found: LeagueSeason) -> None:
        """Open the matches that are ready. Raises `_Held` without the permissions or the channel."""
        self._note_over(found)
        ready = found.season.ready(self._now())[:OPENED_AT_ONCE]
        if not ready:
            return
        parent = await self._parent(found.head)
        for fixture in ready:
            if not await self._open_one(parent, found, fixture):
                return
            found = await self._book.season(found.head.season_id)

    async def _open_one(self, parent: discord.TextChannel, found: LeagueSeason, fixture: Fixture) -> bool:
        """Open a fixture in a new thread. Return False if it is open already, or a player is gone."""
        thread = await self._thread(parent, found, fixture)
        try:
            table = await self._book.open(found, fixture, thread.id)
        except Stale:
            log.info("a fixture has changed", season=found.head.season_id)
            return False
        except Refused as refused:
            if refused.why is No.NOT_IN_SEASON:
                return False  # the player leaves in the next run
            # Another try would be refused as well, without a notice.
            raise _Held(NO_CODE) from refused
        self._announcer.refresh(table.head.match_id)
        self._scheduler.soon(table.head.match_id)
        return True

    async def _parent(self, head: SeasonHead) -> discord.TextChannel:
        guild = self._sender.guild(head.guild_id)
        place = None if guild is None else guild.get_channel(head.channel_id)
        if guild is None or not isinstance(place, discord.TextChannel):
            raise _Held(leagues_views.CHANNEL_GONE)
        if missing(place.permissions_for(guild.me), in_thread=False, opens_thread=True):
            raise _Held(leagues_views.NO_PERMISSION)
        return place

    async def _thread(self, parent: discord.TextChannel, found: LeagueSeason, fixture: Fixture) -> discord.Thread:
        """Return the thread of a fixture: new, or opened earlier by a process that died."""
        words = await self._languages.at(found.head.guild_id)
        called = await self.messages.called(found, words)
        first, second = (called.plain[player] for player in fixture.players)
        season = found.season.conditions
        # A weekly tournament can have the same name and the same pair again.
        number = found.head.season_id if found.season.is_tournament else season.number
        tail = f" · {number}.{fixture.number}"
        name = f"{first} – {second} · {season.name}"[: THREAD_NAME - len(tail)] + tail
        for thread in parent.threads:
            if thread.name == name and thread.owner_id == parent.guild.me.id:
                return thread
        kind = discord.ChannelType.news_thread if parent.is_news() else discord.ChannelType.public_thread
        self._named.append(name)
        return await parent.create_thread(name=name, type=kind, auto_archive_duration=10080)

    def _note_over(self, found: LeagueSeason) -> None:
        for number in found.season.opened:
            if number in found.season.decisions and found.season.opened[number] not in self._archiving:
                self._archiving[found.season.opened[number]] = (found.head.guild_id, self._now() + ARCHIVED_AFTER)

    async def _put_away(self) -> None:
        """Archive the threads that are due. A message opens them again."""
        due = [match_id for match_id, (_, at) in self._archiving.items() if at <= self._now()]
        try:
            heads = await self._store.matches.heads(due)
        except (DatabaseUnavailable, StoreClosed):
            return  # they stay due
        for head in heads:
            guild = self._sender.guild(head.guild_id)
            thread = None if guild is None else guild.get_thread(head.channel_id)
            if thread is not None and not thread.archived and head.state in ("done", "void"):
                try:
                    await thread.edit(archived=True)
                except FAILURES as error:
                    log.info("a thread stays where it is", code=code_of(error))
        for match_id in due:
            self._archiving[match_id] = (0, 2**62)


class _Held(Exception):  # noqa: N818 - nothing went wrong here
    """The next matches cannot open before a user has changed something."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _number(error: Exception | None) -> int | None:
    if error is None:
        return None
    if isinstance(error, _Held | discord.HTTPException):
        return error.code
    return NO_CODE
