"""A table on which each tile goes next to the one before it (RULES §5)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

from engine.board import Board, Fit, Placement, laid
from engine.errors import RuleBroken, Why
from engine.lattice import Cell, Lattice
from engine.places import Touch
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


class AllTurns(dict[tuple[Needs, Touch | None], Turns]):
    """What fits cells by what they demand: one for all cells that demand the same, worked out when first asked for."""

    def __init__(self, order: CornerOrder | None, fives: bool) -> None:
        super().__init__()
        self.order, self.fives = order, fives

    def __missing__(self, demanded: tuple[Needs, Touch | None]) -> Turns:
        if len(self) >= KEPT:
            self.clear()
        found = self[demanded] = Turns(*demanded, self.order, self.fives)
        return found


KEPT: Final = 8192
"""Demands that are remembered for one way to meet; a default game knows a few hundred."""


class Corners(dict[Tile, list[tuple[int, int]]]):
    """Where a tile fits among the cells that share one point with the last tile and demand nothing else: the number of
    the cell, as `_near` counts them, and the rotation. Worked out when a tile is first asked about."""

    def __init__(self, touches: tuple[Touch, ...], order: CornerOrder, fives: bool) -> None:
        super().__init__()
        self.touches, self.order, self.fives = touches, order, fives

    def __missing__(self, tile: Tile) -> list[tuple[int, int]]:
        free: Needs = (None,) * len(tile)
        found = self[tile] = [
            (number, rotation)
            for number, touch in enumerate(self.touches)
            for rotation in _all_turns(self.order, self.fives)[free, touch][tile]
        ]
        return found


class OpenedEnd(NamedTuple):
    """The open cells of a trail."""

    sides: dict[Cell, Turns]
    """Those beside a tile, with what fits them."""
    points: Sequence[Cell | None]
    """Those that only share a point with the last tile, by number; None where another kind of cell is."""
    corners: Corners
    """What fits them."""


NO_CORNERS: Final = Corners((), "any", False)


class Trail(Board):
    """The board of Triangular Dominoes: labels lie on sides, and play goes on from the last tile."""

    __slots__ = ("_known", "_turns")
    fit: TrailFit

    def __init__(self, lattice: Lattice, fit: TrailFit) -> None:
        super().__init__(lattice, fit)
        self._turns = _all_turns(fit.corner_plays, fit.fives)
        self._known: OpenedEnd | None = None
        """The open cells, once they were asked for; until the table changes."""

    @property
    def open_cells(self) -> Iterable[Cell]:
        """The empty cells next to the last tile, and those that share one point with it where that is allowed."""
        opened = self._opened()
        return [*opened.sides, *(cell for cell in opened.points if cell is not None)]

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
        last = self.last
        if last is None or cell in self.placed or (self.fit.everywhere and cell in self._frontier.needs):
            return None
        points = _near(self.lattice, last.cell, self.fit.corner_plays).points
        return self._corners(last).touches[points.index(cell)] if cell in points else None

    def meets_corner(self, placement: Placement) -> bool:
        """Whether this legal placement is a corner play, also where it goes next to an older tile as well."""
        last, order = self.last, self.fit.corner_plays
        if last is None or order is None:
            return False
        points = _near(self.lattice, last.cell, order).points
        if placement.cell not in points:
            return False
        return _meets(self._corners(last).touches[points.index(placement.cell)], placement.shown, order)

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which the tile may lie on an open cell."""
        return self._turns[self._asked_of()(cell), self.touch(cell)][tile]

    def _ways(self, tiles: Iterable[Tile]) -> list[Placement]:
        found, (sides, points, corners) = self._found, self._opened()
        beside, moves = sides.items(), []
        for tile in tiles:
            if tile not in found:
                found[tile] = ways = []
                for cell, turns in beside:
                    for rotation in turns[tile]:
                        ways.append(laid(Placement, (tile, cell, rotation)))  # noqa: PERF401 - a comprehension is a call
                for number, rotation in corners[tile]:
                    if at := points[number]:
                        ways.append(laid(Placement, (tile, at, rotation)))
            moves += found[tile]
        return moves

    def fillable(self, tiles: Collection[Tile]) -> set[Cell]:
        """The open cells that one of these tiles would fit."""
        sides, points, corners = self._opened()
        met = {points[number] for tile in tiles for number, _ in corners[tile]} if points else set()
        return {cell for cell, turns in sides.items() if any(turns[tile] for tile in tiles)} | {*filter(None, met)}

    def place(self, placement: Placement) -> None:
        """Lay a tile that is known to fit."""
        super().place(placement)
        self._known = None

    def undo(self) -> Placement:
        """Take the last tile back, and return it."""
        self._known = None
        return super().undo()

    def _opened(self) -> OpenedEnd:
        if self._known is None:
            last = self.last
            self._known = OpenedEnd({}, (), NO_CORNERS) if last is None else self._around(last)
        return self._known

    def _around(self, last: Placement) -> OpenedEnd:
        fit, placed, beside, turns = self.fit, self.placed, self._frontier.needs, self._turns
        across, points = _near(self.lattice, last.cell, fit.corner_plays)
        asked = self._asked_of()
        sides: dict[Cell, Turns] = {}
        for cell in beside if fit.everywhere else across:
            if cell not in placed:
                sides[cell] = turns[asked(cell), None]
        if not points:
            return laid(OpenedEnd, (sides, points, NO_CORNERS))
        corners, free = self._corners(last), list[Cell | None](points)
        touches = corners.touches
        for number, cell in enumerate(points):
            if cell in beside:
                free[number] = None
                if cell not in sides:
                    sides[cell] = turns[asked(cell), touches[number]]
            elif cell in placed:
                free[number] = None
        return laid(OpenedEnd, (sides, free, corners))

    def _asked_of(self) -> Callable[[Cell], Needs]:
        """What tells of a cell what its sides demand."""
        if not self.fit.older_sides:
            return self.needs
        label, sites = self.labels.get, self.sites
        return lambda cell: tuple(map(label, sites(cell)))

    def _corners(self, last: Placement) -> Corners:
        tile, cell, rotation = last
        fit = self.fit
        return _corners(self.lattice, cell.kind, tile, rotation, fit.wild_stands, fit.corner_plays, fit.fives)

    def _check_contact(self, cell: Cell) -> None:
        if cell not in self.open_cells:
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


@cache
def _all_turns(order: CornerOrder | None, fives: bool) -> AllTurns:
    """One for all tables that are played alike."""
    return AllTurns(order, fives)


@lru_cache(maxsize=8192)
def _corners(
    lattice: Lattice, kind: str, last: Tile, rotation: int, wild: int | None, order: CornerOrder, fives: bool
) -> Corners:
    """What fits the cells at the points of a tile that lies like this."""
    cell = Cell(kind, 0, 0)
    corners = lattice.shape(cell).corners
    stands = [wild if label == WILD else label for label in rotated(last, rotation)]
    touches = []
    for near in _near(lattice, cell, order).points:
        others = lattice.shape(near).corners
        (point,) = {*others} & {*corners}
        there = corners.index(point)
        touches.append(Touch(others.index(point), (stands[there - 1], stands[there])))
    return Corners(tuple(touches), order, fives)


class Near(NamedTuple):
    """The cells around a cell, in the same order around every cell of a kind."""

    across: tuple[Cell, ...]
    """Those that share a side with it."""
    points: tuple[Cell, ...]
    """Those that share one point with it, where tiles may meet in a point."""


@lru_cache(maxsize=8192)
def _near(lattice: Lattice, cell: Cell, order: CornerOrder | None) -> Near:
    corners, _, across = lattice.shape(cell)
    points = []
    for near in dict.fromkeys(near for corner in corners for near in lattice.around(corner)):
        others = {*lattice.shape(near).corners}
        shared = others.intersection(corners)
        if order is not None and len(shared) == 1:
            ((x, y),) = shared
            straight = {(2 * x - right, 2 * y - up) for right, up in corners} == others
            if straight or order != "collinear":
                points.append(near)
    return Near(across, tuple(points))


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
