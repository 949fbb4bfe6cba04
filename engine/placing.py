"""The judge of a placement: may the tile lie there, and what does it earn? A match and the referee both ask here.

The reasons against it come in the order of RULES §2 and §5: no such tile, occupied, already played, not in hand, off
the board, no side contact (not next to the last tile), side mismatch, corner mismatch.
"""

from collections.abc import Collection

from engine.board import Board, Placement
from engine.errors import RuleBroken, Why
from engine.rules import Rules, Score
from engine.tiles import Tile, canonical, mirrored


def judge(board: Board, placement: Placement, rules: Rules, hand: Collection[Tile] | None = None) -> Score:
    """What the placement earns before the cost of drawing. Raises RuleBroken with the first reason against it.

    `hand` is what the mover holds; None where only the table counts. The first tile may lie anywhere and is scored
    as an opening; which tile must open is for whoever knows the hands.
    """
    tile = placement.tile
    if tile not in rules.tiles:
        raise RuleBroken(Why.NO_SUCH_TILE, tile=tile, shown=placement.shown, exists=_twin(tile, rules))
    board.check(placement, hand)
    return rules.earned(board.tableau, *board.plies[placement])


def _twin(tile: Tile, rules: Rules) -> Tile | None:
    """The tile with the same labels the other way round, when the set has that one."""
    mirror = canonical(mirrored(tile))
    return mirror if mirror in rules.tiles else None
