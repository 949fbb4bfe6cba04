"""Looking at finished pictures."""

from io import BytesIO

from PIL import Image

from render import Picture
from render.theme import Colour


def rgb(picture: Picture) -> Image.Image:
    """The pixels people see; the file must be what its description says."""
    image = Image.open(BytesIO(picture.png))
    assert image.size == (picture.width, picture.height)
    return image.convert("RGB")


def count(image: Image.Image, colour: Colour, box: tuple[int, int, int, int] | None = None, within: int = 3) -> int:
    """How many pixels of the box have this colour, give or take."""
    part = image.crop(box) if box else image
    found = part.getcolors(part.width * part.height) or []
    return sum(
        many
        for many, pixel in found
        if isinstance(pixel, tuple) and all(abs(a - b) <= within for a, b in zip(pixel, colour, strict=True))
    )
