"""The expectation of a position with known hands: it is played on with shuffled boneyards."""

from collections.abc import Sequence
from typing import Final

from engine.match.simulation import Simulation
from engine.match.state import Match
from engine.match.turns import DRAW
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.prospects import counts_wins, margins, won_or_scored
from engine.players.rollouts import Playouts
from engine.players.tree import greediest


def result_of(match: Match, weights: Weights) -> Sequence[float]:
    """Return each seat's result at the end of a round or match."""
    places = match.ended.places if match.ended is not None else None
    return won_or_scored([seat.total for seat in match.seats], places, wins=counts_wins(match.rules, weights))


TURNS: Final = 4
"""Turns before a known evaluation replaces the rest; more turns mean more variance, and need more rollouts."""


class Futures:
    """A position within a round that can be played on repeatedly, by greedy players."""

    def __init__(self, match: Match, weights: Weights) -> None:
        """The match does not change. Raises ValueError between rounds and after its end."""
        one = Simulation.of(match)
        leaf, _ = weights.playing_on(len(one.active))
        self.boneyard: Final = tuple(one.boneyard)  # the tiles to draw as bits, in the real order: the next is the last
        self._one: Final = one
        self._hands, self._choices = one.hands, one.choices
        self._wins: Final = counts_wins(match.rules, weights)
        # The first of equal moves is made, so their order must be the same in every rollout.
        self._kept: Final = one.tableau.kept()
        self._playouts: Final = None if leaf is None else Playouts(one, leaf, TURNS)

    def ahead(self, boneyard: Sequence[int], rng: Rng, draws: int = 0) -> list[float]:
        """Return each seat's lead over the mean of the others after `draws` draws and a rollout with this boneyard,
        including match totals; the sum is 0. Without an evaluation the round is played to its end, with random choices
        between equal moves.
        """
        one = self._one
        one.deal(self._hands, boneyard, self._choices)
        for _ in range(draws):
            one.play(DRAW)
        if self._playouts is None:
            while not one.over:
                moves = one.moves()
                one.play(moves[0] if len(moves) == 1 else greediest(one, moves, rng))
        else:
            self._playouts.play_on()
        if self._playouts is None or one.over:
            found = won_or_scored(one.totals, one.places, wins=self._wins)
        else:
            found = self._expected(self._playouts)
        one.start_over(self._kept)
        return margins(found)

    def _expected(self, playouts: Playouts) -> list[float]:
        """Return the expected totals: the future gains of active seats are evaluated."""
        active, found = self._one.active, [float(total) for total in self._one.totals]
        first = playouts.ahead(active[0])
        expected = [first, -first] if len(active) == 2 else [first, *map(playouts.ahead, active[1:])]
        # Each seat is evaluated alone, so remove their common part.
        common = sum(expected) / len(active)
        middle, part = sum(found[seat] for seat in active) / len(active), (len(active) - 1) / len(active)
        for seat, points in zip(active, expected, strict=True):
            found[seat] = middle + (points - common) * part
        return found
