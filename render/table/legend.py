"""The legend of shapes: which number each shape means. Menus and typed moves use numbers."""

from PIL import ImageDraw

from engine.match.rules import Rules
from render.canvas import marks
from render.canvas.cache import PART_CACHE
from render.canvas.canvas import Canvas, Sprite, colourise, render_shape, threshold
from render.canvas.lettering import Style, draw_text, load_manrope, measure_text
from render.canvas.picture import MARGIN
from render.canvas.theme import Theme
from render.faces import Face
from render.faces.shapes import SHAPES, draw_shape

LEGEND_HEIGHT = 50  # height of the legend
DISC_SIZE = 38
TEXT_SIZE = 28  # size of the numbers
GAP = 34  # between two numbers, if there is room


def compute_legend_height(face: Face) -> int:
    """The height of the legend; 0 if tiles show numbers."""
    return LEGEND_HEIGHT if face.signs == "shapes" else 0


def draw_legend(canvas: Canvas, rules: Rules, face: Face, top: int) -> None:
    """Draw the legend across the canvas if the face has shapes."""
    if not compute_legend_height(face):
        return
    values = sorted({label for tile in rules.tiles for label in tile if label >= 0})
    texts = [f"= {value}" for value in values]
    widths = [DISC_SIZE + 8 + measure_text(text, Style.TEXT, TEXT_SIZE) for text in texts]
    gap = min(GAP, (canvas.width - 2 * MARGIN - sum(widths)) // max(1, len(values) - 1))
    x = (canvas.width - sum(widths) - gap * (len(values) - 1)) // 2
    for value, text, width in zip(values, texts, widths, strict=True):
        canvas.paste_sprite(
            render_value_disc(canvas.theme, value, DISC_SIZE, shapes=True), x, top + (LEGEND_HEIGHT - DISC_SIZE) // 2
        )
        base = top + LEGEND_HEIGHT // 2 + 10
        draw_text(canvas, text, x + DISC_SIZE + 8, base, Style.TEXT, TEXT_SIZE, canvas.theme.text)
        x += width + gap


@PART_CACHE.memoize
def render_value_disc(theme: Theme, value: int, size: int, *, shapes: bool) -> Sprite:
    """A value's shape or digit on its colour, with an ivory rim that separates dark values from the cloth."""
    whole = marks.render_dot(size)
    picture = colourise(whole, theme.cloth, theme.ivory)
    picture.paste(theme.values[value], (3, 3), marks.render_dot(size - 6))

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        middle = (size * scale / 2, size * scale / 2)
        if shapes:
            draw_shape(pen, SHAPES[value], middle, 0.56 * size * scale)
        else:
            font = load_manrope(Style.LOUD, round(0.78 * size * scale))
            _, top, _, bottom = font.getbbox(str(value), anchor="ms")
            pen.text((middle[0], middle[1] - (top + bottom) / 2), str(value), 255, font, anchor="ms")

    picture.paste(theme.get_digit_colour(value), (0, 0), render_shape(size, size, draw))
    return Sprite(theme, picture, threshold(whole, 110))
