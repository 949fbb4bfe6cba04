"""A table on which each tile goes next to the one before it (RULES §5), in small numbers like `engine.tableau`."""

from functools import lru_cache
from typing import Final

from engine.demands import TileTable, touching
from engine.fit import CornerOrder, TrailFit
from engine.grid import Grid
from engine.tableau import Lying, Ply, Tableau

Points = dict[int, int]
"""What cells that share one point with a tile demand of that point, by the step to them."""

NOTHING: Final[dict[int, int]] = {}


class Trail(Tableau):
    """The tableau of Triangular Dominoes: labels lie on sides, and play goes on from the last tile."""

    __slots__ = ("_open", "_touching", "fit")

    def __init__(self, grid: Grid, table: TileTable, within: frozenset[int] = frozenset()) -> None:
        super().__init__(grid, table, within)
        assert isinstance(table.fit, TrailFit)
        self.fit: Final = table.fit
        # Of `masks` only the keys tell something here: the cells beside any tile.
        self._open: dict[int, int] | None = None
        """The open cells, once they were asked for, until the table changes."""
        self._touching: Points | None = None
        """What the cells in a point's reach of the last tile demand, likewise."""

    def place(self, cell: int, way: int) -> None:
        """Lay a tile that is known to fit."""
        masks, demand, lies = self.masks, self.demand, self.lies
        # A corner play may go where no tile was beside.
        mask = masks.pop(cell, 0)
        opened: list[int] = []
        for by_mark, mark in zip(self.grid.kinds[cell & 1].adding, self.table.marks[way], strict=True):
            for offset, added in by_mark[mark]:
                near = cell + offset
                if near not in lies:
                    demand[near] = demand.get(near, 0) + added
                    if near not in masks:
                        masks[near] = 1
                        opened.append(near)
        lies[cell] = way
        self.played |= self.table.bits[way]
        self.history.append((cell, way, mask, opened))
        self._open = self._touching = None

    def undo(self) -> Ply:
        """Take the last tile back, and say how it lay."""
        masks, demand, lies = self.masks, self.demand, self.lies
        cell, way, mask, opened = self.history.pop()
        self._open = self._touching = None
        self.played ^= self.table.bits[way]
        del lies[cell]
        if not lies:
            demand.clear()
            masks.clear()
            return cell, way
        for near in opened:
            del masks[near]
        if mask:
            masks[cell] = mask
        for by_mark, mark in zip(self.grid.kinds[cell & 1].adding, self.table.marks[way], strict=True):
            for offset, added in by_mark[mark]:
                if cell + offset not in lies:
                    demand[cell + offset] -= added
        return cell, way

    def put_back(self, kept: Lying) -> None:
        """Lay the tiles as they lay."""
        super().put_back(kept)
        self._open = self._touching = None

    def legal(self, hand: int) -> list[Ply]:
        """Every way to place a tile of the hand. On an empty table: each on the first cell, unturned."""
        if not self.lies:
            return super().legal(hand)
        moves: list[Ply] = []
        masks, ways = self.table.masks, self.table.ways
        for cell, demand in self.open().items():
            if held := masks[demand] & hand:
                for way in ways[demand][held]:
                    moves.append((cell, way))  # noqa: PERF401 - in Python 3.11 a comprehension is a call
        return moves

    def has_legal(self, hand: int) -> bool:
        """Whether any tile of the hand can be placed."""
        if not self.lies:
            return bool(hand)
        masks = self.table.masks
        for demand in self.open().values():  # noqa: SIM110 - `any` would call a generator for each cell
            if masks[demand] & hand:
                return True
        return False

    def accepts(self, cell: int, way: int) -> bool:
        """Whether a tile that does not lie yet may lie so, beside others."""
        bit, demand = self.table.bits[way], self.open().get(cell)
        return demand is not None and not bit & self.played and way in self.table.ways[demand][bit]

    def meets_point(self, cell: int, way: int) -> bool:
        """Whether a tile that fits there is a corner play, also where it goes next to an older tile as well."""
        if not self.history or self.fit.corner_plays is None:
            return False
        touch = self._points().get(cell - self.history[-1][0])
        return touch is not None and way in self.table.ways[touch][self.table.bits[way]]

    def open(self) -> dict[int, int]:
        """The cells that may be played to, with what each demands: beside the last tile and, where it may be met in a
        point, around it; beside any tile where play goes on everywhere.
        """
        if self._open is None:
            self._open = self._around(self.history[-1][:2]) if self.history else NOTHING
        return self._open

    def demanded(self, cell: int) -> int:
        """What the sides of a cell demand."""
        if self.fit.older_sides or not self.history:
            return self.demand.get(cell, 0)
        last, way = self.history[-1][:2]
        for by_mark, mark in zip(self.grid.kinds[last & 1].adding, self.table.marks[way], strict=True):
            for offset, added in by_mark[mark]:
                if last + offset == cell:
                    return added
        return 0

    def _around(self, last: Ply) -> dict[int, int]:
        lies, here, older = self.lies, last[0], self.fit.older_sides
        demand = self.demand.get if older else None
        found: dict[int, int] = {}
        if self.fit.everywhere:
            for near in self.masks:
                found[near] = demand(near, 0) if demand else self.demanded(near)
        else:
            for offset in self.grid.kinds[here & 1].across:
                near = here + offset
                if near not in lies:
                    found[near] = demand(near, 0) if demand else self.demanded(near)
        if self.fit.corner_plays is not None:
            for offset, touch in self._points().items():
                near = here + offset
                if near not in lies and near not in found:
                    # Beside an older tile it demands that one's label too; nothing where only the last tile counts.
                    found[near] = demand(near, 0) | touch if demand else touch
        return found

    def _points(self) -> Points:
        found = self._touching
        if found is None:
            assert self.fit.corner_plays is not None
            cell, way = self.history[-1][:2]
            found = _points(self.grid, self.table.marks[way], cell & 1, self.fit.corner_plays)
            self._touching = found
        return found


@lru_cache(maxsize=8192)
def _points(grid: Grid, marks: tuple[int, ...], kind: int, order: CornerOrder) -> Points:
    """What is demanded around a tile that shows these marks, of the cells that share one point with it."""
    return {
        offset: touching(corner, marks[there - 1], marks[there])
        for offset, corner, there, straight in grid.kinds[kind].points
        if straight or order != "collinear"
    }
