"""The scene drawn by skia-python, with its smooth edges, as a PNG file of its default kind."""

from functools import cache
from pathlib import Path
from typing import Any

import skia

import render
from render.lettering import Style
from render.theme import DARK, Colour
from tests.bench.yardsticks.scene import Card, Polygon, Scene, Shape, Slice, Text

FONTS = Path(render.__file__).parent / "fonts"


def drawn(scene: Scene) -> bytes:
    """The whole picture."""
    surface = skia.Surface(scene.width, scene.height)
    canvas = surface.getCanvas()
    canvas.clear(skia.Color(*DARK.cloth))
    for shape in scene.shapes:
        _draw(canvas, shape)
    return bytes(surface.makeImageSnapshot().encodeToData(skia.kPNG, 100))


def _draw(canvas: Any, shape: Shape) -> None:
    match shape:
        case Polygon(points, fill, line, width, dashed, opacity):
            path = skia.Path()
            path.addPoly([skia.Point(*point) for point in points], len(points) > 2)
            if fill:
                canvas.drawPath(path, _paint(fill, opacity))
            if line:
                canvas.drawPath(path, _line(line, width, opacity, dashed=dashed))
        case Slice((x, y), radius, start, sweep, fill):
            oval = skia.Rect(x - radius, y - radius, x + radius, y + radius)
            canvas.drawArc(oval, start, sweep, True, _paint(fill))
        case Card(box, radius, fill, line):
            canvas.drawRoundRect(skia.Rect(*box), radius, radius, _paint(fill))
            if line:
                canvas.drawRoundRect(skia.Rect(*box), radius, radius, _line(line, 4))
        case Text(text, x, y, size, fill, style, side):
            font = _font(style, round(size, 1))
            wide = 0 if side == "left" else font.measureText(text)
            canvas.drawString(text, x - (wide if side == "right" else wide / 2), y, font, _paint(fill))


@cache
def _font(style: Style, size: float) -> Any:
    font = skia.Font(skia.Typeface.MakeFromFile(str(FONTS / style.value)), size)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    return font


@cache
def _paint(colour: Colour, opacity: float = 1) -> Any:
    return skia.Paint(Color=skia.Color(*colour, round(255 * opacity)), AntiAlias=True)


@cache
def _line(colour: Colour, width: float, opacity: float = 1, *, dashed: bool = False) -> Any:
    paint = skia.Paint(
        Color=skia.Color(*colour, round(255 * opacity)),
        AntiAlias=True,
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=width,
        StrokeJoin=skia.Paint.kRound_Join,
    )
    if dashed:
        paint.setPathEffect(skia.DashPathEffect.Make([4 * width, 3 * width], 0.0))
    return paint
