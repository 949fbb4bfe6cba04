"""The same pixels by the fastest lossless encoder that was found: what a picture costs at least.

ISA-L at level 1, told to write all at once, after the pixels were copied row by row to where PNG wants them.
"""

import struct
import zlib
from collections.abc import Sequence
from functools import partial
from io import BytesIO

from PIL import Image

from tests.bench.measure import Work
from tests.bench.rows import Missing


def files(images: Sequence[Image.Image]) -> Work:
    """Nothing but writing these pictures as palette PNG files. Raises Missing where ISA-L is not installed."""
    try:
        from isal import isal_zlib
    except ImportError:
        raise Missing("isal is not installed: there is no wheel of it for this machine") from None

    def written(image: Image.Image, head: bytes) -> bytes:
        body = b"IDAT" + isal_zlib.compress(_rows(image), 1)
        tail = struct.pack(">I", isal_zlib.crc32(body)), _chunk(b"IEND", b"")
        return b"".join((head, struct.pack(">I", len(body) - 4), body, *tail))

    ready = [(image, _head(image)) for image in images]
    for image, head in ready:
        with Image.open(BytesIO(written(image, head))) as read:
            assert (read.tobytes(), read.getpalette()) == (image.tobytes(), image.getpalette())
    return Work.of(partial(written, image, head) for image, head in ready)


def _rows(image: Image.Image) -> memoryview:
    """The pixels with a byte before each row, in one copy."""
    wide, high = image.size
    rows = bytearray(high * (wide + 1) + 1)
    sheet = Image.frombuffer("L", image.size, memoryview(rows)[1:], "raw", "L", wide + 1, 1)  # type: ignore[arg-type]
    sheet.im.paste(image.im, (0, 0, wide, high))
    return memoryview(rows)[:-1]


def _head(image: Image.Image) -> bytes:
    """All that comes before the pixels."""
    assert image.mode == "P"
    assert image.palette is not None
    size = struct.pack(">IIBBBBB", *image.size, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", size) + _chunk(b"PLTE", bytes(image.palette.palette))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
