"""The families of games: for each, its rules and what only they know. `RULES_OF` finds the class by its name."""

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
