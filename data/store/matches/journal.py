"""Write matches: one transaction per command. The compare-and-set of the head is the concurrency design."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import bindparam, delete, insert, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import ReturningUpdate

from data.store.connection.hooks import load_hooks
from data.store.connection.schema import to_row, to_text
from data.store.connection.store_errors import RepeatedRequest, StaleVersion, UnknownMatch
from data.store.connection.tables import aside, events, matches, requests, seats
from data.store.guilds.store import check_limits, lock_guild
from data.store.log import codec, deal_seats, heads, stored_premoves
from data.store.log.match_values import UNCHANGED, Change, Head, NewMatch, Unchanged, get_version
from data.store.outbox import alert_posts, delivery, outbox
from data.store.outbox.outbox_values import REMOVE
from data.store.results import player_standings
from data.store.users.store import load_people
from engine.table.table_events import LogEvent
from engine.table.table_posts import TURN
from engine.table.table_state import Due, SeatRow, Turn

# Run with every move: making a statement costs as much as running it.
_EVENTS: Final = insert(events)
_REQUESTS: Final = insert(requests)


async def create(connection: AsyncConnection, new: NewMatch, now: int, request: int | None) -> Head:
    """Open a table. Raises RepeatedRequest, TooManyMatches; IntegrityError if the channel has a running match."""
    _check_events(new.events)
    await _refuse_repeated(connection, request)
    if new.limits is not None or new.deal_id is not None:
        await lock_guild(connection, new.guild_id, now)
    if new.limits is not None:
        await check_limits(connection, new.guild_id, new.limits)
    columns = {"seq": len(new.events), "shown_seq": 0, "created_at": now, "updated_at": now}
    columns |= _build_turn_columns(new.turn) | _build_due_columns(new.due)
    added = insert(matches).values(to_row(matches, new, **columns)).returning(matches)
    head = heads.to_head((await connection.execute(added)).one())
    await _append(connection, head.match_id, 0, new.events, now)
    await _insert_seats(connection, head.match_id, new.seats)
    if new.extra_write is not None:
        await new.extra_write(connection, head.match_id, now)
    await _note_request(connection, request, head, now)
    await outbox.queue(connection, head, [*new.outbox, *await alert_posts.build_posts(connection, head, now)], now)
    if new.deal_id is not None:
        await deal_seats.add_table(connection, head, new.deal_id, now)
        if new.state != "lobby":
            sitting = [row.user_id for row in new.seats if row.user_id is not None]
            await deal_seats.record_players(connection, head, sitting)
    return head


async def commit(connection: AsyncConnection, change: Change, now: int) -> Head:
    """Apply a change. Raises RepeatedRequest, StaleVersion, UnknownMatch, TooManyMatches; then nothing is written."""
    _check_events(change.events)
    if change.result is not None and change.state not in ("done", "void"):
        raise ValueError("a result ends its match: the state must be done, or void where somebody left it")
    before = await heads.find_head(connection, change.match_id)
    if before is None:
        raise UnknownMatch(change.match_id)
    if change.limits is not None or change.deal_user_ids:
        await lock_guild(connection, before.guild_id, now)
    columns = {"seq": change.expected_seq + len(change.events), "updated_at": now, **_build_changed_columns(change)}
    given = {f"new_{name}": value for name, value in columns.items()}
    private = before.private if change.decided_on is None else change.decided_on.private
    expected = {"match": change.match_id, "expected": change.expected_seq, "known": private}
    row = None
    if await _is_unchanged(connection, change, before):
        row = (await connection.execute(_build_head_update(tuple(columns)), {**given, **expected})).first()
    if row is None:
        # The match has changed, maybe by this same request.
        await _refuse_repeated(connection, change.request)
        current = await heads.find_head(connection, change.match_id)
        raise StaleVersion(current.seq if current else before.seq)
    head = heads.to_head(row)
    await _append(connection, head.match_id, change.expected_seq, change.events, now)
    # A repeated request fails here by its key, before other checks.
    await _note_request(connection, change.request, head, now)
    if before.state == "void":
        # Only a readable log leads here.
        await connection.execute(delete(aside).where(aside.c.match_id == head.match_id))
    if change.channel_id is not None:
        await delivery.reopen_channel(connection, head.match_id)
        for message_id in (before.turn_message_id, before.board_message_id):
            if message_id is not None:
                await delivery.queue_cleanup(connection, before.match_id, REMOVE, message_id, now, before.channel_id)
    if change.limits is not None:
        await check_limits(connection, head.guild_id, change.limits)
    if change.seats is not None:
        await connection.execute(delete(seats).where(seats.c.match_id == head.match_id))
        await _insert_seats(connection, head.match_id, change.seats)
    if change.state not in ("done", "void"):
        await stored_premoves.save_premoves(connection, head.match_id, change.premoves)
    elif head.private:
        await stored_premoves.delete_premoves(connection, head.match_id)
    await heads.unlink(connection, head.match_id, change.unlinked_user_ids)
    recalled = TURN in change.withdrawn_kinds or any(post.kind == TURN for post in change.outbox)
    if recalled or head.turn != before.turn or head.state != "open":
        await outbox.end_turn(connection, head.match_id, now)
        if head.turn_message_id is not None:
            await delivery.set_turn_message(connection, head.match_id, None, now)
            head = replace(head, turn_message_id=None)
    await outbox.withdraw(connection, head.match_id, change.withdrawn_kinds, now)
    await outbox.queue(connection, head, change.outbox, now)
    if change.is_of_deal:
        if before.state == "lobby" and head.state in ("open", "done"):
            await deal_seats.check_start(connection, head, now)
        if change.deal_user_ids:
            await deal_seats.record_players(connection, head, change.deal_user_ids)
        if head.state == "done":
            await deal_seats.record_finish(connection, head, now)
    if change.result is not None:
        await player_standings.record_result(connection, head.match_id, head.guild_id, head.game, change.result, now)
    if change.state in ("done", "void"):
        for end_match in load_hooks().match_enders:
            await end_match(connection, head.match_id)
    return head


async def _is_unchanged(connection: AsyncConnection, change: Change, now: Head) -> bool:
    """Return whether the match and the settings of its users are as they were when the change was decided."""
    if change.decided_on is not None and get_version(change.decided_on) != get_version(now):
        return False
    return change.people is None or change.people == await load_people(connection, now.match_id, change.people)


async def append_event(connection: AsyncConnection, match_id: int, event: LogEvent, now: int) -> None:
    """Add an event to a match whatever its state; changes that were decided before become stale (StaleVersion)."""
    increment = update(matches).where(matches.c.match_id == match_id).values(seq=matches.c.seq + 1)
    seq = (await connection.execute(increment.returning(matches.c.seq))).scalar_one()
    await _append(connection, match_id, seq - 1, [event], now)


@lru_cache(maxsize=64)
def _build_head_update(columns: tuple[str, ...]) -> ReturningUpdate[Any]:
    """Cached, because making the statement costs as much as running it."""
    return (
        update(matches)
        .where(
            matches.c.match_id == bindparam("match"),
            matches.c.seq == bindparam("expected"),
            # Otherwise an unknown premove would be left behind.
            matches.c.private == bindparam("known"),
        )
        .values({name: bindparam(f"new_{name}") for name in columns})
        .returning(matches)
    )


def _check_events(given: Sequence[object]) -> None:
    if not given:
        raise ValueError("a change needs at least one event: the head moves with the log")


async def _refuse_repeated(connection: AsyncConnection, request: int | None) -> None:
    previous = None if request is None else await heads.find_request(connection, request)
    if previous is not None:
        raise RepeatedRequest(*previous)


def _build_changed_columns(change: Change) -> dict[str, Any]:
    over = change.state in ("done", "void")
    turn: Turn | Unchanged | None = None if over else change.turn
    due: Due | Unchanged | None = None if over else change.due
    columns: dict[str, Any] = {}
    if change.state is not None:
        columns["state"] = change.state
    if turn is not UNCHANGED:
        columns |= _build_turn_columns(turn)
    if due is not UNCHANGED:
        columns |= _build_due_columns(due)
    if change.host_id is not None:
        columns["host_id"] = change.host_id
    if change.game is not None:
        columns["game"] = change.game
    if change.channel_id is not None:
        # The board is posted again.
        columns |= {"channel_id": change.channel_id, "shown_seq": 0, "board_message_id": None, "turn_message_id": None}
    return columns


def _build_turn_columns(turn: Turn | None) -> dict[str, Any]:
    return {"turn_seat": turn.seat if turn else None, "turn_user": turn.user if turn else None}


def _build_due_columns(due: Due | None) -> dict[str, Any]:
    return {"due_at": due.at if due else None, "due_kind": due.kind if due else None}


async def _append(connection: AsyncConnection, match_id: int, after: int, added: Sequence[LogEvent], now: int) -> None:
    rows = [
        {"match_id": match_id, "seq": seq, "kind": codec.get_kind(event), "body": to_text(event), "at": now}
        for seq, event in enumerate(await heads.with_numbers(connection, match_id, added), after + 1)
    ]
    await connection.execute(_EVENTS, rows)


async def _insert_seats(connection: AsyncConnection, match_id: int, seat_rows: Sequence[SeatRow]) -> None:
    if rows := [to_row(seats, row, match_id=match_id) for row in seat_rows]:
        await connection.execute(insert(seats), rows)


async def _note_request(connection: AsyncConnection, request: int | None, head: Head, now: int) -> None:
    if request is not None:
        noted = {"interaction_id": request, "match_id": head.match_id, "seq": head.seq, "at": now}
        await connection.execute(_REQUESTS, noted)
