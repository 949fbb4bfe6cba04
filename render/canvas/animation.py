"""The frame of an inset window: round corners, a dark upper edge, a light lower edge."""

from typing import Final

from PIL import Image, ImageChops

from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, soft, some
from render.canvas.stretched import Stretched, stretched
from render.canvas.theme import Theme

EDGE: Final = 3  # width of the edges
CORNER: Final = marks.RADIUS + 2  # length of a corner along the edges
SMALL: Final = 2 * CORNER + 8  # side of the drawn sample


def framed(canvas: Canvas, area: Box) -> None:
    """Draw the frame of a window around an area."""
    _frame(canvas.theme).draw(canvas, area)


@PARTS.kept
def _frame(theme: Theme) -> Stretched:
    whole = marks.slab(SMALL, SMALL, marks.RADIUS)
    inner = Image.new("L", (SMALL, SMALL), 0)
    inner.paste(marks.slab(SMALL - 2 * EDGE + 2, SMALL - 2 * EDGE + 1, marks.RADIUS - EDGE + 1), (EDGE - 1, EDGE))
    line = ImageChops.subtract(whole, inner)
    picture = soft(line, theme.cloth, theme.slot_edge)
    if not theme.outlined:
        # The upper edge is in the shadow.
        lower = ImageChops.subtract(whole, ImageChops.offset(whole, 0, -EDGE))
        picture = soft(line, theme.cloth, theme.groove)
        picture.paste(theme.slot_edge, (0, 0), ImageChops.darker(line, lower))
    return stretched(theme, picture, some(ImageChops.lighter(ImageChops.invert(whole), line), 110), CORNER)
