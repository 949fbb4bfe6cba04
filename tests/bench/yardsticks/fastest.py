"""The same pixels by the fastest lossless encoder that was found: what a picture costs at least.

ISA-L at level 1. It is given the rows as PNG wants them, each behind its byte, which others have to be brought into
first; so this is less than any whole encoder takes.
"""

import struct
import zlib
from collections.abc import Sequence
from io import BytesIO

from PIL import Image

from tests.bench.measure import Work
from tests.bench.rows import Missing


def files(images: Sequence[Image.Image]) -> Work:
    """Nothing but writing these pixels as palette PNG files. Raises Missing where ISA-L is not installed."""
    try:
        from isal import isal_zlib
    except ImportError:
        raise Missing("isal is not installed: there is no wheel of it for this machine") from None

    def written(head: bytes, rows: bytes) -> bytes:
        body = b"IDAT" + isal_zlib.compress(rows, 1)
        crc = struct.pack(">I", isal_zlib.crc32(body))
        return b"".join((head, struct.pack(">I", len(body) - 4), body, crc, _chunk(b"IEND", b"")))

    ready = [(_head(image), _rows(image)) for image in images]
    for image, (head, rows) in zip(images, ready, strict=True):
        with Image.open(BytesIO(written(head, rows))) as read:
            assert (read.tobytes(), read.getpalette()) == (image.tobytes(), image.getpalette())
    return Work(lambda: [written(head, rows) for head, rows in ready], units=len(ready))


def _head(image: Image.Image) -> bytes:
    """All that comes before the pixels."""
    assert image.mode == "P"
    assert image.palette is not None
    size = struct.pack(">IIBBBBB", *image.size, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", size) + _chunk(b"PLTE", bytes(image.palette.palette))


def _rows(image: Image.Image) -> bytes:
    wide, high = image.size
    pixels = image.tobytes()
    return b"".join(b"\0" + pixels[row * wide : (row + 1) * wide] for row in range(high))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
