"""The table: which label lies on which corner, what every open cell needs, and what fits where.

A label sits on a place and a tile only carries labels to places. So a tile fits when every labelled corner of its
cell agrees, and that one line covers side contact, point contact and diagonals (RULES §2).

Each open cell is kept under one key made of what its corners demand, and each tile knows the few keys it satisfies:
finding the legal moves of a hand is look-ups with no failing test.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import RuleBroken, Why
from engine.lattice import Cell, Lattice, Site
from engine.tiles import Needs, Tile, canonical, fitting, rotated

Key = tuple[int, ...]
"""What an open cell demands, whichever way it is turned; -1 where any label will do."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A tile on a cell; corner i shows `tile[(i + rotation) % 3]`."""

    tile: Tile
    cell: Cell
    rotation: int

    @property
    def shown(self) -> Tile:
        """The labels on corners 0, 1, 2."""
        return rotated(self.tile, self.rotation)

    def __str__(self) -> str:
        return f"{self.cell}={''.join(map(str, self.shown))}"


class Board:
    """Tiles on a lattice, and the open cells around them. `place` and `undo` keep both in step."""

    __slots__ = ("_by_key", "_keys", "covers", "labels", "lattice", "placed")

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.placed: dict[Cell, Placement] = {}
        """The tiles on the table, in the order they were played."""
        self.labels: dict[Site, int] = {}
        """The label of every covered corner."""
        self.covers: dict[Site, int] = {}
        """How many tiles meet at each covered corner."""
        self._keys: dict[Cell, Key] = {}
        self._by_key: dict[Key, dict[Cell, None]] = {}

    def copy(self) -> "Board":
        """A board of its own with the same tiles."""
        twin = Board(self.lattice)
        twin.placed = self.placed.copy()
        twin.labels = self.labels.copy()
        twin.covers = self.covers.copy()
        twin._keys = self._keys.copy()
        twin._by_key = {key: cells.copy() for key, cells in self._by_key.items() if cells}
        return twin

    @property
    def open_cells(self) -> Iterable[Cell]:
        """The empty cells that share a side with a tile."""
        return self._keys

    def needs(self, cell: Cell) -> Needs:
        """What each corner of a cell demands, clockwise."""
        return tuple(self.labels.get(site) for site in self.lattice.shape(cell).corners)

    def legal(self, hand: Iterable[Tile]) -> Iterator[Placement]:
        """Every way to place a tile of the hand. On an empty table: each tile on the first cell, unturned."""
        if not self.placed:
            for tile in hand:
                yield Placement(tile, self.lattice.first, 0)
            return
        for tile in hand:
            for key in keys_of(tile):
                for cell in self._by_key.get(key, ()):
                    for rotation in fitting(tile, self.needs(cell)):
                        yield Placement(tile, cell, rotation)

    def has_legal(self, hand: Iterable[Tile]) -> bool:
        """Whether any tile of the hand can be placed."""
        if not self.placed:
            return any(True for _ in hand)
        return any(self._by_key.get(key) for tile in hand for key in keys_of(tile))

    def fillable(self, cell: Cell, tiles: frozenset[Tile]) -> bool:
        """Whether one of these tiles would fit an open cell."""
        return any(fitting(tile, self.needs(cell)) for tile in tiles)

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
        if not self.placed:
            return
        if cell not in self._keys:
            raise RuleBroken(Why.NO_SIDE_CONTACT, cell=cell)
        for corner, (need, shows) in enumerate(zip(self.needs(cell), placement.shown, strict=True)):
            if need is not None and need != shows:
                raise RuleBroken(
                    Why.CORNER_MISMATCH,
                    cell=cell,
                    tile=placement.tile,
                    corner=corner,
                    site=self.lattice.shape(cell).corners[corner],
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
        for site, label in zip(shape.corners, placement.shown, strict=True):
            if site not in self.labels:
                self.labels[site] = label
                fresh.append(site)
            self.covers[site] = self.covers.get(site, 0) + 1
        # A newly labelled corner changes what the open cells around it demand.
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
        bare = []
        for site in shape.corners:
            self.covers[site] -= 1
            if not self.covers[site]:
                del self.covers[site], self.labels[site]
                bare.append(site)
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

    def _remember(self, cell: Cell) -> None:
        labels = self.labels
        key = canonical(tuple([labels.get(site, -1) for site in self.lattice.shape(cell).corners]))
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


@lru_cache(maxsize=4096)
def keys_of(tile: Tile) -> tuple[Key, ...]:
    """The demands this tile satisfies. A cell shares a side, so two corners in a row are always demanded."""
    size = len(tile)
    keys = set()
    for mask in range(1 << size):
        known = [bool(mask >> corner & 1) for corner in range(size)]
        if any(known[corner] and known[(corner + 1) % size] for corner in range(size)):
            keys.add(canonical(tuple(tile[i] if known[i] else -1 for i in range(size))))
    return tuple(sorted(keys))
