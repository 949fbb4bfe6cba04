"""The first computer player: the most points now, and among equals the heaviest tile off its hand."""

from typing import Protocol

from engine.actions import Action, Draw, Pass, Play
from engine.seen import Seen


class Rng(Protocol):
    """The one thing asked of a source of chance; `random.Random` is one."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to stop - 1."""


def choose(seen: Seen, rng: Rng) -> Action:
    """The action of the seat that is looking, whose turn it must be."""
    assert seen.viewer is not None
    if not seen.moves:
        return Draw(seen.viewer) if seen.can_draw else Pass(seen.viewer)
    best = max((move.points, sum(move.placement.tile)) for move in seen.moves)
    equals = [move for move in seen.moves if (move.points, sum(move.placement.tile)) == best]
    placement = equals[rng.randrange(len(equals))].placement
    return Play(seen.viewer, placement.tile, placement.cell, placement.rotation)
