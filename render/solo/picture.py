"""A solo puzzle: its outline, the placed tiles and the remaining ones."""

from collections.abc import Collection
from typing import Final

from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.player_view import Move
from engine.solo.filling import Filling
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import OUTLINES, Layout, centred, frame, largest_edge, row_height
from render.canvas.picture import RIM, WIDTH, Captions, Heading, Picture, finished, lay_cloth
from render.canvas.theme import theme_of
from render.faces import Face
from render.table.closeup import GUTTER
from render.table.laid import draw_rim, laid_tiles
from render.table.open_places import cross, ghost, name_place, open_place
from render.table.rack import Rack

HIGHEST, TALLER = 820, 980  # the greatest height of the outline, and of one with many cells
AIR: Final = 26  # free space above and below the outline
ON_RACK: Final = {3: 130, 4: 112}  # edge of the remaining tiles, by number of sides
MANY, SMALL = 30, 86  # with this many tiles, all have a smaller edge, so that the rack stays low


def figure_picture(
    filling: Filling,
    captions: Captions,
    *,
    lettered: Collection[Cell] = (),
    chosen: Placement | None = None,
    picked: Tile | None = None,
    scheme: str = "dark",
) -> Picture:
    """Draw a solo puzzle, 1200 pixels wide.

    `lettered` are the cells that can be chosen; other open cells have quiet letters. `chosen` is drawn where it would
    lie, `picked` is lifted out of the rack. Under each tile is the number of cells that it fits. Raises ValueError for
    an unknown `scheme`.
    """
    figure = filling.figure
    face = Face(figure.labels, "digits", None, theme_of(scheme))
    header, lattice = Heading(captions, face.theme), figure.lattice
    shown = frame(lattice, figure.cells)
    highest = HIGHEST if len(figure.cells) < MANY else TALLER
    edge = largest_edge(lattice, shown, WIDTH - 2 * RIM - 2 * AIR, highest)
    high = round((shown[3] - shown[1]) * row_height(lattice, edge)) + 2 * AIR
    rack = _rack(filling, face)
    below = GUTTER + rack.height if filling.left else 0
    canvas = Canvas(WIDTH, header.height + high + below + RIM, face.theme)
    lay_cloth(canvas)
    area: Box = (RIM, header.height, WIDTH - RIM, header.height + high)
    _draw(canvas, filling, centred(lattice, shown, edge, area), face, set(lettered), chosen, area)
    header.draw(canvas)
    if filling.left:
        rack.draw(canvas, header.height + high + GUTTER, picked)
    return finished(canvas)


def _rack(filling: Filling, face: Face) -> Rack:
    """The remaining tiles. The letter of a "move" is the number of cells that the tile fits."""
    numbered = {
        tile: Move(Placement(tile, cells[0], 0), str(len(cells)), 0, 0, 0, False, 0, False, None, None)
        for tile, cells in filling.fits.items()
    }
    outline = OUTLINES[filling.figure.lattice.first.kind]
    edge = ON_RACK[outline.sides] if len(filling.left) < MANY else SMALL
    return Rack(filling.left, numbered, outline, face, (edge,))


def _draw(
    canvas: Canvas,
    filling: Filling,
    layout: Layout,
    face: Face,
    lettered: set[Cell],
    chosen: Placement | None,
    area: Box,
) -> None:
    figure, edge, theme = filling.figure, layout.edge, canvas.theme
    tiles = tuple(filling.placed.values())
    if tiles:
        with laid_tiles(figure.lattice, edge, face, tiles) as bare:
            canvas.inset(bare.canvas, layout.x + bare.left, layout.y + bare.top, (area[1] - AIR, area[3] + AIR))
    dead = set(filling.dead)
    for cell in filling.open:
        spot = layout.spot(cell)
        if chosen is not None and cell == chosen.cell:
            canvas.stamp(ghost(edge, spot.outline, chosen.shown, face), spot.x, spot.y)
            continue
        loud = cell in lettered
        letter = "" if cell in dead else figure.letter_of[cell]
        canvas.stamp(open_place(theme, edge, spot.outline, letter, loud=loud), spot.x, spot.y)
        if cell in dead:
            sprite, (x, y) = cross(theme, edge), spot.outline.heart(edge)
            canvas.stamp(sprite, spot.x + x - sprite.width // 2, spot.y + y - sprite.height // 2)
    _rim(canvas, filling, layout)
    if chosen is not None:
        name_place(canvas, layout, figure.labels, chosen, figure.letter_of[chosen.cell], set(filling.placed), area)


def _rim(canvas: Canvas, filling: Filling, layout: Layout) -> None:
    """Draw the outline in the colour of its edge rule."""
    figure, theme = filling.figure, canvas.theme
    colour = theme.faint if figure.edge is None else theme.brass
    width = max(3, round(layout.edge * (0.03 if figure.edge is None else 0.05)))
    draw_rim(canvas, layout, figure.cells, colour, width)
