"""The legend of shapes: which number each shape means. Menus and typed moves use numbers."""

from PIL import ImageDraw

from engine.match.rules import Rules
from render.canvas import marks
from render.canvas.cache import PARTS
from render.canvas.canvas import Canvas, Sprite, shape, soft, some
from render.canvas.lettering import Style, draw_text, length
from render.canvas.picture import MARGIN
from render.canvas.theme import Theme
from render.faces import Face
from render.faces.shapes import SHAPES, draw_shape

HIGH = 50  # height of the legend
DISC = 38
SIZE = 28  # size of the numbers
GAP = 34  # between two numbers, if there is room


def legend_height(face: Face) -> int:
    """The height of the legend; 0 if tiles show numbers."""
    return HIGH if face.signs == "shapes" else 0


def draw_legend(canvas: Canvas, rules: Rules, face: Face, top: int) -> None:
    """Draw the legend across the canvas if the face has shapes."""
    if not legend_height(face):
        return
    values = sorted({label for tile in rules.tiles for label in tile if label >= 0})
    texts = [f"= {value}" for value in values]
    widths = [DISC + 8 + length(text, Style.TEXT, SIZE) for text in texts]
    gap = min(GAP, (canvas.width - 2 * MARGIN - sum(widths)) // max(1, len(values) - 1))
    x = (canvas.width - sum(widths) - gap * (len(values) - 1)) // 2
    for value, text, width in zip(values, texts, widths, strict=True):
        canvas.stamp(_disc(canvas.theme, value), x, top + (HIGH - DISC) // 2)
        draw_text(canvas, text, x + DISC + 8, top + HIGH // 2 + 10, Style.TEXT, SIZE, canvas.theme.text)
        x += width + gap


@PARTS.kept
def _disc(theme: Theme, value: int) -> Sprite:
    """A value's shape on its colour, with an ivory rim that separates dark values from the cloth."""
    whole = marks.dot(DISC)
    picture = soft(whole, theme.cloth, theme.ivory)
    picture.paste(theme.values[value], (3, 3), marks.dot(DISC - 6))

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        draw_shape(pen, SHAPES[value], (DISC * scale / 2, DISC * scale / 2), 0.56 * DISC * scale)

    picture.paste(theme.digit(value), (0, 0), shape(DISC, DISC, draw))
    return Sprite(theme, picture, some(whole, 110))
