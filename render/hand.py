"""One's own picture: the board with letters where this hand fits, and under it the hand."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from engine.board import Placement
from engine.lattice import Cell
from engine.seen import Seen
from engine.tiles import Tile
from render import marks
from render.board import draw_board
from render.canvas import Canvas, Sprite
from render.cards import LINE, draw_line, signed
from render.geometry import rise
from render.lettering import Style, write
from render.palette import DIM, veil
from render.picture import HEADER, MARGIN, WIDTH, Captions, Picture, finished, header
from render.theme import THEME
from render.tile import Labels, tile

BOARD = 606
"""The height of the board above the hand."""
ROWS = {136: 1, 124: 1, 114: 1, 104: 2, 94: 3, 86: 4, 78: 5}
"""The rows of tiles a hand may take, by the edge of its tiles."""
BESIDE = 10
"""Pixels between two tiles."""
SCORE = 42
"""The height of the line of points under a row of tiles."""


def hand_picture(
    seen: Seen,
    names: Sequence[str],
    captions: Captions,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    picked: Tile | None = None,
) -> Picture:
    """The viewer's hand under the board: 1200 wide, as high as the hand needs.

    `letters`: the cells to letter, by default every one where this hand fits. `ghost` is drawn where it would lie;
    `picked` is lifted out of the hand. Tiles that fit nowhere are dim; the others carry the most they would score.
    """
    tray = Tray(len(_held_by_viewer(seen)))
    canvas = Canvas(WIDTH, HEADER + BOARD + LINE + 14 + tray.height + 22)
    return finished(draw_hand(canvas, seen, names, captions, letters=letters, ghost=ghost, picked=picked))


def draw_hand(
    canvas: Canvas,
    seen: Seen,
    names: Sequence[str],
    captions: Captions,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    picked: Tile | None = None,
) -> Canvas:
    """Draw the hand picture on a canvas."""
    fits = {move.placement.cell for move in seen.moves}
    area = (24, HEADER + 18, WIDTH - 24, HEADER + BOARD - 18)
    draw_board(canvas, seen, area, letters=fits if letters is None else letters, ghost=ghost, room_for=fits)
    header(canvas, captions)
    draw_line(canvas, seen, names, HEADER + BOARD)
    best: dict[Tile, int] = {}
    for move in seen.moves:
        best[move.placement.tile] = max(move.points, best.get(move.placement.tile, move.points))
    Tray(len(_held_by_viewer(seen))).draw(
        canvas, HEADER + BOARD + LINE + 14, _held_by_viewer(seen), best, picked or (ghost.tile if ghost else None)
    )
    return canvas


def _held_by_viewer(seen: Seen) -> Sequence[Tile]:
    return (seen.mine.hand or ()) if seen.mine else ()


class Tray:
    """The panel a hand stands on: as few rows as keep the tiles large, and rows of equal length."""

    def __init__(self, tiles: int) -> None:
        room = WIDTH - 2 * MARGIN - 24
        for edge, most in ROWS.items():
            across = (room + BESIDE) // (edge + BESIDE)
            self.edge, self.rows = edge, max(1, -(-tiles // across))
            if self.rows <= most:
                break
        self.per_row = max(1, -(-tiles // self.rows))
        self.height = 44 + self.rows * (rise(self.edge) + SCORE) + (self.rows - 1) * BESIDE

    def draw(
        self, canvas: Canvas, top: int, hand: Sequence[Tile], best: Mapping[Tile, int], lifted: Tile | None
    ) -> None:
        """The hand; `best` holds the points of the tiles that fit."""
        marks.panel(canvas, MARGIN - 4, top, WIDTH - 2 * MARGIN + 8, self.height, THEME.panel)
        y = top + 28
        for start in range(0, len(hand), self.per_row):
            row = hand[start : start + self.per_row]
            x = (WIDTH - ((self.edge + BESIDE) * len(row) - BESIDE)) // 2
            for held in row:
                self._tile(canvas, held, best.get(held), x, y, lifted=held == lifted)
                x += self.edge + BESIDE
            y += rise(self.edge) + SCORE + BESIDE

    def _tile(self, canvas: Canvas, held: Tile, points: int | None, x: int, y: int, *, lifted: bool) -> None:
        low, middle, high = held
        labels = (low, middle, high)
        if points is None:
            canvas.stamp(_dim(self.edge, labels), x, y)
            return
        canvas.stamp(tile(self.edge, True, labels, THEME.gold if lifted else None), x, y - 12 if lifted else y)
        colour = THEME.gold if lifted else THEME.mint if points > 0 else THEME.coral if points < 0 else THEME.grey
        write(
            canvas,
            signed(points),
            x + self.edge // 2,
            y + rise(self.edge) + 32,
            style=Style.LOUD,
            size=30,
            colour=colour,
            ground=THEME.panel,
            side="middle",
        )


@lru_cache(maxsize=128)
def _dim(edge: int, labels: Labels) -> Sprite:
    """A tile that fits nowhere now."""
    return tile(edge, True, labels).changed(lambda: veil(THEME.panel, DIM), THEME.panel, DIM)
