"""Where cells lie in pixels, and how a board finds its size."""

from itertools import pairwise

import pytest

from engine.board import Placement
from engine.lattice import TRIANGLES, Cell
from render.geometry import EDGES, Layout, lay_out, rise

AREA = (24, 110, 1176, 740)


def row(cells: int) -> list[Placement]:
    """A straight row of triangles."""
    return [Placement((0, 1, 2), Cell("UD"[n % 2], n // 2, 0), 0) for n in range(cells)]


def slope(cells: int) -> list[Placement]:
    """A straight row of triangles that climbs."""
    return [Placement((0, 1, 2), Cell("UD"[n % 2], 0, n // 2), 0) for n in range(cells)]


def test_edges_are_even_so_that_cells_lie_on_whole_pixels() -> None:
    assert all(edge % 2 == 0 for edge in EDGES)
    assert all(small < large for small, large in pairwise(EDGES))


def test_neighbours_meet_along_their_shared_side() -> None:
    layout = Layout(TRIANGLES, 100, 0, 0)
    for cell in (Cell("U", 0, 0), Cell("D", 3, -2)):
        for near in TRIANGLES.shape(cell).across:
            one, other = layout.spot(cell), layout.spot(near)
            assert one.up != other.up
            assert (abs(one.x - other.x), abs(one.y - other.y)) in {(50, 0), (0, rise(100))}


def test_the_slots_of_a_cell_are_its_corners_as_seen() -> None:
    layout = Layout(TRIANGLES, 100, 0, 0)
    for cell in (Cell("U", 2, 1), Cell("D", -1, 4)):
        spot = layout.spot(cell)
        points = [layout.point(TRIANGLES.shape(cell).corners[corner]) for corner in spot.slots]
        base, tip = (spot.y + rise(100), spot.y) if spot.up else (spot.y, spot.y + rise(100))
        assert points == [(spot.x, base), (spot.x + 50, tip), (spot.x + 100, base)]


def test_the_board_stands_as_the_words_say() -> None:
    layout = Layout(TRIANGLES, 100, 0, 0)
    left, top, right = (layout.point(site) for site in TRIANGLES.shape(Cell("U", 2, 1)).corners)
    assert left[0] < top[0] < right[0]
    assert top[1] < left[1] == right[1]
    top_left, top_right, bottom = (layout.point(site) for site in TRIANGLES.shape(Cell("D", 2, 1)).corners)
    assert top_left[0] < bottom[0] < top_right[0]
    assert bottom[1] > top_left[1] == top_right[1]


@pytest.mark.parametrize("tiles", [row(1), row(9), row(56), slope(56)])
def test_a_board_fits_its_area_with_the_largest_tiles_that_do(tiles: list[Placement]) -> None:
    layout = lay_out(TRIANGLES, tiles, (), (), AREA)
    spots = [layout.spot(placement.cell) for placement in tiles]
    left, right = min(spot.x for spot in spots), max(spot.x for spot in spots) + layout.edge
    top, bottom = min(spot.y for spot in spots), max(spot.y for spot in spots) + layout.rise
    assert AREA[0] <= left <= right <= AREA[2]
    assert AREA[1] <= top <= bottom <= AREA[3]
    larger = next((edge for edge in EDGES if edge > layout.edge), None)
    rows = (bottom - top) // layout.rise
    assert larger is None or (right - left) * larger / layout.edge > 1152 or rows * rise(larger) > 630
