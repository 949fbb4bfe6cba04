"""Cells, their corners, sides and neighbours (RULES §2), on both lattices."""

from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.lattice import LATTICES, SQUARES, TRIANGLES, Cell, Lattice, Site

coordinates = st.integers(-50, 50)
lattice_cells = st.one_of(
    st.tuples(st.just(TRIANGLES), st.builds(Cell, st.sampled_from("UD"), coordinates, coordinates)),
    st.tuples(st.just(SQUARES), st.builds(Cell, st.just(""), coordinates, coordinates)),
)
LatticeCell = tuple[Lattice, Cell]


def to_cartesian(lattice: Lattice, corner: Site) -> tuple[float, float]:
    x, y = corner
    return (x + y / 2, y * 3**0.5 / 2) if lattice is TRIANGLES else (x, y)


def test_corners_and_neighbours_of_triangles_are_those_of_rules():
    up, down = TRIANGLES.get_shape(Cell("U", 2, 5)), TRIANGLES.get_shape(Cell("D", 2, 5))

    assert up.corners == ((2, 5), (2, 6), (3, 5))
    assert up.neighbours == (Cell("D", 1, 5), Cell("D", 2, 5), Cell("D", 2, 4))
    assert down.corners == ((2, 6), (3, 6), (3, 5))
    assert down.neighbours == (Cell("U", 2, 6), Cell("U", 3, 5), Cell("U", 2, 5))


def test_corners_and_neighbours_of_squares_are_those_of_rules():
    shape = SQUARES.get_shape(Cell("", 2, 5))

    assert shape.corners == ((2, 6), (3, 6), (3, 5), (2, 5))
    assert [str(cell) for cell in shape.neighbours] == ["2,6", "3,5", "2,4", "1,5"]


@given(lattice_cells)
def test_neighbour_across_side_shares_exactly_corners_and_site_of_side(placed: LatticeCell):
    lattice, cell = placed
    shape = lattice.get_shape(cell)

    for side, other in enumerate(shape.neighbours):
        across = lattice.get_shape(other)
        assert set(shape.corners) & set(across.corners) == {
            shape.corners[side],
            shape.corners[(side + 1) % lattice.sides],
        }
        assert set(shape.sides) & set(across.sides) == {shape.sides[side]}
        assert cell in across.neighbours


@given(lattice_cells)
def test_two_cells_meet_at_site_of_side(placed: LatticeCell):
    lattice, cell = placed
    shape = lattice.get_shape(cell)

    assert len(set(shape.sides)) == lattice.sides
    for site, other in zip(shape.sides, shape.neighbours, strict=True):
        assert set(lattice.list_cells_at(site)) == {cell, other}


@given(lattice_cells)
def test_cells_around_corner_all_contain_that_corner(placed: LatticeCell):
    lattice, cell = placed

    for site in lattice.get_shape(cell).corners:
        ring = lattice.list_cells_at(site)

        assert len(set(ring)) == {TRIANGLES: 6, SQUARES: 4}[lattice]
        assert cell in ring
        assert all(site in lattice.get_shape(one).corners for one in ring)


@given(lattice_cells)
def test_triangle_has_twelve_neighbours_and_square_eight(placed: LatticeCell):
    lattice, cell = placed
    shape = lattice.get_shape(cell)

    touching = {one for site in shape.corners for one in lattice.list_cells_at(site)} - {cell}

    assert len(touching) == {TRIANGLES: 12, SQUARES: 8}[lattice]
    assert set(shape.neighbours) < touching
    assert len(shape.neighbours) == lattice.sides


@given(lattice_cells)
def test_corners_run_clockwise_at_length_of_side(placed: LatticeCell):
    lattice, cell = placed
    points = [to_cartesian(lattice, corner) for corner in lattice.get_shape(cell).corners]

    edges = list(zip(points, points[1:] + points[:1], strict=True))
    # Twice the area of a clockwise polygon is negative.
    assert sum(ax * by - ay * bx for (ax, ay), (bx, by) in edges) < 0
    assert all(dist(*edge) == pytest.approx(1) for edge in edges)


@given(lattice_cells, lattice_cells)
def test_cells_are_sorted_in_reading_order(one: LatticeCell, other: LatticeCell):
    lattice, cell = one
    if other[0] is not lattice:
        return

    def compute_center(cell: Cell) -> tuple[float, float]:
        points = [to_cartesian(lattice, corner) for corner in lattice.get_shape(cell).corners]
        return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)

    first, second = sorted((cell, other[1]), key=lattice.get_reading_order)

    assert first.y > second.y or (first.y == second.y and compute_center(first)[0] <= compute_center(second)[0])


@given(lattice_cells)
def test_cell_is_read_back_from_its_text(placed: LatticeCell):
    lattice, cell = placed

    assert lattice.parse_cell(f" {str(cell).lower()} ") == cell


@pytest.mark.parametrize(
    ("lattice", "text"),
    [
        *(
            (TRIANGLES, text)
            for text in ("", "U", "U0", "X0,0", "U0,0,0", "U0;0", "U1.5,0", "U1234567,0", "U٣,0", "0,0")
        ),
        *((SQUARES, text) for text in ("", "0", "U0,0", "0,0,0", "0;0", "1.5,0", "1234567,0", "٣,0", "-,1")),
    ],
)
def test_text_that_is_no_cell_is_refused_with_example(lattice: Lattice, text: str):
    with pytest.raises(ValueError, match=f"like {lattice.first}"):
        lattice.parse_cell(text)


def test_first_cell_of_lattice_is_at_its_middle():
    assert {name: str(lattice.first) for name, lattice in LATTICES.items()} == {"triangles": "U0,0", "squares": "0,0"}
