"""Who opens a round, and with which tile (RULES §3, Opening)."""

from collections.abc import Sequence
from typing import Literal

from engine.rules import Opening
from engine.tiles import Tile, is_triple, pips

OpeningTie = Literal["next_tile", "next_unique_sum"]
"""Between equal highest sums: the tied seats' next tiles decide, or the highest sum that one seat alone holds."""


def opening_of(
    hands: Sequence[Sequence[Tile]], *, tie: OpeningTie = "next_tile", zero_instead: bool = False
) -> Opening:
    """Who opens. Seats without tiles take no part; raises ValueError when nobody has one.

    The highest triple (quad) must open; with `zero_instead` its holder may open with the one of zeros. Without one the
    highest sum opens; tied seats compare their sums from the top, and the lowest seat settles what is then still equal.
    """
    held = [seat for seat, hand in enumerate(hands) if hand]
    if not held:
        raise ValueError("nobody holds a tile")
    triples = [(tile, seat) for seat in held for tile in hands[seat] if is_triple(tile)]
    if triples:
        tile, seat = max(triples)
        zero = (0,) * len(tile)
        if zero_instead and tile != zero and zero in hands[seat]:
            return Opening(seat, (zero, tile))
        return Opening(seat, (tile,))
    seat, top = _highest_sum(hands, held, tie)
    return Opening(seat, tuple(sorted(tile for tile in hands[seat] if pips(tile) == top)))


def drawn_by_lot(hands: Sequence[Sequence[Tile]], lot: int) -> Opening:
    """The opener where it is found by lot: seat number `lot` of those who hold tiles, with any of them."""
    held = [seat for seat, hand in enumerate(hands) if hand]
    seat = held[lot % len(held)]
    return Opening(seat, tuple(sorted(hands[seat])))


def _highest_sum(hands: Sequence[Sequence[Tile]], held: Sequence[int], tie: OpeningTie) -> tuple[int, int]:
    """The seat with the highest sum, and that sum, after ties."""
    sums = {seat: sorted(map(pips, hands[seat]), reverse=True) for seat in held}
    if tie == "next_unique_sum":
        for top in sorted({total for totals in sums.values() for total in totals}, reverse=True):
            holders = [seat for seat in held if top in sums[seat]]
            if len(holders) == 1:
                return holders[0], top
    seat = max(held, key=lambda seat: (sums[seat], -seat))
    return seat, sums[seat][0]
