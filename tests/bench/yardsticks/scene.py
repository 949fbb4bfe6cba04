"""The picture of a table as plain shapes, for those who draw it in other ways.

The same tiles, numbers, letters, lines, words and cards in the same places and colours as in the project's own picture;
each shape is something that every drawing library has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.seen import Seen
from render import Captions
from render.blank import LIGHT
from render.board import STUD, STUD_BEFORE, bridge_sites
from render.cards import GAP, card_height, columns, lights, signed
from render.faces import face_of
from render.faces.places import MEASURES, RAISED
from render.faces.signs import TALL
from render.geometry import Layout, lay_out
from render.lettering import Style
from render.palette import rim
from render.picture import MARGIN, WIDTH, Heading
from render.rings import RING
from render.table import arranged, heading_seat
from render.theme import DARK, Colour

INLAY = MEASURES["corners", 3]
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
    header = Heading(captions, DARK, heading_seat(seen))
    plan = arranged(seen, face, header.height)
    layout = lay_out(seen.rules.plane, seen.tiles, [place.cell for place in seen.places], (), plan.board)
    shapes = (*_board(seen, layout), *_header(captions), *_cards(seen, names, plan.plates))
    return Scene(WIDTH, plan.height, shapes)


def _board(seen: Seen, layout: Layout) -> Iterator[Shape]:
    edge, lattice = layout.edge, seen.rules.plane
    outline = {cell: _outline(layout, cell) for cell in (*(lying.cell for lying in seen.tiles), *seen.dead)}
    for lying in seen.tiles:
        for grow, strength in ((0.07, 0.3), (0.04, 0.4), (0.02, 0.5)):
            points = tuple((x + 0.014 * edge, y + 0.042 * edge) for x, y in outline[lying.cell])
            yield Polygon(points, DARK.deep, DARK.deep, 2 * grow * edge, opacity=strength)
    last = seen.tiles[-1]
    for grow, strength in ((0.16, 0.1), (0.12, 0.2), (0.08, 0.3), (0.04, LIGHT)):
        yield Polygon(outline[last.cell], None, DARK.brass, 2 * grow * edge, opacity=strength)
    for cell in seen.dead:
        x, y = _middle(outline[cell])
        arm = 0.06 * edge
        yield Polygon(((x - arm, y - arm), (x + arm, y + arm)), None, DARK.faint, 0.02 * edge)
        yield Polygon(((x - arm, y + arm), (x + arm, y - arm)), None, DARK.faint, 0.02 * edge)
    for place in seen.places:
        points = _outline(layout, place.cell)
        x, y = _middle(points)
        low = tuple((x, y + 0.01 * edge) for x, y in _shrunk(points, 0.12))
        yield Polygon(low, DARK.slot_edge, DARK.slot_edge, 0.08 * edge)
        yield Polygon(_shrunk(points, 0.12), DARK.slot, DARK.slot, 0.08 * edge)
        yield Text(place.letter, x, y + 0.1 * edge, 0.3 * edge, DARK.quiet, Style.LOUD, "middle")
    for lying in seen.tiles:
        points = outline[lying.cell]
        face, light = (DARK.lit, DARK.lit_edge) if lying is last else (DARK.ivory, DARK.ivory_edge)
        lip = tuple((x, y + 0.026 * edge) for x, y in _shrunk(points, 0.125))
        yield Polygon(lip, DARK.lip, DARK.lip, 0.12 * edge)
        yield Polygon(_shrunk(points, 0.125), light, light, 0.12 * edge)
        yield Polygon(tuple((x, y + 0.011 * edge) for x, y in _shrunk(points, 0.125)), face, face, 0.12 * edge)
        middle = _middle(points)
        for label, (x, y) in zip(lying.shown, points, strict=True):
            far = INLAY.at * edge / ((middle[0] - x) ** 2 + (middle[1] - y) ** 2) ** 0.5
            at = (x + (middle[0] - x) * far, y + (middle[1] - y) * far - RAISED * edge)
            shift = 0.009 * edge
            colour = DARK.values[label]
            yield Slice((at[0] + shift, at[1] + shift), INLAY.disc * edge, 0, 360, DARK.ivory_edge)
            yield Slice(at, INLAY.disc * edge, 0, 360, rim(colour))
            yield Slice((at[0] + 0.6 * shift, at[1] + 0.8 * shift), (INLAY.disc - 0.008) * edge, 0, 360, colour)
            size = INLAY.digit / TALL * edge
            base = at[1] + INLAY.digit / 2 * edge
            yield Text(str(label), at[0], base, size, DARK.digit(label), Style.LOUD, "middle")
    for site in seen.hexagons:
        x, y = layout.point(site)
        newest = site in seen.newest
        around = tuple(
            (x + dx * edge, y + dy * layout.row)
            for dx, dy in ((-0.5, -1), (0.5, -1), (1, 0), (0.5, 1), (-0.5, 1), (-1, 0))
        )
        yield Polygon(around, None, DARK.brass_dark, max(2, (0.04 if newest else 0.016) * edge))
        if newest:
            yield Polygon(around, None, DARK.brass, 0.024 * edge)
        yield from _stud((x, y), edge * (STUD if newest else STUD_BEFORE) / 2, DARK.brass_dark, DARK.brass)
    for colour, width in ((DARK.brass_dark, RING), (DARK.brass, RING * 0.62), (DARK.brass_light, RING * 0.26)):
        yield Polygon(_shrunk(outline[last.cell], 0.005), None, colour, width * edge)
    for site in bridge_sites(seen).values():
        yield from _stud(layout.point(site), edge * STUD_BEFORE / 2, DARK.copper_dark, DARK.copper)
    assert lattice.sides in (3, 4)


def _stud(at: Point, radius: float, rim: Colour, face: Colour) -> Iterator[Shape]:
    yield Slice(at, radius, 0, 360, rim)
    yield Slice(at, radius * 0.8, 0, 360, face)
    yield Slice(at, radius * 0.4, 0, 360, DARK.dark_digit)


def _header(captions: Captions) -> Iterator[Shape]:
    yield Text(captions.turn, MARGIN + 62, 79, 58, DARK.text, Style.LOUD)
    yield Text(captions.title, WIDTH - MARGIN, 74, 32, DARK.text, Style.LOUD, "right")
    yield Text(captions.subtitle, MARGIN, 128, 33, DARK.quiet, Style.TEXT)
    yield Text(captions.note, WIDTH - MARGIN, 128, 32, DARK.quiet, Style.TEXT, "right")


def _cards(seen: Seen, names: Sequence[str], top: int) -> Iterator[Shape]:
    high = card_height(len(seen.seats))
    for seat, (row, x, width) in zip(seen.seats, columns(WIDTH, len(seen.seats)), strict=True):
        y, lit = top + row * (high + GAP), lights(seen, seat.seat)
        fill, ink, quiet = (DARK.plate, DARK.ink, DARK.ink_quiet) if lit else (DARK.slot, DARK.text, DARK.quiet)
        yield Card((x, y, x + width, y + high), 20, DARK.lip if lit else DARK.slot_edge)
        yield Card((x, y, x + width, y + high - 6), 20, fill)
        yield Slice((x + 35, y + 39), 15, 0, 360, DARK.seat(seat.seat))
        yield Text(names[seat.seat], x + 62, y + 52, 34, ink, Style.TEXT)
        if seat.change is not None:
            colour = quiet if lit else DARK.loss if seat.change < 0 else DARK.gain
            yield Text(signed(seat.change), x + width - 20, y + 50, 30, colour, Style.LOUD, "right")
        yield Text(str(seat.total), x + 20, y + 110, 56, ink, Style.LOUD)
        yield Text(str(seat.tiles), x + width - 20, y + 108, 32, quiet, Style.TEXT, "right")
        tip = x + width - 56
        yield Polygon(((tip - 28, y + 108), (tip - 14, y + 84), (tip, y + 108)), DARK.lip)
        room = width - 40
        yield Card((x + 20, y + 126, x + 20 + room, y + 134), 4, DARK.groove)
        done = room * min(1, max(0, seat.total / max(1, seen.rules.target)))
        if done >= 8:
            yield Card((x + 20, y + 126, x + 20 + done, y + 134), 4, DARK.seat(seat.seat))


def _outline(layout: Layout, cell: object) -> tuple[Point, ...]:
    spot = layout.spot(cell)  # type: ignore[arg-type]
    return tuple((spot.x + x, spot.y + y) for x, y in spot.outline.corners(layout.edge))


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _shrunk(points: Sequence[Point], share: float) -> tuple[Point, ...]:
    """The same shape, smaller by this share around its middle."""
    mx, my = _middle(points)
    return tuple((x + (mx - x) * share * 2, y + (my - y) * share * 2) for x, y in points)
