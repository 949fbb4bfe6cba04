"""The table with cells, tiles and placements: the named interface of the numeric `engine.board.tableau`."""

from collections.abc import Collection, Iterable
from copy import copy
from functools import lru_cache
from typing import Final, NamedTuple

from engine.board.demands import Cache, Places, TileTable, Touch, lettered, needs_of, tile_table, touch_of
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
        """The labels on corners or sides 0, 1, 2, clockwise."""
        return rotated(self.tile, self.rotation)

    def __str__(self) -> str:
        return f"{self.cell}={labels_text(self.shown)}"


MOST_NAMED: Final = 16_384  # size of the caches of placements, per tile set
NEVER: Final[tuple[int, list[Placement]]] = -1, []  # the cache of legal moves after a change of the table


@lru_cache(maxsize=64)
def plies_of(table: TileTable) -> Cache[Placement, Ply]:
    """Return a cache of the plies of placements, shared by all boards with a tile set."""
    return Cache(lambda lies: (number_of(lies.cell), table.way(lies.tile, lies.rotation)), MOST_NAMED)


@lru_cache(maxsize=64)
def placements_of(grid: Grid, table: TileTable) -> Cache[Ply, Placement]:
    """Return a cache of the placements of plies, shared by all boards with a tile set."""

    def named(move: Ply) -> Placement:
        turned = table.turned[move[1]]
        return laid(Placement, (turned.tile, grid.cell(move[0]), turned.rotation))

    return Cache(named, MOST_NAMED)


class Board:
    """Tiles on a lattice, and the open cells around them; `place` and `undo` update both."""

    __slots__ = ("_asked", "_places", "fit", "lattice", "named", "placed", "plies", "tableau")

    def __init__(self, lattice: Lattice, fit: Fit, tiles: tuple[Tile, ...]) -> None:
        self.lattice = lattice
        self.fit = fit
        kind = Trail if isinstance(fit, TrailFit) else Tableau
        table, within = tile_table(fit, tiles, lattice.sides), frozenset(map(number_of, cells_within(lattice, fit)))
        grid = grid_of(lattice, fit.labels)
        self.tableau: Tableau = kind(grid, table, within)
        self.placed: dict[Cell, Placement] = {}  # in the order of play
        self.named: Final = placements_of(grid, table)
        self.plies: Final = plies_of(table)  # KeyError for a tile outside the set
        self._asked = NEVER  # the last hand and its legal moves, until the table changes; a turn asks more than once
        self._places: Places | None = None  # a cache until the table changes

    def copy(self) -> "Board":
        twin = copy(self)
        twin.tableau, twin.placed = self.tableau.copy(), self.placed.copy()
        twin._asked, twin._places = NEVER, None
        return twin

    def hand(self, tiles: Iterable[Tile]) -> int:
        """Return tiles as a mask. Raises KeyError for a tile outside the set."""
        return self.tableau.table.hand(tiles)

    @property
    def last(self) -> Placement | None:
        return next(reversed(self.placed.values()), None)

    @property
    def tiles(self) -> set[Tile]:
        return {lies.tile for lies in self.placed.values()}

    def sites(self, cell: Cell) -> tuple[Site, ...]:
        """Return the sites of a cell's labels, clockwise."""
        shape = self.lattice.shape(cell)
        return shape.corners if self.fit.labels == "corners" else shape.sides

    @property
    def labels(self) -> dict[Site, int]:
        """The label of every labelled site."""
        found: dict[Site, int] = {}
        for lies in self.placed.values():
            for site, label in zip(self.sites(lies.cell), lies.shown, strict=True):
                stands = self.fit.wild_stands if label == WILD else label
                if stands is not None:
                    found.setdefault(site, stands)
        return found

    @property
    def covers(self) -> dict[Site, int]:
        """The number of tiles that meet at each covered site."""
        found: dict[Site, int] = {}
        for cell in self.placed:
            for site in self.sites(cell):
                found[site] = found.get(site, 0) + 1
        return found

    def closed(self, cell: Cell) -> tuple[Site, ...]:
        """Return the corners of a cell that all other cells around them cover: hexagons that a tile closes."""
        corners = self.lattice.shape(cell).corners
        return tuple(corners[place] for place in self.tableau.closing(number_of(cell)))

    @property
    def open_cells(self) -> list[Cell]:
        """The empty cells that may be filled if the labels allow it."""
        return list(map(self.tableau.grid.cell, self.tableau.open()))

    def needs(self, cell: Cell) -> Needs:
        """Return the constraint of each site of a cell, clockwise."""
        return needs_of(self.tableau.demanded(number_of(cell)), self.lattice.sides)

    def touch(self, cell: Cell) -> Touch | None:
        """Return the constraint of a cell that is reached only by a corner."""
        return touch_of(self.tableau.open().get(number_of(cell), 0))

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """Return the rotations in which the tile fits on an open cell."""
        table, demand = self.tableau.table, self.tableau.open().get(number_of(cell))
        return (
            () if demand is None else tuple(table.turned[way].rotation for way in table.ways[demand][table.bit[tile]])
        )

    def legal(self, hand: Iterable[Tile]) -> list[Placement]:
        """Return every legal placement of a hand. On an empty table: each tile on the first cell, unturned."""
        held = self.tableau.table.hand(hand)
        asked, known = self._asked
        if asked != held:
            moves = self.tableau.legal(held)
            # The order must not depend on moves that were tried and undone.
            moves.sort()
            known = [self.named[move] for move in moves]
            self._asked = held, known
        return known.copy()

    def has_legal(self, hand: Iterable[Tile]) -> bool:
        return self.tableau.has_legal(self.tableau.table.hand(hand))

    def accepts(self, placement: Placement) -> bool:
        """Return whether a tile of the set fits there. False does not explain why; `check` does."""
        return placement.tile in self.tableau.table.number and self.tableau.accepts(*self.plies[placement])

    def places(self) -> Places:
        """Return the open cells with letters, and the dead cells. Before the opening: the first."""
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
        """Raise RuleBroken with the first reason, in the order of RULES §2, if the placement is illegal. `hand` is the
        mover's; None checks the table only. The tile must be of the set.
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
        """Place a tile that is known to fit."""
        self.tableau.place(*self.plies[placement])
        self.placed[placement.cell] = placement
        self._asked, self._places = NEVER, None

    def undo(self) -> Placement:
        """Undo the last placement, and return it."""
        self.tableau.undo()
        self._asked, self._places = NEVER, None
        return self.placed.popitem()[1]
