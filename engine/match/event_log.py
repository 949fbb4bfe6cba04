"""A match and the tale of it: every public event with what a sentence about it needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.board.lattice import Cell, Lattice
from engine.board.tiles import Tile
from engine.match.events import Chose, Drew, Event, Passed, Placed, Resigned, RoundEnded, Started, Undone
from engine.match.player_view import redacted
from engine.match.state import Match, evolve, last_placement, replace, replay


class Beside(NamedTuple):
    """A tile that another one lies beside."""

    tile: Tile
    side: int | None
    """Across which side of the other's cell; None where the two meet in a point only, in a corner play."""
    point: tuple[tuple[str, int], tuple[str, int]] | None = None
    """In a corner play: the corner of the other's cell, and of its own, each with the kind of the cell."""


def neighbours(lattice: Lattice, lying: Mapping[Cell, Tile], cell: Cell, *, corner: bool = False) -> tuple[Beside, ...]:
    """The tiles that share a side with a cell, by its sides; in a corner play, the last of those that lie there."""
    if corner and lying:
        last, tile = list(lying.items())[-1]
        mine, other = lattice.shape(cell).corners, lattice.shape(last).corners
        own = next(number for number, site in enumerate(mine) if site in other)
        return (Beside(tile, None, ((cell.kind, own), (last.kind, other.index(mine[own])))),)
    across = enumerate(lattice.shape(cell).across)
    return tuple(Beside(lying[near], side) for side, near in across if near in lying)


@dataclass(frozen=True, slots=True)
class Told:
    """A public event with what its sentence needs beside it."""

    event: Event
    round: int
    totals: tuple[int, ...]
    """By seat, after it."""
    opening: bool
    """Whether the event placed the first tile of a round."""
    tile: Tile | None = None
    """The tile that was taken back."""
    beside: tuple[Beside, ...] = ()
    """The cells beside the tile that was placed, as far as they are shown (`EventLog.lately`, `EventLog.located`)."""


@dataclass(slots=True)
class EventLog:
    """A match with everything that has been told of it. A cached story is never changed: copy it first."""

    match: Match
    told: list[Told] = field(default_factory=list)

    def copy(self) -> "EventLog":
        """The same story, to carry on."""
        return EventLog(self.match.copy(), self.told.copy())

    def tell(self, event: Event) -> bool:
        """Let an event happen and keep what is to be said about it. False where that is nothing."""
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
        # Of these only a draw tells something that is hidden.
        public = redacted(event, None) if isinstance(event, Drew) else event
        self.told.append(Told(public, self.match.round, totals, opening, tile))
        return True

    @property
    def everybody_played(self) -> bool:
        """Whether everybody has had a turn: from then on a match is not ended by one person alone."""
        had = {told.event.seat for told in self.told if isinstance(told.event, Placed | Passed)}
        return had >= set(self.match.active)

    @property
    def plays(self) -> int:
        """How many times somebody has placed a tile or passed; what was taken back does not count."""
        made: list[tuple[int, bool]] = []
        for told in self.told:
            match told.event:
                case Placed() | Passed():
                    made.append((told.event.seat, isinstance(told.event, Placed)))
                case Undone(seat):
                    # What came after the tile went back with it.
                    while made and made.pop() != (seat, True):
                        pass
                case _:
                    pass
        return len(made)

    @property
    def newest(self) -> Told | None:
        """The newest of what `lately` tells, without what its tile lies beside."""
        return next((told for told in reversed(self.told) if not isinstance(told.event, Drew)), None)

    def lately(self) -> list[Told]:
        """What happened in the last circle of turns, oldest first: everybody finds what came since their own turn."""
        turns, found = max(2, len(self.match.active)), 0
        whose: int | None = None
        lines: list[Told] = []
        for told in reversed(self.told):
            if isinstance(told.event, Drew):
                continue
            # A turn may be several events: a tile, a choice, further tiles.
            seat = getattr(told.event, "seat", None)
            if seat is None or seat != whose:
                whose, found = seat, found + 1
            if found > turns:
                break
            lines.append(told)
        # Of an earlier round that is not told: nobody sees it.
        beside = self._beside(self.match.round, lines)
        return [replace(told, beside=beside.get(id(told), ())) for told in lines[::-1]]

    def located(self, told: Told) -> Told:
        """One of what has been told, with what its tile came to lie beside, whichever round it was in."""
        return replace(told, beside=self._beside(told.round, (told,)).get(id(told), ()))

    def _beside(self, number: int, asked: Iterable[Told]) -> dict[int, tuple[Beside, ...]]:
        """What the tiles of a round that are asked for came to lie beside, by the identity of what is told of them."""
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
                    # What came after the tile went back with it.
                    while lying and lying.popitem()[1] != told.tile:
                        pass
                case _:
                    pass
        return beside


def begun(event: Started) -> EventLog:
    """The story that begins with this event."""
    return EventLog(replay([event]))


def event_log_of(events: Sequence[Event]) -> EventLog:
    """The story in a match's own events, the first of which is Started."""
    first, *others = events
    assert isinstance(first, Started)
    event_log = begun(first)
    for event in others:
        event_log.tell(event)
    return event_log
