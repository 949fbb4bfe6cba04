"""Random layouts of any game that begin with any tile of its set and grow by legal placements."""

from collections.abc import Iterable
from random import Random

from engine.board.board import Board, Placement
from engine.board.lattice import Cell
from engine.match.rules import Rules
from tests.engine import naive_games
from tests.engine.naive_games import Layout, Shown
from tests.engine.tables import RULES


def legal(table: Board, rules: Rules = RULES) -> list[Placement]:
    """Every placement when all tiles that are not on the table are in hand."""
    used = {lies.tile for lies in table.placed.values()}
    return list(table.list_legal_moves([tile for tile in rules.tiles if tile not in used]))


def as_naive(lies: Placement) -> tuple[naive_games.Cell, Shown]:
    """The placement as the second opinions write it."""
    return tuple(lies.cell), lies.shown_labels


def plain(table: Board) -> Layout:
    return [as_naive(lies) for lies in table.placed.values()]


def grown(rng: Random, size: int, rules: Rules = RULES, begun: Board | None = None) -> list[Placement]:
    """A random layout, in order. Dense ones have the hexagons, so half of them prefer full corners.

    `begun` is a table to grow from; without one any tile begins.
    """
    table = begun or rules.build_board()
    if not table.placed:
        table.place(Placement(rng.choice(rules.tiles), rules.plane.first, 0))
    dense = rng.random() < 0.5
    while len(table.placed) < size and (moves := legal(table, rules)):
        if dense:
            touched = corners(table, {move.cell for move in moves})
            most = max(touched.values())
            moves = [move for move in moves if touched[move.cell] == most]
        table.place(rng.choice(moves))
    return list(table.placed.values())


def laid(rules: Rules, layout: list[Placement]) -> Board:
    """The table on which these tiles were laid, in this order; they may be tiles that the set does not have."""
    table = Board(rules.plane, rules.fit, tuple(dict.fromkeys((*rules.tiles, *(lies.tile for lies in layout)))))
    for lies in layout:
        table.place(lies)
    return table


def corners(table: Board, cells: Iterable[Cell]) -> dict[Cell, int]:
    """How many tiles one on each of these cells would touch, each counted once for every corner, or side, it shares."""
    covers = table.cover_counts
    return {cell: sum(covers.get(site, 0) for site in table.list_sites(cell)) for cell in cells}
