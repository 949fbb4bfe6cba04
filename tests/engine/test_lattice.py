"""Cells, their corners and their neighbours (RULES §2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lattice import TRIANGLES, Cell

cells = st.builds(Cell, st.sampled_from("UD"), st.integers(-50, 50), st.integers(-50, 50))


def test_the_corners_and_neighbours_are_those_of_the_rules():
    up, down = TRIANGLES.shape(Cell("U", 2, 5)), TRIANGLES.shape(Cell("D", 2, 5))

    assert up.corners == ((2, 5), (2, 6), (3, 5))
    assert up.across == (Cell("D", 1, 5), Cell("D", 2, 5), Cell("D", 2, 4))
    assert down.corners == ((2, 6), (3, 6), (3, 5))
    assert down.across == (Cell("U", 2, 6), Cell("U", 3, 5), Cell("U", 2, 5))


@given(cells)
def test_a_neighbour_across_side_i_shares_exactly_the_corners_of_side_i(cell: Cell):
    corners, across = TRIANGLES.shape(cell)

    for side, other in enumerate(across):
        common = set(corners) & set(TRIANGLES.shape(other).corners)
        assert common == {corners[side], corners[(side + 1) % 3]}
        assert cell in TRIANGLES.shape(other).across


@given(cells)
def test_the_six_cells_of_a_hexagon_are_those_that_have_its_middle_as_a_corner(cell: Cell):
    for site in TRIANGLES.shape(cell).corners:
        ring = TRIANGLES.around(site)

        assert len(set(ring)) == TRIANGLES.full == 6
        assert cell in ring
        assert all(site in TRIANGLES.shape(near).corners for near in ring)


@given(cells)
def test_a_cell_has_twelve_neighbours_three_of_them_across_a_side(cell: Cell):
    corners, across = TRIANGLES.shape(cell)
    touching = {near for site in corners for near in TRIANGLES.around(site)} - {cell}

    assert len(touching) == 12
    assert set(across) < touching


@given(cells)
def test_corners_run_clockwise(cell: Cell):
    # y grows upwards and leans right by half: twice the area of a clockwise triangle is negative.
    (ax, ay), (bx, by), (cx, cy) = [(2 * x + y, y) for x, y in TRIANGLES.shape(cell).corners]

    assert (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) < 0


@given(cells)
def test_a_cell_is_read_back_from_its_text(cell: Cell):
    assert TRIANGLES.parse_cell(f" {str(cell).lower()} ") == cell


@pytest.mark.parametrize("text", ["", "U", "U0", "X0,0", "U0,0,0", "U0;0", "U1.5,0", "U1234567,0", "U٣,0", "0,0"])
def test_text_that_is_no_cell_is_refused_with_an_example(text: str):
    with pytest.raises(ValueError, match="is no cell; write it like U0,0"):
        TRIANGLES.parse_cell(text)
