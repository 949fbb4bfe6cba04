"""The picture that goes with a table's rules: its diagrams side by side, each with a sentence under it."""

from collections.abc import Mapping

from engine.board import Placement
from engine.rules import Rules
from render import marks
from render.blank import glow, glow_reach, shadow
from render.canvas import Box, Canvas
from render.cards import signed
from render.diagrams import Diagram, Example, diagrams, example
from render.faces import Face, face_of
from render.geometry import Layout, centred, largest_edge, whole
from render.legend import draw_legend, legend_height
from render.lettering import Style, draw_text, wrapped
from render.open_places import cross, open_place
from render.picture import WIDTH, Picture, finished
from render.rings import around
from render.theme import THEME
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


def rules_picture(rules: Rules, captions: Mapping[Diagram, str], *, theme: str = "classic") -> Picture:
    """The diagrams that `diagrams(rules)` names, in that order: 1200 wide, as high as they need.

    `captions` holds a sentence for each, in the reader's language; a missing one stays blank. ValueError for a theme
    that is none of `THEMES`.
    """
    return finished(draw_rules(rules, captions, theme=theme))


def draw_rules(rules: Rules, captions: Mapping[Diagram, str], *, theme: str = "classic", true: bool = False) -> Canvas:
    """Draw the rules picture; `true` draws in 24-bit colour, the yardstick."""
    face = face_of(rules, theme).plain
    shown = diagrams(rules)
    across = len(shown) if len(shown) <= 3 else 2
    width = (WIDTH - 2 * MARGIN - GAP * (across - 1)) // across
    lines = {name: wrapped(captions.get(name, ""), Style.TEXT, SIZE, width - 2 * PAD) for name in shown}
    rows = [shown[start : start + across] for start in range(0, len(shown), across)]
    heights = [HIGH + PAD + LINE * max(len(lines[name]) for name in row) for row in rows]
    top = MARGIN + legend_height(face)
    canvas = Canvas(WIDTH, top + sum(heights) + GAP * (len(rows) - 1) + MARGIN, true=true)
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
    canvas.glaze(THEME.groove, left, top, marks.slab, right - left, bottom - top, 18, 2)
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
            colour=THEME.mint,
            ground=THEME.ground,
            side="right",
        )
    base = top + HIGH + LINE * 3 // 4
    for line in lines:
        draw_text(canvas, line, left + PAD, base, style=Style.TEXT, size=SIZE, colour=THEME.white, ground=THEME.ground)
        base += LINE


class _Drawing:
    """A position with its new tile lit, and what is worth pointing at."""

    def __init__(self, canvas: Canvas, rules: Rules, shown: Example, face: Face, area: Box) -> None:
        self.canvas, self.shown, self.face = canvas, shown, face
        self.layout = _layout(rules, shown, area)
        self.edge = self.layout.edge

    def draw(self) -> None:
        """Everything, from the ground up."""
        shown, layout = self.shown, self.layout
        tiles = (*shown.before, shown.new)
        for laid in tiles:
            spot = layout.spot(laid.cell)
            sprite, reach = shadow(self.edge, spot.outline)
            self.canvas.shade(sprite, spot.x - reach, spot.y - reach)
        spot = layout.spot(shown.new.cell)
        reach = glow_reach(self.edge)
        self.canvas.glaze(THEME.gold, spot.x - reach, spot.y - reach, glow, self.edge, spot.outline, 0.75)
        for cell in shown.open:
            spot = layout.spot(cell)
            self.canvas.stamp(open_place(self.edge, spot.outline, "", loud=True), spot.x, spot.y)
        for cell in shown.shut:
            spot, sprite = layout.spot(cell), cross(self.edge)
            x, y = spot.outline.heart(self.edge)
            self.canvas.stamp(sprite, spot.x + x - sprite.width // 2, spot.y + y - sprite.height // 2)
        for laid in tiles:
            self._tile(laid)
        for site in shown.hexagons:
            width = max(2, round(self.edge * 0.05))
            x, y = layout.point(site)
            left, top = x - self.edge - width, y - layout.row - width
            self.canvas.glaze(THEME.mint, left, top, around, self.edge, layout.row, width)
        self._tile(shown.new, new=True)
        for site in shown.marked:
            self._circle(*layout.point(site))

    def _tile(self, laid: Placement, *, new: bool = False) -> None:
        spot = self.layout.spot(laid.cell)
        ring = THEME.gold if new else None
        self.canvas.stamp(tile_sprite(self.edge, spot.outline, laid.shown, self.face, ring), spot.x, spot.y)

    def _circle(self, x: int, y: int) -> None:
        """A circle around a corner."""
        radius = round(CIRCLE * self.edge)
        line = max(3, round(0.035 * self.edge))
        self.canvas.glaze(THEME.gold, x - radius, y - radius, marks.slab, 2 * radius, 2 * radius, radius, line)


def _layout(rules: Rules, shown: Example, area: Box) -> Layout:
    """The position in the middle of the area."""
    left, top, right, bottom = area
    everything = whole(rules.plane, (*shown.before, shown.new), shown.open, shown.shut)
    edge = min(LARGEST, largest_edge(rules.plane, everything, right - left, bottom - top))
    return centred(rules.plane, everything, edge, area)
