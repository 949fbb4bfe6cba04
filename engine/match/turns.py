"""What a turn leads to, in the numbers of `engine.board.tableau`, for `decide` and the simulation.

Only `can_place_another` changes its tableau, which is a copy: several threads may use one match at the same time.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from engine.board.tableau import Ply, Tableau
from engine.board.tiles import Tile
from engine.match.actions import Option
from engine.match.rules import Reward, Rules, sum_pips

# Moves without a placement have no cell, and a negative way.
DRAW: Final[Ply] = (0, -1)
PASS: Final[Ply] = (0, -2)
POINTS: Final[Ply] = (0, -3)  # points of a bonus
TILES: Final[Ply] = (0, -4)  # further tiles of a bonus
STOP: Final[Ply] = (0, -5)  # no further tile, or no further turn
OPTIONS: Final[dict[Ply, Option]] = {POINTS: "points", TILES: "tiles", STOP: "stop"}


def can_place_another(tableau: Tableau, first: Ply, hand: int) -> bool:
    """Return whether another tile of the hand can be placed after this one; `twin` is a copy of the tableau."""
    cell, way = first
    tableau.place(cell, way)
    found = tableau.has_legal_move(hand & ~tableau.table.bit_by_way[way])
    tableau.undo()
    return found


def list_first_bonus_moves(tableau: Tableau, hand: int) -> list[Ply]:
    """Return the placements that leave a place for the next, as the first tile of a bonus must (RULES §4). If bonuses
    chain there may be none: then any tile that fits may be played, and the rest lapses.
    """
    moves, twin = tableau.list_legal_moves(hand), tableau.copy()
    return [move for move in moves if can_place_another(twin, move, hand)] or moves


def can_place_bonus(tableau: Tableau, hand: int, rules: Rules) -> bool:
    """Return whether a hand can place the further tiles of a bonus: two in a row, or one with `partial_bonus`."""
    if rules.allows_partial_reward:
        return tableau.has_legal_move(hand)
    twin = tableau.copy()
    return any(can_place_another(twin, first, hand) for first in tableau.list_legal_moves(hand))


def is_round_dead(rules: Rules, tableau: Tableau, boneyard: Collection[object], hands: Iterable[int]) -> bool:
    """Return whether the referee ends the round at once: no tile is left to draw and no hand fits (RULES §3.1)."""
    if boneyard or not rules.ends_when_dead or not tableau.placed_ways:
        return False
    return not any(map(tableau.has_legal_move, hands))


def compute_open_reward(rules: Rules, tableau: Tableau) -> Reward:
    """Return the bonus of the last placement while it is to be chosen."""
    before = tableau.copy()
    cell, way = before.undo()
    earned = rules.compute_score(before, cell, way)
    tile, opening = before.table.oriented_tiles[way].tile, not before.placed_ways
    found = rules.find_reward(tile, earned, opening=opening, bonus_tile=False)
    assert found is not None, "a choice follows a bonus"
    return found


def compute_round_awards(
    rules: Rules, out: int | None, hands: Sequence[Sequence[Tile]], active: Sequence[int]
) -> list[int]:
    """Return the award of each seat at the end of a round: for the seat that went `out`, or of a blocked round."""
    found = [0] * len(hands)
    if out is not None:
        found[out] = rules.compute_out_award(hands)
    else:
        for seat, award in zip(active, rules.compute_block_awards(*_weigh_hands(hands, active)), strict=True):
            found[seat] = award
    return found


def list_round_winners(
    rules: Rules, out: int | None, hands: Sequence[Sequence[Tile]], active: Sequence[int]
) -> list[int]:
    """Return the winners of a round: the seat that went out, or those of a blocked round."""
    if out is not None:
        return [out]
    return [active[place] for place in rules.list_block_winners(*_weigh_hands(hands, active))]


def _weigh_hands(hands: Sequence[Sequence[Tile]], active: Sequence[int]) -> tuple[list[int], list[int]]:
    return [sum_pips(hands[seat]) for seat in active], [len(hands[seat]) for seat in active]


def compute_final_places(
    rules: Rules,
    *,
    latched: bool,
    totals_history: Sequence[Sequence[int]],
    winners: Collection[int],
    active: Sequence[int],
    resigned: Sequence[int],
) -> tuple[int, ...] | None:
    """Return the places by seat if a round ends its match; None if another one is dealt. `totals_history` are the
    totals before and after the awards; `winners` won the round; `resigned` resigned, in order.
    """
    totals = totals_history[-1]
    # An award may be a loss, so the totals before it count too.
    counted_totals = totals_history[-1:] if rules.finish == "round" else totals_history
    goal = rules.goal
    if not (latched or rules.is_one_deal) and not any(
        0 < goal <= scores[seat] for scores in counted_totals for seat in active
    ):
        return None
    leaders = rules.list_match_winners(winners, [seat for seat in active if totals[seat] >= goal])
    found = compute_places(totals, resigned, leaders)
    return found if rules.shares_ties or found.count(1) == 1 else None


def compute_places(
    totals: Sequence[int], resigned: Sequence[int] = (), leaders: Collection[int] = ()
) -> tuple[int, ...]:
    """Return the place of each seat from 1: by total, ties shared; then those who `resigned`, the first to go last.
    Those `leaders` come before all others who stayed.
    """
    # Those who stayed come first and compare totals; no two left at the same moment.
    rank = [
        (-resigned.index(seat), False, 0) if seat in resigned else (-len(resigned), seat not in leaders, -total)
        for seat, total in enumerate(totals)
    ]
    order = sorted(rank)
    return tuple([order.index(key) + 1 for key in rank])
