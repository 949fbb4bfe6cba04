"""Helpers that examine finished pictures."""

from io import BytesIO

from PIL import Image, ImageChops, ImageStat

from render.canvas.palette import get_palette
from render.canvas.picture import VIGNETTE, Picture
from render.canvas.theme import DARK, Colour, Theme, mix
from render.table.plain_tile import TONE_STEPS


def to_rgb(picture: Picture) -> Image.Image:
    """Return the visible pixels. The file must match its description."""
    image = Image.open(BytesIO(picture.png))
    assert image.size == (picture.width, picture.height)
    return image.convert("RGB")


FACE_COLOURS = tuple(mix(DARK.ivory, DARK.ivory_low, step / (TONE_STEPS - 1)) for step in range(TONE_STEPS))
"""The colours of a tile's face, from top to bottom."""


def count_ivory(image: Image.Image, box: tuple[int, int, int, int] | None = None) -> int:
    return sum(count_pixels(image, colour, box) for colour in FACE_COLOURS)


def count_pixels(
    image: Image.Image, colour: Colour, box: tuple[int, int, int, int] | None = None, within: int = 3
) -> int:
    """Return how many pixels of the box have this colour, within a tolerance."""
    part = image.crop(box) if box else image
    found = part.getcolors(part.width * part.height) or []
    return sum(
        pixel_count
        for pixel_count, pixel in found
        if isinstance(pixel, tuple) and all(abs(a - b) <= within for a, b in zip(pixel, colour, strict=True))
    )


def is_plain_cloth(image: Image.Image, box: tuple[int, int, int, int]) -> bool:
    """Return whether a box shows only cloth, at any distance from the middle."""
    return {colour for _, colour in image.crop(box).getcolors()} <= set(get_palette(DARK).colours[: sum(VIGNETTE)])


def compute_palette_error(indexed: Image.Image, true: Image.Image, theme: Theme = DARK) -> float:
    """Return how much a palette picture differs from the picture in true colours."""
    shown = get_palette(theme).to_palette_image(indexed).convert("RGB")
    return max(ImageStat.Stat(ImageChops.difference(shown, true)).rms)


def is_overlapping(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return one[2] > other[0] and one[0] < other[2] and one[3] > other[1] and one[1] < other[3]
