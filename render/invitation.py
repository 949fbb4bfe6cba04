"""An empty table: the first place, large and lit, among slots that fade out around it."""

from engine.seen import Seen
from render.blank import glow_reach, light
from render.canvas import Box, Canvas
from render.geometry import Layout
from render.open_places import first
from render.rings import ring
from render.spots import corners

FIRST_EDGE = 220
"""The edge of the first place."""


def invite(canvas: Canvas, seen: Seen, area: Box) -> None:
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
