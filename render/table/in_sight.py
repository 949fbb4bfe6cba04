"""What there is to see of a table, however large it is drawn."""

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
    loud: bool
    """Whether the places are one's own to fill."""
    dead: tuple[Cell, ...]
    last: Cell | None
    chosen: Placement | None

    @property
    def lit(self) -> Cell | None:
        """The cell to look at."""
        return self.chosen.cell if self.chosen else self.last


@dataclass(frozen=True, slots=True)
class InSight:
    """What there is to see of a table, however large it is drawn: worked out once for all who ask."""

    sight: Sight
    open: Collection[Cell]
    """The cells without a tile that must be in sight."""
    live: Collection[Cell]
    """What must stay in sight when it comes closer; nothing where it does not."""
    frame: Frame
    """The smallest box around tiles and slots."""


def in_sight(
    seen: PlayerView,
    *,
    letters: Collection[Cell] | None = None,
    chosen: Placement | None = None,
    room_for: Collection[Cell] = (),
    whole: bool = False,
) -> InSight:
    """What is seen of a table, all of it when a round is over: there is no place to come closer to.

    `letters`: the open cells to letter; None for every place anybody could fill, with a mark on the dead ones.
    `chosen`: a placement that is looked at before it is made.
    `room_for`: cells the board is fitted around though they carry no letter now, so that it does not jump.
    `whole`: all of it is shown, however small that is.
    """
    sight = sight_of(seen, letters, chosen)
    slots, full = _slots(sight), _full(seen, sight, room_for)
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


def _slots(sight: Sight) -> set[Cell]:
    """The open cells in which a slot is in sight."""
    return {shown.cell for shown in sight.places}


def _full(seen: PlayerView, sight: Sight, room_for: Collection[Cell]) -> set[Cell]:
    """The cells that are in sight as large as a tile though none may lie in them."""
    return {*room_for, *((sight.lit,) if sight.lit else ()), *seen.rules.bounds}


FIRST_EDGE = 220
"""The edge of the first place."""


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
