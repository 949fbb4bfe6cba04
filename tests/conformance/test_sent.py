"""Two pictures that should be the same: what is told where they are not."""

from io import BytesIO

import discord
import pytest
from PIL import Image

from render.canvas import Canvas
from render.png import ZLIB, Deflate, labelled
from tests.conformance.sent import Sent, difference, sent, unlike


def picture(pixel: int = 0, deflate: Deflate = ZLIB) -> bytes:
    """A small one with one pixel of this number."""
    canvas = Canvas(40, 30)
    canvas.image.putpixel((7, 9), pixel)
    return canvas.png(deflate)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (picture(30), "other pixels in (7, 9, 8, 10)"),
        (labelled(picture(), "targets", "there"), "the same pixels, but other tEXt"),
        (picture(deflate=Deflate("zlib", ZLIB.compress, 0, ZLIB.crc32)), "the same pixels, but other IDAT"),
    ],
    ids=["pixels", "label", "pressed"],
)
def test_what_differs_is_told(other: bytes, told: str) -> None:
    assert difference(labelled(picture(), "targets", "here"), other).startswith(told)
    (line,) = unlike([Sent("hand.png", picture()), Sent("board.png", other)], [Sent("hand.png", other)] * 2)
    assert line.startswith(f"hand.png: simcord {len(picture())} bytes, local {len(other)}, ")


def test_pictures_that_are_the_same_are_not_told_of() -> None:
    both = [Sent("hand.png", picture()), Sent("board.png", picture(30))]
    assert list(unlike(both, both[::-1])) == []


def test_a_file_is_noted_and_goes_out_whole() -> None:
    png = picture()
    with sent() as found:
        file = discord.File(BytesIO(png), filename="hand.png")
        file.to_dict(0)
    assert found == [Sent("hand.png", png)]
    assert file.fp.read() == png
    assert Image.open(BytesIO(png)).size == (40, 30)
