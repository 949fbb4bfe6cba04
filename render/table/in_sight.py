"""What a picture must show of a table, at any size."""

from collections.abc import Collection
from dataclasses import dataclass

from engine.board.board import Placement
from engine.board.demands import Place
from engine.board.lattice import Cell
from engine.match.player_view import PlayerView
from render.canvas.canvas import Box, Canvas
from render.canvas.cell_outline import corners
from render.canvas.geometry import Frame, Layout
from render.canvas.geometry import whole as whole_table
from render.table.open_places import first
from render.table.plain_tile import glow_reach, light, ring


@dataclass(frozen=True, slots=True)
class Sight:
    """What is shown beside the tiles."""

    places: tuple[Place, ...]
    loud: bool  # whether the viewer can fill the places
    dead: tuple[Cell, ...]
    last: Cell | None
    chosen: Placement | None

    @property
    def lit(self) -> Cell | None:
        """The highlighted cell."""
        return self.chosen.cell if self.chosen else self.last


@dataclass(frozen=True, slots=True)
class InSight:
    """What a picture must show of a table, computed once."""

    sight: Sight
    open: Collection[Cell]  # cells without a tile that must be visible
    live: Collection[Cell]  # cells that must stay visible in a close-up; none if there is no close-up
    frame: Frame  # the smallest box around tiles and slots


def in_sight(
    seen: PlayerView,
    *,
    letters: Collection[Cell] | None = None,
    chosen: Placement | None = None,
    room_for: Collection[Cell] = (),
    whole: bool = False,
) -> InSight:
    """What must be visible of a table. After the end of a round it is all of it.

    `letters`: the open cells with letters; None for all open places, with a mark on the dead ones. `chosen`: a
    placement to preview. `room_for`: cells that are kept visible though they have no letter now, so that the board does
    not jump. `whole`: show all of it, however small.
    """
    sight = sight_of(seen, letters, chosen)
    slots = {shown.cell for shown in sight.places}
    full = {*room_for, *((sight.lit,) if sight.lit else ()), *seen.rules.bounds}  # with the room of a whole tile
    open_cells = (slots | full) - {lying.cell for lying in seen.tiles}
    live = {*open_cells, *((sight.last,) if sight.last else ())} if seen.round_over is None and not whole else set()
    return InSight(sight, open_cells, live, whole_table(seen.rules.plane, seen.tiles, slots, (), full))


def sight_of(seen: PlayerView, letters: Collection[Cell] | None, chosen: Placement | None) -> Sight:
    """What is shown beside the tiles, with letters in these cells; None for every place."""
    over = seen.round_over is not None
    wanted = {shown.cell for shown in seen.places} if letters is None else set(letters)
    return Sight(
        places=() if over else tuple(shown for shown in seen.places if shown.cell in wanted),
        loud=letters is not None,
        dead=seen.dead if letters is None and not over else (),
        last=seen.tiles[-1].cell if seen.last and seen.tiles else None,
        chosen=chosen,
    )


FIRST_EDGE = 220  # edge of the first place


def invite(canvas: Canvas, seen: PlayerView, area: Box) -> None:
    """Draw the first place in the middle of the area."""
    lattice, theme = seen.rules.plane, canvas.theme
    start = lattice.first
    left, top, right, bottom = area
    layout = Layout(lattice, FIRST_EDGE, 0, 0)
    layout = Layout(lattice, FIRST_EDGE, (left + right - FIRST_EDGE) // 2, (top + bottom + layout.row) // 2)
    near = lattice.shape(start).across
    far = {cell for site in lattice.shape(start).corners for cell in lattice.around(site)} - {start, *near}
    spot = layout.spot(start)
    reach = glow_reach(FIRST_EDGE)
    if not theme.outlined:
        canvas.shine(theme.brass, 0.4, spot.x - reach, spot.y - reach, light(FIRST_EDGE, spot.outline))
    for cells, colour in ((far, theme.slot), (near, theme.slot_edge)):
        for cell in cells:
            at = layout.spot(cell)
            canvas.glaze(colour, at.x, at.y, ring, FIRST_EDGE, at.outline, 2.4)
    letter = seen.places[0].letter if seen.places else ""
    canvas.stamp(first(theme, FIRST_EDGE, spot.outline, letter), spot.x, spot.y)
    canvas.spots.places[start] = corners(spot.outline, FIRST_EDGE, spot.x, spot.y)
