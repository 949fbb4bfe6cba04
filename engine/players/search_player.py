"""A player that tries its moves in sampled deals, each played on for some turns."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final

from engine.board.tableau import Ply
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players import greedy
from engine.players.evaluation_weights import Thinking, Weights
from engine.players.greedy import Rng
from engine.players.rollouts import Playouts
from engine.players.sampled_deals import Belief

FIRST_LOOK: Final = 32  # deals before moves are first compared; then at twice as many, and so on
SURE: Final = 3.0  # a move is dropped when it is this many standard errors behind the best


class Thinker:
    """Tries every move in the same deals, and makes the one with the best mean."""

    def __init__(self, rules: Rules, thinking: Thinking, weights: Weights) -> None:
        self.rules: Final = rules
        self.thinking: Final = thinking
        self.weights: Final = weights

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        assert seen.viewer is not None
        one = Simulation.seen(seen)
        belief = Belief(seen, self.weights.doubts)
        one.deal(*belief.world(rng), one.tableau.table.hand(seen.choices))
        moves = sorted(one.moves())
        placements = [move for move in moves if move[1] >= 0 or seen.reward is not None]
        if len(placements) < 2:
            return greedy.choose(seen, rng)
        return one.action(self._best(one, placements, belief, rng, enough))

    def _best(
        self, one: Simulation, moves: list[Ply], belief: Belief, rng: Rng, enough: Callable[[], bool] | None
    ) -> Ply:
        seat, choices, weights, thinking = one.turn, one.choices, self.weights, self.thinking
        worlds, turns = thinking.worlds, thinking.turns
        if len(one.active) > 2:
            worlds, turns = thinking.worlds_of_many or worlds, thinking.turns_of_many or turns
        leaf, own = weights.playing_on(len(one.active))
        playouts = Playouts(one, leaf, turns, own)
        tried: dict[Ply, list[float]] = {move: [] for move in moves}
        look = FIRST_LOOK
        for world in range(1, worlds + 1):
            for move, worths in tried.items():
                worths.append(playouts.worth(move, seat))
            if world == look:
                best, look = max(tried.values(), key=sum), 2 * look
                tried = {move: found for move, found in tried.items() if found is best or not _behind(found, best)}
            if len(tried) == 1 or (enough is not None and enough()):
                break
            one.deal(*belief.world(rng), choices)
        return max(tried, key=lambda move: sum(tried[move]))


def _behind(worths: Sequence[float], best: Sequence[float]) -> bool:
    apart = [more - less for more, less in zip(best, worths, strict=True)]
    mean = sum(apart) / len(apart)
    spread = sum([(one - mean) ** 2 for one in apart]) / len(apart)
    return mean > SURE * sqrt(spread / len(apart))
