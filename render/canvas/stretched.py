"""A picture of any size with fixed corners and stretched edges: faster and smaller than drawing each size."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from PIL import Image

from render.canvas.canvas import Box, Canvas, Sprite
from render.canvas.theme import Theme


class EdgeBand(NamedTuple):
    """Adjacent pixel rows or columns along an edge that look the same."""

    start: int  # the distance from the left or the top; below 0, from the right or the bottom
    width: int
    pixel: Sprite


class NinePatch(NamedTuple):
    """The parts of a picture of any size."""

    corner: int  # side of a corner
    corners: tuple[Sprite, ...]  # top left, top right, bottom left, bottom right
    rows: tuple[EdgeBand, ...]
    columns: tuple[EdgeBand, ...]
    middle: Sprite | None  # the pixel that fills the middle; None for a hole

    def draw(self, canvas: Canvas, area: Box) -> None:
        """Draw it in an area that is at least as large as its corners."""
        left, top, right, bottom = area
        size = self.corner
        for number, corner in enumerate(self.corners):
            canvas.paste_sprite(corner, right - size if number % 2 else left, bottom - size if number > 1 else top)
        for start, width, pixel in self.rows:
            y = (top if start >= 0 else bottom) + start
            canvas.fill_pixel(pixel, (left + size, y, right - size, y + width))
        for start, width, pixel in self.columns:
            x = (left if start >= 0 else right) + start
            canvas.fill_pixel(pixel, (x, top + size, x + width, bottom - size))
        if self.middle is not None:
            canvas.fill_pixel(self.middle, (left + size, top + size, right - size, bottom - size))


def build_nine_patch(theme: Theme, picture: Image.Image, mask: Image.Image, corner: int) -> NinePatch:
    """Cut up a true-colour picture with a mask (mode "1") that looks the same all along between its corners."""
    width, height = picture.size

    def cut_sprite(left: int, top: int, right: int, bottom: int) -> Sprite:
        box = (left, top, right, bottom)
        return Sprite(theme, picture.crop(box), mask.crop(box))

    def get_visible_pixel(x: int, y: int) -> object:
        return picture.getpixel((x, y)) if mask.getpixel((x, y)) else None

    def iterate_bands(whole: int, *, upright: bool) -> Iterator[EdgeBand]:
        middle = (height if upright else width) // 2
        for numbers in (range(corner), range(-corner, 0)):
            places = {at: (at % whole, middle) if upright else (middle, at % whole) for at in numbers}
            for pixel, run in groupby(numbers, lambda at, places=places: get_visible_pixel(*places[at])):  # type: ignore[misc]
                same = list(run)
                if pixel is not None:
                    x, y = places[same[0]]
                    yield EdgeBand(same[0], len(same), cut_sprite(x, y, x + 1, y + 1))

    x, y = width // 2, height // 2
    middle = cut_sprite(x, y, x + 1, y + 1) if mask.getpixel((x, y)) else None
    places = [(left, top) for top in (0, height - corner) for left in (0, width - corner)]
    corners = tuple(cut_sprite(left, top, left + corner, top + corner) for left, top in places)
    return NinePatch(
        corner, corners, tuple(iterate_bands(height, upright=False)), tuple(iterate_bands(width, upright=True)), middle
    )
