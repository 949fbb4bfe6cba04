"""The levels of computer players by name, for every game."""

from collections.abc import Callable
from typing import Final, Protocol

from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.evaluation_weights import Weights
from engine.players.greedy import HalfRandomPlayer, RandomPlayer, Rng
from engine.players.lookahead import LookaheadPlayer
from engine.players.search_player import RolloutPlayer
from engine.players.tree import TreeSearchPlayer

LEVELS: Final = ("easy", "medium", "hard", "expert", "master")  # weakest first
REFERENCE_PLAYERS: Final = ("greedy", "random")  # players for measurements that are not levels


class Player(Protocol):
    """A computer player of a seat, which uses only what the seat may see."""

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        """Return the viewer's action. Slow players answer with the best move so far once `should_stop` returns True."""


class GreedyPlayer:
    """Plays as `engine.players.greedy` does."""

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        return greedy.choose(view, rng)


def build_player(name: str, rules: Rules, weights: Weights) -> Player:
    """Return the player of this name; without weights it plays greedily. Raises ValueError for an unknown name."""
    if name in weights.trees:
        return TreeSearchPlayer(weights.trees[name])
    if name in weights.thinking:
        return RolloutPlayer(rules, weights.thinking[name], weights)
    match name:
        case "random":
            return RandomPlayer()
        case "easy":
            return HalfRandomPlayer()
        case "medium":
            return LookaheadPlayer(rules, weights.medium) if weights.medium is not None else GreedyPlayer()
        case "hard" | "expert" | "master":
            return LookaheadPlayer(rules, weights.hard) if weights.hard is not None else GreedyPlayer()
        case "greedy":
            return GreedyPlayer()
        case _:
            raise ValueError(f"there is no player {name!r}; there is {', '.join((*LEVELS, *REFERENCE_PLAYERS))}")
