"""A tile as it lies on the table or stands in a hand, and how it looks dim or as a ghost."""

from functools import lru_cache

from PIL import ImageChops

from engine.tiles import Tile
from render.blank import plate
from render.canvas import Sprite, some
from render.faces import Face, fields, signs
from render.outline import Outline
from render.palette import DIM, veil
from render.rings import RING, ring
from render.theme import THEME, Colour


@lru_cache(maxsize=1024)
def tile(edge: int, outline: Outline, labels: Tile, face: Face, colour: Colour | None = None) -> Sprite:
    """A tile that shows these labels, clockwise; with a ring in a colour when it is one to look at."""
    plain, whole = plate(edge, outline)
    picture = plain.copy()
    for ink, cover in fields(edge, outline, face, labels):
        picture.paste(ink, (0, 0), cover)
    if colour:
        line = ring(edge, outline, RING * edge)
        picture.paste(colour, (0, 0), line)
        whole = ImageChops.lighter(whole, line)
    # Signs come last: a ring never hides one.
    for ink, cover in signs(edge, outline, face, labels):
        picture.paste(ink, (0, 0), cover)
    return Sprite(picture, some(whole))


@lru_cache(maxsize=256)
def dim(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile of a hand that fits nowhere now."""
    return tile(edge, outline, labels, face).changed(lambda: veil(THEME.panel, DIM), THEME.panel, DIM)
