"""The board: tiles, shadows, open places with their letters, hexagons, bridges and the last move."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from engine.board.board import Placement
from engine.board.lattice import Cell, Labels, Lattice, Site
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from render.canvas.canvas import Box, Canvas, Sprite
from render.canvas.cell_outline import locate_corners
from render.canvas.geometry import Frame, choose_edge, compute_frame, compute_row_height
from render.canvas.theme import Theme
from render.canvas.tokens import render_bridge_stud, render_hexagon_stud
from render.faces import Face
from render.table.in_sight import FIRST_EDGE, BoardContent, BoardOverlay, build_overlay, draw_first_place
from render.table.laid import draw_rim, list_nearby_cells, paint_hexagon, paint_ring, paint_tile, paint_tiles
from render.table.open_places import draw_place_tag, render_dead_mark, render_open_place, render_preview_tile
from render.table.overview import draw_cut_sides, draw_overview
from render.table.plain_tile import paint_tile_light
from render.table.window import READABLE_EDGE, Window, build_frame_window

PADDING = 0.12  # free space above and below a board, as a share of the edge
STUD_SHARE, EARLIER_STUD_SHARE = 0.4, 0.3  # size of a stud of the last move, and of an earlier one, by edge
CLOSE_UP_BELOW: Final[dict[tuple[Labels, int], int]] = {("corners", 3): 104, ("corners", 4): 58, ("sides", 3): 162}
"""The edge, by labels and sides, below which a public board shows only the active part.

On a phone its numbers are 6.5 pixels high then, those of squares 5, and the sums of dominoes, whose pips are smaller,
8.5.
"""


def draw_board(
    canvas: Canvas, view: PlayerView, area: Box, face: Face, content: BoardContent, *, target_edge: int | None = None
) -> None:
    """Draw the board into an area. Below the edge `target_edge` it shows only a part, if that has every live cell."""
    if not view.tiles and content.overlay.chosen is None:
        draw_first_place(canvas, view, area)
        return
    window = build_board_window(view, area, content, target_edge)
    inner = _draw_part(canvas, view, window, face, content.overlay)
    if inner is not None:
        draw_cut_sides(inner, window.to_origin())
        tiles = [placement.cell for placement in view.tiles]
        draw_overview(inner, window.to_origin(), tiles, content.open_cells, content.overlay.highlighted_cell)
        _merge_part(canvas, inner, area)


def draw_window(
    canvas: Canvas,
    view: PlayerView,
    window: Window,
    face: Face,
    *,
    letters: Collection[Cell] = (),
    chosen: Placement | None = None,
) -> None:
    """Draw the part of the board in a window, with letters in these open cells."""
    inner = _draw_part(canvas, view, window, face, build_overlay(view, letters, chosen))
    if inner is not None:
        _merge_part(canvas, inner, window.area)


def _merge_part(canvas: Canvas, inner: Canvas, area: Box) -> None:
    """Copy a separately drawn part to its place, with its pressable areas."""
    canvas.merge_part(inner, area[0], area[1])
    canvas.click_areas.add_places(inner.click_areas, area[0], area[1], inner.width, inner.height)


def _draw_part(canvas: Canvas, view: PlayerView, window: Window, face: Face, overlay: BoardOverlay) -> Canvas | None:
    """Draw the part of the board in a window. Return the canvas of the part, which cuts the tiles across its edges."""
    if not window.is_cropped:
        _BoardPainter(canvas, view, window, face, overlay).draw()
        return None
    inner = canvas.create_part(window.area)
    _BoardPainter(inner, view, window.to_origin(), face, overlay).draw()
    return inner


def compute_board_height(view: PlayerView, width: int, max_height: int, content: BoardContent) -> int:
    """The height of a board that is as large as possible in this width and at most this height."""
    lattice = view.rules.plane
    if not view.tiles:
        return round(compute_row_height(lattice, FIRST_EDGE) * 3.2)
    edge = build_board_window(view, (0, 0, width, max_height), content, get_close_up_edge(view)).layout.edge
    return _compute_height(lattice, content.frame, edge, max_height)


def compute_cells_height(rules: Rules, cells: Sequence[Cell], width: int, max_height: int) -> int:
    """The same for these cells, at least one."""
    shown = compute_frame(rules.plane, cells)
    return _compute_height(rules.plane, shown, choose_edge(rules.plane, shown, width, max_height), max_height)


def _compute_height(lattice: Lattice, shown: Frame, edge: int, max_height: int) -> int:
    return min(max_height, round((shown[3] - shown[1]) * compute_row_height(lattice, edge) + 2 * PADDING * edge))


def get_close_up_edge(view: PlayerView) -> int:
    """The edge below which the public board of this game shows only the active part."""
    return CLOSE_UP_BELOW[view.rules.labels, view.rules.plane.sides]


def build_board_window(view: PlayerView, area: Box, content: BoardContent, target_edge: int | None) -> Window:
    """The part of the board that `draw_board` shows in an area."""
    target_edge = target_edge or READABLE_EDGE[view.rules.labels]
    return build_frame_window(view.rules.plane, content.frame, content.live_cells, area, target_edge)


class _BoardPainter:
    """One drawing of a board, layer by layer."""

    def __init__(self, canvas: Canvas, view: PlayerView, window: Window, face: Face, overlay: BoardOverlay) -> None:
        self.canvas, self.view, self.face, self.overlay = canvas, view, face, overlay
        self.window, self.layout = window, window.layout
        self.edge, self.theme = window.layout.edge, canvas.theme

    def draw(self) -> None:
        """Draw all layers, from the cloth up."""
        paint_tiles(self.canvas, self.layout, self.face, self.view.tiles)
        chosen = self.overlay.chosen
        if self.overlay.highlighted_cell is not None and not self.theme.outlined:
            self._draw_light(self.overlay.highlighted_cell)
        draw_rim(self.canvas, self.layout, self.view.rules.bounds, self.theme.faint, max(2, round(self.edge * 0.03)))
        self._draw_open_cells(chosen.cell if chosen else None)
        self._draw_hexagons()
        self._draw_last_tile()
        self._draw_studs()
        if chosen:
            spot = self.layout.locate_cell(chosen.cell)
            preview = render_preview_tile(self.edge, spot.outline, chosen.shown_labels, self.face.hand_face)
            self.canvas.paste_sprite(preview, spot.x, spot.y)
            self._draw_place_letter(chosen)
        self._record_click_areas(chosen.cell if chosen else None)

    def _draw_place_letter(self, chosen: Placement) -> None:
        """Write the letter of the chosen tile's place on it."""
        letter = next((shown.letter for shown in self.view.places if shown.cell == chosen.cell), "")
        if letter and self.view.tiles and self.window.is_cell_visible(chosen.cell):
            taken = {tile.cell for tile in self.view.tiles}
            draw_place_tag(self.canvas, self.layout, self.view.rules.labels, chosen, letter, taken, self.window.area)

    def _record_click_areas(self, preview_cell: Cell | None) -> None:
        """Record the viewer's own places as pressable areas."""
        own_cells = [shown.cell for shown in self.overlay.places] if self.overlay.is_playable else []
        for cell in own_cells if preview_cell is None else [preview_cell]:
            spot = self.layout.locate_cell(cell)
            self.canvas.click_areas.places[cell] = locate_corners(spot.outline, self.edge, spot.x, spot.y)

    def _draw_light(self, cell: Cell) -> None:
        """Draw the light around one cell. It does not fall on tiles."""
        spot = self.layout.locate_cell(cell)
        paint_tile_light(self.canvas, self.edge, spot.outline, spot.x, spot.y)
        if self.canvas.is_true_colour:
            near = list_nearby_cells(self.layout.lattice, cell)
            for tile in self.view.tiles:
                # The last tile is drawn again, lit.
                if tile.cell in near and (tile.cell != self.overlay.last_cell or self.overlay.chosen):
                    paint_tile(self.canvas, self.layout, tile, self.face)

    def _draw_open_cells(self, taken: Cell | None) -> None:
        """Draw crosses and letters in every open cell but `taken`."""
        left, top, right, bottom = self.window.area
        for cell in self.overlay.dead_cells:
            sprite = render_dead_mark(self.theme, self.edge, impossible=cell in self.view.impossible)
            spot = self.layout.locate_cell(cell)
            x, y = spot.outline.compute_centre_pixel(self.edge)
            x, y = spot.x + x - sprite.width // 2, spot.y + y - sprite.height // 2
            # The picture fits tiles and places only, so marks outside of it are omitted.
            if left <= x <= right - sprite.width and top <= y <= bottom - sprite.height:
                self.canvas.paste_sprite(sprite, x, y)
        for shown in self.overlay.places:
            if shown.cell != taken and self.window.is_cell_visible(shown.cell):
                spot = self.layout.locate_cell(shown.cell)
                touch = shown.touch[0] if shown.touch else None
                own = self.overlay.is_playable
                slot = render_open_place(
                    self.theme, self.edge, spot.outline, shown.letter, playable=own, touch_corner=touch
                )
                self.canvas.paste_sprite(slot, spot.x, spot.y)

    def _draw_last_tile(self) -> None:
        """Draw the last tile again, lit and framed in brass, unless a move is chosen."""
        if self.overlay.last_cell is None or self.overlay.chosen:
            return
        tile = next(lying for lying in reversed(self.view.tiles) if lying.cell == self.overlay.last_cell)
        paint_tile(self.canvas, self.layout, tile, self.face, lit=True)
        paint_ring(self.canvas, self.layout, tile.cell)

    def _draw_hexagons(self) -> None:
        """Outline every hexagon: thin, and on top of those thick where the last move closed it."""
        for newest in (False, True):
            for site in self.view.hexagons:
                if (site in self.view.newest) == newest:
                    paint_hexagon(self.canvas, self.layout, site, newest=newest)

    def _draw_studs(self) -> None:
        """Draw a brass stud in every hexagon and a copper one at every bridge, larger for the last move."""
        for site in self.view.hexagons:
            self._draw_stud(site, render_hexagon_stud, newest=site in self.view.newest)
        for cell, site in find_bridge_sites(self.view).items():
            self._draw_stud(site, render_bridge_stud, newest=cell == self.overlay.last_cell)

    def _draw_stud(self, site: Site, make: Callable[[Theme, int], Sprite], *, newest: bool) -> None:
        size = 2 * round(self.edge * (STUD_SHARE if newest else EARLIER_STUD_SHARE) / 2)
        size, (x, y) = max(size, 12), self.layout.locate_corner(site)
        self.canvas.paste_sprite(make(self.theme, size), x - size // 2, y - size // 2)


def find_bridge_sites(view: PlayerView) -> dict[Cell, Site]:
    """For each tile that made a bridge, the corner where it touched older tiles away from its own neighbours."""
    shape, around = view.rules.plane.get_shape, view.rules.plane.list_cells_at
    placed_cells: set[Cell] = set()
    found: dict[Cell, Site] = {}
    bridges = set(view.bridges)
    for tile in view.tiles if bridges else ():
        if tile.cell in bridges:
            corners, _, across = shape(tile.cell)
            near = {cell for cell in across if cell in placed_cells}

            def rank_corner(site: Site, near: set[Cell] = near) -> tuple[bool, bool]:
                there = [cell for cell in around(site) if cell in placed_cells]
                return any(cell not in near for cell in there), not any(cell in near for cell in there)

            found[tile.cell] = max(corners, key=rank_corner)
        placed_cells.add(tile.cell)
    return found
