"""The features of the bot. To remove one, delete its folders and its line here."""

from importlib import import_module
from types import ModuleType
from typing import Final

FEATURES: Final = (
    "bot.duplicates",
    "bot.history",
    "bot.leagues",
    "bot.profiles",
    "bot.puzzles",
    "bot.reviews",
    "bot.solo",
)
"""Packages with a function `register(app)` and a module `commands`, in the order in which they are registered."""


def load() -> list[ModuleType]:
    """Import the features. Their commands, buttons and SQL tables register when they are imported."""
    for name in FEATURES:
        import_module(f"{name}.commands")
    return [import_module(name) for name in FEATURES]
