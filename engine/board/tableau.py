"""The tiles on a table, encoded in integers: placed tiles, open cells with the tiles that fit, and the history for
undo.

Labels sit on sites (corners or sides). A tile fits if every labelled site of its cell agrees, which covers side
contact, point contact and diagonals (RULES §2). Every cell around a tile has one number, its demand. A newly labelled
site adds to the demands of its cells, and a table lookup finds what fits. On a trail (RULES §5) each tile touches the
one before it. For cells see `engine.board.lattice`, for ways and hands `engine.board.demands`, for names
`engine.board.board`.
"""

from functools import lru_cache
from typing import Final

from engine.board.demands import TileTable, encode_touch
from engine.board.lattice import CornerOrder, Grid, TrailFit

Ply = tuple[int, int]  # a placement: the cell and the way
new_tuple: Final = tuple.__new__  # `new_tuple(Kind, (one, two))` takes half the time of `Kind(one, two)`
HistoryEntry = tuple[int, int, int, list[int]]
"""A placement and its undo data: cell, way, the tiles that fitted the cell, the opened cells."""

Snapshot = tuple[dict[int, int], int, dict[int, int], dict[int, int], list[HistoryEntry]]
"""A snapshot: placed tiles, also as a mask; demands, open cells and history."""


class Tableau:
    """Tiles that may touch any other. `place` and `undo` update in place, without copies. The order of moves depends on
    what was undone; `Board` sorts them.
    """

    __slots__ = ("demands", "grid", "history", "masks", "placed_ways", "played_mask", "table", "within")

    def __init__(self, grid: Grid, table: TileTable, within: frozenset[int] = frozenset()) -> None:
        self.grid: Final = grid
        self.table: Final = table
        self.within: Final = within  # cells of a board with an edge; empty without one
        self.placed_ways: dict[int, int] = {}  # by cell, in the order of play
        self.played_mask = 0  # as a mask
        self.demands: dict[int, int] = {}  # of each cell around a tile
        self.masks: dict[int, int] = {}  # the tiles that fit each open cell, as a mask
        self.history: list[HistoryEntry] = []

    def copy(self) -> "Tableau":
        tableau = type(self)(self.grid, self.table, self.within)
        tableau.placed_ways, tableau.played_mask = self.placed_ways.copy(), self.played_mask
        tableau.demands, tableau.masks = self.demands.copy(), self.masks.copy()
        tableau.history = self.history.copy()  # its entries are never changed
        return tableau

    def take_snapshot(self) -> Snapshot:
        return self.placed_ways.copy(), self.played_mask, self.demands.copy(), self.masks.copy(), self.history.copy()

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot with its order of moves; faster than undoing everything."""
        placed_ways, played, demand, masks, history = snapshot
        self.placed_ways, self.played_mask, self.demands = placed_ways.copy(), played, demand.copy()
        self.masks, self.history = masks.copy(), history.copy()

    @property
    def last(self) -> Ply | None:
        return self.history[-1][:2] if self.history else None

    def place(self, cell: int, way: int) -> None:
        """Place a tile that is known to fit."""
        table, masks, demand, placed_ways, within = self.table, self.masks, self.demands, self.placed_ways, self.within
        marks, fits = table.marks_by_way[way], table.mask_by_demand
        kind = self.grid.kinds[cell & 1]
        mask = masks.pop(cell, 0)
        placed_ways[cell] = way
        opened: list[int] = []
        for place in table.unlabelled_places[demand.get(cell, 0)]:
            for offset, added in kind.demand_steps[place][marks[place]]:
                near = cell + offset
                demand[near] = wanted = demand.get(near, 0) + added
                if near in masks:
                    masks[near] = fits[wanted]
        for offset in kind.neighbour_offsets:
            near = cell + offset
            if near not in masks and near not in placed_ways and (not within or near in within):
                masks[near] = fits[demand.get(near, 0)]
                opened.append(near)
        self.played_mask |= table.bit_by_way[way]
        self.history.append((cell, way, mask, opened))

    def undo(self) -> Ply:
        """Undo the last placement and return it."""
        table, masks, demand = self.table, self.masks, self.demands
        cell, way, mask, opened = self.history.pop()
        self.played_mask ^= table.bit_by_way[way]
        del self.placed_ways[cell]
        if not self.placed_ways:
            demand.clear()
            masks.clear()
            return cell, way
        for near in opened:
            del masks[near]
        marks, fits, adding = table.marks_by_way[way], table.mask_by_demand, self.grid.kinds[cell & 1].demand_steps
        for place in table.unlabelled_places[demand.get(cell, 0)]:
            for offset, added in adding[place][marks[place]]:
                near = cell + offset
                demand[near] = wanted = demand[near] - added
                if near in masks:
                    masks[near] = fits[wanted]
        masks[cell] = mask
        return cell, way

    def list_legal_moves(self, hand: int) -> list[Ply]:
        """Return every legal placement of a hand. On an empty table: each tile on the first cell, unturned."""
        table = self.table
        if not self.placed_ways:
            return [(self.grid.first, number * table.turns) for number in _list_tile_numbers(hand)]
        moves: list[Ply] = []
        ways, demand = table.ways_by_demand, self.demands
        for cell, mask in self.masks.items():
            if held := mask & hand:
                for way in ways[demand[cell]][held]:
                    moves.append((cell, way))  # noqa: PERF401 - in Python 3.11 a comprehension is a call
        return moves

    def has_legal_move(self, hand: int) -> bool:
        if not self.placed_ways:
            return bool(hand)
        for mask in self.masks.values():  # noqa: SIM110 - `any` would call a generator for each cell
            if mask & hand:
                return True
        return False

    def get_open_cells(self) -> dict[int, int]:
        demand = self.demands
        return {cell: demand.get(cell, 0) for cell in self.masks}

    def get_demand(self, cell: int) -> int:
        return self.demands.get(cell, 0)

    def compute_fitting_tiles(self) -> int:
        """Return the tiles that fit anywhere, as a mask."""
        found = 0
        for demand in self.get_open_cells().values():
            found |= self.table.mask_by_demand[demand]
        return found

    def can_place(self, cell: int, way: int) -> bool:
        """Return whether an unplayed tile fits there."""
        bit = self.table.bit_by_way[way]
        if bit & self.played_mask or not self.masks.get(cell, 0) & bit:
            return False
        return way in self.table.ways_by_demand[self.demands[cell]][bit]

    def is_corner_play(self, cell: int, way: int) -> bool:
        """Return whether a fitting tile is a corner play: it meets the last one in a point, and the numbers agree."""
        return False

    # What bonuses need, before a tile is placed on an empty cell.

    def list_neighbour_ways(self, cell: int) -> list[int]:
        """Return the ways of the side neighbours of a cell, by side."""
        placed_ways = self.placed_ways
        return [
            placed_ways[cell + offset]
            for offset in self.grid.kinds[cell & 1].neighbour_offsets
            if cell + offset in placed_ways
        ]

    def count_covered_sites(self, cell: int) -> int:
        """Return how many sites of an empty cell are covered, each counted once."""
        table, placed_ways = self.table, self.placed_ways
        unknown = table.unlabelled_places[self.demands.get(cell, 0)]
        if not table.has_wild_labels:
            return table.sides - len(unknown)
        sharing = self.grid.kinds[cell & 1].sharing_offsets
        # A wild label covers a corner and demands nothing.
        wild = [place for place in unknown if any(cell + offset in placed_ways for offset in sharing[place])]
        return table.sides - len(unknown) + len(wild)

    def list_closed_places(self, cell: int) -> list[int]:
        """Return the places of an empty cell around which all other cells are covered."""
        placed_ways, sharing = self.placed_ways, self.grid.kinds[cell & 1].sharing_offsets
        return [place for place, steps in enumerate(sharing) if all(cell + offset in placed_ways for offset in steps)]


def _list_tile_numbers(hand: int) -> list[int]:
    return [number for number in range(hand.bit_length()) if hand >> number & 1]


PointDemands = dict[int, int]  # demands of the cells that share one point with a tile, by offset
NO_CELLS: Final[dict[int, int]] = {}


class TrailTableau(Tableau):
    """The tableau of Triangular Dominoes: labels on sides, and play continues at the last tile."""

    __slots__ = ("_open_cells", "_point_demands", "fit")

    def __init__(self, grid: Grid, table: TileTable, within: frozenset[int] = frozenset()) -> None:
        super().__init__(grid, table, within)
        assert isinstance(table.fit, TrailFit)
        self.fit: Final = table.fit
        # Only the keys of `masks` are used: the cells beside any tile.
        self._open_cells: dict[int, int] | None = None  # a cache until the table changes
        self._point_demands: PointDemands | None = None  # a cache until the table changes

    def place(self, cell: int, way: int) -> None:
        masks, demand, placed_ways = self.masks, self.demands, self.placed_ways
        # A corner play may use a cell without neighbours.
        mask = masks.pop(cell, 0)
        opened: list[int] = []
        for by_mark, mark in zip(self.grid.kinds[cell & 1].demand_steps, self.table.marks_by_way[way], strict=True):
            for offset, added in by_mark[mark]:
                near = cell + offset
                if near not in placed_ways:
                    demand[near] = demand.get(near, 0) + added
                    if near not in masks:
                        masks[near] = 1
                        opened.append(near)
        placed_ways[cell] = way
        self.played_mask |= self.table.bit_by_way[way]
        self.history.append((cell, way, mask, opened))
        self._open_cells = self._point_demands = None

    def undo(self) -> Ply:
        masks, demand, placed_ways = self.masks, self.demands, self.placed_ways
        cell, way, mask, opened = self.history.pop()
        self._open_cells = self._point_demands = None
        self.played_mask ^= self.table.bit_by_way[way]
        del placed_ways[cell]
        if not placed_ways:
            demand.clear()
            masks.clear()
            return cell, way
        for near in opened:
            del masks[near]
        if mask:
            masks[cell] = mask
        for by_mark, mark in zip(self.grid.kinds[cell & 1].demand_steps, self.table.marks_by_way[way], strict=True):
            for offset, added in by_mark[mark]:
                if cell + offset not in placed_ways:
                    demand[cell + offset] -= added
        return cell, way

    def restore(self, snapshot: Snapshot) -> None:
        super().restore(snapshot)
        self._open_cells = self._point_demands = None

    def list_legal_moves(self, hand: int) -> list[Ply]:
        if not self.placed_ways:
            return super().list_legal_moves(hand)
        moves: list[Ply] = []
        masks, ways = self.table.mask_by_demand, self.table.ways_by_demand
        for cell, demand in self.get_open_cells().items():
            if held := masks[demand] & hand:
                for way in ways[demand][held]:
                    moves.append((cell, way))  # noqa: PERF401 - in Python 3.11 a comprehension is a call
        return moves

    def has_legal_move(self, hand: int) -> bool:
        if not self.placed_ways:
            return bool(hand)
        masks = self.table.mask_by_demand
        for demand in self.get_open_cells().values():  # noqa: SIM110 - `any` would call a generator for each cell
            if masks[demand] & hand:
                return True
        return False

    def can_place(self, cell: int, way: int) -> bool:
        bit, demand = self.table.bit_by_way[way], self.get_open_cells().get(cell)
        return demand is not None and not bit & self.played_mask and way in self.table.ways_by_demand[demand][bit]

    def is_corner_play(self, cell: int, way: int) -> bool:
        if not self.history or self.fit.corner_plays is None:
            return False
        touch = self._get_point_demands().get(cell - self.history[-1][0])
        return touch is not None and way in self.table.ways_by_demand[touch][self.table.bit_by_way[way]]

    def get_open_cells(self) -> dict[int, int]:
        """Return the open cells with their demands: beside the last tile, around its points if corner plays are
        allowed, or beside any tile if play continues everywhere.
        """
        if self._open_cells is None:
            self._open_cells = self._compute_open_cells(self.history[-1][:2]) if self.history else NO_CELLS
        return self._open_cells

    def get_demand(self, cell: int) -> int:
        if self.fit.match_older_sides or not self.history:
            return self.demands.get(cell, 0)
        last, way = self.history[-1][:2]
        for by_mark, mark in zip(self.grid.kinds[last & 1].demand_steps, self.table.marks_by_way[way], strict=True):
            for offset, added in by_mark[mark]:
                if last + offset == cell:
                    return added
        return 0

    def _compute_open_cells(self, last: Ply) -> dict[int, int]:
        placed_ways, cell, older = self.placed_ways, last[0], self.fit.match_older_sides
        demand = self.demands.get if older else None
        found: dict[int, int] = {}
        if self.fit.open_layout:
            for near in self.masks:
                found[near] = demand(near, 0) if demand else self.get_demand(near)
        else:
            for offset in self.grid.kinds[cell & 1].neighbour_offsets:
                near = cell + offset
                if near not in placed_ways:
                    found[near] = demand(near, 0) if demand else self.get_demand(near)
        if self.fit.corner_plays is not None:
            for offset, touch in self._get_point_demands().items():
                near = cell + offset
                if near not in placed_ways and near not in found:
                    # Older neighbours demand their label too, unless only the last tile counts.
                    found[near] = demand(near, 0) | touch if demand else touch
        return found

    def _get_point_demands(self) -> PointDemands:
        found = self._point_demands
        if found is None:
            assert self.fit.corner_plays is not None
            cell, way = self.history[-1][:2]
            found = _compute_point_demands(self.grid, self.table.marks_by_way[way], cell & 1, self.fit.corner_plays)
            self._point_demands = found
        return found


@lru_cache(maxsize=8192)
def _compute_point_demands(grid: Grid, marks: tuple[int, ...], kind: int, order: CornerOrder) -> PointDemands:
    """Return the demands on the cells that share one point with a tile that shows these marks."""
    return {
        offset: encode_touch(corner, marks[place - 1], marks[place])
        for offset, corner, place, straight in grid.kinds[kind].point_contacts
        if straight or order != "collinear"
    }
