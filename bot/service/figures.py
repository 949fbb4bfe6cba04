"""Filling figures alone: what somebody does with theirs is kept at once; another process searches them."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from bot.base.admission import RateLimit
from bot.base.logs import logger
from bot.service.players import Unthought
from bot.service.solver import SOLVER
from bot.service.workers import Workers
from data.store import Store
from data.store.figures import KeptFigure
from engine.figures.catalogue import FIGURES
from engine.figures.filling import Filling, Misfit, parse_filling
from engine.figures.search import WaysFound

log = logger(__name__)

SLOWEST: Final = 120.0
"""Seconds that a search may take, whatever else the machine does. What ends it is its budget of steps."""
REMEMBERED: Final = 500
"""Answers that are kept in memory: whoever asks the same again has them at once."""
AGAIN: Final = 24 * 3600 * 1000
"""Ms after which the same person may show the same figure to all once more."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far somebody is with a figure, and whether what they wanted was done."""

    kept: KeptFigure
    filling: Filling
    done: bool = True
    """False where it had moved on, or did not fit any more."""


def searching_apart() -> Workers:
    """The one process that searches."""
    return Workers(most=1, limit=SLOWEST, whole=SLOWEST, patience=SLOWEST, program=SOLVER)


class Figures:
    """Everybody's figures. Whose they are is who asks: nothing that is pressed says so."""

    def __init__(self, store: Store, now: Callable[[], int], workers: Workers | None = None) -> None:
        self._store, self._now = store, now
        self.workers = workers or searching_apart()
        self._limit = RateLimit(now, most=8, per_second=1 / 5)
        self._shares = RateLimit(now, most=3, per_second=1 / 600)
        self._known: OrderedDict[tuple[str, frozenset[str]], WaysFound] = OrderedDict()

    async def standing(self, user_id: int, name: str) -> Standing:
        """How far somebody is with a figure. KeyError where there is no such figure."""
        figure, kept = FIGURES[name], await self._store.figure(user_id, name)
        try:
            return Standing(kept, parse_filling(figure, kept.acts))
        except Misfit as error:
            log.warning("a figure cannot be read and begins anew", figure=name, reason=str(error)[:200])
            return Standing(replace(kept, acts=""), Filling(figure))

    async def last(self, user_id: int) -> str:
        """The figure that somebody was at last; the first one of all for a newcomer."""
        name = await self._store.last_figure(user_id)
        return name if name in FIGURES else next(iter(FIGURES))

    async def change(
        self, user_id: int, name: str, version: int, change: Callable[[Filling], Filling], *, hints: int = 0
    ) -> Standing:
        """Do something with the version that somebody has seen, or nothing where another device was quicker."""
        before = await self.standing(user_id, name)
        if before.kept.version != version:
            return replace(before, done=False)
        try:
            after = change(before.filling)
        except Misfit:
            return replace(before, done=False)
        solved_at = before.kept.solved_at or (self._now() if after.is_full else None)
        anew = not after.acts and before.filling.is_full
        kept = replace(
            before.kept,
            acts=str(after),
            hints=0 if anew else before.kept.hints + hints,
            solved_at=solved_at,
        )
        done = await self._store.keep_figure(user_id, kept, now=self._now())
        return replace(await self.standing(user_id, name), done=done)

    async def ways(self, user_id: int, filling: Filling) -> WaysFound | None:
        """How a figure can be filled from here; None where too many ask, or one too often."""
        key = filling.figure.name, frozenset(map(str, filling.placed.values()))
        known = self._known.get(key)
        if known is not None:
            self._known.move_to_end(key)
            return known
        if not self._limit.take(user_id):
            return None
        try:
            found = await self.workers.work(user_id, (filling.figure.name, str(filling), 1), (WaysFound,))
        except Unthought as why:
            log.info("a figure was not searched", how=why.why)
            return None
        self._known[key] = found
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return found

    async def begin_sharing(self, user_id: int, name: str) -> int | None:
        """The moment since which a figure counts as shown to all; None where it was, lately, or many others were."""
        now = self._now()
        if not self._shares.take(user_id):
            return None
        return now if await self._store.begin_sharing_figure(user_id, name, again=now - AGAIN, now=now) else None

    async def not_shared(self, user_id: int, name: str, at: int) -> None:
        """Nothing came of it."""
        await self._store.figure_not_shared(user_id, name, at=at)

    async def end(self) -> None:
        """Nobody searches any more."""
        await self.workers.end()
