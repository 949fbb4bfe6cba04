"""Notify players who want it when the turn before theirs begins."""

from collections.abc import Sequence
from typing import Final

from engine.match.state import Match
from engine.table.evolve import DecisionContext
from engine.table.preferences import find_quiet_end, is_away
from engine.table.table_events import LogEvent, TurnBegan
from engine.table.table_posts import Post
from engine.table.table_state import TableState, Turn

NEXT_UP: Final = "next_up"  # post to the next player; obsolete when the turn before theirs is over
MIN_USERS: Final = 3  # with two players the other one is always next


def find_next_user(table: TableState, match: Match, turn: Turn) -> int | None:
    """Return the next user's seat; None if fewer than three users play, or it is a computer's turn."""
    active = set(match.active) - table.clock.standins.keys()
    people = {row.seat for row in table.seats if row.user_id is not None and row.seat in active}
    if turn.user is None or len(people) < MIN_USERS:
        return None
    seat = match.find_next_active(turn.seat)
    while seat not in people:
        seat = match.find_next_active(seat)
    return seat


def build_next_up_posts(
    events: Sequence[LogEvent], table: TableState, match: Match, turn: Turn | None, context: DecisionContext
) -> list[Post]:
    """Return the post to the next player, if they want it and are awake."""
    begins = any(isinstance(event, TurnBegan) and event.how == "next" for event in events)
    if not begins or turn is None or table.clock.time.paused:
        return []
    seat = find_next_user(table, match, turn)
    user_id = None if seat is None else table.seats[seat].user_id
    if seat is None or user_id is None or table.is_absent(seat):
        return []
    person = context.get_person(user_id)
    preferences = person.preferences
    awake = find_quiet_end(preferences, context.now) is None and not is_away(preferences, context.now)
    if not preferences.next_up or person.pings == "none" or not awake:
        return []
    return [Post(kind=NEXT_UP, body={"seat": seat, "began": table.clock.watch.began})]


def list_obsolete_next_up(before: TableState, after: TableState) -> tuple[str, ...]:
    """Return the obsolete kind of post if the turn before theirs is over or paused."""
    was, now = before.clock.watch, after.clock.watch
    over = (now.seat, now.began) != (was.seat, was.began) or after.state != "open" or after.clock.time.paused
    return (NEXT_UP,) * over
