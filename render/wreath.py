"""The laurel wreath around whoever won."""

from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from render.canvas import Sprite, shape, soft, some
from render.kept import PARTS
from render.theme import Theme

WREATH: Final = 172
"""The side of the wreath's box."""
LEAVES: Final = 7
"""On either side."""


@PARTS.kept
def wreath(theme: Theme, size: int) -> Sprite:
    """A laurel wreath in brass, open above."""
    bright, dark = _leaves(size, 0), _leaves(size, 1)
    picture = soft(dark, theme.cloth, theme.brass_dark)
    picture.paste(theme.brass, (0, 0), bright)
    both = dark.copy()
    both.paste(255, (0, 0), bright)
    return Sprite(theme, picture, some(both, 110))


def _leaves(size: int, side: int) -> Image.Image:
    """The inner or the outer leaves of both branches."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        half, reach = size * scale / 2, size * scale * 0.395
        for leaf in range(LEAVES):
            # From below, a little apart, up to either side of the gap above.
            turn = pi * (0.06 + 0.78 * leaf / (LEAVES - 1))
            for mirror in (-1, 1):
                x, y = half + mirror * reach * sin(turn), half + reach * cos(turn)
                along = turn + pi / 2 + (0.55 if side else -0.55)
                _leaf(pen, x, y, mirror, along, size * scale * (0.2 - 0.01 * leaf))

    return shape(size, size, draw)


def _leaf(pen: ImageDraw.ImageDraw, x: float, y: float, mirror: int, along: float, long: float) -> None:
    dx, dy = mirror * sin(along), cos(along)
    outline: list[tuple[float, float]] = []
    for step in range(25):
        part = step / 24
        wide = long * 0.24 * sin(pi * part) ** 0.8
        outline.append((x + dx * long * part - dy * wide, y + dy * long * part + dx * wide))
    for step in range(24, -1, -1):
        part = step / 24
        wide = long * 0.24 * sin(pi * part) ** 0.8
        outline.append((x + dx * long * part + dy * wide, y + dy * long * part - dx * wide))
    pen.polygon(outline, fill=255)
