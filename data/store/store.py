"""The store: all that outlives the process, behind one door. Each write is one transaction, all or nothing."""

import math
from collections.abc import Awaitable, Collection, Sequence
from typing import Self

from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.open_database import open_engine
from data.store.connection.shards import UNDIVIDED, Shards
from data.store.connection.store_errors import StoreUnavailable
from data.store.duplicates.store import SealedDeals
from data.store.history.store import LookingBack
from data.store.keeping import Keeping
from data.store.leagues.store import Leagues
from data.store.log import heads, journal, quarantine
from data.store.log.match_values import Change, Head, Known, Loaded, NewMatch, Quarantined
from data.store.outbox.publishing import Publishing
from data.store.puzzles.store import Puzzling
from data.store.solo.score_attacks import ScoreAttacks
from data.store.solo.store import FiguresKept
from data.store.users import users
from data.store.users.participants import lobbies_naming
from data.store.users.stored_premoves import Premoves, premoves_at
from data.store.users.users import Notes
from engine.match.events import Event
from engine.table.evolve import MATCH, Entry
from engine.table.table_events import Stopped
from engine.table.table_state import RUNNING, SeatRow, State


class Store(
    Publishing,
    Keeping,
    LookingBack,
    Leagues,
    SealedDeals,
    FiguresKept,
    ScoreAttacks,
    Notes,
    Premoves,
    Puzzling,
):
    """One database. Several stores, in one process or many, may work on the same one."""

    @classmethod
    async def open(cls, url: str | None = None, *, claimed: bool = True) -> Self:
        """Connect and bring the tables up to date. None is a file in the user's data directory. One that is not
        `claimed` yet, and belongs to somebody, is left as it is until `claim` has found that it is ours; nothing else
        is to be asked of it before.

        Takes sqlite:///FILE and postgresql://USER:PASSWORD@HOST/NAME. Raises StoreUnavailable.
        """
        store = cls(await open_engine(url, unless_owned=not claimed))

        async def brought_up_to_date() -> None:
            if not claimed:
                await (await open_engine(url)).dispose()
            await store.scrub(math.inf)  # nobody waits yet

        try:
            if claimed:
                await brought_up_to_date()
            else:
                store._bring_up_to_date = brought_up_to_date
        except DatabaseUnavailable as trouble:
            await store.close()
            raise StoreUnavailable(f"The database {store.name} cannot be used: {trouble}.", passes=True) from trouble
        except BaseException:
            await store.close()
            raise
        return store

    async def close(self, within: float | None = None) -> None:
        """Finish what is under way and let go of the database, unless that takes longer than so many seconds. Whatever
        is asked of the store from now on raises StoreClosed at once.
        """
        await self._transactions.close(within)

    # -- matches: writing

    async def create(self, new: NewMatch, *, now: int, request: int | None = None) -> Head:
        """Open a table. Raises Repeated for a known interaction, ChannelBusy when a match runs in the channel, TooMany
        where that breaks a limit.
        """
        return await self._write(
            lambda connection: journal.create(connection, new, now, request), request=request, channel_id=new.channel_id
        )

    def commit(self, change: Change, *, now: int) -> Awaitable[Head]:
        """Do all of a change; returns the new head.

        Raises Repeated for a known interaction (checked first), Stale when the match is not where the change expects
        it, UnknownMatch, ChannelBusy, TooMany. Whatever is raised, nothing of the change happened.
        """
        return self._write(
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

    async def set_aside(self, match_id: int, seq: int, why: str, *, now: int) -> bool:
        """A match's log cannot be read from the event `seq` on: nothing of it is due, and its channel is free. False
        where that was done before.
        """
        return await self._write(lambda connection: quarantine.set_aside(connection, match_id, seq, why, now))

    async def close_quarantined(self, match_id: int, ruling: Stopped, *, now: int) -> bool:
        """A match that was set aside is over for good, as a moderator decides. False where it was over before."""
        return await self._write(lambda connection: quarantine.close(connection, match_id, ruling, now))

    async def quarantine_of(self, match_id: int) -> Quarantined | None:
        """How a match was set aside; None where it was not."""
        return await self._read(lambda connection: quarantine.quarantine_of(connection, match_id))

    async def quarantined(
        self, *, guild_id: int | None = None, channel_id: int | None = None, user_id: int | None = None
    ) -> list[Quarantined]:
        """The running matches that were set aside, newest first: all, or those of a server, channel or person."""
        return await self._read(lambda connection: quarantine.quarantined(connection, guild_id, channel_id, user_id))

    async def unreadable(self) -> set[int]:
        """The numbers of all matches, running or over, whose log is known to be unreadable."""
        return await self._read(quarantine.unreadable)

    # -- matches: reading

    async def seen_request(self, interaction_id: int) -> tuple[int, int] | None:
        """The (match_id, seq) that an interaction led to; None when it is new."""
        return await self._read(lambda connection: heads.request(connection, interaction_id))

    async def load(self, match_id: int) -> Loaded | None:
        """Head and log, of the same instant."""
        return await self._read(lambda connection: heads.load(connection, match_id))

    def asked(self, match_id: int, request: int | None, others: Collection[int] = ()) -> Awaitable[Known | None]:
        """What is to be known when something is asked of a match, all of the same instant: what those whom it has to do
        with have set, and these `others`.
        """

        async def work(connection: AsyncConnection) -> Known | None:
            known = None if request is None else await heads.request(connection, request)
            found = await heads.head(connection, match_id)
            if found is None:
                return None
            concerned = await users.people_at(connection, match_id, others)
            ahead = await premoves_at(connection, found)
            return Known(head=found, people=concerned, premoves=ahead, repeated=known is not None)

        return self._read(work)

    async def asked_in(self, channel_id: int) -> Known | None:
        """The same for the newest match that runs in a channel; None where there is none."""

        async def work(connection: AsyncConnection) -> Known | None:
            found = await heads.running_in(connection, channel_id)
            if found is None:
                return None
            concerned = await users.people_at(connection, found.match_id, ())
            ahead = await premoves_at(connection, found)
            return Known(head=found, people=concerned, premoves=ahead, repeated=False)

        return await self._read(work)

    async def head(self, match_id: int) -> Head | None:
        """Where a match stands."""
        return await self._read(lambda connection: heads.head(connection, match_id))

    async def heads_in_channel(
        self, channel_id: int, states: Sequence[State] = RUNNING, *, limit: int | None = None
    ) -> list[Head]:
        """The matches of a channel, newest first: the first `limit` of them, or all."""
        return await self._read(lambda connection: heads.in_channel(connection, channel_id, states, limit))

    async def heads_of_user(self, user_id: int, states: Sequence[State] = RUNNING) -> list[Head]:
        """The matches somebody sits in: those that wait for them first, then least time left first."""
        return await self._read(lambda connection: heads.of_user(connection, user_id, states))

    async def ended_of_user(self, user_id: int, guild_id: int, limit: int) -> list[Head]:
        """The matches of a server that somebody has a result of, newest first, `limit` at most."""
        return await self._read(lambda connection: heads.ended_of_user(connection, user_id, guild_id, limit))

    async def lobbies_naming(self, user_id: int) -> list[int]:
        """The tables that wait for people and know somebody, whether that one sits there, is called, or has left."""
        return await self._read(lambda connection: lobbies_naming(connection, user_id))

    async def lobbies(self, guild_id: int, limit: int) -> list[Head]:
        """The tables of a server that wait for people, newest first, `limit` at most."""
        return await self._read(lambda connection: heads.lobbies(connection, guild_id, limit))

    async def heads_dirty(self, limit: int, *, after: int = 0, of: Shards = UNDIVIDED) -> list[Head]:
        """Matches of these shards whose board message is behind, by number, from the one after `after`."""
        return await self._read(lambda connection: heads.dirty(connection, limit, after, of))

    async def numbers(self, limit: int, *, after: int = 0) -> list[int]:
        """The numbers of all matches, in order, from the one after `after`."""
        return await self._read(lambda connection: heads.numbers(connection, limit, after))

    async def heads_due(
        self, now: int, limit: int, *, after: Head | None = None, of: Shards = UNDIVIDED, kinds: Collection[str] = ()
    ) -> list[Head]:
        """Matches of these shards on which the clock must act, longest overdue first; the page behind that head, or
        the first one. With `kinds`, only where it does one of these.
        """
        return await self._read(lambda connection: heads.overdue(connection, now, limit, after, of, kinds))

    async def heads_ahead(self, than: int, limit: int, *, after: int = 0) -> list[Head]:
        """Matches that wait for something and were last written to later than this moment, by number, from the one
        after `after`.
        """
        return await self._read(lambda connection: heads.ahead(connection, than, limit, after))

    async def channels_moved_to(self, match_id: int) -> list[int]:
        """The channels that a match moved to, in order."""
        return await self._read(lambda connection: heads.channels_moved_to(connection, match_id))

    async def seats(self, match_id: int) -> tuple[SeatRow, ...]:
        """The chairs of a match, in order."""
        return await self._read(lambda connection: heads.seats_of(connection, match_id))

    async def sitting_at(self, match_ids: Collection[int]) -> dict[int, list[int]]:
        """Who sits at these tables, by table and in order."""
        return await self._read(lambda connection: heads.sitting_at(connection, match_ids))

    async def log(self, match_id: int, upto: int | None = None) -> tuple[Entry, ...]:
        """Everything that happened up to this seq, in order. Raises LogDamaged."""
        return await self._read(lambda connection: heads.log(connection, match_id, upto))

    async def events(self, match_id: int, after: int = 0, upto: int | None = None) -> list[Event]:
        """The match's own events with `after` < seq <= `upto`, in order: its record is made of them."""
        entries = (await self.log(match_id, upto))[after:]
        return [entry.event for entry in entries if isinstance(entry.event, MATCH)]
