"""The profile card of a player."""

from collections.abc import Sequence

from engine.board.tiles import Tile
from render.canvas import marks
from render.canvas.canvas import Canvas
from render.canvas.cell_outline import Outline, compute_triangle_height
from render.canvas.graph import FORM_HEIGHT, GRAPH_HEIGHT, Graph, ResultMark, draw_form, draw_graph
from render.canvas.lettering import Style, clean_text, draw_fitted_text
from render.canvas.picture import WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import get_theme
from render.faces import Face
from render.table.tile import paint_tile_with_shadow

TILE_EDGE = 150
MARGIN = 48
FACTS_TOP = 326  # top of the small facts
FACT_HEIGHT = 118
GAP = 14
MAX_COLUMNS = 4  # small facts in a row, at most
FLOWER: tuple[tuple[Outline, int, int, Tile], ...] = (
    (Outline.UP, 0, 0, (2, 0, 5)),
    (Outline.DOWN, 1, 0, (0, 4, 5)),
    (Outline.UP, 2, 0, (5, 4, 1)),
    (Outline.DOWN, 0, 1, (2, 5, 3)),
    (Outline.UP, 1, 1, (3, 5, 1)),
    (Outline.DOWN, 2, 1, (5, 1, 1)),
)
"""Six tiles around one corner: half edges to the right, rows down, values clockwise from the left."""


def render_profile_card(
    title: str,
    subtitle: str,
    facts: Sequence[tuple[str, str]],
    *,
    form: tuple[str, Sequence[ResultMark]] = ("", ()),
    graph: Graph | None = None,
    scheme: str = "dark",
) -> Picture:
    """Draw a profile card with facts as (label, value), the most important first. 1200 pixels wide.

    Below them are the results of the last matches (a label and marks) and a graph, if given. Raises ValueError for an
    unknown `scheme`.
    """
    small = facts[1:]
    rows = -(-len(small) // MAX_COLUMNS)
    facts_bottom = FACTS_TOP + rows * (FACT_HEIGHT + GAP)
    height = facts_bottom + (FORM_HEIGHT + GAP if form[1] else 0) + (GRAPH_HEIGHT + GAP if graph else 0)
    canvas = Canvas(WIDTH, height + MARGIN // 2 - GAP + 6, get_theme(scheme))
    draw_cloth(canvas)
    theme, y, width = canvas.theme, facts_bottom, WIDTH - MARGIN
    if form[1]:
        draw_form(canvas, *form, MARGIN // 2, y, width)
        y += FORM_HEIGHT + GAP
    if graph:
        draw_graph(canvas, graph, MARGIN // 2, y, width)
    _draw_flower(canvas, WIDTH - MARGIN - 2 * TILE_EDGE, 34)
    room = WIDTH - 3 * MARGIN - 2 * TILE_EDGE
    draw_fitted_text(canvas, clean_text(title, "·"), MARGIN, 88, Style.LOUD, (56,), room, theme.text)
    draw_fitted_text(canvas, clean_text(subtitle), MARGIN, 134, Style.TEXT, (28,), room, theme.quiet)
    for label, value in facts[:1]:
        draw_fitted_text(canvas, clean_text(value), MARGIN, 240, Style.LOUD, (80,), room, theme.accent)
        draw_fitted_text(canvas, clean_text(label), MARGIN, 284, Style.TEXT, (28,), room, theme.quiet)
    across = -(-len(small) // rows) if rows else 1
    width = (WIDTH - MARGIN - GAP * (across - 1)) // across
    for number, (label, value) in enumerate(small):
        row, column = divmod(number, across)
        x, y = MARGIN // 2 + column * (width + GAP), FACTS_TOP + row * (FACT_HEIGHT + GAP)
        _draw_fact(canvas, label, value, x, y, width)
    return build_picture(canvas)


def _draw_fact(canvas: Canvas, label: str, value: str, x: int, y: int, width: int) -> None:
    marks.draw_plate(canvas, x, y, width, FACT_HEIGHT)
    theme, left, room = canvas.theme, x + MARGIN // 2, width - MARGIN
    draw_fitted_text(canvas, clean_text(value), left, y + 58, Style.LOUD, (44,), room, theme.text, ground=theme.slot)
    draw_fitted_text(canvas, clean_text(label), left, y + 97, Style.TEXT, (26,), room, theme.quiet, ground=theme.slot)


def _draw_flower(canvas: Canvas, x: int, y: int) -> None:
    height = compute_triangle_height(TILE_EDGE)
    places = [(form, labels, x + at * TILE_EDGE // 2, y + down * height) for form, at, down, labels in FLOWER]
    for outline, labels, left, top in places:
        paint_tile_with_shadow(canvas, TILE_EDGE, outline, labels, Face(theme=canvas.theme), left, top)
