"""The tiles on a table in numbers: what lies where, what fits, what can be undone.

Labels sit on sites (corners or sides). A tile fits if every labelled site of its cell agrees, which covers side
contact, point contact and diagonals (RULES §2). Every cell around a tile has one number, its demand. A newly labelled
site adds to the demands of its cells, and a table lookup finds what fits. On a trail (RULES §5) each tile touches the
one before it. For cells see `engine.board.lattice`, for ways and hands `engine.board.demands`, for names
`engine.board.board`.
"""

from functools import lru_cache
from typing import Final

from engine.board.demands import TileTable, touching
from engine.board.lattice import CornerOrder, Grid, TrailFit

Ply = tuple[int, int]  # a placement: the cell and the way
laid: Final = tuple.__new__  # `laid(Kind, (one, two))` creates a named tuple in half the time of calling its class
Played = tuple[int, int, int, list[int]]
"""A placement and its undo data: cell, way, the tiles that fitted the cell, the opened cells."""

Lying = tuple[dict[int, int], int, dict[int, int], dict[int, int], list[Played]]
"""A snapshot: what lies, also as a mask; demands, open cells and history."""


class Tableau:
    """Tiles that may touch any other. `place` and `undo` update in place, without copies. The order of moves depends on
    what was undone; `Board` sorts them.
    """

    __slots__ = ("demand", "grid", "history", "lies", "masks", "played", "table", "within")

    def __init__(self, grid: Grid, table: TileTable, within: frozenset[int] = frozenset()) -> None:
        self.grid: Final = grid
        self.table: Final = table
        self.within: Final = within  # cells of a board with an edge; empty without one
        self.lies: dict[int, int] = {}  # by cell, in the order of play
        self.played = 0  # as a mask
        self.demand: dict[int, int] = {}  # of each cell around a tile
        self.masks: dict[int, int] = {}  # the tiles that fit each open cell, as a mask
        self.history: list[Played] = []

    def copy(self) -> "Tableau":
        twin = type(self)(self.grid, self.table, self.within)
        twin.lies, twin.played = self.lies.copy(), self.played
        twin.demand, twin.masks = self.demand.copy(), self.masks.copy()
        twin.history = self.history.copy()  # what it holds is never changed
        return twin

    def kept(self) -> Lying:
        """Return a snapshot for `put_back`."""
        return self.lies.copy(), self.played, self.demand.copy(), self.masks.copy(), self.history.copy()

    def put_back(self, kept: Lying) -> None:
        """Restore a snapshot with its order of moves; faster than undoing everything."""
        lies, played, demand, masks, history = kept
        self.lies, self.played, self.demand = lies.copy(), played, demand.copy()
        self.masks, self.history = masks.copy(), history.copy()

    @property
    def last(self) -> Ply | None:
        return self.history[-1][:2] if self.history else None

    def place(self, cell: int, way: int) -> None:
        """Place a tile that is known to fit."""
        table, masks, demand, lies, within = self.table, self.masks, self.demand, self.lies, self.within
        marks, fits = table.marks[way], table.masks
        kind = self.grid.kinds[cell & 1]
        mask = masks.pop(cell, 0)
        lies[cell] = way
        opened: list[int] = []
        for place in table.unknown[demand.get(cell, 0)]:
            for offset, added in kind.adding[place][marks[place]]:
                near = cell + offset
                demand[near] = wanted = demand.get(near, 0) + added
                if near in masks:
                    masks[near] = fits[wanted]
        for offset in kind.across:
            near = cell + offset
            if near not in masks and near not in lies and (not within or near in within):
                masks[near] = fits[demand.get(near, 0)]
                opened.append(near)
        self.played |= table.bits[way]
        self.history.append((cell, way, mask, opened))

    def undo(self) -> Ply:
        """Undo the last placement and return it."""
        table, masks, demand = self.table, self.masks, self.demand
        cell, way, mask, opened = self.history.pop()
        self.played ^= table.bits[way]
        del self.lies[cell]
        if not self.lies:
            demand.clear()
            masks.clear()
            return cell, way
        for near in opened:
            del masks[near]
        marks, fits, adding = table.marks[way], table.masks, self.grid.kinds[cell & 1].adding
        for place in table.unknown[demand.get(cell, 0)]:
            for offset, added in adding[place][marks[place]]:
                near = cell + offset
                demand[near] = wanted = demand[near] - added
                if near in masks:
                    masks[near] = fits[wanted]
        masks[cell] = mask
        return cell, way

    def legal(self, hand: int) -> list[Ply]:
        """Return every legal placement of a hand. On an empty table: each tile on the first cell, unturned."""
        table = self.table
        if not self.lies:
            return [(self.grid.first, number * table.turns) for number in _numbers(hand)]
        moves: list[Ply] = []
        ways, demand = table.ways, self.demand
        for cell, mask in self.masks.items():
            if held := mask & hand:
                for way in ways[demand[cell]][held]:
                    moves.append((cell, way))  # noqa: PERF401 - in Python 3.11 a comprehension is a call
        return moves

    def has_legal(self, hand: int) -> bool:
        if not self.lies:
            return bool(hand)
        for mask in self.masks.values():  # noqa: SIM110 - `any` would call a generator for each cell
            if mask & hand:
                return True
        return False

    def open(self) -> dict[int, int]:
        """Return the open cells with their demands."""
        demand = self.demand
        return {cell: demand.get(cell, 0) for cell in self.masks}

    def demanded(self, cell: int) -> int:
        return self.demand.get(cell, 0)

    def fitting(self) -> int:
        """Return the tiles that fit anywhere, as a mask."""
        found = 0
        for demand in self.open().values():
            found |= self.table.masks[demand]
        return found

    def accepts(self, cell: int, way: int) -> bool:
        """Return whether an unplayed tile fits there."""
        bit = self.table.bits[way]
        if bit & self.played or not self.masks.get(cell, 0) & bit:
            return False
        return way in self.table.ways[self.demand[cell]][bit]

    def meets_point(self, cell: int, way: int) -> bool:
        """Return whether a fitting tile is a corner play: it meets the last one in a point, and the numbers agree."""
        return False

    # What bonuses need, before a tile is placed on an empty cell.

    def beside(self, cell: int) -> list[int]:
        """Return the ways of the side neighbours of a cell, by side."""
        lies = self.lies
        return [lies[cell + offset] for offset in self.grid.kinds[cell & 1].across if cell + offset in lies]

    def covered(self, cell: int) -> int:
        """Return how many sites of an empty cell are covered, each counted once."""
        table, lies = self.table, self.lies
        unknown = table.unknown[self.demand.get(cell, 0)]
        if not table.stays_wild:
            return table.sides - len(unknown)
        sharing = self.grid.kinds[cell & 1].sharing
        # A wild label covers a corner and demands nothing.
        wild = [place for place in unknown if any(cell + offset in lies for offset in sharing[place])]
        return table.sides - len(unknown) + len(wild)

    def closing(self, cell: int) -> list[int]:
        """Return the places of an empty cell around which all other cells are covered."""
        lies, sharing = self.lies, self.grid.kinds[cell & 1].sharing
        return [place for place, steps in enumerate(sharing) if all(cell + offset in lies for offset in steps)]


def _numbers(hand: int) -> list[int]:
    return [number for number in range(hand.bit_length()) if hand >> number & 1]


Points = dict[int, int]  # demands of the cells that share one point with a tile, by offset
NOTHING: Final[dict[int, int]] = {}


class Trail(Tableau):
    """The tableau of Triangular Dominoes: labels on sides, and play continues at the last tile."""

    __slots__ = ("_open", "_touching", "fit")

    def __init__(self, grid: Grid, table: TileTable, within: frozenset[int] = frozenset()) -> None:
        super().__init__(grid, table, within)
        assert isinstance(table.fit, TrailFit)
        self.fit: Final = table.fit
        # Only the keys of `masks` are used: the cells beside any tile.
        self._open: dict[int, int] | None = None  # a cache until the table changes
        self._touching: Points | None = None  # a cache until the table changes

    def place(self, cell: int, way: int) -> None:
        masks, demand, lies = self.masks, self.demand, self.lies
        # A corner play may use a cell without neighbours.
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
        super().put_back(kept)
        self._open = self._touching = None

    def legal(self, hand: int) -> list[Ply]:
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
        if not self.lies:
            return bool(hand)
        masks = self.table.masks
        for demand in self.open().values():  # noqa: SIM110 - `any` would call a generator for each cell
            if masks[demand] & hand:
                return True
        return False

    def accepts(self, cell: int, way: int) -> bool:
        bit, demand = self.table.bits[way], self.open().get(cell)
        return demand is not None and not bit & self.played and way in self.table.ways[demand][bit]

    def meets_point(self, cell: int, way: int) -> bool:
        if not self.history or self.fit.corner_plays is None:
            return False
        touch = self._points().get(cell - self.history[-1][0])
        return touch is not None and way in self.table.ways[touch][self.table.bits[way]]

    def open(self) -> dict[int, int]:
        """Return the open cells with their demands: beside the last tile, around its points if corner plays are
        allowed, or beside any tile if play continues everywhere.
        """
        if self._open is None:
            self._open = self._around(self.history[-1][:2]) if self.history else NOTHING
        return self._open

    def demanded(self, cell: int) -> int:
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
                    # Older neighbours demand their label too, unless only the last tile counts.
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
    """Return the demands on the cells that share one point with a tile that shows these marks."""
    return {
        offset: touching(corner, marks[there - 1], marks[there])
        for offset, corner, there, straight in grid.kinds[kind].points
        if straight or order != "collinear"
    }
