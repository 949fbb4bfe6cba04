"""What a choice cost: all its moves tried in the same deals, which are those that its seat could believe in then.

The best guess is found in some deals and valued beside what was made in others: the best of several uncertain numbers
looks better than it is, wherever it is looked up where it was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.match.player_view import Seen
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.hidden_deals import Deals
from engine.players.rollouts import Playouts
from engine.players.sampled_deals import Belief
from engine.players.tree import greediest
from engine.reviews.findings import INACCURACY
from engine.reviews.futures import counts_wins, margins, won_or_scored
from engine.reviews.luck import in_any_order

TURNS: Final = 8
"""Turns that are played on before the rest is guessed, where a guess is known (docs/review.md)."""
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
TIES: Final = 16
"""Orders of the open cells; they are taken in turns."""
SCORED: Final = 4
SQUARES: Final = 2
"""What is as slow as so many usual moves (`_slowness`)."""
TRIANGLE: Final = 3
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


class Prospects:
    """A seat's moves, played on in deals that it could believe in."""

    def __init__(self, seen: Seen, weights: Weights, rng: Rng) -> None:
        """`seen` is what the seat sees, whose turn it is."""
        one = Simulation.seen(seen)
        leaf, own = weights.playing_on(len(one.active))
        self._belief: Final = Belief(seen, weights.doubts) if seen.rules.has_boneyard else None
        self._deals: Final = None if self._belief else Deals(seen, one)
        self._playouts: Final = None if leaf is None else Playouts(one, leaf, TURNS, own)
        self._wins: Final = counts_wins(seen.rules, weights)
        self._choices: Final = one.tableau.table.hand(seen.choices)
        self._rng: Final = rng
        self.one: Final = one
        self.seat: Final = one.turn
        lies, played, demand, masks, history = one.tableau.kept()
        cells = [*masks.items()]
        self._laid: Final = [(lies, played, demand, dict(in_any_order(cells, rng)), history) for _ in range(TIES)]
        """The table with its open cells in any order: of equal moves a play-out makes the first."""
        self._deal = 0
        self.deal()
        self.moves: Final = sorted(one.moves())
        """What the seat may do; the same in every deal."""
        tiles = sum(map(int.bit_count, one.hands))
        plies = tiles if leaf is None else min(TURNS, tiles)
        # With care a seat takes about half as long again.
        plies += plies // 2 if leaf is not None and own is not None else 0
        self.length: Final = plies * _slowness(seen.rules, guesses=leaf is not None)
        """About how many moves a play-out takes, or what takes as long."""

    def deal(self) -> None:
        """Imagine another deal, and that of equal moves others are made."""
        self._deal += 1
        self.one.tableau.put_back(self._laid[self._deal % TIES])
        if self._belief is not None:
            self.one.deal(*self._belief.world(self._rng), self._choices)
        elif self._deals is not None:
            self._deals.deal(self.one, self._rng)

    def worth(self, move: Ply) -> float:
        """By how much the seat comes out ahead in this deal, as far as it is played on."""
        one, hands, boneyard, choices = self.one, self.one.hands.copy(), self.one.boneyard.copy(), self.one.choices
        one.play(move)
        if self._playouts is not None:
            self._playouts.play_on(self.seat)
            found = self._playouts.ahead(self.seat)
        else:
            while not one.over:
                moves = one.moves()
                one.play(moves[0] if len(moves) == 1 else greediest(one, moves, self._rng))
            found = margins(won_or_scored(one.totals, one.places, wins=self._wins))[self.seat]
        one.start_over(self._laid[self._deal % TIES])
        one.deal(hands, boneyard, choices)
        return found


def _slowness(rules: Rules, *, guesses: bool) -> int:
    """How many times as long as usual a move of a play-out takes, so that all games take about as long as one another:
    where the points of all placements are looked up for it, and where squares fit at many places.
    """
    if guesses:
        return SQUARES if rules.plane.sides > TRIANGLE else 1
    return SCORED if rules.scores_tiles else 1


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


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of these values, and its standard error."""
    mean = sum(values) / len(values)
    spread = sum([(one - mean) ** 2 for one in values]) / max(1, len(values) - 1)
    return mean, sqrt(spread / len(values))
