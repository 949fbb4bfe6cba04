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
from render.geometry import Layout, Spot, lay_out, rise
from render.lettering import Style
from render.lettering import cover as lettered
from render.palette import GHOST, veil
from render.theme import THEME, mix
from render.tile import Labels, blank, dashed, glow, glow_reach, shadow, tile

FIRST = 190
"""The edge of the very first place, on an empty table."""


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
    layout = lay_out(lattice, seen.tiles, around, dead, area)

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


def _light(canvas: Canvas, layout: Layout, spot: Spot, strength: float = 0.75) -> None:
    """The light around one cell. Tiles are laid over it, so no neighbour's digit is touched."""
    reach = glow_reach(layout.edge)
    canvas.glaze(THEME.gold, spot.x - reach, spot.y - reach, glow, layout.edge, spot.up, strength)


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
    """Outline every hexagon: thin, and on top of those thick where the last move closed it."""
    quiet = mix(THEME.gap, THEME.mint, 0.75)
    for newest in (False, True):
        for site in seen.hexagons:
            if (site in seen.newest) == newest:
                width = max(2, round(layout.edge * (0.05 if newest else 0.03)))
                x, y = layout.point(site)
                left, top = x - layout.edge - width, y - layout.rise - width
                canvas.glaze(THEME.mint if newest else quiet, left, top, _outline, layout.edge, width)


@lru_cache(maxsize=64)
def _outline(edge: int, width: int) -> Image.Image:
    """The coverage of a hexagon's outline; there is room for its width around the tiles."""
    high = rise(edge)

    def draw(pen: ImageDraw.ImageDraw, scale: int) -> None:
        across = (edge // 2, edge * 3 // 2, edge * 2, edge * 3 // 2, edge // 2, 0)
        down = (0, 0, high, high * 2, high * 2, high)
        ring = [((x + width) * scale, (y + width) * scale) for x, y in zip(across, down, strict=True)]
        half = width * scale / 2
        for number, (x, y) in enumerate(ring):
            pen.line((ring[number - 1], (x, y)), 255, width * scale)
            pen.ellipse((x - half, y - half, x + half, y + half), 255)

    return shape(2 * (edge + width), 2 * (high + width), draw)


def _invite(canvas: Canvas, seen: Seen, area: Box) -> None:
    """An empty table: the first place, large and lit, in a lattice that fades out around it."""
    lattice = seen.rules.plane
    first = lattice.first
    layout = replace(lay_out(lattice, (), (first,), (), area), edge=FIRST)
    left, top, right, bottom = area
    layout = replace(layout, x=(left + right - FIRST) // 2, y=(top + bottom + layout.rise) // 2)
    near = lattice.shape(first).across
    far = {cell for site in lattice.shape(first).corners for cell in lattice.around(site)} - {first, *near}
    for cells, colour in ((far, THEME.panel), (near, THEME.groove)):
        for cell in cells:
            spot = layout.spot(cell)
            canvas.glaze(colour, spot.x, spot.y, dashed, FIRST, spot.up, 2.4)
    spot = layout.spot(first)
    _light(canvas, layout, spot, 0.3)
    canvas.stamp(_first(FIRST, spot.up, seen.places[0].letter if seen.places else ""), spot.x, spot.y)


@lru_cache(maxsize=8)
def _first(edge: int, up: bool, letter: str) -> Sprite:
    """The first place: a panel with a dashed gold outline and its letter."""
    cover = blank(edge, up)
    picture = soft(cover, THEME.ground, THEME.panel)
    picture.paste(THEME.gold, (0, 0), dashed(edge, up, 4.4))
    _badge(picture, edge, up, letter, 0.17)
    return Sprite(picture, some(cover))
