"""Random layouts that begin with any tile of a set and grow by legal placements."""

from random import Random

from engine.board import Board, Placement
from engine.lattice import TRIANGLES
from engine.rules import Rules
from tests.engine import naive
from tests.engine.tables import RULES, naive_shown


def legal(table: Board, rules: Rules = RULES) -> list[Placement]:
    """Every placement when all tiles that are not on the table are in hand."""
    used = {lies.tile for lies in table.placed.values()}
    return list(table.legal([tile for tile in rules.tiles if tile not in used]))


def as_naive(lies: Placement) -> tuple[naive.Cell, naive.Shown]:
    """The placement as the second opinion writes it."""
    return (lies.cell.kind, lies.cell.x, lies.cell.y), naive_shown(lies)


def grown(rng: Random, size: int, rules: Rules = RULES, begun: Board | None = None) -> list[Placement]:
    """A random layout, in order. Dense ones have the hexagons, so half of them prefer full corners.

    `begun` is a table to grow from; without one any tile begins.
    """
    table = begun or Board(TRIANGLES)
    if not table.placed:
        table.place(Placement(rng.choice(rules.tiles), TRIANGLES.first, 0))
    dense = rng.random() < 0.5
    while len(table.placed) < size and (moves := legal(table, rules)):
        if dense:
            most = max(corners(table, move) for move in moves)
            moves = [move for move in moves if corners(table, move) == most]
        table.place(rng.choice(moves))
    return list(table.placed.values())


def corners(table: Board, move: Placement) -> int:
    """How many tiles a placement would touch, each counted once for every corner it shares."""
    return sum(table.covers.get(site, 0) for site in TRIANGLES.shape(move.cell).corners)
