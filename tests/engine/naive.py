"""A reference implementation of Triominoes, written only from the rules and as simply as possible.

It shares nothing with `engine.board.board`: no labels on corners, no keys, no counters. A layout is a list of
`(cell, shown)` pairs in the order of play, a cell is `(kind, x, y)`, and every function looks at all tiles.
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
    """Return the three corners of a cell, clockwise: left, top, right or top left, top right, bottom."""
    kind, x, y = cell
    if kind == "U":
        return [(x, y), (x, y + 1), (x + 1, y)]
    return [(x, y + 1), (x + 1, y + 1), (x + 1, y)]


@cache
def count_shared_corners(one: Cell, other: Cell) -> int:
    """Return how many corners two cells share: 2 for a side, 1 for a point."""
    return len(set(list_corners(one)) & set(list_corners(other)))


def list_nearby_cells(layout: Layout) -> list[Cell]:
    """Return every empty cell whose x and y differ by at most one from those of a tile. They include all cells that
    touch a tile.
    """
    taken = {cell for cell, _ in layout}
    around = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    nearby = {(kind, x + dx, y + dy) for _, x, y in taken for dx, dy in around for kind in "UD"}
    return sorted(nearby - taken)


def find_violation(layout: Layout, cell: Cell, shown: Shown, tile_set: str = "trio56") -> str | None:
    """Return the first reason of RULES §2 that forbids the placement; None if it is legal."""
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
    """Return the reason if this tile fits no cell, or no tile fits this cell."""
    tile = find_tile(shown)
    if tile is None:
        return "NO_SUCH_TILE"
    if any(taken == cell for taken, _ in layout):
        return "OCCUPIED"
    return "TILE_ALREADY_PLAYED" if any(find_tile(placed) == tile for _, placed in layout) else None


def list_required_numbers(layout: Layout, cell: Cell) -> list[tuple[int, int]]:
    """Return the numbers that neighbours require, as (corner, number), once for each tile at that corner."""
    return [
        (corner, number)
        for taken, labels in layout
        if count_shared_corners(cell, taken)
        for touched, number in zip(list_corners(taken), labels, strict=True)
        for corner, own in enumerate(list_corners(cell))
        if own == touched
    ]


def list_moves(layout: Layout, tile_set: str = "trio56", hand: list[Shown] | None = None) -> set[tuple[Cell, Shown]]:
    """Return all legal placements of a hand, or of all unplayed tiles, by trying every rotation on every nearby
    cell.
    """
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
            # This is also a bridge if a tile outside the closed hexagons touches an opposite point.
            ring = [taken for taken, _ in layout if any(point in list_corners(taken) for point in closed_points)]
            bridge = has_opposite_contact(layout, cell, sides, excluded=[*sides, *ring])
    elif len(sides) == 1:
        # A new bridge matches one side, and any tile touches the opposite point. An extended one matches any side of a
        # bridge.
        bonus, bridge = 0, has_opposite_contact(layout, cell, sides, excluded=[])
        if options.get("bridge_extension") == "any_side" and not bridge:
            bridge = sides[0] in list_bridge_cells(
                tuple(taken for taken, _ in layout), options.get("bonus_stacking") == "sum"
            )
    else:
        # An extended bridge matches two or three sides and closes no hexagon.
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
    """Return the tiles that earned a bridge if extensions by any side count; with `counts_hexagons`, also those that
    closed a hexagon.
    """
    if not cells:
        return []
    *before, cell = cells
    options = {"bridge_extension": "any_side", "bonus_stacking": "sum" if counts_hexagons else "hexagon_only"}
    layout = [(taken, (0, 0, 0)) for taken in before]
    has_bridge = bool(before) and score_placement(layout, cell, (0, 0, 0), options)[2]
    return [*list_bridge_cells(tuple(before), counts_hexagons), *[cell] * has_bridge]


def has_opposite_contact(layout: Layout, cell: Cell, sides: list[Cell], excluded: list[Cell]) -> bool:
    """Return whether another tile touches the point opposite one of these sides."""
    opposite_points = [point for side in sides for point in list_corners(cell) if point not in list_corners(side)]
    return any(
        point in list_corners(taken) for point in opposite_points for taken, _ in layout if taken not in excluded
    )


def has_five_tiles(layout: Layout, point: tuple[int, int]) -> bool:
    """Return whether five tiles lie around a point, so that one more closes its hexagon."""
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
    """Return the winners of a match whose last round these seats won."""
    over_target = [seat for seat, total in enumerate(totals) if total >= target]
    if options.get("game_winner") == "round_winner" and len(over_target) > 1:
        candidates = [seat for seat in over_target if seat in won_round] or list(range(len(totals)))
    else:
        candidates = list(range(len(totals)))
    best = max(totals[seat] for seat in candidates)
    return [seat for seat in candidates if totals[seat] == best]
