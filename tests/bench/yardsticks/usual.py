"""The scene drawn the usual way with Pillow: in true colour, three times too large, made smaller, default PNG."""

from functools import cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from render.lettering import Style, font
from render.theme import DARK, mix
from tests.bench.yardsticks.scene import Card, Polygon, Scene, Shape, Slice, Text

TIMES = 3
ANCHORS = {"left": "ls", "middle": "ms", "right": "rs"}


def drawn(scene: Scene) -> bytes:
    """The whole picture."""
    large = Image.new("RGB", (scene.width * TIMES, scene.height * TIMES), DARK.cloth)
    pen = ImageDraw.Draw(large)
    for shape in scene.shapes:
        _draw(pen, shape)
    file = BytesIO()
    large.reduce(TIMES).save(file, "PNG")
    return file.getvalue()


def _draw(pen: ImageDraw.ImageDraw, shape: Shape) -> None:
    match shape:
        case Polygon(points, fill, line, width, _, opacity):
            at = [(x * TIMES, y * TIMES) for x, y in points]
            if fill:
                pen.polygon(at, mix(DARK.cloth, fill, opacity))
            if line:
                closed = [*at, at[0], at[1]] if len(at) > 2 else at
                pen.line(closed, mix(DARK.cloth, line, opacity), max(1, round(width * TIMES)), joint="curve")
        case Slice((x, y), radius, start, sweep, fill):
            box = [v * TIMES for v in (x - radius, y - radius, x + radius, y + radius)]
            pen.pieslice(box, start, start + sweep, fill)
        case Card(box, radius, fill, line):
            pen.rounded_rectangle([v * TIMES for v in box], radius * TIMES, fill, line, 4 * TIMES)
        case Text(text, x, y, size, fill, style, side):
            pen.text((x * TIMES, y * TIMES), text, fill, _font(style, round(size * TIMES)), ANCHORS[side])


@cache
def _font(style: Style, size: int) -> ImageFont.FreeTypeFont:
    return font(style, size)
