"""Computer players by the name in the event log."""

import time
from collections.abc import Callable
from functools import lru_cache
from random import Random

from data.weights import load_weights
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players import greedy
from engine.players.greedy import Rng
from engine.players.levels import Player, build_player
from engine.table.table_state import Stumble
from engine.table.terms import GENTLE


class ComputationError(Exception):
    def __init__(self, why: Stumble) -> None:
        super().__init__(why)
        self.why = why


class GentlePlayer:
    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        return greedy.choose_gently(view, rng)


@lru_cache(maxsize=64)
def get_player(name: str, rules: Rules) -> Player:
    """Return the player with this name under these rules. Raises ValueError if there is none."""
    return GentlePlayer() if name == GENTLE else build_player(name, rules, load_weights(rules))


def choose_action(name: str, view: PlayerView, seed: int, budget: float) -> Action:
    """Return a player's choice; a slow player stops after `budget` seconds."""
    end = time.monotonic() + budget
    return get_player(name, view.rules).choose(view, Random(seed), lambda: time.monotonic() > end)  # noqa: S311 - a game
