"""Search solutions of a figure from a given filling, as an exact cover with colours.

Every cell needs one tile, every tile one cell, and touching labels must be equal (Knuth, The Art of Computer
Programming 4B, 7.2.2.1, Algorithm C). The search fills the cell with the fewest fitting tiles first. Tiles are bits,
and the demand of a cell is a key to its tiles. A branch ends if a cell or a tile has no option left, or if more sides
lack a partner (0-1 meets 1-0) than the edge of the outline can take.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Final, NamedTuple

from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile, find_rotation, list_rotations, mirror_tile, rotate_tile, to_canonical
from engine.solo.figure import Figure
from engine.solo.filling import Filling

Shown = tuple[tuple[Cell, Tile], ...]  # cells with their labels


@dataclass(frozen=True, slots=True)
class SearchResult:
    solutions: int  # number found
    is_exhaustive: bool  # whether the search was exhaustive
    steps: int
    first: Shown = ()  # the first solution: the missing tiles and their cells


class RotatedTile(NamedTuple):
    """A tile in one rotation."""

    bit: int
    labels: Tile


class _SearchLimit(Exception):  # noqa: N818 - nothing went wrong
    """The budget is used up, or enough solutions were found."""


class CoverTables:
    """Lookup tables of a figure, computed once."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.sides = figure.lattice.sides
        every_site = dict.fromkeys(site for cell in figure.cells for site in figure.list_sites(cell))
        self.sites: Final = {site: number for number, site in enumerate(every_site)}
        sites = self.sites
        self.places: Final = [tuple(sites[site] for site in figure.list_sites(cell)) for cell in figure.cells]
        """Sites of the labels, by cell."""
        base = self.base = 1 + max(max(tile) for tile in figure.tiles) + 1
        self.weights: Final = tuple(base**place for place in range(self.sides))
        self.touching: list[list[tuple[int, int]]] = [[] for _ in sites]
        """By site: its cells, with the weight of a label there in their demands."""
        for number, place in enumerate(self.places):
            for site, weight in zip(place, self.weights, strict=True):
                self.touching[site].append((number, weight))
        at = {cell: number for number, cell in enumerate(figure.cells)}
        shape = figure.lattice.get_shape
        self.across: Final = [tuple(at.get(near, -1) for near in shape(cell).neighbours) for cell in figure.cells]
        self.ways: Final = self._build_ways()
        self.masks: Final = {demand: reduce(or_, (way.bit for way in ways)) for demand, ways in self.ways.items()}

    def _build_ways(self) -> dict[int, tuple[RotatedTile, ...]]:
        """Return the tiles that fit each demand, in their rotations. An open label has weight zero."""
        found: dict[int, list[RotatedTile]] = {}
        for number, tile in enumerate(self.figure.tiles):
            for turn in list_rotations(tile):
                shown = rotate_tile(tile, turn)
                for open_ones in range(1 << self.sides):
                    demand = sum(
                        (label + 1) * weight
                        for place, (label, weight) in enumerate(zip(shown, self.weights, strict=True))
                        if not open_ones >> place & 1
                    )
                    found.setdefault(demand, []).append(RotatedTile(1 << number, shown))
        return {demand: tuple(ways) for demand, ways in found.items()}


@lru_cache(maxsize=32)
def get_cover(figure: Figure) -> CoverTables:
    return CoverTables(figure)


class FigureSearch:
    """One search from one filling, for at most `most` solutions in `steps` steps. `arranged` orders the options."""

    def __init__(
        self,
        filling: Filling,
        *,
        steps: int,
        most: int | None = None,
        arranged: Callable[[tuple[RotatedTile, ...]], list[RotatedTile]] | None = None,
        banned: Mapping[Tile, Collection[Cell]] | None = None,
        ordered: Sequence[Tile] = (),
    ) -> None:
        """`banned` has cells by tile where it may not lie; `ordered` tiles must lie in this order."""
        self.filling, self.cover = filling, get_cover(filling.figure)
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
        self._ranked: dict[int, int] = {}  # cells of placed ordered tiles, by rank
        for site, label in figure.edge_labels.items():
            self._set_label(cover.sites[site], label)
        for cell, placement in filling.placed.items():
            for site, label in zip(figure.list_sites(cell), placement.shown_labels, strict=True):
                if self._label[cover.sites[site]] < 0:
                    self._set_label(cover.sites[site], label)
            self._unused &= ~(1 << self._at[placement.tile])

    def run(self) -> SearchResult:
        """Search until all solutions are found, or the budget is used up."""
        try:
            self._search()
            whole = True
        except _SearchLimit:
            whole = False
        return SearchResult(self.seen, whole, self.steps, self.first)

    def _set_label(self, site: int, label: int) -> None:
        self._label[site] = label
        for number, weight in self.cover.touching[site]:
            self._demand[number] += (label + 1) * weight

    def _clear_label(self, site: int) -> None:
        label, self._label[site] = self._label[site], -1
        for number, weight in self.cover.touching[site]:
            self._demand[number] -= (label + 1) * weight

    def _search(self) -> None:
        if not self._open:
            self._record_solution()
            return
        if self.steps >= self._budget:
            raise _SearchLimit
        self.steps += 1
        if self._rising and not self._can_fill_edge():
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
            if not way.bit & unused or way.bit & forbidden or not self._record_order(way.bit, best):
                continue
            new = [(site, label) for site, label in zip(sites, way.labels, strict=True) if self._label[site] < 0]
            for site, label in new:
                self._set_label(site, label)
            self._unused = unused ^ way.bit
            self._lain.append((best, way.labels))
            self._search()
            self._lain.pop()
            self._ranked.pop(self._rank.get(way.bit, -1), None)
            for site, _ in new:
                self._clear_label(site)
        self._unused = unused
        self._open.append(best)

    def _record_order(self, bit: int, number: int) -> bool:
        """Return whether an ordered tile may lie on a cell, and record it; any other tile may."""
        rank = self._rank.get(bit)
        if rank is None:
            return True
        if any((other < rank) != (at < number) for other, at in self._ranked.items()):
            return False
        self._ranked[rank] = number
        return True

    def _record_solution(self) -> None:
        if not self.seen:
            self.first = tuple((self.filling.figure.cells[number], shown) for number, shown in self._lain)
        self.seen += 1
        if self._most is not None and self.seen >= self._most:
            raise _SearchLimit

    def _can_fill_edge(self) -> bool:
        left: dict[tuple[int, int], int] = {}
        for tile in (tile for number, tile in enumerate(self.filling.figure.tiles) if self._unused >> number & 1):
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
        unpaired = sum(
            count & 1 if one == other else max(0, count - left.get((other, one), 0))
            for (one, other), count in left.items()
        )
        return unpaired <= free


@lru_cache(maxsize=32)
def has_mirrors(figure: Figure) -> bool:
    """Return whether the set has the mirror image of each tile."""
    return all(to_canonical(mirror_tile(tile)) in figure.tiles for tile in figure.tiles)


def to_placements(filling: Filling, shown: Shown) -> list[Placement]:
    found = []
    for cell, labels in shown:
        tile = to_canonical(labels)
        turn = find_rotation(tile, labels)
        assert turn is not None
        found.append(Placement(tile, cell, turn))
    return found
