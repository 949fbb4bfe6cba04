"""The tiles of a set as numbers, and which of them meet the demand of an open cell.

A *way* is a tile in one rotation: the number of the tile times `turns`, plus the rotation. A *hand* is a mask with one
bit per tile. A *demand* has four bits per site: its label plus one, or 0 if any label fits. On a trail the bits above
them have the corner at which the last tile must be met, and its two numbers.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from engine.board.lattice import SITE_BITS, Cell, CornerOrder, Fit, TrailFit
from engine.board.tiles import WILD, Needs, Tile, count_pips, meets, rotate_tile

K = TypeVar("K")
V = TypeVar("V")


class Touch(NamedTuple):
    """A corner at which a tile may meet the last one in a point, and the two numbers beside it."""

    corner: int
    numbers: tuple[int | None, int | None]
    """On the sides before and after the corner, clockwise as the other tile has them; None: any number."""


@dataclass(frozen=True, slots=True)
class Place:
    """An open cell that some unplayed tile fits, with its public letter."""

    letter: str
    cell: Cell
    needs: Needs  # constraints of its corners or sides, clockwise; None: any label
    touch: Touch | None = None  # constraint of a place that is reached only by a corner


class BoardPlaces(NamedTuple):
    """The open cells of a table, top to bottom and left to right."""

    open: tuple[Place, ...]
    dead: tuple[Cell, ...]  # cells that no unplayed tile fits
    impossible: tuple[Cell, ...]  # those of them that no tile of the set fits


def assign_letters(cells: Iterable[tuple[Cell, Needs, Touch | None]]) -> tuple[Place, ...]:
    """Return places with letters; the cells come in reading order."""
    return tuple(Place(letter, *demands) for letter, demands in zip(iterate_letters(), cells, strict=False))


def iterate_letters() -> Iterable[str]:
    """Yield A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in alphabet:
        for second in alphabet:
            yield first + second


MAX_DEMANDS: Final = 8192  # cached demands per set; a game with default options needs some hundreds
MAX_HANDS: Final = 64  # cached partial hands per demand: enough for a triangle with two known corners
_SITE_MASK = (1 << SITE_BITS) - 1
_TOUCH_SHIFT = 4 * SITE_BITS  # position of the touch in a demand: above the sites of a square


def encode_touch(corner: int, first: int, second: int) -> int:
    """Return a demand to meet the last tile in a point, with these marks before and after the corner."""
    return (corner + 1 << 2 * SITE_BITS | first << SITE_BITS | second) << _TOUCH_SHIFT


def decode_needs(demand: int, sides: int) -> Needs:
    """Return the label that a demand has for each site; None: any label."""
    marks = ((demand >> SITE_BITS * place) & _SITE_MASK for place in range(sides))
    return tuple(mark - 1 if mark else None for mark in marks)


def decode_touch(demand: int) -> Touch | None:
    """Return the corner at which the last tile must be met, with its numbers; None if it need not be."""
    touch = demand >> _TOUCH_SHIFT
    if not touch:
        return None
    first, second = touch >> SITE_BITS & _SITE_MASK, touch & _SITE_MASK
    return Touch((touch >> 2 * SITE_BITS) - 1, (first - 1 if first else None, second - 1 if second else None))


class OrientedTile(NamedTuple):
    """A way, decoded."""

    tile: Tile
    rotation: int
    shown_labels: Tile
    marks: tuple[int, ...]  # each label as it counts on the table, plus one; 0 if it stays wild


class Cache(dict[K, V]):
    """Values that are computed when they are first used; a full cache starts again."""

    def __init__(self, make: Callable[[K], V], most: int) -> None:
        super().__init__()
        self._make, self._most = make, most

    def __missing__(self, key: K) -> V:
        if len(self) >= self._most:
            self.clear()
        found = self[key] = self._make(key)
        return found


class WayCache(Cache[int, tuple[int, ...]]):
    """A cache of the ways that meet one demand, by the held tiles that do."""

    def __init__(self, ways_by_tile: dict[int, tuple[int, ...]]) -> None:
        super().__init__(
            lambda held: tuple(way for bit, ways in ways_by_tile.items() if bit & held for way in ways), MAX_HANDS
        )
        self.mask = sum(ways_by_tile)  # the tiles that meet it


class TileTable:
    """The tiles of a set as numbers, under one `Fit`."""

    def __init__(self, fit: Fit, tiles: tuple[Tile, ...], sides: int) -> None:
        self.fit, self.tiles, self.sides = fit, tiles, sides
        # Ways per tile, including equal ones.
        self.turns = sides * (6 if sides == 4 else 2) if fit.free_order else sides
        self.number_by_tile = {tile: number for number, tile in enumerate(tiles)}
        self.bit_by_tile = {tile: 1 << number for number, tile in enumerate(tiles)}
        self.full_mask = (1 << len(tiles)) - 1  # all tiles
        self.oriented_tiles = tuple(self._orient_tile(tile, turn) for tile in tiles for turn in range(self.turns))
        self.marks_by_way = tuple(one.marks for one in self.oriented_tiles)
        self.bit_by_way = tuple(self.bit_by_tile[one.tile] for one in self.oriented_tiles)
        self.has_wild_labels = any(0 in marks for marks in self.marks_by_way)
        """Whether a tile can cover a site without giving it a label."""
        self.pips_by_way = tuple(count_pips(one.tile) for one in self.oriented_tiles)  # by way
        first = {(one.tile, one.shown_labels): way for way, one in reversed([*enumerate(self.oriented_tiles)])}
        self._lowest_equal_way = tuple(first[one.tile, one.shown_labels] for one in self.oriented_tiles)
        self._all_ways = sum(1 << way for way in set(self._lowest_equal_way))
        # The ways that meet a mark at a place, as bits: a demand is met by an intersection.
        self._fitting_ways = self._list_ways_by_mark(fives=fit.sums_of_five)
        self._equal_ways = self._list_ways_by_mark(fives=False) if fit.sums_of_five else self._fitting_ways
        self.ways_by_demand = Cache(self.compute_ways, MAX_DEMANDS)
        self.mask_by_demand: Cache[int, int] = Cache(lambda demand: self.ways_by_demand[demand].mask, MAX_DEMANDS)
        self.unlabelled_places = Cache(self._list_unlabelled_places, MAX_DEMANDS)  # places without a label, by demand
        self._corner_order: CornerOrder | None = fit.corner_plays if isinstance(fit, TrailFit) else None

    def get_way(self, tile: Tile, rotation: int) -> int:
        """Return the number of a tile in a rotation, the lowest of the equal ones."""
        return self._lowest_equal_way[self.number_by_tile[tile] * self.turns + rotation % self.turns]

    def to_mask(self, tiles: Iterable[Tile]) -> int:
        """Return tiles as a mask. Raises KeyError for a tile outside the set."""
        return sum(map(self.bit_by_tile.__getitem__, tiles))

    def list_tiles(self, hand: int) -> list[Tile]:
        """Return the tiles of a mask, in the order of the set."""
        found = []
        while hand:
            low = hand & -hand
            hand ^= low
            found.append(self.tiles[low.bit_length() - 1])
        return found

    def compute_ways(self, demand: int) -> WayCache:
        left = self._all_ways
        for place in range(self.sides):
            if mark := demand >> SITE_BITS * place & _SITE_MASK:
                left &= self._fitting_ways[place][mark]
        if touch := demand >> _TOUCH_SHIFT:
            left &= self._compute_touching_ways(
                (touch >> 2 * SITE_BITS) - 1, touch >> SITE_BITS & _SITE_MASK, touch & _SITE_MASK
            )
        ways_by_tile: dict[int, tuple[int, ...]] = {}
        while left:
            low = left & -left
            left ^= low
            way = low.bit_length() - 1
            bit = self.bit_by_way[way]
            ways_by_tile[bit] = (*ways_by_tile.get(bit, ()), way)
        return WayCache(ways_by_tile)

    def _list_unlabelled_places(self, demand: int) -> tuple[int, ...]:
        return tuple(place for place in range(self.sides) if not demand >> SITE_BITS * place & _SITE_MASK)

    def _compute_touching_ways(self, corner: int, first: int, second: int) -> int:
        before, after = self._equal_ways[corner - 1], self._equal_ways[corner]
        # Clockwise about the point, `second, first` of the last tile is opposite `after, before`.
        straight, crossed = before[first] & after[second], before[second] & after[first]
        match self._corner_order:
            case "collinear":
                return straight
            case "mirror":
                return crossed
            case _:
                return straight | crossed

    def _orient_tile(self, tile: Tile, turn: int) -> OrientedTile:
        shown, wild_value = rotate_tile(tile, turn), self.fit.wild_value
        wild_mark = 0 if wild_value is None else wild_value + 1
        return OrientedTile(tile, turn, shown, tuple(wild_mark if label == WILD else label + 1 for label in shown))

    def _list_ways_by_mark(self, *, fives: bool) -> list[list[int]]:
        """Return the ways that meet each mark at each place; mark 0 is met by all."""
        found = [[self._all_ways] + [0] * _SITE_MASK for _ in range(self.sides)]
        for way in set(self._lowest_equal_way):
            for ways, label in zip(found, self.oriented_tiles[way].shown_labels, strict=True):
                for mark in range(1, _SITE_MASK + 1):
                    if meets(mark - 1, label, fives=fives):
                        ways[mark] |= 1 << way
        return found


@lru_cache(maxsize=64)
def get_tile_table(fit: Fit, tiles: tuple[Tile, ...], sides: int) -> TileTable:
    """Return the table of a set, cached for all boards that use it."""
    return TileTable(fit, tiles, sides)
