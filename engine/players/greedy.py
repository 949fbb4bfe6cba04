"""The first computer player: the most points now, and among equals the heaviest tile off its hand. And one that is
gentle, for guided games.
"""

from typing import Protocol

from engine.board.tiles import Tile, pips
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play
from engine.match.player_view import Move, PlayerView


class Rng(Protocol):
    """What is asked of a source of chance; `random.Random` is one."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to stop - 1."""

    def random(self) -> float:
        """A number from 0 to 1, which is not among them."""


def choose(seen: PlayerView, rng: Rng) -> Action:
    """The action of the seat that is looking, whose turn it must be."""
    assert seen.viewer is not None
    if seen.reward is not None:
        return Choose(seen.viewer, _bonus(seen))
    if not seen.moves:
        if "stop" in seen.options:
            return Choose(seen.viewer, "stop")
        return Draw(seen.viewer) if seen.can_draw else Pass(seen.viewer)
    best = max(map(_worth, seen.moves))
    equals = [move for move in seen.moves if _worth(move) == best]
    placement = equals[rng.randrange(len(equals))].placement
    return Play(seen.viewer, placement.tile, placement.cell, placement.rotation)


def choose_gently(seen: PlayerView, rng: Rng) -> Action:
    """The action of one that leaves the best places to whoever learns: of its moves the one that brings least. The same
    moves are always answered alike, so that everybody who plays alike has the same lesson.
    """
    if seen.reward is not None or not seen.moves:
        return choose(seen, rng)
    assert seen.viewer is not None
    # They come best first.
    placement = seen.moves[-1].placement
    return Play(seen.viewer, placement.tile, placement.cell, placement.rotation)


def _worth(move: Move) -> tuple[int, int]:
    bonus = move.reward.points if move.reward is not None else 0
    return move.points + bonus, pips(move.placement.tile)


def _bonus(seen: PlayerView) -> Option:
    """The points, unless the two best tiles that fit now score more."""
    assert seen.reward is not None
    if "tiles" not in seen.options:
        return "points"
    best: dict[Tile, int] = {}
    for move in seen.moves:
        best[move.placement.tile] = max(move.points, best.get(move.placement.tile, 0))
    most = sum(sorted(best.values(), reverse=True)[: seen.reward.tiles])
    return "tiles" if most > seen.reward.points else "points"
