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
    hexagon_scale: Literal["per_hexagon", "stepped", "flat"]  # flat: several hexagons score as one
    bridge: int
    bridge_extension: Literal["two_sides", "opposite_point", "any_side", "none"]
    """What a tile with two or three side neighbours needs to be a bridge; or any tile beside a bridge is one."""
    bonus_stacking: Literal["hexagon_only", "sum"]  # whether a tile that closes a hexagon may also score a bridge

    @property
    def hexagon_bonuses(self) -> tuple[int, ...]:
        """The bonuses for one, two and three hexagons."""
        return self.choose_hexagon_bonuses()

    def choose_hexagon_bonuses(self) -> tuple[int, ...]:
        """Return the bonuses under the active scale."""
        if self.hexagon_scale == "flat":
            return self.hexagons[:1] * 3
        return self.hexagons if self.hexagon_scale == "per_hexagon" else self.hexagons_stepped

    @property
    def bridge_bonus(self) -> int:
        """The bonus for a bridge."""
        return self.bridge

    @property
    def has_bonuses(self) -> bool:
        return True

    def check_bonuses(self) -> None:
        for name in ("hexagons", "hexagons_stepped"):
            require(len(getattr(self, name)) == 3, f"{name} must have three numbers: for one, two and three at once")


class PlacementBonus(NamedTuple):
    hexagons: int
    bridge: bool
    bonus: int


_NO_BONUS = PlacementBonus(0, False, 0)


def compute_bonus(tableau: Tableau, cell: int, rules: BonusRules) -> PlacementBonus:
    """Return what a tile on this empty cell makes. It must match every corner, unless any side of a bridge counts."""
    if _has_open_corner(tableau, cell):
        if rules.bridge_extension == "any_side":
            bridges = _find_bridges(
                tableau.grid, tableau.table, tableau.within, tuple(tableau.placed_ways.items()), rules
            )
            return PlacementBonus(0, True, rules.bridge_bonus) if _is_beside(cell, tableau, bridges) else _NO_BONUS
        return _NO_BONUS
    closed = tableau.list_closed_places(cell)
    bonus = rules.hexagon_bonuses[len(closed) - 1] if closed else 0
    bridge = is_bridge(tableau, cell, closed, rules)
    return PlacementBonus(len(closed), bridge, bonus + (rules.bridge_bonus if bridge else 0))


def is_bridge(tableau: Tableau, cell: int, closed: Collection[int], rules: BonusRules) -> bool:
    """Return whether a tile that matches all corners earns the bridge; `closed` are those whose hexagon it completes.
    RULES §3 Bridge, §3.1 bridge_extension, bonus_stacking.
    """
    if closed:
        # With a hexagon, a bridge needs added bonuses and a point that a tile outside of the hexagon touches.
        sharing = tableau.grid.kinds[cell & 1].sharing_offsets
        inside = {cell + offset for place in closed for offset in sharing[place]}
        return rules.bonus_stacking == "sum" and _is_opposite_point_touched(tableau, cell, inside)
    if len(tableau.list_neighbour_ways(cell)) == 1:
        return True
    match rules.bridge_extension:
        case "two_sides" | "any_side":
            return True
        case "opposite_point":
            return _is_opposite_point_touched(tableau, cell, ())
        case "none":
            return False


def _has_open_corner(tableau: Tableau, cell: int) -> bool:
    table = tableau.table
    # A corner without a demand is empty, unless it has a wild label.
    open_corners = table.unlabelled_places[tableau.demands.get(cell, 0)]
    return bool(open_corners) and (not table.has_wild_labels or tableau.count_covered_sites(cell) < table.sides)


def _is_beside(cell: int, tableau: Tableau, others: Collection[int]) -> bool:
    return any(cell + offset in others for offset in tableau.grid.kinds[cell & 1].neighbour_offsets)


@lru_cache(maxsize=256)
def _find_bridges(
    grid: Grid, table: TileTable, within: frozenset[int], plies: tuple[Ply, ...], rules: BonusRules
) -> Collection[int]:
    replayed, found = Tableau(grid, table, within), set[int]()
    for cell, way in plies:
        added = _has_open_corner(replayed, cell)
        if (
            _is_beside(cell, replayed, found)
            if added
            else is_bridge(replayed, cell, replayed.list_closed_places(cell), rules)
        ):
            found.add(cell)
        replayed.place(cell, way)
    return frozenset(found)


def _is_opposite_point_touched(tableau: Tableau, cell: int, inside: Collection[int]) -> bool:
    """Return whether a tile that is no side neighbour and not `inside` touches the point opposite a matched side."""
    kind, placed = tableau.grid.kinds[cell & 1], tableau.placed_ways
    sides = [cell + offset for offset in kind.neighbour_offsets if cell + offset in placed]
    return any(
        cell + step in placed and cell + step not in sides and cell + step not in inside
        for side, offset in enumerate(kind.neighbour_offsets)
        if cell + offset in placed
        for step in kind.opposite_offsets[side]
    )
