"""Counting the ways to go on: a number that pins down a whole move generator (as chess programs do)."""

from engine.board.board import Board, Placement
from engine.board.tiles import Tile
from engine.match.rules import Rules


def counts(rules: Rules, start: Tile, depth: int) -> list[int]:
    """How many ways there are to place 1, 2, ... `depth` further tiles, one after the other, on a table that starts
    with this tile when all other tiles are in hand.

    Ways differ in the tile, the cell or the numbers shown. Scores, bonuses and whose turn it is play no part; where
    each tile goes next to the one before it, so does each of these.
    """
    board = rules.board()
    board.place(Placement(start, rules.plane.first, 0))
    found = [0] * depth
    _count(board, [tile for tile in rules.tiles if tile != start], 0, found)
    return found


def _count(board: Board, hand: list[Tile], step: int, found: list[int]) -> None:
    legal = board.legal(hand)
    found[step] += len(legal)
    if step + 1 == len(found):
        return
    for placement in legal:
        board.place(placement)
        _count(board, [tile for tile in hand if tile != placement.tile], step + 1, found)
        board.undo()
