"""Animations of palette pictures, written frame by frame: only what has changed since the one before.

A GIF is what Discord and everything else plays; an APNG takes less time to write. WebP is larger than either and takes
longer (docs/decisions/0049).
"""

import struct
from abc import ABC, abstractmethod
from io import BytesIO
from typing import Final

from PIL import Image, ImageChops

from render.canvas import Box
from render.png import DEFLATE, PALETTE, SIGNATURE, chunk

CLEAR: Final = 255
"""The number that shows through to the frame before. No frame may have it."""
OPAQUE: Final = 255
"""So many colours a frame may have: those before `CLEAR`."""
LONGEST: Final = 65_535
"""Milliseconds that a frame can be shown."""
_UNCHANGED: Final = bytes([255]) + bytes(255)
"""For each difference of two numbers, whether there is none."""


class Animation(ABC):
    """Frames of one size, each shown for a while; it begins anew when it is over.

    `palette` has red, green and blue of each number, 255 at most.
    """

    def __init__(self, width: int, height: int, palette: bytes) -> None:
        self.size: Final = width, height
        self._palette = palette.ljust(3 * 256, b"\0")
        self._before: Image.Image | None = None
        self._frames: list[tuple[Box, bytes]] = []
        self._times: list[int] = []

    def __len__(self) -> int:
        """How many frames it has."""
        return len(self._frames)

    def add(self, frame: Image.Image, ms: int) -> None:
        """One more frame, of palette numbers (mode "L"), shown for so many milliseconds. It must not change later."""
        before, self._before = self._before, frame
        if before is None:
            self._frames.append(((0, 0, *self.size), self._pressed(frame)))
        elif (box := (changed := ImageChops.difference(frame, before)).getbbox()) is None:
            self._times[-1] += ms
            return
        else:
            part = frame.crop(box)
            part.paste(
                CLEAR, (0, 0), Image.frombytes("L", part.size, changed.crop(box).tobytes().translate(_UNCHANGED))
            )
            self._frames.append((box, self._pressed(part)))
        self._times.append(ms)

    def file(self) -> bytes:
        """All of it as a file."""
        parts = [self._head()]
        parts += [self._part(number, *frame) for number, frame in enumerate(self._frames)]
        return b"".join([*parts, self._foot()])

    @abstractmethod
    def _pressed(self, part: Image.Image) -> bytes:
        """The numbers of a frame, or of what has changed, as the format wants them."""

    @abstractmethod
    def _head(self) -> bytes:
        """What comes before the frames."""

    @abstractmethod
    def _part(self, number: int, box: Box, pressed: bytes) -> bytes:
        """A frame in the file."""

    @abstractmethod
    def _foot(self) -> bytes:
        """What comes after them."""


class Gif(Animation):
    """GIF 89a: times in hundredths of a second, one palette for all frames."""

    def _pressed(self, part: Image.Image) -> bytes:
        # Pillow presses it; of the file that it makes only the pixels are taken.
        written = BytesIO()
        part.save(written, "GIF", optimize=False, interlace=False)
        file = written.getvalue()
        at = 13 + (3 * (2 << (file[10] & 7)) if file[10] & 0x80 else 0)
        while file[at] == 0x21:  # an extension: two bytes that say which, and blocks, the last of which is empty
            at += 2
            while file[at]:
                at += file[at] + 1
            at += 1
        return file[at + 10 : -1]

    def _head(self) -> bytes:
        screen = struct.pack("<6sHHBBB", b"GIF89a", *self.size, 0xF7, 0, 0)
        for_ever = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
        return screen + self._palette + for_ever

    def _part(self, number: int, box: Box, pressed: bytes) -> bytes:
        left, top, right, bottom = box
        # Each frame stays where the next one shows nothing: "do not dispose", and a number that is clear.
        shown = struct.pack("<4sHBB", b"\x21\xf9\x04\x05", max(2, min(self._times[number], LONGEST) // 10), CLEAR, 0)
        return shown + struct.pack("<BHHHHB", 0x2C, left, top, right - left, bottom - top, 0) + pressed

    def _foot(self) -> bytes:
        return b"\x3b"


class Apng(Animation):
    """PNG with frames after the first, which a program that knows nothing of them shows."""

    def _pressed(self, part: Image.Image) -> bytes:
        wide, high = part.size
        rows = Image.new("L", (wide + 1, high))  # a row begins with a byte that says how it was prepared: not at all
        rows.paste(part, (1, 0))
        return DEFLATE.compress(memoryview(rows.tobytes()), DEFLATE.level)

    def _head(self) -> bytes:
        opaque = bytes([255]) * CLEAR + b"\0"
        return b"".join(
            [
                SIGNATURE,
                chunk(b"IHDR", struct.pack(">IIBBBBB", *self.size, 8, PALETTE, 0, 0, 0)),
                chunk(b"PLTE", self._palette),
                chunk(b"tRNS", opaque),
                chunk(b"acTL", struct.pack(">II", len(self._frames), 0)),
            ]
        )

    def _part(self, number: int, box: Box, pressed: bytes) -> bytes:
        left, top, right, bottom = box
        turn = 2 * number - 1 if number else 0  # frames and their pixels are counted together; the first has no number
        where = struct.pack(">IIIII", turn, right - left, bottom - top, left, top)
        control = chunk(b"fcTL", where + struct.pack(">HHBB", min(self._times[number], LONGEST), 1000, 0, 1))
        pixels = chunk(b"fdAT", struct.pack(">I", turn + 1) + pressed) if number else chunk(b"IDAT", pressed)
        return control + pixels

    def _foot(self) -> bytes:
        return chunk(b"IEND")


KINDS: Final[dict[str, type[Animation]]] = {".gif": Gif, ".png": Apng}
"""By the end of a file's name."""
