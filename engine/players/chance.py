"""Random players: a random move, always or half of the time."""

from collections.abc import Callable

from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.match.player_view import PlayerView
from engine.players import greedy
from engine.players.greedy import Rng


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
        return greedy.choose(seen, rng)
