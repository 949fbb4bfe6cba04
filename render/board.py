"""The table itself: tiles, their shadows, open places with their letters, hexagons, bridges and the last move."""

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from PIL import Image, ImageDraw

from engine.board import Placement
from engine.lattice import Cell
from engine.seen import Seen
from render import marks
from render.canvas import Box, Canvas, Sprite, shape, soft, some
from render.geometry import Layout, Spot, best_turn, lay_out
from render.lettering import Style
from render.lettering import cover as lettered
from render.palette import GHOST, veil
from render.picture import WIDTH
from render.theme import THEME, Colour, mix
from render.tile import Labels, blank, dashed, glow, shadow, tile

USUAL = (WIDTH - 48, 640)
"""The room by which the turn is chosen, so that the same board is turned alike in every picture."""
FIRST = 190
"""The edge of the very first place, on an empty table."""

Side = tuple[tuple[int, int], tuple[int, int]]
"""A side of a hexagon between two pixels."""


def draw_board(
    canvas: Canvas,
    seen: Seen,
    area: Box,
    *,
    letters: Collection[Cell] | None = None,
    ghost: Placement | None = None,
    room_for: Collection[Cell] = (),
) -> None:
    """Draw the table into an area.

    `letters`: the open cells to letter; None for every place anybody could fill, with a mark on the dead ones.
    `room_for`: cells the board is fitted around though they carry no letter now, so that it does not jump.
    """
    if not seen.tiles and ghost is None:
        _invite(canvas, seen, area)
        return
    everybody = letters is None
    over = seen.round_over is not None
    wanted = {place.cell for place in seen.places} if letters is None else set(letters)
    shown = [place for place in seen.places if place.cell in wanted and not over]
    dead = seen.dead if everybody and not over else ()
    around = {*(place.cell for place in shown), *room_for, *((ghost.cell,) if ghost else ())}
    lattice = seen.rules.plane
    left, top, right, bottom = area
    turn = best_turn(lattice, seen.tiles, *((right - left, bottom - top) if over else USUAL))
    layout = lay_out(lattice, seen.tiles, around, dead, area, turn)

    spots = [(placement, layout.spot(placement.cell)) for placement in seen.tiles]
    for _, spot in spots:
        sprite, reach = shadow(layout.edge, spot.up)
        canvas.shade(sprite, spot.x - reach, spot.y - reach)
    last = seen.tiles[-1].cell if seen.last and seen.tiles else None
    loud = ghost.cell if ghost else last
    if loud is not None:
        _light(canvas, layout, layout.spot(loud))
    for cell in dead:
        spot = layout.spot(cell)
        sprite = marks.cross(layout.edge)
        x, y = marks.heart(layout.edge, spot.up)
        canvas.stamp(sprite, spot.x + x - sprite.rgb.width // 2, spot.y + y - sprite.rgb.height // 2)
    for place in shown:
        if ghost is None or place.cell != ghost.cell:
            spot = layout.spot(place.cell)
            canvas.stamp(marks.place(layout.edge, spot.up, place.letter, not everybody), spot.x, spot.y)
    for placement, spot in spots:
        canvas.stamp(tile(layout.edge, spot.up, _labels(placement, spot)), spot.x, spot.y)
    _hexagons(canvas, layout, seen)
    for placement, spot in spots:
        ring = THEME.gold if placement.cell == last else THEME.pink if placement.cell in seen.bridges else None
        if ring and not (ghost and placement.cell == last):
            canvas.stamp(tile(layout.edge, spot.up, _labels(placement, spot), ring), spot.x, spot.y)
    if ghost:
        spot = layout.spot(ghost.cell)
        aim = seen.place(ghost.cell)
        letter = aim.letter if aim else ""
        canvas.stamp(_ghost(layout.edge, spot.up, _labels(ghost, spot), letter), spot.x, spot.y)


def _labels(placement: Placement, spot: Spot) -> Labels:
    shown = placement.shown
    left, middle, right = spot.slots
    return shown[left], shown[middle], shown[right]


def _light(canvas: Canvas, layout: Layout, spot: Spot) -> None:
    """The light around one cell. Tiles are laid over it, so no neighbour's digit is touched."""
    cover, reach = glow(layout.edge, spot.up)
    canvas.glaze(cover, THEME.gold, spot.x - reach, spot.y - reach)


@lru_cache(maxsize=256)
def _ghost(edge: int, up: bool, labels: Labels, letter: str) -> Sprite:
    """A tile that is chosen but not played, with the letter of its place."""
    solid = tile(edge, up, labels)
    pale = solid.changed(lambda: veil(THEME.ground, 1 - GHOST), THEME.ground, 1 - GHOST)
    line = dashed(edge, up, 0.05 * edge)
    picture = pale.rgb.copy()
    picture.paste(THEME.gold, (0, 0), line)
    _badge(picture, edge, up, letter, 0.12)
    assert solid.mask is not None
    mask = solid.mask.copy()
    mask.paste(1, (0, 0), some(line))
    return Sprite(picture, mask)


def _badge(picture: Image.Image, edge: int, up: bool, letter: str, share: float) -> None:
    """Put a gold badge with a letter in the middle of a cell."""
    if letter:
        x, y = marks.heart(edge, up)
        radius = round(share * edge)
        picture.paste(THEME.gold, (x - radius, y - radius), marks.dot(2 * radius))
        text = lettered(letter, Style.LOUD, round(share * edge * (1.35 if len(letter) == 1 else 1)))
        picture.paste(THEME.dark_digit, (x - text.width // 2, y - text.height // 2), text)


def _hexagons(canvas: Canvas, layout: Layout, seen: Seen) -> None:
    """Outline every hexagon: thin, and thick where the last move closed it. A side that two share is drawn once."""
    quiet = mix(THEME.gap, THEME.mint, 0.75)
    sides: dict[Side, bool] = {}
    for site in seen.hexagons:
        for side in _sides(layout, site):
            sides[side] = sides.get(side, False) or site in seen.newest
    for new in (False, True):
        for (start, end), newest in sides.items():
            if newest == new:
                width = max(2.0, layout.edge * (0.05 if new else 0.03))
                _line(canvas, layout.edge, start, end, width, THEME.mint if new else quiet)


def _sides(layout: Layout, site: tuple[int, int]) -> list[Side]:
    x, y = layout.point(site)
    half, high = layout.edge // 2, layout.rise
    ring = [
        (x - half, y - high),
        (x + half, y - high),
        (x + 2 * half, y),
        (x + half, y + high),
        (x - half, y + high),
        (x - 2 * half, y),
    ]
    pairs = [(ring[i - 1], ring[i]) for i in range(6)]
    return [(min(pair), max(pair)) for pair in pairs]


def _line(canvas: Canvas, edge: int, start: tuple[int, int], end: tuple[int, int], width: float, ink: Colour) -> None:
    across, down = end[0] - start[0], end[1] - start[1]
    cover, pad = _stroke(across, down, width)
    canvas.glaze(cover, ink, start[0] - pad, min(start[1], end[1]) - pad)


@lru_cache(maxsize=128)
def _stroke(across: int, down: int, width: float) -> tuple[Image.Image, int]:
    """The coverage of a straight line with round ends, and its margin."""
    pad = round(width / 2) + 2

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        top = pad if down >= 0 else pad - down
        ends = [(pad * scale, top * scale), ((pad + across) * scale, (top + down) * scale)]
        pen.line(ends, 255, round(width * scale))
        reach = width * scale / 2
        for x, y in ends:
            pen.ellipse((x - reach, y - reach, x + reach, y + reach), 255)

    return shape(across + 2 * pad, abs(down) + 2 * pad, draw), pad


def _invite(canvas: Canvas, seen: Seen, area: Box) -> None:
    """An empty table: the first place, large and lit, in a lattice that fades out around it."""
    lattice = seen.rules.plane
    first = lattice.first
    layout = replace(lay_out(lattice, (), (first,), (), area, 0), edge=FIRST)
    left, top, right, bottom = area
    layout = replace(layout, x=(left + right - FIRST) // 2, y=(top + bottom + layout.rise) // 2)
    near = lattice.shape(first).across
    far = {cell for site in lattice.shape(first).corners for cell in lattice.around(site)} - {first, *near}
    for cells, colour in ((far, THEME.panel), (near, THEME.groove)):
        for cell in cells:
            spot = layout.spot(cell)
            canvas.glaze(dashed(FIRST, spot.up, 2.4), colour, spot.x, spot.y)
    spot = layout.spot(first)
    cover, reach = glow(FIRST, spot.up)
    canvas.glaze(cover.point([level * 2 // 5 for level in range(256)]), THEME.gold, spot.x - reach, spot.y - reach)
    canvas.stamp(_first(FIRST, spot.up, seen.places[0].letter if seen.places else ""), spot.x, spot.y)


@lru_cache(maxsize=8)
def _first(edge: int, up: bool, letter: str) -> Sprite:
    """The first place: a panel with a dashed gold outline and its letter."""
    cover = blank(edge, up)
    picture = soft(cover, THEME.ground, THEME.panel)
    picture.paste(THEME.gold, (0, 0), dashed(edge, up, 4.4))
    _badge(picture, edge, up, letter, 0.17)
    return Sprite(picture, some(cover))
