"""A figure to fill: an outline with as many cells as its set has tiles, where touching labels are equal."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.board.demands import iterate_letters
from engine.board.lattice import Cell, Labels, Lattice, Site
from engine.board.tiles import Tile


@dataclass(frozen=True, eq=False)
class Figure:
    """An outline with its tile set and known solutions. There is one object per figure."""

    name: str
    lattice: Lattice
    labels: Labels
    tiles: tuple[Tile, ...]
    cells: tuple[Cell, ...]  # in reading order: top to bottom, left to right
    solution: str  # the labels of each cell in reading order, such as `010 121`; checked by tests
    edge: int | None = None  # label all around the outline; None: any
    solutions: int | None = None  # number of solutions, including symmetric ones; None if unknown

    def __post_init__(self) -> None:
        assert len(self.cells) == len(self.tiles) == len(self.solution.split())

    def list_sites(self, cell: Cell) -> tuple[Site, ...]:
        """Return the sites of a cell's labels, clockwise."""
        shape = self.lattice.get_shape(cell)
        return shape.corners if self.labels == "corners" else shape.sides

    @cached_property
    def edge_labels(self) -> dict[Site, int]:
        """The sides of the outline that demand a label."""
        if self.edge is None:
            return {}
        count = Counter(side for cell in self.cells for side in self.lattice.get_sides(cell))
        return {side: self.edge for side, cells in count.items() if cells == 1}

    @cached_property
    def cell_letters(self) -> dict[Cell, str]:
        """The permanent letter of each cell."""
        return dict(zip(self.cells, iterate_letters(), strict=False))

    @cached_property
    def solution_labels(self) -> dict[Cell, Tile]:
        """The labels of each cell in the known solution."""
        return {cell: tuple(map(int, shown)) for cell, shown in zip(self.cells, self.solution.split(), strict=True)}

    @cached_property
    def bounds(self) -> frozenset[Cell]:
        return frozenset(self.cells)


def sort_cells(lattice: Lattice, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Sort cells in reading order."""
    return tuple(sorted(cells, key=lattice.get_reading_order))
