"""What a turn leads to, in the small numbers of `engine.board.tableau`: asked by `decide` and by the simulation alike.

Only `leaves_another` changes its tableau, which is a copy: several threads may ask about one match at the same time.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from engine.board.tableau import Ply, Tableau
from engine.board.tiles import Tile
from engine.match.actions import Option
from engine.match.rules import Reward, Rules, pips_of

# Moves that are no placement: their cell is none, and their way is below those of tiles.
DRAW: Final[Ply] = (0, -1)
PASS: Final[Ply] = (0, -2)
POINTS: Final[Ply] = (0, -3)
"""The points of a bonus."""
TILES: Final[Ply] = (0, -4)
"""The further tiles of a bonus."""
STOP: Final[Ply] = (0, -5)
"""No further tile, or no further turn."""

OPTIONS: Final[dict[Ply, Option]] = {POINTS: "points", TILES: "tiles", STOP: "stop"}
"""What such a move is called by those who ask for it."""


def leaves_another(twin: Tableau, first: Ply, hand: int) -> bool:
    """Whether another tile of the hand can be placed after this one. It is tried on `twin`, a copy of the tableau."""
    cell, way = first
    twin.place(cell, way)
    found = twin.has_legal(hand & ~twin.table.bits[way])
    twin.undo()
    return found


def firsts_of_bonus(tableau: Tableau, hand: int) -> list[Ply]:
    """The placements that leave a place for the next: such must be the first tile of a bonus (RULES §4). Where bonuses
    chain there may be none any more: then whatever fits may be played, and the rest lapses.
    """
    moves, twin = tableau.legal(hand), tableau.copy()
    return [move for move in moves if leaves_another(twin, move, hand)] or moves


def can_place_bonus(tableau: Tableau, hand: int, rules: Rules) -> bool:
    """Whether a hand can place the further tiles of a bonus: two of them one after the other, or one where that is
    enough (`partial_bonus`)."""
    if rules.partial_reward:
        return tableau.has_legal(hand)
    twin = tableau.copy()
    return any(leaves_another(twin, first, hand) for first in tableau.legal(hand))


def nobody_fits(rules: Rules, tableau: Tableau, boneyard: Collection[object], hands: Iterable[int]) -> bool:
    """Whether the referee ends the round at once: no tile is left to draw and no hand fits (RULES §3.1)."""
    if boneyard or not rules.ends_when_dead or not tableau.lies:
        return False
    return not any(map(tableau.has_legal, hands))


def reward_to_choose(rules: Rules, tableau: Tableau) -> Reward:
    """The bonus that the last placement earned, while it is to be chosen."""
    before = tableau.copy()
    cell, way = before.undo()
    earned = rules.earned(before, cell, way)
    tile, opening = before.table.turned[way].tile, not before.lies
    found = rules.reward(tile, earned, opening=opening, bonus_tile=False)
    assert found is not None, "a choice follows a bonus"
    return found


def round_awards(rules: Rules, out: int | None, hands: Sequence[Sequence[Tile]], active: Sequence[int]) -> list[int]:
    """What each seat earns at the end of a round, by the tiles that are left: that of the seat that went `out`, or of a
    blocked round.
    """
    found = [0] * len(hands)
    if out is not None:
        found[out] = rules.out_award(hands)
    else:
        for seat, award in zip(active, rules.block_awards(*_weighed(hands, active)), strict=True):
            found[seat] = award
    return found


def round_winners(rules: Rules, out: int | None, hands: Sequence[Sequence[Tile]], active: Sequence[int]) -> list[int]:
    """Who won a round: whoever went out, else those whose hands win when it is blocked."""
    if out is not None:
        return [out]
    return [active[place] for place in rules.block_winners(*_weighed(hands, active))]


def _weighed(hands: Sequence[Sequence[Tile]], active: Sequence[int]) -> tuple[list[int], list[int]]:
    """What the `active` seats hold, in points and in tiles."""
    return [pips_of(hands[seat]) for seat in active], [len(hands[seat]) for seat in active]


def final_places(
    rules: Rules,
    *,
    latched: bool,
    moments: Sequence[Sequence[int]],
    winners: Collection[int],
    active: Sequence[int],
    left: Sequence[int],
) -> tuple[int, ...] | None:
    """The places by seat when a round ends its match; None where another one is dealt.

    `moments` are the totals before the awards and after; `winners` won the round; `left` are out, first to go first.
    """
    totals = moments[-1]
    # An award may be a loss, so a turn that reached the target for a moment is looked at by itself.
    looked_at = moments[-1:] if rules.finish == "round" else moments
    # Where there is no target, a single deal decides.
    if not latched and not any(
        scores[seat] >= (rules.target or scores[seat]) for scores in looked_at for seat in active
    ):
        return None
    ahead = rules.ahead(winners, [seat for seat in active if totals[seat] >= rules.target])
    found = places(totals, left, ahead)
    return found if rules.shares_ties or found.count(1) == 1 else None


def places(totals: Sequence[int], left: Sequence[int] = (), ahead: Collection[int] = ()) -> tuple[int, ...]:
    """The place of each seat from 1: by total, ties shared; then those who `left`, the first to go last.

    Those `ahead` come before everybody else who stayed.
    """
    # Those who stayed come first and compare totals; no two left at the same moment.
    rank = [
        (-left.index(seat), False, 0) if seat in left else (-len(left), seat not in ahead, -total)
        for seat, total in enumerate(totals)
    ]
    order = sorted(rank)
    return tuple([order.index(mine) + 1 for mine in rank])
