"""A reference implementation of Quad-Ominos, written only from RULES §2 and §4 and as simply as possible.

It shares nothing with `engine.board.board`: a layout is a list of `(cell, shown)` pairs in the order of play, a cell is
`("", x, y)`, and every function looks at all tiles. `shown` has the numbers top left, top right, bottom right, bottom
left.
"""

from functools import cache
from itertools import combinations_with_replacement, permutations

from tests.engine.naive import Cell, Layout, Shown, find_tile_violation

TILES = [four for four in combinations_with_replacement(range(6), 4) if four != (0, 2, 4, 5)]
"""Each tile is its four numbers, in rising order."""


@cache
def list_orientations(tile: Shown, arrangement: str) -> list[Shown]:
    if arrangement == "free":
        return sorted(set(permutations(tile)))
    a, b, c, d = tile if arrangement == "clockwise" else tile[::-1]
    return list(dict.fromkeys([(a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)]))


@cache
def find_tile(shown: Shown, arrangement: str) -> Shown | None:

    tile = tuple(sorted(shown))
    return tile if tile in TILES and shown in list_orientations(tile, arrangement) else None


@cache
def list_corners(cell: Cell) -> list[tuple[int, int]]:
    """Return the four corners of a cell, clockwise from top left."""
    _, x, y = cell
    return [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)]


@cache
def is_adjacent(one: Cell, other: Cell) -> bool:
    return len(set(list_corners(one)) & set(list_corners(other))) == 2


def find_number(layout: Layout, point: tuple[int, int]) -> int | None:
    return next((shown[list_corners(cell).index(point)] for cell, shown in layout if point in list_corners(cell)), None)


def find_violation(layout: Layout, cell: Cell, shown: Shown, arrangement: str = "clockwise") -> str | None:
    """Return the first reason of RULES §2 that forbids the placement; None if it is legal."""
    violation = find_tile_violation(layout, cell, shown, lambda labels: find_tile(labels, arrangement))
    if violation:
        return violation
    if layout and not any(is_adjacent(cell, taken) for taken, _ in layout):
        return "NO_SIDE_CONTACT"
    numbers = [find_number(layout, point) for point in list_corners(cell)]
    if any(number not in (None, label) for number, label in zip(numbers, shown, strict=True)):
        return "CORNER_MISMATCH"
    return None


def list_moves(
    layout: Layout, arrangement: str = "clockwise", hand: list[Shown] | None = None
) -> set[tuple[Cell, Shown]]:
    """Return all legal placements of a hand, or of all unplayed tiles, by trying every rotation on every nearby
    cell.
    """
    used = {find_tile(shown, arrangement) for _, shown in layout}
    available = [tile for tile in TILES if tile not in used] if hand is None else hand
    orientations = [shown for tile in available for shown in list_orientations(tile, arrangement)]
    taken = {cell for cell, _ in layout}
    nearby = {("", x + dx, y + dy) for _, x, y in taken for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - taken
    found = set()
    for cell in nearby:
        if any(is_adjacent(cell, other) for other in taken):
            fitting = orientations
            for corner, point in enumerate(list_corners(cell)):
                number = find_number(layout, point)
                if number is not None:
                    fitting = [shown for shown in fitting if shown[corner] == number]
            found |= {(cell, shown) for shown in fitting}
    return found


def count_matched_corners(layout: Layout, cell: Cell) -> int:

    return sum(find_number(layout, point) is not None for point in list_corners(cell))


def can_place_bonus_tiles(layout: Layout, hand: list[Shown], arrangement: str = "clockwise", count: int = 2) -> bool:

    if count == 0:
        return True
    return any(
        can_place_bonus_tiles([*layout, move], [tile for tile in hand if tile != placed], arrangement, count - 1)
        for move in list_moves(layout, arrangement, hand)
        for placed in [find_tile(move[1], arrangement)]
    )
