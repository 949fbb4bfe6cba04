"""What a position promises whose hands are known: it is played on, with the boneyard shuffled anew each time."""

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
    """What each seat has where a round or the match is over."""
    places = match.ended.places if match.ended is not None else None
    return won_or_scored([seat.total for seat in match.seats], places, wins=counts_wins(match.rules, weights))


TURNS: Final = 4
"""Turns that are played on before the rest is guessed, where a guess is known. The further, the more one future differs
from the next, and the more of them it takes to say anything."""


class Futures:
    """A position inside a round, played on as often as one likes. Everybody plays greedily."""

    def __init__(self, match: Match, weights: Weights) -> None:
        """The match is not touched. Raises ValueError between rounds and after its end."""
        one = Simulation.of(match)
        leaf, _ = weights.playing_on(len(one.active))
        self.boneyard: Final = tuple(one.boneyard)
        """The tiles to draw as bits, in the order in which they really lie: the next is the last."""
        self._one: Final = one
        self._hands, self._choices = one.hands, one.choices
        self._wins: Final = counts_wins(match.rules, weights)
        # Of equal moves the first is made: they have to come in the same order in every future.
        self._kept: Final = one.tableau.kept()
        self._playouts: Final = None if leaf is None else Playouts(one, leaf, TURNS)

    def ahead(self, boneyard: Sequence[int], rng: Rng, draws: int = 0) -> list[float]:
        """The points by which each seat comes out ahead of the mean of all others, with its match total, once so many
        tiles are drawn and the round is played on with this boneyard. They add up to 0.

        Where nothing is known to guess by, the round is played to its end, and chance decides between equal moves.
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
        """The totals to be expected: what the seats still in the match gain on one another is guessed."""
        active, found = self._one.active, [float(total) for total in self._one.totals]
        first = playouts.ahead(active[0])
        expected = [first, -first] if len(active) == 2 else [first, *map(playouts.ahead, active[1:])]
        # They are guessed one by one: what they have in common is nobody's gain.
        common = sum(expected) / len(active)
        middle, part = sum(found[seat] for seat in active) / len(active), (len(active) - 1) / len(active)
        for seat, points in zip(active, expected, strict=True):
            found[seat] = middle + (points - common) * part
        return found
