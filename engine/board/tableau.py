"""The tiles on a table in small numbers: what lies where, what may be added, what is taken back.

A label sits on a site, a corner or a side, and a tile only carries labels to sites. So a tile fits when every labelled
site of its cell agrees, and that one line covers side contact, point contact and diagonals (RULES §2). Every cell
around a tile carries one number made of what its sites demand. A site that gets its label adds it to the cells that
meet there, and what fits a cell is looked up by its number: nothing is tried in vain.

On a trail (RULES §5) each tile goes next to the one before it.

Cells are numbers of `engine.board.lattice`, ways and hands those of `engine.board.demands`; `engine.board.board` has
the same with names.
"""

from functools import lru_cache
from typing import Final

from engine.board.demands import TileTable, touching
from engine.board.lattice import CornerOrder, Grid, TrailFit

Ply = tuple[int, int]
"""A placement: the cell, and the way in which the tile lies there."""


laid: Final = tuple.__new__
"""`laid(Kind, (one, two))` makes a tuple with names in half the time that calling its class takes."""


Played = tuple[int, int, int, list[int]]
"""A tile that was placed, with what takes it back: its cell and its way; the tiles that fitted the cell; the cells that
it opened.
"""

Lying = tuple[dict[int, int], int, dict[int, int], dict[int, int], list[Played]]
"""Tiles as they lay: what lies, also as a mask; demands, open cells and history."""


class Tableau:
    """Tiles that go next to any other. `place` and `undo` keep what fits in step, and copy nothing.

    Moves come in no order of their own: it depends on what was taken back. `Board` puts them in one.
    """

    __slots__ = ("demand", "grid", "history", "lies", "masks", "played", "table", "within")

    def __init__(self, grid: Grid, table: TileTable, within: frozenset[int] = frozenset()) -> None:
        self.grid: Final = grid
        self.table: Final = table
        self.within: Final = within
        """The cells of a board with an edge; none where it has no edge."""
        self.lies: dict[int, int] = {}
        """The way that lies on each covered cell, in the order of play."""
        self.played = 0
        """The tiles that lie, as a mask."""
        self.demand: dict[int, int] = {}
        """What each cell around a tile demands."""
        self.masks: dict[int, int] = {}
        """The open cells, with the tiles that fit each as a mask: those that share a side with a tile."""
        self.history: list[Played] = []

    def copy(self) -> "Tableau":
        """The same tiles, to change without changing these."""
        twin = type(self)(self.grid, self.table, self.within)
        twin.lies, twin.played = self.lies.copy(), self.played
        twin.demand, twin.masks = self.demand.copy(), self.masks.copy()
        twin.history = self.history.copy()  # what it holds is never changed
        return twin

    def kept(self) -> Lying:
        """The tiles as they lie, to be put back."""
        return self.lies.copy(), self.played, self.demand.copy(), self.masks.copy(), self.history.copy()

    def put_back(self, kept: Lying) -> None:
        """Lay the tiles as they lay, moves in the order that they had: sooner than to undo what came since."""
        lies, played, demand, masks, history = kept
        self.lies, self.played, self.demand = lies.copy(), played, demand.copy()
        self.masks, self.history = masks.copy(), history.copy()

    @property
    def last(self) -> Ply | None:
        """The tile that was placed last."""
        return self.history[-1][:2] if self.history else None

    def place(self, cell: int, way: int) -> None:
        """Lay a tile that is known to fit."""
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
        """Take the last tile back, and say how it lay."""
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
        """Every way to place a tile of the hand. On an empty table: each on the first cell, unturned."""
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
        """Whether any tile of the hand can be placed."""
        if not self.lies:
            return bool(hand)
        for mask in self.masks.values():  # noqa: SIM110 - `any` would call a generator for each cell
            if mask & hand:
                return True
        return False

    def open(self) -> dict[int, int]:
        """The empty cells where a tile may go if its labels allow it, with what each demands."""
        demand = self.demand
        return {cell: demand.get(cell, 0) for cell in self.masks}

    def demanded(self, cell: int) -> int:
        """What the sites of a cell demand."""
        return self.demand.get(cell, 0)

    def accepts(self, cell: int, way: int) -> bool:
        """Whether a tile that does not lie yet may lie so, beside others."""
        bit = self.table.bits[way]
        if bit & self.played or not self.masks.get(cell, 0) & bit:
            return False
        return way in self.table.ways[self.demand[cell]][bit]

    def meets_point(self, cell: int, way: int) -> bool:
        """Whether a tile that fits there is a corner play: it meets the last one in a point, and the numbers agree."""
        return False

    # What bonuses look at, before a tile is laid on an empty cell.

    def beside(self, cell: int) -> list[int]:
        """The ways of the tiles that share a side with a cell, by its sides."""
        lies = self.lies
        return [lies[cell + offset] for offset in self.grid.kinds[cell & 1].across if cell + offset in lies]

    def covered(self, cell: int) -> int:
        """How many sites of an empty cell a tile covers already: each counts once, however many tiles meet there."""
        table, lies = self.table, self.lies
        unknown = table.unknown[self.demand.get(cell, 0)]
        if not table.stays_wild:
            return table.sides - len(unknown)
        sharing = self.grid.kinds[cell & 1].sharing
        # A wild label covers a corner and demands nothing.
        wild = [place for place in unknown if any(cell + offset in lies for offset in sharing[place])]
        return table.sides - len(unknown) + len(wild)

    def closing(self, cell: int) -> list[int]:
        """The places of an empty cell around which all other cells are covered."""
        lies, sharing = self.lies, self.grid.kinds[cell & 1].sharing
        return [place for place, steps in enumerate(sharing) if all(cell + offset in lies for offset in steps)]


def _numbers(hand: int) -> list[int]:
    return [number for number in range(hand.bit_length()) if hand >> number & 1]


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
