"""How the tiles of a table look: where their labels are, and by which signs."""

from dataclasses import dataclass, replace
from math import hypot
from typing import Literal, NamedTuple, Protocol

from PIL import Image, ImageDraw

from engine.board.lattice import Labels
from render.canvas.canvas import SMOOTH, smoothed
from render.canvas.cell_outline import Outline, Point, toward
from render.canvas.theme import DARK, Theme, theme_of

THEMES: tuple[str, ...] = ("classic", "picture")  # numbers, or shapes instead of numbers

Signs = Literal["digits", "pips", "shapes"]


class Labelled(Protocol):
    """The properties of a game's rules that affect its labels."""

    @property
    def labels(self) -> Labels:
        """Where the labels are."""

    @property
    def wild_stands(self) -> int | None:
        """The number of a wild label once it is played; None if it stays wild."""


@dataclass(frozen=True, slots=True)
class Face:
    """The look of a table's tiles; part of the cache keys."""

    labels: Labels = "corners"
    signs: Signs = "digits"
    stands: int | None = None  # the number that a wild label shows; None to show that it is wild
    theme: Theme = DARK

    @property
    def held(self) -> "Face":
        """The same look in a hand, where wild labels are still wild."""
        return replace(self, stands=None)


def face_of(rules: Labelled, theme: str, scheme: str = "dark") -> Face:
    """The look of the tiles on the table. Raises ValueError for an unknown theme or scheme."""
    if theme not in THEMES:
        raise ValueError(f"there is no theme {theme!r}; there is {', '.join(THEMES)}")
    signs: Signs = "shapes" if theme == "picture" else "pips" if rules.labels == "sides" else "digits"
    return Face(rules.labels, signs, rules.wild_stands, theme_of(scheme))


class Measures(NamedTuple):
    """Lengths as shares of the edge."""

    disc: float  # radius of an inlay, or half the side of a square one
    at: float  # from the corner or the middle of the side to the middle of the inlay
    digit: float  # height of a digit
    shape: float  # side of a shape
    corner: float | None = None  # radius of the corners of a square inlay; None for a round one


MEASURES: dict[tuple[Labels, int], Measures] = {
    ("corners", 3): Measures(0.154, 0.370, 0.216, 0.2),
    # In a quarter of a square, a square inlay has room for a larger digit than a round one.
    ("corners", 4): Measures(0.213, 0.3762, 0.393, 0.34, 0.08),
    ("sides", 3): Measures(0.118, 0.155, 0.165, 0.15),
    ("sides", 4): Measures(0.15, 0.2, 0.21, 0.2),
}
"""By the place of labels and the number of sides."""

CLOSE_BELOW, ROOMY = 84, 0.35  # up to this edge a digit fills its square inlay; above, it shrinks to this share
PILL_LONG, PILL_HIGH, PILL_AT = 0.228, 0.051, 0.082
"""Half length and half height of the inlay of pips, and its distance from the side."""
RAISED = 0.013  # inlays lie this much higher, because the lip covers the lower end of the face


def digit_height(edge: int, measures: Measures) -> float:
    """The height of a digit in pixels. In a square inlay it does not grow beyond a readable size."""
    if measures.corner is None:
        return measures.digit * edge
    return max(ROOMY * edge, measures.digit * min(edge, CLOSE_BELOW))


def anchor(edge: int, outline: Outline, labels: Labels, slot: int) -> Point:
    """The corner, or the middle of the side, of a label."""
    return outline.corners(edge)[slot] if labels == "corners" else outline.middles(edge)[slot]


def inwards(edge: int, outline: Outline, labels: Labels, slot: int, share: float) -> Point:
    """The point at this share of the edge from a label's anchor towards the middle of the tile."""
    x, y = toward(anchor(edge, outline, labels, slot), outline.centre(edge), share * edge)
    return x, y - RAISED * edge


def along(edge: int, outline: Outline, slot: int) -> tuple[Point, Point]:
    """The middle of a side's pill, and its direction as a unit vector."""
    points = outline.corners(edge)
    (ax, ay), (bx, by) = points[slot], points[(slot + 1) % len(points)]
    far = hypot(bx - ax, by - ay)
    return inwards(edge, outline, "sides", slot, PILL_AT), ((bx - ax) / far, (by - ay) / far)


def field(
    edge: int, outline: Outline, face: Face, slot: int, less: float = 0, moved: tuple[float, float] = (0, 0)
) -> Image.Image:
    """The coverage of an inlay, narrower all round by `less`, and `moved` right and down."""
    sheet = Image.new("L", (edge * SMOOTH, outline.height(edge) * SMOOTH), 0)
    pen = ImageDraw.Draw(sheet)
    size = edge * SMOOTH
    if face.labels == "sides" and face.signs == "pips":
        (x, y), (dx, dy) = along(edge, outline, slot)
        x, y = x + moved[0] * edge, y + moved[1] * edge
        half, reach = (PILL_LONG - PILL_HIGH) * size, (PILL_HIGH - less) * size
        ends = [(x * SMOOTH + dx * half * way, y * SMOOTH + dy * half * way) for way in (-1, 1)]
        pen.line(ends, fill=255, width=round(2 * reach))
    else:
        measures = MEASURES[face.labels, outline.sides]
        x, y = inwards(edge, outline, face.labels, slot, measures.at)
        reach = (measures.disc - less) * size
        ends = [((x + moved[0] * edge) * SMOOTH, (y + moved[1] * edge) * SMOOTH)]
        if measures.corner is not None:
            ((x, y),) = ends
            pen.rounded_rectangle((x - reach, y - reach, x + reach, y + reach), (measures.corner - less) * size, 255)
            return smoothed(sheet)
    for x, y in ends:
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=255)
    return smoothed(sheet)
