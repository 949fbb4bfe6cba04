"""Reading matches: their heads, seats and logs, and what the board messages show of them."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, Final, cast

import msgspec
from sqlalchemy import Row, Select, bindparam, case, delete, select, tuple_, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.schema import unindexed
from data.store.connection.shards import Shards
from data.store.connection.store_errors import LogDamaged, UnknownMatch
from data.store.log import archive, codec
from data.store.log.match_values import Head, Loaded
from data.store.log.tables import events, matches, requests, seats
from data.store.outbox import chores, outbox
from data.store.outbox.outbox_values import REMOVE, SHRINK
from data.store.results.tables import results
from data.store.users import participants
from engine.table.evolve import Entry
from engine.table.table_state import RUNNING, Due, SeatRow, State, Turn

# Asked several times a move: making a statement costs as much as running it.
_HEAD: Final = select(matches).where(matches.c.match_id == bindparam("match"))
_RUNNING_IN: Final = (
    select(matches)
    .where(matches.c.channel_id == bindparam("channel"), matches.c.state.in_(RUNNING))
    .order_by(matches.c.match_id.desc())
    .limit(1)
)
_REQUEST: Final = select(requests.c.match_id, requests.c.seq).where(requests.c.interaction_id == bindparam("request"))
_BOARD_SHOWN: Final = (
    update(matches)
    .where(
        matches.c.match_id == bindparam("match"),
        matches.c.board_message_id.is_not_distinct_from(bindparam("before")),
        matches.c.shown_seq <= bindparam("now_seq"),
        matches.c.channel_id == bindparam("channel"),
    )
    .values(shown_seq=bindparam("now_seq"), board_message_id=bindparam("message"))
)
_TURN_MESSAGE: Final = (
    select(matches.c.turn_message_id).where(matches.c.match_id == bindparam("match")).with_for_update()
)
_TURN_SHOWN: Final = (
    update(matches).where(matches.c.match_id == bindparam("match")).values(turn_message_id=bindparam("message"))
)
_LOG: Final[Select[Any]] = select(events.c.seq, events.c.kind, events.c.body, events.c.at).where(
    events.c.match_id == bindparam("match")
)
_NEWEST: Final = (matches.c.created_at.desc(), matches.c.match_id.desc())
"""Not by number alone: a server may hand numbers out in blocks, to one process these and to the next those after them.
"""
_SEATS: Final = select(seats).where(seats.c.match_id == bindparam("match")).order_by(seats.c.seat)


def to_head(row: Row[Any]) -> Head:
    """A row of `matches` as a value."""
    return Head(
        match_id=row.match_id,
        game=row.game,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        host_id=row.host_id,
        state=cast(State, row.state),
        seq=row.seq,
        shown_seq=row.shown_seq,
        board_message_id=row.board_message_id,
        turn_message_id=row.turn_message_id,
        turn=None if row.turn_seat is None else Turn(seat=row.turn_seat, user=row.turn_user),
        due=None if row.due_at is None else Due(at=row.due_at, kind=row.due_kind),
        secret=bytes(row.secret),
        created_at=row.created_at,
        updated_at=row.updated_at,
        private=row.private,
    )


async def head(connection: AsyncConnection, match_id: int) -> Head | None:
    """One match."""
    row = (await connection.execute(_HEAD, {"match": match_id})).first()
    return None if row is None else to_head(row)


async def running_in(connection: AsyncConnection, channel_id: int) -> Head | None:
    """The newest match that runs in a channel."""
    row = (await connection.execute(_RUNNING_IN, {"channel": channel_id})).first()
    return None if row is None else to_head(row)


async def in_channel(
    connection: AsyncConnection, channel_id: int, states: Sequence[State], limit: int | None
) -> list[Head]:
    """The matches whose board is in this channel, newest first: the first `limit` of them, or all."""
    query = select(matches).where(matches.c.channel_id == channel_id, matches.c.state.in_(states))
    return [to_head(row) for row in await connection.execute(query.order_by(*_NEWEST).limit(limit))]


async def lobbies(connection: AsyncConnection, guild_id: int, limit: int) -> list[Head]:
    """The tables of a server that wait for people, newest first, `limit` at most."""
    query = select(matches).where(matches.c.guild_id == guild_id, matches.c.state == "lobby")
    return [to_head(row) for row in await connection.execute(query.order_by(*_NEWEST).limit(limit))]


async def of_user(connection: AsyncConnection, user_id: int, states: Sequence[State]) -> list[Head]:
    """The matches somebody sits in: those that wait for them first, then by the time left."""
    query = (
        select(matches)
        .join(seats, seats.c.match_id == matches.c.match_id)
        .where(seats.c.user_id == user_id, matches.c.state.in_(states))
        .order_by(
            case((matches.c.turn_user == user_id, 0), else_=1),
            matches.c.due_at.is_(None),
            matches.c.due_at,
            *_NEWEST,
        )
    )
    return [to_head(row) for row in await connection.execute(query)]


async def ended_of_user(connection: AsyncConnection, user_id: int, guild_id: int, limit: int) -> list[Head]:
    """The matches of a server that somebody has a result of, or sat in at their end: newest first, `limit` at most."""
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
    found = {row.match_id: to_head(row) for query in (by_result, by_seat) for row in await connection.execute(query)}
    return sorted(found.values(), key=lambda one: (one.updated_at, one.match_id), reverse=True)[:limit]


async def dirty(connection: AsyncConnection, limit: int, after: int, of: Shards) -> list[Head]:
    """Matches of these shards above number `after` whose board message is behind, oldest first."""
    here = of.hold(matches.c.guild_id)
    behind = select(matches).where(matches.c.shown_seq < matches.c.seq, matches.c.match_id > after, here)
    return [to_head(row) for row in await connection.execute(behind.order_by(matches.c.match_id).limit(limit))]


async def numbers(connection: AsyncConnection, limit: int, after: int) -> list[int]:
    """The numbers of all matches above `after`, in order, `limit` at most."""
    query = select(matches.c.match_id).where(matches.c.match_id > after).order_by(matches.c.match_id).limit(limit)
    return list((await connection.execute(query)).scalars())


async def overdue(
    connection: AsyncConnection, now: int, limit: int, after: Head | None, of: Shards, kinds: Collection[str]
) -> list[Head]:
    """Matches of these shards on which the clock must act, longest overdue first; those behind `after`, which was due
    as well. With `kinds`, only where it does one of these.
    """
    query = select(matches).where(matches.c.due_at <= now, of.hold(matches.c.guild_id))
    if kinds:
        query = query.where(matches.c.due_kind.in_(kinds))
    if after is not None and after.due is not None:
        query = query.where(tuple_(matches.c.due_at, matches.c.match_id) > (after.due.at, after.match_id))
    ordered = query.order_by(matches.c.due_at, matches.c.match_id).limit(limit)
    return [to_head(row) for row in await connection.execute(ordered)]


async def ahead(connection: AsyncConnection, than: int, limit: int, after: int) -> list[Head]:
    """Matches above number `after` on which the clock will act, and that were written to later than this moment."""
    later = select(matches).where(
        matches.c.due_at.is_not(None), matches.c.updated_at > than, matches.c.match_id > after
    )
    return [to_head(row) for row in await connection.execute(later.order_by(matches.c.match_id).limit(limit))]


async def seats_of(connection: AsyncConnection, match_id: int) -> tuple[SeatRow, ...]:
    """The chairs of a match, in order."""
    return tuple(
        SeatRow(seat=row.seat, user_id=row.user_id, computer=row.computer, joined_at=row.joined_at)
        for row in await connection.execute(_SEATS, {"match": match_id})
    )


async def sitting_at(connection: AsyncConnection, match_ids: Collection[int]) -> dict[int, list[int]]:
    """Who sits at these tables, by table and in order."""
    query = select(seats).where(seats.c.match_id.in_(match_ids), seats.c.user_id.is_not(None))
    found: dict[int, list[int]] = {match_id: [] for match_id in match_ids}
    for row in await connection.execute(query.order_by(seats.c.match_id, seats.c.seat)):
        found[row.match_id].append(row.user_id)
    return found


async def log(connection: AsyncConnection, match_id: int, upto: int | None) -> tuple[Entry, ...]:
    """Everything up to this seq, in order. Raises LogDamaged."""
    query = _LOG if upto is None else _LOG.where(events.c.seq <= upto)
    people = await participants.people_of(connection, match_id)
    try:
        rows = (await connection.execute(query.order_by(events.c.seq), {"match": match_id})).all()
    except OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
        # SQLite keeps bytes that are no text, and quotes them: what stands there is not repeated.
        raise LogDamaged(match_id, 0, "it is no text") from None
    # A log that begins elsewhere was packed.
    lines = rows if rows and rows[0].seq == 1 else await archive.with_archived(connection, match_id, rows, upto)
    return tuple(Entry(participants.event_of(line, match_id, people), line.at) for line in lines)


async def channels_moved_to(connection: AsyncConnection, match_id: int) -> list[int]:
    """The channels that a match moved to, in order; lines that cannot be read tell of none."""
    query = select(events.c.body).where(events.c.match_id == match_id, events.c.kind == "moved").order_by(events.c.seq)
    found = []
    for body in (await connection.execute(query)).scalars():
        with suppress(msgspec.MsgspecError):
            found.append(int(codec.to_mapping(body)["channel"]))
    return found


async def load(connection: AsyncConnection, match_id: int) -> Loaded | None:
    """Head and log of one match, of the same instant."""
    found = await head(connection, match_id)
    return None if found is None else Loaded(head=found, log=await log(connection, match_id, None))


async def request(connection: AsyncConnection, interaction_id: int) -> tuple[int, int] | None:
    """The match and seq that an interaction led to, None when it is new."""
    row = (await connection.execute(_REQUEST, {"request": interaction_id})).first()
    return None if row is None else (row.match_id, row.seq)


async def note_shown(connection: AsyncConnection, match_id: int, seq: int, message_id: int | None) -> bool:
    """The board message now shows `seq`. False, and nothing changes, when a newer one is shown already.

    A message of None says that there is nowhere to show it, so that nobody tries again before the next act.
    """
    done = await connection.execute(
        update(matches)
        .where(matches.c.match_id == match_id, matches.c.shown_seq <= seq, matches.c.seq >= seq)
        .values(shown_seq=seq, board_message_id=message_id)
    )
    return done.rowcount == 1


async def board_shown(connection: AsyncConnection, head: Head, message_id: int, now: int) -> bool:
    """The board that this head has, or the one that takes its place, shows its seq. False when the match has another
    board by now, or none. The message that was replaced is to be shrunk.
    """
    before = head.board_message_id
    given = {"match": head.match_id, "before": before, "now_seq": head.seq, "channel": head.channel_id}
    done = await connection.execute(_BOARD_SHOWN, {**given, "message": message_id})
    if done.rowcount == 1 and before is not None and before != message_id:
        await chores.retire(connection, head.match_id, SHRINK, before, now)
    return done.rowcount == 1


async def give_up(connection: AsyncConnection, match_id: int) -> None:
    """Nothing of a match will be said any more."""
    mine = matches.c.match_id == match_id
    await connection.execute(
        update(matches).where(mine).values(shown_seq=matches.c.seq, board_message_id=None, turn_message_id=None)
    )
    await outbox.drop_all(connection, match_id)


async def board_lost(connection: AsyncConnection, match_id: int, message_id: int) -> bool:
    """The board message was deleted: the match has none and is dirty. False when it has another one by now."""
    done = await connection.execute(
        update(matches)
        .where(matches.c.match_id == match_id, matches.c.board_message_id == message_id)
        .values(shown_seq=0, board_message_id=None)
    )
    return done.rowcount == 1


async def turn_shown(connection: AsyncConnection, match_id: int, message_id: int | None, now: int) -> int | None:
    """The turn message from now on; returns the one before it, which is to be removed."""
    before = (await connection.execute(_TURN_MESSAGE, {"match": match_id})).first()
    if before is None:
        raise UnknownMatch(match_id)
    await connection.execute(_TURN_SHOWN, {"match": match_id, "message": message_id})
    old = before.turn_message_id
    if old is None or old == message_id:
        return None
    await chores.retire(connection, match_id, REMOVE, old, now)
    return int(old)


async def moved(connection: AsyncConnection, match_id: int, channel_id: int) -> None:
    """The board lives in another channel from now on, where it has no message yet."""
    done = await connection.execute(
        update(matches)
        .where(matches.c.match_id == match_id)
        .values(channel_id=channel_id, shown_seq=0, board_message_id=None, turn_message_id=None)
    )
    if done.rowcount != 1:
        raise UnknownMatch(match_id)
    await chores.reopen_channel(connection, match_id)


async def forget_requests(connection: AsyncConnection, before: int, limit: int) -> int:
    """Forget interactions from before this time, the oldest `limit` at most; returns how many went."""
    # Discord's ids grow with time, so the oldest come first in the table's own order.
    oldest = (
        select(requests.c.interaction_id, requests.c.at).order_by(requests.c.interaction_id).limit(limit).subquery()
    )
    gone = select(oldest.c.interaction_id).where(oldest.c.at < before)
    return (await connection.execute(delete(requests).where(requests.c.interaction_id.in_(gone)))).rowcount
