"""A match and its public events, each with the facts that its description needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.board.lattice import Cell, Lattice
from engine.board.tiles import Tile
from engine.match.events import Chose, Drew, Event, Passed, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.player_view import redacted
from engine.match.state import Match, evolve, last_placement, replace, replay


class Beside(NamedTuple):
    """A neighbouring tile."""

    tile: Tile
    side: int | None  # side of the placed tile's cell; None if the two meet only in a point (corner play)
    point: tuple[tuple[str, int], tuple[str, int]] | None = None
    """In a corner play: the corner of the placed tile's cell and of the other cell, each with the kind of the cell."""


def neighbours(lattice: Lattice, lying: Mapping[Cell, Tile], cell: Cell, *, corner: bool = False) -> tuple[Beside, ...]:
    """Return the tiles that share a side with a cell, by side; in a corner play, the last tile."""
    if corner and lying:
        last, tile = list(lying.items())[-1]
        mine, other = lattice.shape(cell).corners, lattice.shape(last).corners
        own = next(number for number, site in enumerate(mine) if site in other)
        return (Beside(tile, None, ((cell.kind, own), (last.kind, other.index(mine[own])))),)
    across = enumerate(lattice.shape(cell).across)
    return tuple(Beside(lying[near], side) for side, near in across if near in lying)


@dataclass(frozen=True, slots=True)
class Told:
    """A public event with the facts that its description needs."""

    event: Event
    round: int
    totals: tuple[int, ...]  # by seat, after the event
    opening: bool  # whether the event placed the first tile of a round
    tile: Tile | None = None  # the tile of an undone placement
    beside: tuple[Beside, ...] = ()
    """Neighbours of the placed tile, if they are shown (`EventLog.lately`, `EventLog.located`)."""


@dataclass(slots=True)
class EventLog:
    """A match with all public events. A cached log is never changed: copy it first."""

    match: Match
    told: list[Told] = field(default_factory=list)

    def copy(self) -> "EventLog":
        return EventLog(self.match.copy(), self.told.copy())

    def tell(self, event: Event) -> bool:
        """Apply an event and record its public facts. Return False if it has none."""
        opening, tile = False, None
        if isinstance(event, Placed):
            opening = not self.match.board.placed
        elif isinstance(event, Undone):
            moment = last_placement(self.match.behind, event.seat)
            tile = moment.tile if moment else None
        evolve(self.match, event)
        if not isinstance(event, Placed | Chose | Passed | Resigned | Undone | RoundEnded | Drew):
            return False
        totals = tuple(seat.total for seat in self.match.seats)
        # Only a draw contains a hidden tile.
        public = redacted(event, None) if isinstance(event, Drew) else event
        self.told.append(Told(public, self.match.round, totals, opening, tile))
        return True

    @property
    def everybody_played(self) -> bool:
        """Whether every active seat has had a turn: from then on a single player cannot end the match."""
        had = {told.event.seat for told in self.told if isinstance(told.event, Placed | Passed)}
        return had >= set(self.match.active)

    @property
    def plays(self) -> int:
        """The number of placements and passes, without undone ones."""
        made: list[tuple[int, bool]] = []
        for told in self.told:
            match told.event:
                case Placed() | Passed():
                    made.append((told.event.seat, isinstance(told.event, Placed)))
                case Undone(seat):
                    # Placements after the undone tile were undone with it.
                    while made and made.pop() != (seat, True):
                        pass
                case _:
                    pass
        return len(made)

    @property
    def newest(self) -> Told | None:
        """The newest event of `lately`, without neighbours."""
        return next((told for told in reversed(self.told) if not isinstance(told.event, Drew)), None)

    def lately(self) -> list[Told]:
        """Return the events of the last circle of turns, oldest first: at least those since each player's own turn."""
        turns, found = max(2, len(self.match.active)), 0
        whose: int | None = None
        lines: list[Told] = []
        for told in reversed(self.told):
            if isinstance(told.event, Drew):
                continue
            # A turn may have several events: a tile, a choice, further tiles.
            seat = getattr(told.event, "seat", None)
            if seat is None or seat != whose:
                whose, found = seat, found + 1
            if found > turns:
                break
            lines.append(told)
        # Neighbours are shown for the running round only.
        beside = self._beside(self.match.round, lines)
        return [replace(told, beside=beside.get(id(told), ())) for told in lines[::-1]]

    def located(self, told: Told) -> Told:
        """Return the event with the neighbours of its tile, in any round."""
        return replace(told, beside=self._beside(told.round, (told,)).get(id(told), ()))

    def _beside(self, number: int, asked: Iterable[Told]) -> dict[int, tuple[Beside, ...]]:
        wanted = {id(told) for told in asked}
        lying: dict[Cell, Tile] = {}
        beside: dict[int, tuple[Beside, ...]] = {}
        for told in self.told:
            match told.event:
                case Placed(_, tile, cell) if told.round == number:
                    if id(told) in wanted:
                        corner = told.event.corner
                        beside[id(told)] = neighbours(self.match.rules.plane, lying, cell, corner=corner)
                    lying[cell] = tile
                case Undone():
                    # Placements after the undone tile were undone with it.
                    while lying and lying.popitem()[1] != told.tile:
                        pass
                case _:
                    pass
        return beside


def begun(event: Started) -> EventLog:
    return EventLog(replay([event]))


def event_log_of(events: Sequence[Event]) -> EventLog:
    """Rebuild the log from the events of a match, the first of which is Started."""
    first, *others = events
    assert isinstance(first, Started)
    event_log = begun(first)
    for event in others:
        event_log.tell(event)
    return event_log
