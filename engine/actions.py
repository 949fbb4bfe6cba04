"""What a seat may ask for."""

from dataclasses import dataclass

from engine.lattice import Cell
from engine.tiles import Tile


@dataclass(frozen=True, slots=True)
class Play:
    """Place a tile of one's hand. The opening tile goes on the lattice's first cell."""

    seat: int
    tile: Tile
    cell: Cell
    rotation: int


@dataclass(frozen=True, slots=True)
class Draw:
    """Take one tile from the boneyard because none fits."""

    seat: int


@dataclass(frozen=True, slots=True)
class Pass:
    """End a turn in which nothing fits and nothing more can be drawn."""

    seat: int


@dataclass(frozen=True, slots=True)
class Resign:
    """Leave the match for good; the seat takes the last place that is still open."""

    seat: int


Action = Play | Draw | Pass | Resign
