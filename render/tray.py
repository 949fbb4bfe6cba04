"""The panel a hand stands on."""

from collections.abc import Mapping, Sequence

from engine.tiles import Tile
from render import marks
from render.canvas import Canvas
from render.cards import signed
from render.faces import Face
from render.lettering import Style, draw_text
from render.outline import Outline
from render.picture import RIM, WIDTH
from render.spots import corners
from render.tile import dim, tile_sprite

SIZES: dict[int, tuple[tuple[int, int], ...]] = {
    3: ((136, 1), (124, 1), (114, 1), (124, 3), (114, 4), (104, 4), (94, 4), (86, 5), (78, 9)),
    4: ((124, 1), (114, 1), (124, 2), (114, 4), (104, 5), (94, 6), (86, 9)),
}
"""The edges of a hand's tiles and the rows they may take, by the sides of a tile: the first that holds the hand, else
the last. One row while that does, then more rows of large tiles: on a phone an edge is not a third of this.
"""
BESIDE = 10
"""Pixels between two tiles."""
SCORE = 42
"""The height of the line of points under a row of tiles."""
LIFT = 12
"""How far a picked tile is lifted."""


class Tray:
    """The viewer's hand: as few rows as keep the tiles large, and rows of equal length."""

    def __init__(self, tiles: int, outline: Outline, face: Face) -> None:
        self.outline, self.face = outline, face
        room = WIDTH - 2 * RIM - 24
        for edge, most in SIZES[outline.sides]:
            across = (room + BESIDE) // (edge + BESIDE)
            self.edge, self.rows = edge, max(1, -(-tiles // across))
            if self.rows <= most:
                break
        self.per_row = max(1, -(-tiles // self.rows))
        self.high = outline.height(self.edge)
        self.height = 44 + self.rows * (self.high + SCORE) + (self.rows - 1) * BESIDE

    def draw(
        self, canvas: Canvas, top: int, hand: Sequence[Tile], best: Mapping[Tile, int], lifted: Tile | None
    ) -> None:
        """The hand; `best` holds the points of the tiles that fit. Where none scores, noughts would say nothing."""
        scoring = any(best.values())
        marks.panel(canvas, RIM, top, WIDTH - 2 * RIM, self.height)
        y = top + 28
        for start in range(0, len(hand), self.per_row):
            row = hand[start : start + self.per_row]
            x = (WIDTH - ((self.edge + BESIDE) * len(row) - BESIDE)) // 2
            for held in row:
                if held in best:
                    self._bright(canvas, held, best[held] if scoring else None, x, y, lifted=held == lifted)
                else:
                    canvas.stamp(dim(self.edge, self.outline, held, self.face), x, y)
                canvas.spots.tiles[held] = corners(self.outline, self.edge, x, y)
                x += self.edge + BESIDE
            y += self.high + SCORE + BESIDE

    def _bright(self, canvas: Canvas, held: Tile, points: int | None, x: int, y: int, *, lifted: bool) -> None:
        """A tile that fits, with its points under it."""
        sprite = tile_sprite(self.edge, self.outline, held, self.face, lit=lifted)
        canvas.stamp(sprite, x, y - LIFT if lifted else y)
        if points is None:
            return
        theme = canvas.theme
        colour = theme.accent if lifted else theme.gain if points > 0 else theme.loss if points < 0 else theme.quiet
        draw_text(
            canvas,
            signed(points),
            x + self.edge // 2,
            y + self.high + 32,
            style=Style.LOUD,
            size=30,
            colour=colour,
            ground=theme.slot,
            side="middle",
        )
