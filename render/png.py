"""Writing a picture of palette numbers as a PNG file: most of what a picture costs, and free of the interpreter.

Pillow can do it too, but only with zlib's largest table; it takes a tenth longer for files that are no smaller
(docs/decisions/0015).
"""

import struct
import zlib
from typing import Final

from PIL import Image

LEVEL: Final = 3
"""How hard files are pressed: a tenth smaller than with 1 in nearly the same time, and 6 takes twice as long."""
ROWS: Final = 64
"""So many are pressed at a time. All at once are a megabyte, which the system would hand out anew for every picture."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PALETTE: Final = 3
"""PNG's number for a picture of palette numbers."""


def palette_png(numbers: Image.Image, palette: bytes) -> bytes:
    """The file of a picture of numbers (mode "L") into a palette of red, green and blue bytes, 256 colours at most."""
    wide, high = numbers.size
    head = struct.pack(">IIBBBBB", wide, high, 8, _PALETTE, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", _pressed(numbers)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, body) for kind, body in chunks)


def _pressed(numbers: Image.Image) -> bytes:
    """All rows, each after a byte that says how it was prepared: 0 for not at all, which suits palette numbers best."""
    wide, high = numbers.size
    press = zlib.compressobj(LEVEL)
    # Pillow can add a byte behind every row. The first is said here, so that each of these is the next row's.
    data = [press.compress(b"\0")]
    for top in range(0, high, ROWS):
        bottom = min(top + ROWS, high)
        rows = numbers.crop((0, top, wide, bottom)).tobytes("raw", "L", wide + 1)
        data.append(press.compress(rows if bottom < high else memoryview(rows)[:-1]))
    return b"".join((*data, press.flush()))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))
