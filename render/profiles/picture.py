"""The profile card of a player."""

from collections.abc import Sequence

from engine.board.tiles import Tile
from render.canvas import marks
from render.canvas.canvas import Canvas
from render.canvas.cell_outline import Outline, compute_triangle_height
from render.canvas.graph import FORM_HEIGHT, GRAPH_HEIGHT, Graph, ResultMark, draw_form, draw_graph
from render.canvas.lettering import Style, clean_text, draw_text, truncate_to_width
from render.canvas.picture import WIDTH, Picture, build_picture, draw_cloth
from render.canvas.theme import Colour, get_theme
from render.faces import Face
from render.table.plain_tile import render_tile_shadow
from render.table.tile import render_tile

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
    height = _compute_facts_bottom(facts) + (FORM_HEIGHT + GAP if form[1] else 0) + (GRAPH_HEIGHT + GAP if graph else 0)
    canvas = Canvas(WIDTH, height + MARGIN // 2 - GAP + 6, get_theme(scheme))
    draw_cloth(canvas)
    return build_picture(draw_profile(canvas, title, subtitle, facts, form, graph))


def _compute_facts_bottom(facts: Sequence[tuple[str, str]]) -> int:
    return FACTS_TOP + -(-max(0, len(facts) - 1) // MAX_COLUMNS) * (FACT_HEIGHT + GAP)


def draw_profile(
    canvas: Canvas,
    title: str,
    subtitle: str,
    facts: Sequence[tuple[str, str]],
    form: tuple[str, Sequence[ResultMark]] = ("", ()),
    graph: Graph | None = None,
) -> Canvas:
    """Draw the card on a canvas."""
    y, width = _compute_facts_bottom(facts), WIDTH - MARGIN
    if form[1]:
        draw_form(canvas, *form, MARGIN // 2, y, width)
        y += FORM_HEIGHT + GAP
    if graph:
        draw_graph(canvas, graph, MARGIN // 2, y, width)
    _draw_flower(canvas, WIDTH - MARGIN - 2 * TILE_EDGE, 34)
    room = WIDTH - 3 * MARGIN - 2 * TILE_EDGE
    _write_line(canvas, clean_text(title, "·"), 88, room, 56, Style.LOUD, canvas.theme.text)
    _write_line(canvas, clean_text(subtitle), 134, room, 28, Style.TEXT, canvas.theme.quiet)
    if facts:
        label, value = facts[0]
        _write_line(canvas, clean_text(value), 240, room, 80, Style.LOUD, canvas.theme.accent)
        _write_line(canvas, clean_text(label), 284, room, 28, Style.TEXT, canvas.theme.quiet)
    small = facts[1:]
    rows = -(-len(small) // MAX_COLUMNS)
    across = -(-len(small) // rows) if rows else 1
    width = (WIDTH - MARGIN - GAP * (across - 1)) // across
    for number, (label, value) in enumerate(small):
        row, column = divmod(number, across)
        _draw_fact(
            canvas, label, value, MARGIN // 2 + column * (width + GAP), FACTS_TOP + row * (FACT_HEIGHT + GAP), width
        )
    return canvas


def _write_line(canvas: Canvas, text: str, base: int, room: int, size: int, style: Style, colour: Colour) -> None:
    text = truncate_to_width(text, style, size, room)
    draw_text(canvas, text, MARGIN, base, style, size, colour)


def _draw_fact(canvas: Canvas, label: str, value: str, x: int, y: int, width: int) -> None:
    marks.draw_plate(canvas, x, y, width, FACT_HEIGHT)
    for text, base, size, style, colour in (
        (value, 58, 44, Style.LOUD, canvas.theme.text),
        (label, 97, 26, Style.TEXT, canvas.theme.quiet),
    ):
        text = truncate_to_width(clean_text(text), style, size, width - MARGIN)
        draw_text(canvas, text, x + MARGIN // 2, y + base, style, size, colour, ground=canvas.theme.slot)


def _draw_flower(canvas: Canvas, x: int, y: int) -> None:
    places = [
        (outline, labels, x + across * TILE_EDGE // 2, y + down * compute_triangle_height(TILE_EDGE))
        for outline, across, down, labels in FLOWER
    ]
    for outline, _, left, top in places:
        sprite, reach = render_tile_shadow(canvas.theme, TILE_EDGE, outline)
        canvas.paint_shadow(sprite, left - reach, top - reach)
    for outline, labels, left, top in places:
        canvas.paste_sprite(render_tile(TILE_EDGE, outline, labels, Face(theme=canvas.theme)), left, top)
