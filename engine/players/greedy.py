"""The greedy computer player: most points now, then the heaviest tile. And a gentle one for guided games."""

from collections.abc import Callable
from typing import Protocol

from engine.board.tiles import Tile, count_pips
from engine.match.actions import Action, Choose, Draw, Option, Pass, Play
from engine.match.player_view import Move, PlayerView


class Rng(Protocol):
    """A source of randomness, such as `random.Random`."""

    def randrange(self, stop: int, /) -> int:
        """Return a number from 0 to stop - 1."""

    def random(self) -> float:
        """Return a number from 0 up to but excluding 1."""


def choose(view: PlayerView, rng: Rng) -> Action:
    """Return the greedy action of the viewer, who is to act."""
    assert view.viewer is not None
    if view.reward is not None:
        return Choose(view.viewer, _choose_bonus(view))
    if not view.moves:
        if "stop" in view.options:
            return Choose(view.viewer, "stop")
        return Draw(view.viewer) if view.can_draw else Pass(view.viewer)
    best = max(map(_evaluate_move, view.moves))
    equals = [move for move in view.moves if _evaluate_move(move) == best]
    placement = equals[rng.randrange(len(equals))].placement
    return Play(view.viewer, placement.tile, placement.cell, placement.rotation)


def choose_gently(view: PlayerView, rng: Rng) -> Action:
    """Return the gentle action: the move with the fewest points, without randomness, so that lessons are the same."""
    if view.reward is not None or not view.moves:
        return choose(view, rng)
    assert view.viewer is not None
    # Moves come best first.
    placement = view.moves[-1].placement
    return Play(view.viewer, placement.tile, placement.cell, placement.rotation)


def _evaluate_move(move: Move) -> tuple[int, int]:
    bonus = move.reward.points if move.reward is not None else 0
    return move.points + bonus, count_pips(move.placement.tile)


def _choose_bonus(view: PlayerView) -> Option:
    """Choose the points, unless the two best tiles that fit now score more."""
    assert view.reward is not None
    if "tiles" not in view.options:
        return "points"
    best: dict[Tile, int] = {}
    for move in view.moves:
        best[move.placement.tile] = max(move.points, best.get(move.placement.tile, 0))
    most = sum(sorted(best.values(), reverse=True)[: view.reward.tiles])
    return "tiles" if most > view.reward.points else "points"


def _get_contest_order(move: Move) -> tuple[int, Tile, str, int]:
    """Sort moves for a random choice. Recorded contests can be repeated only if this order never changes."""
    return -move.points, move.placement.tile, move.letter, move.placement.rotation


class RandomPlayer:
    """Plays a random placement."""

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        assert view.viewer is not None
        others = 0 if view.reward is None and view.moves and not view.further else len(view.options)
        moves = [] if view.reward is not None else sorted(view.moves, key=_get_contest_order)
        if not moves and not others:
            return Draw(view.viewer) if view.can_draw else Pass(view.viewer)
        which = rng.randrange(len(moves) + others)
        if which >= len(moves):
            return Choose(view.viewer, view.options[which - len(moves)])
        placement = moves[which].placement
        return Play(view.viewer, placement.tile, placement.cell, placement.rotation)


class HalfRandomPlayer:
    """Plays randomly half of the time, and greedily otherwise."""

    def choose(self, view: PlayerView, rng: Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        if view.reward is None and view.moves and rng.randrange(2):
            return RandomPlayer().choose(view, rng)
        return choose(view, rng)
