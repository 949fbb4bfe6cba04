"""Count all ways to fill a figure, for the numbers of the catalogue, and small figures by trying everything.

Rotating or mirroring a solution, or permuting its labels, gives another solution. Therefore only a part is counted and
then multiplied. The tiles with a single label are placed in one order out of all label permutations. If the edge
requires a label, the tile with only that label lies on one cell of each symmetry class.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from itertools import permutations, product
from math import factorial
from typing import Final, TypeVar

from engine.board.lattice import Cell, Site
from engine.board.tiles import is_triple, list_rotations, mirror_tile, rotate_tile, to_canonical
from engine.solo.figure import Figure
from engine.solo.filling import Filling
from engine.solo.search import FigureSearch, has_mirrors

UNLIMITED_STEPS: Final = 1 << 62
"""A number of steps that no search reaches."""

LinearMap = tuple[int, int, int, int]
"""A linear map of cells: (a, b, c, d) maps x, y to a*x + b*y, c*x + d*y."""

Thing = TypeVar("Thing", bound=Hashable)

TURN: Final[dict[int, LinearMap]] = {3: (0, -1, 1, 1), 4: (0, -1, 1, 0)}
"""A sixth, or a quarter, of a full turn, by the sides of a cell."""
MIRROR: Final[LinearMap] = (0, 1, 1, 0)


def list_symmetries(figure: Figure) -> list[dict[Cell, Cell]]:
    """Return the symmetries of an outline, each as a map of its cells."""
    return [cell_images for _, cell_images in _iterate_symmetries(figure)]


def _iterate_symmetries(figure: Figure) -> Iterator[tuple[LinearMap, dict[Cell, Cell]]]:
    """Yield the same symmetries, each with its linear map."""
    corners = {frozenset(figure.lattice.get_corners(cell)): cell for cell in figure.cells}
    for linear_map in _iterate_linear_maps(figure.lattice.sides):
        moved = {cell: [_apply(linear_map, site) for site in at] for at, cell in corners.items()}
        left = min(x for sites in moved.values() for x, _ in sites) - min(x for at in corners for x, *_ in at)
        low = min(y for sites in moved.values() for _, y in sites) - min(y for at in corners for _, y, *_ in at)
        images = {cell: corners.get(frozenset((x - left, y - low) for x, y in sites)) for cell, sites in moved.items()}
        complete_images = {cell: to for cell, to in images.items() if to is not None}
        if len(complete_images) == len(images):
            yield linear_map, complete_images


def _iterate_linear_maps(sides: int) -> Iterator[LinearMap]:
    identity: LinearMap = (1, 0, 0, 1)
    for start in (identity, MIRROR):
        linear_map = start
        for _ in range(6 if sides == 3 else 4):
            yield linear_map
            linear_map = _compose(TURN[sides], linear_map)


def _compose(second: LinearMap, first: LinearMap) -> LinearMap:
    (a, b, c, d), (e, f, g, h) = second, first
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


def _apply(linear_map: LinearMap, site: Site) -> tuple[int, int]:
    x, y, *_ = site
    return linear_map[0] * x + linear_map[1] * y, linear_map[2] * x + linear_map[3] * y


def count_equivalent_solutions(figure: Figure) -> int | None:
    """Return how many solutions are equivalent by rotating, mirroring and permuting labels, including the solution
    itself. None if a solution might be its own image, because then there may be fewer.

    In such a solution, cells and tiles are permuted in cycles of the same lengths. If these lengths differ, no solution
    is its own image.
    """
    labels = sorted({label for tile in figure.tiles for label in tile} - {figure.edge})
    found = 0
    for (a, b, c, d), cell_images in _iterate_symmetries(figure):
        for permuted in permutations(labels):
            found += 1
            relabelling = dict(zip(labels, permuted, strict=True))
            images = {tile: tuple(relabelling.get(label, label) for label in tile) for tile in figure.tiles}
            if a * d < b * c:
                images = {tile: mirror_tile(image) for tile, image in images.items()}
            tile_images = {tile: to_canonical(image) for tile, image in images.items()}
            if found > 1 and _count_cycles(cell_images) == _count_cycles(tile_images):
                return None
    return found


def _count_cycles(images: Mapping[Thing, Thing]) -> Counter[int]:
    """Return the number of cycles of each length."""
    found: Counter[int] = Counter()
    visited: set[Thing] = set()
    for start in images:
        length, at = 0, start
        while at not in visited:
            visited.add(at)
            length, at = length + 1, images[at]
        if length:
            found[length] += 1
    return found


def count_by_symmetry(figure: Figure) -> int:
    """Count all ways to fill a figure whose set has all mirror images.

    Raises ValueError for another set: exchanging labels leads out of it.
    """
    if not has_mirrors(figure):
        raise ValueError(f"the set of {figure.name} lacks mirror images")
    triples = tuple(tile for tile in figure.tiles if is_triple(tile) and tile[0] != figure.edge)
    variants = factorial(len(triples))
    if figure.edge is None:
        return variants * FigureSearch(Filling(figure), steps=UNLIMITED_STEPS, ordered=triples).run().solutions
    symmetries = list_symmetries(figure)
    found = 0
    for cell in figure.cells:
        images = {step[cell] for step in symmetries}
        if cell == min(images):
            banned = {(figure.edge,) * figure.lattice.sides: figure.bounds - {cell}}
            search = FigureSearch(Filling(figure), steps=UNLIMITED_STEPS, banned=banned, ordered=triples)
            found += variants * len(images) * search.run().solutions
    return found


def build_solved_filling(figure: Figure) -> Filling:
    filling = Filling(figure)
    for cell, shown in figure.solution_labels.items():
        tile = to_canonical(shown)
        filling = filling.place(
            tile, cell, next(turn for turn in list_rotations(tile) if rotate_tile(tile, turn) == shown)
        )
    return filling


def count_solutions(figure: Figure) -> int:
    """Count the ways to fill a figure by trying all orders of its tiles and all their rotations."""
    found = 0
    for order in permutations(figure.tiles):
        for turns in product(*(list_rotations(tile) for tile in order)):
            values = dict(figure.edge_labels)
            pairs = [
                (site, label)
                for cell, tile, turn in zip(figure.cells, order, turns, strict=True)
                for site, label in zip(figure.list_sites(cell), rotate_tile(tile, turn), strict=True)
            ]
            found += all(values.setdefault(site, label) == label for site, label in pairs)
    return found
