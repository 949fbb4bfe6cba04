"""Where a picture shows what can be pressed in it: whoever draws a tile of the hand, or a place it may go to, notes it.

So a page that knows nothing of the game can let people point into the picture (docs/decisions).
"""

from dataclasses import dataclass, field

from engine.lattice import Cell
from engine.tiles import Tile
from render.outline import Outline

Corners = tuple[tuple[int, int], ...]
"""The corners of a cell in pixels of the picture, in the order of the lattice; of a tile, in that of its labels."""


@dataclass(frozen=True, slots=True)
class Spots:
    """The tiles of the hand and the places that are drawn, each by its corners."""

    tiles: dict[Tile, Corners] = field(default_factory=dict)
    places: dict[Cell, Corners] = field(default_factory=dict)

    def take(self, part: "Spots", x: int, y: int, width: int, height: int) -> None:
        """Take over what is noted on a part of the picture of this size, whose top left corner is here. What its edge
        cuts in the middle cannot be pressed.
        """
        for cell, corners in part.places.items():
            middle_x, middle_y = (sum(way) / len(corners) for way in zip(*corners, strict=True))
            if 0 <= middle_x < width and 0 <= middle_y < height:
                self.places[cell] = tuple((x + at, y + down) for at, down in corners)


def corners(outline: Outline, edge: int, x: int, y: int) -> Corners:
    """The corners of a cell with this edge whose box has its top left here."""
    return tuple((x + round(at), y + round(down)) for at, down in outline.corners(edge))
