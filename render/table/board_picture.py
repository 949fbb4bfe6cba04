"""The board: tiles, shadows, open places with their letters, hexagons, bridges and the last move."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from engine.board.board import Placement
from engine.board.lattice import Cell, Labels, Lattice, Site
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from render.canvas.canvas import Box, Canvas, Sprite
from render.canvas.cell_outline import corners
from render.canvas.geometry import Frame, frame, largest_edge, row_height
from render.canvas.theme import Theme
from render.canvas.tokens import bridge_stud, hexagon_stud
from render.faces import Face
from render.table.in_sight import FIRST_EDGE, InSight, Sight, invite, sight_of
from render.table.laid import beside, draw_rim, laid_tiles, stamp_hexagon, stamp_ring, stamp_tile
from render.table.open_places import cross, ghost, name_place, open_place
from render.table.overview import draw_cuts, draw_overview
from render.table.plain_tile import LIGHT, glow_reach, light
from render.table.window import COMFORT, Window, look_at

SPILL = 8  # how far a shadow may reach past the board's area
AIR = 0.12  # free space above and below a board, as a share of the edge
STUD, STUD_BEFORE = 0.2, 0.15  # size of a stud of the last move, and of earlier ones, as shares of the edge


READABLE: Final[dict[tuple[Labels, int], int]] = {("corners", 3): 104, ("corners", 4): 58, ("sides", 3): 162}
"""The edge, by labels and sides, below which a public board shows only the active part.

On a phone its numbers are 6.5 pixels high then, those of squares 5, and the sums of dominoes, whose pips are smaller,
8.5.
"""


def draw_board(
    canvas: Canvas, seen: PlayerView, area: Box, face: Face, view: InSight, *, comfort: int | None = None
) -> None:
    """Draw the board into an area. Below the edge `comfort` it shows only a part, if that has every live cell."""
    if not seen.tiles and view.sight.chosen is None:
        invite(canvas, seen, area)
        return
    window = _window(seen, area, view, comfort)
    inner = _shown(canvas, seen, window, face, view.sight)
    if inner is not None:
        draw_cuts(inner, window.at_origin())
        tiles = [placement.cell for placement in seen.tiles]
        draw_overview(inner, window.at_origin(), tiles, view.open, view.sight.lit)
        _take(canvas, inner, area)


def draw_window(
    canvas: Canvas,
    seen: PlayerView,
    window: Window,
    face: Face,
    *,
    letters: Collection[Cell] = (),
    chosen: Placement | None = None,
) -> None:
    """Draw the part of the board in a window, with letters in these open cells."""
    inner = _shown(canvas, seen, window, face, sight_of(seen, letters, chosen))
    if inner is not None:
        _take(canvas, inner, window.area)


def _take(canvas: Canvas, inner: Canvas, area: Box) -> None:
    """Copy a separately drawn part to its place, with its pressable areas."""
    canvas.join(inner, area[0], area[1])
    canvas.spots.take(inner.spots, area[0], area[1], inner.width, inner.height)


def _shown(canvas: Canvas, seen: PlayerView, window: Window, face: Face, sight: Sight) -> Canvas | None:
    """Draw the part of the board in a window. Return the canvas of the part, which cuts the tiles across its edges."""
    if not window.cropped:
        _Table(canvas, seen, window, face, sight).draw()
        return None
    inner = canvas.part(window.area)
    _Table(inner, seen, window.at_origin(), face, sight).draw()
    return inner


def board_windows(seen: PlayerView, area: Box, view: InSight, *, comfort: int | None = None) -> tuple[Window, ...]:
    """The windows that `draw_board` shows in an area; none before the first tile."""
    return (_window(seen, area, view, comfort),) if seen.tiles else ()


def needed(seen: PlayerView, width: int, most: int, view: InSight) -> int:
    """The height of a board that is as large as possible in this width and at most this height."""
    lattice = seen.rules.plane
    if not seen.tiles:
        return round(row_height(lattice, FIRST_EDGE) * 3.2)
    edge = _window(seen, (0, 0, width, most), view, closer_below(seen)).layout.edge
    return _height(lattice, view.frame, edge, most)


def height_of(rules: Rules, cells: Sequence[Cell], width: int, most: int) -> int:
    """The same for these cells, at least one."""
    shown = frame(rules.plane, cells)
    return _height(rules.plane, shown, largest_edge(rules.plane, shown, width, most), most)


def _height(lattice: Lattice, shown: Frame, edge: int, most: int) -> int:
    return min(most, round((shown[3] - shown[1]) * row_height(lattice, edge) + 2 * AIR * edge))


def closer_below(seen: PlayerView) -> int:
    """The edge below which the public board of this game shows only the active part."""
    return READABLE[seen.rules.labels, seen.rules.plane.sides]


def _window(seen: PlayerView, area: Box, view: InSight, comfort: int | None) -> Window:
    return look_at(seen.rules.plane, view.frame, view.live, area, comfort or COMFORT[seen.rules.labels])


class _Table:
    """One drawing of a board, layer by layer."""

    def __init__(self, canvas: Canvas, seen: PlayerView, window: Window, face: Face, sight: Sight) -> None:
        self.canvas, self.seen, self.face, self.sight = canvas, seen, face, sight
        self.window, self.layout = window, window.layout
        self.edge, self.theme = window.layout.edge, canvas.theme

    def draw(self) -> None:
        """Draw all layers, from the cloth up."""
        tiles = self.seen.tiles
        if tiles:
            # A shadow must end before the darker ends of the cloth.
            within = (self.window.area[1] - SPILL, self.window.area[3] + SPILL)
            with laid_tiles(self.layout.lattice, self.edge, self.face, tiles, true=self.canvas.true) as bare:
                self.canvas.inset(bare.canvas, self.layout.x + bare.left, self.layout.y + bare.top, within)
        chosen = self.sight.chosen
        if self.sight.lit is not None and not self.theme.outlined:
            self._light(self.sight.lit)
        draw_rim(self.canvas, self.layout, self.seen.rules.bounds, self.theme.faint, max(2, round(self.edge * 0.03)))
        self._open_cells(chosen.cell if chosen else None)
        self._hexagons()
        self._last()
        self._studs()
        if chosen:
            spot = self.layout.spot(chosen.cell)
            self.canvas.stamp(ghost(self.edge, spot.outline, chosen.shown, self.face.held), spot.x, spot.y)
            self._name(chosen)
        self._note(chosen.cell if chosen else None)

    def _name(self, chosen: Placement) -> None:
        """Write the letter of the chosen tile's place on it."""
        letter = next((shown.letter for shown in self.seen.places if shown.cell == chosen.cell), "")
        if letter and self.seen.tiles and self.window.shows(chosen.cell):
            taken = {lying.cell for lying in self.seen.tiles}
            name_place(self.canvas, self.layout, self.seen.rules.labels, chosen, letter, taken, self.window.area)

    def _note(self, ghost_on: Cell | None) -> None:
        """Record the viewer's own places as pressable areas."""
        mine = [shown.cell for shown in self.sight.places] if self.sight.loud else []
        for cell in mine if ghost_on is None else [ghost_on]:
            spot = self.layout.spot(cell)
            self.canvas.spots.places[cell] = corners(spot.outline, self.edge, spot.x, spot.y)

    def _light(self, cell: Cell) -> None:
        """Draw the light around one cell. It does not fall on tiles."""
        spot, reach = self.layout.spot(cell), glow_reach(self.edge)
        self.canvas.shine(self.theme.brass, LIGHT, spot.x - reach, spot.y - reach, light(self.edge, spot.outline))
        if self.canvas.true:
            near = beside(self.layout.lattice, cell)
            for lying in self.seen.tiles:
                # The last tile is drawn again, lit.
                if lying.cell in near and (lying.cell != self.sight.last or self.sight.chosen):
                    stamp_tile(self.canvas, self.layout, lying, self.face)

    def _open_cells(self, taken: Cell | None) -> None:
        """Draw crosses and letters in every open cell but `taken`."""
        left, top, right, bottom = self.window.area
        sprite = cross(self.theme, self.edge)
        for cell in self.sight.dead:
            spot = self.layout.spot(cell)
            x, y = spot.outline.heart(self.edge)
            x, y = spot.x + x - sprite.width // 2, spot.y + y - sprite.height // 2
            # The picture fits tiles and places only, so marks outside of it are omitted.
            if left <= x <= right - sprite.width and top <= y <= bottom - sprite.height:
                self.canvas.stamp(sprite, x, y)
        for shown in self.sight.places:
            if shown.cell != taken and self.window.shows(shown.cell):
                spot = self.layout.spot(shown.cell)
                touch = shown.touch[0] if shown.touch else None
                slot = open_place(self.theme, self.edge, spot.outline, shown.letter, loud=self.sight.loud, touch=touch)
                self.canvas.stamp(slot, spot.x, spot.y)

    def _last(self) -> None:
        """Draw the last tile again, lit and framed in brass, unless a move is chosen."""
        if self.sight.last is None or self.sight.chosen:
            return
        lying = next(lying for lying in reversed(self.seen.tiles) if lying.cell == self.sight.last)
        stamp_tile(self.canvas, self.layout, lying, self.face, lit=True)
        stamp_ring(self.canvas, self.layout, lying.cell)

    def _hexagons(self) -> None:
        """Outline every hexagon: thin, and on top of those thick where the last move closed it."""
        for newest in (False, True):
            for site in self.seen.hexagons:
                if (site in self.seen.newest) == newest:
                    stamp_hexagon(self.canvas, self.layout, site, newest=newest)

    def _studs(self) -> None:
        """Draw a brass stud in every hexagon and a copper one at every bridge, larger for the last move."""
        for site in self.seen.hexagons:
            self._stud(site, hexagon_stud, newest=site in self.seen.newest)
        for cell, site in bridge_sites(self.seen).items():
            self._stud(site, bridge_stud, newest=cell == self.sight.last)

    def _stud(self, site: Site, make: Callable[[Theme, int], Sprite], *, newest: bool) -> None:
        size = 2 * round(self.edge * (STUD if newest else STUD_BEFORE) / 2)
        size, (x, y) = max(size, 12), self.layout.point(site)
        self.canvas.stamp(make(self.theme, size), x - size // 2, y - size // 2)


def bridge_sites(seen: PlayerView) -> dict[Cell, Site]:
    """For each tile that made a bridge, the corner where it touched older tiles away from its own neighbours."""
    shape, around = seen.rules.plane.shape, seen.rules.plane.around
    lying: set[Cell] = set()
    found: dict[Cell, Site] = {}
    bridges = set(seen.bridges)
    for tile in seen.tiles if bridges else ():
        if tile.cell in bridges:
            corners, _, across = shape(tile.cell)
            near = {cell for cell in across if cell in lying}

            def touched(site: Site, near: set[Cell] = near) -> tuple[bool, bool]:
                there = [cell for cell in around(site) if cell in lying]
                return any(cell not in near for cell in there), not any(cell in near for cell in there)

            found[tile.cell] = max(corners, key=touched)
        lying.add(tile.cell)
    return found
