"""Premoves in crash tests: which placements were premoves, and which premoves are stuck."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.tables.move_labels import encode_placement
from data.store.connection.schema import to_mapping
from engine.board.board import Placement
from engine.match.events import Event, Placed
from tests.crash.stored_rows import StoredRows


@dataclass
class PremoveRequest:
    match_id: int
    user: int
    seq: int
    move: str
    is_awaited: bool = True
    """Whether their turn has started since, so that the premove ran or was rejected without notice."""


def find_premove_numbers(
    stored: StoredRows, match_id: int, log: Sequence[tuple[int, Event]], requests: Sequence[PremoveRequest]
) -> set[int]:
    """Return the numbers of the premove events: each is the first of its turn and was requested once."""
    remaining = [one for one in requests if one.match_id == match_id]
    rows, seats, numbers = stored.events[match_id], stored.seats[match_id], set()
    for number, event in log:
        if not isinstance(event, Placed) or rows[number - 2]["kind"] != "turnbegan":
            continue
        move = encode_placement(Placement(event.tile, event.cell, event.rotation))
        user = seats[event.seat]
        one = next((one for one in remaining if (one.user, one.move) == (user, move) and one.seq < number), None)
        if one is not None:
            remaining.remove(one)
            numbers.add(number)
    return numbers


def iterate_stuck_premoves(stored: StoredRows) -> Iterator[str]:
    """Return premoves that still wait although the turn of their owner has started. There must never be any."""
    for row in stored.premoves:
        match = stored.matches[row["match_id"]]
        is_waiting = to_mapping(row["body"]).get("became") is None
        is_settled = (
            match["state"] == "open" and match["due_kind"] != "settle" and match["match_id"] not in stored.quarantined
        )
        if is_waiting and is_settled and match["turn_user"] == row["user_id"]:
            yield f"match {row['match_id']}: the premove of {row['user_id']} waits in their own turn"
