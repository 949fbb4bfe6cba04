"""A reference implementation of Triangular Dominoes (Points, Muggins, Star), written only from RULES §5.

It shares nothing with `engine.board.tableau`: a layout is a list of `(cell, shown)` pairs in the order of play, a side
is the pair of points it joins, and every function looks at all tiles. `shown` has the numbers of sides 0, 1, 2.
`reading` has the options of RULES §5.1 by name, including those of Star; `game` selects the rules.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Final

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

Point = tuple[int, int]
Reading = Mapping[str, str]

BOSS: Final[Shown] = (-1, -1, -1)
SETS: Final[dict[str, list[Shown]]] = {
    "td35": list(combinations_with_replacement(range(5), 3)),
    "td56": list(combinations_with_replacement(range(6), 3)),
    **{
        f"mac{count}": sorted({min((a, b, c), (b, c, a), (c, a, b)) for a, b, c in product(range(values), repeat=3)})
        for values, count in ((4, 24), (5, 45), (6, 76))
    },
}
DIRECTIONS: Final = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
"""The six directions of sides around a point, in order; opposite directions are three apart."""


def list_tiles(reading: Reading) -> list[Shown]:
    return SETS[reading["tile_set"]] + [BOSS] * (reading["boss"] == "in")


def find_tile(shown: Shown, reading: Reading) -> Shown | None:

    tile = min(list_orientations(shown))
    return tile if tile in list_tiles(reading) else None


@cache
def list_sides(cell: Cell) -> list[frozenset[Point]]:
    a, b, c = list_corners(cell)
    return [frozenset({a, b}), frozenset({b, c}), frozenset({c, a})]


def find_number(label: int, reading: Reading) -> int | None:
    """Return the number that a label on the table counts as; None if it fits anything."""
    if label >= 0:
        return label
    return 0 if reading["boss_after"] == "zero" else None


def is_matching(number: int | None, label: int, reading: Reading) -> bool:
    if number is None or label < 0:
        return True
    if reading["pairing"] == "fives":
        return number + label in (0, 5, 10)
    return number == label


def find_contact(layout: Layout, cell: Cell, game: str, reading: Reading) -> str | None:
    """Return how a cell touches the layout: by a side, by a corner of the last tile, or not at all."""
    neighbours = [taken for taken, _ in layout if count_shared_corners(cell, taken) == 2]
    last = layout[-1][0]
    if last in neighbours or (neighbours and reading["layout"] == "open"):
        return "side"
    return "corner" if is_corner_contact(last, cell, game, reading) else None


def is_corner_contact(last: Cell, cell: Cell, game: str, reading: Reading) -> bool:
    """Return whether a cell shares exactly one point with the last tile, and corner plays are allowed there."""
    if game != "star" or count_shared_corners(cell, last) != 1:
        return False
    point = find_common_point(cell, last)
    is_opposite = {(2 * point[0] - x, 2 * point[1] - y) for x, y in list_corners(last)} == set(list_corners(cell))
    return is_opposite or reading["star_corner_order"] != "collinear"


def find_common_point(one: Cell, other: Cell) -> Point:
    return next(point for point in list_corners(one) if point in list_corners(other))


def find_violation(layout: Layout, cell: Cell, shown: Shown, game: str, reading: Reading) -> str | None:
    """Return the first reason of RULES §5 that forbids the placement; None if it is legal."""
    violation = find_tile_violation(layout, cell, shown, lambda labels: find_tile(labels, reading))
    if violation or not layout:
        return violation
    contact = find_contact(layout, cell, game, reading)
    if contact is None:
        return "NO_SIDE_CONTACT" if reading["layout"] == "open" else "NOT_NEXT_TO_LAST"
    numbers = list_required_numbers(layout, cell, reading)
    if not all(is_matching(number, shown[side], reading) for side, number in numbers):
        return "SIDE_MISMATCH"
    if contact == "corner" and not has_matching_corners(layout[-1], cell, shown, reading):
        return "CORNER_MISMATCH"
    return None


def list_required_numbers(layout: Layout, cell: Cell, reading: Reading) -> list[tuple[int, int | None]]:
    """Return the numbers across the sides of a cell as (side, number); None for a number that fits anything."""
    counted_tiles = layout if reading["side_contact"] == "all" else layout[-1:]
    return [
        (list_sides(cell).index(side), find_number(label, reading))
        for taken, labels in counted_tiles
        if count_shared_corners(cell, taken) == 2
        for side, label in zip(list_sides(taken), labels, strict=True)
        if side in list_sides(cell)
    ]


def has_matching_corners(last: tuple[Cell, Shown], cell: Cell, shown: Shown, reading: Reading) -> bool:
    """Return whether the two numbers at the common point match those of the last tile.

    The sides of a tile at a point have two of six directions. On a straight line they are opposite; a mirror image
    swaps the first direction of one tile with the second of the other.
    """
    point = find_common_point(cell, last[0])
    last_labels = {
        direction: find_number(label, reading) for direction, label in map_directions_to_labels(point, *last).items()
    }
    labels = map_directions_to_labels(point, cell, shown)
    first, second = order_directions(list(last_labels))
    across_first, across_second = order_directions(list(labels))
    straight = [(last_labels[first], labels[across_first]), (last_labels[second], labels[across_second])]
    mirror = [(last_labels[first], labels[across_second]), (last_labels[second], labels[across_first])]
    pairings = {"any": [straight, mirror], "collinear": [straight], "mirror": [mirror]}[reading["star_corner_order"]]
    # Corners must have equal numbers, even if sides add up to five.
    return any(all(number is None or label in (-1, number) for number, label in pairs) for pairs in pairings)


def map_directions_to_labels(point: Point, cell: Cell, shown: Shown) -> dict[int, int]:
    """Return the labels on the two sides of a tile at a corner, by the direction of each side (an index of
    `DIRECTIONS`).
    """
    labels = {}
    for side, label in zip(list_sides(cell), shown, strict=True):
        if point in side:
            (end,) = side - {point}
            labels[DIRECTIONS.index((end[0] - point[0], end[1] - point[1]))] = label
    return labels


def order_directions(directions: list[int]) -> tuple[int, int]:
    """Return two neighbouring directions in clockwise order."""
    one, other = directions
    return (one, other) if (one + 1) % 6 == other else (other, one)


def list_moves(layout: Layout, game: str, reading: Reading, hand: list[Shown] | None = None) -> set[tuple[Cell, Shown]]:
    """Return all legal placements of a hand, or of all unplayed tiles, by trying every rotation on every nearby
    cell.
    """
    used = {find_tile(shown, reading) for _, shown in layout}
    available = [tile for tile in list_tiles(reading) if tile not in used] if hand is None else hand
    orientations = [shown for tile in available for shown in list_orientations(tile)]
    found = set()
    for cell in list_nearby_cells(layout):
        contact = find_contact(layout, cell, game, reading)
        if contact is not None:
            fitting = orientations
            for side, number in list_required_numbers(layout, cell, reading):
                fitting = [shown for shown in fitting if is_matching(number, shown[side], reading)]
            if contact == "corner":
                fitting = [shown for shown in fitting if has_matching_corners(layout[-1], cell, shown, reading)]
            found |= {(cell, shown) for shown in fitting}
    return found


def score_placement(layout: Layout, cell: Cell, shown: Shown, game: str, reading: Reading) -> tuple[int, bool]:
    """Return the score of a legal placement after the first, and whether it allows a further turn."""
    if game != "star":
        return 0, False
    # In an open layout, a tile beside an older one may also touch the last one by a corner.
    last = layout[-1]
    is_corner = is_corner_contact(last[0], cell, game, reading) and has_matching_corners(last, cell, shown, reading)
    partners = [labels for taken, labels in layout if count_shared_corners(cell, taken) == 2] + [last[1]] * is_corner
    if shown == BOSS:
        total_beside = sum(count_pips(lying) for lying in partners)
        return (total_beside + -total_beside % 5 if reading["boss_value"] == "round_up" else 0), is_corner
    if reading["star_sum"] == "last_tile":
        partners = partners[-1:]
    total = count_pips(shown) + sum(count_pips(lying) for lying in partners)
    return (total if total % 5 == 0 else 0), is_corner


def count_pips(shown: Shown) -> int:
    return sum(label for label in shown if label > 0)
