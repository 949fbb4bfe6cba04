"""The store: all that outlives the process, behind one door. Each write is one transaction, all or nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Self, TypeVar

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store import guilds, heads, journal, leaderboard, outbox, people, standings
from data.store.connect import reading
from data.store.errors import ChannelBusy, Repeated
from data.store.opening import opened
from data.store.scores import LeaderboardPage, LeaderRow, Profile, Rate, Result
from data.store.values import RUNNING, Change, Guild, Head, Loaded, NewMatch, OutboxRow, Person, Pings, SeatRow, State
from engine.events import Event

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]
"""What is done in one transaction."""


class Store:
    """One database. Several stores, in one process or many, may work on the same one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = reading(engine)
        self._running: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(cls, url: str | None = None) -> Self:
        """Connect and bring the tables up to date. None is a file in the user's data directory.

        Takes sqlite:///FILE and postgresql://USER:PASSWORD@HOST/NAME. Raises StoreUnavailable.
        """
        return cls(await opened(url))

    async def close(self) -> None:
        """Finish what is under way and let go of the database. The process cannot end before that."""
        while self._running:
            await asyncio.wait(self._running)
        await self._engine.dispose()

    # -- matches: writing

    async def create(self, new: NewMatch, *, now: int, request: int | None = None) -> Head:
        """Open a table. Raises Repeated for a known interaction, ChannelBusy when a match runs in the channel."""
        return await self._write(
            lambda connection: journal.create(connection, new, now, request), request=request, channel_id=new.channel_id
        )

    async def commit(self, change: Change, *, now: int) -> Head:
        """Do all of a change; returns the new head.

        Raises Repeated for a known interaction (checked first), Stale when the match is not where the change expects
        it, UnknownMatch, ChannelBusy. Whatever is raised, nothing of the change happened.
        """
        return await self._write(
            lambda connection: journal.commit(connection, change, now),
            request=change.request,
            channel_id=change.channel_id,
            match_id=change.match_id,
        )

    async def moved(self, match_id: int, channel_id: int) -> None:
        """The board lives in another channel from now on, where it must be posted. Raises ChannelBusy, UnknownMatch."""
        await self._write(
            lambda connection: heads.moved(connection, match_id, channel_id), channel_id=channel_id, match_id=match_id
        )

    # -- matches: reading

    async def seen_request(self, interaction_id: int) -> tuple[int, int] | None:
        """The (match_id, seq) that an interaction led to; None when it is new."""
        return await self._read(lambda connection: heads.request(connection, interaction_id))

    async def load(self, match_id: int) -> Loaded | None:
        """Head, seats and events, all of the same instant."""
        return await self._read(lambda connection: heads.load(connection, match_id))

    async def head(self, match_id: int) -> Head | None:
        """Where a match stands."""
        return await self._read(lambda connection: heads.head(connection, match_id))

    async def heads_in_channel(self, channel_id: int, states: Sequence[State] = RUNNING) -> list[Head]:
        """The matches of a channel, newest first."""
        return await self._read(lambda connection: heads.in_channel(connection, channel_id, states))

    async def heads_of_user(self, user_id: int, states: Sequence[State] = RUNNING) -> list[Head]:
        """The matches somebody sits in: those that wait for them first, then least time left first."""
        return await self._read(lambda connection: heads.of_user(connection, user_id, states))

    async def heads_dirty(self, limit: int, *, after: int = 0) -> list[Head]:
        """Matches whose board message is behind, by number, from the one after `after`."""
        return await self._read(lambda connection: heads.dirty(connection, limit, after))

    async def heads_due(self, now: int, limit: int) -> list[Head]:
        """Matches on which the clock must act, longest overdue first."""
        return await self._read(lambda connection: heads.due(connection, now, limit))

    async def seats(self, match_id: int) -> tuple[SeatRow, ...]:
        """The chairs of a match, in order."""
        return await self._read(lambda connection: heads.seats_of(connection, match_id))

    async def events(self, match_id: int, after: int = 0, upto: int | None = None) -> list[Event]:
        """The engine's events with `after` < seq <= `upto`, in order. Raises LogDamaged."""
        return await self._read(lambda connection: heads.log(connection, match_id, after, upto))

    # -- what Discord shows

    async def shown(self, match_id: int, *, seq: int, message_id: int | None) -> bool:
        """The board message now shows `seq`; None: it can be shown nowhere. False when a newer one is shown already."""
        return await self._write(lambda connection: heads.shown(connection, match_id, seq, message_id))

    async def board_lost(self, match_id: int, message_id: int) -> bool:
        """The board message was deleted, so it must be posted anew. False when the match has another one by now."""
        return await self._write(lambda connection: heads.board_lost(connection, match_id, message_id))

    async def turn_shown(self, match_id: int, *, message_id: int | None) -> int | None:
        """The turn message from now on; returns the one before it, for the caller to delete."""
        return await self._write(lambda connection: heads.turn_shown(connection, match_id, message_id))

    # -- what waits to be said

    async def due_outbox(self, now: int, limit: int, *, match_id: int | None = None) -> list[OutboxRow]:
        """Posts to send now, of one match or of all, oldest first; a match's posts keep their order even when one had
        to be put off.
        """
        return await self._read(lambda connection: outbox.due(connection, now, limit, match_id))

    async def mark_sent(self, row_id: int, message_id: int) -> None:
        """The post stands in the channel as this message."""
        await self._write(lambda connection: outbox.sent(connection, row_id, message_id))

    async def put_off(self, row_id: int, next_at: int) -> None:
        """The post could not be sent; it is tried again at `next_at`."""
        await self._write(lambda connection: outbox.put_off(connection, row_id, next_at))

    async def drop(self, row_id: int) -> None:
        """The post will never be sent."""
        await self._write(lambda connection: outbox.drop(connection, row_id))

    # -- scores

    async def results(self, match_id: int) -> tuple[Result, ...]:
        """Everybody's line of a finished match, best place first, with the rating change on its server."""
        return await self._read(lambda connection: standings.of_match(connection, match_id))

    async def leaderboard(
        self, guild_id: int, game: str, *, since: int | None = None, page: int = 0, size: int = 10
    ) -> LeaderboardPage:
        """Page `page`, from 0, of a server's leaderboard (0: everywhere), of all time or of the time since."""
        return await self._read(lambda connection: leaderboard.page(connection, guild_id, game, since, page, size))

    async def own_rank(self, guild_id: int, game: str, user_id: int, *, since: int | None = None) -> LeaderRow | None:
        """Somebody's own line of the same leaderboard; None when they are not on it."""
        return await self._read(lambda connection: leaderboard.own(connection, guild_id, game, since, user_id))

    async def profile(self, user_id: int, guild_id: int, game: str) -> Profile | None:
        """What somebody has done in a game, on a server (0: everywhere); None when they have finished no match."""
        return await self._read(lambda connection: leaderboard.profile(connection, user_id, guild_id, game))

    async def rebuild_standings(self, rate: Rate) -> None:
        """Fold the standings anew from the results: after a change of the rating model, or of the past."""
        await self._write(lambda connection: standings.rebuild(connection, rate))

    # -- people

    async def person(self, user_id: int) -> Person:
        """Somebody's own settings; the defaults for a newcomer."""
        return await self._read(lambda connection: people.person(connection, user_id))

    async def set_person(
        self,
        user_id: int,
        *,
        quick: bool | None = None,
        pings: Pings | None = None,
        wishes: Mapping[str, Any] | None = None,
        now: int,
    ) -> Person:
        """Change the settings that are not None; returns all of them."""
        return await self._write(lambda connection: people.set_person(connection, user_id, quick, pings, wishes, now))

    # -- servers, and the bot's own pulse

    async def guild(self, guild_id: int) -> Guild:
        """A server's settings, empty where nothing was set."""
        return await self._read(lambda connection: guilds.guild(connection, guild_id))

    async def set_guild(self, guild_id: int, settings: Mapping[str, Any], *, now: int) -> None:
        """Keep all settings of a server."""
        await self._write(lambda connection: guilds.set_guild(connection, guild_id, settings, now))

    async def guild_left(self, guild_id: int, left_at: int | None, *, now: int) -> None:
        """The bot was removed from a server at this time; None: it is back."""
        await self._write(lambda connection: guilds.guild_left(connection, guild_id, left_at, now))

    async def pulse(self, name: str, *, now: int) -> int | None:
        """Note that the process of this name is alive; returns when it last was, None when never."""
        return await self._write(lambda connection: guilds.pulse(connection, name, now))

    async def _read(self, work: Work[T]) -> T:
        async def run() -> T:
            async with self._reading.connect() as connection:
                return await work(connection)

        return await self._whole(run())

    async def _write(
        self, work: Work[T], *, request: int | None = None, channel_id: int | None = None, match_id: int | None = None
    ) -> T:
        async def run() -> T:
            async with self._engine.begin() as connection:
                return await work(connection)

        try:
            return await self._whole(run())
        except IntegrityError:
            # A unique key stopped it: another process did the same at the same moment, or the channel is taken.
            await self._explain(request, channel_id, match_id)
            raise

    async def _explain(self, request: int | None, channel_id: int | None, match_id: int | None) -> None:
        """Raise Repeated or ChannelBusy when that is why a write was refused."""
        known = None if request is None else await self.seen_request(request)
        if known is not None:
            raise Repeated(*known) from None
        if channel_id is None and match_id is not None:
            head = await self.head(match_id)
            channel_id = None if head is None else head.channel_id
        running = [] if channel_id is None else await self.heads_in_channel(channel_id)
        for other in running:
            if other.match_id != match_id:
                raise ChannelBusy(other.match_id) from None

    async def _whole(self, transaction: Coroutine[Any, Any, T]) -> T:
        """Let a transaction end even when its caller is cancelled.

        The driver would abandon the connection, and on SQLite the lock with it: everybody would wait for a timeout.
        """
        task = asyncio.create_task(transaction)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # a caller that was cancelled does not ask any more
