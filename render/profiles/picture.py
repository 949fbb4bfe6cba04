"""The profile card of a player."""

from collections.abc import Sequence

from engine.board.tiles import Tile
from render.canvas import marks
from render.canvas.canvas import Canvas
from render.canvas.cell_outline import Outline, rise
from render.canvas.graph import FORM_HIGH, GRAPH_HIGH, Graph, Mark, draw_form, draw_graph
from render.canvas.lettering import Style, draw_text, fitted, readable
from render.canvas.picture import WIDTH, Picture, finished, lay_cloth
from render.canvas.theme import Colour, theme_of
from render.faces import Face
from render.table.plain_tile import shadow
from render.table.tile import tile_sprite

EDGE = 150
LEFT = 48
TOP = 326  # top of the small facts
CELL = 118
GAP = 14
ACROSS = 4  # small facts in a row, at most
FLOWER: tuple[tuple[Outline, int, int, Tile], ...] = (
    (Outline.UP, 0, 0, (2, 0, 5)),
    (Outline.DOWN, 1, 0, (0, 4, 5)),
    (Outline.UP, 2, 0, (5, 4, 1)),
    (Outline.DOWN, 0, 1, (2, 5, 3)),
    (Outline.UP, 1, 1, (3, 5, 1)),
    (Outline.DOWN, 2, 1, (5, 1, 1)),
)
"""Six tiles around one corner: half edges to the right, rows down, values clockwise from the left."""


def profile_card(
    title: str,
    subtitle: str,
    facts: Sequence[tuple[str, str]],
    *,
    form: tuple[str, Sequence[Mark]] = ("", ()),
    graph: Graph | None = None,
    scheme: str = "dark",
) -> Picture:
    """Draw a profile card with facts as (label, value), the most important first. 1200 pixels wide.

    Below them are the results of the last matches (a label and marks) and a graph, if given. Raises ValueError for an
    unknown `scheme`.
    """
    high = _below_facts(facts) + (FORM_HIGH + GAP if form[1] else 0) + (GRAPH_HIGH + GAP if graph else 0)
    canvas = Canvas(WIDTH, high + LEFT // 2 - GAP + 6, theme_of(scheme))
    lay_cloth(canvas)
    return finished(draw_profile(canvas, title, subtitle, facts, form, graph))


def _below_facts(facts: Sequence[tuple[str, str]]) -> int:
    return TOP + -(-max(0, len(facts) - 1) // ACROSS) * (CELL + GAP)


def draw_profile(
    canvas: Canvas,
    title: str,
    subtitle: str,
    facts: Sequence[tuple[str, str]],
    form: tuple[str, Sequence[Mark]] = ("", ()),
    graph: Graph | None = None,
) -> Canvas:
    """Draw the card on a canvas."""
    y, width = _below_facts(facts), WIDTH - LEFT
    if form[1]:
        draw_form(canvas, *form, LEFT // 2, y, width)
        y += FORM_HIGH + GAP
    if graph:
        draw_graph(canvas, graph, LEFT // 2, y, width)
    _flower(canvas, WIDTH - LEFT - 2 * EDGE, 34)
    room = WIDTH - 3 * LEFT - 2 * EDGE
    _line(canvas, readable(title, "·"), 88, room, 56, Style.LOUD, canvas.theme.text)
    _line(canvas, readable(subtitle), 134, room, 28, Style.TEXT, canvas.theme.quiet)
    if facts:
        label, value = facts[0]
        _line(canvas, readable(value), 240, room, 80, Style.LOUD, canvas.theme.accent)
        _line(canvas, readable(label), 284, room, 28, Style.TEXT, canvas.theme.quiet)
    small = facts[1:]
    rows = -(-len(small) // ACROSS)
    across = -(-len(small) // rows) if rows else 1
    width = (WIDTH - LEFT - GAP * (across - 1)) // across
    for number, (label, value) in enumerate(small):
        row, column = divmod(number, across)
        _fact(canvas, label, value, LEFT // 2 + column * (width + GAP), TOP + row * (CELL + GAP), width)
    return canvas


def _line(canvas: Canvas, text: str, base: int, room: int, size: int, style: Style, colour: Colour) -> None:
    text = fitted(text, style, size, room)
    draw_text(canvas, text, LEFT, base, style, size, colour)


def _fact(canvas: Canvas, label: str, value: str, x: int, y: int, width: int) -> None:
    marks.panel(canvas, x, y, width, CELL)
    for text, base, size, style, colour in (
        (value, 58, 44, Style.LOUD, canvas.theme.text),
        (label, 97, 26, Style.TEXT, canvas.theme.quiet),
    ):
        text = fitted(readable(text), style, size, width - LEFT)
        draw_text(canvas, text, x + LEFT // 2, y + base, style, size, colour, ground=canvas.theme.slot)


def _flower(canvas: Canvas, x: int, y: int) -> None:
    places = [
        (outline, labels, x + across * EDGE // 2, y + down * rise(EDGE)) for outline, across, down, labels in FLOWER
    ]
    for outline, _, left, top in places:
        sprite, reach = shadow(canvas.theme, EDGE, outline)
        canvas.shade(sprite, left - reach, top - reach)
    for outline, labels, left, top in places:
        canvas.stamp(tile_sprite(EDGE, outline, labels, Face(theme=canvas.theme)), left, top)
