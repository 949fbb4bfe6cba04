"""What a placement earns beside its sum: hexagons and bridges (RULES §3).

Both are asked before the tile is laid.
"""

from collections.abc import Collection
from dataclasses import dataclass

from engine.board import Board, Placement
from engine.lattice import Cell, Site
from engine.rules import Rules
from engine.tiles import Tile, is_triple


@dataclass(frozen=True, slots=True)
class Score:
    """What a placement is worth before the cost of drawing."""

    base: int
    """The sum of the tile's labels."""
    hexagons: int
    bridge: bool
    bonus: int

    @property
    def points(self) -> int:
        """Base and bonus together."""
        return self.base + self.bonus


def score(board: Board, placement: Placement, rules: Rules) -> Score:
    """What this legal placement earns; on an empty table, as the opening of a round."""
    if not board.placed:
        return opening_score(placement.tile, rules)
    closed = closes(board, placement.cell)
    bonus = rules.hexagon_bonuses[len(closed) - 1] if closed else 0
    bridge = is_bridge(board, placement.cell, closed, rules)
    return Score(sum(placement.tile), len(closed), bridge=bridge, bonus=bonus + (rules.bridge if bridge else 0))


def opening_score(tile: Tile, rules: Rules) -> Score:
    """What the tile that opens a round earns."""
    if not is_triple(tile) or rules.opening_choice == "any_tile":
        return Score(sum(tile), 0, bridge=False, bonus=0)
    bonus = rules.zero_opening_score if sum(tile) == 0 else rules.triple_opening
    return Score(sum(tile), 0, bridge=False, bonus=bonus)


def closes(board: Board, cell: Cell) -> tuple[Site, ...]:
    """The corners whose hexagon a tile on this empty cell would complete."""
    last = board.lattice.full - 1
    return tuple(site for site in board.lattice.shape(cell).corners if board.covers.get(site) == last)


def is_bridge(board: Board, cell: Cell, closed: Collection[Site], rules: Rules) -> bool:
    """Whether a tile on this empty cell earns the bridge (RULES §3 Bridge, §3.1 bridge_extension, bonus_stacking).

    `closed` are the corners whose hexagon it completes.
    """
    if not matches_all_corners(board, cell):
        return False
    if closed:
        # A hexagon's last tile always matches three corners; it is paid for a bridge only where bonuses add up,
        # and then only for a point that a tile outside of the hexagon touches.
        inside = {near for site in closed for near in board.lattice.around(site)}
        return rules.bonus_stacking == "sum" and _touched_from_beyond(board, cell, inside)
    if len(_side_neighbours(board, cell)) == 1:
        return True
    match rules.bridge_extension:
        case "two_sides":
            return True
        case "opposite_point":
            return _touched_from_beyond(board, cell, ())
        case "none":
            return False


def _touched_from_beyond(board: Board, cell: Cell, inside: Collection[Cell]) -> bool:
    """Whether, for some matched side, a tile that is no side neighbour and not `inside` touches the point opposite."""
    shape = board.lattice.shape(cell)
    sides = _side_neighbours(board, cell)
    return any(
        near in board.placed and near not in sides and near not in inside
        for side, neighbour in enumerate(shape.across)
        if neighbour in sides
        for near in board.lattice.around(shape.corners[(side + 2) % len(shape.corners)])
    )


def _side_neighbours(board: Board, cell: Cell) -> list[Cell]:
    return [near for near in board.lattice.shape(cell).across if near in board.placed]


def matches_all_corners(board: Board, cell: Cell) -> bool:
    """Whether every corner of the cell is already labelled: one side and the point opposite, or more."""
    return all(site in board.labels for site in board.lattice.shape(cell).corners)
