"""The families of games and their rules classes, by name in `RULES_OF`."""

from engine.families.dominoes import DominoRules, StarRules
from engine.families.quads import QuadRules
from engine.families.trioker import TriokerRules
from engine.families.triominoes import TriominoRules
from engine.match.rules import Rules

RULES_OF: dict[str, type[Rules]] = {
    "triominoes": TriominoRules,
    "quads": QuadRules,
    "dominoes": DominoRules,
    "star": StarRules,
    "trioker": TriokerRules,
}

__all__ = ["RULES_OF", "DominoRules", "QuadRules", "StarRules", "TriokerRules", "TriominoRules"]
