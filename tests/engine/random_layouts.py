"""Random layouts of any game that begin with any tile of its set and grow by legal placements."""

from collections import Counter
from collections.abc import Iterable
from random import Random

from engine.board.board import Board, Placement
from engine.board.lattice import Cell, Site
from engine.match.rules import Rules
from tests.engine import naive
from tests.engine.tables import RULES


def list_legal_placements(table: Board, rules: Rules = RULES) -> list[Placement]:
    """Return the legal placements of all tiles that are not on the table."""
    used = {placement.tile for placement in table.placed.values()}
    return list(table.list_legal_moves([tile for tile in rules.tiles if tile not in used]))


def to_naive(placement: Placement) -> tuple[naive.Cell, naive.Shown]:
    return tuple(placement.cell), placement.shown_labels


def to_naive_layout(table: Board) -> naive.Layout:
    return [to_naive(placement) for placement in table.placed.values()]


def grow_layout(rng: Random, size: int, rules: Rules = RULES, start_board: Board | None = None) -> list[Placement]:
    """Return a random layout in order of play. Only dense layouts have hexagons, so half of them prefer full corners.

    The layout continues `start_board`; without one, any tile begins.
    """
    table = start_board or rules.build_board()
    if not table.placed:
        table.place(Placement(rng.choice(rules.tiles), rules.plane.first, 0))
    dense = rng.random() < 0.5
    while len(table.placed) < size and (moves := list_legal_placements(table, rules)):
        if dense:
            touched = count_touched_tiles(table, {move.cell for move in moves})
            most = max(touched.values())
            moves = [move for move in moves if touched[move.cell] == most]
        table.place(rng.choice(moves))
    return list(table.placed.values())


def place_layout(rules: Rules, layout: list[Placement]) -> Board:
    """Return a board with these placements, in this order. The tiles need not be in the set."""
    table = Board(
        rules.plane, rules.fit, tuple(dict.fromkeys((*rules.tiles, *(placement.tile for placement in layout))))
    )
    for lies in layout:
        table.place(lies)
    return table


def count_touched_tiles(table: Board, cells: Iterable[Cell]) -> dict[Cell, int]:
    """Return for each cell how many tiles it touches. A tile counts once for each shared corner or side."""
    tile_counts = count_tiles_by_site(table)
    return {cell: sum(tile_counts[site] for site in table.list_sites(cell)) for cell in cells}


def count_tiles_by_site(table: Board) -> Counter[Site]:
    return Counter(site for cell in table.placed for site in table.list_sites(cell))
