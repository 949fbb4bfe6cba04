"""The puzzle of the day: which it is, which answers count, and the ratings.

A day is a day of UTC for everyone. A puzzle that was begun on its day counts until an hour after midnight. Everything
else is practice and changes no rating and no streak.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from openskill.models import BradleyTerryFull

from bot.core.environment import compute_closing_time, compute_first_open_day, compute_streak, to_epoch_ms, to_utc_day
from bot.tables.ratings import NEWCOMER
from data.puzzle_book import load_puzzles
from data.rulebook import load_rules
from data.store.puzzles.store import PuzzleStore, ShareResult
from data.store.puzzles.tries import PuzzleRating, PuzzleTry, RatedPuzzle
from data.store.results.scores import Rating
from data.store.store import Store
from engine.match.state import Match
from engine.puzzles.puzzle import Puzzle, build_proposal, build_start, compute_max_points
from engine.record.text import parse_placement

_MODEL: Final = BradleyTerryFull()

TRY_WEIGHTS: Final = (1.0, 0.6, 0.3)  # the weight of a puzzle that is solved with the first, second or third answer
MAX_SOLVER_SIGMA: Final = 7.7
"""A puzzle learns only from users whose rating is at least this certain: after about three counted puzzles.
So new accounts that fail on purpose make no puzzle look harder.
"""
HINT_FACTOR: Final = 0.5  # the part of the weight that remains after the hint
_MIN_VARIANCE: Final = 0.0001


def compute_weight(attempt: PuzzleTry) -> float:
    if not attempt.solved:
        return 1.0
    return TRY_WEIGHTS[len(attempt.answers) - 1] * (HINT_FACTOR if attempt.hinted else 1.0)


def rate_puzzle(solver: Rating | None, puzzle: Rating | None, attempt: PuzzleTry) -> RatedPuzzle:
    """Return both new ratings. None before is a newcomer, or a puzzle without results."""
    before = solver or NEWCOMER, puzzle or NEWCOMER
    teams = [[_MODEL.rating(mu=one.mu, sigma=one.sigma)] for one in before]
    after = _MODEL.rate(teams, ranks=[1.0, 2.0] if attempt.solved else [2.0, 1.0])
    share = compute_weight(attempt)
    pairs = zip(before, after, strict=True)
    solver_after, puzzle_after = (_scale_change(old, Rating(new.mu, new.sigma), share) for old, (new,) in pairs)
    return solver_after, puzzle_after


def rate_try(solver: Rating | None, puzzle: Rating | None, attempt: PuzzleTry) -> RatedPuzzle:
    """Return the ratings to keep. A puzzle learns nothing from a user whose rating is uncertain."""
    solver_after, puzzle_after = rate_puzzle(solver, puzzle, attempt)
    return solver_after, puzzle_after if (solver or NEWCOMER).sigma <= MAX_SOLVER_SIGMA else puzzle or NEWCOMER


def _scale_change(before: Rating, after: Rating, share: float) -> Rating:
    reduction = share * (1 - (after.sigma / before.sigma) ** 2)
    return Rating(before.mu + share * (after.mu - before.mu), before.sigma * max(1 - reduction, _MIN_VARIANCE) ** 0.5)


SHARE_PERIOD: Final = timedelta(days=1)  # how long after its day a result can be shared


@dataclass(frozen=True, slots=True)
class DailyPuzzle:
    game: str
    day: date
    puzzle: Puzzle

    @property
    def begins_at(self) -> int:
        return to_epoch_ms(self.day)

    @property
    def closes_at(self) -> int:
        """When it stops counting, UTC epoch ms."""
        return compute_closing_time(self.day)

    @property
    def match(self) -> Match:
        return _load_start(self.game, self.day)


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    attempt: PuzzleTry
    streak: int  # solved days in a row, up to this puzzle's day; while it is open, up to the day before
    rating: Rating | None  # the user's rating in puzzles of this game; None before the first that counts
    puzzle_rating: PuzzleRating | None  # the rating of the puzzle; None while it is open to the user


class PuzzleService:
    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._puzzle_store = PuzzleStore(store.transactions)
        self.now = now

    def get_today(self) -> date:
        return to_utc_day(self.now())

    def find(self, game: str, day: date) -> DailyPuzzle | None:
        """Return the puzzle of a day; None without one, or before its day."""
        if day > self.get_today() or day not in load_puzzles(game):
            return None
        return DailyPuzzle(game, day, load_puzzles(game)[day])

    def list_past_days(self, game: str) -> list[date]:
        return sorted((day for day in load_puzzles(game) if day <= self.get_today()), reverse=True)

    async def begin(self, user_id: int, daily: DailyPuzzle) -> PuzzleStanding:
        """Begin a puzzle for a user, and close their puzzles of earlier days."""
        now, counted, day = self.now(), daily.day == self.get_today(), daily.day.isoformat()
        first_open_day = compute_first_open_day(now).isoformat()
        await self._puzzle_store.end_puzzles(user_id, first_open_day, now=now, rate=rate_try)
        attempt = await self._puzzle_store.begin_puzzle(user_id, daily.game, day, counted=counted, now=now)
        return await self._load_standing(attempt)

    async def take_hint(self, user_id: int, daily: DailyPuzzle) -> PuzzleStanding:
        await self.begin(user_id, daily)
        return await self._load_standing(await self._puzzle_store.note_hint(user_id, daily.game, daily.day.isoformat()))

    async def submit_answer(self, user_id: int, daily: DailyPuzzle, answer: str) -> PuzzleStanding:
        """Apply an answer of a user. It must be valid (`is_answer`)."""
        await self.begin(user_id, daily)
        day, right, now = daily.day.isoformat(), is_solution(daily, answer), self.now()
        attempt = await self._puzzle_store.add_answer(
            user_id, daily.game, day, answer, right=right, counts=now < daily.closes_at, now=now, rate=rate_try
        )
        return await self._load_standing(attempt)

    async def _load_standing(self, attempt: PuzzleTry) -> PuzzleStanding:
        # A puzzle that was not solved on its day ends the streak.
        is_lost = attempt.counted and attempt.solved is False
        solved = [] if is_lost else await self._puzzle_store.list_solved_days(attempt.user_id, attempt.game)
        return PuzzleStanding(
            attempt,
            compute_streak([date.fromisoformat(day) for day in solved], date.fromisoformat(attempt.day)),
            await self._puzzle_store.find_solver_rating(attempt.user_id, attempt.game),
            await self._puzzle_store.find_puzzle_rating(attempt.game, attempt.day)
            if attempt.solved is not None
            else None,
        )

    def can_share(self, attempt: PuzzleTry) -> bool:
        """Return whether the result counts, is final, and is of today or yesterday."""
        latest = date.fromisoformat(attempt.day) + SHARE_PERIOD
        return attempt.counted and attempt.solved is not None and self.get_today() <= latest

    async def share(self, guild_id: int, attempt: PuzzleTry) -> ShareResult:
        """Share the result with a server. Return whether it is in the server's table, now or before."""
        return await self._puzzle_store.share_puzzle(guild_id, attempt, now=self.now())

    async def unshare(self, guild_id: int, attempt: PuzzleTry) -> None:
        """Take back a share that could not be posted."""
        await self._puzzle_store.unshare_puzzle(guild_id, attempt.user_id, attempt.game, attempt.day)

    async def load_table(self, guild_id: int, daily: DailyPuzzle) -> Sequence[PuzzleTry]:
        return await self._puzzle_store.list_shared_tries(guild_id, daily.game, daily.day.isoformat())


SEPARATOR: Final = "@"  # separates the placements of an answer


def is_solution(daily: DailyPuzzle, answer: str) -> bool:
    """Return whether an answer is right: a number, or placements. Raises RuleError, ValueError."""
    if daily.puzzle.kind == "count":
        return int(answer) == compute_max_points(daily.match)
    line = tuple(parse_placement(text, daily.match.rules) for text in answer.split(SEPARATOR))
    return build_proposal(daily.puzzle, daily.match, line).solved


@lru_cache(maxsize=64)
def _load_start(game: str, day: date) -> Match:
    return build_start(load_puzzles(game)[day], load_rules(game))
