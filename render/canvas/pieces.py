"""Cut a picture into pieces by its mask.

Full pieces are copied row by row and empty ones are skipped. Only pieces along an edge need the mask. A triangle fills
half of its box, and a ring hardly any of it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from PIL import Image

BAND_ROWS: Final = 56  # rows of a band; more rows mean more masked pixels, fewer rows more pieces
MIN_RUN: Final = 20  # the fewest columns that are worth a separate piece

_RUNS: Final = re.compile(rb"\x00{%d,}|\xff{%d,}" % (MIN_RUN, MIN_RUN))
_NONZERO: Final = [0] + [255] * 255


class CutBox(NamedTuple):
    """A box of a picture, and whether the mask covers all of it."""

    left: int
    top: int
    right: int
    bottom: int
    is_opaque: bool


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

    opaque: tuple[Patch, ...]  # pieces without a mask
    masked: tuple[Patch, ...]  # pieces with a mask

    @property
    def bytes(self) -> int:
        """The memory of its pixels without masks, which most pictures share."""
        return sum(piece.width * piece.height for piece in (*self.opaque, *self.masked))


def compute_cuts(visible: Image.Image, opaque: Image.Image) -> tuple[CutBox, ...]:
    """The boxes that contain every pixel where `visible` is not 0. A box is full if `full` is 255 everywhere in it."""
    width, height = visible.size
    found = []
    count = max(1, round(height / BAND_ROWS))
    rows = [round(height * number / count) for number in range(count + 1)]
    visible = visible.convert("L").point(_NONZERO)
    for top, bottom in pairwise(rows):
        columns = [
            image.crop((0, top, width, bottom)).convert("L").reduce((1, bottom - top)).tobytes()
            for image in (visible, opaque)
        ]
        # A column is empty (0), full (255) or mixed (1).
        states = bytes(0 if not seen else 255 if full == 255 else 1 for seen, full in zip(*columns, strict=True))
        at = 0
        for run in _RUNS.finditer(states):
            if run.start() > at:
                found.append(CutBox(at, top, run.start(), bottom, is_opaque=False))
            if states[run.start()]:
                found.append(CutBox(run.start(), top, run.end(), bottom, is_opaque=True))
            at = run.end()
        if at < width:
            found.append(CutBox(at, top, width, bottom, is_opaque=False))
    return tuple(found)


def cut_picture(picture: Image.Image, cuts: tuple[CutBox, ...], mask: Image.Image | None = None) -> Pieces:
    def cut_patch(cut: CutBox) -> Patch:
        box = cut[:4]
        width, height = cut.right - cut.left, cut.bottom - cut.top
        with_mask = None if mask is None or cut.is_opaque else mask.im.crop(box)
        return Patch(cut.left, cut.top, width, height, picture.im.crop(box), with_mask)

    whole, edges = ([cut_patch(cut) for cut in cuts if cut.is_opaque == full] for full in (True, False))
    return Pieces(tuple(whole), tuple(edges))
