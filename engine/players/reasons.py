"""What can be said for a move: small facts with numbers, that anybody can check who sees what its player sees."""

from dataclasses import dataclass
from typing import assert_never

from engine.lattice import Cell
from engine.tiles import Tile, pips


@dataclass(frozen=True, slots=True)
class OnlyMove:
    """The rules allow nothing else."""


@dataclass(frozen=True, slots=True)
class GoesOut:
    """It is the last tile of the hand."""

    bonus: int
    """The fixed part of what going out earns."""


@dataclass(frozen=True, slots=True)
class ScoresMost:
    """No other move scores more, not with its bonus either: this many points, and at least so many more than the next
    best, which may be none.
    """

    points: int
    more: int


@dataclass(frozen=True, slots=True)
class Closes:
    """It closes so many hexagons."""

    hexagons: int
    bonus: int


@dataclass(frozen=True, slots=True)
class Bridges:
    """It earns the bonus of a bridge."""

    bonus: int


@dataclass(frozen=True, slots=True)
class Earns:
    """It earns points or further tiles, or both, beside its own points; no tiles where they cannot be placed."""

    points: int
    tiles: int
    both: bool


@dataclass(frozen=True, slots=True)
class GoesOn:
    """A further turn follows, in which a tile can be placed."""


@dataclass(frozen=True, slots=True)
class RarelyFits:
    """The tile fits at so many other places, and each of the others that can be placed now at more."""

    tile: Tile
    elsewhere: int


@dataclass(frozen=True, slots=True)
class Keeps:
    """Afterwards a tile of the hand earns this bonus at a place that is open now, and no tile that the viewer does not
    see fits there.
    """

    tile: Tile
    cell: Cell
    bonus: int


@dataclass(frozen=True, slots=True)
class Holder:
    """The only other seat of the match, and how many of the tiles that the viewer does not see it holds."""

    seat: int
    tiles: int


@dataclass(frozen=True, slots=True)
class LeavesFew:
    """Of the tiles that the viewer does not see so many fit anywhere afterwards, and so many do before."""

    unseen: int
    after: int
    before: int
    holder: Holder | None = None
    """Whom it leaves them; None where several hold what is not seen."""


@dataclass(frozen=True, slots=True)
class LeavesFewest:
    """Of the tiles that the viewer does not see so many fit anywhere afterwards, and after no other move fewer, nor
    where the turn is ended without one.
    """

    unseen: int
    after: int
    holder: Holder | None = None


@dataclass(frozen=True, slots=True)
class KeepsMost:
    """Of the tiles that are left in the hand so many fit anywhere afterwards, and after no other move more, nor
    where the turn is ended without one.
    """

    held: int
    fitting: int


@dataclass(frozen=True, slots=True)
class Heaviest:
    """It is the heaviest tile of the hand, by so many pips."""

    pips: int


@dataclass(frozen=True, slots=True)
class Weighs:
    """Of a bonus: its points, its further tiles, and what the best of these would score as the table stands."""

    points: int
    tiles: int
    most: int


Reason = (
    OnlyMove
    | GoesOut
    | ScoresMost
    | Closes
    | Bridges
    | Earns
    | GoesOn
    | RarelyFits
    | Keeps
    | LeavesFew
    | LeavesFewest
    | KeepsMost
    | Heaviest
    | Weighs
)


def worth(reason: Reason) -> float:
    """About how many points it is worth to whoever decides: it only says which come first."""
    match reason:
        case OnlyMove():
            return 1000
        case GoesOut(bonus):
            return 200 + bonus
        case ScoresMost(_, more):
            return 5 + more if more else 4
        case Closes(_, bonus) | Bridges(bonus):
            return 10 + bonus
        case Earns(points) | Weighs(points):
            return 10 + points
        case GoesOn():
            return 10
        case RarelyFits(tile, elsewhere):
            return pips(tile) / (1 + elsewhere)
        case Keeps(_, _, bonus):
            return bonus / 2
        case LeavesFew(unseen, after, before):
            return (20 if not after else 0) + 30 * (before - after) / unseen
        case LeavesFewest():
            return 4.5
        case KeepsMost(_, fitting):
            return 5 + fitting / 2
        case Heaviest(heavy):
            return heavy / 3
        case _:
            assert_never(reason)
