"""A second opinion on Triangular Dominoes (Points, Muggins, Star), written from RULES §5 alone.

It shares nothing with `engine.board.tableau`: a layout is a list of `(cell, shown)` pairs in the order of play, a
side is the pair of points it joins, and every question looks at all the tiles. What is shown reads side 0, 1, 2.
`reading` has options by their names in RULES §5.1, those of Star among them; `game` says whose rules count.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Final

from tests.engine.naive import near, points, shared, turns

Cell = tuple[str, int, int]
Point = tuple[int, int]
Shown = tuple[int, ...]
Layout = list[tuple[Cell, Shown]]
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
ROUND: Final = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
"""The six ways that sides lead away from a point, one after the other; opposite ways are three apart."""


def tiles(reading: Reading) -> list[Shown]:
    return SETS[reading["tile_set"]] + [BOSS] * (reading["boss"] == "in")


def tile_of(shown: Shown, reading: Reading) -> Shown | None:
    """The tile that shows this, if there is one."""
    tile = min(turns(shown))
    return tile if tile in tiles(reading) else None


@cache
def sides(cell: Cell) -> list[frozenset[Point]]:
    """The three sides of a cell, from corner 0 on."""
    a, b, c = points(cell)
    return [frozenset({a, b}), frozenset({b, c}), frozenset({c, a})]


def stands_for(label: int, reading: Reading) -> int | None:
    """The number that a label on the table counts as; None where it fits anything."""
    if label >= 0:
        return label
    return 0 if reading["boss_after"] == "zero" else None


def agree(lying: int | None, label: int, reading: Reading) -> bool:
    """Whether a label may be placed against a number that lies there."""
    if lying is None or label < 0:
        return True
    if reading["pairing"] == "fives":
        return lying + label in (0, 5, 10)
    return lying == label


def contact(layout: Layout, cell: Cell, game: str, reading: Reading) -> str | None:
    """How a cell can be reached: from `side` to side, from `corner` to corner of the last tile, or not at all."""
    beside = [taken for taken, _ in layout if shared(cell, taken) == 2]
    last = layout[-1][0]
    if last in beside or (beside and reading["layout"] == "open"):
        return "side"
    return "corner" if meets_in_a_point(last, cell, game, reading) else None


def meets_in_a_point(last: Cell, cell: Cell, game: str, reading: Reading) -> bool:
    """Whether a cell shares one point with that of the last tile, and tiles may meet there."""
    if game != "star" or shared(cell, last) != 1:
        return False
    point = the_point(cell, last)
    opposite = {(2 * point[0] - x, 2 * point[1] - y) for x, y in points(last)} == set(points(cell))
    return opposite or reading["star_corner_order"] != "collinear"


def the_point(one: Cell, other: Cell) -> Point:
    return next(point for point in points(one) if point in points(other))


def verdict(layout: Layout, cell: Cell, shown: Shown, game: str, reading: Reading) -> str | None:
    """Why the tile may not lie there, in the order of RULES §5; None when it may."""
    tile = tile_of(shown, reading)
    if tile is None:
        return "NO_SUCH_TILE"
    if any(taken == cell for taken, _ in layout):
        return "OCCUPIED"
    if any(tile_of(lying, reading) == tile for _, lying in layout):
        return "TILE_ALREADY_PLAYED"
    if not layout:
        return None
    how = contact(layout, cell, game, reading)
    if how is None:
        return "NO_SIDE_CONTACT" if reading["layout"] == "open" else "NOT_NEXT_TO_LAST"
    if not sides_agree(layout, cell, shown, reading):
        return "SIDE_MISMATCH"
    if how == "corner" and not corners_agree(layout[-1], cell, shown, reading):
        return "CORNER_MISMATCH"
    return None


def asked(layout: Layout, cell: Cell, reading: Reading) -> list[tuple[int, int | None]]:
    """What lies across the sides of a cell: (side, number), None for a number that fits anything."""
    counted = layout if reading["side_contact"] == "all" else layout[-1:]
    return [
        (sides(cell).index(side), stands_for(label, reading))
        for taken, lying in counted
        if shared(cell, taken) == 2
        for side, label in zip(sides(taken), lying, strict=True)
        if side in sides(cell)
    ]


def sides_agree(layout: Layout, cell: Cell, shown: Shown, reading: Reading) -> bool:
    return all(agree(number, shown[side], reading) for side, number in asked(layout, cell, reading))


def corners_agree(last: tuple[Cell, Shown], cell: Cell, shown: Shown, reading: Reading) -> bool:
    """Whether the two numbers at the common point go with those of the last tile there.

    The sides at a point lead away from it in two of six ways. On a straight line they are opposite; a mirror between
    the two tiles swaps the first way of one for the second of the other.
    """
    point = the_point(cell, last[0])
    there = {way: stands_for(label, reading) for way, label in led(point, *last).items()}
    here = led(point, cell, shown)
    first, second = in_order(list(there))
    across_first, across_second = in_order(list(here))
    straight = [(there[first], here[across_first]), (there[second], here[across_second])]
    mirror = [(there[first], here[across_second]), (there[second], here[across_first])]
    ways = {"any": [straight, mirror], "collinear": [straight], "mirror": [mirror]}[reading["star_corner_order"]]
    # Corners meet by equal numbers, whatever sides do.
    return any(all(lying is None or label in (-1, lying) for lying, label in pairs) for pairs in ways)


def led(point: Point, cell: Cell, shown: Shown) -> dict[int, int]:
    """The labels on the two sides of a tile at one of its corners, by the way each side leads (a place in `ROUND`)."""
    found = {}
    for side, label in zip(sides(cell), shown, strict=True):
        if point in side:
            (far,) = side - {point}
            found[ROUND.index((far[0] - point[0], far[1] - point[1]))] = label
    return found


def in_order(ways: list[int]) -> tuple[int, int]:
    """Two neighbouring ways, the one first from which the other is the next."""
    one, other = ways
    return (one, other) if (one + 1) % 6 == other else (other, one)


def moves(layout: Layout, game: str, reading: Reading, hand: list[Shown] | None = None) -> set[tuple[Cell, Shown]]:
    """Everything that a hand can place, or all the tiles that do not lie: every tile, every turn, every cell near."""
    used = {tile_of(shown, reading) for _, shown in layout}
    held = [tile for tile in tiles(reading) if tile not in used] if hand is None else hand
    left = [shown for tile in held for shown in turns(tile)]
    found = set()
    for cell in near(layout):
        how = contact(layout, cell, game, reading)
        if how is not None:
            fitting = left
            for side, number in asked(layout, cell, reading):
                fitting = [shown for shown in fitting if agree(number, shown[side], reading)]
            if how == "corner":
                fitting = [shown for shown in fitting if corners_agree(layout[-1], cell, shown, reading)]
            found |= {(cell, shown) for shown in fitting}
    return found


def worth(layout: Layout, cell: Cell, shown: Shown, game: str, reading: Reading) -> tuple[int, bool]:
    """What a legal placement that is not the first scores, and whether it allows a further turn."""
    if game != "star":
        return 0, False
    # In an open layout a tile that lies beside an older one may meet the last one in its point as well.
    last = layout[-1]
    corner = meets_in_a_point(last[0], cell, game, reading) and corners_agree(last, cell, shown, reading)
    partners = [lying for taken, lying in layout if shared(cell, taken) == 2] + [layout[-1][1]] * corner
    if shown == BOSS:
        beside = sum(pips(lying) for lying in partners)
        return (beside + -beside % 5 if reading["boss_value"] == "round_up" else 0), corner
    if reading["star_sum"] == "last_tile":
        partners = partners[-1:]
    total = pips(shown) + sum(pips(lying) for lying in partners)
    return (total if total % 5 == 0 else 0), corner


def pips(shown: Shown) -> int:
    """The numbers of a tile together; the boss has none."""
    return sum(label for label in shown if label > 0)
