"""The parts of a table that a picture must show, at any size."""

from collections.abc import Collection
from dataclasses import dataclass

from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.lattice import Cell
from engine.match.player_view import PlayerView
from render.canvas.canvas import Box, Canvas
from render.canvas.cell_outline import locate_corners
from render.canvas.geometry import Frame, Layout
from render.canvas.geometry import compute_table_frame as whole_table
from render.table.open_places import render_first_place
from render.table.plain_tile import paint_tile_light, render_ring


@dataclass(frozen=True, slots=True)
class BoardOverlay:
    """What is shown beside the tiles."""

    places: tuple[Place, ...]
    is_playable: bool  # whether the viewer can fill the places
    dead_cells: tuple[Cell, ...]
    last_cell: Cell | None
    chosen: Placement | None

    @property
    def highlighted_cell(self) -> Cell | None:
        return self.chosen.cell if self.chosen else self.last_cell


@dataclass(frozen=True, slots=True)
class BoardContent:
    """What a picture must show of a table, computed once."""

    overlay: BoardOverlay
    open_cells: Collection[Cell]  # cells without a tile that must be visible
    live_cells: Collection[Cell]  # cells that must stay visible in a close-up; none if there is no close-up
    frame: Frame  # the smallest box around tiles and slots


def build_board_content(
    view: PlayerView,
    *,
    letters: Collection[Cell] | None = None,
    chosen: Placement | None = None,
    room_for: Collection[Cell] = (),
    show_all: bool = False,
) -> BoardContent:
    """What must be visible of a table. After the end of a round it is all of it.

    `letters`: the open cells with letters; None for all open places, with a mark on the dead ones. `chosen`: a
    placement to preview. `room_for`: cells that are kept visible though they have no letter now, so that the board does
    not jump. `show_all`: show all of it, however small.
    """
    overlay = build_overlay(view, letters, chosen)
    slots = {shown.cell for shown in overlay.places}
    highlighted = (overlay.highlighted_cell,) if overlay.highlighted_cell else ()
    last = (overlay.last_cell,) if overlay.last_cell else ()
    full = {*room_for, *highlighted, *view.rules.bounds}  # with the room of a whole tile
    open_cells = (slots | full) - {tile.cell for tile in view.tiles}
    live = {*open_cells, *last} if view.round_over is None and not show_all else set()
    return BoardContent(overlay, open_cells, live, whole_table(view.rules.plane, view.tiles, slots, (), full))


def build_overlay(view: PlayerView, letters: Collection[Cell] | None, chosen: Placement | None) -> BoardOverlay:
    """What is shown beside the tiles, with letters in these cells; None for every place."""
    over = view.round_over is not None
    letter_cells = {shown.cell for shown in view.places} if letters is None else set(letters)
    return BoardOverlay(
        places=() if over else tuple(shown for shown in view.places if shown.cell in letter_cells),
        is_playable=letters is not None,
        dead_cells=view.dead if letters is None and not over else (),
        last_cell=view.tiles[-1].cell if view.last and view.tiles else None,
        chosen=chosen,
    )


FIRST_EDGE = 220  # edge of the first place


def draw_first_place(canvas: Canvas, view: PlayerView, area: Box) -> None:
    """Draw the first place in the middle of the area."""
    lattice, theme = view.rules.plane, canvas.theme
    start = lattice.first
    left, top, right, bottom = area
    layout = Layout(lattice, FIRST_EDGE, 0, 0)
    layout = Layout(lattice, FIRST_EDGE, (left + right - FIRST_EDGE) // 2, (top + bottom + layout.row_height) // 2)
    near = lattice.get_shape(start).neighbours
    far = {cell for site in lattice.get_shape(start).corners for cell in lattice.list_cells_at(site)} - {start, *near}
    spot = layout.locate_cell(start)
    if not theme.outlined:
        paint_tile_light(canvas, FIRST_EDGE, spot.outline, spot.x, spot.y, 0.4)
    for cells, colour in ((far, theme.slot), (near, theme.slot_edge)):
        for cell in cells:
            at = layout.locate_cell(cell)
            canvas.paint_shape(colour, at.x, at.y, render_ring, FIRST_EDGE, at.outline, 2.4)
    letter = view.places[0].letter if view.places else ""
    canvas.paste_sprite(render_first_place(theme, FIRST_EDGE, spot.outline, letter), spot.x, spot.y)
    canvas.click_areas.places[start] = locate_corners(spot.outline, FIRST_EDGE, spot.x, spot.y)
