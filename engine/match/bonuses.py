"""Hexagons and bridges (RULES §3), computed before the tile is placed, on `engine.board.tableau`."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from engine.board.demands import TileTable
from engine.board.lattice import Grid
from engine.board.tableau import Ply, Tableau
from engine.match.options import require
from engine.match.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusRules(Rules):
    """The rules of games with hexagons and bridges."""

    hexagons: tuple[int, ...]  # bonus for closing one, two or three hexagons with one tile
    hexagons_stepped: tuple[int, ...]  # the same under `hexagon_scale` stepped
    hexagon_scale: Literal["per_hexagon", "stepped"]
    bridge: int
    bridge_extension: Literal["two_sides", "opposite_point", "any_side", "none"]
    """What a tile with two or three side neighbours needs to be a bridge; or any tile beside a bridge is one."""
    bonus_stacking: Literal["hexagon_only", "sum"]  # whether a tile that closes a hexagon may also score a bridge

    @property
    def hexagon_bonuses(self) -> tuple[int, ...]:
        """The bonuses under the active scale."""
        return self.hexagons if self.hexagon_scale == "per_hexagon" else self.hexagons_stepped

    @property
    def has_bonuses(self) -> bool:
        return True

    def check_bonuses(self) -> None:
        for name in ("hexagons", "hexagons_stepped"):
            require(len(getattr(self, name)) == 3, f"{name} must have three numbers: for one, two and three at once")


class Made(NamedTuple):
    """The hexagons and the bridge of a placement."""

    hexagons: int
    bridge: bool
    bonus: int


_NOTHING = Made(0, False, 0)


def hexagons_and_bridge(tableau: Tableau, cell: int, rules: BonusRules) -> Made:
    """Return what a tile on this empty cell makes. It must match every corner, unless any side of a bridge counts."""
    if _leaves_a_corner(tableau, cell):
        if rules.bridge_extension == "any_side":
            bridges = _bridges_of(tableau.grid, tableau.table, tableau.within, tuple(tableau.lies.items()), rules)
            return Made(0, True, rules.bridge) if _beside(cell, tableau, bridges) else _NOTHING
        return _NOTHING
    closed = tableau.closing(cell)
    bonus = rules.hexagon_bonuses[len(closed) - 1] if closed else 0
    bridge = is_bridge(tableau, cell, closed, rules)
    return Made(len(closed), bridge, bonus + (rules.bridge if bridge else 0))


def is_bridge(tableau: Tableau, cell: int, closed: Collection[int], rules: BonusRules) -> bool:
    """Return whether a tile that matches all corners earns the bridge; `closed` are those whose hexagon it completes.
    RULES §3 Bridge, §3.1 bridge_extension, bonus_stacking.
    """
    if closed:
        # With a hexagon, a bridge needs added bonuses and a point that a tile outside of the hexagon touches.
        sharing = tableau.grid.kinds[cell & 1].sharing
        inside = {cell + offset for place in closed for offset in sharing[place]}
        return rules.bonus_stacking == "sum" and _touched_from_beyond(tableau, cell, inside)
    if len(tableau.beside(cell)) == 1:
        return True
    match rules.bridge_extension:
        case "two_sides" | "any_side":
            return True
        case "opposite_point":
            return _touched_from_beyond(tableau, cell, ())
        case "none":
            return False


def _leaves_a_corner(tableau: Tableau, cell: int) -> bool:
    table = tableau.table
    # A corner without a demand is empty, unless it has a wild label.
    bare = table.unknown[tableau.demand.get(cell, 0)]
    return bool(bare) and (not table.stays_wild or tableau.covered(cell) < table.sides)


def _beside(cell: int, tableau: Tableau, others: Collection[int]) -> bool:
    return any(cell + offset in others for offset in tableau.grid.kinds[cell & 1].across)


@lru_cache(maxsize=256)
def _bridges_of(
    grid: Grid, table: TileTable, within: frozenset[int], lies: tuple[Ply, ...], rules: BonusRules
) -> Collection[int]:
    again, found = Tableau(grid, table, within), set[int]()
    for cell, way in lies:
        added = _leaves_a_corner(again, cell)
        if _beside(cell, again, found) if added else is_bridge(again, cell, again.closing(cell), rules):
            found.add(cell)
        again.place(cell, way)
    return frozenset(found)


def _touched_from_beyond(tableau: Tableau, cell: int, inside: Collection[int]) -> bool:
    """Return whether a tile that is no side neighbour and not `inside` touches the point opposite a matched side."""
    kind, lies = tableau.grid.kinds[cell & 1], tableau.lies
    sides = [cell + offset for offset in kind.across if cell + offset in lies]
    return any(
        cell + step in lies and cell + step not in sides and cell + step not in inside
        for side, offset in enumerate(kind.across)
        if cell + offset in lies
        for step in kind.opposite[side]
    )
