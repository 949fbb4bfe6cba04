"""The frame of a window that is cut into the cloth: round corners, a dark upper edge, light on the lower one."""

from typing import Final

from PIL import Image, ImageChops

from render import marks
from render.canvas import Box, Canvas, Sprite, soft, some
from render.kept import PARTS
from render.theme import Theme

EDGE: Final = 3
"""How wide its edges are."""


def framed(canvas: Canvas, area: Box) -> None:
    """Frame what has been drawn in an area."""
    left, top, right, bottom = area
    wide, high = right - left, bottom - top
    size = marks.RADIUS + 2
    for x, y, box in (
        (left, top, (0, 0, wide, size)),
        (left, bottom - size, (0, high - size, wide, high)),
        (left, top + size, (0, size, EDGE, high - size)),
        (right - EDGE, top + size, (wide - EDGE, size, wide, high - size)),
    ):
        canvas.stamp(_part(canvas.theme, wide, high, box), x, y)


@PARTS.kept
def _part(theme: Theme, wide: int, high: int, box: Box) -> Sprite:
    """A part of the frame: the cloth outside of it, and its edge."""
    whole = marks.slab(wide, high, marks.RADIUS)
    inner = Image.new("L", (wide, high), 0)
    inner.paste(marks.slab(wide - 2 * EDGE + 2, high - 2 * EDGE + 1, marks.RADIUS - EDGE + 1), (EDGE - 1, EDGE))
    line = ImageChops.subtract(whole, inner)
    picture = soft(line, theme.cloth, theme.slot_edge)
    if not theme.outlined:
        # The upper edge lies in the shadow.
        lower = ImageChops.subtract(whole, ImageChops.offset(whole, 0, -EDGE))
        picture = soft(line, theme.cloth, theme.groove)
        picture.paste(theme.slot_edge, (0, 0), ImageChops.darker(line, lower))
    cover = ImageChops.lighter(ImageChops.invert(whole), line)
    return Sprite(theme, picture.crop(box), some(cover.crop(box), 110))
