"""Computer players by the name in the event log."""

import time
from collections.abc import Callable
from functools import lru_cache
from random import Random

from data.weights import weights
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.greedy import Rng
from engine.players.levels import Player, player
from engine.table.table_state import Stumble
from engine.table.terms import GENTLE


class Unthought(Exception):  # noqa: N818 - the fallback level moves
    def __init__(self, why: Stumble) -> None:
        super().__init__(why)
        self.why = why


class Gentle:
    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        return greedy.choose_gently(seen, rng)


@lru_cache(maxsize=64)
def player_of(name: str, rules: Rules) -> Player:
    """Return the player with this name under these rules. Raises ValueError if there is none."""
    return Gentle() if name == GENTLE else player(name, rules, weights(rules))


def thought(name: str, seen: PlayerView, seed: int, budget: float) -> Action:
    """Return a player's choice; a slow player stops after `budget` seconds."""
    end = time.monotonic() + budget
    return player_of(name, seen.rules).choose(seen, Random(seed), lambda: time.monotonic() > end)  # noqa: S311 - a game
