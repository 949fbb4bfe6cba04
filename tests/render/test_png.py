"""The files that pictures are written to."""

from io import BytesIO
from random import Random

import pytest
from PIL import Image

from render.palette import palette_bytes
from render.png import palette_png


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (255, 7), (1200, 40)])
def test_another_program_reads_the_same_picture_out_of_the_file(size: tuple[int, int]) -> None:
    wide, high = size
    numbers = Image.frombytes("L", size, Random(wide).randbytes(wide * high))
    with Image.open(BytesIO(palette_png(numbers, palette_bytes()))) as read:
        read.load()
        assert (read.format, read.mode, read.size) == ("PNG", "P", size)
        assert read.tobytes() == numbers.tobytes()
        assert read.palette is not None
        assert read.palette.tobytes() == palette_bytes()


def test_a_file_whose_bytes_were_changed_on_the_way_is_noticed() -> None:
    file = bytearray(palette_png(Image.new("L", (40, 40), 3), palette_bytes()))
    file[file.index(b"PLTE") + 10] ^= 1
    with pytest.raises((SyntaxError, OSError)), Image.open(BytesIO(bytes(file))) as read:
        read.load()


def test_the_picture_that_was_written_can_be_drawn_on() -> None:
    numbers = Image.new("L", (20, 10), 3)
    before = palette_png(numbers, palette_bytes())
    numbers.putpixel((5, 5), 7)
    assert palette_png(numbers, palette_bytes()) != before
