"""The scene as SVG, which cairosvg turns into a PNG file."""

from collections.abc import Iterator
from html import escape
from math import cos, radians, sin

from render.lettering import Style
from render.theme import DARK, Colour
from tests.bench.yardsticks.scene import Card, Polygon, Scene, Shape, Slice, Text

ANCHORS = {"left": "start", "middle": "middle", "right": "end"}
WEIGHTS = {Style.TEXT: 600, Style.LOUD: 800}


def svg(scene: Scene) -> str:
    """The whole picture."""
    size = f'width="{scene.width}" height="{scene.height}"'
    ground = f'<rect {size} fill="{_hex(DARK.cloth)}"/>'
    shapes = "".join(part for shape in scene.shapes for part in _told(shape))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Manrope, sans-serif">{ground}{shapes}</svg>'


def _told(shape: Shape) -> Iterator[str]:
    match shape:
        case Polygon(points, fill, line, width, dashed, opacity):
            kind = "polygon" if len(points) > 2 else "polyline"
            at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            stroke = f' stroke="{_hex(line)}" stroke-width="{width:.1f}" stroke-linejoin="round"' if line else ""
            dashes = f' stroke-dasharray="{4 * width:.1f} {3 * width:.1f}"' if dashed else ""
            pale = f' opacity="{opacity}"' if opacity < 1 else ""
            yield f'<{kind} points="{at}" fill="{_hex(fill) if fill else "none"}"{stroke}{dashes}{pale}/>'
        case Slice((x, y), radius, _, 360, fill):
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{_hex(fill)}"/>'
        case Slice((x, y), radius, start, sweep, fill):
            (ax, ay), (bx, by) = (
                (x + radius * cos(radians(turn)), y + radius * sin(radians(turn))) for turn in (start, start + sweep)
            )
            arc = f"A{radius:.1f} {radius:.1f} 0 0 1 {bx:.1f} {by:.1f}"
            yield f'<path d="M{x:.1f} {y:.1f}L{ax:.1f} {ay:.1f}{arc}Z" fill="{_hex(fill)}"/>'
        case Card((left, top, right, bottom), radius, fill, line):
            stroke = f' stroke="{_hex(line)}" stroke-width="4"' if line else ""
            box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
            yield f'<rect {box} rx="{radius}" fill="{_hex(fill)}"{stroke}/>'
        case Text(text, x, y, size, fill, style, side):
            font = f'font-size="{size:.1f}" font-weight="{WEIGHTS[style]}" text-anchor="{ANCHORS[side]}"'
            yield f'<text x="{x:.1f}" y="{y:.1f}" {font} fill="{_hex(fill)}">{escape(text)}</text>'


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
