"""A move as it travels in a menu or a button: `334.U0,1.2` is tile 3-3-4 on cell U0,1, turned twice."""

from dataclasses import dataclass
from math import factorial

from engine.board import Placement
from engine.rules import Rules
from engine.seen import Move, Seen
from engine.tiles import Tile, labels_text, parse_labels


def token(placement: Placement) -> str:
    """The placement as an argument of an id."""
    return f"{tile_token(placement.tile)}.{placement.cell}.{placement.rotation}"


def tile_token(tile: Tile) -> str:
    """The tile as an argument of an id."""
    return labels_text(tile)


def parse_token(text: str, rules: Rules) -> Placement | None:
    """The placement in an argument, None for one that is no placement at all."""
    parts = text.split(".")
    if len(parts) != 3 or not parts[2].isdecimal():
        return None
    try:
        tile, cell = parse_labels(parts[0], rules.plane.sides), rules.plane.parse_cell(parts[1])
    except ValueError:
        return None
    return Placement(tile, cell, turn(rules, int(parts[2])))


def turn(rules: Rules, rotation: int) -> int:
    """The rotation that a number from outside stands for."""
    # Tiles without a fixed order have as many rotations as there are orders of their labels.
    return rotation % (factorial(rules.plane.sides) if rules.fit.free else rules.plane.sides)


def find_move(seen: Seen, text: str) -> Move | None:
    """The legal move of the viewer that an argument names."""
    placement = parse_token(text, seen.rules)
    return next((move for move in seen.moves if move.placement == placement), None)


@dataclass(frozen=True, slots=True)
class TileChoice:
    """A tile of the hand with everything it can do."""

    tile: Tile
    moves: tuple[Move, ...]

    @property
    def best(self) -> int:
        """The most points it can make."""
        return max(move.points for move in self.moves)


def by_tile(seen: Seen) -> list[TileChoice]:
    """The playable tiles, best first."""
    tiles: dict[Tile, list[Move]] = {}
    for move in seen.moves:
        tiles.setdefault(move.placement.tile, []).append(move)
    return [TileChoice(tile, tuple(moves)) for tile, moves in tiles.items()]
