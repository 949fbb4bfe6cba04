"""A picture of any size with fixed corners and stretched edges: faster and smaller than drawing each size."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from PIL import Image

from render.canvas.canvas import Box, Canvas, Sprite
from render.canvas.theme import Theme


class Band(NamedTuple):
    """Adjacent pixel rows or columns along an edge that look the same."""

    start: int  # the distance from the left or the top; below 0, from the right or the bottom
    width: int
    pixel: Sprite


class Stretched(NamedTuple):
    """The parts of a picture of any size."""

    corner: int  # side of a corner
    corners: tuple[Sprite, ...]  # top left, top right, bottom left, bottom right
    rows: tuple[Band, ...]
    columns: tuple[Band, ...]
    middle: Sprite | None  # the pixel that fills the middle; None for a hole

    def draw(self, canvas: Canvas, area: Box) -> None:
        """Draw it in an area that is at least as large as its corners."""
        left, top, right, bottom = area
        size = self.corner
        for number, corner in enumerate(self.corners):
            canvas.stamp(corner, right - size if number % 2 else left, bottom - size if number > 1 else top)
        for start, width, pixel in self.rows:
            y = (top if start >= 0 else bottom) + start
            canvas.cover(pixel, (left + size, y, right - size, y + width))
        for start, width, pixel in self.columns:
            x = (left if start >= 0 else right) + start
            canvas.cover(pixel, (x, top + size, x + width, bottom - size))
        if self.middle is not None:
            canvas.cover(self.middle, (left + size, top + size, right - size, bottom - size))


def stretched(theme: Theme, small: Image.Image, mask: Image.Image, corner: int) -> Stretched:
    """Cut up a true-colour picture with a mask (mode "1") that looks the same all along between its corners."""
    wide, high = small.size

    def part(left: int, top: int, right: int, bottom: int) -> Sprite:
        box = (left, top, right, bottom)
        return Sprite(theme, small.crop(box), mask.crop(box))

    def seen(x: int, y: int) -> object:
        return small.getpixel((x, y)) if mask.getpixel((x, y)) else None

    def bands(whole: int, *, upright: bool) -> Iterator[Band]:
        middle = (high if upright else wide) // 2
        for numbers in (range(corner), range(-corner, 0)):
            places = {at: (at % whole, middle) if upright else (middle, at % whole) for at in numbers}
            for shown, run in groupby(numbers, lambda at, places=places: seen(*places[at])):  # type: ignore[misc]
                same = list(run)
                if shown is not None:
                    x, y = places[same[0]]
                    yield Band(same[0], len(same), part(x, y, x + 1, y + 1))

    x, y = wide // 2, high // 2
    middle = part(x, y, x + 1, y + 1) if mask.getpixel((x, y)) else None
    places = [(left, top) for top in (0, high - corner) for left in (0, wide - corner)]
    corners = tuple(part(left, top, left + corner, top + corner) for left, top in places)
    return Stretched(corner, corners, tuple(bands(high, upright=False)), tuple(bands(wide, upright=True)), middle)
