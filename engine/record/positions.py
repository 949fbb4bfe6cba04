"""Positions as one line: `U0,0=135 D0,0=355`, the tiles in the order in which they were laid (RULES §2).

This is the one home of that notation: records, the referee and tests read and write it here.
"""

from engine.board import Board, Placement
from engine.lattice import Lattice
from engine.tiles import canonical, parse_labels, turned


def parse_placement(text: str, lattice: Lattice) -> Placement:
    """Read `U0,0=135`: 1, 3, 5 on corners 0, 1, 2 of the cell. Whether there is such a tile is not asked.

    Raises ValueError, saying how it is written.
    """
    place, equals, labels = text.partition("=")
    if not equals:
        raise ValueError(f"{text.strip()!r} is no placement; write it like {lattice.first}=135")
    cell = lattice.parse_cell(place)
    shown = parse_labels(labels, lattice.sides)
    tile = canonical(shown)
    rotation = turned(tile, shown)
    assert rotation is not None, "a tile shows its own labels in some rotation"
    return Placement(tile, cell, rotation)


def position_text(board: Board) -> str:
    """The table as one line; empty for an empty table. Laying the tiles in this order is legal at every step."""
    return " ".join(map(str, board.placed.values()))
