"""The table with names: cells, tiles and placements around the small numbers of `engine.board.tableau`.

Whatever a match or the referee asks of a table goes through here; what fits, and what changes, is said there.
"""

from collections.abc import Collection, Iterable
from copy import copy
from functools import lru_cache
from typing import Final, NamedTuple

from engine.board.demands import Places, TileTable, Touch, lettered, needs_of, tile_table, touch_of
from engine.board.lattice import Cell, Fit, Grid, Lattice, Site, TrailFit, cells_within, grid_of, number_of
from engine.board.tableau import Ply, Tableau, Trail, laid
from engine.board.tiles import WILD, Needs, Tile, labels_text, meets, rotated
from engine.match.errors import RuleBroken, Why


class Placement(NamedTuple):
    """A tile on a cell; place i shows `tile[(i + rotation) % len(tile)]` (and `tiles.rotated` for free orders)."""

    tile: Tile
    cell: Cell
    rotation: int

    @property
    def shown(self) -> Tile:
        """The labels on corners, or sides, 0, 1, 2."""
        return rotated(self.tile, self.rotation)

    def __str__(self) -> str:
        return f"{self.cell}={labels_text(self.shown)}"


MOST_NAMED: Final = 16_384
"""Placements that are remembered with their numbers, either way, for a set."""

NEVER: Final[tuple[int, list[Placement]]] = -1, []
"""What has been asked of a table that has just changed."""


class Placements(dict[Ply, Placement]):
    """Moves with names, of all tables that play with a set."""

    def __init__(self, grid: Grid, table: TileTable) -> None:
        super().__init__()
        self.grid, self.table = grid, table

    def __missing__(self, move: Ply) -> Placement:
        if len(self) >= MOST_NAMED:
            self.clear()
        cell, way = move
        turned = self.table.turned[way]
        found = self[move] = laid(Placement, (turned.tile, self.grid.cell(cell), turned.rotation))
        return found


class Plies(dict[Placement, Ply]):
    """Placements in numbers, of all tables that play with a set."""

    def __init__(self, table: TileTable) -> None:
        super().__init__()
        self.table = table

    def __missing__(self, placement: Placement) -> Ply:
        if len(self) >= MOST_NAMED:
            self.clear()
        tile, cell, rotation = placement
        found = self[placement] = number_of(cell), self.table.way(tile, rotation)
        return found


@lru_cache(maxsize=64)
def plies_of(table: TileTable) -> Plies:
    """The numbers of the placements of a set, one for all tables that play with it."""
    return Plies(table)


@lru_cache(maxsize=64)
def placements_of(grid: Grid, table: TileTable) -> Placements:
    """The names of the moves of a set, one for all tables that play with it."""
    return Placements(grid, table)


class Board:
    """Tiles on a lattice, and the open cells around them. `place` and `undo` keep both in step."""

    __slots__ = ("_asked", "_places", "fit", "lattice", "named", "placed", "plies", "tableau")

    def __init__(self, lattice: Lattice, fit: Fit, tiles: tuple[Tile, ...]) -> None:
        self.lattice = lattice
        self.fit = fit
        kind = Trail if isinstance(fit, TrailFit) else Tableau
        table, within = tile_table(fit, tiles, lattice.sides), frozenset(map(number_of, cells_within(lattice, fit)))
        grid = grid_of(lattice, fit.labels)
        self.tableau: Tableau = kind(grid, table, within)
        """The same in numbers."""
        self.placed: dict[Cell, Placement] = {}
        """The tiles on the table, in the order they were played."""
        self.named: Final = placements_of(grid, table)
        """Plies with names."""
        self.plies: Final = plies_of(table)
        """Placements in numbers. KeyError where the set has no such tile."""
        self._asked = NEVER
        """The hand that was asked about last and its moves, until the table changes: a turn asks more than once."""
        self._places: Places | None = None
        """The open cells under their letters, once they were asked for, until the table changes."""

    def copy(self) -> "Board":
        """A board of its own with the same tiles."""
        twin = copy(self)
        twin.tableau, twin.placed = self.tableau.copy(), self.placed.copy()
        twin._asked, twin._places = NEVER, None
        return twin

    # Numbers and names.

    def hand(self, tiles: Iterable[Tile]) -> int:
        """Tiles as a mask. Raises KeyError when the set has no such tile."""
        return self.tableau.table.hand(tiles)

    # What lies there.

    @property
    def last(self) -> Placement | None:
        """The tile that was placed last."""
        return next(reversed(self.placed.values()), None)

    @property
    def tiles(self) -> set[Tile]:
        """The tiles that lie on the table."""
        return {lies.tile for lies in self.placed.values()}

    def sites(self, cell: Cell) -> tuple[Site, ...]:
        """Where the labels of a cell lie, clockwise."""
        shape = self.lattice.shape(cell)
        return shape.corners if self.fit.labels == "corners" else shape.sides

    @property
    def labels(self) -> dict[Site, int]:
        """The label of every site that has one."""
        found: dict[Site, int] = {}
        for lies in self.placed.values():
            for site, label in zip(self.sites(lies.cell), lies.shown, strict=True):
                stands = self.fit.wild_stands if label == WILD else label
                if stands is not None:
                    found.setdefault(site, stands)
        return found

    @property
    def covers(self) -> dict[Site, int]:
        """How many tiles meet at each covered site."""
        found: dict[Site, int] = {}
        for cell in self.placed:
            for site in self.sites(cell):
                found[site] = found.get(site, 0) + 1
        return found

    def closed(self, cell: Cell) -> tuple[Site, ...]:
        """The corners of a cell that all others around are covered at: the hexagons that a tile closes there."""
        corners = self.lattice.shape(cell).corners
        return tuple(corners[place] for place in self.tableau.closing(number_of(cell)))

    # What may be added.

    @property
    def open_cells(self) -> list[Cell]:
        """The empty cells where a tile may go if its labels allow it."""
        return list(map(self.tableau.grid.cell, self.tableau.open()))

    def needs(self, cell: Cell) -> Needs:
        """What each site of a cell demands, clockwise."""
        return needs_of(self.tableau.demanded(number_of(cell)), self.lattice.sides)

    def touch(self, cell: Cell) -> Touch | None:
        """For a cell that can only be reached from corner to corner: where, and what must lie there."""
        return touch_of(self.tableau.open().get(number_of(cell), 0))

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which the tile may lie on an open cell."""
        table, demand = self.tableau.table, self.tableau.open().get(number_of(cell))
        return (
            () if demand is None else tuple(table.turned[way].rotation for way in table.ways[demand][table.bit[tile]])
        )

    def legal(self, hand: Iterable[Tile]) -> list[Placement]:
        """Every way to place a tile of the hand. On an empty table: each tile on the first cell, unturned."""
        held = self.tableau.table.hand(hand)
        asked, known = self._asked
        if asked != held:
            moves = self.tableau.legal(held)
            # The same for the same tiles on the table, whatever was tried and taken back.
            moves.sort()
            known = [self.named[move] for move in moves]
            self._asked = held, known
        return known.copy()

    def has_legal(self, hand: Iterable[Tile]) -> bool:
        """Whether any tile of the hand can be placed."""
        return self.tableau.has_legal(self.tableau.table.hand(hand))

    def accepts(self, placement: Placement) -> bool:
        """Whether it is a tile of the set and may lie so beside others: then nothing is left to check but who holds it.

        Where this is False nothing is known; `check` tells.
        """
        return placement.tile in self.tableau.table.number and self.tableau.accepts(*self.plies[placement])

    def places(self) -> Places:
        """The open cells under their letters, and those that no unplayed tile fits. Before the opening: the first."""
        if self._places is None:
            self._places = self._lettered()
        return self._places

    def _lettered(self) -> Places:
        alive, dead, opened = [self.lattice.first], list[Cell](), dict[Cell, int]()
        if self.placed:
            tableau = self.tableau
            table, unplayed = tableau.table, tableau.table.whole & ~tableau.played
            opened = {tableau.grid.cell(cell): demand for cell, demand in tableau.open().items()}
            cells = sorted(opened, key=self.lattice.order)
            alive = [cell for cell in cells if table.masks[opened[cell]] & unplayed]
            dead = [cell for cell in cells if not table.masks[opened[cell]] & unplayed]
        sides, wanted = self.lattice.sides, {cell: opened.get(cell, 0) for cell in alive}
        return Places(
            lettered((cell, needs_of(demand, sides), touch_of(demand)) for cell, demand in wanted.items()), tuple(dead)
        )

    def check(self, placement: Placement, hand: Collection[Tile] | None = None) -> None:
        """Raise RuleBroken, with the first reason in the order of RULES §2, when the placement is not legal here.

        `hand` is what the mover holds; None where only the table counts. Whether such a tile exists is asked before.
        """
        cell = placement.cell
        if cell in self.placed:
            raise RuleBroken(Why.OCCUPIED, cell=cell, by=self.placed[cell].tile)
        if self.tableau.table.bit[placement.tile] & self.tableau.played:
            raise RuleBroken(Why.TILE_ALREADY_PLAYED, tile=placement.tile)
        if hand is not None and placement.tile not in hand:
            raise RuleBroken(Why.NOT_IN_HAND, tile=placement.tile)
        if self.fit.within is not None and not self.fit.within(cell):
            raise RuleBroken(Why.OFF_THE_BOARD, cell=cell)
        if self.placed:
            self._check_contact(cell)
            self._check_labels(placement)

    def _check_contact(self, cell: Cell) -> None:
        if number_of(cell) not in self.tableau.open():
            last_only = isinstance(self.fit, TrailFit) and not self.fit.everywhere
            raise RuleBroken(Why.NOT_NEXT_TO_LAST if last_only else Why.NO_SIDE_CONTACT, cell=cell)

    def _check_labels(self, placement: Placement) -> None:
        if self.accepts(placement):
            return
        tile, cell, _ = placement
        for place, (need, shows) in enumerate(zip(self.needs(cell), placement.shown, strict=True)):
            if not meets(need, shows, fives=self.fit.fives):
                raise RuleBroken(
                    Why.CORNER_MISMATCH if self.fit.labels == "corners" else Why.SIDE_MISMATCH,
                    cell=cell,
                    tile=tile,
                    place=place,
                    needs=need,
                    shows=shows,
                )
        touch = self.touch(cell)
        assert touch is not None, "what does not fit breaks a side or a corner"
        shown = placement.shown
        raise RuleBroken(
            Why.CORNER_MISMATCH,
            cell=cell,
            tile=tile,
            place=touch.corner,
            needs=touch.numbers,
            shows=(shown[touch.corner - 1], shown[touch.corner]),
        )

    def place(self, placement: Placement) -> None:
        """Lay a tile that is known to fit."""
        self.tableau.place(*self.plies[placement])
        self.placed[placement.cell] = placement
        self._asked, self._places = NEVER, None

    def undo(self) -> Placement:
        """Take the last tile back, and return it."""
        self.tableau.undo()
        self._asked, self._places = NEVER, None
        return self.placed.popitem()[1]
