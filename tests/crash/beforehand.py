"""Premoves in the storm: which of the tiles that lie there were decided on beforehand, and which wait for ever."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.tables.move_labels import token
from data.store.connection.schema import to_mapping
from engine.board.board import Placement
from engine.match.events import Event, Placed
from tests.crash.books import Books


@dataclass
class Ahead:
    match_id: int
    user: int
    seq: int
    move: str
    awaited: bool = True  # Whether they have seen their turn come since, and let it play, or were told nothing of it


def decided_ahead(found: Books, match_id: int, log: Sequence[tuple[int, Event]], asked: Sequence[Ahead]) -> set[int]:
    """The numbers of the events that are premoves: first of a turn, and asked for once for each."""
    left = [one for one in asked if one.match_id == match_id]
    rows, seats, numbers = found.events[match_id], found.seats[match_id], set()
    for number, event in log:
        if not isinstance(event, Placed) or rows[number - 2]["kind"] != "turnbegan":
            continue
        move = token(Placement(event.tile, event.cell, event.rotation))
        user = seats[event.seat]
        one = next((one for one in left if (one.user, one.move) == (user, move) and one.seq < number), None)
        if one is not None:
            left.remove(one)
            numbers.add(number)
    return numbers


def forgotten(found: Books) -> Iterator[str]:
    """Premoves that wait though it is their owner's turn: it began without them. True at every moment."""
    for row in found.premoves:
        match = found.matches[row["match_id"]]
        waits = to_mapping(row["body"]).get("became") is None
        settled = (
            match["state"] == "open" and match["due_kind"] != "settle" and match["match_id"] not in found.quarantined
        )
        if waits and settled and match["turn_user"] == row["user_id"]:
            yield f"match {row['match_id']}: the premove of {row['user_id']} waits in their own turn"
