"""The solver of solo puzzles: `python -m bot.solo.solver`, started by `bot.computers.worker_pool`."""

import sys
from random import Random
from typing import Final

from bot.computers.thinker import think
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, parse_filling
from engine.solo.search import FigureSearch, WaysFound

SOLVER: Final = (sys.executable, "-m", "bot.solo.solver")
ALL: Final = 30_000
"""Steps of the search for all solutions, about two seconds. After that it searches one, with random restarts."""
STARTS: Final = 12
EACH: Final = 2_500
FAR: Final = 32  # with more open cells a search does not end, so only the known solution is tried
NICER: Final = 10  # the process priority below the bot's


def solved(name: str, acts: str, seed: int) -> WaysFound:
    """Return how a puzzle can be filled from here, as far as a few seconds allow."""
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
