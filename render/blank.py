"""A tile without its labels: the ivory plate with its lip, the shadow it throws and the light around it."""

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.canvas import SMOOTH, Sprite, soft
from render.kept import PARTS, PIECES
from render.outline import Outline, rounded, shrunk
from render.palette import SHADES
from render.theme import THEME

INSET = 0.017
"""Half the gap between two tiles, as a share of the edge, like all lengths here."""
ROUND = 0.055
LIP = 0.032


@PIECES.kept
def large(edge: int, outline: Outline) -> tuple[Image.Image, Image.Image]:
    """The whole tile and its face without the lip, enlarged."""
    size = edge * SMOOTH
    whole = Image.new("L", (size, outline.height(edge) * SMOOTH), 0)
    points = [(x * SMOOTH, y * SMOOTH) for x, y in outline.corners(edge)]
    rounded(ImageDraw.Draw(whole), shrunk(points, INSET * size), ROUND * size)
    face = ImageChops.darker(whole, ImageChops.offset(whole, 0, -round(LIP * size)))
    return whole, face


@PARTS.kept
def plate(edge: int, outline: Outline) -> tuple[Image.Image, Image.Image]:
    """The plate in true colour, and its coverage."""
    whole, face = (part.reduce(SMOOTH) for part in large(edge, outline))
    picture = soft(whole, THEME.gap, THEME.lip)
    picture.paste(THEME.face, (0, 0), face)
    return picture, whole


def blank(edge: int, outline: Outline) -> Image.Image:
    """The coverage of a tile."""
    return plate(edge, outline)[1]


@PARTS.kept
def shadow(edge: int, outline: Outline) -> tuple[Sprite, int]:
    """The shadow a tile throws on the bare ground, and how far it reaches past the cell's box."""
    reach = max(3, round(0.13 * edge))
    whole = blank(edge, outline)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach, reach + round(0.035 * edge)))
    cover = _grown(cover, 1).filter(ImageFilter.GaussianBlur(0.042 * edge))
    numbers = cover.point([round((SHADES - 1) * (1 - level / 255)) for level in range(256)])
    return Sprite(soft(cover, THEME.ground, THEME.shadow), numbers=numbers), reach


@PARTS.kept
def glow(edge: int, outline: Outline, strength: float) -> Image.Image:
    """The coverage of the light around a tile; it reaches `glow_reach(edge)` past the cell's box."""
    reach = glow_reach(edge)
    whole = blank(edge, outline)
    cover = Image.new("L", (whole.width + 2 * reach, whole.height + 2 * reach), 0)
    cover.paste(whole, (reach, reach))
    cover = _grown(cover, max(1, round(0.08 * edge) // 2)).filter(ImageFilter.GaussianBlur(0.07 * edge))
    return cover.point([round(level * strength) for level in range(256)])


def _grown(cover: Image.Image, by: int) -> Image.Image:
    """A coverage that reaches so many pixels further each way; as many must be empty at its edges."""
    # First across, then down. Pillow's MaxFilter looks at a whole square around every pixel, which took longer than
    # all else that is drawn in a new size.
    for across, down in ((1, 0), (0, 1)):
        narrow = cover
        for step in range(1, by + 1):
            for side in (step, -step):
                cover = ImageChops.lighter(cover, ImageChops.offset(narrow, side * across, side * down))
    return cover


def glow_reach(edge: int) -> int:
    """How far the light around a tile reaches."""
    return round(0.24 * edge)
