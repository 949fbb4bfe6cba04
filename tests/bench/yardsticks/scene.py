"""The picture of a table as plain shapes, for those who draw it in other ways.

The same tiles, numbers, letters, lines, words and cards in the same places and colours as in the project's own picture;
each shape is something that every drawing library has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, degrees
from typing import Literal

from engine.seen import Seen
from render import Captions
from render.board import LIGHT
from render.cards import GAP, card_height, columns, lights, signed
from render.faces import face_of
from render.geometry import Layout, lay_out
from render.lettering import Style
from render.picture import MARGIN, WIDTH
from render.table import board_area, table_height
from render.theme import THEME, Colour, mix

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed outline with round joints; `fill` and `line` are left out where None."""

    points: tuple[Point, ...]
    fill: Colour | None = None
    line: Colour | None = None
    width: float = 0
    dashed: bool = False
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a disc, in degrees clockwise from the right."""

    at: Point
    radius: float
    start: float
    sweep: float
    fill: Colour


@dataclass(frozen=True, slots=True)
class Card:
    """A rectangle with round corners."""

    box: tuple[float, float, float, float]
    radius: float
    fill: Colour
    line: Colour | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text with its base line at `y`."""

    text: str
    x: float
    y: float
    size: float
    fill: Colour
    style: Style
    side: Literal["left", "middle", "right"] = "left"


Shape = Polygon | Slice | Card | Text


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture as a list of shapes, the lowest first."""

    width: int
    height: int
    shapes: tuple[Shape, ...]


def scene(seen: Seen, names: Sequence[str], captions: Captions) -> Scene:
    """A running table whose tiles have digits on their corners, as everybody sees it."""
    face = face_of(seen.rules, "classic")
    height = table_height(seen, face)
    area = board_area(seen, face, height)
    layout = lay_out(seen.rules.plane, seen.tiles, [place.cell for place in seen.places], seen.dead, area)
    return Scene(WIDTH, height, (*_board(seen, layout), *_header(captions), *_cards(seen, names, area[3] + 18)))


def _board(seen: Seen, layout: Layout) -> Iterator[Shape]:
    edge, lattice = layout.edge, seen.rules.plane
    outline = {cell: _outline(layout, cell) for cell in (*(lying.cell for lying in seen.tiles), *seen.dead)}
    for lying in seen.tiles:
        for grow, strength in ((0.09, 0.3), (0.05, 0.4), (0.02, 0.5)):
            yield Polygon(outline[lying.cell], THEME.shadow, THEME.shadow, 2 * grow * edge, opacity=strength)
    last = seen.tiles[-1]
    for grow, strength in ((0.2, 0.12), (0.15, 0.2), (0.1, 0.3), (0.05, LIGHT)):
        yield Polygon(outline[last.cell], None, THEME.gold, 2 * grow * edge, opacity=strength)
    for cell in seen.dead:
        x, y = _middle(outline[cell])
        arm = 0.08 * edge
        yield Polygon(((x - arm, y - arm), (x + arm, y + arm)), None, THEME.faint, 0.03 * edge)
        yield Polygon(((x - arm, y + arm), (x + arm, y - arm)), None, THEME.faint, 0.03 * edge)
    for place in seen.places:
        points = _outline(layout, place.cell)
        x, y = _middle(points)
        yield Polygon(_shrunk(points, 0.04), None, THEME.faint, 0.02 * edge, dashed=True)
        yield Slice((x, y), 0.19 * edge, 0, 360, THEME.badge)
        yield Text(place.letter, x, y + 0.09 * edge, 0.26 * edge, THEME.white, Style.LOUD, "middle")
    for lying in seen.tiles:
        points = outline[lying.cell]
        lip = tuple((x, y + 0.032 * edge) for x, y in _shrunk(points, 0.125))
        yield Polygon(lip, THEME.lip, THEME.lip, 0.1 * edge)
        yield Polygon(_shrunk(points, 0.125), THEME.face, THEME.face, 0.1 * edge)
        middle = _middle(points)
        for label, (x, y), (start, sweep) in zip(lying.shown, _shrunk(points, 0.03), _wedges(points), strict=True):
            yield Slice((x, y), 0.4 * edge, start, sweep, THEME.values[label])
            far = 0.306 * edge / ((middle[0] - x) ** 2 + (middle[1] - y) ** 2) ** 0.5
            at = (x + (middle[0] - x) * far, y + (middle[1] - y) * far)
            yield Text(str(label), at[0], at[1] + 0.11 * edge, 0.305 * edge, THEME.digit(label), Style.LOUD, "middle")
    for site in seen.hexagons:
        x, y = layout.point(site)
        newest = site in seen.newest
        around = tuple(
            (x + dx * edge, y + dy * layout.row)
            for dx, dy in ((-0.5, -1), (0.5, -1), (1, 0), (0.5, 1), (-0.5, 1), (-1, 0))
        )
        colour = THEME.mint if newest else mix(THEME.gap, THEME.mint, 0.75)
        yield Polygon(around, None, colour, max(2, (0.05 if newest else 0.03) * edge))
    for lying in seen.tiles:
        if lying is last or lying.cell in seen.bridges:
            colour = THEME.gold if lying is last else THEME.pink
            yield Polygon(_shrunk(outline[lying.cell], 0.05), None, colour, 0.046 * edge)
    assert lattice.sides in (3, 4)


def _header(captions: Captions) -> Iterator[Shape]:
    yield Text(captions.title, MARGIN, 48, 34, THEME.white, Style.LOUD)
    yield Text(captions.turn, WIDTH - MARGIN, 48, 32, THEME.gold, Style.LOUD, "right")
    yield Text(captions.subtitle, MARGIN, 84, 26, THEME.mint, Style.TEXT)
    yield Text(captions.note, WIDTH - MARGIN, 84, 26, THEME.grey, Style.TEXT, "right")


def _cards(seen: Seen, names: Sequence[str], top: int) -> Iterator[Shape]:
    high = card_height(len(seen.seats))
    for seat, (row, x, width) in zip(seen.seats, columns(WIDTH, len(seen.seats)), strict=True):
        y, lit = top + row * (high + GAP), lights(seen, seat.seat)
        fill = THEME.panel_on if lit else THEME.panel
        yield Card((x, y, x + width, y + high), 18, fill, THEME.gold if lit else None)
        yield Slice((x + 29, y + 31), 9, 0, 360, THEME.seat(seat.seat))
        yield Text(names[seat.seat], x + 48, y + 40, 28, THEME.white, Style.TEXT)
        if seat.change is not None:
            colour = THEME.coral if seat.change < 0 else THEME.mint if seat.change else THEME.grey
            yield Text(signed(seat.change), x + width - 20, y + 40, 28, colour, Style.TEXT, "right")
        yield Text(str(seat.total), x + 20, y + 88, 46, THEME.white, Style.LOUD)
        yield Text(str(seat.tiles), x + width - 20, y + 86, 30, THEME.white, Style.TEXT, "right")
        tip = x + width - 56
        yield Polygon(((tip - 26, y + 87), (tip - 13, y + 64), (tip, y + 87)), THEME.lip)
        room = width - 40
        yield Card((x + 20, y + high - 24, x + 20 + room, y + high - 16), 4, THEME.groove)
        done = room * min(1, max(0, seat.total / max(1, seen.rules.target)))
        if done >= 8:
            yield Card((x + 20, y + high - 24, x + 20 + done, y + high - 16), 4, THEME.seat(seat.seat))


def _outline(layout: Layout, cell: object) -> tuple[Point, ...]:
    spot = layout.spot(cell)  # type: ignore[arg-type]
    return tuple((spot.x + x, spot.y + y) for x, y in spot.outline.corners(layout.edge))


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _shrunk(points: Sequence[Point], share: float) -> tuple[Point, ...]:
    """The same shape, smaller by this share around its middle."""
    mx, my = _middle(points)
    return tuple((x + (mx - x) * share * 2, y + (my - y) * share * 2) for x, y in points)


def _wedges(points: Sequence[Point]) -> Iterator[tuple[float, float]]:
    """For each corner, where the tile lies: from one side to the other, in degrees clockwise."""
    for number, (x, y) in enumerate(points):
        (ax, ay), (bx, by) = points[(number + 1) % len(points)], points[number - 1]
        start, end = degrees(atan2(ay - y, ax - x)), degrees(atan2(by - y, bx - x))
        yield start, (end - start) % 360
