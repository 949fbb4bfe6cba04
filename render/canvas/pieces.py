"""Cutting a picture up by its mask: what is full is copied row by row, what is empty is left out, and only along the
edges a mask is looked at pixel by pixel. A triangle fills half of its box, and a ring hardly any of it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from PIL import Image

BAND: Final = 56
"""The rows of a band. The higher, the more pixels along slanted edges are looked at; the lower, the more pieces."""
RUN: Final = 20
"""The fewest columns of a band that are worth a piece of their own."""

_RUNS: Final = re.compile(rb"\x00{%d,}|\xff{%d,}" % (RUN, RUN))
_ANY: Final = [0] + [255] * 255


class Clipping(NamedTuple):
    """A box of a picture, and whether all of it counts."""

    left: int
    top: int
    right: int
    bottom: int
    full: bool


class Patch(NamedTuple):
    """A part of a picture and its mask, as Pillow's inner images: `Image.paste` spends longer on its arguments than on
    so few pixels.
    """

    x: int
    y: int
    width: int
    height: int
    part: Any
    mask: Any = None


@dataclass(frozen=True, slots=True)
class Pieces:
    """A picture that was cut up."""

    full: tuple[Patch, ...]
    """All pixels of these count."""
    edges: tuple[Patch, ...]
    """Of these a mask says which."""

    @property
    def bytes(self) -> int:
        """The memory that its pixels take, without those of masks: most pictures share theirs."""
        return sum(piece.width * piece.height for piece in (*self.full, *self.edges))


def cuts(some: Image.Image, full: Image.Image) -> tuple[Clipping, ...]:
    """The boxes that hold every pixel of which `some` is not 0. Those are full in which `full` is 255 throughout."""
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
        # A column counts as empty, full, or between.
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
    """The picture in these pieces."""

    def cropped(cut: Clipping) -> Patch:
        box = cut[:4]
        width, height = cut.right - cut.left, cut.bottom - cut.top
        with_mask = None if mask is None or cut.full else mask.im.crop(box)
        return Patch(cut.left, cut.top, width, height, picture.im.crop(box), with_mask)

    whole, edges = ([cropped(cut) for cut in found if cut.full == full] for full in (True, False))
    return Pieces(tuple(whole), tuple(edges))
