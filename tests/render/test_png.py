"""The PNG files of pictures."""

import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from random import Random

import pytest
from PIL import Image

from render.canvas.palette import get_palette
from render.canvas.png import DEFLATE, ZLIB, Deflate, PngBuffer, choose_deflate
from render.canvas.theme import DARK

PALETTE = get_palette(DARK).bytes

DEFLATES = (ZLIB, DEFLATE)
SIZES = [(1, 1), (3, 2), (255, 7), (1200, 40)]


def build_noise(size: tuple[int, int]) -> tuple[PngBuffer, Image.Image]:
    width, height = size
    numbers = Image.frombytes("L", size, Random(width).randbytes(width * height))
    sheet = PngBuffer(width, height)
    sheet.image.paste(numbers)
    return sheet, numbers


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("deflate", DEFLATES, ids=lambda one: one.name)
def test_pillow_reads_same_pixels_from_file(size: tuple[int, int], deflate: Deflate) -> None:
    sheet, numbers = build_noise(size)
    with Image.open(BytesIO(sheet.to_png(PALETTE, deflate))) as read:
        read.load()
        assert (read.format, read.mode, read.size) == ("PNG", "P", size)
        assert read.tobytes() == numbers.tobytes()
        assert read.palette.tobytes() == PALETTE


@pytest.mark.parametrize("deflate", DEFLATES, ids=lambda one: one.name)
def test_changed_bytes_of_file_are_detected(deflate: Deflate) -> None:
    file = bytearray(PngBuffer(40, 40).to_png(PALETTE, deflate))
    file[file.index(b"PLTE") + 10] ^= 1
    with pytest.raises((SyntaxError, OSError)), Image.open(BytesIO(bytes(file))) as read:
        read.load()


def test_picture_buffer_can_be_changed_and_written_again() -> None:
    sheet = PngBuffer(20, 10)
    before = sheet.to_png(PALETTE)
    sheet.image.putpixel((5, 5), 7)
    with Image.open(BytesIO(sheet.to_png(PALETTE))) as read:
        assert [at for at, number in enumerate(read.tobytes()) if number] == [5 * 20 + 5]
    assert before != sheet.to_png(PALETTE)


@pytest.mark.parametrize("size", SIZES)
def test_drawing_beyond_edge_does_not_change_file(size: tuple[int, int]) -> None:
    sheet, numbers = build_noise(size)
    blot = Image.new("L", (300, 60), 200)
    for at in ((-300, 0), (size[0], 0), (0, -60), (0, size[1])):
        sheet.image.paste(blot, at)
    with Image.open(BytesIO(sheet.to_png(PALETTE))) as read:
        assert read.tobytes() == numbers.tobytes()


def test_zlib_is_used_without_isal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isal", None)
    assert choose_deflate() == ZLIB


def test_isal_is_used_when_installed() -> None:
    pytest.importorskip("isal")
    assert choose_deflate() == DEFLATE
    assert DEFLATE.name == "ISA-L"


def test_several_threads_may_write_at_once() -> None:
    sheets = [build_noise((300, 20 + number))[0] for number in range(24)]
    alone = [sheet.to_png(PALETTE) for sheet in sheets]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda sheet: sheet.to_png(PALETTE), sheets)) == alone
