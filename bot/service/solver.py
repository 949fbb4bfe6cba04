"""The process in which figures are searched: `python -m bot.service.solver`, begun by `bot.service.workers`.

It is told a figure and what lies in it, and nothing else.
"""

import sys
from random import Random
from typing import Final

from bot.service.thinker import think
from engine.figures.catalogue import FIGURES
from engine.figures.filling import Filling, parse_filling
from engine.figures.search import FigureSearch, WaysFound

SOLVER: Final = (sys.executable, "-m", "bot.service.solver")
ALL: Final = 30_000
"""Steps in which all solutions are looked for, some two seconds; then one is, by chance and often from the start."""
STARTS: Final = 12
EACH: Final = 2_500
NICER: Final = 10
"""So much less than the bot it gets of a processor that both want."""


def solved(name: str, acts: str, seed: int) -> WaysFound:
    """How a figure can be filled from here, as far as that can be told in a few seconds."""
    filling = parse_filling(FIGURES[name], acts)
    known = FIGURES[name].shown_solution
    rest = tuple((cell, shown) for cell, shown in known.items() if cell not in filling.placed)
    if not filling.placed and FIGURES[name].solutions is not None:
        return WaysFound(FIGURES[name].solutions or 0, whole=True, steps=0, first=rest)
    found = FigureSearch(filling, steps=ALL).run()
    if found.whole or found.solutions:
        return found
    one = _one(filling, Random(seed))  # noqa: S311 - a game
    if one is not None:
        return one
    if all(known[cell] == placement.shown for cell, placement in filling.placed.items()):
        return WaysFound(1, whole=False, steps=found.steps, first=rest)
    return found


def _one(filling: Filling, rng: Random) -> WaysFound | None:
    for _ in range(STARTS):
        found = FigureSearch(filling, steps=EACH, most=1, arranged=lambda ways: rng.sample(ways, len(ways))).run()
        if found.solutions or found.whole:
            return found
    return None


if __name__ == "__main__":
    think(solved, nicer=NICER)
