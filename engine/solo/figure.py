"""A figure to be filled: an outline with as many cells as its set has tiles, where labels that meet are equal."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.board.demands import letters
from engine.board.lattice import Cell, Labels, Lattice, Site
from engine.board.tiles import Tile


@dataclass(frozen=True, eq=False)
class Figure:
    """An outline, the set that fills it, and what is known of how it can be filled. There is one object of each."""

    name: str
    lattice: Lattice
    labels: Labels
    tiles: tuple[Tile, ...]
    cells: tuple[Cell, ...]
    """In reading order: top to bottom, left to right."""
    solution: str
    """A way to fill it: what each cell shows, in reading order, such as `010 121`. Tests hold it against the rules."""
    edge: int | None = None
    """The label all around the outline; None where any will do there."""
    solutions: int | None = None
    """How many ways there are, turned, mirrored and relabelled ones counted apart; None where nobody has counted."""
    wild_stands: None = None
    """No label is wild (`render.faces.Labelled`)."""

    def __post_init__(self) -> None:
        assert len(self.cells) == len(self.tiles) == len(self.solution.split())

    def sites(self, cell: Cell) -> tuple[Site, ...]:
        """Where the labels of a cell lie, clockwise."""
        shape = self.lattice.shape(cell)
        return shape.corners if self.labels == "corners" else shape.sides

    @cached_property
    def around(self) -> dict[Site, int]:
        """The sides of the outline that ask for a label, with it."""
        if self.edge is None:
            return {}
        count = Counter(side for cell in self.cells for side in self.lattice.sides_of(cell))
        return {side: self.edge for side, cells in count.items() if cells == 1}

    @cached_property
    def letter_of(self) -> dict[Cell, str]:
        """The letter of each cell. It keeps it, whatever lies where."""
        return dict(zip(self.cells, letters(), strict=False))

    @cached_property
    def shown_solution(self) -> dict[Cell, Tile]:
        """What each cell shows in the solution that is known."""
        return {cell: tuple(map(int, shown)) for cell, shown in zip(self.cells, self.solution.split(), strict=True)}

    @cached_property
    def bounds(self) -> frozenset[Cell]:
        """The cells, to be looked up."""
        return frozenset(self.cells)


def in_order(lattice: Lattice, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Cells in reading order."""
    return tuple(sorted(cells, key=lattice.order))
