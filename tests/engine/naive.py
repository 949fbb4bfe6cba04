"""A second opinion on Triominoes, written from the rules alone and as plainly as possible.

It shares nothing with `engine.board.board`: no labels on corners, no keys, no counters. A layout is a list of
`(cell, shown)` pairs in the order of play, a cell is `(kind, x, y)`, and every question looks at all the tiles.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product

Cell = tuple[str, int, int]
Shown = tuple[int, int, int]
Layout = list[tuple[Cell, Shown]]

SETS: dict[str, list[Shown]] = {
    "trio56": list(combinations_with_replacement(range(6), 3)),
    "trio84": list(combinations_with_replacement(range(7), 3)),
    "mac76": [
        (a, b, c) for a, b, c in product(range(6), repeat=3) if (a, b, c) == min([(a, b, c), (b, c, a), (c, a, b)])
    ],
}


@cache
def turns(tile: Shown) -> list[Shown]:
    a, b, c = tile
    return list(dict.fromkeys([(a, b, c), (b, c, a), (c, a, b)]))


@cache
def tile_of(shown: Shown, tiles: str = "trio56") -> Shown | None:
    """The tile of the set that shows this, if there is one."""
    return next((tile for tile in SETS[tiles] if shown in turns(tile)), None)


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


def verdict(layout: Layout, cell: Cell, shown: Shown, tiles: str = "trio56") -> str | None:
    """Why the tile may not lie there, in the order of RULES §2; None when it may."""
    tile = tile_of(shown, tiles)
    if tile is None:
        return "NO_SUCH_TILE"
    if any(taken == cell for taken, _ in layout):
        return "OCCUPIED"
    if any(tile_of(lying, tiles) == tile for _, lying in layout):
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


def moves(layout: Layout, tiles: str = "trio56", hand: list[Shown] | None = None) -> set[tuple[Cell, Shown]]:
    """Everything that a hand can place, or all the tiles that do not lie: every tile, every turn, every cell near."""
    used = {tile_of(shown, tiles) for _, shown in layout}
    held = [tile for tile in SETS[tiles] if tile not in used] if hand is None else hand
    left = [shown for tile in held for shown in turns(tile)]
    found = set()
    for cell in near(layout):
        if any(shared(cell, taken) == 2 for taken, _ in layout):
            wanted = asked(layout, cell)
            found |= {(cell, shown) for shown in left if all(shown[corner] == number for corner, number in wanted)}
    return found


def worth(layout: Layout, cell: Cell, shown: Shown, reading: Mapping[str, str] | None = None) -> tuple[int, int, bool]:
    reading = reading or {}
    middles = [point for point in points(cell) if all_round(layout, point)]
    sides = [taken for taken, _ in layout if shared(cell, taken) == 2]
    if middles:
        stepped = reading.get("hexagon_scale") == "stepped"
        bonus = [50, 60, 70][len(middles) - 1] if stepped else 50 * len(middles)
        bridge = False
        if reading.get("bonus_stacking") == "sum":
            # Also a bridge: a point opposite is touched by a tile that is no part of the closed hexagons.
            ring = [taken for taken, _ in layout if any(point in points(taken) for point in middles)]
            bridge = reached_across(layout, cell, sides, apart_from=[*sides, *ring])
    elif len(sides) == 1:
        # Made: one side matched, and the point opposite touched by any tile. Or added to a bridge by any side.
        bonus, bridge = 0, reached_across(layout, cell, sides, apart_from=[])
        if reading.get("bridge_extension") == "any_side" and not bridge:
            bridge = sides[0] in bridges(tuple(taken for taken, _ in layout), reading.get("bonus_stacking") == "sum")
    else:
        # Extended: two or three sides and no hexagon.
        bonus = 0
        bridge = {
            "two_sides": True,
            "any_side": True,
            "opposite_point": reached_across(layout, cell, sides, apart_from=sides),
            "none": False,
        }[reading.get("bridge_extension", "two_sides")]
    return sum(shown) + bonus + 40 * bridge, len(middles), bridge


@lru_cache(maxsize=64)
def bridges(cells: tuple[Cell, ...], both: bool) -> list[Cell]:
    """The tiles that earned a bridge where any side beside one counts; `both`: also where they closed a hexagon."""
    if not cells:
        return []
    *before, cell = cells
    reading = {"bridge_extension": "any_side", "bonus_stacking": "sum" if both else "hexagon_only"}
    laid = [(taken, (0, 0, 0)) for taken in before]
    earned = bool(before) and worth(laid, cell, (0, 0, 0), reading)[2]
    return [*bridges(tuple(before), both), *[cell] * earned]


def reached_across(layout: Layout, cell: Cell, sides: list[Cell], apart_from: list[Cell]) -> bool:
    """Whether the point opposite one of these sides is touched by a tile other than those."""
    across = [point for side in sides for point in points(cell) if point not in points(side)]
    return any(point in points(taken) for point in across for taken, _ in layout if taken not in apart_from)


def all_round(layout: Layout, point: tuple[int, int]) -> bool:
    """Whether five tiles lie around a point already, so that one more closes its hexagon."""
    return sum(point in points(taken) for taken, _ in layout) == 5


def block(hands: list[list[Shown]], reading: Mapping[str, str]) -> list[int]:
    totals = [sum(sum(tile) for tile in hand) for hand in hands]
    bonus = reading.get("blocked_bonus", "differences")
    if bonus in ("none", "lose_own"):
        return [-total * (bonus == "lose_own") for total in totals]
    awards = [0] * len(hands)
    for winner in winning_hands(hands, reading):
        others = totals[:winner] + totals[winner + 1 :]
        if bonus == "differences":
            awards[winner] = sum(other - totals[winner] for other in others if other > totals[winner])
        else:
            awards[winner] = max(sum(others) - totals[winner], 0)
    return awards


def winning_hands(hands: list[list[Shown]], reading: Mapping[str, str]) -> list[int]:
    fewest = reading.get("blocked_winner") == "fewest_tiles"
    weights = [len(hand) if fewest else sum(sum(tile) for tile in hand) for hand in hands]
    lightest = [seat for seat, weight in enumerate(weights) if weight == min(weights)]
    if len(lightest) > 1 and reading.get("blocked_tie") == "none":
        return []
    return lightest


def match_winners(totals: list[int], target: int, won_round: list[int], reading: Mapping[str, str]) -> list[int]:
    """Who wins a match whose last round these seats won."""
    past = [seat for seat, total in enumerate(totals) if total >= target]
    if reading.get("game_winner") == "round_winner" and len(past) > 1:
        asked = [seat for seat in past if seat in won_round] or list(range(len(totals)))
    else:
        asked = list(range(len(totals)))
    best = max(totals[seat] for seat in asked)
    return [seat for seat in asked if totals[seat] == best]
