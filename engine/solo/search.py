"""How a figure can be filled from here: an exact cover, searched where there are fewest ways to go on.

Every cell must have one tile and every tile one cell, and what meets must be equal: an exact cover with colours (Knuth,
The Art of Computer Programming 4B, 7.2.2.1, Algorithm C). What is to be covered next is the bare cell that the fewest
tiles fit. All tiles are bits of one number, and what a cell demands is one number, too, by which the tiles that fit it
are looked up; so a step costs a few operations for each bare cell.

A branch is left at once where a cell or a tile has no way any more, and in one more case. What lies on corners meets
along sides: a side that reads 0-1 on one tile reads 1-0 on the other. In a set without mirror images many sides find no
such partner and must come to lie at the edge of the outline; where more of them are left than the edge has sides,
nothing can be filled (docs/decisions/0077).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile, canonical, mirrored, rotated, rotation_showing, rotations
from engine.solo.figure import Figure
from engine.solo.filling import Filling

Shown = tuple[tuple[Cell, Tile], ...]
"""Cells with what they show."""


@dataclass(frozen=True, slots=True)
class WaysFound:
    """What a search came to."""

    solutions: int
    """So many were seen."""
    whole: bool
    """Whether there are no others: the search came to its end."""
    steps: int
    first: Shown = ()
    """The first of them: what is still to be laid, and where."""


class TurnedTile(NamedTuple):
    """A tile turned one way."""

    bit: int
    labels: Tile


class _Spent(Exception):  # noqa: N818 - nothing went wrong
    """The steps are used up, or enough was seen."""


class Cover:
    """What a search looks up of a figure, worked out once."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.sides = figure.lattice.sides
        sites = {site: number for number, site in enumerate({s: None for c in figure.cells for s in figure.sites(c)})}
        self.sites: Final = sites
        self.places: Final = [tuple(sites[site] for site in figure.sites(cell)) for cell in figure.cells]
        """By cell, the sites of its labels."""
        base = self.base = 1 + max(max(tile) for tile in figure.tiles) + 1
        self.weights: Final = tuple(base**place for place in range(self.sides))
        self.touching: list[list[tuple[int, int]]] = [[] for _ in sites]
        """By site, the cells that have it, with what a label there weighs in what the cell demands."""
        for number, place in enumerate(self.places):
            for site, weight in zip(place, self.weights, strict=True):
                self.touching[site].append((number, weight))
        at = {cell: number for number, cell in enumerate(figure.cells)}
        shape = figure.lattice.shape
        self.across: Final = [tuple(at.get(near, -1) for near in shape(cell).across) for cell in figure.cells]
        self.ways: Final = self._all_ways()
        self.masks: Final = {demand: _mask(ways) for demand, ways in self.ways.items()}

    def _all_ways(self) -> dict[int, tuple[TurnedTile, ...]]:
        """By what a cell demands, the tiles that fit it, turned. A label of zero weight is one that is open."""
        found: dict[int, list[TurnedTile]] = {}
        for number, tile in enumerate(self.figure.tiles):
            for turn in rotations(tile):
                shown = rotated(tile, turn)
                for open_ones in range(1 << self.sides):
                    demand = sum(
                        (label + 1) * weight
                        for place, (label, weight) in enumerate(zip(shown, self.weights, strict=True))
                        if not open_ones >> place & 1
                    )
                    found.setdefault(demand, []).append(TurnedTile(1 << number, shown))
        return {demand: tuple(ways) for demand, ways in found.items()}


def _mask(ways: tuple[TurnedTile, ...]) -> int:
    mask = 0
    for way in ways:
        mask |= way.bit
    return mask


@lru_cache(maxsize=32)
def cover_of(figure: Figure) -> Cover:
    """The one of a figure."""
    return Cover(figure)


class FigureSearch:
    """One search from one filling. `most` solutions are looked for, in `steps` steps, in the order that `arranged`
    gives the ways on (as they come, where there is none).
    """

    def __init__(
        self,
        filling: Filling,
        *,
        steps: int,
        most: int | None = None,
        arranged: Callable[[tuple[TurnedTile, ...]], list[TurnedTile]] | None = None,
        banned: Mapping[Tile, Collection[Cell]] | None = None,
        ordered: Sequence[Tile] = (),
    ) -> None:
        """`banned` are the cells on which a tile may not lie; those that are `ordered` lie in this order."""
        self.filling, self.cover = filling, cover_of(filling.figure)
        self._rising = filling.figure.labels == "corners" and not has_mirrors(filling.figure)
        self.arranged = arranged
        self._most, self._budget, self.steps, self.seen = most, steps, 0, 0
        self.first: Shown = ()
        cover, figure = self.cover, filling.figure
        self._label = [-1] * len(cover.sites)
        self._demand = [0] * len(figure.cells)
        self._unused = (1 << len(figure.tiles)) - 1
        self._at = {tile: number for number, tile in enumerate(figure.tiles)}
        self._open = [number for number, cell in enumerate(figure.cells) if cell not in filling.placed]
        self._lain: list[tuple[int, Tile]] = []
        self._forbidden = [0] * len(figure.cells)
        for tile, cells in (banned or {}).items():
            for number, cell in enumerate(figure.cells):
                if cell in cells:
                    self._forbidden[number] |= 1 << self._at[tile]
        self._rank = {1 << self._at[tile]: rank for rank, tile in enumerate(ordered)}
        self._ranked: dict[int, int] = {}
        """By rank, the cells of those that lie."""
        for site, label in figure.around.items():
            self._set(cover.sites[site], label)
        for cell, placement in filling.placed.items():
            for site, label in zip(figure.sites(cell), placement.shown, strict=True):
                if self._label[cover.sites[site]] < 0:
                    self._set(cover.sites[site], label)
            self._unused &= ~(1 << self._at[placement.tile])

    def run(self) -> WaysFound:
        """FigureSearch until there is no more, or the steps are used up."""
        try:
            self._go()
            whole = True
        except _Spent:
            whole = False
        return WaysFound(self.seen, whole, self.steps, self.first)

    def _set(self, site: int, label: int) -> None:
        self._label[site] = label
        for number, weight in self.cover.touching[site]:
            self._demand[number] += (label + 1) * weight

    def _unset(self, site: int) -> None:
        label, self._label[site] = self._label[site], -1
        for number, weight in self.cover.touching[site]:
            self._demand[number] -= (label + 1) * weight

    def _go(self) -> None:
        """Cover the cell that has the fewest ways; then the next."""
        if not self._open:
            self._solved()
            return
        if self.steps >= self._budget:
            raise _Spent
        self.steps += 1
        if self._rising and not self._fits_the_edge():
            return
        masks, demand, unused, banned = self.cover.masks, self._demand, self._unused, self._forbidden
        best, fewest, reached = -1, 1 << 30, 0
        for number in self._open:
            fits = masks.get(demand[number], 0) & unused & ~banned[number]
            if not fits:
                return
            reached |= fits
            many = fits.bit_count()
            if many < fewest:
                best, fewest = number, many
        if reached != unused:
            return
        ways = self.cover.ways[demand[best]]
        self._open.remove(best)
        sites, forbidden = self.cover.places[best], banned[best]
        for way in ways if self.arranged is None else self.arranged(ways):
            if not way.bit & unused or way.bit & forbidden or not self._in_order(way.bit, best):
                continue
            new = [(site, label) for site, label in zip(sites, way.labels, strict=True) if self._label[site] < 0]
            for site, label in new:
                self._set(site, label)
            self._unused = unused ^ way.bit
            self._lain.append((best, way.labels))
            self._go()
            self._lain.pop()
            self._ranked.pop(self._rank.get(way.bit, -1), None)
            for site, _ in new:
                self._unset(site)
        self._unused = unused
        self._open.append(best)

    def _in_order(self, bit: int, number: int) -> bool:
        """Whether a tile may lie on a cell, if it is one of the ordered ones; then it is noted to lie there."""
        rank = self._rank.get(bit)
        if rank is None:
            return True
        if any((other < rank) != (at < number) for other, at in self._ranked.items()):
            return False
        self._ranked[rank] = number
        return True

    def _solved(self) -> None:
        if not self.seen:
            self.first = tuple((self.filling.figure.cells[number], shown) for number, shown in self._lain)
        self.seen += 1
        if self._most is not None and self.seen >= self._most:
            raise _Spent

    def _tiles(self) -> Iterator[Tile]:
        unused = self._unused
        for number, tile in enumerate(self.filling.figure.tiles):
            if unused >> number & 1:
                yield tile

    def _fits_the_edge(self) -> bool:
        left: dict[tuple[int, int], int] = {}
        for tile in self._tiles():
            for pair in zip(tile, (*tile[1:], tile[0]), strict=True):
                left[pair] = left.get(pair, 0) + 1
        free, label_at, open_ones = 0, self._label, set(self._open)
        for number in self._open:
            place = self.cover.places[number]
            for turn, near in enumerate(self.cover.across[number]):
                if near < 0:
                    free += 1
                elif near not in open_ones:
                    pair = label_at[place[turn]], label_at[place[(turn + 1) % len(place)]]
                    left[pair] = left.get(pair, 0) - 1
                    if left[pair] < 0:
                        return False
        alone = sum(
            count & 1 if one == other else max(0, count - left.get((other, one), 0))
            for (one, other), count in left.items()
        )
        return alone <= free


@lru_cache(maxsize=32)
def has_mirrors(figure: Figure) -> bool:
    """Whether the mirror image of each tile of the set is in it, too."""
    return all(canonical(mirrored(tile)) in figure.tiles for tile in figure.tiles)


def as_placements(filling: Filling, shown: Shown) -> list[Placement]:
    """What a search has found, as placements."""
    found = []
    for cell, labels in shown:
        tile = canonical(labels)
        turn = rotation_showing(tile, labels)
        assert turn is not None
        found.append(Placement(tile, cell, turn))
    return found
