"""Solo puzzles: a tile fits if its labels match, every act can be undone, and the search finds all solutions."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.lattice import TRIANGLES, Cell
from engine.board.tiles import Tile, list_all_tiles, list_ascending_tiles
from engine.solo.catalogue import FIGURES
from engine.solo.figure import Figure, sort_cells
from engine.solo.filling import MAX_ACTS, Filling, FillingError, parse_filling
from engine.solo.search import FigureSearch, get_cover, to_placements
from tests.depth import DEPTH, scale_count
from tests.engine.figure_counting import (
    build_solved_filling,
    count_by_symmetry,
    count_equivalent_solutions,
    count_solutions,
    list_symmetries,
)


def build_figure(cells: str, tiles: tuple[Tile, ...], labels: str = "corners", edge: int | None = None) -> Figure:
    parsed = sort_cells(TRIANGLES, map(TRIANGLES.parse_cell, cells.split()))
    shown = " ".join("0" * 3 for _ in parsed)
    return Figure("small", TRIANGLES, labels, tiles, parsed, shown, edge=edge)  # type: ignore[arg-type]


COMPLETE_FIGURES = [
    build_figure("U0,0 D0,0 U1,0 U0,1", list_all_tiles(2)),
    build_figure("U0,0 D0,0 U1,0 U0,1", list_all_tiles(2), "sides"),
    build_figure("U0,0 D0,0 U1,0 D1,0", list_all_tiles(2), "sides"),
    build_figure("U0,0 D0,0 U1,0 D1,0", list_all_tiles(2), "sides", 0),
]
ASCENDING_FIGURES = [
    build_figure("U0,0 D0,0 U1,0 D1,0", list_ascending_tiles(2)),
    build_figure("U0,0 D-1,0 U-1,0 D-1,-1 U0,-1", list_ascending_tiles(3)[:5]),
]


@pytest.mark.parametrize("name", FIGURES)
def test_known_solution_fills_figure(name: str) -> None:
    filling = build_solved_filling(FIGURES[name])

    assert filling.is_full
    assert (filling.unused_tiles, filling.empty_cells) == ((), ())
    assert sorted(placement.tile for placement in filling.placed.values()) == sorted(FIGURES[name].tiles)


@pytest.mark.parametrize("name", FIGURES)
def test_search_completes_solution_with_seven_tiles_removed(name: str) -> None:
    filling = build_solved_filling(FIGURES[name])
    for cell in Random(4).sample(FIGURES[name].cells, 7):
        filling = filling.remove(cell)

    found = FigureSearch(filling, steps=200_000).run()

    assert found.is_exhaustive
    assert found.solutions >= 1
    for tile, cell, turn in to_placements(filling, found.first):
        filling = filling.place(tile, cell, turn)
    assert filling.is_full


@pytest.mark.parametrize("figure", [*COMPLETE_FIGURES, *ASCENDING_FIGURES])
def test_search_count_equals_exhaustive_count(figure: Figure) -> None:
    found = FigureSearch(Filling(figure), steps=10_000).run()

    assert (found.solutions, found.is_exhaustive) == (count_solutions(figure), True)


@pytest.mark.parametrize("figure", COMPLETE_FIGURES)
def test_count_by_symmetry_equals_full_count(figure: Figure) -> None:
    assert count_by_symmetry(figure) == count_solutions(figure)


@pytest.mark.parametrize("figure", COMPLETE_FIGURES)
def test_equivalent_solutions_equal_symmetries_and_divide_all_solutions(figure: Figure) -> None:
    found = count_equivalent_solutions(figure)

    assert found in (None, len(list_symmetries(figure)) * (2 if figure.edge is None else 1))
    assert found is None or count_solutions(figure) % found == 0


@pytest.mark.parametrize(
    ("name", "images"), [("hexagon", 12 * 6), ("rectangle", 4 * 2), ("bar", None), ("chevron", None), ("sphinx", 24)]
)
def test_equivalent_solution_count_equals_expected_number(name: str, images: int | None) -> None:
    assert count_equivalent_solutions(FIGURES[name]) == images


def test_count_by_symmetry_refuses_set_without_mirror_images() -> None:
    with pytest.raises(ValueError, match="mirror"):
        count_by_symmetry(build_figure("U0,0 D0,0 U1,0 D1,0", (*list_ascending_tiles(2)[:3], (0, 1, 2))))


@pytest.mark.parametrize(
    ("name", "ways"), [("hexagon", 12), ("rectangle", 4), ("bar", 2), ("chevron", 2), ("sphinx", 1)]
)
def test_outline_has_expected_symmetries(name: str, ways: int) -> None:
    found = list_symmetries(FIGURES[name])

    assert len(found) == ways
    assert all(sorted(step.values()) == sorted(FIGURES[name].cells) for step in found)


@pytest.mark.skipif(DEPTH < 100, reason="takes the better part of an hour; BONEYARD_DEPTH=100 counts")
@pytest.mark.parametrize(("name", "solutions"), [("rectangle", 13_328 * 8), ("hexagon", 11_853_792)])
def test_solution_count_equals_published_count(name: str, solutions: int) -> None:
    assert count_by_symmetry(FIGURES[name]) == solutions == FIGURES[name].solutions


@pytest.mark.skipif(DEPTH < 5, reason="takes some ten seconds; BONEYARD_DEPTH=5 looks everywhere")
def test_24_tiles_of_trioker_fill_no_hexagon() -> None:
    hexagon = FIGURES["hexagon"]
    figure = Figure("none", TRIANGLES, "corners", list_all_tiles(4), hexagon.cells, hexagon.solution)
    plain = [(label,) * 3 for label in range(4)]

    found = FigureSearch(Filling(figure), steps=2_000_000, ordered=plain).run()

    assert (found.solutions, found.is_exhaustive) == (0, True)


def test_all_56_triominoes_fill_no_outline_whose_edge_is_short() -> None:
    cells = {Cell(kind, x, y) for kind in "UD" for x in range(14) for y in range(2)}
    figure = Figure(
        "none", TRIANGLES, "corners", list_ascending_tiles(6), sort_cells(TRIANGLES, cells), " ".join(["000"] * 56)
    )

    found = FigureSearch(Filling(figure), steps=10).run()

    assert (found.solutions, found.is_exhaustive, found.steps) == (0, True, 1)


def test_search_with_step_limit_is_marked_incomplete() -> None:
    found = FigureSearch(Filling(FIGURES["hexagon"]), steps=300).run()

    assert not found.is_exhaustive
    assert found.steps == 300


def test_search_stops_at_requested_number_of_solutions() -> None:
    figure = FIGURES["chevron"]
    rng = Random(1)

    found = FigureSearch(Filling(figure), steps=50_000, most=1, arranged=lambda ways: rng.sample(ways, len(ways))).run()

    assert (found.solutions, found.is_exhaustive) == (1, False)
    assert len(found.first) == 24


@settings(max_examples=scale_count(8), deadline=None)
@given(st.data())
def test_placed_tiles_fit_and_every_act_can_be_undone(data: st.DataObject) -> None:
    figure = FIGURES[data.draw(st.sampled_from(sorted(FIGURES)))]
    filling = Filling(figure)
    for _ in range(data.draw(st.integers(1, 20))):
        before = filling
        should_remove: bool = data.draw(st.booleans())
        if filling.placed and should_remove:
            filling = filling.remove(data.draw(st.sampled_from(sorted(filling.placed))))
        elif filling.cells_by_tile:
            tile = data.draw(st.sampled_from(sorted(filling.cells_by_tile)))
            cell = data.draw(st.sampled_from(filling.cells_by_tile[tile]))
            filling = filling.place(tile, cell, data.draw(st.sampled_from(filling.list_rotations(tile, cell))))
        else:
            break
        assert filling.undo().placed == before.placed
        assert parse_filling(figure, str(filling)) == filling
        values = dict(figure.edge_labels)
        for cell, placement in filling.placed.items():
            for site, label in zip(figure.list_sites(cell), placement.shown_labels, strict=True):
                assert values.setdefault(site, label) == label
        assert sorted([*filling.unused_tiles, *(one.tile for one in filling.placed.values())]) == sorted(figure.tiles)
        assert not {*filling.dead_cells} & {cell for cells in filling.cells_by_tile.values() for cell in cells}


def test_latest_acts_of_long_filling_can_be_undone() -> None:
    filling = build_solved_filling(FIGURES["bar"])
    cell = FIGURES["bar"].cells[0]
    placement = filling.placed[cell]
    for _ in range(MAX_ACTS):
        filling = filling.remove(cell)
        filling = filling.place(*placement)

    assert len(filling.acts) <= MAX_ACTS
    assert filling.is_full
    assert not filling.undo().is_full


@pytest.mark.parametrize(
    "text",
    [
        "+U0,0=01",
        "+U0,0=0112",
        "-U0,0=012",
        "*U0,0=012",
        "+U9,9=012",
        "+Z0,0=012",
        "+U0,0=999",
        "+U0,0=01\u00b2",
        "+U0,0=012 +U0,0=013",
        "+U0,0=012 +U1,0=012",
        "+U0,0=012 +D0,0=333",
    ],
)
def test_invalid_filling_text_is_refused(text: str) -> None:
    with pytest.raises(FillingError):
        parse_filling(FIGURES["bar"], text)


def test_invalid_placement_removal_or_undo_is_refused() -> None:
    filling = Filling(FIGURES["hexagon"])
    corner = FIGURES["hexagon"].cells[0]
    for act in (lambda: filling.remove(corner), filling.undo, lambda: filling.place((1, 1, 1), corner, 0)):
        with pytest.raises(FillingError):
            act()
    assert get_cover(FIGURES["hexagon"]) is get_cover(FIGURES["hexagon"])
