"""The open hands at the end of a round, each on its seat's card."""

from collections.abc import Sequence

from engine.tiles import Tile
from render.canvas import Canvas
from render.faces import Face
from render.outline import Outline
from render.tile import tile_sprite

BAND = 104
"""The usual height of the open hands."""
EDGES = (78, 70, 62, 54, 46, 38, 32, 26)
"""The edges tiles may have; a band of the usual height is used as long as they are not too small."""
SMALLEST = 38
"""The edge from which a tile in an open hand is still known by its colours when the picture is 400 pixels wide."""
MOST = 300
"""The height of a band at the utmost."""
BETWEEN = 7
"""Pixels between two tiles of a hand."""


class OpenHand:
    """A hand on its way onto a card of a given width."""

    def __init__(self, hand: Sequence[Tile], outline: Outline, face: Face, width: int) -> None:
        self.hand, self.outline, self.face, self.width = hand, outline, face, width - 24

    def band(self) -> int:
        """The height it needs."""
        if self._height(SMALLEST) <= BAND:
            return BAND
        return min(MOST, self._height(SMALLEST))

    def edge(self, band: int) -> int:
        """The edge of its tiles on a band of this height."""
        return next((edge for edge in EDGES if self._height(edge) <= band), EDGES[-1])

    def draw(self, canvas: Canvas, x: int, top: int, band: int) -> None:
        """Draw it as large as it fits a band of this height."""
        edge = self.edge(band)
        rows = self._rows(edge)
        per_row = -(-len(self.hand) // rows)
        high, step = self.outline.height(edge) + BETWEEN, self._step(edge)
        y = top + (band - rows * high) // 2 + BETWEEN // 2
        for start in range(0, len(self.hand), per_row):
            row = self.hand[start : start + per_row]
            left = x + 12 + (self.width - (step * (len(row) - 1) + edge)) // 2
            for number, held in enumerate(row):
                canvas.stamp(tile_sprite(edge, self._turned(number), held, self.face), left + number * step, y)
            y += high

    def _turned(self, number: int) -> Outline:
        """Triangles point up and down in turn, so that they stand close."""
        return Outline.DOWN if self.outline is Outline.UP and number % 2 else self.outline

    def _step(self, edge: int) -> int:
        return (edge if self.outline is Outline.SQUARE else edge // 2) + BETWEEN

    def _rows(self, edge: int) -> int:
        across = max(1, 1 + (self.width - edge) // self._step(edge))
        return max(1, -(-len(self.hand) // across))

    def _height(self, edge: int) -> int:
        return self._rows(edge) * (self.outline.height(edge) + BETWEEN)
