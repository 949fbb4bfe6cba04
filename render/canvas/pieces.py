"""Cut a picture into pieces by its mask.

Full pieces are copied row by row and empty ones are skipped. Only pieces along an edge need the mask. A triangle fills
half of its box, and a ring hardly any of it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from PIL import Image

BAND: Final = 56  # rows of a band; more rows mean more masked pixels, fewer rows more pieces
RUN: Final = 20  # the fewest columns that are worth a separate piece

_RUNS: Final = re.compile(rb"\x00{%d,}|\xff{%d,}" % (RUN, RUN))
_ANY: Final = [0] + [255] * 255


class Clipping(NamedTuple):
    """A box of a picture, and whether the mask covers all of it."""

    left: int
    top: int
    right: int
    bottom: int
    full: bool


class Patch(NamedTuple):
    """A part of a picture and its mask as Pillow's core images. `Image.paste` is too slow for so few pixels."""

    x: int
    y: int
    width: int
    height: int
    part: Any
    mask: Any = None


@dataclass(frozen=True, slots=True)
class Pieces:
    """A picture cut into pieces."""

    full: tuple[Patch, ...]  # pieces without a mask
    edges: tuple[Patch, ...]  # pieces with a mask

    @property
    def bytes(self) -> int:
        """The memory of its pixels without masks, which most pictures share."""
        return sum(piece.width * piece.height for piece in (*self.full, *self.edges))


def cuts(some: Image.Image, full: Image.Image) -> tuple[Clipping, ...]:
    """The boxes that contain every pixel where `some` is not 0. A box is full if `full` is 255 everywhere in it."""
    wide, high = some.size
    found = []
    count = max(1, round(high / BAND))
    rows = [round(high * number / count) for number in range(count + 1)]
    some = some.convert("L").point(_ANY)
    for top, bottom in pairwise(rows):
        columns = [
            image.crop((0, top, wide, bottom)).convert("L").reduce((1, bottom - top)).tobytes()
            for image in (some, full)
        ]
        # A column is empty (0), full (255) or mixed (1).
        states = bytes(
            0 if not any_of_it else 255 if all_of_it == 255 else 1
            for any_of_it, all_of_it in zip(*columns, strict=True)
        )
        at = 0
        for run in _RUNS.finditer(states):
            if run.start() > at:
                found.append(Clipping(at, top, run.start(), bottom, full=False))
            if states[run.start()]:
                found.append(Clipping(run.start(), top, run.end(), bottom, full=True))
            at = run.end()
        if at < wide:
            found.append(Clipping(at, top, wide, bottom, full=False))
    return tuple(found)


def pieces(picture: Image.Image, found: tuple[Clipping, ...], mask: Image.Image | None = None) -> Pieces:
    """Cut a picture into these pieces."""

    def cropped(cut: Clipping) -> Patch:
        box = cut[:4]
        width, height = cut.right - cut.left, cut.bottom - cut.top
        with_mask = None if mask is None or cut.full else mask.im.crop(box)
        return Patch(cut.left, cut.top, width, height, picture.im.crop(box), with_mask)

    whole, edges = ([cropped(cut) for cut in found if cut.full == full] for full in (True, False))
    return Pieces(tuple(whole), tuple(edges))
