"""The levels of computer players by name, for every game."""

from collections.abc import Callable
from typing import Final, Protocol

from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Anything, Careless, Rng
from engine.players.lookahead import Onlooker
from engine.players.search_player import Thinker
from engine.players.tree import TreeSearch

LEVELS: Final = ("easy", "medium", "hard", "expert", "master")  # weakest first
BESIDE: Final = ("greedy", "random")  # players for measurements that are not levels


class Player(Protocol):
    """A computer player of a seat, which uses only what the seat may see."""

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        """Return the viewer's action. Slow players answer with the best move so far once `enough` returns True."""


class Greedy:
    """Plays as `engine.players.greedy` does."""

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        return greedy.choose(seen, rng)


def player(name: str, rules: Rules, weights: Weights) -> Player:
    """Return the player of this name; without weights it plays greedily. Raises ValueError for an unknown name."""
    if name in weights.trees:
        return TreeSearch(weights.trees[name])
    if name in weights.thinking:
        return Thinker(rules, weights.thinking[name], weights)
    match name:
        case "random":
            return Anything()
        case "easy":
            return Careless()
        case "medium":
            return Onlooker(rules, weights.medium) if weights.medium is not None else Greedy()
        case "hard" | "expert" | "master":
            return Onlooker(rules, weights.hard) if weights.hard is not None else Greedy()
        case "greedy":
            return Greedy()
        case _:
            raise ValueError(f"there is no player {name!r}; there is {', '.join((*LEVELS, *BESIDE))}")
