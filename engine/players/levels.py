"""The levels of computer players by name: who plays under each, for every game.

player("hard", rules, weights).choose(see(match, match.turn), Random())
"""

from collections.abc import Callable
from typing import Final, Protocol

from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.chance import Anything, Careless
from engine.players.evaluation_weights import Weights
from engine.players.greedy import Rng
from engine.players.lookahead import Onlooker
from engine.players.search_player import Thinker
from engine.players.tree import TreeSearch

LEVELS: Final = ("easy", "medium", "hard", "expert", "master")
"""From the weakest to the strongest."""
BESIDE: Final = ("greedy", "random")
"""Names of players that are measured with, and are no level."""


class Player(Protocol):
    """Somebody who plays a seat, and knows only what it may see."""

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        """The action of the seat that is looking, whose turn it must be.

        `enough` is asked now and then by those who think for long: once it says so they answer with what they have.
        """


class Greedy:
    """Plays as `engine.players.greedy` does."""

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        """The action of the seat that is looking, whose turn it must be."""
        return greedy.choose(seen, rng)


def player(name: str, rules: Rules, weights: Weights) -> Player:
    """Who plays under this name by these rules. A level that nobody has fitted for the game is played greedily.

    Raises ValueError when no player has this name.
    """
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
