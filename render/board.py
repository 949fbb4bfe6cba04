"""The table itself: tiles, their shadows, open places with their letters, hexagons, bridges and the last move."""

from collections.abc import Collection
from dataclasses import dataclass

from engine.board import Placement
from engine.lattice import Cell
from engine.places import Place
from engine.seen import Seen
from render.blank import glow, glow_reach
from render.canvas import Box, Canvas
from render.faces import Face
from render.invitation import invite
from render.laid import beside, laid_tiles
from render.open_places import cross, ghost, open_place
from render.overview import draw_cuts, draw_overview
from render.rings import around, stroke
from render.spots import corners
from render.theme import THEME, Colour, mix
from render.tile import tile_sprite
from render.window import COMFORT, Window, look

LIGHT = 0.75
"""How strong the light around the last move is."""


def draw_board(
    canvas: Canvas,
    seen: Seen,
    area: Box,
    face: Face,
    *,
    letters: Collection[Cell] | None = None,
    chosen: Placement | None = None,
    room_for: Collection[Cell] = (),
) -> None:
    """Draw the table into an area.

    `letters`: the open cells to letter; None for every place anybody could fill, with a mark on the dead ones.
    `room_for`: cells the board is fitted around though they carry no letter now, so that it does not jump.
    """
    if not seen.tiles and chosen is None:
        invite(canvas, seen, area)
        return
    sight = _sight(seen, letters, chosen)
    window = _window(seen, area, sight, room_for)
    if not window.cropped:
        _Table(canvas, seen, window, face, sight).draw()
        return
    # A part of the table is drawn on a canvas of its own: its edges cut the tiles that lie across them.
    left, top, right, bottom = area
    inner = Canvas(right - left, bottom - top, true=canvas.true)
    window = window.at_origin()
    _Table(inner, seen, window, face, sight).draw()
    draw_cuts(inner, window)
    tiles = [placement.cell for placement in seen.tiles]
    draw_overview(inner, window, tiles, _open(seen, sight, room_for), sight.lit)
    canvas.inset(inner, left, top)
    canvas.spots.take(inner.spots, left, top, inner.width, inner.height)


def board_windows(
    seen: Seen, area: Box, *, letters: Collection[Cell] | None = None, room_for: Collection[Cell] = ()
) -> tuple[Window, ...]:
    """What of the table `draw_board` shows in an area: nothing before the first tile lies."""
    return (_window(seen, area, _sight(seen, letters, None), room_for),) if seen.tiles else ()


def crowded(seen: Seen, area: Box, *, letters: Collection[Cell] | None = None, room_for: Collection[Cell] = ()) -> bool:
    """Whether the area is too small to show the whole table in tiles that are read with ease."""
    windows = board_windows(seen, area, letters=letters, room_for=room_for)
    return any(window.cropped or window.layout.edge < COMFORT[seen.rules.labels] for window in windows)


@dataclass(frozen=True, slots=True)
class _Sight:
    """What is shown beside the tiles."""

    places: tuple[Place, ...]
    loud: bool
    """Whether the places are one's own to fill."""
    dead: tuple[Cell, ...]
    last: Cell | None
    chosen: Placement | None

    @property
    def lit(self) -> Cell | None:
        """The cell to look at."""
        return self.chosen.cell if self.chosen else self.last


def _sight(seen: Seen, letters: Collection[Cell] | None, chosen: Placement | None) -> _Sight:
    over = seen.round_over is not None
    wanted = {shown.cell for shown in seen.places} if letters is None else set(letters)
    return _Sight(
        places=() if over else tuple(shown for shown in seen.places if shown.cell in wanted),
        loud=letters is not None,
        dead=seen.dead if letters is None and not over else (),
        last=seen.tiles[-1].cell if seen.last and seen.tiles else None,
        chosen=chosen,
    )


def _open(seen: Seen, sight: _Sight, room_for: Collection[Cell]) -> set[Cell]:
    """The cells without a tile that must be in sight."""
    lit = {sight.lit} if sight.lit else set()
    shown = {*(shown.cell for shown in sight.places), *room_for, *lit, *seen.rules.bounds}
    return shown - {lying.cell for lying in seen.tiles}


def _window(seen: Seen, area: Box, sight: _Sight, room_for: Collection[Cell]) -> Window:
    """What the area shows. When a round is over that is the whole table; there is no place to come closer to."""
    open_cells = _open(seen, sight, room_for)
    live = {*open_cells, *((sight.last,) if sight.last else ())} if seen.round_over is None else set()
    return look(seen.rules.plane, seen.tiles, open_cells, sight.dead, live, area, COMFORT[seen.rules.labels])


class _Table:
    """One drawing of a table, layer by layer."""

    def __init__(self, canvas: Canvas, seen: Seen, window: Window, face: Face, sight: _Sight) -> None:
        self.canvas, self.seen, self.face, self.sight = canvas, seen, face, sight
        self.window, self.layout = window, window.layout
        self.edge = window.layout.edge

    def draw(self) -> None:
        """Everything, from the ground up."""
        tiles = self.seen.tiles
        if tiles:
            bare = laid_tiles(self.layout.lattice, self.edge, self.face, tiles, true=self.canvas.true)
            self.canvas.inset(bare.canvas, self.layout.x + bare.left, self.layout.y + bare.top)
        chosen = self.sight.chosen
        if self.sight.lit is not None:
            self._light(self.sight.lit)
        self._rim()
        self._open_cells(chosen.cell if chosen else None)
        self._hexagons()
        self._rings()
        if chosen:
            spot = self.layout.spot(chosen.cell)
            aim = self.seen.place(chosen.cell)
            letter = aim.letter if aim else ""
            self.canvas.stamp(ghost(self.edge, spot.outline, chosen.shown, self.face.held, letter), spot.x, spot.y)
        self._note(chosen.cell if chosen else None)

    def _note(self, ghost_on: Cell | None) -> None:
        """Note where one's own places are."""
        mine = [shown.cell for shown in self.sight.places] if self.sight.loud else []
        for cell in mine if ghost_on is None else [ghost_on]:
            spot = self.layout.spot(cell)
            self.canvas.spots.places[cell] = corners(spot.outline, self.edge, spot.x, spot.y)

    def _light(self, cell: Cell) -> None:
        """The light around one cell. Tiles are laid over it, so no neighbour's digit is touched."""
        spot, reach = self.layout.spot(cell), glow_reach(self.edge)
        self.canvas.shine(THEME.gold, spot.x - reach, spot.y - reach, glow, self.edge, spot.outline, LIGHT)
        near = beside(self.layout.lattice, cell)
        for lying in self.seen.tiles:
            # The last one comes once more in gold.
            if lying.cell in near and (lying.cell != self.sight.last or self.sight.chosen):
                self._tile(lying)

    def _rim(self) -> None:
        """The edge of the board, where it has one."""
        inside, width = self.seen.rules.bounds, max(2, round(self.edge * 0.03))
        for cell in inside:
            corners, _, beyond = self.layout.lattice.shape(cell)
            for number, near in enumerate(beyond):
                if near not in inside:
                    ends = self.layout.point(corners[number]), self.layout.point(corners[(number + 1) % len(corners)])
                    (x, y), (to_x, to_y) = sorted(ends, key=lambda point: point[1])
                    at = min(x, to_x) - width, y - width
                    self.canvas.glaze(THEME.faint, *at, stroke, to_x - x, to_y - y, width)

    def _open_cells(self, taken: Cell | None) -> None:
        """Crosses and letters, in every open cell but the one taken."""
        for cell in filter(self.window.shows, self.sight.dead):
            spot = self.layout.spot(cell)
            sprite = cross(self.edge)
            x, y = spot.outline.heart(self.edge)
            self.canvas.stamp(sprite, spot.x + x - sprite.width // 2, spot.y + y - sprite.height // 2)
        for shown in self.sight.places:
            if shown.cell != taken:
                spot = self.layout.spot(shown.cell)
                touch = shown.touch[0] if shown.touch else None
                sprite = open_place(self.edge, spot.outline, shown.letter, loud=self.sight.loud, touch=touch)
                self.canvas.stamp(sprite, spot.x, spot.y)

    def _tile(self, lying: Placement, colour: Colour | None = None) -> None:
        spot = self.layout.spot(lying.cell)
        self.canvas.stamp(tile_sprite(self.edge, spot.outline, lying.shown, self.face, colour), spot.x, spot.y)

    def _rings(self) -> None:
        """The last tile once more in gold, and those that made a bridge in pink."""
        # While a move is being chosen the light is on that one.
        gold = None if self.sight.chosen else self.sight.last
        ringed = {self.sight.last, *self.seen.bridges}
        for lying in self.seen.tiles:
            if lying.cell in ringed:
                last = lying.cell == self.sight.last
                if not last or gold:
                    self._tile(lying, THEME.gold if last else THEME.pink)

    def _hexagons(self) -> None:
        """Outline every hexagon: thin, and on top of those thick where the last move closed it."""
        quiet = mix(THEME.gap, THEME.mint, 0.75)
        for newest in (False, True):
            for site in self.seen.hexagons:
                if (site in self.seen.newest) == newest:
                    width = max(2, round(self.edge * (0.05 if newest else 0.03)))
                    x, y = self.layout.point(site)
                    left, top = x - self.edge - width, y - self.layout.row - width
                    colour = THEME.mint if newest else quiet
                    self.canvas.glaze(colour, left, top, around, self.edge, self.layout.row, width)
