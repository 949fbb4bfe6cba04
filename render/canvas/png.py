"""Writing a picture of palette numbers as a PNG file: it is drawn where it is pressed, by the quickest way there is.

Pillow can write one too, in five times the time: it moves the rows first, and presses with zlib (docs/decisions/0015).
"""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PIL import Image

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
PALETTE: Final = 3
"""PNG's number for a picture of palette numbers."""


@dataclass(frozen=True, slots=True)
class Deflate:
    """A library that presses bytes as PNG wants them. Each frees the interpreter while it does."""

    name: str
    compress: Callable[[memoryview, int], bytes]
    level: int
    """How hard it presses."""
    crc32: Callable[[bytes], int]


ZLIB: Final = Deflate("zlib", zlib.compress, 3, zlib.crc32)
"""The standard library's: a tenth smaller than with 1 in nearly the same time, and 6 takes twice as long."""


def quickest() -> Deflate:
    """ISA-L where it is installed: a fifth of zlib's time for 4 % more bytes."""
    try:
        from isal import isal_zlib
    except ImportError:
        return ZLIB
    return Deflate("ISA-L", isal_zlib.compress, 1, isal_zlib.crc32)


DEFLATE: Final = quickest()


def chunk(kind: bytes, content: bytes = b"", deflate: Deflate = DEFLATE) -> bytes:
    """A part of a file: its length, what it is, what is in it, and a sum by which damage is noticed."""
    named = kind + content
    return b"".join((struct.pack(">I", len(content)), named, struct.pack(">I", deflate.crc32(named))))


def labelled(file: bytes, keyword: str, text: str) -> bytes:
    """The same picture with a text in it that whoever draws it passes over: PNG's `tEXt`, 79 signs of ASCII as keyword
    at most, and Latin-1 behind it.
    """
    end = file.rindex(b"IEND") - 4
    label = chunk(b"tEXt", keyword.encode("ascii") + b"\0" + text.encode("latin-1"))
    return b"".join((file[:end], label, file[end:]))


class Sheet:
    """The memory of a picture, laid out as PNG wants its rows, so that nothing has to be moved before it is pressed.

    A row begins with a byte that says how it was prepared: 0 for not at all, which suits palette numbers best. The
    number 0 is what a picture begins with: where nothing is drawn, all of it is one long run.
    """

    def __init__(self, width: int, height: int) -> None:
        # Pillow knows of bytes behind a row only, so it begins with the second: what is behind each is the next row's
        # first. Behind the last row there is more than it takes, so that a part of the picture may end there too.
        self._show(bytearray((height + 1) * (1 + width)), 1, (width, height), 1 + width)

    def _show(self, rows: bytearray, start: int, size: tuple[int, int], stride: int) -> None:
        pixels = memoryview(rows)[start:]
        self._rows, self._stride = rows, stride
        self.image = Image.frombuffer("L", size, pixels, "raw", "L", stride, 1)  # type: ignore[arg-type]
        """The pixels, each a palette number (mode "L")."""
        self.image.readonly = 0  # it copies memory that is not its own before it draws, unless told that it need not

    def part(self, box: tuple[int, int, int, int]) -> "Sheet":
        """The pixels in a box, in the same memory: what is drawn on either is on both."""
        left, top, right, bottom = box
        inner = Sheet.__new__(Sheet)
        inner._show(self._rows, 1 + top * self._stride + left, (right - left, bottom - top), self._stride)
        return inner

    def file(self, palette: bytes, deflate: Deflate = DEFLATE) -> bytes:
        """The picture as a file; `palette` has red, green and blue of each number, 256 at most."""
        head = struct.pack(">IIBBBBB", *self.image.size, 8, PALETTE, 0, 0, 0)
        pressed = deflate.compress(memoryview(self._rows)[: -self._stride], deflate.level)
        parts = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", pressed), (b"IEND", b""))
        return b"".join((SIGNATURE, *(chunk(*part, deflate) for part in parts)))
