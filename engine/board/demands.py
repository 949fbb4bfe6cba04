"""The tiles of a game as small numbers, and which of them meet what an open cell demands.

A *way* is a tile in one rotation: the number of the tile times `turns`, plus the rotation. A *hand* is a mask with a
bit for each tile. What a cell *demands* is one number: four bits for each of its sites, the label there plus one, or
nothing where any will do; above them, on a trail, the corner at which the last tile must be met, with its two numbers.
A `Place` is such a cell under the letter that everybody sees.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from engine.board.lattice import DIGIT, Cell, CornerOrder, Fit, TrailFit
from engine.board.tiles import WILD, Needs, Tile, meets, pips, rotated


class Touch(NamedTuple):
    """A corner of a cell at which a tile may meet another's point, and the two numbers that must lie beside it."""

    corner: int
    numbers: tuple[int | None, int | None]
    """On the sides before and after the corner, clockwise as the other tile has them; None where any will do."""


@dataclass(frozen=True, slots=True)
class Place:
    """An open cell that some unplayed tile could fill, under the letter everybody sees for it."""

    letter: str
    cell: Cell
    needs: Needs
    """What its corners (or sides) demand, clockwise; None where any label will do."""
    touch: Touch | None = None
    """For a place that can only be reached from corner to corner: where, and what must lie there."""


class Places(NamedTuple):
    """The open cells of a table, top to bottom and left to right."""

    open: tuple[Place, ...]
    dead: tuple[Cell, ...]
    """Those that no unplayed tile fits."""


def lettered(cells: Iterable[tuple[Cell, Needs, Touch | None]]) -> tuple[Place, ...]:
    """The cells that could be filled, with what each demands, under their letters. They come in reading order."""
    return tuple(Place(letter, *demands) for letter, demands in zip(letters(), cells, strict=False))


def letters() -> Iterable[str]:
    """A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in alphabet:
        for second in alphabet:
            yield first + second


MOST_DEMANDS: Final = 8192
"""Demands that are remembered for a set; a game by its default reading knows some hundreds."""
MOST_HANDS: Final = 64
"""Parts of hands whose ways are remembered for a demand: all there are in a triangle of which two corners are known."""

_ONE = (1 << DIGIT) - 1
_TOUCH = 4 * DIGIT
"""Where a number says how the last tile must be met: above the sites of a square."""


def touching(corner: int, first: int, second: int) -> int:
    """What meeting the last tile in a point adds to a demand: at this corner, with these marks before and after it."""
    return (corner + 1 << 2 * DIGIT | first << DIGIT | second) << _TOUCH


def needs_of(demand: int, sides: int) -> Needs:
    """A demand in words: the label of each site, None where any will do."""
    marks = ((demand >> DIGIT * place) & _ONE for place in range(sides))
    return tuple(mark - 1 if mark else None for mark in marks)


def touch_of(demand: int) -> Touch | None:
    """The corner at which the last tile must be met, and its numbers; None where it need not be."""
    touch = demand >> _TOUCH
    if not touch:
        return None
    first, second = touch >> DIGIT & _ONE, touch & _ONE
    return Touch((touch >> 2 * DIGIT) - 1, (first - 1 if first else None, second - 1 if second else None))


class Turned(NamedTuple):
    """A way in words and in marks."""

    tile: Tile
    rotation: int
    shown: Tile
    marks: tuple[int, ...]
    """What each label counts as once it lies, plus one; 0 where it stays wild."""


class Ways(dict[int, tuple[int, ...]]):
    """The ways that meet one demand, by what is held of the tiles that do."""

    def __init__(self, of_tile: dict[int, tuple[int, ...]]) -> None:
        super().__init__()
        self.mask = sum(of_tile)
        """The tiles that meet it."""
        self._of_tile = of_tile

    def __missing__(self, held: int) -> tuple[int, ...]:
        if len(self) >= MOST_HANDS:
            self.clear()
        found = self[held] = tuple(way for bit, ways in self._of_tile.items() if bit & held for way in ways)
        return found


class AllWays(dict[int, Ways]):
    """The ways that meet a demand, worked out when it is first met."""

    def __init__(self, table: "TileTable") -> None:
        super().__init__()
        self._table = table

    def __missing__(self, demand: int) -> Ways:
        if len(self) >= MOST_DEMANDS:
            self.clear()
        found = self[demand] = self._table.meeting(demand)
        return found


class Masks(dict[int, int]):
    """The tiles that meet a demand, as a mask."""

    def __init__(self, ways: AllWays) -> None:
        super().__init__()
        self._ways = ways

    def __missing__(self, demand: int) -> int:
        if len(self) >= MOST_DEMANDS:
            self.clear()
        found = self[demand] = self._ways[demand].mask
        return found


class Unknown(dict[int, tuple[int, ...]]):
    """The places of a cell that have no label yet, by what it demands."""

    def __init__(self, sides: int) -> None:
        super().__init__()
        self._sides = sides

    def __missing__(self, demand: int) -> tuple[int, ...]:
        if len(self) >= MOST_DEMANDS:
            self.clear()
        found = self[demand] = tuple(place for place in range(self._sides) if not demand >> DIGIT * place & _ONE)
        return found


class TileTable:
    """The tiles of a set as numbers, under one way to fit."""

    def __init__(self, fit: Fit, tiles: tuple[Tile, ...], sides: int) -> None:
        self.fit, self.tiles, self.sides = fit, tiles, sides
        self.turns = sides * (6 if sides == 4 else 2) if fit.free else sides
        """How many ways a tile has, alike ones included."""
        self.number = {tile: number for number, tile in enumerate(tiles)}
        self.bit = {tile: 1 << number for number, tile in enumerate(tiles)}
        self.whole = (1 << len(tiles)) - 1
        """The hand that holds every tile."""
        self.turned = tuple(self._turned(tile, turn) for tile in tiles for turn in range(self.turns))
        """Each way in words."""
        self.marks = tuple(one.marks for one in self.turned)
        self.bits = tuple(self.bit[one.tile] for one in self.turned)
        """The bit of each way's tile."""
        self.stays_wild = any(0 in marks for marks in self.marks)
        """Whether a tile can cover a site without giving it a label."""
        self.pips = tuple(pips(one.tile) for one in self.turned)
        """The pips of each way's tile."""
        first = {(one.tile, one.shown): way for way, one in reversed([*enumerate(self.turned)])}
        self._same = tuple(first[one.tile, one.shown] for one in self.turned)
        self._all = sum(1 << way for way in set(self._same))
        # Which ways meet a mark at a place, as bits: those of a demand are an intersection.
        self._meeting = [
            [self._ways_if(place, mark, fives=fit.fives) for mark in range(_ONE + 1)] for place in range(sides)
        ]
        self._agreeing = (
            [[self._ways_if(place, mark, fives=False) for mark in range(_ONE + 1)] for place in range(sides)]
            if fit.fives
            else self._meeting
        )
        self.ways = AllWays(self)
        self.masks = Masks(self.ways)
        self.unknown = Unknown(sides)
        self._corner_order: CornerOrder | None = fit.corner_plays if isinstance(fit, TrailFit) else None

    def way(self, tile: Tile, rotation: int) -> int:
        """The number of a tile in a rotation, the lowest of those that show the same."""
        return self._same[self.number[tile] * self.turns + rotation % self.turns]

    def hand(self, tiles: Iterable[Tile]) -> int:
        """Tiles as a mask. Raises KeyError when the set has no such tile."""
        return sum(map(self.bit.__getitem__, tiles))

    def held(self, hand: int) -> list[Tile]:
        """The tiles of a mask, in the order of the set."""
        found = []
        while hand:
            low = hand & -hand
            hand ^= low
            found.append(self.tiles[low.bit_length() - 1])
        return found

    def meeting(self, demand: int) -> Ways:
        """The ways that meet a demand."""
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

    def _meeting_a_point(self, corner: int, first: int, second: int) -> int:
        before, after = self._agreeing[corner - 1], self._agreeing[corner]
        # Clockwise about the point the last tile has `second, first` where a tile across has `after, before`.
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
    """The numbers of a set, one for all tables that play with it."""
    return TileTable(fit, tiles, sides)
