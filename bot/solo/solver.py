"""The solver of solo puzzles: `python -m bot.solo.solver`, started by `bot.computers.worker_pool`."""

import sys
from random import Random
from typing import Final

from bot.computers.thinker import serve_requests
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, parse_filling
from engine.solo.search import FigureSearch, SearchResult

SOLVER_COMMAND: Final = (sys.executable, "-m", "bot.solo.solver")
MAX_STEPS: Final = 30_000
"""Steps of the search for all solutions, about two seconds. After that it searches one, with random restarts."""
MAX_STARTS: Final = 12
STEPS_PER_START: Final = 2_500
MAX_OPEN_CELLS: Final = 32  # with more open cells a search does not end, so only the known solution is tried


def solve_figure(name: str, acts: str, seed: int) -> SearchResult:
    """Return how a puzzle can be filled from here, as far as a few seconds allow."""
    filling = parse_filling(FIGURES[name], acts)
    known = FIGURES[name].solution_labels
    rest = tuple((cell, shown) for cell, shown in known.items() if cell not in filling.placed)
    if not filling.placed and FIGURES[name].solutions is not None:
        return SearchResult(FIGURES[name].solutions or 0, is_exhaustive=True, steps=0, first=rest)
    fits = SearchResult(1, is_exhaustive=False, steps=0, first=rest) if not filling.wrong_cells else None
    is_large = len(rest) > MAX_OPEN_CELLS
    if is_large and fits is not None:
        return fits
    found = FigureSearch(filling, steps=STEPS_PER_START if is_large else MAX_STEPS).run()
    if is_large or found.is_exhaustive or found.solutions:
        return found
    return _find_solution(filling, Random(seed)) or fits or found  # noqa: S311 - a game


def _find_solution(filling: Filling, rng: Random) -> SearchResult | None:
    for _ in range(MAX_STARTS):
        found = FigureSearch(
            filling, steps=STEPS_PER_START, most=1, arranged=lambda ways: rng.sample(ways, len(ways))
        ).run()
        if found.solutions or found.is_exhaustive:
            return found
    return None


if __name__ == "__main__":
    serve_requests(solve_figure)
