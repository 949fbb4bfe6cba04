"""Choosing moves for computer seats: in a worker for slow levels, with a fallback level if none is free."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

from bot.computers.player_names import Unthought, player_of
from bot.computers.worker_pool import Ended, Workers
from bot.core.metrics import THOUGHT, THOUGHTS
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.match.rules import Rules
from engine.players.levels import Player
from engine.table.terms import GREEDY

SIBLINGS: Final = {"expert": "hard", "master": "hard"}  # The fallback of each slow level.
BUDGET: Final = 1.5  # seconds for a move; a quiet machine needs a fifth of it
ADVISER: Final = "master"  # the level that gives hints
ADVICE: Final = 0.5  # seconds of thinking for a hint
PROMPT: Final = 2.0  # seconds to wait for a hint, for a worker that has to start


@dataclass(eq=False)
class Chooser:
    rng: Random
    workers: Workers
    players: Callable[[str, Rules], Player] = player_of
    siblings: Mapping[str, str] = field(default_factory=lambda: SIBLINGS)

    def longest(self, name: str | None) -> int:
        """Return the ms that a level may think about a move; 0 for a level that answers at once."""
        return round(BUDGET * 1000) if name in self.siblings else 0

    async def choose(self, name: str | None, seen: PlayerView, *, whose: int) -> Action:
        """Return a seat's action; without a name, a stand-in's. `whose` shares the workers fairly. Raises Ended."""
        name = name or GREEDY
        if name in self.siblings:
            began = time.monotonic()
            try:
                action = await self.workers.ask(whose, (name, seen, self.rng.randrange(2**62), BUDGET))
            except Unthought as failed:
                THOUGHTS.labels(name, failed.why).inc()
                name = self.siblings[name]
            else:
                THOUGHTS.labels(name, "thought").inc()
                THOUGHT.labels(name).observe(time.monotonic() - began)
                return action
        return self.players(name, seen.rules).choose(seen, self.rng)

    async def advise(self, seen: PlayerView, *, whose: int, seed: int, at_once: bool) -> tuple[str, Action]:
        """Return a hint and its level: the strongest if a worker is free and not `at_once`, else its fallback."""
        if not at_once and ADVISER in self.siblings:
            asked = ADVISER, seen, seed, ADVICE
            thought = asyncio.ensure_future(self.workers.ask(whose, asked, patient=False))
            thought.add_done_callback(_retrieve_exception)
            with suppress(Unthought, Ended, TimeoutError):
                return ADVISER, await asyncio.wait_for(asyncio.shield(thought), PROMPT)
        name = self.siblings.get(ADVISER, SIBLINGS[ADVISER])
        return name, self.players(name, seen.rules).choose(seen, Random(seed))  # noqa: S311 - a game

    async def end(self) -> None:
        await self.workers.end()


def _retrieve_exception(thought: asyncio.Future[Action]) -> None:
    if not thought.cancelled():
        thought.exception()
