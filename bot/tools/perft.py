"""Perft: counts move sequences, to verify a move generator, as in chess programs."""

from engine.board.board import Board, Placement
from engine.board.tiles import Tile
from engine.match.rules import Rules


def counts(rules: Rules, start: Tile, depth: int) -> list[int]:
    """Return the number of sequences of 1, 2, ... `depth` tiles after a start tile, by tile, cell and numbers shown."""
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
