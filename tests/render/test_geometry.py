"""Pixel positions of cells, and the size of a board."""

from itertools import pairwise

import pytest

from engine.board.board import Placement
from engine.board.lattice import SQUARES, TRIANGLES, Cell, Lattice
from render.canvas.cell_outline import Outline, compute_triangle_height
from render.canvas.geometry import EDGES, Layout, compute_table_frame
from render.table.window import build_frame_window

AREA = (24, 110, 1176, 740)


def build_row(cells: int) -> list[Placement]:
    return [Placement((0, 1, 2), Cell("UD"[n % 2], n // 2, 0), 0) for n in range(cells)]


SLOPE = [Placement((0, 1, 2), Cell("UD"[n % 2], 0, n // 2), 0) for n in range(56)]


def test_edge_lengths_are_even_and_increasing() -> None:
    assert all(edge % 2 == 0 for edge in EDGES)
    assert all(small < large for small, large in pairwise(EDGES))


def test_neighbours_meet_along_their_shared_side() -> None:
    layout = Layout(TRIANGLES, 100, 0, 0)
    for cell in (Cell("U", 0, 0), Cell("D", 3, -2)):
        for near in TRIANGLES.get_shape(cell).neighbours:
            one, other = layout.locate_cell(cell), layout.locate_cell(near)
            assert one.outline != other.outline
            assert (abs(one.x - other.x), abs(one.y - other.y)) in {(50, 0), (0, compute_triangle_height(100))}
    layout = Layout(SQUARES, 100, 0, 0)
    for near in SQUARES.get_shape(Cell("", 3, -2)).neighbours:
        one, other = layout.locate_cell(Cell("", 3, -2)), layout.locate_cell(near)
        assert abs(one.x - other.x) + abs(one.y - other.y) == 100


@pytest.mark.parametrize(
    ("lattice", "cell"), [(TRIANGLES, Cell("U", 2, 1)), (TRIANGLES, Cell("D", -1, 4)), (SQUARES, Cell("", -3, 2))]
)
def test_corners_and_sides_are_drawn_where_lattice_has_them(lattice: Lattice, cell: Cell) -> None:
    layout = Layout(lattice, 100, 0, 0)
    spot = layout.locate_cell(cell)
    points = [layout.locate_corner(site) for site in lattice.get_shape(cell).corners]
    assert [(spot.x + x, spot.y + y) for x, y in spot.outline.compute_corners(100)] == points
    for side, near in enumerate(lattice.get_shape(cell).neighbours):
        x, y = spot.outline.compute_middles(100)[side]
        other = layout.locate_cell(near)
        assert (spot.x + x - other.x, spot.y + y - other.y) in other.outline.compute_middles(100)


def test_square_corners_are_axis_aligned() -> None:
    top_left, top_right, low_right, low_left = Outline.SQUARE.compute_corners(100)
    assert (top_left, top_right, low_right, low_left) == ((0, 0), (100, 0), (100, 100), (0, 100))


def test_up_and_down_triangles_point_up_and_down() -> None:
    layout = Layout(TRIANGLES, 100, 0, 0)
    left, top, right = (layout.locate_corner(site) for site in TRIANGLES.get_shape(Cell("U", 2, 1)).corners)
    assert left[0] < top[0] < right[0]
    assert top[1] < left[1] == right[1]
    top_left, top_right, bottom = (layout.locate_corner(site) for site in TRIANGLES.get_shape(Cell("D", 2, 1)).corners)
    assert top_left[0] < bottom[0] < top_right[0]
    assert bottom[1] > top_left[1] == top_right[1]


@pytest.mark.parametrize("tiles", [build_row(1), build_row(9), build_row(56), SLOPE])
def test_board_fits_its_area_with_largest_tiles_that_do(tiles: list[Placement]) -> None:
    layout = build_frame_window(TRIANGLES, compute_table_frame(TRIANGLES, tiles, (), ()), (), AREA, 0).layout
    spots = [layout.locate_cell(placement.cell) for placement in tiles]
    left, right = min(spot.x for spot in spots), max(spot.x for spot in spots) + layout.edge
    top, bottom = min(spot.y for spot in spots), max(spot.y for spot in spots) + layout.row_height
    assert AREA[0] <= left <= right <= AREA[2]
    assert AREA[1] <= top <= bottom <= AREA[3]
    larger = next((edge for edge in EDGES if edge > layout.edge), None)
    rows = (bottom - top) // layout.row_height
    assert (
        larger is None or (right - left) * larger / layout.edge > 1152 or rows * compute_triangle_height(larger) > 630
    )
