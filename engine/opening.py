"""Who opens a round, and with which tile (RULES §3, Opening)."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.tiles import Tile, is_triple


class Opening(NamedTuple):
    """The seat that opens and the tiles it may open with, all of the same sum."""

    seat: int
    tiles: tuple[Tile, ...]


def opening(hands: Sequence[Sequence[Tile]]) -> Opening:
    """Who opens. Seats without tiles take no part; raises ValueError when nobody has one.

    The highest triple must open. Without a triple the highest sum opens; tied seats compare their sums from the top,
    and the lowest seat settles what is then still equal.
    """
    held = [seat for seat, hand in enumerate(hands) if hand]
    if not held:
        raise ValueError("nobody holds a tile")
    triples = [(tile, seat) for seat in held for tile in hands[seat] if is_triple(tile)]
    if triples:
        tile, seat = max(triples)
        return Opening(seat, (tile,))
    seat = max(held, key=lambda seat: (sorted(map(sum, hands[seat]), reverse=True), -seat))
    top = max(map(sum, hands[seat]))
    return Opening(seat, tuple(sorted(tile for tile in hands[seat] if sum(tile) == top)))
