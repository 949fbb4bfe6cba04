"""The weights of computer players, from `data/players/*.json`."""

from functools import cache
from pathlib import Path

import msgspec

from engine.families import TriominoRules
from engine.match.rules import Rules
from engine.players.evaluation_weights import NO_WEIGHTS, Weights

PLAYERS = Path(__file__).parent / "players"


class WeightsError(ValueError):
    """A file of weights that cannot be used. The message names it."""


def load_weights(rules: Rules) -> Weights:
    """Return the weights for a game, from its file or its family's file; empty without one, or for other points than
    those of the file.
    """
    if isinstance(rules, TriominoRules) and rules.scoring != "usual":
        return NO_WEIGHTS
    return _read(rules.game, rules.family)


@cache
def _read(game: str, family: str) -> Weights:
    for file in (PLAYERS / f"{game}.json", PLAYERS / f"{family}.json"):
        if file.exists():
            try:
                return msgspec.json.decode(file.read_bytes(), type=Weights)
            except msgspec.MsgspecError as error:
                raise WeightsError(f"{file.name}: {error}") from error
    return NO_WEIGHTS
