"""How the tiles of a table look: where their labels are, and by which signs."""

from dataclasses import dataclass, replace
from math import hypot
from typing import Literal, NamedTuple

from PIL import Image, ImageDraw

from engine.board.lattice import Labels
from engine.match.rules import Rules
from render.canvas.canvas import OVERSAMPLING, downsample
from render.canvas.cell_outline import Outline, Point, move_toward
from render.canvas.theme import DARK, Theme, get_theme

THEMES: tuple[str, ...] = ("classic", "picture")  # numbers, or shapes instead of numbers

Signs = Literal["digits", "pips", "shapes"]


@dataclass(frozen=True, slots=True)
class Face:
    """The look of a table's tiles; part of the cache keys."""

    labels: Labels = "corners"
    signs: Signs = "digits"
    wild_value: int | None = None  # the number that a wild label shows; None to show that it is wild
    theme: Theme = DARK

    @property
    def hand_face(self) -> "Face":
        """The same look in a hand, where wild labels are still wild."""
        return replace(self, wild_value=None)


def build_face(rules: Rules, theme: str, scheme: str = "dark") -> Face:
    """The look of the tiles on the table. Raises ValueError for an unknown theme or scheme."""
    if theme not in THEMES:
        raise ValueError(f"there is no theme {theme!r}; there is {', '.join(THEMES)}")
    signs: Signs = "shapes" if theme == "picture" else "pips" if rules.labels == "sides" else "digits"
    return Face(rules.labels, signs, rules.wild_value, get_theme(scheme))


class InlayMeasures(NamedTuple):
    """Lengths as shares of the edge."""

    disc: float  # radius of an inlay
    inset: float  # from the corner or the middle of the side to the middle of the inlay
    digit: float  # height of a digit
    shape: float  # side of a shape
    small_digit: float = 0  # least height of a digit on a small tile, where it fills its inlay


MEASURES: dict[tuple[Labels, int], InlayMeasures] = {
    ("corners", 3): InlayMeasures(0.157, 0.366, 0.24, 0.2),
    ("corners", 4): InlayMeasures(0.222, 0.372, 0.34, 0.3, 0.385),
    ("sides", 3): InlayMeasures(0.108, 0.14, 0.165, 0.15),
    ("sides", 4): InlayMeasures(0.15, 0.2, 0.21, 0.2),
}
"""By the place of labels and the number of sides."""

PILL_HALF_LENGTH, PILL_HALF_HEIGHT, PILL_INSET = 0.228, 0.051, 0.082
"""Half length and half height of the inlay of pips, and its distance from the side."""
INLAY_RAISE = 0.013  # inlays lie this much higher, because the lip covers the lower end of the face


SMALL_EDGE = 84  # up to this edge, digits fill their inlays


def compute_digit_height(edge: int, measures: InlayMeasures) -> float:
    """The height of a digit in pixels."""
    return max(measures.digit * edge, measures.small_digit * min(edge, SMALL_EDGE))


def compute_anchor(edge: int, outline: Outline, labels: Labels, slot: int) -> Point:
    """The corner, or the middle of the side, of a label."""
    return outline.compute_corners(edge)[slot] if labels == "corners" else outline.compute_middles(edge)[slot]


def compute_inlay_centre(edge: int, outline: Outline, labels: Labels, slot: int, share: float) -> Point:
    """The point at this share of the edge from a label's anchor towards the middle of the tile."""
    x, y = move_toward(compute_anchor(edge, outline, labels, slot), outline.compute_centre(edge), share * edge)
    return x, y - INLAY_RAISE * edge


def compute_pill_axis(edge: int, outline: Outline, slot: int) -> tuple[Point, Point]:
    """The middle of a side's pill, and its direction as a unit vector."""
    points = outline.compute_corners(edge)
    (ax, ay), (bx, by) = points[slot], points[(slot + 1) % len(points)]
    length = hypot(bx - ax, by - ay)
    return compute_inlay_centre(edge, outline, "sides", slot, PILL_INSET), ((bx - ax) / length, (by - ay) / length)


def render_inlay(
    edge: int, outline: Outline, face: Face, slot: int, inset: float = 0, offset: tuple[float, float] = (0, 0)
) -> Image.Image:
    """The coverage of an inlay, narrower all round by `inset`, and `offset` right and down."""
    sheet = Image.new("L", (edge * OVERSAMPLING, outline.compute_height(edge) * OVERSAMPLING), 0)
    pen = ImageDraw.Draw(sheet)
    size = edge * OVERSAMPLING
    if face.labels == "sides" and face.signs == "pips":
        (x, y), (dx, dy) = compute_pill_axis(edge, outline, slot)
        x, y = x + offset[0] * edge, y + offset[1] * edge
        half, reach = (PILL_HALF_LENGTH - PILL_HALF_HEIGHT) * size, (PILL_HALF_HEIGHT - inset) * size
        ends = [(x * OVERSAMPLING + dx * half * way, y * OVERSAMPLING + dy * half * way) for way in (-1, 1)]
        pen.line(ends, fill=255, width=round(2 * reach))
    else:
        measures = MEASURES[face.labels, outline.sides]
        x, y = compute_inlay_centre(edge, outline, face.labels, slot, measures.inset)
        reach = (measures.disc - inset) * size
        ends = [((x + offset[0] * edge) * OVERSAMPLING, (y + offset[1] * edge) * OVERSAMPLING)]
    for x, y in ends:
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=255)
    return downsample(sheet)
