"""Solo puzzles and score attacks: stored after every action; a worker process searches for solutions."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from bot.computers.player_names import ComputationError
from bot.computers.worker_pool import WorkerPool
from bot.core.admission import RateLimit
from bot.core.environment import compute_closing_time, compute_first_open_day, compute_streak, to_epoch_ms, to_utc_day
from bot.core.logs import get_logger
from bot.solo.solver import SOLVER_COMMAND
from data.rulebook import load_rules
from data.store.solo.store import SoloStore, StoredAttack, StoredFigure
from data.store.store import Store
from engine.match.errors import RuleError
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, FillingError, parse_filling
from engine.solo.score_attack import ScoreAttack, ScoreAttackError
from engine.solo.search import SearchResult
from engine.table.terms import DAY

log = get_logger(__name__)

SEARCH_TIMEOUT: Final = 120.0  # the longest time of a search, in seconds. Usually its budget of steps ends it.
CACHE_SIZE: Final = 500  # cached answers
SHARE_AGAIN_AFTER: Final = 24 * 3600 * 1000  # milliseconds until a user may share the same puzzle again


@dataclass(frozen=True, slots=True)
class FigureState:
    """A user's state in a puzzle, and whether the change was made."""

    stored: StoredFigure
    filling: Filling
    is_applied: bool = True  # false if the puzzle had changed, or the tile does not fit any more


class FigureService:
    def __init__(self, store: Store, now: Callable[[], int], workers: WorkerPool | None = None) -> None:
        self._store, self._now = SoloStore(store.transactions), now
        self.workers = workers or WorkerPool(
            most_workers=1,
            silence_timeout=SEARCH_TIMEOUT,
            answer_timeout=SEARCH_TIMEOUT,
            queue_timeout=SEARCH_TIMEOUT,
            command=SOLVER_COMMAND,
        )
        self._limit = RateLimit(now, burst=8, per_second=1 / 5)
        self._shares = RateLimit(now, burst=3, per_second=1 / 600)
        self._cache: OrderedDict[tuple[str, frozenset[str]], SearchResult] = OrderedDict()

    async def load(self, user_id: int, name: str) -> FigureState:
        """Return a user's state in a puzzle. Raises KeyError."""
        figure, stored = FIGURES[name], await self._store.load_figure(user_id, name)
        try:
            return FigureState(stored, parse_filling(figure, stored.acts))
        except FillingError as error:
            log.warning("a figure cannot be read and starts empty", figure=name, reason=str(error)[:200])
            return FigureState(replace(stored, acts=""), Filling(figure))

    async def load_last_name(self, user_id: int) -> str:
        name = await self._store.find_last_figure(user_id)
        return name if name in FIGURES else next(iter(FIGURES))

    async def change(
        self, user_id: int, name: str, version: int, change: Callable[[Filling], Filling], *, hints: int = 0
    ) -> FigureState:
        """Change the version that the user has seen; do nothing if it is not the latest."""
        before = await self.load(user_id, name)
        if before.stored.version != version:
            return replace(before, is_applied=False)
        try:
            after = change(before.filling)
        except FillingError:
            return replace(before, is_applied=False)
        solved_at = before.stored.solved_at or (self._now() if after.is_full else None)
        restarted = not after.acts and before.filling.is_full
        hints = 0 if restarted else before.stored.hints + hints
        stored = replace(before.stored, acts=str(after), hints=hints, solved_at=solved_at)
        done = await self._store.save_figure(user_id, stored, now=self._now())
        return replace(await self.load(user_id, name), is_applied=done)

    async def search_ways(self, user_id: int, filling: Filling) -> SearchResult | None:
        """Return how a puzzle can be filled from here; None if too many users ask, or one asks too often."""
        key = filling.figure.name, frozenset(map(str, filling.placed.values()))
        known = self._cache.get(key)
        if known is not None:
            self._cache.move_to_end(key)
            return known
        if not self._limit.take(user_id):
            return None
        try:
            found = await self.workers.work(user_id, (filling.figure.name, str(filling), 1), (SearchResult,))
        except ComputationError as why:
            log.info("a figure was not searched", how=why.why)
            return None
        self._cache[key] = found
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return found

    async def begin_sharing(self, user_id: int, name: str) -> int | None:
        """Mark a puzzle as shared and return when; None if it was shared recently or too many were."""
        now = self._now()
        if not self._shares.take(user_id):
            return None
        begun = await self._store.begin_sharing_figure(user_id, name, again=now - SHARE_AGAIN_AFTER, now=now)
        return now if begun else None

    async def undo_sharing(self, user_id: int, name: str, shared_at: int) -> None:
        """Undo `begin_sharing` after a failed post."""
        await self._store.cancel_sharing_figure(user_id, name, at=shared_at)

    async def end(self) -> None:
        await self.workers.end()


GAME: Final = "triominoes"


@dataclass(frozen=True, slots=True)
class AttackState:
    """A user's state in a deal, and whether the change was made."""

    stored: StoredAttack
    attack: ScoreAttack
    until: int  # when it closes, UTC epoch ms
    is_today: bool  # whether it is today's deal; else it is yesterday's, begun in time
    is_applied: bool = True  # false if another device was faster, or the rules forbid it

    @property
    def day(self) -> date:
        return date.fromisoformat(self.stored.day)


@dataclass(frozen=True, slots=True)
class OwnResults:
    best: tuple[date, int]  # the day and the points of the best counted attempt
    streak: int  # counted days in a row, up to this one or the one before


@dataclass(frozen=True, slots=True)
class RevealedDeal:
    """What a closed deal was shuffled from."""

    day: date
    secret: bytes


class ScoreAttackService:
    def __init__(self, store: Store, now: Callable[[], int], secret: Callable[[], bytes]) -> None:
        self._store, self._now, self._secret = SoloStore(store.transactions), now, secret

    def get_today(self) -> date:
        return to_utc_day(self._now())

    async def load_current(self, user_id: int) -> AttackState:
        """Return today's attempt, or yesterday's while it can be finished."""
        yesterday = await self._load_yesterday(user_id)
        if yesterday is not None and yesterday.points is None:
            return await self._build_state(yesterday)
        found = await self._load_or_begin(user_id, self.get_today(), practice=False)
        if found.points is None:
            return await self._build_state(found)
        practice = await self._store.find_attack(user_id, found.day, practice=True)
        return await self._build_state(found if practice is None or practice.points is not None else practice)

    async def load(self, user_id: int, day: date, *, practice: bool) -> AttackState | None:
        """Return a user's state in a deal; None before its day or after its end."""
        today = self.get_today()
        if day == today:
            first = await self._load_or_begin(user_id, day, practice=False)
            if practice and first.points is not None:
                return await self._build_state(await self._load_or_begin(user_id, day, practice=True))
            return await self._build_state(first)
        yesterday = await self._load_yesterday(user_id) if day == today - timedelta(days=1) and not practice else None
        return None if yesterday is None else await self._build_state(yesterday)

    async def change(
        self,
        before: AttackState,
        version: int,
        change: Callable[[ScoreAttack], ScoreAttack],
        *,
        guild_id: int | None = None,
    ) -> AttackState:
        """Change the version that the user has seen; do nothing if it is not the latest, or the rules forbid it."""
        if before.stored.version != version:
            return replace(before, is_applied=False)
        try:
            after = change(before.attack)
            over = after.is_over
        except (ScoreAttackError, RuleError, ValueError):
            return replace(before, is_applied=False)
        stored = replace(before.stored, acts=str(after))
        if over:
            stored = replace(stored, points=after.points, ended_at=self._now(), guild_id=guild_id)
        elif not after.acts:
            stored = replace(stored, points=None, ended_at=None, guild_id=None)
        done = await self._store.save_attack(stored)
        found = await self._store.find_attack(stored.user_id, stored.day, practice=stored.practice)
        if found is None:  # the user's data was erased in between
            return replace(before, is_applied=False)
        return replace(await self._build_state(found), is_applied=done)

    async def list_attacks(self, guild_id: int, day: date) -> Sequence[StoredAttack]:
        return await self._store.list_attacks(guild_id, day.isoformat())

    async def load_own_results(self, user_id: int, day: date) -> OwnResults | None:
        """Return a user's results; None before the first counted attempt."""
        results = [(date.fromisoformat(one), points) for one, points in await self._store.list_attack_points(user_id)]
        if not results:
            return None
        best = max(results, key=lambda one: one[1])
        return OwnResults(best, compute_streak([one for one, _ in results], day))

    async def load_revealed_deal(self) -> RevealedDeal | None:
        """Return the last closed deal, if it was dealt at all."""
        day = compute_first_open_day(self._now()) - timedelta(days=1)
        secret = await self._store.find_attack_secret(day.isoformat())
        return None if secret is None else RevealedDeal(day, secret)

    async def begin_sharing(self, state: AttackState) -> bool:
        """Mark an attempt as shared. False if it was shared before, or nothing is to show."""
        return await self._store.begin_sharing_attack(state.stored.user_id, state.stored.day, now=self._now())

    async def undo_sharing(self, state: AttackState) -> None:
        """Undo `begin_sharing` after a failed post."""
        await self._store.cancel_sharing_attack(state.stored.user_id, state.stored.day)

    async def _load_or_begin(self, user_id: int, day: date, *, practice: bool) -> StoredAttack:
        known = await self._store.find_attack(user_id, day.isoformat(), practice=practice)
        return known or await self._store.begin_attack(
            user_id, day.isoformat(), practice=practice, began=to_epoch_ms(day), now=self._now()
        )

    async def _load_yesterday(self, user_id: int) -> StoredAttack | None:
        """Return yesterday's attempt, if it was begun in time and can be finished."""
        day = self.get_today() - timedelta(days=1)
        if self._now() >= compute_closing_time(day):
            return None
        return await self._store.find_attack(user_id, day.isoformat(), practice=False)

    async def _build_state(self, stored: StoredAttack) -> AttackState:
        day = date.fromisoformat(stored.day)
        # Only for a past day: a new secret must not be made for another.
        secret = await self._store.find_attack_secret(stored.day)
        secret = secret or await self._store.load_attack_secret(stored.day, self._secret(), now=self._now())
        try:
            attack = ScoreAttack.from_text(load_rules(GAME), secret, stored.acts)
        except (ScoreAttackError, RuleError, ValueError) as error:
            log.warning("a score attack cannot be read and starts again", day=stored.day, reason=str(error)[:200])
            # Its player has seen some of the tiles.
            stored, attack = replace(stored, counted=False, acts="", points=None), ScoreAttack(load_rules(GAME), secret)
        return AttackState(stored, attack, compute_closing_time(day), is_today=day == self.get_today())


FIGURE_RETENTION: Final = 180 * DAY
"""A solo puzzle that was not changed for so many ms is deleted."""
ATTACK_RETENTION: Final = 30 * DAY
"""The tiles of a score attack that is older are deleted; its scores stay."""


async def prune(store: SoloStore, now: int) -> None:
    """Delete outdated solo puzzles and the tiles of outdated score attacks."""
    await store.prune_figures(now - FIGURE_RETENTION)
    await store.prune_attacks(to_utc_day(now - ATTACK_RETENTION).isoformat())
