"""The frame of a window that is cut into the cloth: round corners, a dark upper edge, light on the lower one."""

from typing import Final

from PIL import Image, ImageChops

from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Box, Canvas, soft, some
from render.canvas.stretched import Stretched, stretched
from render.canvas.theme import Theme

EDGE: Final = 3
"""How wide its edges are."""
CORNER: Final = marks.RADIUS + 2
"""How far a corner reaches along them."""
SMALL: Final = 2 * CORNER + 8
"""The sides of the frame that is drawn."""


def framed(canvas: Canvas, area: Box) -> None:
    """Frame what has been drawn in an area."""
    _frame(canvas.theme).draw(canvas, area)


@PARTS.kept
def _frame(theme: Theme) -> Stretched:
    """The cloth outside of the frame, and its edge."""
    whole = marks.slab(SMALL, SMALL, marks.RADIUS)
    inner = Image.new("L", (SMALL, SMALL), 0)
    inner.paste(marks.slab(SMALL - 2 * EDGE + 2, SMALL - 2 * EDGE + 1, marks.RADIUS - EDGE + 1), (EDGE - 1, EDGE))
    line = ImageChops.subtract(whole, inner)
    picture = soft(line, theme.cloth, theme.slot_edge)
    if not theme.outlined:
        # The upper edge lies in the shadow.
        lower = ImageChops.subtract(whole, ImageChops.offset(whole, 0, -EDGE))
        picture = soft(line, theme.cloth, theme.groove)
        picture.paste(theme.slot_edge, (0, 0), ImageChops.darker(line, lower))
    return stretched(theme, picture, some(ImageChops.lighter(ImageChops.invert(whole), line), 110), CORNER)
