"""The process in which figures are searched: `python -m bot.solo.solver`, begun by `bot.computers.worker_pool`.

It is told a figure and what lies in it, and nothing else.
"""

import sys
from random import Random
from typing import Final

from bot.computers.thinker import think
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, parse_filling
from engine.solo.search import FigureSearch, WaysFound

SOLVER: Final = (sys.executable, "-m", "bot.solo.solver")
ALL: Final = 30_000
"""Steps in which all solutions are looked for, some two seconds; then one is, by chance and often from the start."""
STARTS: Final = 12
EACH: Final = 2_500
FAR: Final = 32
"""With more cells bare than that no search comes to an end, so it is only looked whether the known way still fits."""
NICER: Final = 10
"""So much less than the bot it gets of a processor that both want."""


def solved(name: str, acts: str, seed: int) -> WaysFound:
    """How a figure can be filled from here, as far as that can be told in a few seconds."""
    filling = parse_filling(FIGURES[name], acts)
    known = FIGURES[name].shown_solution
    rest = tuple((cell, shown) for cell, shown in known.items() if cell not in filling.placed)
    if not filling.placed and FIGURES[name].solutions is not None:
        return WaysFound(FIGURES[name].solutions or 0, whole=True, steps=0, first=rest)
    fits = WaysFound(1, whole=False, steps=0, first=rest) if not filling.strayed else None
    far = len(rest) > FAR
    if far and fits is not None:
        return fits
    found = FigureSearch(filling, steps=EACH if far else ALL).run()
    if far or found.whole or found.solutions:
        return found
    return _one(filling, Random(seed)) or fits or found  # noqa: S311 - a game


def _one(filling: Filling, rng: Random) -> WaysFound | None:
    for _ in range(STARTS):
        found = FigureSearch(filling, steps=EACH, most=1, arranged=lambda ways: rng.sample(ways, len(ways))).run()
        if found.solutions or found.whole:
            return found
    return None


if __name__ == "__main__":
    think(solved, nicer=NICER)
