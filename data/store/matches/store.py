"""Matches: write, find and read them."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from sqlalchemy import Row, Select, bindparam, case, or_, select, text, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import BODY_ERRORS, register_body
from data.store.connection.repository import Repository, build_read_method, read_transaction, write_transaction
from data.store.connection.schema import bypass_index, to_mapping, to_value
from data.store.connection.shards import UNSHARDED, Shard, Shards
from data.store.connection.store_errors import ChannelBusy, DamagedLog, RepeatedRequest, StaleVersion, UnknownMatch
from data.store.connection.tables import RULINGS, events, matches, seats
from data.store.connection.transactions import Work
from data.store.log import heads, stored_premoves
from data.store.log.codec import to_event
from data.store.log.heads import to_head
from data.store.log.match_values import Change, Head, LoadedMatch, MatchContext, Moderation, NewMatch
from data.store.matches import journal
from data.store.results import player_standings
from data.store.results.tables import results
from data.store.users.store import load_people, save_preferences
from engine.match.events import Event
from engine.table.evolve import MATCH_EVENTS
from engine.table.preferences import Person, Pings, Preferences
from engine.table.table_events import RULING_EVENTS, Skipped
from engine.table.table_state import RUNNING, Premove, SeatRow, State

T = TypeVar("T")
_SEATS: Final = select(seats).where(seats.c.match_id == bindparam("match")).order_by(seats.c.seat)


_RULINGS: Final[Select[Any]] = (
    select(events.c.seq, events.c.kind, events.c.body, events.c.at)
    .where(events.c.match_id == bindparam("match"), text(RULINGS))
    .order_by(events.c.seq)
)


def _to_moderation(row: Row[Any], match_id: int, people: dict[int, int | None]) -> Moderation:
    event = heads.decode_event(row, match_id, people)
    assert isinstance(event, RULING_EVENTS)
    seat = event.seat if isinstance(event, Skipped) else None
    return to_value(Moderation, row, match_id=match_id, reason=event.reason, seat=seat, user_id=event.by)


async def _load_context(
    connection: AsyncConnection, head: Head, others: Collection[int], *, repeated: bool
) -> MatchContext:
    people = await load_people(connection, head.match_id, others)
    premoves = await stored_premoves.load_premoves(connection, head)
    return MatchContext(head=head, people=people, premoves=premoves, is_repeated=repeated)


register_body(
    events.c.body,
    lambda row: to_event(row.kind, row.body, match_id=row.match_id, seq=row.seq),
    in_guild=matches.c.state.in_(RUNNING),  # the others are checked when they are read
)


class MatchStore(Repository):
    find_request = build_read_method(heads.find_request)
    find_head = build_read_method(heads.find_head)
    load_log = build_read_method(heads.load_log)
    list_heads_in_channel = build_read_method(heads.list_in_channel)
    list_lobbies_with_user = build_read_method(heads.list_lobbies_with_user)
    list_heads = build_read_method(heads.list_heads)

    async def create(self, new: NewMatch, *, now: int, request: int | None = None) -> Head:
        """Open a table. Raises RepeatedRequest for a known interaction, ChannelBusy, TooManyMatches."""
        return await self._write(
            lambda connection: journal.create(connection, new, now, request), request=request, channel_id=new.channel_id
        )

    async def commit(self, change: Change, *, now: int) -> Head:
        """Apply a change and return the new head.

        Raises RepeatedRequest (checked first), StaleVersion, UnknownMatch, ChannelBusy, TooManyMatches; then nothing
        is written.
        """
        return await self._write(
            lambda connection: journal.commit(connection, change, now),
            request=change.request,
            channel_id=change.channel_id,
            match_id=change.match_id,
        )

    @write_transaction
    async def commit_each(self, connection: AsyncConnection, changes: Sequence[Change], *, now: int) -> list[Head]:
        """Apply changes in one transaction and return the new heads; skip stale changes and deleted matches."""
        done = []
        # In order, to prevent deadlocks.
        for change in sorted(changes, key=lambda change: change.match_id):
            try:
                done.append(await journal.commit(connection, change, now))
            except (StaleVersion, UnknownMatch):
                continue
        return done

    @write_transaction
    async def save_preferences(
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

        Raises StaleVersion if the preferences differ from `before`, and the errors of `commit`; then nothing is
        written.
        """
        await save_preferences(connection, before, preferences, pings, now)
        if preferences.listed != before.preferences.listed:
            await player_standings.set_hidden(connection, before.user_id, not preferences.listed)
        # In order, to prevent deadlocks.
        ordered = sorted(changes, key=lambda change: change.match_id)
        return [await journal.commit(connection, change, now) for change in ordered]

    @write_transaction
    async def save_premove(
        self, connection: AsyncConnection, decided_on: Head, user_id: int, premove: Premove | None
    ) -> Head:
        """Store a premove; None deletes it. Raises StaleVersion."""
        is_same = (matches.c.match_id == decided_on.match_id, matches.c.seq == decided_on.seq)
        counted = update(matches).where(*is_same, matches.c.state == "open").values(private=matches.c.private + 1)
        row = (await connection.execute(counted.returning(matches))).first()
        if row is None:
            raise StaleVersion(decided_on.seq)
        await stored_premoves.save_premoves(connection, decided_on.match_id, {user_id: premove})
        return to_head(row)

    @read_transaction
    async def load(self, connection: AsyncConnection, match_id: int) -> LoadedMatch | None:
        found = await heads.find_head(connection, match_id)
        return None if found is None else LoadedMatch(head=found, log=await heads.load_log(connection, match_id))

    @read_transaction
    async def find_context(
        self, connection: AsyncConnection, match_id: int, request: int | None, others: Collection[int] = ()
    ) -> MatchContext | None:
        """Return what an interaction needs to know of a match, with the settings of its users and `others`."""
        known = None if request is None else await heads.find_request(connection, request)
        found = await heads.find_head(connection, match_id)
        if found is None:
            return None
        return await _load_context(connection, found, others, repeated=known is not None)

    @read_transaction
    async def find_channel_context(self, connection: AsyncConnection, channel_id: int) -> MatchContext | None:
        """Return the same for the newest running match of a channel; None if there is none."""
        found = await heads.find_running(connection, channel_id)
        return None if found is None else await _load_context(connection, found, (), repeated=False)

    @read_transaction
    async def list_heads_of_user(
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
                *heads.NEWEST_FIRST,
            )
        )
        return [to_head(row) for row in await connection.execute(query)]

    @read_transaction
    async def list_ended_of_user(
        self, connection: AsyncConnection, user_id: int, guild_id: int, limit: int
    ) -> list[Head]:
        in_guild = (bypass_index(matches.c.guild_id) == guild_id, matches.c.state == "done")
        found: dict[int, Head] = {}
        for table, order in ((results, results.c.ended_at), (seats, matches.c.match_id)):
            of_user = select(matches).join(table, table.c.match_id == matches.c.match_id)
            query = of_user.where(table.c.user_id == user_id, *in_guild).order_by(order.desc()).limit(limit)
            found |= {row.match_id: to_head(row) for row in await connection.execute(query)}
        return sorted(found.values(), key=lambda one: (one.updated_at, one.match_id), reverse=True)[:limit]

    @read_transaction
    async def list_lobbies(self, connection: AsyncConnection, guild_id: int, limit: int) -> list[Head]:
        query = select(matches).where(matches.c.guild_id == guild_id, matches.c.state == "lobby")
        return [to_head(row) for row in await connection.execute(query.order_by(*heads.NEWEST_FIRST).limit(limit))]

    @read_transaction
    async def list_outdated_heads(
        self, connection: AsyncConnection, limit: int, *, after: int = 0, of: Shards = UNSHARDED
    ) -> list[Head]:
        """By number, after `after`."""
        in_scope = of.build_guild_condition(matches.c.guild_id)
        behind = select(matches).where(matches.c.shown_seq < matches.c.seq, matches.c.match_id > after, in_scope)
        return [to_head(row) for row in await connection.execute(behind.order_by(matches.c.match_id).limit(limit))]

    @read_transaction
    async def list_due_heads(
        self,
        connection: AsyncConnection,
        now: int,
        limit: int,
        *,
        after: Head | None = None,
        of: Shards = UNSHARDED,
        kinds: Collection[str] = (),
    ) -> list[Head]:
        """Return due matches, longest overdue first, after the head `after`; only of these `kinds`, if any."""
        query = select(matches).where(matches.c.due_at <= now, of.build_guild_condition(matches.c.guild_id))
        if kinds:
            query = query.where(matches.c.due_kind.in_(kinds))
        if after is not None and after.due is not None:
            query = query.where(tuple_(matches.c.due_at, matches.c.match_id) > (after.due.at, after.match_id))
        ordered = query.order_by(matches.c.due_at, matches.c.match_id).limit(limit)
        return [to_head(row) for row in await connection.execute(ordered)]

    @read_transaction
    async def list_future_heads(
        self, connection: AsyncConnection, than: int, limit: int, *, after: int = 0
    ) -> list[Head]:
        """Return waiting matches that were written later than the time `than`, by number, after `after`."""
        is_later = (matches.c.due_at.is_not(None), matches.c.updated_at > than, matches.c.match_id > after)
        query = select(matches).where(*is_later).order_by(matches.c.match_id).limit(limit)
        return [to_head(row) for row in await connection.execute(query)]

    @read_transaction
    async def list_match_ids(self, connection: AsyncConnection, limit: int, *, after: int = 0) -> list[int]:
        """In order, after `after`."""
        query = select(matches.c.match_id).where(matches.c.match_id > after).order_by(matches.c.match_id).limit(limit)
        return list(await connection.scalars(query))

    @read_transaction
    async def list_later_channels(self, connection: AsyncConnection, match_id: int) -> list[int]:
        moves = select(events.c.body).where(events.c.match_id == match_id, events.c.kind == "moved")
        found = []
        for body in await connection.scalars(moves.order_by(events.c.seq)):
            with suppress(*BODY_ERRORS):
                found.append(int(to_mapping(body)["channel"]))
        return found

    @read_transaction
    async def list_seats(self, connection: AsyncConnection, match_id: int) -> tuple[SeatRow, ...]:
        rows = await connection.execute(_SEATS, {"match": match_id})
        return tuple(to_value(SeatRow, row, contribution="") for row in rows)

    @read_transaction
    async def load_seated_users(self, connection: AsyncConnection, match_ids: Collection[int]) -> dict[int, list[int]]:
        query = select(seats).where(seats.c.match_id.in_(match_ids), seats.c.user_id.is_not(None))
        found: dict[int, list[int]] = {match_id: [] for match_id in match_ids}
        for row in await connection.execute(query.order_by(seats.c.match_id, seats.c.seat)):
            found[row.match_id].append(row.user_id)
        return found

    async def list_events(self, match_id: int, after: int = 0, upto: int | None = None) -> list[Event]:
        """Return the match's own events with `after` < seq <= `upto`, which make its record."""
        entries = (await self.load_log(match_id, upto))[after:]
        return [entry.event for entry in entries if isinstance(entry.event, MATCH_EVENTS)]

    @read_transaction
    async def list_moderations(self, connection: AsyncConnection, match_id: int) -> tuple[Moderation, ...]:
        people = await heads.load_user_ids(connection, match_id)
        rows = await connection.execute(_RULINGS, {"match": match_id})
        return tuple(_to_moderation(row, match_id, people) for row in rows)

    @read_transaction
    async def find_moderation(self, connection: AsyncConnection, match_id: int, seq: int) -> Moderation | None:
        """Return the action of a moderator with this seq; None if the event is another one."""
        row = (await connection.execute(_RULINGS.where(events.c.seq == seq), {"match": match_id})).first()
        with suppress(DamagedLog):
            if row is not None:
                return _to_moderation(row, match_id, await heads.load_user_ids(connection, match_id))
        return None

    @read_transaction
    async def list_timed_matches(self, connection: AsyncConnection, *, of: Iterable[Shard] = UNSHARDED) -> list[int]:
        """Return the matches of these shards that have a deadline for a player, the most urgent first."""
        in_scope = [
            Shards(shard.count, frozenset({shard.number})).build_guild_condition(matches.c.guild_id) for shard in of
        ]
        query = select(matches.c.match_id).where(
            matches.c.due_at.is_not(None), matches.c.due_kind != "computer", matches.c.state == "open", or_(*in_scope)
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
        """Raise RepeatedRequest or ChannelBusy if that is why a write was refused."""
        if request is not None and (known := await self.find_request(request)) is not None:
            raise RepeatedRequest(*known) from None
        if channel_id is None and match_id is not None and (head := await self.find_head(match_id)) is not None:
            channel_id = head.channel_id
        if channel_id is None:
            return
        for other in await self.list_heads_in_channel(channel_id):
            if other.match_id != match_id:
                raise ChannelBusy(other.match_id) from None
