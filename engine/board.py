"""The table: which label lies on which site, what every open cell needs, and what fits where.

A label sits on a site, a corner or a side, and a tile only carries labels to sites. So a tile fits when every labelled
site of its cell agrees, and that one line covers side contact, point contact and diagonals (RULES §2).

Each open cell is kept under one key made of what its sites demand, and each tile knows the few keys it satisfies:
finding the legal moves of a hand is look-ups with no failing test.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from engine.errors import RuleBroken, Why
from engine.lattice import Cell, Lattice, Shape, Site
from engine.tiles import WILD, Needs, Tile, canonical, fitting, labels_text, meets, rotated, rotations

Key = tuple[int, ...]
"""What an open cell demands, whichever way it is turned; -1 where any label will do."""

Labels = Literal["corners", "sides"]
"""Where the labels of a tile lie."""


@dataclass(frozen=True, slots=True)
class Placement:
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


class Touch(NamedTuple):
    """A corner of a cell at which a tile may meet another's point, and the two numbers that must lie beside it."""

    corner: int
    numbers: tuple[int | None, int | None]
    """On the sides before and after the corner, clockwise as the other tile has them; None where any will do."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How tiles go together on a table."""

    labels: Labels = "corners"
    fives: bool = False
    """Numbers that meet add up to a multiple of five, instead of being equal."""
    free: bool = False
    """The labels of a tile have no fixed order."""
    wild_stands: int | None = None
    """The number that a wild label counts as once it lies; None leaves it wild."""
    within: Callable[[Cell], bool] | None = None
    """Says which cells there are, on a board with an edge."""


class Board:
    """Tiles on a lattice, and the open cells around them. `place` and `undo` keep both in step."""

    __slots__ = ("_by_key", "_fresh", "_keys", "covers", "fit", "labels", "lattice", "placed")

    def __init__(self, lattice: Lattice, fit: Fit | None = None) -> None:
        self.lattice = lattice
        self.fit = fit or Fit()
        self.placed: dict[Cell, Placement] = {}
        """The tiles on the table, in the order they were played."""
        self.labels: dict[Site, int] = {}
        """The label of every site that has one."""
        self.covers: dict[Site, int] = {}
        """How many tiles meet at each covered site."""
        self._fresh: list[list[Site]] = []
        """Which sites each tile labelled first, in the order of play."""
        self._keys: dict[Cell, Key] = {}
        self._by_key: dict[Key, dict[Cell, None]] = {}

    def copy(self) -> "Board":
        """A board of its own with the same tiles."""
        twin = type(self)(self.lattice, self.fit)
        twin.placed = self.placed.copy()
        twin.labels = self.labels.copy()
        twin.covers = self.covers.copy()
        twin._fresh = self._fresh.copy()  # its lists are never changed
        twin._keys = self._keys.copy()
        twin._by_key = {key: cells.copy() for key, cells in self._by_key.items() if cells}
        return twin

    @property
    def last(self) -> Placement | None:
        """The tile that was placed last."""
        return next(reversed(self.placed.values()), None)

    @property
    def open_cells(self) -> Iterable[Cell]:
        """The empty cells where a tile may go if its labels allow it."""
        return self._keys

    def sites(self, shape: Shape) -> tuple[Site, ...]:
        """Where the labels of a cell with this shape lie, clockwise."""
        return shape.corners if self.fit.labels == "corners" else shape.sides

    def needs(self, cell: Cell) -> Needs:
        """What each site of a cell demands, clockwise."""
        labels = self.labels
        return tuple([labels.get(site) for site in self.sites(self.lattice.shape(cell))])

    def touch(self, cell: Cell) -> Touch | None:
        """For a cell that can only be reached from corner to corner: where, and what must lie there."""
        return None

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which the tile may lie on an open cell."""
        return fitting(tile, self.needs(cell), self.fit.fives, self.fit.free)

    def legal(self, hand: Iterable[Tile]) -> Iterator[Placement]:
        """Every way to place a tile of the hand. On an empty table: each tile on the first cell, unturned."""
        if not self.placed:
            for tile in hand:
                yield Placement(tile, self.lattice.first, 0)
            return
        fives, free = self.fit.fives, self.fit.free
        for tile in hand:
            for cell in self._cells_for(tile):
                for rotation in fitting(tile, self.needs(cell), fives, free):
                    yield Placement(tile, cell, rotation)

    def has_legal(self, hand: Iterable[Tile]) -> bool:
        """Whether any tile of the hand can be placed."""
        if not self.placed:
            return any(True for _ in hand)
        return any(True for tile in hand for _ in self._cells_for(tile))

    def fillable(self, tiles: Collection[Tile]) -> set[Cell]:
        """The open cells that one of these tiles would fit."""
        if any(WILD in tile for tile in tiles):
            return set(self._keys)
        satisfied = {key for tile in tiles for key in self._keys_of(tile)}
        return {cell for cell, key in self._keys.items() if key in satisfied}

    def check(self, placement: Placement, hand: Collection[Tile] | None = None) -> None:
        """Raise RuleBroken, with the first reason in the order of RULES §2, when the placement is not legal here.

        `hand` is what the mover holds; None where only the table counts. Whether such a tile exists is asked before.
        """
        cell = placement.cell
        if cell in self.placed:
            raise RuleBroken(Why.OCCUPIED, cell=cell, by=self.placed[cell].tile)
        if any(lying.tile == placement.tile for lying in self.placed.values()):
            raise RuleBroken(Why.TILE_ALREADY_PLAYED, tile=placement.tile)
        if hand is not None and placement.tile not in hand:
            raise RuleBroken(Why.NOT_IN_HAND, tile=placement.tile)
        if self.fit.within is not None and not self.fit.within(cell):
            raise RuleBroken(Why.OFF_THE_BOARD, cell=cell)
        if self.placed:
            self._check_contact(cell)
            self._check_labels(placement)

    def _check_contact(self, cell: Cell) -> None:
        if cell not in self._keys:
            raise RuleBroken(Why.NO_SIDE_CONTACT, cell=cell)

    def _check_labels(self, placement: Placement) -> None:
        needed = zip(self.needs(placement.cell), placement.shown, strict=True)
        for place, (need, shows) in enumerate(needed):
            if not meets(need, shows, fives=self.fit.fives):
                raise RuleBroken(
                    Why.CORNER_MISMATCH if self.fit.labels == "corners" else Why.SIDE_MISMATCH,
                    cell=placement.cell,
                    tile=placement.tile,
                    place=place,
                    needs=need,
                    shows=shows,
                )

    def place(self, placement: Placement) -> None:
        """Lay a tile that is known to fit."""
        cell = placement.cell
        shape = self.lattice.shape(cell)
        self._forget(cell)
        self.placed[cell] = placement
        fresh = []
        for site, label in zip(self.sites(shape), placement.shown, strict=True):
            stands = self.fit.wild_stands if label == WILD else label
            if site not in self.labels and stands is not None:
                self.labels[site] = stands
                fresh.append(site)
            self.covers[site] = self.covers.get(site, 0) + 1
        self._fresh.append(fresh)
        # A newly labelled site changes what the open cells around it demand.
        for site in fresh:
            for near in self.lattice.around(site):
                if near in self._keys:
                    self._remember(near)
        for near in shape.across:
            if near not in self.placed and near not in self._keys:
                self._remember(near)

    def undo(self) -> Placement:
        """Take the last tile back, and return it."""
        cell, placement = self.placed.popitem()
        shape = self.lattice.shape(cell)
        for site in self.sites(shape):
            self.covers[site] -= 1
            if not self.covers[site]:
                del self.covers[site]
        bare = self._fresh.pop()
        for site in bare:
            del self.labels[site]
        for near in shape.across:
            if near in self._keys and not self._touches(near):
                self._forget(near)
        for site in bare:
            for near in self.lattice.around(site):
                if near in self._keys:
                    self._remember(near)
        if self._touches(cell):
            self._remember(cell)
        return placement

    def _touches(self, cell: Cell) -> bool:
        return any(near in self.placed for near in self.lattice.shape(cell).across)

    def _cells_for(self, tile: Tile) -> Iterable[Cell]:
        """The open cells that this tile fits."""
        if WILD in tile:
            # One tile of a set at most: it is not worth keys of its own.
            return [cell for cell in self._keys if self.fits(tile, cell)]
        by_key = self._by_key
        return [cell for key in self._keys_of(tile) for cell in by_key.get(key, ())]

    def _keys_of(self, tile: Tile) -> tuple[Key, ...]:
        return keys_of(tile, self.fit.labels, self.fit.fives, self.fit.free)

    def _remember(self, cell: Cell) -> None:
        if self.fit.within is not None and not self.fit.within(cell):
            return
        labels = self.labels
        wanted = [labels.get(site, -1) for site in self.sites(self.lattice.shape(cell))]
        if self.fit.fives:
            # What must be shown, counted round fives: 1 beside a 4, 0 (or 5) beside a 5.
            wanted = [label if label < 0 else -label % 5 for label in wanted]
        key = tuple(sorted(wanted)) if self.fit.free else canonical(tuple(wanted))
        old = self._keys.get(cell)
        if old == key:
            return
        if old is not None:
            del self._by_key[old][cell]
        self._keys[cell] = key
        self._by_key.setdefault(key, {})[cell] = None

    def _forget(self, cell: Cell) -> None:
        key = self._keys.pop(cell, None)
        if key is not None:
            del self._by_key[key][cell]


@lru_cache(maxsize=8192)
def keys_of(tile: Tile, labels: Labels = "corners", fives: bool = False, free: bool = False) -> tuple[Key, ...]:
    """The demands this tile satisfies. An open cell shares a side, so labels on corners are demanded in pairs."""
    size = len(tile)
    bare = tuple(label % 5 for label in tile) if fives else tile
    orders = {rotated(bare, turn) for turn in rotations(bare, free=free)}
    keys = set()
    for shown in orders:
        for mask in range(1 << size):
            known = [bool(mask >> place & 1) for place in range(size)]
            pair = any(known[place] and known[(place + 1) % size] for place in range(size))
            # A joker's corner demands nothing, so beside one a single number may be all that is asked.
            if pair or labels == "sides" or sum(known) <= 1:
                wanted = tuple(shown[i] if known[i] else -1 for i in range(size))
                keys.add(tuple(sorted(wanted)) if free else canonical(wanted))
    return tuple(sorted(keys))
