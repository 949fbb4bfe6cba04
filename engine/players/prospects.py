"""What the moves of a seat promise: each is played on in deals that the seat could believe in."""

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

TURNS: Final = 8
"""Turns that are played on before the rest is guessed, where a guess is known (docs/review.md)."""
TIES: Final = 16
"""Orders of the open cells; they are taken in turns."""
SCORED: Final = 4
SQUARES: Final = 2
"""What is as slow as so many usual moves (`_slowness`)."""
TRIANGLE: Final = 3
WIN: Final = 50.0
"""What winning a match of a single deal is worth, in points ahead: between two, a point is a hundredth of the win."""


def counts_wins(rules: Rules, weights: Weights) -> bool:
    """Whether a match of these rules is told in parts of the win: where a single deal decides, its points may be few
    or none. Where there is a guess of the points to come, they are told all the same.
    """
    return not rules.target and weights.leaf is None


def won_or_scored(totals: Sequence[int], places: Sequence[int] | None, *, wins: bool) -> Sequence[float]:
    """What each seat has of it: its part of the win where `wins` count and the match is over, else its points."""
    if not wins or places is None:
        return totals
    first = places.count(1)
    return [WIN / first if place == 1 else 0.0 for place in places]


def margins(totals: Sequence[float]) -> list[float]:
    """By how much each seat is ahead of the mean of the others."""
    together, others = sum(totals), len(totals) - 1
    return [total - (together - total) / others for total in totals]


def in_any_order(tiles: Iterable[Thing], rng: Rng) -> list[Thing]:
    """The same in any order."""
    found = list(tiles)
    found.sort(key=lambda _: rng.random())
    return found


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean of these values, and its standard error."""
    mean = sum(values) / len(values)
    spread = sum([(one - mean) ** 2 for one in values]) / max(1, len(values) - 1)
    return mean, sqrt(spread / len(values))


class Prospects:
    """A seat's moves, played on in deals that it could believe in."""

    def __init__(self, seen: PlayerView, weights: Weights, rng: Rng) -> None:
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
