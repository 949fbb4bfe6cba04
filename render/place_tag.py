"""The letter of a place on which a chosen tile lies: the tile covers it, and the words beside the picture go on using
it.
"""

from typing import Final

from PIL import Image, ImageDraw

from engine.board import Placement
from engine.lattice import Cell, Labels
from render.canvas import Box, Canvas, Sprite, shape, soft, some
from render.geometry import Layout
from render.kept import PIECES
from render.lettering import Style
from render.lettering import cover as lettered
from render.theme import Theme

RADIUS: Final = 0.155
"""Of the tag, as a share of the edge."""
LEAST: Final = 25
"""Its least radius in pixels, so that its letter is read on a phone."""
WRITTEN: Final = 1.3
"""The size of one letter and of two, as a share of the radius."""
WRITTEN_TWO: Final = 1.02
LINE: Final = 0.14
"""The width of its brass line, likewise."""
INWARDS: Final = 0.173
"""How far a tag at a corner is moved towards the middle, as a share of the way."""
OUTWARDS: Final = 0.2
"""How far one at a side is moved away from it, likewise, where no tile lies beyond."""


def name_place(
    canvas: Canvas, layout: Layout, labels: Labels, chosen: Placement, letter: str, taken: set[Cell], area: Box
) -> None:
    """Stamp the letter onto the tile that is chosen, away from its own numbers and from the tiles that lie there."""
    sprite = place_tag(canvas.theme, layout.edge, letter)
    x, y = tag_at(layout, labels, chosen.cell, taken)
    left, top, right, bottom = area
    x = min(max(x - sprite.width // 2, left), right - sprite.width)
    y = min(max(y - sprite.height // 2, top), bottom - sprite.height)
    canvas.stamp(sprite, x, y)


def tag_at(layout: Layout, labels: Labels, cell: Cell, taken: set[Cell]) -> tuple[int, int]:
    """The middle of the tag: of a side where numbers are on corners, at a corner where they are on sides; where the
    fewest tiles lie, and highest up among such.
    """
    sites, _, across = layout.lattice.shape(cell)
    points, spot = [layout.point(site) for site in sites], layout.spot(cell)
    if labels == "corners":
        ends = zip(points, [*points[1:], points[0]], strict=True)
        ways = [((x + to_x) / 2, (y + to_y) / 2) for (x, y), (to_x, to_y) in ends]
        crowd = [int(near in taken) for near in across]
        inwards = [0 if lies else -OUTWARDS for lies in crowd]
    else:
        ways = [(float(x), float(y)) for x, y in points]
        crowd = [sum(near in taken for near in layout.lattice.around(site)) for site in sites]
        inwards = [INWARDS] * len(points)
    heart_x, heart_y = spot.outline.centre(layout.edge)
    middles = [
        (round(x + (spot.x + heart_x - x) * share), round(y + (spot.y + heart_y - y) * share))
        for (x, y), share in zip(ways, inwards, strict=True)
    ]
    number = min(range(len(middles)), key=lambda one: (crowd[one], middles[one][1], -middles[one][0]))
    return middles[number]


@PIECES.kept
def place_tag(theme: Theme, edge: int, letter: str) -> Sprite:
    """A small round slot with its letter."""
    radius = max(LEAST, round(RADIUS * edge))
    size = 2 * radius
    whole = _disc(size, 0)
    picture = soft(whole, theme.cloth, theme.brass)
    picture.paste(theme.slot, (0, 0), _disc(size, max(2, round(LINE * radius))))
    text = lettered(letter, Style.LOUD, round((WRITTEN if len(letter) == 1 else WRITTEN_TWO) * radius))
    picture.paste(theme.accent, (radius - text.width // 2, radius - text.height // 2), text)
    return Sprite(theme, picture, some(whole, 96))


def _disc(size: int, inset: int) -> Image.Image:
    """The coverage of a disc in a square."""

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        pen.ellipse([inset * scale, inset * scale, (size - inset) * scale - 1, (size - inset) * scale - 1], 255)

    return shape(size, size, draw)
