"""A second opinion on Triominoes, written from the rules alone and as plainly as possible.

It shares nothing with `engine.board`: no labels on corners, no keys, no counters. A layout is a list of
`(cell, shown)` pairs in the order of play, a cell is `(kind, x, y)`, and every question looks at all the tiles.
"""

from functools import cache
from itertools import combinations_with_replacement

Cell = tuple[str, int, int]
Shown = tuple[int, int, int]
Layout = list[tuple[Cell, Shown]]

TILES = list(combinations_with_replacement(range(6), 3))


@cache
def turns(tile: Shown) -> list[Shown]:
    """The ways a tile can be turned."""
    a, b, c = tile
    return list(dict.fromkeys([(a, b, c), (b, c, a), (c, a, b)]))


@cache
def tile_of(shown: Shown) -> Shown | None:
    """The tile of the set that shows this, if there is one."""
    return next((tile for tile in TILES if shown in turns(tile)), None)


@cache
def points(cell: Cell) -> list[tuple[int, int]]:
    """Where the three corners of a cell lie, clockwise: left, top, right or top left, top right, bottom."""
    kind, x, y = cell
    if kind == "U":
        return [(x, y), (x, y + 1), (x + 1, y)]
    return [(x, y + 1), (x + 1, y + 1), (x + 1, y)]


@cache
def shared(one: Cell, other: Cell) -> int:
    """How many corners two cells have in common: 2 is a side, 1 a point."""
    return len(set(points(one)) & set(points(other)))


def near(layout: Layout) -> list[Cell]:
    """Every empty cell with x and y at most one away from a tile's: all that could be touched, and more."""
    taken = {cell for cell, _ in layout}
    around = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    wide = {(kind, x + dx, y + dy) for _, x, y in taken for dx, dy in around for kind in "UD"}
    return sorted(wide - taken)


def verdict(layout: Layout, cell: Cell, shown: Shown) -> str | None:
    """Why the tile may not lie there, in the order of RULES §2; None when it may."""
    tile = tile_of(shown)
    if tile is None:
        return "NO_SUCH_TILE"
    if any(taken == cell for taken, _ in layout):
        return "OCCUPIED"
    if any(tile_of(lying) == tile for _, lying in layout):
        return "TILE_ALREADY_PLAYED"
    if layout and not any(shared(cell, taken) == 2 for taken, _ in layout):
        return "NO_SIDE_CONTACT"
    if any(shown[corner] != number for corner, number in asked(layout, cell)):
        return "CORNER_MISMATCH"
    return None


def asked(layout: Layout, cell: Cell) -> list[tuple[int, int]]:
    """What every touching tile asks of this cell: (corner, number), once for each tile that meets that corner."""
    return [
        (corner, number)
        for taken, lying in layout
        if shared(cell, taken)
        for there, number in zip(points(taken), lying, strict=True)
        for corner, here in enumerate(points(cell))
        if here == there
    ]


def moves(layout: Layout) -> set[tuple[Cell, Shown]]:
    """Everything that can be placed when all other tiles are in hand: every tile, every turn, every cell near."""
    used = {tile_of(shown) for _, shown in layout}
    left = [shown for tile in TILES if tile not in used for shown in turns(tile)]
    found = set()
    for cell in near(layout):
        if any(shared(cell, taken) == 2 for taken, _ in layout):
            wanted = asked(layout, cell)
            found |= {(cell, shown) for shown in left if all(shown[corner] == number for corner, number in wanted)}
    return found


def worth(layout: Layout, cell: Cell, shown: Shown) -> tuple[int, int, bool]:
    """Points, hexagons and bridge of a legal placement that is not the first, told as RULES §3 tells them."""
    hexagons = sum(all_round(layout, point) for point in points(cell))
    if hexagons:
        return sum(shown) + 50 * hexagons, hexagons, False
    sides = [taken for taken, _ in layout if shared(cell, taken) == 2]
    if len(sides) == 1:
        # Made: one side matched, and the point opposite touched by any tile.
        opposite = next(point for point in points(cell) if point not in points(sides[0]))
        bridge = any(opposite in points(taken) for taken, _ in layout)
    else:
        # Extended: two or three sides and no hexagon.
        bridge = True
    return sum(shown) + 40 * bridge, 0, bridge


def all_round(layout: Layout, point: tuple[int, int]) -> bool:
    """Whether five tiles lie around a point already, so that one more closes its hexagon."""
    return sum(point in points(taken) for taken, _ in layout) == 5


def ways(layout: Layout, depth: int) -> int:
    """How many ways there are to place `depth` further tiles."""
    if depth == 0:
        return 1
    return sum(ways([*layout, move], depth - 1) for move in moves(layout))
