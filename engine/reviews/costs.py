"""What a choice cost: all its moves tried in the same deals, which are those that its seat could believe in then.

The best guess is found in some deals and valued beside what was made in others: the best of several uncertain numbers
looks better than it is, wherever it is looked up where it was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.players.prospects import Prospects, mean_and_error
from engine.reviews.findings import INACCURACY

FIRST_LOOK: Final = 32
"""Deals after which moves are compared for the first time; then at twice as many, and so on."""
SURE: Final = 3.0
"""A move that is so many standard errors behind the best guess is tried no more."""
NEARLY: Final = 2.0
"""What was made is good enough where so many standard errors on top of what any other brings are no inaccuracy."""
SELDOM: Final = 64
"""Not before so many deals is that said: what seldom matters may matter much."""
PRECISE: Final = 0.97
"""The standard error at which a cost is sure enough, in points: a little below the one that is promised."""
FEWEST: Final = 64
"""Deals in which something is valued, unless the effort allows no more than `LEAST`."""
LEAST: Final = 16
AT_ONCE: Final = 32
"""So many of them are looked at before it is asked how sure the cost is."""
MANY: Final = 64
"""The choices of a match of Triominoes between two."""
MOST_SHARES: Final = 8.0
"""So many times the usual effort goes into a choice at most, where a match has few."""
WON_OR_LOST: Final = 1.75
"""Where a match is a single deal, a choice is looked at in so many times the deals: each of its ends is worth 50 or
nothing, so that a mean of as many is less certain than one of points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much is tried."""

    choosing: int = 12_000
    """To find the best guess for a choice: the moves of all play-outs, at most."""
    valuing: int = 60_000
    """To value it, likewise."""
    orders: float = 1.0
    """The part of the usual orders of the boneyard in which positions are played on."""

    def times(self, factor: float) -> "Effort":
        """So much more, or less: four times as much halves the errors."""
        choosing, valuing = round(self.choosing * factor), round(self.valuing * factor)
        return Effort(choosing=choosing, valuing=valuing, orders=self.orders * factor)

    def for_choices(self, many: int, *, wins: bool) -> "Effort":
        """The effort for so many choices: the whole for `MANY`, a part for more, up to `MOST_SHARES` for fewer.

        `wins` says whether they are valued in wins.
        """
        share = min(MOST_SHARES, MANY / max(1, many))
        valuing = self.valuing * share * (WON_OR_LOST if wins else 1.0)
        return replace(self, choosing=round(self.choosing * share), valuing=round(valuing))


@dataclass(frozen=True, slots=True)
class Cost:
    """What is lost by a move beside the best guess."""

    best: Ply
    points: float
    error: float
    """The standard error of the points."""
    deals: int
    """In so many it was valued; in so many it was looked for, where the best guess is what was made."""


def cost(prospects: Prospects, made: Ply, effort: Effort) -> Cost:
    """What one of the moves of the prospects cost."""
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
    """The best guess, and how many deals were looked at for it.

    The best guess is the move that was made, where it leads or is as good as whatever does.
    """
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
