"""Matches: write, find and read them."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Row, Select, bindparam, case, or_, select, text, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, reading, reads, writes
from data.store.connection.rows import to_value
from data.store.connection.schema import to_mapping, unindexed
from data.store.connection.shards import UNDIVIDED, Shard, Shards
from data.store.connection.store_errors import ChannelBusy, LogDamaged, Repeated, Stale, UnknownMatch
from data.store.connection.tables import RULINGS, events, matches, seats
from data.store.connection.transactions import Work
from data.store.log import heads, stored_premoves
from data.store.log import heads as participants
from data.store.log.heads import to_head
from data.store.log.match_values import Change, Head, Known, Loaded, Moderation, NewMatch
from data.store.matches import journal
from data.store.outbox import delivery
from data.store.results import player_standings
from data.store.results.tables import results
from data.store.users.store import people_at, prefer
from engine.match.events import Event
from engine.table.evolve import MATCH
from engine.table.preferences import Person, Pings, Preferences
from engine.table.table_events import MODERATED, Skipped
from engine.table.table_state import RUNNING, Premove, SeatRow, State

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


async def _known(connection: AsyncConnection, head: Head, others: Collection[int], *, repeated: bool) -> Known:
    people = await people_at(connection, head.match_id, others)
    premoves = await stored_premoves.premoves_at(connection, head)
    return Known(head=head, people=people, premoves=premoves, repeated=repeated)


class MatchStore(Repository):
    seen_request = reading(heads.request)
    head = reading(heads.head)
    log = reading(heads.log)
    heads_in_channel = reading(heads.in_channel)
    lobbies_naming = reading(participants.lobbies_naming)
    heads = reading(heads.heads_of)

    async def create(self, new: NewMatch, *, now: int, request: int | None = None) -> Head:
        """Open a table. Raises Repeated for a known interaction, ChannelBusy, TooMany."""
        return await self._write(
            lambda connection: journal.create(connection, new, now, request), request=request, channel_id=new.channel_id
        )

    async def commit(self, change: Change, *, now: int) -> Head:
        """Apply a change and return the new head.

        Raises Repeated (checked first), Stale, UnknownMatch, ChannelBusy, TooMany; then nothing is written.
        """
        return await self._write(
            lambda connection: journal.commit(connection, change, now),
            request=change.request,
            channel_id=change.channel_id,
            match_id=change.match_id,
        )

    @writes
    async def commit_each(self, connection: AsyncConnection, changes: Sequence[Change], *, now: int) -> list[Head]:
        """Apply changes in one transaction and return the new heads; skip stale changes and deleted matches."""
        done = []
        # In order, to prevent deadlocks.
        for change in sorted(changes, key=lambda change: change.match_id):
            try:
                done.append(await journal.commit(connection, change, now))
            except (Stale, UnknownMatch):
                continue
        return done

    async def moved(self, match_id: int, channel_id: int) -> None:
        """Move the board to another channel, where it must be posted. Raises ChannelBusy, UnknownMatch."""
        changed = {"channel_id": channel_id, "shown_seq": 0, "board_message_id": None, "turn_message_id": None}

        async def work(connection: AsyncConnection) -> None:
            done = await connection.execute(update(matches).where(matches.c.match_id == match_id).values(changed))
            if done.rowcount != 1:
                raise UnknownMatch(match_id)
            await delivery.reopen_channel(connection, match_id)

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
        """Store preferences, and `pings` unless None, and apply the changes that follow; return the new heads.

        Raises Stale if the preferences differ from `before`, and the errors of `commit`; then nothing is written.
        """
        await prefer(connection, before, preferences, pings, now)
        if preferences.listed != before.preferences.listed:
            await player_standings.hide(connection, before.user_id, not preferences.listed)
        # In order, to prevent deadlocks.
        ordered = sorted(changes, key=lambda change: change.match_id)
        return [await journal.commit(connection, change, now) for change in ordered]

    @writes
    async def arm(self, connection: AsyncConnection, decided_on: Head, user_id: int, premove: Premove | None) -> Head:
        """Store a premove; None deletes it. Raises Stale."""
        mine = update(matches).where(
            matches.c.match_id == decided_on.match_id, matches.c.seq == decided_on.seq, matches.c.state == "open"
        )
        row = (await connection.execute(mine.values(private=matches.c.private + 1).returning(matches))).first()
        if row is None:
            raise Stale(decided_on.seq)
        await stored_premoves.keep_premoves(connection, decided_on.match_id, {user_id: premove})
        return to_head(row)

    @reads
    async def load(self, connection: AsyncConnection, match_id: int) -> Loaded | None:
        found = await heads.head(connection, match_id)
        return None if found is None else Loaded(head=found, log=await heads.log(connection, match_id))

    @reads
    async def asked(
        self, connection: AsyncConnection, match_id: int, request: int | None, others: Collection[int] = ()
    ) -> Known | None:
        """Return what an interaction needs to know of a match, with the settings of its users and `others`."""
        known = None if request is None else await heads.request(connection, request)
        found = await heads.head(connection, match_id)
        if found is None:
            return None
        return await _known(connection, found, others, repeated=known is not None)

    @reads
    async def asked_in(self, connection: AsyncConnection, channel_id: int) -> Known | None:
        """Return the same for the newest running match of a channel; None if there is none."""
        found = await heads.running_in(connection, channel_id)
        return None if found is None else await _known(connection, found, (), repeated=False)

    @reads
    async def heads_of_user(
        self, connection: AsyncConnection, user_id: int, states: Sequence[State] = RUNNING
    ) -> list[Head]:
        """Return a user's matches: first matches that wait for them, then by the time left."""
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
    async def lobbies(self, connection: AsyncConnection, guild_id: int, limit: int) -> list[Head]:
        query = select(matches).where(matches.c.guild_id == guild_id, matches.c.state == "lobby")
        return [to_head(row) for row in await connection.execute(query.order_by(*heads.NEWEST).limit(limit))]

    @reads
    async def heads_dirty(
        self, connection: AsyncConnection, limit: int, *, after: int = 0, of: Shards = UNDIVIDED
    ) -> list[Head]:
        """By number, after `after`."""
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
        """Return due matches, longest overdue first, after the head `after`; only of these `kinds`, if any."""
        query = select(matches).where(matches.c.due_at <= now, of.hold(matches.c.guild_id))
        if kinds:
            query = query.where(matches.c.due_kind.in_(kinds))
        if after is not None and after.due is not None:
            query = query.where(tuple_(matches.c.due_at, matches.c.match_id) > (after.due.at, after.match_id))
        ordered = query.order_by(matches.c.due_at, matches.c.match_id).limit(limit)
        return [to_head(row) for row in await connection.execute(ordered)]

    @reads
    async def heads_ahead(self, connection: AsyncConnection, than: int, limit: int, *, after: int = 0) -> list[Head]:
        """Return waiting matches that were written later than the time `than`, by number, after `after`."""
        later = select(matches).where(
            matches.c.due_at.is_not(None), matches.c.updated_at > than, matches.c.match_id > after
        )
        return [to_head(row) for row in await connection.execute(later.order_by(matches.c.match_id).limit(limit))]

    @reads
    async def numbers(self, connection: AsyncConnection, limit: int, *, after: int = 0) -> list[int]:
        """In order, after `after`."""
        query = select(matches.c.match_id).where(matches.c.match_id > after).order_by(matches.c.match_id).limit(limit)
        return list((await connection.execute(query)).scalars())

    @reads
    async def channels_moved_to(self, connection: AsyncConnection, match_id: int) -> list[int]:
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
        rows = await connection.execute(_SEATS, {"match": match_id})
        return tuple(to_value(SeatRow, row, contribution="") for row in rows)

    @reads
    async def sitting_at(self, connection: AsyncConnection, match_ids: Collection[int]) -> dict[int, list[int]]:
        query = select(seats).where(seats.c.match_id.in_(match_ids), seats.c.user_id.is_not(None))
        found: dict[int, list[int]] = {match_id: [] for match_id in match_ids}
        for row in await connection.execute(query.order_by(seats.c.match_id, seats.c.seat)):
            found[row.match_id].append(row.user_id)
        return found

    async def events(self, match_id: int, after: int = 0, upto: int | None = None) -> list[Event]:
        """Return the match's own events with `after` < seq <= `upto`, which make its record."""
        entries = (await self.log(match_id, upto))[after:]
        return [entry.event for entry in entries if isinstance(entry.event, MATCH)]

    @reads
    async def moderations(self, connection: AsyncConnection, match_id: int) -> tuple[Moderation, ...]:
        people = await participants.people_of(connection, match_id)
        rows = await connection.execute(_RULINGS, {"match": match_id})
        return tuple(_of(row, match_id, people) for row in rows)

    @reads
    async def moderation(self, connection: AsyncConnection, match_id: int, seq: int) -> Moderation | None:
        """Return the action of a moderator with this seq; None if the event is another one."""
        row = (await connection.execute(_RULINGS.where(events.c.seq == seq), {"match": match_id})).first()
        with suppress(LogDamaged):
            return None if row is None else _of(row, match_id, await participants.people_of(connection, match_id))
        return None

    @reads
    async def ticking(self, connection: AsyncConnection, *, of: Iterable[Shard] = UNDIVIDED) -> list[int]:
        """Return the matches of these shards that have a deadline for a player, the most urgent first."""
        here = [Shards(shard.count, frozenset({shard.number})).hold(matches.c.guild_id) for shard in of]
        query = select(matches.c.match_id).where(
            matches.c.due_at.is_not(None), matches.c.due_kind != "computer", matches.c.state == "open", or_(*here)
        )
        return list(await connection.scalars(query.order_by(matches.c.due_at, matches.c.match_id)))

    async def _write(
        self, work: Work[T], *, request: int | None = None, channel_id: int | None = None, match_id: int | None = None
    ) -> T:
        try:
            return await self.transactions.write(work)
        except IntegrityError:
            # A unique key: another process did the same, or the channel is taken.
            await self._explain(request, channel_id, match_id)
            raise

    async def _explain(self, request: int | None, channel_id: int | None, match_id: int | None) -> None:
        """Raise Repeated or ChannelBusy if that is why a write was refused."""
        if request is not None and (known := await self.seen_request(request)) is not None:
            raise Repeated(*known) from None
        if channel_id is None and match_id is not None and (head := await self.head(match_id)) is not None:
            channel_id = head.channel_id
        if channel_id is None:
            return
        for other in await self.heads_in_channel(channel_id):
            if other.match_id != match_id:
                raise ChannelBusy(other.match_id) from None
