"""Positions as one line: `U0,0=135 D0,0=355`, the tiles in the order in which they were laid (RULES §2).

This is the one home of that notation: records, the referee and tests read and write it here.
"""

from engine.board import Board, Placement
from engine.rules import Rules
from engine.tiles import parse_labels


def parse_placement(text: str, rules: Rules) -> Placement:
    """Read `U0,0=135`: 1, 3, 5 on places 0, 1, 2 of the cell. Whether there is such a tile is not asked.

    Raises ValueError, saying how it is written.
    """
    place, equals, labels = text.partition("=")
    if not equals:
        like = "1355"[: rules.plane.sides]
        raise ValueError(f"{text.strip()!r} is no placement; write it like {rules.plane.first}={like}")
    return rules.lay(rules.plane.parse_cell(place), parse_labels(labels, rules.plane.sides))


def position_text(board: Board) -> str:
    """The table as one line; empty for an empty table. Laying the tiles in this order is legal at every step."""
    return " ".join(map(str, board.placed.values()))
