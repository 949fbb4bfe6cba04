"""How the tables of one deal compare: by seat, how many points more somebody made than the field did there."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

PAIR = 2
"""The tables, and the seats of each, of a comparison of two teams."""


@dataclass(frozen=True, slots=True)
class SeatLine:
    """What one seat of one table came to."""

    match_id: int
    seat: int
    user_id: int | None
    """None for a computer, or for somebody who was forgotten."""
    computer: str | None
    total: int


@dataclass(frozen=True, slots=True)
class LinePlaced:
    """A line, with the field beside it."""

    line: SeatLine
    ahead: float
    """Points more than the mean of all who sat on that seat, this one among them."""
    place: int
    """From 1; equals share one."""


@dataclass(frozen=True, slots=True)
class Field:
    """All of them, best first."""

    placed: tuple[LinePlaced, ...]
    means: tuple[float, ...]
    """By seat, over all tables that count."""
    tables: int
    """How many count."""
    spoilt: int
    """How many do not: somebody left there, or what was played cannot be read."""
    running: int
    """How many are being played, or were when the deal was opened."""

    @property
    def teams(self) -> tuple[tuple[SeatLine, SeatLine], tuple[SeatLine, SeatLine]] | None:
        """The two teams of two tables of two: the first seat of each table plays with the second of the other one."""
        if self.tables != PAIR or len(self.means) != PAIR:
            return None
        at = sorted((one.line for one in self.placed), key=lambda line: (line.match_id, line.seat))
        return (at[0], at[3]), (at[2], at[1])


def compared(lines: Sequence[SeatLine], *, spoilt: int = 0, running: int = 0) -> Field:
    """Compare tables that have the same seats. The differences of a seat add up to nothing."""
    seats = 1 + max((line.seat for line in lines), default=-1)
    means = tuple(fmean(line.total for line in lines if line.seat == seat) for seat in range(seats))
    ahead = {line: line.total - means[line.seat] for line in lines}
    order = sorted(lines, key=lambda line: (-ahead[line], line.match_id, line.seat))
    placed = tuple(LinePlaced(one, ahead[one], 1 + sum(ahead[other] > ahead[one] for other in lines)) for one in order)
    return Field(placed, means, len({line.match_id for line in lines}), spoilt, running)
