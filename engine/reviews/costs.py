"""The cost of a choice: all moves are tried in the same sampled deals, which agree with what the seat knew.

The best guess is found in some deals and valued in others, because the best of several uncertain numbers looks better
than it is in the deals where it was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.players.prospects import Prospects, mean_and_error
from engine.reviews.findings import INACCURACY

FIRST_LOOK: Final = 32  # deals before moves are first compared; then at twice as many, and so on
SURE: Final = 3.0  # a move is dropped when it is this many standard errors behind the best guess
NEARLY: Final = 2.0
"""The played move is good enough if the best other one plus so many standard errors is no inaccuracy."""
SELDOM: Final = 64  # fewest deals for that, because rare effects may be large
PRECISE: Final = 0.97  # sufficient standard error of a cost in points; a little below the promised one
FEWEST: Final = 64  # fewest deals per valuation, unless the effort allows only `LEAST`
LEAST: Final = 16
AT_ONCE: Final = 32  # deals between two checks of the precision
MANY: Final = 64  # choices of a match of Triominoes with two seats
MOST_SHARES: Final = 8.0  # largest multiple of the usual effort per choice, in matches with few choices
WON_OR_LOST: Final = 1.75
"""Factor of deals for single-deal matches: results are 50 or 0, so their mean is less certain than one of points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """The budget of a review."""

    choosing: int = 12_000  # moves of all rollouts to find the best guess, at most
    valuing: int = 60_000  # the same for valuing it
    orders: float = 1.0  # fraction of the usual boneyard orders in which positions are played on

    def times(self, factor: float) -> "Effort":
        """Return a multiple of the effort; four times as much halves the errors."""
        choosing, valuing = round(self.choosing * factor), round(self.valuing * factor)
        return Effort(choosing=choosing, valuing=valuing, orders=self.orders * factor)

    def for_choices(self, many: int, *, wins: bool) -> "Effort":
        """Return the effort per choice of a match with so many, up to `MOST_SHARES`; `wins` if valued in wins."""
        share = min(MOST_SHARES, MANY / max(1, many))
        valuing = self.valuing * share * (WON_OR_LOST if wins else 1.0)
        return replace(self, choosing=round(self.choosing * share), valuing=round(valuing))


@dataclass(frozen=True, slots=True)
class Cost:
    """The loss by a move compared with the best guess."""

    best: Ply
    points: float
    error: float  # standard error of the points
    deals: int  # number of valued deals; or of searched ones, if the best guess was played


def cost(prospects: Prospects, made: Ply, effort: Effort) -> Cost:
    """Return the cost of a move of the prospects."""
    best, deals = _best(prospects, made, effort)
    if best == made:
        return Cost(made, 0.0, 0.0, deals)
    most = max(LEAST, effort.valuing // (2 * prospects.length))
    valued, total, squares = 0, 0.0, 0.0
    while True:
        for _ in range(min(AT_ONCE, most - valued)):
            prospects.deal()
            apart = prospects.worth(best) - prospects.worth(made)
            valued, total, squares = valued + 1, total + apart, squares + apart * apart
        mean = total / valued
        error = sqrt(max(0.0, squares - total * mean) / (valued - 1) / valued)
        if valued == most or (valued >= FEWEST and error <= PRECISE):
            return Cost(best, mean, error, valued)


def _best(prospects: Prospects, made: Ply, effort: Effort) -> tuple[Ply, int]:
    """Return the best guess and the number of deals searched; the played move counts if it is as good."""
    tried: dict[Ply, list[float]] = {move: [] for move in prospects.moves}
    own, left, look, deals, best = tried[made], effort.choosing, FIRST_LOOK, 0, made
    while len(tried) > 1:
        prospects.deal()
        for move, worths in tried.items():
            worths.append(prospects.worth(move))
        deals += 1
        left -= len(tried) * prospects.length
        if deals < look and left > 0:
            continue
        look *= 2
        best = max(tried, key=lambda move: sum(tried[move]))
        if deals >= SELDOM and made in tried:
            others = [worths for move, worths in tried.items() if move != made]
            if all(_as_good(own, worths) for worths in (others if best == made else [tried[best]])):
                return made, deals
        if left <= 0:
            break
        tried = {move: worths for move, worths in tried.items() if move == best or not _behind(worths, tried[best])}
    return best, deals


def _behind(worths: Sequence[float], best: Sequence[float]) -> bool:
    mean, error = mean_and_error([more - less for more, less in zip(best, worths, strict=True)])
    return mean > SURE * error


def _as_good(worths: Sequence[float], best: Sequence[float]) -> bool:
    mean, error = mean_and_error([more - less for more, less in zip(best, worths, strict=True)])
    return mean + NEARLY * error < INACCURACY
