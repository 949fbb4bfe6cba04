"""A match and its public events, each with the facts that its description needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.board.lattice import Cell, Lattice
from engine.board.tiles import Tile
from engine.match.events import Chose, Drew, Event, Passed, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.player_view import redact_event
from engine.match.state import Match, apply_event, find_last_placement, replace, replay


class Neighbour(NamedTuple):
    tile: Tile
    side: int | None  # side of the placed tile's cell; None if the two meet only in a point (corner play)
    point: tuple[tuple[str, int], tuple[str, int]] | None = None
    """In a corner play: the corner of the placed tile's cell and of the other cell, each with the kind of the cell."""


def list_neighbours(
    lattice: Lattice, placed: Mapping[Cell, Tile], cell: Cell, *, corner: bool = False
) -> tuple[Neighbour, ...]:
    """Return the tiles that share a side with a cell, by side; in a corner play, the last tile."""
    if corner and placed:
        last, tile = list(placed.items())[-1]
        own_corners, other = lattice.get_shape(cell).corners, lattice.get_shape(last).corners
        own = next(number for number, site in enumerate(own_corners) if site in other)
        return (Neighbour(tile, None, ((cell.kind, own), (last.kind, other.index(own_corners[own])))),)
    across = enumerate(lattice.get_shape(cell).neighbours)
    return tuple(Neighbour(placed[near], side) for side, near in across if near in placed)


@dataclass(frozen=True, slots=True)
class PublicEvent:
    """A public event with the facts that its description needs."""

    event: Event
    round: int
    totals: tuple[int, ...]  # by seat, after the event
    opening: bool  # whether the event placed the first tile of a round
    tile: Tile | None = None  # the tile of an undone placement
    neighbours: tuple[Neighbour, ...] = ()
    """Neighbours of the placed tile, if they are shown (`EventLog.list_recent`, `EventLog.with_neighbours`)."""


@dataclass(slots=True)
class EventLog:
    """A match with all public events. A cached log is never changed: copy it first."""

    match: Match
    events: list[PublicEvent] = field(default_factory=list)

    def copy(self) -> "EventLog":
        return EventLog(self.match.copy(), self.events.copy())

    def apply(self, event: Event) -> bool:
        """Apply an event and record its public facts. Return False if it has none."""
        opening, tile = False, None
        if isinstance(event, Placed):
            opening = not self.match.board.placed
        elif isinstance(event, Undone):
            moment = find_last_placement(self.match.undo_stack, event.seat)
            tile = moment.tile if moment else None
        apply_event(self.match, event)
        if not isinstance(event, Placed | Chose | Passed | Resigned | Undone | RoundEnded | Drew):
            return False
        totals = tuple(seat.total for seat in self.match.seats)
        # Only a draw contains a hidden tile.
        public = redact_event(event, None) if isinstance(event, Drew) else event
        self.events.append(PublicEvent(public, self.match.round, totals, opening, tile))
        return True

    @property
    def has_everyone_played(self) -> bool:
        """Whether every active seat has had a turn: from then on a single player cannot end the match."""
        seats = {entry.event.seat for entry in self.events if isinstance(entry.event, Placed | Passed)}
        return seats >= set(self.match.active)

    @property
    def play_count(self) -> int:
        """The number of placements and passes, without undone ones."""
        made: list[tuple[int, bool]] = []
        for entry in self.events:
            match entry.event:
                case Placed() | Passed():
                    made.append((entry.event.seat, isinstance(entry.event, Placed)))
                case Undone(seat):
                    # Placements after the undone tile were undone with it.
                    while made and made.pop() != (seat, True):
                        pass
                case _:
                    pass
        return len(made)

    @property
    def latest_event(self) -> PublicEvent | None:
        """The newest event of `list_recent`, without neighbours."""
        return next((entry for entry in reversed(self.events) if not isinstance(entry.event, Drew)), None)

    def list_recent(self) -> list[PublicEvent]:
        """Return the events of the last circle of turns, oldest first: at least those since each player's own turn."""
        turns, found = max(2, len(self.match.active)), 0
        last_seat: int | None = None
        recent: list[PublicEvent] = []
        for entry in reversed(self.events):
            if isinstance(entry.event, Drew):
                continue
            # A turn may have several events: a tile, a choice, further tiles.
            seat = getattr(entry.event, "seat", None)
            if seat is None or seat != last_seat:
                last_seat, found = seat, found + 1
            if found > turns:
                break
            recent.append(entry)
        # Neighbours are shown for the running round only.
        beside = self._find_neighbours(self.match.round, recent)
        return [replace(told, neighbours=beside.get(id(told), ())) for told in recent[::-1]]

    def with_neighbours(self, entry: PublicEvent) -> PublicEvent:
        """Return the event with the neighbours of its tile, in any round."""
        return replace(entry, neighbours=self._find_neighbours(entry.round, (entry,)).get(id(entry), ()))

    def _find_neighbours(self, number: int, entries: Iterable[PublicEvent]) -> dict[int, tuple[Neighbour, ...]]:
        wanted = {id(entry) for entry in entries}
        placed: dict[Cell, Tile] = {}
        neighbours: dict[int, tuple[Neighbour, ...]] = {}
        for told in self.events:
            match told.event:
                case Placed(_, tile, cell) if told.round == number:
                    if id(told) in wanted:
                        corner = told.event.corner
                        neighbours[id(told)] = list_neighbours(self.match.rules.plane, placed, cell, corner=corner)
                    placed[cell] = tile
                case Undone():
                    # Placements after the undone tile were undone with it.
                    while placed and placed.popitem()[1] != told.tile:
                        pass
                case _:
                    pass
        return neighbours


def start_log(event: Started) -> EventLog:
    return EventLog(replay([event]))


def build_event_log(events: Sequence[Event]) -> EventLog:
    """Rebuild the log from the events of a match, the first of which is Started."""
    first, *others = events
    assert isinstance(first, Started)
    event_log = start_log(first)
    for event in others:
        event_log.apply(event)
    return event_log
