"""A table on which each tile goes next to the one before it (RULES §5)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from engine.board import Board, Fit, Placement, Touch, laid
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


class Turns(dict[Tile, tuple[int, ...]]):
    """The rotations in which tiles meet what a cell demands, worked out when a tile is first asked about."""

    def __init__(self, needs: Needs, touch: Touch | None, order: CornerOrder | None, fives: bool) -> None:
        super().__init__()
        self.needs, self.touch, self.order, self.fives = needs, touch, order, fives

    def __missing__(self, tile: Tile) -> tuple[int, ...]:
        turns, touch, order = fitting(tile, self.needs, self.fives), self.touch, self.order
        if touch is not None and order is not None:
            turns = tuple(turn for turn in turns if _meets(touch, rotated(tile, turn), order))
        self[tile] = turns
        return turns


class Trail(Board):
    """The board of Triangular Dominoes: labels lie on sides, and play goes on from the last tile."""

    __slots__ = ("_reach", "_turns")
    fit: TrailFit

    def __init__(self, lattice: Lattice, fit: TrailFit) -> None:
        super().__init__(lattice, fit)
        self._reach: dict[Cell, Touch | None] | None = None
        """The open cells and where those are touched that are reached from corner to corner, once it was asked for."""
        self._turns: dict[Cell, Turns] | None = None
        """What fits each open cell, once it was asked for; until the table changes."""

    @property
    def open_cells(self) -> Iterable[Cell]:
        """The empty cells next to the last tile, and those that share one point with it where that is allowed."""
        return self._reached()

    def needs(self, cell: Cell) -> Needs:
        """What each side of a cell demands, clockwise."""
        if self.fit.older_sides or self.last is None:
            return super().needs(cell)
        shape = self.lattice.shape(cell)
        beside = zip(shape.sides, shape.across, strict=True)
        return tuple(self.labels.get(side) if near == self.last.cell else None for side, near in beside)

    def touch(self, cell: Cell) -> Touch | None:
        """Where a cell meets the last tile in one point only, and what must lie beside that corner.

        None for a cell that shares a side with a tile it may go next to, and for one that is not open.
        """
        return self._reached().get(cell)

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which the tile may lie on an open cell."""
        return _turns(self.needs(cell), self.touch(cell), self.fit.corner_plays, self.fit.fives)[tile]

    def fillable(self, tiles: Collection[Tile]) -> set[Cell]:
        """The open cells that one of these tiles would fit."""
        return {cell for cell, turns in self._all_turns().items() if any(turns[tile] for tile in tiles)}

    def place(self, placement: Placement) -> None:
        """Lay a tile that is known to fit."""
        super().place(placement)
        self._reach = self._turns = None

    def undo(self) -> Placement:
        """Take the last tile back, and return it."""
        self._reach = self._turns = None
        return super().undo()

    def _moves(self, tile: Tile) -> list[Placement]:
        cells = self._turns or {}
        return [laid((tile, cell, rotation)) for cell, turns in cells.items() for rotation in turns[tile]]

    def _demanded(self) -> int:
        # Few cells are next to the last tile, so they need no keys: any tile may meet what they demand.
        self._all_turns()
        return -1

    def _all_turns(self) -> dict[Cell, Turns]:
        # The same for every tile of a hand: few cells are open, but asking each of them goes round its corners.
        if self._turns is None:
            order, fives, needs = self.fit.corner_plays, self.fit.fives, self.needs
            self._turns = {cell: _turns(needs(cell), touch, order, fives) for cell, touch in self._reached().items()}
        return self._turns

    def _reached(self) -> dict[Cell, Touch | None]:
        if self._reach is None:
            last = self.last
            self._reach = {} if last is None else {**self._by_side(last.cell), **self._by_corner(last)}
        return self._reach

    def _by_side(self, last: Cell) -> dict[Cell, Touch | None]:
        """The open cells beside the last tile, or beside any where that is allowed."""
        if self.fit.everywhere:
            return dict.fromkeys(self._frontier.needs)
        return {near: None for near in self.lattice.shape(last).across if near not in self.placed}

    def _by_corner(self, last: Placement) -> dict[Cell, Touch | None]:
        """The open cells that share one point with the last tile, where a corner play is allowed."""
        order, everywhere = self.fit.corner_plays, self.fit.everywhere
        if order is None:
            return {}
        stands = [self.fit.wild_stands if label == WILD else label for label in last.shown]
        return {
            near: Touch(here, (stands[there - 1], stands[there]))
            for near, here, there, straight in _meetings(self.lattice, last.cell)
            if near not in self.placed
            and not (everywhere and near in self._frontier.needs)
            and (straight or order != "collinear")
        }

    def _check_contact(self, cell: Cell) -> None:
        if cell not in self._reached():
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


@lru_cache(maxsize=8192)
def _turns(needs: Needs, touch: Touch | None, order: CornerOrder | None, fives: bool) -> Turns:
    """One for all cells that demand the same."""
    return Turns(needs, touch, order, fives)


class _Meeting(NamedTuple):
    """A cell that shares one point with another: which corner of each it is, and whether sides run straight on."""

    near: Cell
    here: int
    there: int
    straight: bool


@lru_cache(maxsize=8192)
def _meetings(lattice: Lattice, cell: Cell) -> list[_Meeting]:
    """The cells that meet this one in one point, and how; `there` is the corner of this one."""
    corners = lattice.shape(cell).corners
    found = []
    for near in dict.fromkeys(near for corner in corners for near in lattice.around(corner)):
        others = lattice.shape(near).corners
        shared = [point for point in others if point in corners]
        if len(shared) == 1:
            point = shared[0]
            across = {(2 * point[0] - x, 2 * point[1] - y) for x, y in corners}
            found.append(_Meeting(near, others.index(point), corners.index(point), across == {*others}))
    return found


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
