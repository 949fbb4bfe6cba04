"""A reference implementation of Trioker, written only from RULES §6, with the joker and the board of its box.

It shares nothing with `engine.board.board`: a layout is a list of `(cell, shown)` pairs in the order of play, and every
function looks at all tiles. -1 is the wild corner of the joker.
"""

from itertools import product

from tests.engine.naive import (
    Cell,
    Layout,
    Shown,
    count_shared_corners,
    find_tile_violation,
    list_corners,
    list_nearby_cells,
    list_orientations,
)

JOKER = (-1, 0, 0)


def list_tiles(values: int, joker: bool) -> list[Shown]:
    found = [three for three in product(range(values), repeat=3) if three == min(list_orientations(three))]
    return [*found, JOKER] if joker else found


def is_on_board(cell: Cell, board: str) -> bool:
    """Return whether the board has this cell. It is a hexagon with radius 2 around the first tile's left corner."""
    return board == "unbounded" or all(max(abs(x), abs(y), abs(x + y)) <= 2 for x, y in list_corners(cell))


def list_numbers(layout: Layout, point: tuple[int, int]) -> set[int]:
    """Return the numbers of the tiles at a point, without wild corners."""
    return {
        number
        for cell, shown in layout
        for corner, number in zip(list_corners(cell), shown, strict=True)
        if corner == point and number >= 0
    }


def has_matching_corners(layout: Layout, cell: Cell, shown: Shown) -> bool:
    return all(
        number < 0 or list_numbers(layout, point) <= {number}
        for point, number in zip(list_corners(cell), shown, strict=True)
    )


def find_violation(layout: Layout, cell: Cell, shown: Shown, values: int, joker: bool, board: str) -> str | None:
    """Return the first reason of RULES §2 that forbids the placement; None if it is legal."""
    tiles = {other: tile for tile in list_tiles(values, joker) for other in list_orientations(tile)}
    violation = find_tile_violation(layout, cell, shown, tiles.get)
    if violation:
        return violation
    if not is_on_board(cell, board):
        return "OFF_THE_BOARD"
    if layout and not any(count_shared_corners(cell, taken) == 2 for taken, _ in layout):
        return "NO_SIDE_CONTACT"
    return None if has_matching_corners(layout, cell, shown) else "CORNER_MISMATCH"


def list_moves(
    layout: Layout, values: int, joker: bool, board: str, hand: list[Shown] | None = None
) -> set[tuple[Cell, Shown]]:
    """Return all legal placements of a hand, or of all unplayed tiles, by trying every rotation on every nearby
    cell.
    """
    used = {min(list_orientations(shown)) for _, shown in layout}
    available = [tile for tile in list_tiles(values, joker) if tile not in used] if hand is None else hand
    orientations = [shown for tile in available for shown in list_orientations(tile)]
    taken = {cell for cell, _ in layout}
    found = set()
    for cell in list_nearby_cells(layout):
        if is_on_board(cell, board) and any(count_shared_corners(cell, other) == 2 for other in taken):
            fitting = orientations
            for corner, point in enumerate(list_corners(cell)):
                numbers = list_numbers(layout, point)
                fitting = [shown for shown in fitting if shown[corner] < 0 or numbers <= {shown[corner]}]
            found |= {(cell, shown) for shown in fitting}
    return found
