"""The greedy computer player: most points now, then the heaviest tile. And a gentle one for guided games."""

from collections.abc import Callable
from typing import Protocol

from engine.board.tiles import Tile, pips
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play
from engine.match.player_view import Move, PlayerView


class Rng(Protocol):
    """A source of randomness, such as `random.Random`."""

    def randrange(self, stop: int, /) -> int:
        """Return a number from 0 to stop - 1."""

    def random(self) -> float:
        """Return a number from 0 up to but excluding 1."""


def choose(seen: PlayerView, rng: Rng) -> Action:
    """Return the greedy action of the viewer, who is to act."""
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
    """Return the gentle action: the move with the fewest points, without randomness, so that lessons are the same."""
    if seen.reward is not None or not seen.moves:
        return choose(seen, rng)
    assert seen.viewer is not None
    # Moves come best first.
    placement = seen.moves[-1].placement
    return Play(seen.viewer, placement.tile, placement.cell, placement.rotation)


def _worth(move: Move) -> tuple[int, int]:
    bonus = move.reward.points if move.reward is not None else 0
    return move.points + bonus, pips(move.placement.tile)


def _bonus(seen: PlayerView) -> Option:
    """Choose the points, unless the two best tiles that fit now score more."""
    assert seen.reward is not None
    if "tiles" not in seen.options:
        return "points"
    best: dict[Tile, int] = {}
    for move in seen.moves:
        best[move.placement.tile] = max(move.points, best.get(move.placement.tile, 0))
    most = sum(sorted(best.values(), reverse=True)[: seen.reward.tiles])
    return "tiles" if most > seen.reward.points else "points"


class Anything:
    """Plays a random placement."""

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        assert seen.viewer is not None
        others = 0 if seen.reward is None and seen.moves and not seen.further else len(seen.options)
        moves = () if seen.reward is not None else seen.moves
        if not moves and not others:
            return Draw(seen.viewer) if seen.can_draw else Pass(seen.viewer)
        which = rng.randrange(len(moves) + others)
        if which >= len(moves):
            return Choose(seen.viewer, seen.options[which - len(moves)])
        placement = moves[which].placement
        return Play(seen.viewer, placement.tile, placement.cell, placement.rotation)


class Careless:
    """Plays randomly half of the time, and greedily otherwise."""

    def choose(self, seen: PlayerView, rng: Rng, enough: Callable[[], bool] | None = None) -> Action:
        if seen.reward is None and seen.moves and rng.randrange(2):
            return Anything().choose(seen, rng)
        return choose(seen, rng)
