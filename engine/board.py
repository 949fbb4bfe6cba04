"""The table: which label lies on which site, what every open cell needs, and what fits where.

A label sits on a site, a corner or a side, and a tile only carries labels to sites. So a tile fits when every labelled
site of its cell agrees, and that one line covers side contact, point contact and diagonals (RULES §2).

Every open cell stands under one key made of what its sites demand, and each tile knows the few keys it satisfies
(`engine.demands`): finding the legal moves of a hand is look-ups with no failing test.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from engine.demands import FIXED, FREE, LOOSE, Frontier
from engine.errors import RuleBroken, Why
from engine.lattice import Cell, Lattice, Site
from engine.places import Places, Touch, lettered
from engine.tiles import WILD, Needs, Tile, labels_text, meets, rotated

Labels = Literal["corners", "sides"]
"""Where the labels of a tile lie."""


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


laid: Final = tuple.__new__
"""`laid(Placement, (tile, cell, rotation))` makes a Placement in half the time that calling the class takes: lists of
moves are made of nothing else."""


NEVER: Final[tuple[tuple[Tile, ...], list[Placement]]] = (), []
"""What has been asked of a table that has just changed."""


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

    __slots__ = (
        "_answers",
        "_asked",
        "_found",
        "_fresh",
        "_frontier",
        "_places",
        "covers",
        "fit",
        "labels",
        "lattice",
        "placed",
        "sites",
        "tiles",
    )

    def __init__(self, lattice: Lattice, fit: Fit | None = None) -> None:
        self.lattice = lattice
        self.fit = fit or Fit()
        self.sites: Final[Callable[[Cell], tuple[Site, ...]]] = (
            lattice.corners_of if self.fit.labels == "corners" else lattice.sides_of
        )
        """Where the labels of a cell lie, clockwise."""
        self.placed: dict[Cell, Placement] = {}
        """The tiles on the table, in the order they were played."""
        self.tiles: set[Tile] = set()
        """The same without where they lie."""
        self.labels: dict[Site, int] = {}
        """The label of every site that has one."""
        self.covers: dict[Site, int] = {}
        """How many tiles meet at each covered site."""
        self._fresh: list[list[Site]] = []
        """Which sites each tile labelled first, in the order of play."""
        self._frontier = Frontier(free=self.fit.free)
        """The empty cells beside tiles."""
        self._answers = FREE if self.fit.free else FIXED
        self._found: dict[Tile, list[Placement]] = {}
        """Where tiles that were asked about may lie, until the table changes."""
        self._asked = NEVER
        """The hand that was asked about last and its moves, until the table changes: a turn asks more than once."""
        self._places: Places | None = None
        """The open cells under their letters, once they were asked for, until the table changes."""

    def copy(self) -> "Board":
        """A board of its own with the same tiles."""
        twin = type(self)(self.lattice, self.fit)
        twin.placed = self.placed.copy()
        twin.tiles = self.tiles.copy()
        twin.labels = self.labels.copy()
        twin.covers = self.covers.copy()
        twin._fresh = self._fresh.copy()  # its lists are never changed
        twin._frontier = self._frontier.copy()
        return twin

    @property
    def last(self) -> Placement | None:
        """The tile that was placed last."""
        return next(reversed(self.placed.values()), None)

    @property
    def open_cells(self) -> Iterable[Cell]:
        """The empty cells where a tile may go if its labels allow it."""
        return self._frontier.needs

    def needs(self, cell: Cell) -> Needs:
        """What each site of a cell demands, clockwise."""
        return tuple(map(self.labels.get, self.sites(cell)))

    def touch(self, cell: Cell) -> Touch | None:
        """For a cell that can only be reached from corner to corner: where, and what must lie there."""
        return None

    def meets_corner(self, placement: Placement) -> bool:
        """Whether this legal placement is a corner play: it meets the last tile in one point, and the numbers agree."""
        return False

    def fits(self, tile: Tile, cell: Cell) -> tuple[int, ...]:
        """The rotations in which the tile may lie on an open cell."""
        self._demanded()
        return self._answers[tile].turns[self._frontier.needs.get(cell) or self.needs(cell)]

    def legal(self, hand: Iterable[Tile]) -> list[Placement]:
        """Every way to place a tile of the hand. On an empty table: each tile on the first cell, unturned."""
        if not self.placed:
            return [Placement(tile, self.lattice.first, 0) for tile in hand]
        held, (asked, known) = tuple(hand), self._asked
        if not asked or held[: len(asked)] != asked:
            moves = self._ways(held)
        elif len(held) == len(asked):
            return known.copy()
        else:
            # It has drawn since.
            moves = known + self._ways(held[len(asked) :])
        self._asked = held, moves
        return moves.copy()

    def has_legal(self, hand: Iterable[Tile]) -> bool:
        """Whether any tile of the hand can be placed."""
        return any(self._ways((tile,)) if self.placed else True for tile in hand)

    def found(self, placement: Placement) -> bool:
        """Whether it is among the legal moves that were asked for since the table changed: then it may be played.

        Where this is False nothing is known; `check` tells.
        """
        return placement in self._found.get(placement.tile, ()) and placement.tile not in self.tiles

    def _ways(self, tiles: Iterable[Tile]) -> list[Placement]:
        """Every way to place these tiles on a table that is not empty."""
        moves: list[Placement] = []
        found, answers, demanded = self._found, self._answers, self._demanded()
        for tile in tiles:
            if answers[tile].bits & demanded:
                if tile not in found:
                    found[tile] = self._ways_of(tile)
                moves += found[tile]
        return moves

    def _ways_of(self, tile: Tile) -> list[Placement]:
        """Every way to place a tile."""
        answer, by_key = self._answers[tile], self._frontier.by_key
        turns = answer.turns
        if not answer.keys:
            open_ = self._frontier.needs.items()
            return [laid(Placement, (tile, cell, rotation)) for cell, needs in open_ for rotation in turns[needs]]
        return [
            laid(Placement, (tile, cell, rotation))
            for key in answer.keys
            if key in by_key
            for cell, needs in by_key[key].items()
            for rotation in turns[needs]
        ]

    def _demanded(self) -> int:
        """The bits of what the open cells demand."""
        if self._frontier.changed:
            self._frontier.settle(self.labels, self.sites)
        return self._frontier.bits

    def fillable(self, tiles: Collection[Tile]) -> set[Cell]:
        """The open cells that one of these tiles would fit."""
        self._demanded()
        answers = [self._answers[tile] for tile in tiles]
        met = {key for answer in answers for key in answer.keys if key != LOOSE}
        wild = [answer for answer in answers if not answer.keys]
        return {
            cell
            for key, cells in self._frontier.by_key.items()
            for cell, needs in cells.items()
            if key in met or any(answer.turns[needs] for answer in (answers if key == LOOSE else wild))
        }

    def places(self, tiles: Iterable[Tile]) -> Places:
        """The open cells under their letters, and those that no unplayed tile fits. `tiles` is the whole set.

        Before the opening: the first cell.
        """
        if self._places is None:
            self._places = self._lettered(frozenset(tiles) - self.tiles)
        return self._places

    def _lettered(self, unplayed: Collection[Tile]) -> Places:
        alive, dead = [self.lattice.first], []
        if self.placed:
            fillable = self.fillable(unplayed)
            cells = sorted(self.open_cells, key=self.lattice.order)
            alive = [cell for cell in cells if cell in fillable]
            dead = [cell for cell in cells if cell not in fillable]
        return Places(lettered((cell, self.needs(cell), self.touch(cell)) for cell in alive), tuple(dead))

    def check(self, placement: Placement, hand: Collection[Tile] | None = None) -> None:
        """Raise RuleBroken, with the first reason in the order of RULES §2, when the placement is not legal here.

        `hand` is what the mover holds; None where only the table counts. Whether such a tile exists is asked before.
        """
        cell = placement.cell
        if cell in self.placed:
            raise RuleBroken(Why.OCCUPIED, cell=cell, by=self.placed[cell].tile)
        if placement.tile in self.tiles:
            raise RuleBroken(Why.TILE_ALREADY_PLAYED, tile=placement.tile)
        if hand is not None and placement.tile not in hand:
            raise RuleBroken(Why.NOT_IN_HAND, tile=placement.tile)
        if not self._exists(cell):
            raise RuleBroken(Why.OFF_THE_BOARD, cell=cell)
        if self.placed:
            self._check_contact(cell)
            self._check_labels(placement)

    def _check_contact(self, cell: Cell) -> None:
        if cell not in self._frontier.needs:
            raise RuleBroken(Why.NO_SIDE_CONTACT, cell=cell)

    def _check_labels(self, placement: Placement) -> None:
        if placement.rotation in self.fits(placement.tile, placement.cell):
            return
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
        tile, cell, rotation = placement
        frontier, placed, labels, covers = self._frontier, self.placed, self.labels, self.covers
        self._found, self._asked, self._places = {}, NEVER, None
        placed[cell] = placement
        self.tiles.add(tile)
        fresh = []
        for site, label in zip(self.sites(cell), rotated(tile, rotation), strict=True):
            covers[site] = covers.get(site, 0) + 1
            if site not in labels:
                stands = self.fit.wild_stands if label == WILD else label
                if stands is not None:
                    labels[site] = stands
                    fresh.append(site)
        self._fresh.append(fresh)
        frontier.close(cell)
        # A newly labelled site changes what the open cells around it demand.
        for site in fresh:
            frontier.change(self.lattice.around(site))
        beside, known, within = [], frontier.needs, self.fit.within
        for near in self.lattice.shape(cell).across:
            if near not in placed and near not in known and (within is None or within(near)):
                beside.append(near)  # noqa: PERF401 - in Python 3.11 a comprehension is a call
        frontier.open(beside)

    def undo(self) -> Placement:
        """Take the last tile back, and return it."""
        frontier = self._frontier
        cell, placement = self.placed.popitem()
        self._found, self._asked, self._places = {}, NEVER, None
        self.tiles.discard(placement.tile)
        for site in self.sites(cell):
            self.covers[site] -= 1
            if not self.covers[site]:
                del self.covers[site]
        for near in self.lattice.shape(cell).across:
            if not self._touches(near):
                frontier.close(near)
        for site in self._fresh.pop():
            del self.labels[site]
            frontier.change(self.lattice.around(site))
        if self._touches(cell):
            frontier.open([cell])
        return placement

    def _touches(self, cell: Cell) -> bool:
        return any(near in self.placed for near in self.lattice.shape(cell).across)

    def _exists(self, cell: Cell) -> bool:
        return self.fit.within is None or self.fit.within(cell)


@lru_cache(maxsize=64)
def cells_within(lattice: Lattice, fit: Fit) -> frozenset[Cell]:
    """The cells of a board with an edge, all those that can be walked to from the first; none where it has no edge."""
    if fit.within is None:
        return frozenset()
    found, ahead = {lattice.first}, [lattice.first]
    while ahead:
        beside = [near for near in lattice.shape(ahead.pop()).across if near not in found and fit.within(near)]
        found.update(beside)
        ahead += beside
    return frozenset(found)
