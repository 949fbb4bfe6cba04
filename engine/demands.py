"""What open cells demand of a tile, and what each tile answers: the index behind every list of legal moves.

Cells that demand the same, whichever way it is turned, stand under one key, and a tile meets few keys: five of a
triangle's, ten of a square's. So its places are found by look-ups; none is tried in vain.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Final, NamedTuple

from engine.lattice import Cell, Site
from engine.tiles import WILD, Needs, Tile, canonical, fitting, rotated, rotations

Key = tuple[int, ...]
"""What an open cell demands, whichever way it is turned; -1 where any label will do."""


LOOSE: Final[Key] = ()
"""The key of cells that need no two neighbouring labels, as beside a joker, whose corner demands nothing: so few that
a tile is tried there."""


class Demand(NamedTuple):
    """A key with a bit of its own, so that all demands of a table, or all that a tile meets, are one number."""

    key: Key
    bit: int


_NUMBERS: dict[Key, int] = {}
_UNUSED = count()


class Demands(dict[Needs, Demand]):
    """The demand of a cell with these needs, worked out when it is first asked for."""

    def __init__(self, *, free: bool) -> None:
        super().__init__()
        self.free = free

    def __missing__(self, needs: Needs) -> Demand:
        wanted = tuple(-1 if need is None else need for need in needs)
        if all(-1 in pair for pair in zip(wanted, wanted[1:] + wanted[:1], strict=True)):
            key = LOOSE
        else:
            key = tuple(sorted(wanted)) if self.free else canonical(wanted)
        # No two keys have the same number, whichever threads ask; which one it is shows nowhere.
        found = self[needs] = Demand(key, 1 << _NUMBERS.setdefault(key, next(_UNUSED)))
        return found


DEMANDS: Final = {False: Demands(free=False), True: Demands(free=True)}
"""By whether the labels of a tile have no fixed order."""


class TileTurns(dict[Needs, tuple[int, ...]]):
    """The rotations in which one tile meets the needs of a cell, worked out when they are first asked for."""

    def __init__(self, tile: Tile, free: bool) -> None:
        super().__init__()
        self.tile, self.free = tile, free

    def __missing__(self, needs: Needs) -> tuple[int, ...]:
        found = self[needs] = fitting(self.tile, needs, free=self.free)
        return found


class TileAnswer:
    """The demands that one tile meets."""

    __slots__ = ("bits", "keys", "turns")

    def __init__(self, tile: Tile, free: bool) -> None:
        self.turns = TileTurns(tile, free)
        self.keys: tuple[Key, ...] = ()
        """Empty for a tile with a wild label, which may meet any: then `turns` alone tells."""
        self.bits = -1
        """The bits of the keys together."""
        if WILD not in tile:
            demands = DEMANDS[free]
            met = {demands[needs] for needs in _met_by(tile, free)}
            met.add(demands[(None,) * len(tile)])
            self.keys = tuple(sorted(one.key for one in met))
            self.bits = sum(one.bit for one in met)


class Answers(dict[Tile, TileAnswer]):
    """The answers of all tiles there are, each worked out when it is first asked for."""

    def __init__(self, *, free: bool) -> None:
        super().__init__()
        self.free = free

    def __missing__(self, tile: Tile) -> TileAnswer:
        found = self[tile] = TileAnswer(tile, self.free)
        return found


FIXED = Answers(free=False)
FREE = Answers(free=True)
"""Of tiles whose labels have no fixed order."""


class Frontier:
    """The open cells of a table, and under which key each stands.

    What a placement changes is only noted; it is looked at when somebody asks. So rebuilding a long round looks at
    every open cell once, at its end.
    """

    __slots__ = ("_demands", "bits", "by_key", "changed", "needs")

    def __init__(self, *, free: bool) -> None:
        self._demands = DEMANDS[free]
        self.needs: dict[Cell, Needs] = {}
        """The open cells with what they need; nothing where that was not looked at yet."""
        self.by_key: dict[Key, dict[Cell, Needs]] = {}
        self.bits = 0
        """The bits of all demands there are."""
        self.changed: dict[Cell, None] = {}
        """What must be looked at, the latest change last: the order of moves does not depend on when one asks."""

    def copy(self) -> "Frontier":
        """The same, to change without changing this one."""
        twin = type(self)(free=self._demands.free)
        twin.needs, twin.bits, twin.changed = self.needs.copy(), self.bits, self.changed.copy()
        twin.by_key = {key: cells.copy() for key, cells in self.by_key.items()}
        return twin

    def open(self, cells: Iterable[Cell]) -> None:
        """Tiles may go here now."""
        for cell in cells:
            self.needs[cell] = ()
            self.changed[cell] = None

    def change(self, cells: Iterable[Cell]) -> None:
        """The needs of these cells, of those that are open, are others than they were."""
        needs, changed = self.needs, self.changed
        for cell in cells:
            if cell in needs:
                changed.pop(cell, None)
                changed[cell] = None

    def close(self, cell: Cell) -> None:
        """No tile may go here any more, if one could."""
        needs = self.needs.pop(cell, ())
        self.changed.pop(cell, None)
        if needs:
            self._leave(cell, needs)

    def settle(self, labels: Mapping[Site, int], sites: Callable[[Cell], tuple[Site, ...]]) -> None:
        """Look at what has changed: which label lies on which of the sites of a cell."""
        by_key, demands, label = self.by_key, self._demands, labels.get
        for cell in self.changed:
            if old := self.needs[cell]:
                self._leave(cell, old)
            self.needs[cell] = needs = tuple(map(label, sites(cell)))
            key, bit = demands[needs]
            if key in by_key:
                by_key[key][cell] = needs
            else:
                by_key[key] = {cell: needs}
                self.bits |= bit
        self.changed.clear()

    def _leave(self, cell: Cell, needs: Needs) -> None:
        key, bit = self._demands[needs]
        cells = self.by_key[key]
        del cells[cell]
        if not cells:
            del self.by_key[key]
            self.bits ^= bit


def _met_by(tile: Tile, free: bool) -> set[Needs]:
    """Every need of two neighbouring labels or more that this tile meets: an open cell shares a side."""
    size = len(tile)
    found = set()
    for shown in {rotated(tile, turn) for turn in rotations(tile, free=free)}:
        for mask in range(1 << size):
            known = [bool(mask >> place & 1) for place in range(size)]
            pair = any(known[place] and known[(place + 1) % size] for place in range(size))
            if pair:
                found.add(tuple(shown[i] if known[i] else None for i in range(size)))
    return found
