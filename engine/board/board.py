"""The table with cells, tiles and placements: the named interface of the numeric `engine.board.tableau`."""

from collections.abc import Collection, Iterable
from copy import copy
from functools import lru_cache
from typing import Final, NamedTuple

from engine.board.demands import (
    BoardPlaces,
    Cache,
    TileTable,
    Touch,
    assign_letters,
    decode_needs,
    decode_touch,
    get_tile_table,
)
from engine.board.lattice import Cell, Fit, Grid, Lattice, Site, TrailFit, compute_board_cells, encode_cell, get_grid
from engine.board.tableau import Ply, Tableau, TrailTableau, new_tuple
from engine.board.tiles import WILD, Needs, Tile, format_labels, meets, rotate_tile
from engine.match.errors import RuleError, Violation


class Placement(NamedTuple):
    """A tile on a cell; place i shows `tile[(i + rotation) % len(tile)]` (and `tiles.rotate_tile` for free orders)."""

    tile: Tile
    cell: Cell
    rotation: int

    @property
    def shown_labels(self) -> Tile:
        """The labels on corners or sides 0, 1, 2, clockwise."""
        return rotate_tile(self.tile, self.rotation)

    def __str__(self) -> str:
        return f"{self.cell}={format_labels(self.shown_labels)}"


MAX_CACHED_PLACEMENTS: Final = 16_384  # size of the caches of placements, per tile set
EMPTY_MOVE_CACHE: Final[tuple[int, list[Placement]]] = -1, []  # the cache of legal moves after a change of the table


@lru_cache(maxsize=64)
def get_ply_cache(table: TileTable) -> Cache[Placement, Ply]:
    """Return a cache of the plies of placements, shared by all boards with a tile set."""
    return Cache(
        lambda placement: (encode_cell(placement.cell), table.get_way(placement.tile, placement.rotation)),
        MAX_CACHED_PLACEMENTS,
    )


@lru_cache(maxsize=64)
def get_placement_cache(grid: Grid, table: TileTable) -> Cache[Ply, Placement]:
    """Return a cache of the placements of plies, shared by all boards with a tile set."""

    def build_placement(move: Ply) -> Placement:
        oriented = table.oriented_tiles[move[1]]
        return new_tuple(Placement, (oriented.tile, grid.decode_cell(move[0]), oriented.rotation))

    return Cache(build_placement, MAX_CACHED_PLACEMENTS)


class Board:
    """Tiles on a lattice, and the open cells around them; `place` and `undo` update both."""

    __slots__ = (
        "_move_cache",
        "_places",
        "fit",
        "lattice",
        "placed",
        "placements_by_ply",
        "plies_by_placement",
        "tableau",
    )

    def __init__(self, lattice: Lattice, fit: Fit, tiles: tuple[Tile, ...]) -> None:
        self.lattice = lattice
        self.fit = fit
        kind = TrailTableau if isinstance(fit, TrailFit) else Tableau
        grid, table = get_grid(lattice, fit.labels), get_tile_table(fit, tiles, lattice.sides)
        within = frozenset(map(encode_cell, compute_board_cells(lattice, fit)))
        self.tableau: Tableau = kind(grid, table, within)
        self.placed: dict[Cell, Placement] = {}  # in the order of play
        self.placements_by_ply: Final = get_placement_cache(grid, table)
        self.plies_by_placement: Final = get_ply_cache(table)  # KeyError for a tile outside the set
        self._move_cache = EMPTY_MOVE_CACHE  # the last hand and its legal moves, until the table changes
        self._places: BoardPlaces | None = None  # a cache until the table changes

    def copy(self) -> "Board":
        board = copy(self)
        board.tableau, board.placed = self.tableau.copy(), self.placed.copy()
        board._move_cache, board._places = EMPTY_MOVE_CACHE, None
        return board

    def to_mask(self, tiles: Iterable[Tile]) -> int:
        """Return tiles as a mask. Raises KeyError for a tile outside the set."""
        return self.tableau.table.to_mask(tiles)

    @property
    def last(self) -> Placement | None:
        return next(reversed(self.placed.values()), None)

    @property
    def tiles(self) -> set[Tile]:
        return {placement.tile for placement in self.placed.values()}

    def list_sites(self, cell: Cell) -> tuple[Site, ...]:
        """Return the sites of a cell's labels, clockwise."""
        shape = self.lattice.get_shape(cell)
        return shape.corners if self.fit.labels == "corners" else shape.sides

    @property
    def labels(self) -> dict[Site, int]:
        """The label of every labelled site."""
        found: dict[Site, int] = {}
        for placement in self.placed.values():
            for site, label in zip(self.list_sites(placement.cell), placement.shown_labels, strict=True):
                value = self.fit.wild_value if label == WILD else label
                if value is not None:
                    found.setdefault(site, value)
        return found

    def list_closed_corners(self, cell: Cell) -> tuple[Site, ...]:
        """Return the corners of a cell that all other cells around them cover: hexagons that a tile closes."""
        corners = self.lattice.get_shape(cell).corners
        return tuple(corners[place] for place in self.tableau.list_closed_places(encode_cell(cell)))

    @property
    def open_cells(self) -> list[Cell]:
        """The empty cells that may be filled if the labels allow it."""
        return list(map(self.tableau.grid.decode_cell, self.tableau.get_open_cells()))

    def get_needs(self, cell: Cell) -> Needs:
        """Return the constraint of each site of a cell, clockwise."""
        return decode_needs(self.tableau.get_demand(encode_cell(cell)), self.lattice.sides)

    def get_touch(self, cell: Cell) -> Touch | None:
        """Return the constraint of a cell that is reached only by a corner."""
        return decode_touch(self.tableau.get_open_cells().get(encode_cell(cell), 0))

    def list_legal_moves(self, hand: Iterable[Tile]) -> list[Placement]:
        """Return every legal placement of a hand. On an empty table: each tile on the first cell, unturned."""
        held = self.tableau.table.to_mask(hand)
        cached_hand, cached_moves = self._move_cache
        if cached_hand != held:
            moves = self.tableau.list_legal_moves(held)
            # The order must not depend on moves that were tried and undone.
            moves.sort()
            cached_moves = [self.placements_by_ply[move] for move in moves]
            self._move_cache = held, cached_moves
        return cached_moves.copy()

    def has_legal_move(self, hand: Iterable[Tile]) -> bool:
        return self.tableau.has_legal_move(self.tableau.table.to_mask(hand))

    def can_place(self, placement: Placement) -> bool:
        """Return whether a tile of the set fits there. False does not explain why; `check` does."""
        return placement.tile in self.tableau.table.number_by_tile and self.tableau.can_place(
            *self.plies_by_placement[placement]
        )

    def list_places(self) -> BoardPlaces:
        """Return the open cells with letters, and the dead cells. Before the opening: the first."""
        if self._places is None:
            self._places = self._compute_places()
        return self._places

    def _compute_places(self) -> BoardPlaces:
        playable, dead, impossible, demands = [self.lattice.first], list[Cell](), list[Cell](), dict[Cell, int]()
        if self.placed:
            tableau = self.tableau
            table, unplayed = tableau.table, tableau.table.full_mask & ~tableau.played_mask
            demands = {tableau.grid.decode_cell(cell): demand for cell, demand in tableau.get_open_cells().items()}
            cells = sorted(demands, key=self.lattice.get_reading_order)
            playable = [cell for cell in cells if table.mask_by_demand[demands[cell]] & unplayed]
            dead = [cell for cell in cells if not table.mask_by_demand[demands[cell]] & unplayed]
            impossible = [cell for cell in dead if not table.mask_by_demand[demands[cell]]]
        sides, playable_demands = self.lattice.sides, {cell: demands.get(cell, 0) for cell in playable}
        asked = ((cell, decode_needs(demand, sides), decode_touch(demand)) for cell, demand in playable_demands.items())
        return BoardPlaces(assign_letters(asked), tuple(dead), tuple(impossible))

    def check(self, placement: Placement, hand: Collection[Tile] | None = None) -> None:
        """Raise RuleError with the first reason, in the order of RULES §2, if the placement is illegal. `hand` is the
        mover's; None checks the table only. The tile must be of the set.
        """
        cell = placement.cell
        if cell in self.placed:
            raise RuleError(Violation.OCCUPIED, cell=cell, by=self.placed[cell].tile)
        if self.tableau.table.bit_by_tile[placement.tile] & self.tableau.played_mask:
            raise RuleError(Violation.TILE_ALREADY_PLAYED, tile=placement.tile)
        if hand is not None and placement.tile not in hand:
            raise RuleError(Violation.NOT_IN_HAND, tile=placement.tile)
        if self.fit.within is not None and not self.fit.within(cell):
            raise RuleError(Violation.OFF_THE_BOARD, cell=cell)
        if self.placed:
            self._check_contact(cell)
            self._check_labels(placement)

    def _check_contact(self, cell: Cell) -> None:
        if encode_cell(cell) not in self.tableau.get_open_cells():
            last_only = isinstance(self.fit, TrailFit) and not self.fit.open_layout
            raise RuleError(Violation.NOT_NEXT_TO_LAST if last_only else Violation.NO_SIDE_CONTACT, cell=cell)

    def _check_labels(self, placement: Placement) -> None:
        if self.can_place(placement):
            return
        tile, cell, shown = placement.tile, placement.cell, placement.shown_labels
        for place, (need, shows) in enumerate(zip(self.get_needs(cell), shown, strict=True)):
            if not meets(need, shows, fives=self.fit.sums_of_five):
                why = Violation.CORNER_MISMATCH if self.fit.labels == "corners" else Violation.SIDE_MISMATCH
                raise RuleError(why, cell=cell, tile=tile, place=place, needs=need, shows=shows)
        touch = self.get_touch(cell)
        assert touch is not None, "what does not fit breaks a side or a corner"
        corner, beside = touch.corner, (shown[touch.corner - 1], shown[touch.corner])
        why = Violation.CORNER_MISMATCH
        raise RuleError(why, cell=cell, tile=tile, place=corner, needs=touch.numbers, shows=beside)

    def place(self, placement: Placement) -> None:
        """Place a tile that is known to fit."""
        self.tableau.place(*self.plies_by_placement[placement])
        self.placed[placement.cell] = placement
        self._move_cache, self._places = EMPTY_MOVE_CACHE, None

    def undo(self) -> Placement:
        """Undo the last placement, and return it."""
        self.tableau.undo()
        self._move_cache, self._places = EMPTY_MOVE_CACHE, None
        return self.placed.popitem()[1]
