"""The prospects of a seat's moves: each is played on in sampled deals."""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final, TypeVar

from engine.board.tableau import Ply
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.hidden_deals import Deals
from engine.players.rollouts import Playouts
from engine.players.sampled_deals import Belief
from engine.players.tree import greediest

Thing = TypeVar("Thing")
TURNS: Final = 8  # turns of a rollout before a known evaluation replaces the rest (docs/explanation/review.md)
TIES: Final = 16  # shuffles of the open cells, used in turn
SCORED: Final = 4
SQUARES: Final = 2  # relative cost of moves (see `_slowness`)
TRIANGLE: Final = 3
WIN: Final = 50.0
"""Value of winning a match of a single deal, in points ahead: with two seats, a point is 1 % of the win."""


def counts_wins(rules: Rules, weights: Weights) -> bool:
    """Return whether values are parts of the win: in single-deal matches without an evaluation of points."""
    return not rules.target and weights.leaf is None


def won_or_scored(totals: Sequence[int], places: Sequence[int] | None, *, wins: bool) -> Sequence[float]:
    """Return each seat's part of the win if `wins` count and the match is over, else its points."""
    if not wins or places is None:
        return totals
    first = places.count(1)
    return [WIN / first if place == 1 else 0.0 for place in places]


def margins(totals: Sequence[float]) -> list[float]:
    """Return each seat's lead over the mean of the others."""
    together, others = sum(totals), len(totals) - 1
    return [total - (together - total) / others for total in totals]


def in_any_order(tiles: Iterable[Thing], rng: Rng) -> list[Thing]:
    """Return a shuffled copy."""
    found = list(tiles)
    found.sort(key=lambda _: rng.random())
    return found


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    mean = sum(values) / len(values)
    spread = sum([(one - mean) ** 2 for one in values]) / max(1, len(values) - 1)
    return mean, sqrt(spread / len(values))


class Prospects:
    """A seat's moves, played on in sampled deals that agree with its view."""

    def __init__(self, seen: PlayerView, weights: Weights, rng: Rng) -> None:
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
        """Open cells in random order, because a rollout makes the first of equal moves."""
        self._deal = 0
        self.deal()
        self.moves: Final = sorted(one.moves())  # legal moves; the same in every deal
        tiles = sum(map(int.bit_count, one.hands))
        plies = tiles if leaf is None else min(TURNS, tiles)
        # Weighted rollouts of the own seat take about half as long again.
        plies += plies // 2 if leaf is not None and own is not None else 0
        self.length: Final = plies * _slowness(seen.rules, guesses=leaf is not None)
        """Approximate cost of a rollout, in usual moves."""

    def deal(self) -> None:
        """Sample another deal, with another order of equal moves."""
        self._deal += 1
        self.one.tableau.put_back(self._laid[self._deal % TIES])
        if self._belief is not None:
            self.one.deal(*self._belief.world(self._rng), self._choices)
        elif self._deals is not None:
            self._deals.deal(self.one, self._rng)

    def worth(self, move: Ply) -> float:
        """Return the seat's lead in this deal after the move and its rollout."""
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
    """Return the relative cost of a rollout's move, so that all games take about the same time: higher if points of all
    placements are computed, and for squares, which fit many places.
    """
    if guesses:
        return SQUARES if rules.plane.sides > TRIANGLE else 1
    return SCORED if rules.scores_tiles else 1
