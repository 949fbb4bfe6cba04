"""What a placement earns beside its sum: hexagons and bridges (RULES §3).

Both are asked before the tile is laid.
"""

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
    base = sum(placement.tile)
    closed = len(closes(board, placement.cell))
    if closed:
        # A hexagon's last tile matches three corners too; it is paid as a hexagon only.
        return Score(base, closed, bridge=False, bonus=rules.hexagons[closed - 1])
    bridge = matches_all_corners(board, placement.cell)
    return Score(base, 0, bridge=bridge, bonus=rules.bridge if bridge else 0)


def opening_score(tile: Tile, rules: Rules) -> Score:
    """What the tile that opens a round earns."""
    if not is_triple(tile):
        return Score(sum(tile), 0, bridge=False, bonus=0)
    bonus = rules.zero_opening if sum(tile) == 0 else rules.triple_opening
    return Score(sum(tile), 0, bridge=False, bonus=bonus)


def closes(board: Board, cell: Cell) -> tuple[Site, ...]:
    """The corners whose hexagon a tile on this empty cell would complete."""
    last = board.lattice.full - 1
    return tuple(site for site in board.lattice.shape(cell).corners if board.covers.get(site) == last)


def matches_all_corners(board: Board, cell: Cell) -> bool:
    """Whether every corner of the cell is already labelled: one side and the point opposite, or more."""
    return all(site in board.labels for site in board.lattice.shape(cell).corners)
