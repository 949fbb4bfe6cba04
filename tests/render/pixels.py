"""Looking at finished pictures."""

from io import BytesIO

from PIL import Image, ImageChops, ImageStat

from render.canvas.palette import get_palette
from render.canvas.picture import Picture
from render.canvas.theme import DARK, Colour, Theme, mix
from render.table.plain_tile import TONE_STEPS


def to_rgb(picture: Picture) -> Image.Image:
    """The pixels people see; the file must be what its description says."""
    image = Image.open(BytesIO(picture.png))
    assert image.size == (picture.width, picture.height)
    return image.convert("RGB")


FACE_COLOURS = tuple(mix(DARK.ivory, DARK.ivory_low, step / (TONE_STEPS - 1)) for step in range(TONE_STEPS))
"""The colours of a tile's face, from above."""


def count_ivory(image: Image.Image, box: tuple[int, int, int, int] | None = None) -> int:
    return sum(count_pixels(image, colour, box) for colour in FACE_COLOURS)


def count_pixels(
    image: Image.Image, colour: Colour, box: tuple[int, int, int, int] | None = None, within: int = 3
) -> int:
    """How many pixels of the box have this colour, give or take."""
    part = image.crop(box) if box else image
    found = part.getcolors(part.width * part.height) or []
    return sum(
        pixel_count
        for pixel_count, pixel in found
        if isinstance(pixel, tuple) and all(abs(a - b) <= within for a, b in zip(pixel, colour, strict=True))
    )


def compute_palette_error(indexed: Image.Image, true: Image.Image, theme: Theme = DARK) -> float:
    """How far a picture of palette numbers is from the one in true colours."""
    shown = get_palette(theme).to_palette_image(indexed).convert("RGB")
    return max(ImageStat.Stat(ImageChops.difference(shown, true)).rms)


def is_overlapping(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return one[2] > other[0] and one[0] < other[2] and one[3] > other[1] and one[1] < other[3]
