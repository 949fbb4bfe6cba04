"""A picture of any size made of a small one: its corners as they are, and between them what its edges show.

A large slab is drawn four times too large and made smaller, which takes twenty milliseconds, and its pixels are a
megabyte to keep; of each size of window, rack or panel there would be one.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from PIL import Image

from render.canvas.canvas import Box, Canvas, Sprite
from render.canvas.theme import Theme


class Band(NamedTuple):
    """Pixels side by side along an edge that look the same all along it."""

    start: int
    """How far they are from the left or the top; below 0, from the right or the bottom."""
    width: int
    pixel: Sprite
    """What each of them shows."""


class Stretched(NamedTuple):
    """What a picture of any size is made of."""

    corner: int
    """The sides of each corner."""
    corners: tuple[Sprite, ...]
    """Left and right above, left and right below."""
    rows: tuple[Band, ...]
    columns: tuple[Band, ...]
    middle: Sprite | None
    """The pixel that all of it shows between its edges; None where it has a hole there."""

    def draw(self, canvas: Canvas, area: Box) -> None:
        """Draw it as large as an area, which is no smaller than four corners."""
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
    """A picture in true colours, and where it counts (mode "1"), cut up: along what lies between its corners it looks
    the same.
    """
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
    return Stretched(
        corner,
        tuple(
            part(left, top, left + corner, top + corner) for top in (0, high - corner) for left in (0, wide - corner)
        ),
        tuple(bands(high, upright=False)),
        tuple(bands(wide, upright=True)),
        part(x, y, x + 1, y + 1) if mask.getpixel((x, y)) else None,
    )
