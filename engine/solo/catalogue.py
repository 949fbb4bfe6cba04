"""The figures: MacMahon's hexagon and rectangle, hexiamonds for Trioker, a horseshoe of all 56 Triominoes.

P. A. MacMahon, New Mathematical Pastimes (1921): the 24 triangles with four colours on their sides fill a hexagon, the
24 squares with three a rectangle of 4 by 6, with one colour all around. Trioker has the same triangles with numbers on
corners, which fill hexiamonds (T. H. O'Beirne, New Scientist 1961) at twice their size. The 56 Triominoes, few of which
have a partner for each side, need a long edge: a band one row wide. Sources are in docs/explanation/solo-puzzles.md.
"""

from typing import Final

from engine.board.lattice import SQUARES, TRIANGLES, Cell
from engine.board.tiles import list_all_tiles, list_ascending_tiles
from engine.solo.figure import Figure, sort_cells

StripRange = tuple[int, int]  # range of a strip


def _build_hexagon(x: StripRange, y: StripRange, both: StripRange) -> set[Cell]:
    """Return the cells whose corners are all within three strips: of `x`, of `y`, and of their sum."""
    return {
        cell
        for cell in (Cell(kind, at, row) for kind in "UD" for at in range(*x) for row in range(*y))
        if all(
            x[0] <= at <= x[1] and y[0] <= row <= y[1] and both[0] <= at + row <= both[1]
            for at, row in TRIANGLES.get_corners(cell)
        )
    }


def _double_outline(text: str) -> set[Cell]:
    """Return an outline at twice its size: four cells for each."""
    found = set()
    for cell in map(TRIANGLES.parse_cell, text.split()):
        kind, x, y = cell.kind, 2 * cell.x, 2 * cell.y
        if kind == "U":
            found |= {Cell("U", x, y), Cell("U", x + 1, y), Cell("U", x, y + 1), Cell("D", x, y)}
        else:
            found |= {Cell("D", x + 1, y + 1), Cell("D", x, y + 1), Cell("D", x + 1, y), Cell("U", x + 1, y + 1)}
    return found


def _build_trioker_figure(name: str, hexiamond: str, solution: str, solutions: int | None = None) -> Figure:
    cells = sort_cells(TRIANGLES, _double_outline(hexiamond))
    return Figure(name, TRIANGLES, "corners", list_all_tiles(4), cells, solution, solutions=solutions)


FIGURES: Final[dict[str, Figure]] = {
    figure.name: figure
    for figure in (
        Figure(
            "hexagon",
            TRIANGLES,
            "sides",
            list_all_tiles(4),
            sort_cells(TRIANGLES, _build_hexagon((-2, 2), (-2, 2), (-2, 2))),
            "020 032 322 012 103 000 010 121 222 233 333 302 030 331 113 111 321 221 202 130 330 123 210 101",
            edge=0,
            solutions=11_853_792,
        ),
        Figure(
            "rectangle",
            SQUARES,
            "sides",
            list_all_tiles(3, 4),
            sort_cells(SQUARES, (Cell("", x, y) for x in range(6) for y in range(4))),
            "0020 0010 0000 0220 0122 0011 2120 1111 0201 2212 2222 1012 "
            "2110 1221 0202 1112 2121 1011 1200 2102 0101 1201 2202 1002",
            edge=0,
            solutions=106_624,
        ),
        _build_trioker_figure(
            "bar",
            "D0,0 D1,0 D2,0 U0,0 U1,0 U2,0",
            "232 332 231 321 121 201 103 023 320 200 000 030 122 222 220 210 011 111 113 133 333 303 301 001",
        ),
        _build_trioker_figure(
            "chevron",
            "D0,0 D0,1 D1,1 U0,0 U0,1 U1,1",
            "130 320 020 220 021 231 133 333 213 103 300 000 001 011 111 131 222 232 233 303 121 221 120 230",
        ),
        _build_trioker_figure(
            "sphinx",
            "D0,0 D1,0 U0,0 U1,0 U2,0 U0,1",
            "321 331 311 111 230 310 010 110 013 123 322 212 211 222 202 200 000 003 033 333 323 320 210 012",
        ),
        Figure(
            "horseshoe",
            TRIANGLES,
            "corners",
            list_ascending_tiles(6),
            sort_cells(
                TRIANGLES,
                _build_hexagon((-7, 4), (0, 12), (0, 11))
                - _build_hexagon((-6, 3), (0, 11), (1, 10))
                - {Cell("U", 3, 0)},
            ),
            "235 335 535 345 544 434 433 333 331 341 140 440 040 121 251 005 502 011 111 "
            "524 424 002 012 444 441 402 022 411 113 422 225 115 135 255 555 010 150 554 "
            "450 300 000 403 303 232 302 332 234 122 222 241 145 013 123 155 550 035",
        ),
    )
}
"""By name, in menu order."""
