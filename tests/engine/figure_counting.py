"""Count all ways to fill a figure, for the numbers of the catalogue.

Rotating or mirroring a solution, or permuting its labels, gives another solution. Therefore only a part is counted and
then multiplied. The tiles with a single label are placed in one order out of all label permutations. If the edge
requires a label, the tile with only that label lies on one cell of each symmetry class.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Final, NamedTuple, TypeVar

from engine.board.lattice import Cell, Site
from engine.board.tiles import Tile, is_triple, mirror_tile, to_canonical
from engine.solo.figure import Figure
from engine.solo.filling import Filling
from engine.solo.search import FigureSearch, SearchResult, has_mirrors

ENDLESS: Final = 1 << 62
"""Steps of a search that comes to its end."""

Linear = tuple[int, int, int, int]
"""Where a step to the right and one upwards lead: (a, b, c, d) takes x, y to a*x + b*y, c*x + d*y."""

Thing = TypeVar("Thing", bound=Hashable)

TURN: Final[dict[int, Linear]] = {3: (0, -1, 1, 1), 4: (0, -1, 1, 0)}
"""A sixth, or a quarter, of a full turn, by the sides of a cell."""
MIRROR: Final[Linear] = (0, 1, 1, 0)


class PartCount(NamedTuple):
    """What a part of the count came to."""

    cell: Cell | None
    """The cell of the tile with the edge label; None if the edge requires no label."""
    times: int
    """How many parts are like this one."""
    solutions: int
    steps: int
    whole: bool
    """Whether the part was counted to its end."""


@dataclass(frozen=True)
class CountedPart:
    """A part that is to be counted."""

    figure: Figure
    cell: Cell | None
    times: int
    ordered: tuple[Tile, ...]

    def search(self, *, steps: int = ENDLESS) -> FigureSearch:
        """The search that counts it. How far it is can be read of it while it runs."""
        figure, banned = self.figure, {}
        if figure.edge is not None:
            banned[(figure.edge,) * figure.lattice.sides] = figure.bounds - {self.cell}
        return FigureSearch(Filling(figure), steps=steps, banned=banned, ordered=self.ordered)

    def came_to(self, found: SearchResult) -> PartCount:
        """What its search has found."""
        return PartCount(self.cell, self.times, found.solutions, found.steps, found.is_exhaustive)


def symmetries(figure: Figure) -> list[dict[Cell, Cell]]:
    """The ways to turn and mirror an outline into itself: where each cell comes to lie."""
    return [goes for _, goes in _moves(figure)]


def _moves(figure: Figure) -> Iterator[tuple[Linear, dict[Cell, Cell]]]:
    """The same, each with the turn that leads there."""
    corners = {frozenset(figure.lattice.get_corners(cell)): cell for cell in figure.cells}
    for step in _linear(figure.lattice.sides):
        moved = {cell: [_apply(step, site) for site in at] for at, cell in corners.items()}
        left = min(x for sites in moved.values() for x, _ in sites) - min(x for at in corners for x, *_ in at)
        low = min(y for sites in moved.values() for _, y in sites) - min(y for at in corners for _, y, *_ in at)
        goes = {cell: corners.get(frozenset((x - left, y - low) for x, y in sites)) for cell, sites in moved.items()}
        whole = {cell: to for cell, to in goes.items() if to is not None}
        if len(whole) == len(goes):
            yield step, whole


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


def alike(figure: Figure) -> int | None:
    """How many ways come from one by turning, mirroring and exchanging labels, itself among them. None where a way
    might be its own image: then there may be fewer.

    A way that is its own image has on each cell's image the image of its tile, so cells and tiles move in cycles of
    the same lengths; where those differ there is no such way.
    """
    labels = sorted({label for tile in figure.tiles for label in tile} - {figure.edge})
    found = 0
    for (a, b, c, d), goes in _moves(figure):
        for exchanged in permutations(labels):
            found += 1
            to = dict(zip(labels, exchanged, strict=True))
            images = {tile: tuple(to.get(label, label) for label in tile) for tile in figure.tiles}
            if a * d < b * c:
                images = {tile: mirror_tile(image) for tile, image in images.items()}
            moved = {tile: to_canonical(image) for tile, image in images.items()}
            if found > 1 and _cycles(goes) == _cycles(moved):
                return None
    return found


def _cycles(goes: Mapping[Thing, Thing]) -> Counter[int]:
    """How many cycles of each length there are."""
    found: Counter[int] = Counter()
    seen: set[Thing] = set()
    for start in goes:
        length, at = 0, start
        while at not in seen:
            seen.add(at)
            length, at = length + 1, goes[at]
        if length:
            found[length] += 1
    return found


def parts(figure: Figure) -> list[CountedPart]:
    """What is to be counted of a figure whose set has all mirror images.

    Raises ValueError for another set: exchanging labels leads out of it.
    """
    if not has_mirrors(figure):
        raise ValueError(f"the set of {figure.name} lacks mirror images")
    plain = tuple(tile for tile in figure.tiles if is_triple(tile) and tile[0] != figure.edge)
    relabelled = factorial(len(plain))
    if figure.edge is None:
        return [CountedPart(figure, None, relabelled, plain)]
    turned = symmetries(figure)
    images = {cell: {step[cell] for step in turned} for cell in figure.cells}
    return [
        CountedPart(figure, cell, relabelled * len(images[cell]), plain)
        for cell in figure.cells
        if cell == min(images[cell])
    ]


def all_ways(figure: Figure) -> Iterator[PartCount]:
    """Count all ways to fill a figure, part by part; their products add up. Raises ValueError as `parts` does."""
    for part in parts(figure):
        yield part.came_to(part.search().run())
