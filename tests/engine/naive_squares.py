"""A second opinion on Quad-Ominos, written from RULES §2 and §4 alone and as plainly as possible.

It shares nothing with `engine.board.board`: a layout is a list of `(cell, shown)` pairs in the order of play, a cell is
`("", x, y)`, and every question looks at all the tiles. What is shown reads top left, top right, bottom right, bottom
left.
"""

from functools import cache
from itertools import combinations_with_replacement, permutations

Cell = tuple[str, int, int]
Shown = tuple[int, ...]
Layout = list[tuple[Cell, Shown]]

TILES = [four for four in combinations_with_replacement(range(6), 4) if four != (0, 2, 4, 5)]
"""Each tile is its four numbers, in rising order."""


@cache
def turns(tile: Shown, arrangement: str) -> list[Shown]:
    if arrangement == "free":
        return sorted(set(permutations(tile)))
    a, b, c, d = tile if arrangement == "clockwise" else tile[::-1]
    return list(dict.fromkeys([(a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)]))


@cache
def tile_of(shown: Shown, arrangement: str) -> Shown | None:
    """The tile that shows this, if there is one."""
    tile = tuple(sorted(shown))
    return tile if tile in TILES and shown in turns(tile, arrangement) else None


@cache
def points(cell: Cell) -> list[tuple[int, int]]:
    """Where the four corners of a cell lie, clockwise from top left."""
    _, x, y = cell
    return [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)]


@cache
def side_by_side(one: Cell, other: Cell) -> bool:
    return len(set(points(one)) & set(points(other))) == 2


def number_at(layout: Layout, point: tuple[int, int]) -> int | None:
    """The number that lies at a point, if a tile reaches it."""
    return next((shown[points(cell).index(point)] for cell, shown in layout if point in points(cell)), None)


def verdict(layout: Layout, cell: Cell, shown: Shown, arrangement: str = "clockwise") -> str | None:
    """Why the tile may not lie there, in the order of RULES §2; None when it may."""
    tile = tile_of(shown, arrangement)
    if tile is None:
        return "NO_SUCH_TILE"
    if any(taken == cell for taken, _ in layout):
        return "OCCUPIED"
    if any(tile_of(lying, arrangement) == tile for _, lying in layout):
        return "TILE_ALREADY_PLAYED"
    if layout and not any(side_by_side(cell, taken) for taken, _ in layout):
        return "NO_SIDE_CONTACT"
    there = [number_at(layout, point) for point in points(cell)]
    if any(number not in (None, mine) for number, mine in zip(there, shown, strict=True)):
        return "CORNER_MISMATCH"
    return None


def moves(layout: Layout, arrangement: str = "clockwise", hand: list[Shown] | None = None) -> set[tuple[Cell, Shown]]:
    """Everything that a hand can place, or all the tiles that do not lie: every tile, every turn, every cell near."""
    used = {tile_of(shown, arrangement) for _, shown in layout}
    held = [tile for tile in TILES if tile not in used] if hand is None else hand
    left = [shown for tile in held for shown in turns(tile, arrangement)]
    taken = {cell for cell, _ in layout}
    near = {("", x + dx, y + dy) for _, x, y in taken for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - taken
    found = set()
    for cell in near:
        if any(side_by_side(cell, other) for other in taken):
            fitting = left
            for corner, point in enumerate(points(cell)):
                number = number_at(layout, point)
                if number is not None:
                    fitting = [shown for shown in fitting if shown[corner] == number]
            found |= {(cell, shown) for shown in fitting}
    return found


def matched(layout: Layout, cell: Cell) -> int:
    """How many corners of a cell had a number before."""
    return sum(number_at(layout, point) is not None for point in points(cell))


def bonus_tiles_possible(layout: Layout, hand: list[Shown], arrangement: str = "clockwise", least: int = 2) -> bool:
    """Whether the hand can place `least` tiles one after the other."""
    if least == 0:
        return True
    return any(
        bonus_tiles_possible([*layout, move], [tile for tile in hand if tile != lying], arrangement, least - 1)
        for move in moves(layout, arrangement, hand)
        for lying in [tile_of(move[1], arrangement)]
    )
