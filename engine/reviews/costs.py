"""The cost of a choice: all moves are tried in the same sampled deals, which agree with what the seat knew.

The best guess is found in some deals and valued in others, because the best of several uncertain numbers looks better
than it is in the deals where it was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.players.prospects import MoveEvaluator, compute_mean_and_error
from engine.reviews.findings import INACCURACY

FIRST_COMPARISON: Final = 32  # deals before moves are first compared; then at twice as many, and so on
MAX_ERRORS_BEHIND: Final = 3.0  # a move is dropped when it is this many standard errors behind the best guess
AS_GOOD_ERRORS: Final = 2.0
"""The played move is good enough if the best other one plus so many standard errors is no inaccuracy."""
MIN_DEALS_AS_GOOD: Final = 64  # fewest deals for that, because rare effects may be large
SUFFICIENT_ERROR: Final = 0.97  # sufficient standard error of a cost in points; a little below the promised one
MIN_DEALS: Final = 64  # fewest deals per valuation, unless the effort allows only `MIN_EFFORT_DEALS`
MIN_EFFORT_DEALS: Final = 16
DEALS_PER_CHECK: Final = 32  # deals between two checks of the precision
USUAL_CHOICES: Final = 64  # choices of a match of Triominoes with two seats
MAX_SHARES: Final = 8.0  # largest multiple of the usual effort per choice, in matches with few choices
SINGLE_DEAL_FACTOR: Final = 1.75
"""Factor of deals for single-deal matches: results are 50 or 0, so their mean is less certain than one of points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    search_moves: int = 12_000  # moves of all rollouts to find the best guess, at most
    valuation_moves: int = 60_000  # the same for valuing it
    orders: float = 1.0  # fraction of the usual boneyard orders in which positions are played on

    def scale(self, factor: float) -> "Effort":
        """Return a multiple of the effort; four times as much halves the errors."""
        choosing, valuing = round(self.search_moves * factor), round(self.valuation_moves * factor)
        return Effort(search_moves=choosing, valuation_moves=valuing, orders=self.orders * factor)

    def share_between_choices(self, choices: int, *, wins: bool) -> "Effort":
        """Return the effort per choice of a match with so many, up to `MAX_SHARES`; `wins` if valued in wins."""
        share = min(MAX_SHARES, USUAL_CHOICES / max(1, choices))
        valuing = self.valuation_moves * share * (SINGLE_DEAL_FACTOR if wins else 1.0)
        return replace(self, search_moves=round(self.search_moves * share), valuation_moves=round(valuing))


@dataclass(frozen=True, slots=True)
class Cost:
    """The loss by a move compared with the best guess."""

    best: Ply
    points: float
    error: float  # standard error of the points
    deals: int  # number of valued deals; or of searched ones, if the best guess was played


def compute_cost(prospects: MoveEvaluator, played: Ply, effort: Effort) -> Cost:
    """Return the cost of a move of the prospects."""
    best, deals = _choose_best(prospects, played, effort)
    if best == played:
        return Cost(played, 0.0, 0.0, deals)
    most = max(MIN_EFFORT_DEALS, effort.valuation_moves // (2 * prospects.rollout_cost))
    valued, total, squares = 0, 0.0, 0.0
    while True:
        for _ in range(min(DEALS_PER_CHECK, most - valued)):
            prospects.deal()
            difference = prospects.evaluate(best) - prospects.evaluate(played)
            valued, total, squares = valued + 1, total + difference, squares + difference * difference
        mean = total / valued
        error = sqrt(max(0.0, squares - total * mean) / (valued - 1) / valued)
        if valued == most or (valued >= MIN_DEALS and error <= SUFFICIENT_ERROR):
            return Cost(best, mean, error, valued)


def _choose_best(prospects: MoveEvaluator, played: Ply, effort: Effort) -> tuple[Ply, int]:
    """Return the best guess and the number of deals searched; the played move counts if it is as good."""
    values_by_move: dict[Ply, list[float]] = {move: [] for move in prospects.moves}
    own, left, next_comparison, deals, best = values_by_move[played], effort.search_moves, FIRST_COMPARISON, 0, played
    while len(values_by_move) > 1:
        prospects.deal()
        for move, values in values_by_move.items():
            values.append(prospects.evaluate(move))
        deals += 1
        left -= len(values_by_move) * prospects.rollout_cost
        if deals < next_comparison and left > 0:
            continue
        next_comparison *= 2
        best = max(values_by_move, key=lambda move: sum(values_by_move[move]))
        if deals >= MIN_DEALS_AS_GOOD and played in values_by_move:
            others = [worths for move, worths in values_by_move.items() if move != played]
            if all(_is_as_good(own, worths) for worths in (others if best == played else [values_by_move[best]])):
                return played, deals
        if left <= 0:
            break
        values_by_move = {
            move: worths
            for move, worths in values_by_move.items()
            if move == best or not _is_behind(worths, values_by_move[best])
        }
    return best, deals


def _is_behind(values: Sequence[float], best: Sequence[float]) -> bool:
    mean, error = compute_mean_and_error([more - less for more, less in zip(best, values, strict=True)])
    return mean > MAX_ERRORS_BEHIND * error


def _is_as_good(values: Sequence[float], best: Sequence[float]) -> bool:
    mean, error = compute_mean_and_error([more - less for more, less in zip(best, values, strict=True)])
    return mean + AS_GOOD_ERRORS * error < INACCURACY
