"""Choosing moves for computer seats: in a worker for slow levels, with a fallback level if none is free."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

from bot.computers.player_names import ComputationError, get_player
from bot.computers.worker_pool import ShutdownError, WorkerPool
from bot.core.metrics import COMPUTER_MOVES, THINKING_SECONDS
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players.levels import Player
from engine.table.terms import GREEDY

FALLBACK_LEVELS: Final = {"expert": "hard", "master": "hard"}  # The fallback of each slow level.
MOVE_BUDGET: Final = 1.5  # seconds for a move; a quiet machine needs a fifth of it
HINT_LEVEL: Final = "master"  # the level that gives hints
HINT_BUDGET: Final = 0.5  # seconds of thinking for a hint
HINT_TIMEOUT: Final = 2.0  # seconds to wait for a hint, for a worker that has to start


@dataclass(eq=False)
class MoveChooser:
    rng: Random
    workers: WorkerPool
    players: Callable[[str, Rules], Player] = get_player
    fallbacks: Mapping[str, str] = field(default_factory=lambda: FALLBACK_LEVELS)

    def get_time_limit(self, name: str | None) -> int:
        """Return the ms that a level may think about a move; 0 for a level that answers at once."""
        return round(MOVE_BUDGET * 1000) if name in self.fallbacks else 0

    async def choose(self, name: str | None, view: PlayerView, *, owner_id: int) -> Action:
        """Return a seat's action; without a name, a stand-in's. `owner_id` shares the workers fairly. Raises
        ShutdownError.
        """
        name = name or GREEDY
        if name in self.fallbacks:
            started_at = time.monotonic()
            try:
                action = await self.workers.ask(owner_id, (name, view, self.rng.randrange(2**62), MOVE_BUDGET))
            except ComputationError as failed:
                COMPUTER_MOVES.labels(name, failed.why).inc()
                name = self.fallbacks[name]
            else:
                COMPUTER_MOVES.labels(name, "thought").inc()
                THINKING_SECONDS.labels(name).observe(time.monotonic() - started_at)
                return action
        return self.players(name, view.rules).choose(view, self.rng)

    async def advise(self, view: PlayerView, *, owner_id: int, seed: int, skip_worker: bool) -> tuple[str, Action]:
        """Return a hint and its level: the strongest if a worker is free and not `skip_worker`, else its fallback."""
        if not skip_worker and HINT_LEVEL in self.fallbacks:
            request = HINT_LEVEL, view, seed, HINT_BUDGET
            future = asyncio.ensure_future(self.workers.ask(owner_id, request, patient=False))
            future.add_done_callback(_retrieve_exception)
            with suppress(ComputationError, ShutdownError, TimeoutError):
                return HINT_LEVEL, await asyncio.wait_for(asyncio.shield(future), HINT_TIMEOUT)
        name = self.fallbacks.get(HINT_LEVEL, FALLBACK_LEVELS[HINT_LEVEL])
        return name, self.players(name, view.rules).choose(view, Random(seed))  # noqa: S311 - a game

    async def end(self) -> None:
        await self.workers.end()


def _retrieve_exception(future: asyncio.Future[Action]) -> None:
    if not future.cancelled():
        future.exception()
