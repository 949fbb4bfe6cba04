"""A tile as it lies on the table or stands in a hand, and how it looks dim or as a ghost."""

from functools import lru_cache

from PIL import Image, ImageChops

from engine.tiles import Tile
from render.blank import blank, plate
from render.canvas import Sprite, some
from render.faces import Face, field_layers, sign_layers
from render.outline import Outline
from render.palette import DIM, veil
from render.rings import RING, ring
from render.theme import THEME, Colour


@lru_cache(maxsize=2048)
def tile_sprite(edge: int, outline: Outline, labels: Tile, face: Face, colour: Colour | None = None) -> Sprite:
    """A tile that shows these labels, clockwise; with a ring in a colour when it is one to look at."""

    def paint() -> Image.Image:
        picture = plate(edge, outline)[0].copy()
        for ink, cover in field_layers(edge, outline, face, labels):
            picture.paste(ink, (0, 0), cover)
        if colour:
            picture.paste(colour, (0, 0), ring(edge, outline, RING * edge))
        # Signs come last: a ring never hides one.
        for ink, cover in sign_layers(edge, outline, face, labels):
            picture.paste(ink, (0, 0), cover)
        return picture

    return Sprite(paint, _mask(edge, outline, ringed=colour is not None))


@lru_cache(maxsize=128)
def _mask(edge: int, outline: Outline, *, ringed: bool) -> Image.Image:
    """Where a tile is pasted: all of them share it. A ring reaches a little further than the tile."""
    whole = blank(edge, outline)
    return some(ImageChops.lighter(whole, ring(edge, outline, RING * edge)) if ringed else whole)


@lru_cache(maxsize=256)
def dim(edge: int, outline: Outline, labels: Tile, face: Face) -> Sprite:
    """A tile of a hand that fits nowhere now."""
    return tile_sprite(edge, outline, labels, face).changed(lambda: veil(THEME.panel, DIM), THEME.panel, DIM)
