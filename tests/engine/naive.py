"""A second opinion on Triominoes, written from the rules alone and as plainly as possible.

It shares nothing with `engine.board.board`: no labels on corners, no keys, no counters. A layout is a list of
`(cell, shown)` pairs in the order of play, a cell is `(kind, x, y)`, and every question looks at all the tiles.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from itertools import combinations_with_replacement, product

Cell = tuple[str, int, int]
Shown = tuple[int, ...]
Layout = list[tuple[Cell, Shown]]

SETS: dict[str, list[Shown]] = {
    "trio56": list(combinations_with_replacement(range(6), 3)),
    "trio84": list(combinations_with_replacement(range(7), 3)),
    "mac76": [
        (a, b, c) for a, b, c in product(range(6), repeat=3) if (a, b, c) == min([(a, b, c), (b, c, a), (c, a, b)])
    ],
}


@cache
def list_orientations(tile: Shown) -> list[Shown]:
    a, b, c = tile
    return list(dict.fromkeys([(a, b, c), (b, c, a), (c, a, b)]))


@cache
def find_tile(shown: Shown, tile_set: str = "trio56") -> Shown | None:

    return next((tile for tile in SETS[tile_set] if shown in list_orientations(tile)), None)


@cache
def list_corners(cell: Cell) -> list[tuple[int, int]]:
    """Where the three corners of a cell lie, clockwise: left, top, right or top left, top right, bottom."""
    kind, x, y = cell
    if kind == "U":
        return [(x, y), (x, y + 1), (x + 1, y)]
    return [(x, y + 1), (x + 1, y + 1), (x + 1, y)]


@cache
def count_shared_corners(one: Cell, other: Cell) -> int:
    """How many corners two cells have in common: 2 is a side, 1 a point."""
    return len(set(list_corners(one)) & set(list_corners(other)))


def list_nearby_cells(layout: Layout) -> list[Cell]:
    """Every empty cell with x and y at most one away from a tile's: all that could be touched, and more."""
    taken = {cell for cell, _ in layout}
    around = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    nearby = {(kind, x + dx, y + dy) for _, x, y in taken for dx, dy in around for kind in "UD"}
    return sorted(nearby - taken)


def find_violation(layout: Layout, cell: Cell, shown: Shown, tile_set: str = "trio56") -> str | None:
    """Why the tile may not lie there, in the order of RULES §2; None when it may."""
    violation = find_tile_violation(layout, cell, shown, lambda labels: find_tile(labels, tile_set))
    if violation:
        return violation
    if layout and not any(count_shared_corners(cell, taken) == 2 for taken, _ in layout):
        return "NO_SIDE_CONTACT"
    if any(shown[corner] != number for corner, number in list_required_numbers(layout, cell)):
        return "CORNER_MISMATCH"
    return None


def find_tile_violation(
    layout: Layout, cell: Cell, shown: Shown, find_tile: Callable[[Shown], Shown | None]
) -> str | None:
    """Why this tile may lie in no cell, or no tile in this one."""
    tile = find_tile(shown)
    if tile is None:
        return "NO_SUCH_TILE"
    if any(taken == cell for taken, _ in layout):
        return "OCCUPIED"
    return "TILE_ALREADY_PLAYED" if any(find_tile(placed) == tile for _, placed in layout) else None


def list_required_numbers(layout: Layout, cell: Cell) -> list[tuple[int, int]]:
    """What every touching tile asks of this cell: (corner, number), once for each tile that meets that corner."""
    return [
        (corner, number)
        for taken, labels in layout
        if count_shared_corners(cell, taken)
        for touched, number in zip(list_corners(taken), labels, strict=True)
        for corner, own in enumerate(list_corners(cell))
        if own == touched
    ]


def list_moves(layout: Layout, tile_set: str = "trio56", hand: list[Shown] | None = None) -> set[tuple[Cell, Shown]]:
    """Everything that a hand can place, or all the tiles that do not lie: every tile, every turn, every cell near."""
    used = {find_tile(shown, tile_set) for _, shown in layout}
    available = [tile for tile in SETS[tile_set] if tile not in used] if hand is None else hand
    orientations = [shown for tile in available for shown in list_orientations(tile)]
    found = set()
    for cell in list_nearby_cells(layout):
        if any(count_shared_corners(cell, taken) == 2 for taken, _ in layout):
            required = list_required_numbers(layout, cell)
            found |= {
                (cell, shown) for shown in orientations if all(shown[corner] == number for corner, number in required)
            }
    return found


def score_placement(
    layout: Layout, cell: Cell, shown: Shown, options: Mapping[str, str] | None = None
) -> tuple[int, int, bool]:
    options = options or {}
    closed_points = [point for point in list_corners(cell) if has_five_tiles(layout, point)]
    sides = [taken for taken, _ in layout if count_shared_corners(cell, taken) == 2]
    if closed_points:
        each = {"stepped": [50, 60, 70], "flat": [50, 50, 50]}.get(options.get("hexagon_scale", ""), [50, 100, 150])
        bonus = each[len(closed_points) - 1]
        bridge = False
        if options.get("bonus_stacking") == "sum":
            # Also a bridge: a point opposite is touched by a tile that is no part of the closed hexagons.
            ring = [taken for taken, _ in layout if any(point in list_corners(taken) for point in closed_points)]
            bridge = has_opposite_contact(layout, cell, sides, excluded=[*sides, *ring])
    elif len(sides) == 1:
        # Made: one side matched, and the point opposite touched by any tile. Or added to a bridge by any side.
        bonus, bridge = 0, has_opposite_contact(layout, cell, sides, excluded=[])
        if options.get("bridge_extension") == "any_side" and not bridge:
            bridge = sides[0] in list_bridge_cells(
                tuple(taken for taken, _ in layout), options.get("bonus_stacking") == "sum"
            )
    else:
        # Extended: two or three sides and no hexagon.
        bonus = 0
        bridge = {
            "two_sides": True,
            "any_side": True,
            "opposite_point": has_opposite_contact(layout, cell, sides, excluded=sides),
            "none": False,
        }[options.get("bridge_extension", "two_sides")]
    return sum(shown) + bonus + 40 * bridge, len(closed_points), bridge


@lru_cache(maxsize=64)
def list_bridge_cells(cells: tuple[Cell, ...], counts_hexagons: bool) -> list[Cell]:
    """The tiles that earned a bridge where any side beside one counts; `counts_hexagons`: also where they closed a
    hexagon.
    """
    if not cells:
        return []
    *before, cell = cells
    options = {"bridge_extension": "any_side", "bonus_stacking": "sum" if counts_hexagons else "hexagon_only"}
    layout = [(taken, (0, 0, 0)) for taken in before]
    has_bridge = bool(before) and score_placement(layout, cell, (0, 0, 0), options)[2]
    return [*list_bridge_cells(tuple(before), counts_hexagons), *[cell] * has_bridge]


def has_opposite_contact(layout: Layout, cell: Cell, sides: list[Cell], excluded: list[Cell]) -> bool:
    """Whether the point opposite one of these sides is touched by a tile other than those."""
    opposite_points = [point for side in sides for point in list_corners(cell) if point not in list_corners(side)]
    return any(
        point in list_corners(taken) for point in opposite_points for taken, _ in layout if taken not in excluded
    )


def has_five_tiles(layout: Layout, point: tuple[int, int]) -> bool:
    """Whether five tiles lie around a point already, so that one more closes its hexagon."""
    return sum(point in list_corners(taken) for taken, _ in layout) == 5


def score_blocked_round(hands: list[list[Shown]], options: Mapping[str, str]) -> list[int]:
    totals = [sum(sum(tile) for tile in hand) for hand in hands]
    bonus = options.get("blocked_bonus", "differences")
    if options.get("scoring") == "children":
        return [0] * len(hands)
    if bonus in ("none", "lose_own"):
        return [-total * (bonus == "lose_own") for total in totals]
    awards = [0] * len(hands)
    for winner in list_winning_seats(hands, options):
        others = totals[:winner] + totals[winner + 1 :]
        if bonus == "differences":
            awards[winner] = sum(other - totals[winner] for other in others if other > totals[winner])
        else:
            awards[winner] = max(sum(others) - totals[winner] * (bonus != "others_all"), 0)
    return awards


def list_winning_seats(hands: list[list[Shown]], options: Mapping[str, str]) -> list[int]:
    counts_tiles = options.get("blocked_winner") == "fewest_tiles"
    weights = [len(hand) if counts_tiles else sum(sum(tile) for tile in hand) for hand in hands]
    lightest = [seat for seat, weight in enumerate(weights) if weight == min(weights)]
    if len(lightest) > 1 and options.get("blocked_tie") == "none":
        return []
    return lightest


def list_match_winners(totals: list[int], target: int, won_round: list[int], options: Mapping[str, str]) -> list[int]:
    """Who wins a match whose last round these seats won."""
    over_target = [seat for seat, total in enumerate(totals) if total >= target]
    if options.get("game_winner") == "round_winner" and len(over_target) > 1:
        candidates = [seat for seat in over_target if seat in won_round] or list(range(len(totals)))
    else:
        candidates = list(range(len(totals)))
    best = max(totals[seat] for seat in candidates)
    return [seat for seat in candidates if totals[seat] == best]
