"""A solo puzzle: its outline, the placed tiles and the remaining ones."""

from collections.abc import Collection
from typing import Final

from engine.board.board import Placement
from engine.board.lattice import Cell
from engine.board.tiles import Tile
from engine.match.player_view import Move
from engine.solo.filling import Filling
from render.canvas.canvas import Box, Canvas
from render.canvas.geometry import (
    OUTLINES,
    Layout,
    build_centred_layout,
    choose_edge,
    compute_frame,
    compute_row_height,
)
from render.canvas.picture import RIM, WIDTH, Captions, Header, Picture, build_picture, draw_cloth
from render.canvas.theme import get_theme
from render.faces import Face
from render.table.closeup import GUTTER
from render.table.hand import find_readable_edge
from render.table.laid import draw_rim, paint_tiles
from render.table.open_places import draw_place_tag, render_dead_mark, render_open_place, render_preview_tile
from render.table.rack import Rack

MAX_HEIGHT, MAX_HEIGHT_OF_MANY = 820, 980  # the greatest height of the outline, and of one with many cells
PADDING: Final = 26  # free space above and below the outline
RACK_EDGE: Final = {3: 130, 4: 112}  # edge of the remaining tiles, by number of sides
MANY_TILES: Final = 30  # with this many tiles, all have the smallest readable edge, so that the rack stays low


def render_solo_puzzle(
    filling: Filling,
    captions: Captions,
    *,
    selectable_cells: Collection[Cell] = (),
    chosen: Placement | None = None,
    picked: Tile | None = None,
    scheme: str = "dark",
) -> Picture:
    """Draw a solo puzzle, 1200 pixels wide.

    `selectable_cells` are the cells that can be chosen; other open cells have quiet letters. `chosen` is drawn where it
    would lie, `picked` is lifted out of the rack. Under each tile is the number of cells that it fits. Raises
    ValueError for an unknown `scheme`.
    """
    figure = filling.figure
    face = Face(figure.labels, "digits", None, get_theme(scheme))
    header, lattice = Header(captions, face.theme), figure.lattice
    shown = compute_frame(lattice, figure.cells)
    highest = MAX_HEIGHT if len(figure.cells) < MANY_TILES else MAX_HEIGHT_OF_MANY
    edge = choose_edge(lattice, shown, WIDTH - 2 * RIM - 2 * PADDING, highest)
    height = round((shown[3] - shown[1]) * compute_row_height(lattice, edge)) + 2 * PADDING
    rack = _build_rack(filling, face)
    below = GUTTER + rack.height if filling.unused_tiles else 0
    canvas = Canvas(WIDTH, header.height + height + below + RIM, face.theme)
    draw_cloth(canvas)
    area: Box = (RIM, header.height, WIDTH - RIM, header.height + height)
    layout = build_centred_layout(lattice, shown, edge, area)
    _draw_figure(canvas, filling, layout, face, set(selectable_cells), chosen, area)
    header.draw(canvas)
    if filling.unused_tiles:
        rack.draw(canvas, header.height + height + GUTTER, picked)
    return build_picture(canvas)


def _build_rack(filling: Filling, face: Face) -> Rack:
    """The remaining tiles. The letter of a "move" is the number of cells that the tile fits."""
    numbered = {
        tile: Move(Placement(tile, cells[0], 0), str(len(cells)), 0, 0, 0, False, 0, False, None, None)
        for tile, cells in filling.cells_by_tile.items()
    }
    outline = OUTLINES[filling.figure.lattice.first.kind]
    edge = RACK_EDGE[outline.sides] if len(filling.unused_tiles) < MANY_TILES else find_readable_edge(outline, face)
    return Rack(filling.unused_tiles, numbered, outline, face, (edge,))


def _draw_figure(
    canvas: Canvas,
    filling: Filling,
    layout: Layout,
    face: Face,
    selectable_cells: set[Cell],
    chosen: Placement | None,
    area: Box,
) -> None:
    figure, edge, theme = filling.figure, layout.edge, canvas.theme
    paint_tiles(canvas, layout, face, tuple(filling.placed.values()))
    dead = set(filling.dead_cells)
    for cell in filling.empty_cells:
        spot = layout.locate_cell(cell)
        if chosen is not None and cell == chosen.cell:
            canvas.paste_sprite(render_preview_tile(edge, spot.outline, chosen.shown_labels, face), spot.x, spot.y)
            continue
        playable = cell in selectable_cells
        letter = "" if cell in dead else figure.cell_letters[cell]
        canvas.paste_sprite(render_open_place(theme, edge, spot.outline, letter, playable=playable), spot.x, spot.y)
        if cell in dead:
            sprite, (x, y) = render_dead_mark(theme, edge), spot.outline.compute_centre_pixel(edge)
            canvas.paste_sprite(sprite, spot.x + x - sprite.width // 2, spot.y + y - sprite.height // 2)
    _draw_rim(canvas, filling, layout)
    if chosen is not None:
        letter = figure.cell_letters[chosen.cell]
        draw_place_tag(canvas, layout, figure.labels, chosen, letter, set(filling.placed), area)


def _draw_rim(canvas: Canvas, filling: Filling, layout: Layout) -> None:
    """Draw the outline in the colour of its edge rule."""
    figure, theme = filling.figure, canvas.theme
    colour = theme.faint if figure.edge is None else theme.brass
    width = max(3, round(layout.edge * (0.03 if figure.edge is None else 0.05)))
    draw_rim(canvas, layout, figure.cells, colour, width)
