"""How computer seats come to a move: at once, or by thinking in another process where their level takes long.

Nobody waits for that. Where no process is free in time, or one fails, the level's cheaper sibling moves.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
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

SIBLINGS: Final = {"expert": "hard", "master": "hard"}
"""The levels that think for long, and who moves where they cannot."""
BUDGET: Final = 1.5
"""Seconds after which whoever thinks answers with what they have. On a quiet machine they need a fifth of it."""

ADVISER: Final = "master"
"""Who is asked for a hint."""
ADVICE: Final = 0.5
"""Seconds that a hint is thought about."""
PROMPT: Final = 2.0
"""Seconds that somebody waits for one: a process that has to be begun may take longer, and is there the next time."""


class Chooser:
    """Finds what a computer seat does."""

    def __init__(
        self,
        rng: Random,
        workers: Workers,
        players: Callable[[str, Rules], Player] = player_of,
        siblings: Mapping[str, str] = SIBLINGS,
    ) -> None:
        self._rng = rng
        self._workers = workers
        self._players = players
        self._siblings = siblings

    def longest(self, name: str | None) -> int:
        """The ms that a level may think about a move before it has to answer; 0 for one that answers at once."""
        return round(BUDGET * 1000) if name in self._siblings else 0

    async def choose(self, name: str | None, seen: PlayerView, *, whose: int) -> Action:
        """The action of a seat; without a name, of somebody who is not there. `whose` is who has it at their table:
        nobody has all the processes to themselves. Raises Ended.
        """
        name = name or GREEDY
        if name in self._siblings:
            began = time.monotonic()
            try:
                action = await self._workers.ask(whose, (name, seen, self._rng.randrange(2**62), BUDGET))
            except Unthought as failed:
                THOUGHTS.labels(name, failed.why).inc()
                name = self._siblings[name]
            else:
                THOUGHTS.labels(name, "thought").inc()
                THOUGHT.labels(name).observe(time.monotonic() - began)
                return action
        return self._players(name, seen.rules).choose(seen, self._rng)

    async def advise(self, seen: PlayerView, *, whose: int, seed: int, at_once: bool) -> tuple[str, Action]:
        """What somebody who asks might do, and the level of who says so: the strongest, where a process is free for it,
        and its sibling where none is or it is to be said `at_once`. Nobody waits for a process here.
        """
        if not at_once and ADVISER in self._siblings:
            asked = ADVISER, seen, seed, ADVICE
            thought = asyncio.ensure_future(self._workers.ask(whose, asked, patient=False))
            thought.add_done_callback(_heard)
            with suppress(Unthought, Ended, TimeoutError):
                return ADVISER, await asyncio.wait_for(asyncio.shield(thought), PROMPT)
        name = self._siblings.get(ADVISER, SIBLINGS[ADVISER])
        return name, self._players(name, seen.rules).choose(seen, Random(seed))  # noqa: S311 - a game

    async def end(self) -> None:
        """Nobody thinks any more; whoever does is told Ended."""
        await self._workers.end()


def _heard(thought: asyncio.Future[Action]) -> None:
    """Whoever waited for it may have gone."""
    if not thought.cancelled():
        thought.exception()
