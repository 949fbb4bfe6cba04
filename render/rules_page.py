"""The picture that goes with a table's rules: its diagrams side by side, each with a sentence under it."""

from collections.abc import Mapping

from engine.rules import Rules
from render import marks
from render.blank import LIGHT, glow_reach, light, shadow
from render.canvas import Box, Canvas
from render.cards import signed
from render.diagrams import Diagram, Example, diagrams, example
from render.faces import Face, face_of
from render.geometry import Layout, centred, largest_edge, whole
from render.legend import draw_legend, legend_height
from render.lettering import Style, draw_text, wrapped
from render.open_places import cross, open_place
from render.picture import WIDTH, Picture, finished, lay_cloth
from render.rings import brass_ring, hexagon
from render.tile import tile_sprite

MARGIN = 24
GAP = 16
PAD = 26
"""From the line around a diagram to what is in it."""
HIGH = 330
"""The height of a diagram without its sentence."""
LARGEST = 168
"""The largest edge of a tile."""
SIZE = 29
"""The size of the sentences: in a picture shown 400 pixels wide they can just be read."""
LINE = 38
SCORE = 40
CIRCLE = 0.13
"""The radius of the circle around a corner that matches, as a share of the edge."""


def rules_picture(
    rules: Rules, captions: Mapping[Diagram, str], *, theme: str = "classic", scheme: str = "dark"
) -> Picture:
    """The diagrams that `diagrams(rules)` names, in that order: 1200 wide, as high as they need.

    `captions` holds a sentence for each, in the reader's language; a missing one stays blank. ValueError for a theme
    that is none of `THEMES` and for a scheme that is none of `SCHEMES`.
    """
    return finished(draw_rules(rules, captions, theme=theme, scheme=scheme))


def draw_rules(
    rules: Rules,
    captions: Mapping[Diagram, str],
    *,
    theme: str = "classic",
    scheme: str = "dark",
    true: bool = False,
) -> Canvas:
    """Draw the rules picture; `true` draws in 24-bit colour, for tests."""
    face = face_of(rules, theme, scheme)
    shown = diagrams(rules)
    across = len(shown) if len(shown) <= 3 else 2
    width = (WIDTH - 2 * MARGIN - GAP * (across - 1)) // across
    lines = {name: wrapped(captions.get(name, ""), Style.TEXT, SIZE, width - 2 * PAD) for name in shown}
    rows = [shown[start : start + across] for start in range(0, len(shown), across)]
    heights = [HIGH + PAD + LINE * max(len(lines[name]) for name in row) for row in rows]
    top = MARGIN + legend_height(face)
    canvas = Canvas(WIDTH, top + sum(heights) + GAP * (len(rows) - 1) + MARGIN, face.theme, true=true)
    lay_cloth(canvas)
    draw_legend(canvas, rules, face, MARGIN // 2)
    for row, height in zip(rows, heights, strict=True):
        for number, name in enumerate(row):
            x = MARGIN + number * (width + GAP)
            _panel(canvas, rules, name, lines[name], face, (x, top, x + width, top + height))
        top += height + GAP
    return canvas


def _panel(canvas: Canvas, rules: Rules, name: Diagram, lines: list[str], face: Face, box: Box) -> None:
    """One diagram in its outline, with its sentence."""
    left, top, right, bottom = box
    canvas.glaze(canvas.theme.slot_edge, left, top, marks.slab, right - left, bottom - top, 18, 2)
    shown = example(rules, name)
    _Drawing(canvas, rules, shown, face, (left + PAD, top + PAD, right - PAD, top + HIGH - PAD // 2)).draw()
    if shown.points:
        draw_text(
            canvas,
            signed(shown.points),
            right - PAD,
            top + PAD + SCORE * 3 // 4,
            style=Style.LOUD,
            size=SCORE,
            colour=canvas.theme.accent,
            ground=canvas.theme.cloth,
            side="right",
        )
    base = top + HIGH + LINE * 3 // 4
    for line in lines:
        theme = canvas.theme
        draw_text(canvas, line, left + PAD, base, style=Style.TEXT, size=SIZE, colour=theme.text, ground=theme.cloth)
        base += LINE


class _Drawing:
    """A position with its new tile lit, and what is worth pointing at."""

    def __init__(self, canvas: Canvas, rules: Rules, shown: Example, face: Face, area: Box) -> None:
        self.canvas, self.shown, self.face = canvas, shown, face
        self.layout = _layout(rules, shown, area)
        self.edge, self.theme = self.layout.edge, canvas.theme

    def draw(self) -> None:
        """Everything, from the ground up."""
        shown, layout, theme = self.shown, self.layout, self.theme
        tiles = (*shown.before, shown.new)
        for laid in tiles if not theme.outlined else ():
            spot = layout.spot(laid.cell)
            sprite, reach = shadow(theme, self.edge, spot.outline)
            self.canvas.shade(sprite, spot.x - reach, spot.y - reach)
        spot = layout.spot(shown.new.cell)
        if not theme.outlined:
            reach = glow_reach(self.edge)
            self.canvas.shine(theme.brass, LIGHT, spot.x - reach, spot.y - reach, light(self.edge, spot.outline))
        for cell in shown.open:
            at = layout.spot(cell)
            self.canvas.stamp(open_place(theme, self.edge, at.outline, "", loud=True), at.x, at.y)
        for cell in shown.shut:
            at, mark = layout.spot(cell), cross(theme, self.edge)
            x, y = at.outline.heart(self.edge)
            self.canvas.stamp(mark, at.x + x - mark.width // 2, at.y + y - mark.height // 2)
        for laid in tiles:
            at = layout.spot(laid.cell)
            lit = laid is shown.new
            self.canvas.stamp(tile_sprite(self.edge, at.outline, laid.shown, self.face, lit=lit), at.x, at.y)
        for site in shown.hexagons:
            x, y = layout.point(site)
            line, width = hexagon(theme, self.edge, layout.row, newest=True)
            self.canvas.stamp(line, x - self.edge - width, y - layout.row - width)
        frame, pad = brass_ring(theme, self.edge, spot.outline)
        self.canvas.stamp(frame, spot.x - pad, spot.y - pad)
        for site in shown.marked:
            self._circle(*layout.point(site))

    def _circle(self, x: int, y: int) -> None:
        """A circle around a corner."""
        radius = round(CIRCLE * self.edge)
        line = max(3, round(0.035 * self.edge))
        self.canvas.glaze(self.theme.brass, x - radius, y - radius, marks.slab, 2 * radius, 2 * radius, radius, line)


def _layout(rules: Rules, shown: Example, area: Box) -> Layout:
    """The position in the middle of the area."""
    left, top, right, bottom = area
    everything = whole(rules.plane, (*shown.before, shown.new), shown.open, shown.shut)
    edge = min(LARGEST, largest_edge(rules.plane, everything, right - left, bottom - top))
    return centred(rules.plane, everything, edge, area)
