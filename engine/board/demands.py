"""The tiles of a set as numbers, and which of them meet the demand of an open cell.

A *way* is a tile in one rotation: the number of the tile times `turns`, plus the rotation. A *hand* is a mask with one
bit per tile. A *demand* has four bits per site: its label plus one, or 0 if any label fits. On a trail the bits above
them have the corner at which the last tile must be met, and its two numbers.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from engine.board.lattice import DIGIT, Cell, CornerOrder, Fit, TrailFit
from engine.board.tiles import WILD, Needs, Tile, meets, pips, rotated

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


class Places(NamedTuple):
    """The open cells of a table, top to bottom and left to right."""

    open: tuple[Place, ...]
    dead: tuple[Cell, ...]  # cells that no unplayed tile fits


def lettered(cells: Iterable[tuple[Cell, Needs, Touch | None]]) -> tuple[Place, ...]:
    """Return places with letters; the cells come in reading order."""
    return tuple(Place(letter, *demands) for letter, demands in zip(letters(), cells, strict=False))


def letters() -> Iterable[str]:
    """Yield A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in alphabet:
        for second in alphabet:
            yield first + second


MOST_DEMANDS: Final = 8192  # cached demands per set; a game with default options needs some hundreds
MOST_HANDS: Final = 64  # cached partial hands per demand: enough for a triangle with two known corners
_ONE = (1 << DIGIT) - 1
_TOUCH = 4 * DIGIT  # position of the touch in a demand: above the sites of a square


def touching(corner: int, first: int, second: int) -> int:
    """Return a demand to meet the last tile in a point, with these marks before and after the corner."""
    return (corner + 1 << 2 * DIGIT | first << DIGIT | second) << _TOUCH


def needs_of(demand: int, sides: int) -> Needs:
    """Return the label that a demand has for each site; None: any label."""
    marks = ((demand >> DIGIT * place) & _ONE for place in range(sides))
    return tuple(mark - 1 if mark else None for mark in marks)


def touch_of(demand: int) -> Touch | None:
    """Return the corner at which the last tile must be met, with its numbers; None if it need not be."""
    touch = demand >> _TOUCH
    if not touch:
        return None
    first, second = touch >> DIGIT & _ONE, touch & _ONE
    return Touch((touch >> 2 * DIGIT) - 1, (first - 1 if first else None, second - 1 if second else None))


class Turned(NamedTuple):
    """A way, decoded."""

    tile: Tile
    rotation: int
    shown: Tile
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


class Ways(Cache[int, tuple[int, ...]]):
    """A cache of the ways that meet one demand, by the held tiles that do."""

    def __init__(self, of_tile: dict[int, tuple[int, ...]]) -> None:
        super().__init__(
            lambda held: tuple(way for bit, ways in of_tile.items() if bit & held for way in ways), MOST_HANDS
        )
        self.mask = sum(of_tile)  # the tiles that meet it


class TileTable:
    """The tiles of a set as numbers, under one `Fit`."""

    def __init__(self, fit: Fit, tiles: tuple[Tile, ...], sides: int) -> None:
        self.fit, self.tiles, self.sides = fit, tiles, sides
        self.turns = sides * (6 if sides == 4 else 2) if fit.free else sides  # ways per tile, including equal ones
        self.number = {tile: number for number, tile in enumerate(tiles)}
        self.bit = {tile: 1 << number for number, tile in enumerate(tiles)}
        self.whole = (1 << len(tiles)) - 1  # all tiles
        self.turned = tuple(self._turned(tile, turn) for tile in tiles for turn in range(self.turns))
        self.marks = tuple(one.marks for one in self.turned)
        self.bits = tuple(self.bit[one.tile] for one in self.turned)
        self.stays_wild = any(0 in marks for marks in self.marks)
        """Whether a tile can cover a site without giving it a label."""
        self.pips = tuple(pips(one.tile) for one in self.turned)  # by way
        first = {(one.tile, one.shown): way for way, one in reversed([*enumerate(self.turned)])}
        self._same = tuple(first[one.tile, one.shown] for one in self.turned)
        self._all = sum(1 << way for way in set(self._same))
        # The ways that meet a mark at a place, as bits: a demand is met by an intersection.
        self._meeting = [
            [self._ways_if(place, mark, fives=fit.fives) for mark in range(_ONE + 1)] for place in range(sides)
        ]
        self._agreeing = (
            [[self._ways_if(place, mark, fives=False) for mark in range(_ONE + 1)] for place in range(sides)]
            if fit.fives
            else self._meeting
        )
        self.ways = Cache(self.meeting, MOST_DEMANDS)
        self.masks: Cache[int, int] = Cache(lambda demand: self.ways[demand].mask, MOST_DEMANDS)
        self.unknown = Cache(self._unlabelled, MOST_DEMANDS)  # the places without a label, by demand
        self._corner_order: CornerOrder | None = fit.corner_plays if isinstance(fit, TrailFit) else None

    def way(self, tile: Tile, rotation: int) -> int:
        """Return the number of a tile in a rotation, the lowest of the equal ones."""
        return self._same[self.number[tile] * self.turns + rotation % self.turns]

    def hand(self, tiles: Iterable[Tile]) -> int:
        """Return tiles as a mask. Raises KeyError for a tile outside the set."""
        return sum(map(self.bit.__getitem__, tiles))

    def held(self, hand: int) -> list[Tile]:
        """Return the tiles of a mask, in the order of the set."""
        found = []
        while hand:
            low = hand & -hand
            hand ^= low
            found.append(self.tiles[low.bit_length() - 1])
        return found

    def meeting(self, demand: int) -> Ways:
        left = self._all
        for place in range(self.sides):
            if mark := demand >> DIGIT * place & _ONE:
                left &= self._meeting[place][mark]
        if touch := demand >> _TOUCH:
            left &= self._meeting_a_point((touch >> 2 * DIGIT) - 1, touch >> DIGIT & _ONE, touch & _ONE)
        of_tile: dict[int, tuple[int, ...]] = {}
        while left:
            low = left & -left
            left ^= low
            way = low.bit_length() - 1
            bit = self.bits[way]
            of_tile[bit] = (*of_tile.get(bit, ()), way)
        return Ways(of_tile)

    def _unlabelled(self, demand: int) -> tuple[int, ...]:
        return tuple(place for place in range(self.sides) if not demand >> DIGIT * place & _ONE)

    def _meeting_a_point(self, corner: int, first: int, second: int) -> int:
        before, after = self._agreeing[corner - 1], self._agreeing[corner]
        # Clockwise about the point, `second, first` of the last tile is opposite `after, before`.
        straight, turned = before[first] & after[second], before[second] & after[first]
        match self._corner_order:
            case "collinear":
                return straight
            case "mirror":
                return turned
            case _:
                return straight | turned

    def _turned(self, tile: Tile, turn: int) -> Turned:
        shown, stands = rotated(tile, turn), self.fit.wild_stands
        wild = 0 if stands is None else stands + 1
        return Turned(tile, turn, shown, tuple(wild if label == WILD else label + 1 for label in shown))

    def _ways_if(self, place: int, mark: int, *, fives: bool) -> int:
        if not mark:
            return self._all
        return sum(1 << way for way in set(self._same) if meets(mark - 1, self.turned[way].shown[place], fives=fives))


@lru_cache(maxsize=64)
def tile_table(fit: Fit, tiles: tuple[Tile, ...], sides: int) -> TileTable:
    """Return the table of a set, cached for all boards that use it."""
    return TileTable(fit, tiles, sides)
