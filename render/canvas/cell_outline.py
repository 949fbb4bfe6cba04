"""The outlines of cells in pixels: a triangle pointing up or down, and a square."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, lru_cache
from math import cos, hypot, pi, sqrt

from PIL import ImageDraw

from engine.board.lattice import Cell
from engine.board.tiles import Tile

Point = tuple[float, float]


class Outline(Enum):
    """The outline of a cell. Corners and sides are numbered as in the lattice, clockwise."""

    UP = "up"
    DOWN = "down"
    SQUARE = "square"

    # Most cache keys contain an outline. `Enum` hashes its name in Python, which is slow.
    __hash__ = object.__hash__

    @property
    def sides(self) -> int:
        return 4 if self is Outline.SQUARE else 3

    def compute_height(self, edge: int) -> int:
        """The height of its box in whole pixels. The box is as wide as the edge."""
        return edge if self is Outline.SQUARE else compute_triangle_height(edge)

    def compute_corners(self, edge: int) -> tuple[Point, ...]:
        """The corners in the box, in the order of the lattice."""
        height = self.compute_height(edge)
        match self:
            case Outline.UP:
                return (0, height), (edge / 2, 0), (edge, height)
            case Outline.DOWN:
                return (0, 0), (edge, 0), (edge / 2, height)
            case Outline.SQUARE:
                return (0, 0), (edge, 0), (edge, height), (0, height)

    def compute_middles(self, edge: int) -> tuple[Point, ...]:
        """The middles of the sides; side i runs from corner i to the next."""
        points = self.compute_corners(edge)
        sides = zip(points, (*points[1:], points[0]), strict=True)
        return tuple(((x + to_x) / 2, (y + to_y) / 2) for (x, y), (to_x, to_y) in sides)

    def compute_centre(self, edge: int) -> Point:
        """The centre of the cell in its box, equally far from every side."""
        points = self.compute_corners(edge)
        return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)

    @lru_cache(maxsize=64)
    def compute_centre_pixel(self, edge: int) -> tuple[int, int]:
        x, y = self.compute_centre(edge)
        return int(x), round(y)


@cache
def compute_triangle_height(edge: int) -> int:
    """The height of a triangle with this edge, in whole pixels, so that every cell lies on whole pixels."""
    return round(edge * sqrt(3) / 2)


def move_toward(start: Point, target: Point, distance: float) -> Point:
    """The point at this distance from `start` in the direction of `target`."""
    x, y = target[0] - start[0], target[1] - start[1]
    share = distance / hypot(x, y)
    return start[0] + x * share, start[1] + y * share


def shrink_polygon(points: Sequence[Point], distance: float) -> list[Point]:
    """A regular polygon with its sides moved inwards."""
    x = sum(point[0] for point in points) / len(points)
    y = sum(point[1] for point in points) / len(points)
    reach = hypot(points[0][0] - x, points[0][1] - y)
    share = 1 - distance / (reach * cos(pi / len(points)))
    return [(x + (px - x) * share, y + (py - y) * share) for px, py in points]


def draw_rounded_polygon(draw: ImageDraw.ImageDraw, points: Sequence[Point], radius: float, ink: int = 255) -> None:
    core = shrink_polygon(points, radius)
    draw.polygon(core, fill=ink)
    for i, (x, y) in enumerate(core):
        draw.line([core[i - 1], (x, y)], fill=ink, width=round(radius * 2))
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink)


Corners = tuple[tuple[int, int], ...]
"""The corners of a cell in pixels, in the order of the lattice or of a tile's labels."""


@dataclass(frozen=True, slots=True)
class ClickAreas:
    """The drawn tiles of the hand and open places, each by its corners."""

    tiles: dict[Tile, Corners] = field(default_factory=dict)
    places: dict[Cell, Corners] = field(default_factory=dict)

    def add_places(self, part: "ClickAreas", x: int, y: int, width: int, height: int) -> None:
        """Add the places of a part whose top left corner is here, except those whose middle is cut off."""
        for cell, corners in part.places.items():
            middle_x, middle_y = (sum(coordinates) / len(corners) for coordinates in zip(*corners, strict=True))
            if 0 <= middle_x < width and 0 <= middle_y < height:
                self.places[cell] = tuple((x + at, y + down) for at, down in corners)


def locate_corners(outline: Outline, edge: int, x: int, y: int) -> Corners:
    """The corners of a cell whose box has its top left here."""
    return tuple((x + round(at), y + round(down)) for at, down in outline.compute_corners(edge))
