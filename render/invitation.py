"""An empty table: the first place, large and lit, in a lattice that fades out around it."""

from engine.seen import Seen
from render.blank import glow, glow_reach
from render.canvas import Box, Canvas
from render.geometry import Layout
from render.open_places import first
from render.rings import dashed
from render.spots import corners
from render.theme import THEME

FIRST = 190
"""The edge of the first place."""


def invite(canvas: Canvas, seen: Seen, area: Box) -> None:
    """Draw the first place in the middle of the area."""
    lattice = seen.rules.plane
    start = lattice.first
    left, top, right, bottom = area
    layout = Layout(lattice, FIRST, 0, 0)
    layout = Layout(lattice, FIRST, (left + right - FIRST) // 2, (top + bottom + layout.row) // 2)
    near = lattice.shape(start).across
    far = {cell for site in lattice.shape(start).corners for cell in lattice.around(site)} - {start, *near}
    for cells, colour in ((far, THEME.panel), (near, THEME.groove)):
        for cell in cells:
            spot = layout.spot(cell)
            canvas.glaze(colour, spot.x, spot.y, dashed, FIRST, spot.outline, 2.4)
    spot = layout.spot(start)
    reach = glow_reach(FIRST)
    canvas.glaze(THEME.gold, spot.x - reach, spot.y - reach, glow, FIRST, spot.outline, 0.3)
    canvas.stamp(first(FIRST, spot.outline, seen.places[0].letter if seen.places else ""), spot.x, spot.y)
    canvas.spots.places[start] = corners(spot.outline, FIRST, spot.x, spot.y)
