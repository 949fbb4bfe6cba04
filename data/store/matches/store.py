"""Matches: writing them, one transaction an act, and finding and reading them."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Row, Select, bindparam, case, or_, select, text, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.json_text import to_mapping
from data.store.connection.repository import Repository, reads, writes
from data.store.connection.schema import unindexed
from data.store.connection.shards import UNDIVIDED, Shard, Shards
from data.store.connection.store_errors import ChannelBusy, LogDamaged, Repeated, Stale, UnknownMatch
from data.store.connection.tables import RULINGS, events, matches, seats
from data.store.connection.transactions import Work
from data.store.log import heads, participants, stored_premoves
from data.store.log.heads import to_head
from data.store.log.match_values import Change, Head, Known, Loaded, Moderation, NewMatch
from data.store.log.participants import lobbies_naming
from data.store.matches import journal
from data.store.outbox import board_posts
from data.store.results import player_standings
from data.store.results.tables import results
from data.store.users.store import people_at, prefer
from engine.match.events import Event
from engine.table.evolve import MATCH, Entry
from engine.table.preferences import Person, Pings, Preferences
from engine.table.premove import Premove
from engine.table.table_events import MODERATED, Skipped
from engine.table.table_state import RUNNING, SeatRow, State

T = TypeVar("T")

_SEATS: Final = select(seats).where(seats.c.match_id == bindparam("match")).order_by(seats.c.seat)


_RULINGS: Final[Select[Any]] = (
    select(events.c.seq, events.c.kind, events.c.body, events.c.at)
    .where(events.c.match_id == bindparam("match"), text(RULINGS))
    .order_by(events.c.seq)
)


def _of(row: Row[Any], match_id: int, people: dict[int, int | None]) -> Moderation:
    event = participants.event_of(row, match_id, people)
    assert isinstance(event, MODERATED)
    return Moderation(
        match_id=match_id,
        seq=row.seq,
        kind=row.kind,
        reason=event.reason,
        seat=event.seat if isinstance(event, Skipped) else None,
        user_id=event.by,
        at=row.at,
    )


class MatchStore(Repository):
    """Matches."""

    async def create(self, new: NewMatch, *, now: int, request: int | None = None) -> Head:
        """Open a table. Raises Repeated for a known interaction, ChannelBusy when a match runs in the channel, TooMany
        where that breaks a limit.
        """
        return await self._write(
            lambda connection: journal.create(connection, new, now, request), request=request, channel_id=new.channel_id
        )

    async def commit(self, change: Change, *, now: int) -> Head:
        """Do all of a change; returns the new head.

        Raises Repeated for a known interaction (checked first), Stale when the match is not where the change expects
        it, UnknownMatch, ChannelBusy, TooMany. Whatever is raised, nothing of the change happened.
        """
        return await self._write(
            lambda connection: journal.commit(connection, change, now),
            request=change.request,
            channel_id=change.channel_id,
            match_id=change.match_id,
        )

    @writes
    async def commit_each(self, connection: AsyncConnection, changes: Sequence[Change], *, now: int) -> list[Head]:
        """Do some changes at once, each as `commit` does; returns the new heads. Where a match is gone, or not where
        its change expects it, nothing happens to that match.
        """
        done = []
        # In order, so that two processes at the same tables do not wait for each other.
        for change in sorted(changes, key=lambda change: change.match_id):
            try:
                done.append(await journal.commit(connection, change, now))
            except (Stale, UnknownMatch):
                continue
        return done

    async def moved(self, match_id: int, channel_id: int) -> None:
        """The board lives in another channel from now on, where it must be posted. Raises ChannelBusy, UnknownMatch."""
        changed = {"channel_id": channel_id, "shown_seq": 0, "board_message_id": None, "turn_message_id": None}

        async def work(connection: AsyncConnection) -> None:
            done = await connection.execute(update(matches).where(matches.c.match_id == match_id).values(changed))
            if done.rowcount != 1:
                raise UnknownMatch(match_id)
            await board_posts.reopen_channel(connection, match_id)

        await self._write(work, channel_id=channel_id, match_id=match_id)

    @writes
    async def prefer(
        self,
        connection: AsyncConnection,
        before: Person,
        preferences: Preferences,
        changes: Sequence[Change] = (),
        *,
        pings: Pings | None = None,
        now: int,
    ) -> list[Head]:
        """Keep what somebody prefers, and where they are called unless that is None, and do what follows from it at
        their matches; returns the new heads.

        Raises Stale when they have preferred something else since `before` was read, and whatever `commit` does for
        any of the changes. Whatever is raised, nothing of all this happened.
        """
        await prefer(connection, before, preferences, pings, now)
        if preferences.listed != before.preferences.listed:
            await player_standings.hide(connection, before.user_id, not preferences.listed)
        # In order, so that two people at the same tables do not wait for each other.
        ordered = sorted(changes, key=lambda change: change.match_id)
        return [await journal.commit(connection, change, now) for change in ordered]

    @writes
    async def arm(self, connection: AsyncConnection, decided_on: Head, user_id: int, premove: Premove | None) -> Head:
        """Keep what somebody has decided to do when it is their turn; None: nothing any more. Raises Stale."""
        mine = update(matches).where(
            matches.c.match_id == decided_on.match_id, matches.c.seq == decided_on.seq, matches.c.state == "open"
        )
        row = (await connection.execute(mine.values(private=matches.c.private + 1).returning(matches))).first()
        if row is None:
            raise Stale(decided_on.seq)
        await stored_premoves.keep_premoves(connection, decided_on.match_id, {user_id: premove})
        return to_head(row)

    @reads
    async def seen_request(self, connection: AsyncConnection, interaction_id: int) -> tuple[int, int] | None:
        """The (match_id, seq) that an interaction led to; None when it is new."""
        return await heads.request(connection, interaction_id)

    @reads
    async def load(self, connection: AsyncConnection, match_id: int) -> Loaded | None:
        """Head and log, of the same instant."""
        found = await heads.head(connection, match_id)
        return None if found is None else Loaded(head=found, log=await heads.log(connection, match_id, None))

    @reads
    async def asked(
        self, connection: AsyncConnection, match_id: int, request: int | None, others: Collection[int] = ()
    ) -> Known | None:
        """What is to be known when something is asked of a match, all of the same instant: what those whom it has to do
        with have set, and these `others`.
        """
        known = None if request is None else await heads.request(connection, request)
        found = await heads.head(connection, match_id)
        if found is None:
            return None
        concerned = await people_at(connection, match_id, others)
        ahead = await stored_premoves.premoves_at(connection, found)
        return Known(head=found, people=concerned, premoves=ahead, repeated=known is not None)

    @reads
    async def asked_in(self, connection: AsyncConnection, channel_id: int) -> Known | None:
        """The same for the newest match that runs in a channel; None where there is none."""
        found = await heads.running_in(connection, channel_id)
        if found is None:
            return None
        concerned = await people_at(connection, found.match_id, ())
        ahead = await stored_premoves.premoves_at(connection, found)
        return Known(head=found, people=concerned, premoves=ahead, repeated=False)

    @reads
    async def head(self, connection: AsyncConnection, match_id: int) -> Head | None:
        """Where a match stands."""
        return await heads.head(connection, match_id)

    @reads
    async def heads(self, connection: AsyncConnection, numbers: Collection[int]) -> list[Head]:
        """Where these matches stand; those of which nothing else is kept are missing."""
        query = select(matches).where(matches.c.match_id.in_(numbers))
        return [to_head(row) for row in await connection.execute(query)]

    @reads
    async def heads_in_channel(
        self,
        connection: AsyncConnection,
        channel_id: int,
        states: Sequence[State] = RUNNING,
        *,
        limit: int | None = None,
    ) -> list[Head]:
        """The matches of a channel, newest first: the first `limit` of them, or all."""
        return await heads.in_channel(connection, channel_id, states, limit)

    @reads
    async def heads_of_user(
        self, connection: AsyncConnection, user_id: int, states: Sequence[State] = RUNNING
    ) -> list[Head]:
        """The matches somebody sits in: those that wait for them first, then least time left first."""
        query = (
            select(matches)
            .join(seats, seats.c.match_id == matches.c.match_id)
            .where(seats.c.user_id == user_id, matches.c.state.in_(states))
            .order_by(
                case((matches.c.turn_user == user_id, 0), else_=1),
                matches.c.due_at.is_(None),
                matches.c.due_at,
                *heads.NEWEST,
            )
        )
        return [to_head(row) for row in await connection.execute(query)]

    @reads
    async def ended_of_user(self, connection: AsyncConnection, user_id: int, guild_id: int, limit: int) -> list[Head]:
        """The matches of a server that somebody has a result of, newest first, `limit` at most."""
        here = (unindexed(matches.c.guild_id) == guild_id, matches.c.state == "done")
        by_result = (
            select(matches)
            .join(results, results.c.match_id == matches.c.match_id)
            .where(results.c.user_id == user_id, *here)
            .order_by(results.c.ended_at.desc())
            .limit(limit)
        )
        by_seat = (
            select(matches)
            .join(seats, seats.c.match_id == matches.c.match_id)
            .where(seats.c.user_id == user_id, *here)
            .order_by(matches.c.match_id.desc())
            .limit(limit)
        )
        found = {
            row.match_id: to_head(row) for query in (by_result, by_seat) for row in await connection.execute(query)
        }
        return sorted(found.values(), key=lambda one: (one.updated_at, one.match_id), reverse=True)[:limit]

    @reads
    async def lobbies_naming(self, connection: AsyncConnection, user_id: int) -> list[int]:
        """The tables that wait for people and know somebody, whether that one sits there, is called, or has left."""
        return await lobbies_naming(connection, user_id)

    @reads
    async def lobbies(self, connection: AsyncConnection, guild_id: int, limit: int) -> list[Head]:
        """The tables of a server that wait for people, newest first, `limit` at most."""
        query = select(matches).where(matches.c.guild_id == guild_id, matches.c.state == "lobby")
        return [to_head(row) for row in await connection.execute(query.order_by(*heads.NEWEST).limit(limit))]

    @reads
    async def heads_dirty(
        self, connection: AsyncConnection, limit: int, *, after: int = 0, of: Shards = UNDIVIDED
    ) -> list[Head]:
        """Matches of these shards whose board message is behind, by number, from the one after `after`."""
        here = of.hold(matches.c.guild_id)
        behind = select(matches).where(matches.c.shown_seq < matches.c.seq, matches.c.match_id > after, here)
        return [to_head(row) for row in await connection.execute(behind.order_by(matches.c.match_id).limit(limit))]

    @reads
    async def heads_due(
        self,
        connection: AsyncConnection,
        now: int,
        limit: int,
        *,
        after: Head | None = None,
        of: Shards = UNDIVIDED,
        kinds: Collection[str] = (),
    ) -> list[Head]:
        """Matches of these shards on which the clock must act, longest overdue first; the page behind that head, or
        the first one. With `kinds`, only where it does one of these.
        """
        query = select(matches).where(matches.c.due_at <= now, of.hold(matches.c.guild_id))
        if kinds:
            query = query.where(matches.c.due_kind.in_(kinds))
        if after is not None and after.due is not None:
            query = query.where(tuple_(matches.c.due_at, matches.c.match_id) > (after.due.at, after.match_id))
        ordered = query.order_by(matches.c.due_at, matches.c.match_id).limit(limit)
        return [to_head(row) for row in await connection.execute(ordered)]

    @reads
    async def heads_ahead(self, connection: AsyncConnection, than: int, limit: int, *, after: int = 0) -> list[Head]:
        """Matches that wait for something and were last written to later than this moment, by number, from the one
        after `after`.
        """
        later = select(matches).where(
            matches.c.due_at.is_not(None), matches.c.updated_at > than, matches.c.match_id > after
        )
        return [to_head(row) for row in await connection.execute(later.order_by(matches.c.match_id).limit(limit))]

    @reads
    async def numbers(self, connection: AsyncConnection, limit: int, *, after: int = 0) -> list[int]:
        """The numbers of all matches, in order, from the one after `after`."""
        query = select(matches.c.match_id).where(matches.c.match_id > after).order_by(matches.c.match_id).limit(limit)
        return list((await connection.execute(query)).scalars())

    @reads
    async def channels_moved_to(self, connection: AsyncConnection, match_id: int) -> list[int]:
        """The channels that a match moved to, in order."""
        query = (
            select(events.c.body).where(events.c.match_id == match_id, events.c.kind == "moved").order_by(events.c.seq)
        )
        found = []
        for body in (await connection.execute(query)).scalars():
            with suppress(msgspec.MsgspecError):
                found.append(int(to_mapping(body)["channel"]))
        return found

    @reads
    async def seats(self, connection: AsyncConnection, match_id: int) -> tuple[SeatRow, ...]:
        """The chairs of a match, in order."""
        return tuple(
            SeatRow(seat=row.seat, user_id=row.user_id, computer=row.computer, joined_at=row.joined_at)
            for row in await connection.execute(_SEATS, {"match": match_id})
        )

    @reads
    async def sitting_at(self, connection: AsyncConnection, match_ids: Collection[int]) -> dict[int, list[int]]:
        """Who sits at these tables, by table and in order."""
        query = select(seats).where(seats.c.match_id.in_(match_ids), seats.c.user_id.is_not(None))
        found: dict[int, list[int]] = {match_id: [] for match_id in match_ids}
        for row in await connection.execute(query.order_by(seats.c.match_id, seats.c.seat)):
            found[row.match_id].append(row.user_id)
        return found

    @reads
    async def log(self, connection: AsyncConnection, match_id: int, upto: int | None = None) -> tuple[Entry, ...]:
        """Everything that happened up to this seq, in order. Raises LogDamaged."""
        return await heads.log(connection, match_id, upto)

    async def events(self, match_id: int, after: int = 0, upto: int | None = None) -> list[Event]:
        """The match's own events with `after` < seq <= `upto`, in order: its record is made of them."""
        entries = (await self.log(match_id, upto))[after:]
        return [entry.event for entry in entries if isinstance(entry.event, MATCH)]

    @reads
    async def moderations(self, connection: AsyncConnection, match_id: int) -> tuple[Moderation, ...]:
        """Every time a moderator stepped in at a match, oldest first."""
        people = await participants.people_of(connection, match_id)
        rows = await connection.execute(_RULINGS, {"match": match_id})
        return tuple(_of(row, match_id, people) for row in rows)

    @reads
    async def moderation(self, connection: AsyncConnection, match_id: int, seq: int) -> Moderation | None:
        """How a moderator stepped in at a match with this event; None where it tells of no such thing."""
        row = (await connection.execute(_RULINGS.where(events.c.seq == seq), {"match": match_id})).first()
        with suppress(LogDamaged):
            return None if row is None else _of(row, match_id, await participants.people_of(connection, match_id))
        return None

    @reads
    async def ticking(self, connection: AsyncConnection, *, of: Iterable[Shard] = UNDIVIDED) -> list[int]:
        """The numbers of the matches on the servers of any of these shards that wait for somebody until a certain
        time, the most urgent first.
        """
        here = [Shards(shard.count, frozenset({shard.number})).hold(matches.c.guild_id) for shard in of]
        query = select(matches.c.match_id).where(
            matches.c.due_at.is_not(None), matches.c.due_kind != "computer", matches.c.state == "open", or_(*here)
        )
        return list(await connection.scalars(query.order_by(matches.c.due_at, matches.c.match_id)))

    async def _write(
        self,
        work: Work[T],
        *,
        request: int | None = None,
        channel_id: int | None = None,
        match_id: int | None = None,
    ) -> T:
        try:
            return await self.transactions.write(work)
        except IntegrityError:
            # A unique key stopped it: another process did the same at the same moment, or the channel is taken.
            await self._explain(request, channel_id, match_id)
            raise

    async def _explain(self, request: int | None, channel_id: int | None, match_id: int | None) -> None:
        """Raise Repeated or ChannelBusy when that is why a write was refused."""
        if request is not None and (known := await self.seen_request(request)) is not None:
            raise Repeated(*known) from None
        if channel_id is None and match_id is not None and (head := await self.head(match_id)) is not None:
            channel_id = head.channel_id
        if channel_id is None:
            return
        for other in await self.heads_in_channel(channel_id):
            if other.match_id != match_id:
                raise ChannelBusy(other.match_id) from None
