"""Solo puzzles and score attacks: stored after every action; a worker process searches for solutions."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from bot.computers.player_names import Unthought
from bot.computers.worker_pool import Workers
from bot.core.admission import RateLimit
from bot.core.environment import closes_at, day_at, first_open, ms, streak_of
from bot.core.logs import logger
from bot.solo.solver import SOLVER
from data.rulebook import rules
from data.store.solo.store import KeptAttack, KeptFigure, SoloStore
from data.store.store import Store
from engine.match.errors import RuleBroken
from engine.match.shuffle import commitment
from engine.solo.catalogue import FIGURES
from engine.solo.filling import Filling, Misfit, parse_filling
from engine.solo.score_attack import ScoreAttack, Untimely
from engine.solo.search import WaysFound
from engine.table.terms import DAY

log = logger(__name__)

SLOWEST: Final = 120.0  # the longest time of a search, in seconds. Usually its budget of steps ends it.
REMEMBERED: Final = 500  # cached answers
AGAIN: Final = 24 * 3600 * 1000  # milliseconds until a user may share the same puzzle again


@dataclass(frozen=True, slots=True)
class Standing:
    """A user's state in a puzzle, and whether the change was made."""

    kept: KeptFigure
    filling: Filling
    done: bool = True  # false if the puzzle had changed, or the tile does not fit any more


class Figures:
    def __init__(self, store: Store, now: Callable[[], int], workers: Workers | None = None) -> None:
        self._store, self._now = store, now
        self.workers = workers or Workers(most=1, limit=SLOWEST, whole=SLOWEST, patience=SLOWEST, program=SOLVER)
        self._limit = RateLimit(now, most=8, per_second=1 / 5)
        self._shares = RateLimit(now, most=3, per_second=1 / 600)
        self._known: OrderedDict[tuple[str, frozenset[str]], WaysFound] = OrderedDict()

    async def standing(self, user_id: int, name: str) -> Standing:
        """Return a user's state in a puzzle. Raises KeyError."""
        figure, kept = FIGURES[name], await SoloStore(self._store.transactions).figure(user_id, name)
        try:
            return Standing(kept, parse_filling(figure, kept.acts))
        except Misfit as error:
            log.warning("a figure cannot be read and starts empty", figure=name, reason=str(error)[:200])
            return Standing(replace(kept, acts=""), Filling(figure))

    async def last(self, user_id: int) -> str:
        name = await SoloStore(self._store.transactions).last_figure(user_id)
        return name if name in FIGURES else next(iter(FIGURES))

    async def change(
        self, user_id: int, name: str, version: int, change: Callable[[Filling], Filling], *, hints: int = 0
    ) -> Standing:
        """Change the version that the user has seen; do nothing if it is not the latest."""
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
            before.kept, acts=str(after), hints=0 if anew else before.kept.hints + hints, solved_at=solved_at
        )
        done = await SoloStore(self._store.transactions).keep_figure(user_id, kept, now=self._now())
        return replace(await self.standing(user_id, name), done=done)

    async def ways(self, user_id: int, filling: Filling) -> WaysFound | None:
        """Return how a puzzle can be filled from here; None if too many users ask, or one asks too often."""
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
        """Mark a puzzle as shared and return when; None if it was shared recently or too many were."""
        now = self._now()
        if not self._shares.take(user_id):
            return None
        return (
            now
            if await SoloStore(self._store.transactions).begin_sharing_figure(user_id, name, again=now - AGAIN, now=now)
            else None
        )

    async def not_shared(self, user_id: int, name: str, at: int) -> None:
        """Undo `begin_sharing` after a failed post."""
        await SoloStore(self._store.transactions).figure_not_shared(user_id, name, at=at)

    async def end(self) -> None:
        await self.workers.end()


GAME: Final = "triominoes"


@dataclass(frozen=True, slots=True)
class AttackStanding:
    """A user's state in a deal, and whether the change was made."""

    kept: KeptAttack
    attack: ScoreAttack
    until: int  # when it closes, UTC epoch ms
    today: bool  # whether it is today's deal; else it is yesterday's, begun in time
    done: bool = True  # false if another device was faster, or the rules forbid it

    @property
    def day(self) -> date:
        return date.fromisoformat(self.kept.day)


@dataclass(frozen=True, slots=True)
class OwnAttacks:
    best: tuple[date, int]  # the day and the points of the best counted attempt
    streak: int  # counted days in a row, up to this one or the one before


@dataclass(frozen=True, slots=True)
class OpenedDeal:
    """What a closed deal was shuffled from."""

    day: date
    secret: bytes


class ScoreAttackDays:
    def __init__(self, store: Store, now: Callable[[], int], secret: Callable[[], bytes]) -> None:
        self._store, self._now, self._secret = store, now, secret

    def today(self) -> date:
        return day_at(self._now())

    async def current(self, user_id: int) -> AttackStanding:
        """Return today's attempt, or yesterday's while it can be finished."""
        late = await self._of_yesterday(user_id)
        if late is not None and late.points is None:
            return await self._standing(late)
        found = await self._begun(user_id, self.today(), practice=False)
        if found.points is None:
            return await self._standing(found)
        practice = await SoloStore(self._store.transactions).attack(user_id, found.day, practice=True)
        return await self._standing(found if practice is None or practice.points is not None else practice)

    async def standing(self, user_id: int, day: date, *, practice: bool) -> AttackStanding | None:
        """Return a user's state in a deal; None before its day or after its end."""
        today = self.today()
        if day == today:
            first = await self._begun(user_id, day, practice=False)
            if practice and first.points is not None:
                return await self._standing(await self._begun(user_id, day, practice=True))
            return await self._standing(first)
        late = await self._of_yesterday(user_id) if day == today - timedelta(days=1) and not practice else None
        return None if late is None else await self._standing(late)

    async def change(
        self,
        before: AttackStanding,
        version: int,
        change: Callable[[ScoreAttack], ScoreAttack],
        *,
        guild_id: int | None = None,
    ) -> AttackStanding:
        """Change the version that the user has seen; do nothing if it is not the latest, or the rules forbid it."""
        if before.kept.version != version:
            return replace(before, done=False)
        try:
            after = change(before.attack)
            over = after.is_over
        except (Untimely, RuleBroken, ValueError):
            return replace(before, done=False)
        kept = replace(before.kept, acts=str(after))
        if over:
            kept = replace(kept, points=after.points, ended_at=self._now(), guild_id=guild_id)
        elif not after.acts:
            kept = replace(kept, points=None, ended_at=None, guild_id=None)
        done = await SoloStore(self._store.transactions).keep_attack(kept)
        found = await SoloStore(self._store.transactions).attack(kept.user_id, kept.day, practice=kept.practice)
        if found is None:  # the user's data was erased in between
            return replace(before, done=False)
        return replace(await self._standing(found), done=done)

    async def listed(self, guild_id: int, day: date) -> Sequence[KeptAttack]:
        return await SoloStore(self._store.transactions).attacks_of_day(guild_id, day.isoformat())

    async def own(self, user_id: int, day: date) -> OwnAttacks | None:
        """Return a user's results; None before the first counted attempt."""
        found = [
            (date.fromisoformat(one), points)
            for one, points in await SoloStore(self._store.transactions).attack_points(user_id)
        ]
        if not found:
            return None
        best = max(found, key=lambda one: one[1])
        return OwnAttacks(best, streak_of([one for one, _ in found], day))

    async def opened(self) -> OpenedDeal | None:
        """Return the last closed deal, if it was dealt at all."""
        day = first_open(self._now()) - timedelta(days=1)
        secret = await SoloStore(self._store.transactions).known_attack_secret(day.isoformat())
        return None if secret is None else OpenedDeal(day, secret)

    async def begin_sharing(self, standing: AttackStanding) -> bool:
        """Mark an attempt as shared. False if it was shared before, or nothing is to show."""
        return await SoloStore(self._store.transactions).begin_sharing_attack(
            standing.kept.user_id, standing.kept.day, now=self._now()
        )

    async def not_shared(self, standing: AttackStanding) -> None:
        """Undo `begin_sharing` after a failed post."""
        await SoloStore(self._store.transactions).attack_not_shared(standing.kept.user_id, standing.kept.day)

    async def _begun(self, user_id: int, day: date, *, practice: bool) -> KeptAttack:
        known = await SoloStore(self._store.transactions).attack(user_id, day.isoformat(), practice=practice)
        if known is not None:
            return known
        return await SoloStore(self._store.transactions).begin_attack(
            user_id, day.isoformat(), practice=practice, began=ms(day), now=self._now()
        )

    async def _of_yesterday(self, user_id: int) -> KeptAttack | None:
        """Return yesterday's attempt, if it was begun in time and can be finished."""
        day = self.today() - timedelta(days=1)
        if self._now() >= closes_at(day):
            return None
        return await SoloStore(self._store.transactions).attack(user_id, day.isoformat(), practice=False)

    async def _standing(self, kept: KeptAttack) -> AttackStanding:
        day = date.fromisoformat(kept.day)
        # Only for a past day: a new secret must not be made for another.
        secret = await SoloStore(self._store.transactions).known_attack_secret(kept.day)
        secret = secret or await SoloStore(self._store.transactions).attack_secret(
            kept.day, self._secret(), now=self._now()
        )
        try:
            attack = ScoreAttack.parsed(rules(GAME), secret, kept.acts)
        except (Untimely, RuleBroken, ValueError) as error:
            log.warning("a score attack cannot be read and starts again", day=kept.day, reason=str(error)[:200])
            # Its player has seen some of the tiles.
            kept, attack = replace(kept, counted=False, acts="", points=None), ScoreAttack(rules(GAME), secret)
        return AttackStanding(kept, attack, closes_at(day), today=day == self.today())


def committed(standing: AttackStanding) -> str:
    """Return the commitment that was fixed before anyone saw the deal."""
    return commitment(standing.attack.secret)


FIGURES_KEPT: Final = 180 * DAY
"""A solo puzzle that was not changed for so many ms is deleted."""
ATTACKS_KEPT: Final = 30 * DAY
"""The tiles of a score attack that is older are deleted; its scores stay."""


async def prune(store: SoloStore, now: int) -> None:
    """Delete outdated solo puzzles and the tiles of outdated score attacks."""
    await SoloStore(store.transactions).prune_figures(now - FIGURES_KEPT)
    await SoloStore(store.transactions).prune_attacks(day_at(now - ATTACKS_KEPT).isoformat())
