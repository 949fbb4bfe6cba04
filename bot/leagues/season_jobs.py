"""What leagues do by themselves: seasons begin and end, their matches open in threads, their message shows how it
stands.

Whatever is due stands in the store. Who takes a season up has it for a minute; should they be killed, somebody else
goes on from there: a message is found again by its mark, a thread by its name, a match by its fixture.
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
from bot.leagues import views
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

LEASE: Final = 60_000
"""For so many ms whoever takes a season up has it."""
BATCH: Final = 20
"""Seasons that are looked at in one sweep."""
OPENED_AT_ONCE: Final = 5
"""Threads that are opened for a season in one go: Discord allows few in a row, and others wait for them too."""
ARCHIVED_AFTER: Final = 15 * 60_000
"""The thread of a match that is over is put away so many ms later: those who played may talk about it."""
THREAD_NAME: Final = 100
NO_CODE: Final = 0
"""What the store keeps where something went wrong that Discord has no number for."""
LONGEST_WAIT: Final = 300
"""Seconds after which a league that is held up looks again at the latest: permissions come back without a word."""


class Seasons:
    """Carries them on, beside everything else: a league whose channel is gone keeps no other waiting."""

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
        self._running: dict[int, asyncio.Task[None]] = {}
        """Who goes on with which season; nobody else does meanwhile."""
        self._tidying: asyncio.Task[None] | None = None
        self._archiving: dict[int, tuple[int, int]] = {}
        """By match that is over: its server, and when its thread is put away."""
        self._named: deque[str] = deque(maxlen=100)
        """The threads that were opened last."""

    async def sweep(self, of: Shards = UNDIVIDED) -> None:
        """Begin with what is due on these shards, unless that is being done."""
        if not of:
            return
        for head in await self._season_store.seasons_due(self._now(), BATCH, of=of):
            self._begin(head)
        over = any(at <= self._now() for _, at in self._archiving.values())
        if over and (self._tidying is None or self._tidying.done()):
            self._tidying = asyncio.create_task(self._put_away())

    async def go_on(self, season_id: int) -> None:
        """Do what is due of one season now, because somebody has just changed it. Where somebody is at it already, the
        next sweep does what they have not seen: two at once would open threads twice, and overtake each other.
        """
        head = (await self._book.season(season_id)).head
        if head.due_at is not None and head.due_at <= self._now():
            begun = self._begin(head)
            if begun is not None:
                await asyncio.wait([begun])

    async def move(self, found: LeagueSeason, channel_id: int) -> None:
        """A season goes on in this channel, with its message at the bottom. The one that it had is taken away."""
        await self._season_store.move_season(found.head.season_id, channel_id, now=self._now())
        await self.go_on(found.head.season_id)

    async def idle(self) -> None:
        """Wait until nothing is being done."""
        while running := [task for task in (*self._running.values(), self._tidying) if task and not task.done()]:
            await asyncio.wait(running)

    async def noticed(self, message: discord.Message) -> None:
        """Discord says in the channel that a thread was opened. Those who play are called, and a round of matches would
        push everything else up: that line goes.
        """
        opened = message.type is discord.MessageType.thread_created and message.content in self._named
        if opened and message.guild is not None:
            self._named.remove(message.content)
            try:
                await self._sender.delete(self._sender.channel(message.channel.id, message.guild.id), message.id)
            except FAILURES as error:
                log.info("a line about a thread stays", code=code_of(error))

    async def thread_deleted(self, guild_id: int, thread_id: int) -> None:
        """A running match of a league whose thread somebody deletes goes on in a new one. Where none can be opened,
        its host is told as at any table whose channel is gone.
        """
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
                log.warning("a match of a league stays without its thread", season=season_id, code=code_of(error))
                continue
            self._announcer.refresh(head.match_id)

    def _begin(self, head: SeasonHead) -> asyncio.Task[None] | None:
        """Go on with a season beside all others, which may have to wait for Discord. None where that is being done."""
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
            # A server that is away is looked at again when the time is over: it hides no other meanwhile.
            if await self._season_store.take_season(head, until=until) and not self._sender.is_away(head.guild_id):
                await self._taken(head, until)
        except StoreClosed:
            log.info("a league goes on after the next start", season=head.season_id)
        except DatabaseUnavailable:
            log.info("a league goes on when the database works again", season=head.season_id)
        except Exception:
            # It waits longer each time, and is counted.
            log.exception("a league could not go on", season=head.season_id)
            await self._hold(head, until)

    async def _hold(self, head: SeasonHead, until: int) -> None:
        """Nobody on its server can do anything about this: whoever runs the bot is to see it."""
        at = self._now() + wait_after(None, head.attempts, longest=LONGEST_WAIT)
        try:
            await self._season_store.let_go_of_season(head.season_id, taken=until, at=at, trouble=NO_CODE)
        except (DatabaseUnavailable, StoreClosed):
            log.info("a league is looked at again when its time is over", season=head.season_id)

    async def _taken(self, head: SeasonHead, until: int) -> None:
        """All that is due of a season, and when something is due again."""
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

    # -- matches

    async def _open_matches(self, found: LeagueSeason) -> None:
        """Open what is ready, each in a thread of its own. Raises _Held where the bot may not, or where there is no
        channel any more.
        """
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
        """Open a fixture in a thread of its own. False where somebody else has, or a player is gone by now."""
        thread = await self._thread(parent, found, fixture)
        try:
            table = await self._book.open(found, fixture, thread.id)
        except Stale:
            log.info("a fixture was not what it was any more", season=found.head.season_id)
            return False
        except Refused as refused:
            if refused.why is No.NOT_IN_SEASON:
                return False  # somebody was forgotten, and leaves before the next look
            # It would be refused again at once, and nobody would hear of it.
            raise _Held(NO_CODE) from refused
        self._announcer.refresh(table.head.match_id)
        self._scheduler.soon(table.head.match_id)
        return True

    async def _parent(self, head: SeasonHead) -> discord.TextChannel:
        guild = self._sender.guild(head.guild_id)
        place = None if guild is None else guild.get_channel(head.channel_id)
        if guild is None or not isinstance(place, discord.TextChannel):
            raise _Held(views.CHANNEL_GONE)
        if missing(place.permissions_for(guild.me), in_thread=False, opens_thread=True):
            raise _Held(views.NO_PERMISSION)
        return place

    async def _thread(self, parent: discord.TextChannel, found: LeagueSeason, fixture: Fixture) -> discord.Thread:
        """A new thread for a fixture; the one that somebody opened who was killed before the match began, if any."""
        words = await self._languages.at(found.head.guild_id)
        called = await self.messages.called(found, words)
        first, second = (called.plain[player] for player in fixture.players)
        season = found.season.conditions
        # A server may have a tournament of the same name every week, and the same two may meet in it.
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
        """The threads of matches that have just counted are put away in a while."""
        for number in found.season.opened:
            if number in found.season.decisions and found.season.opened[number] not in self._archiving:
                self._archiving[found.season.opened[number]] = (found.head.guild_id, self._now() + ARCHIVED_AFTER)

    async def _put_away(self) -> None:
        """Archive the threads whose time has come. Whoever writes there opens them again."""
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
            self._archiving[match_id] = (0, 2**62)  # once


class _Held(Exception):  # noqa: N818 - nothing went wrong here
    """The next matches cannot open before somebody has changed something."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _number(error: Exception | None) -> int | None:
    """What the store keeps of what went wrong."""
    if error is None:
        return None
    if isinstance(error, _Held | discord.HTTPException):
        return error.code
    return NO_CODE
