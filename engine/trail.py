"""A table on which each tile goes next to the one before it (RULES §5)."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.board import Board, Fit, Placement, Touch
from engine.errors import RuleBroken, Why
from engine.lattice import Cell, Lattice
from engine.tiles import WILD, Needs, Tile, fitting, rotated

CornerOrder = Literal["any", "collinear", "mirror"]
"""In which order the two numbers beside a corner must meet those of the tile on the other side of the point."""


@dataclass(frozen=True, slots=True)
class TrailFit(Fit):
    """How tiles go together on a trail."""

    everywhere: bool = False
    """A tile may also go next to any older tile."""
    older_sides: bool = True
    """Sides against older tiles must agree too."""
    corner_plays: CornerOrder | None = None
    """Whether, and how, a tile may touch the last one from corner to corner."""


class Trail(Board):
    """The board of Triangular Dominoes: labels lie on sides, and play goes on from the last tile."""

    __slots__ = ("_asked",)
    fit: TrailFit

    def __init__(self, lattice: Lattice, fit: TrailFit) -> None:
        super().__init__(lattice, fit)
        self._asked: list[tuple[Cell, Needs, Touch | None]] | None = None
        """What each open cell asks of a tile, once it was asked for; until the table changes."""

    @property
    def open_cells(self) -> Iterable[Cell]:
        """The empty cells next to the last tile, and those that share one point with it where that is allowed."""
        if self.last is None:
            return ()
        beside = self._keys if self.fit.everywhere else self._beside(self.last.cell)
        return dict.fromkeys((*beside, *self._points(self.last.cell)))

    def needs(self, cell: Cell) -> Needs:
        """What each side of a cell demands, clockwise."""
        if self.fit.older_sides or self.last is None:
            return super().needs(cell)
        shape = self.lattice.shape(cell)
        beside = zip(shape.sides, shape.across, strict=True)
        return tuple(self.labels.get(side) if near == self.last.cell else None for side, near in beside)

    def touch(self, cell: Cell) -> Touch | None:
        """Where a cell meets the last tile in one point only, and what must lie beside that corner.

        None for a cell that shares a side with a tile it may go next to.
        """
        if self.last is None or self.fit.corner_plays is None or self._reached_by_side(cell):
            return None
        there, here = self.lattice.shape(self.last.cell).corners, self.lattice.shape(cell).corners
        shared = [point for point in here if point in there]
        if len(shared) != 1:
            return None
        if self.fit.corner_plays == "collinear" and not self._opposite(self.last.cell, cell, shared[0]):
            return None
        corner = there.index(shared[0])
        before, after = self._stands(corner - 1), self._stands(corner)
        return Touch(here.index(shared[0]), (before, after))

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which the tile may lie on an open cell."""
        return self._turns(tile, self.needs(cell), self.touch(cell))

    def legal(self, hand: Iterable[Tile]) -> Iterator[Placement]:
        """Every way to place a tile of the hand."""
        if not self.placed:
            yield from super().legal(hand)
            return
        asked = self._all_asked()
        for tile in hand:
            for cell, needs, touch in asked:
                for rotation in self._turns(tile, needs, touch):
                    yield Placement(tile, cell, rotation)

    def fillable(self, tiles: Collection[Tile]) -> set[Cell]:
        """The open cells that one of these tiles would fit."""
        return {
            cell for cell, needs, touch in self._all_asked() if any(self._turns(tile, needs, touch) for tile in tiles)
        }

    def place(self, placement: Placement) -> None:
        """Lay a tile that is known to fit."""
        super().place(placement)
        self._asked = None

    def undo(self) -> Placement:
        """Take the last tile back, and return it."""
        self._asked = None
        return super().undo()

    def _cells_for(self, tile: Tile) -> Iterator[Cell]:
        return (cell for cell, needs, touch in self._all_asked() if self._turns(tile, needs, touch))

    def _all_asked(self) -> list[tuple[Cell, Needs, Touch | None]]:
        # The same for every tile of a hand: few cells are open, but asking each of them goes round its corners.
        if self._asked is None:
            self._asked = [(cell, self.needs(cell), self.touch(cell)) for cell in self.open_cells]
        return self._asked

    def _turns(self, tile: Tile, needs: Needs, touch: Touch | None) -> tuple[int, ...]:
        if touch is None or self.fit.corner_plays is None:
            return fitting(tile, needs, fives=self.fit.fives)
        return _fitting_at(tile, needs, touch, self.fit.corner_plays, fives=self.fit.fives)

    def _check_contact(self, cell: Cell) -> None:
        if not self._reached_by_side(cell) and self.touch(cell) is None:
            raise RuleBroken(Why.NO_SIDE_CONTACT if self.fit.everywhere else Why.NOT_NEXT_TO_LAST, cell=cell)

    def _check_labels(self, placement: Placement) -> None:
        super()._check_labels(placement)
        touch, order = self.touch(placement.cell), self.fit.corner_plays
        if touch is not None and order is not None and not _meets(touch, placement.shown, order):
            raise RuleBroken(
                Why.CORNER_MISMATCH,
                cell=placement.cell,
                tile=placement.tile,
                place=touch.corner,
                needs=touch.numbers,
                shows=(placement.shown[touch.corner - 1], placement.shown[touch.corner]),
            )

    def _beside(self, cell: Cell) -> list[Cell]:
        return [near for near in self.lattice.shape(cell).across if near not in self.placed]

    def _points(self, cell: Cell) -> list[Cell]:
        """The empty cells that meet this one in a point where a corner play is allowed."""
        if self.fit.corner_plays is None:
            return []
        around = (near for corner in self.lattice.shape(cell).corners for near in self.lattice.around(corner))
        return [near for near in around if near not in self.placed and self.touch(near) is not None]

    def _reached_by_side(self, cell: Cell) -> bool:
        if self.fit.everywhere:
            return cell in self._keys
        return self.last is not None and self.last.cell in self.lattice.shape(cell).across

    def _opposite(self, cell: Cell, other: Cell, point: tuple[int, ...]) -> bool:
        """Whether two cells face each other across a point, so that their sides run straight on."""
        mine = [p for p in self.lattice.shape(cell).corners if p != point]
        across = {(2 * point[0] - x, 2 * point[1] - y) for x, y in mine}
        return across == {p for p in self.lattice.shape(other).corners if p != point}

    def _stands(self, side: int) -> int | None:
        """What a side of the last tile counts as; None while it is wild."""
        assert self.last is not None
        label = self.last.shown[side]
        return self.fit.wild_stands if label == WILD else label


@lru_cache(maxsize=65536)
def _fitting_at(tile: Tile, needs: Needs, touch: Touch, order: CornerOrder, *, fives: bool) -> tuple[int, ...]:
    """The rotations in which a tile meets what its sides demand, and the two numbers across a point."""
    turns = fitting(tile, needs, fives=fives)
    return tuple(turn for turn in turns if _meets(touch, rotated(tile, turn), order))


def _meets(touch: Touch, shown: Tile, order: CornerOrder) -> bool:
    """Whether the two numbers beside the corner match."""
    before, after = shown[touch.corner - 1], shown[touch.corner]
    first, second = touch.numbers
    # Clockwise about the point the last tile has `second, first` where a tile across has `after, before`.
    straight = _agree(before, first) and _agree(after, second)
    turned = _agree(before, second) and _agree(after, first)
    match order:
        case "collinear":
            return straight
        case "mirror":
            return turned
        case "any":
            return straight or turned


def _agree(label: int, need: int | None) -> bool:
    return need is None or label in (WILD, need)
