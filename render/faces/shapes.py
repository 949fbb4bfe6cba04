"""Ten solid shapes for the numbers 0 to 9, and the crown of wild tiles, drawn on a square of 20 x 20."""

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Literal, NamedTuple

from PIL import ImageDraw

from render.canvas.cell_outline import Point


class Stroke(NamedTuple):
    """One step of a drawing: a polygon, a disc in a box, or a thick line. Ink 0 cuts out."""

    kind: Literal["polygon", "disc", "line"]
    points: tuple[Point, ...]
    ink: int = 255
    width: float = 0


Drawing = tuple[Stroke, ...]


def draw_shape(pen: ImageDraw.ImageDraw, drawing: Drawing, at: Point, size: float) -> None:
    """Draw a shape centred at a point; `size` is the side of its square."""
    unit = size / 20

    for stroke in drawing:
        points = [(at[0] + (x - 10) * unit, at[1] + (y - 10) * unit) for x, y in stroke.points]
        match stroke.kind:
            case "polygon":
                pen.polygon(points, fill=stroke.ink)
            case "disc":
                pen.ellipse([*points[0], *points[1]], fill=stroke.ink)
            case "line":
                width = stroke.width * unit
                pen.line(points, fill=stroke.ink, width=round(width), joint="curve")
                for x, y in points:
                    pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=stroke.ink)


def _build_polygon(*points: Point) -> Stroke:
    return Stroke("polygon", points)


def _build_disc(x: float, y: float, radius: float, ink: int = 255) -> Stroke:
    return Stroke("disc", ((x - radius, y - radius), (x + radius, y + radius)), ink)


def _build_line(width: float, *points: Point, ink: int = 255) -> Stroke:
    return Stroke("line", points, ink, width)


def _build_star(outer: float, inner: float, y: float) -> Stroke:
    reaches = [inner if i % 2 else outer for i in range(10)]
    return _build_polygon(*((10 + far * sin(pi * i / 5), y - far * cos(pi * i / 5)) for i, far in enumerate(reaches)))


def _compute_curve(start: Point, start_handle: Point, end_handle: Point, end: Point) -> tuple[Point, ...]:
    """A Bezier curve in twelve steps."""
    steps = []
    for t in (step / 12 for step in range(13)):
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        x, y = (a * start[i] + b * start_handle[i] + c * end_handle[i] + d * end[i] for i in (0, 1))
        steps.append((x, y))
    return tuple(steps)


def _mirror_points(points: Sequence[Point]) -> tuple[Point, ...]:
    return tuple((20 - x, y) for x, y in reversed(points))


_HEART = _compute_curve((10, 5.6), (8.2, 0.4), (0.6, 0.8), (0.6, 7.2)) + _compute_curve(
    (0.6, 7.2), (0.6, 12), (6, 15), (10, 19.4)
)
_DROP = _compute_curve((10, 0), (8.5, 4.5), (3.2, 8.6), (3.2, 13.2)) + _compute_curve(
    (3.2, 13.2), (3.2, 22.2), (10, 20), (10, 20)
)
_LEAF = _compute_curve((2.5, 17.5), (-2, 8), (5, 0.5), (19, 1)) + _compute_curve(
    (19, 1), (19.5, 15), (12, 22), (2.5, 17.5)
)
_FISH = (
    *_compute_curve((0, 10), (3, 2.6), (10, 2.6), (14, 8.6)),
    *((20, 3.6), (18.4, 10), (20, 16.4)),
    *_compute_curve((14, 11.4), (10, 17.4), (3, 17.4), (0, 10)),
)

MOON: Drawing = (_build_disc(9.6, 10, 9.6), _build_disc(14.4, 7.4, 7.9, ink=0))
DROP: Drawing = (_build_polygon(*_DROP, *_mirror_points(_DROP)),)
HEART: Drawing = (_build_polygon(*_HEART, *_mirror_points(_HEART)),)
STAR: Drawing = (_build_star(10.6, 4.6, y=10.9),)
LEAF: Drawing = (
    _build_polygon(*_LEAF),
    _build_line(1.7, (5.2, 14.8), (13.5, 6.5), ink=0),
    _build_line(2.4, (1.2, 18.8), (4.2, 15.8)),
)
FLOWER: Drawing = (
    *(_build_disc(10 + 6 * sin(pi * i / 3), 10 - 6 * cos(pi * i / 3), 4) for i in range(6)),
    _build_disc(10, 10, 5),
    _build_disc(10, 10, 2.9, ink=0),
)
FISH: Drawing = (_build_polygon(*_FISH), _build_disc(5.4, 8.6, 1.5, ink=0))
KEY: Drawing = (
    _build_disc(5.6, 10, 5.6),
    _build_disc(5.6, 10, 2.3, ink=0),
    _build_polygon(
        *((10, 8.3), (20, 8.3), (20, 14.8), (17.2, 14.8), (17.2, 11.7)),
        *((15, 11.7), (15, 14), (12.4, 14), (12.4, 11.7), (10, 11.7)),
    ),
)
BOLT: Drawing = (_build_polygon((12.5, 0), (3, 11.4), (8.6, 11.4), (6.6, 20), (17, 7.8), (11.2, 7.8)),)
HOUSE: Drawing = (
    _build_polygon(
        *((10, 0.6), (20, 10), (17, 10), (17, 19.4), (12.2, 19.4), (12.2, 13)),
        *((7.8, 13), (7.8, 19.4), (3, 19.4), (3, 10), (0, 10)),
    ),
)
CROWN: Drawing = (
    _build_polygon((2.4, 15.2), (0.8, 5.4), (6, 9.8), (10, 2.6), (14, 9.8), (19.2, 5.4), (17.6, 15.2)),
    _build_disc(0.9, 4.6, 1.5),
    _build_disc(10, 2.3, 1.6),
    _build_disc(19.1, 4.6, 1.5),
    _build_polygon((2.4, 16.4), (17.6, 16.4), (17.6, 18.8), (2.4, 18.8)),
)

SHAPES: tuple[Drawing, ...] = (MOON, DROP, HEART, STAR, LEAF, FLOWER, FISH, KEY, BOLT, HOUSE)  # by value
