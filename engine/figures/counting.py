"""Counting all ways to fill a figure, once and thoroughly: `boneyard figures` and the numbers of the catalogue.

Turning or mirroring a solution, or exchanging its labels, makes another one. So a part of them is counted, and the rest
follows: the tiles that show one label alone come in one order out of all that exchanging labels makes; and where a
label is asked for at the edge, its own such tile lies on one cell out of those that turning and mirroring lead to.
"""

from collections.abc import Iterator
from math import factorial
from typing import Final, NamedTuple

from engine.figures.figure import Figure
from engine.figures.filling import Filling
from engine.figures.search import FigureSearch, has_mirrors
from engine.lattice import Cell, Site
from engine.tiles import Tile, is_triple

ENDLESS: Final = 1 << 62
"""Steps of a search that comes to its end."""

Linear = tuple[int, int, int, int]
"""Where a step to the right and one upwards lead: (a, b, c, d) takes x, y to a*x + b*y, c*x + d*y."""

TURN: Final[dict[int, Linear]] = {3: (0, -1, 1, 1), 4: (0, -1, 1, 0)}
"""A sixth, or a quarter, of a full turn, by the sides of a cell."""
MIRROR: Final[Linear] = (0, 1, 1, 0)


class PartCount(NamedTuple):
    """What a part of the count came to."""

    cell: Cell | None
    """Where the tile of the edge lies; None where nothing is asked for at the edge."""
    times: int
    """How many parts are like this one."""
    solutions: int
    steps: int


def symmetries(figure: Figure) -> list[dict[Cell, Cell]]:
    """The ways to turn and mirror an outline into itself: where each cell comes to lie."""
    corners = {frozenset(figure.lattice.corners_of(cell)): cell for cell in figure.cells}
    found = []
    for step in _linear(figure.lattice.sides):
        moved = {cell: [_apply(step, site) for site in at] for at, cell in corners.items()}
        left = min(x for sites in moved.values() for x, _ in sites) - min(x for at in corners for x, *_ in at)
        low = min(y for sites in moved.values() for _, y in sites) - min(y for at in corners for _, y, *_ in at)
        goes = {cell: corners.get(frozenset((x - left, y - low) for x, y in sites)) for cell, sites in moved.items()}
        whole = {cell: to for cell, to in goes.items() if to is not None}
        if len(whole) == len(goes):
            found.append(whole)
    return found


def _linear(sides: int) -> Iterator[Linear]:
    """All turns, and all turns of the mirrored plane."""
    one: Linear = (1, 0, 0, 1)
    for start in (one, MIRROR):
        step = start
        for _ in range(6 if sides == 3 else 4):
            yield step
            step = _after(TURN[sides], step)


def _after(one: Linear, other: Linear) -> Linear:
    (a, b, c, d), (e, f, g, h) = one, other
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


def _apply(step: Linear, site: Site) -> tuple[int, int]:
    x, y, *_ = site
    return step[0] * x + step[1] * y, step[2] * x + step[3] * y


def all_ways(figure: Figure) -> Iterator[PartCount]:
    """Count all ways to fill a figure whose set has all mirror images, part by part; their products add up.

    Raises ValueError for another set: exchanging labels leads out of it.
    """
    if not has_mirrors(figure):
        raise ValueError(f"the set of {figure.name} lacks mirror images")
    plain: list[Tile] = [tile for tile in figure.tiles if is_triple(tile) and tile[0] != figure.edge]
    relabelled = factorial(len(plain))
    if figure.edge is None:
        found = FigureSearch(Filling(figure), steps=ENDLESS, ordered=plain).run()
        yield PartCount(None, relabelled, found.solutions, found.steps)
        return
    own = (figure.edge,) * figure.lattice.sides
    turned = symmetries(figure)
    for cell in figure.cells:
        alike = {step[cell] for step in turned}
        if cell != min(alike):
            continue
        elsewhere = figure.bounds - {cell}
        found = FigureSearch(Filling(figure), steps=ENDLESS, banned={own: elsewhere}, ordered=plain).run()
        yield PartCount(cell, relabelled * len(alike), found.solutions, found.steps)
