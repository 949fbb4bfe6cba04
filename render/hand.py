"""One's own picture: the board with letters where this hand fits, and under it the hand."""

from collections.abc import Collection, Sequence

from engine.board import Placement
from engine.lattice import Cell
from engine.seen import Seen
from engine.tiles import Tile
from render.board import board_windows, crowded, draw_board
from render.canvas import Box, Canvas
from render.faces import Face, face_of
from render.geometry import OUTLINES
from render.legend import draw_legend, legend_height
from render.picture import HEADER, WIDTH, Captions, Heading, Picture, finished, lay_cloth
from render.seat_line import draw_line, line_height
from render.table import heading_seat
from render.tray import Tray
from render.window import Plan

TALLER = 200
"""What is added to a picture whose board would be too small to read."""
BOARD = 640
"""The usual height of the board above the hand."""


def hand_picture(
    seen: Seen,
    names: Sequence[str],
    captions: Captions,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    picked: Tile | None = None,
    theme: str = "classic",
    scheme: str = "dark",
) -> Picture:
    """The viewer's hand under the board: 1200 wide, as high as the hand needs.

    `letters`: the cells to letter, by default every one where this hand fits. `ghost` is drawn where it would lie;
    `picked` is lifted out of the hand. Tiles that fit nowhere are dim; the others carry the most they would score.
    `theme` is one of `THEMES`, `scheme` one of `SCHEMES`; ValueError for any other.
    """
    face = face_of(seen.rules, theme, scheme)
    line, tray = _line_top(seen, face), _tray(seen, face)
    canvas = Canvas(WIDTH, _tray_top(seen, line) + tray.height + 22, face.theme)
    drawn = draw_hand(
        canvas,
        seen,
        names,
        captions,
        letters=letters,
        ghost=ghost,
        picked=picked,
        theme=theme,
        scheme=scheme,
        line=line,
    )
    return finished(drawn)


def hand_plan(seen: Seen, *, theme: str = "classic") -> Plan:
    """How the picture of one's own hand is laid out."""
    face = face_of(seen.rules, theme)
    line, tray = _line_top(seen, face), _tray(seen, face)
    windows = board_windows(seen, _area(face, line), letters=(), room_for={move.placement.cell for move in seen.moves})
    return Plan(WIDTH, _tray_top(seen, line) + tray.height + 22, windows, (tray.edge,) if _held(seen) else ())


def draw_hand(
    canvas: Canvas,
    seen: Seen,
    names: Sequence[str],
    captions: Captions,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    picked: Tile | None = None,
    theme: str = "classic",
    scheme: str = "dark",
    line: int | None = None,
) -> Canvas:
    """Draw the hand picture on a canvas; `line` is where the board ends, where that is known."""
    face = face_of(seen.rules, theme, scheme)
    fits = {move.placement.cell for move in seen.moves}
    line = _line_top(seen, face) if line is None else line
    area = _area(face, line)
    lay_cloth(canvas)
    draw_board(canvas, seen, area, face, letters=fits if letters is None else letters, chosen=ghost, room_for=fits)
    Heading(captions, face.theme, seen.viewer if seen.my_turn else heading_seat(seen)).draw(canvas)
    draw_legend(canvas, seen.rules, face, HEADER)
    draw_line(canvas, seen, names, line)
    best: dict[Tile, int] = {}
    for move in seen.moves:
        best[move.placement.tile] = max(move.points, best.get(move.placement.tile, move.points))
    lifted = picked or (ghost.tile if ghost else None)
    _tray(seen, face).draw(canvas, _tray_top(seen, line), _held(seen), best, lifted)
    return canvas


def _held(seen: Seen) -> Sequence[Tile]:
    return (seen.mine.hand or ()) if seen.mine else ()


def _tray(seen: Seen, face: Face) -> Tray:
    return Tray(len(_held(seen)), OUTLINES[seen.rules.plane.first.kind], face.held)


def _area(face: Face, line: int) -> Box:
    """Where the board is drawn above the line of seats."""
    return 24, HEADER + 18 + legend_height(face), WIDTH - 24, line - 18


def _line_top(seen: Seen, face: Face) -> int:
    line = HEADER + BOARD + legend_height(face)
    fits = {move.placement.cell for move in seen.moves}
    return line + TALLER if crowded(seen, _area(face, line), letters=(), room_for=fits) else line


def _tray_top(seen: Seen, line: int) -> int:
    return line + line_height(len(seen.seats)) + 14
