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

from bot.core.environment import closes_at, day_at, first_open, ms, streak_of
from bot.tables.ratings import NEWCOMER
from data.puzzle_book import puzzles
from data.rulebook import rules
from data.store.puzzles.store import PuzzleStore, Sharing
from data.store.puzzles.tries import PuzzleRating, PuzzleTry, RatedPuzzle
from data.store.results.scores import Rating
from data.store.store import Store
from engine.match.state import Match
from engine.puzzles.puzzle import Puzzle, beginning, most_points, proposal
from engine.record.text import parse_placement

_MODEL: Final = BradleyTerryFull()

BY_TRIES: Final = (1.0, 0.6, 0.3)  # the weight of a puzzle that is solved with the first, second or third answer
KNOWN: Final = 7.7
"""A puzzle learns only from users whose rating is at least this certain: after about three counted puzzles.
So new accounts that fail on purpose make no puzzle look harder.
"""
HINTED: Final = 0.5  # the part of the weight that remains after the hint
_LEAST: Final = 0.0001


def puzzle_weight(tried: PuzzleTry) -> float:
    if not tried.solved:
        return 1.0
    return BY_TRIES[len(tried.answers) - 1] * (HINTED if tried.hinted else 1.0)


def rate_puzzle(solver: Rating | None, puzzle: Rating | None, tried: PuzzleTry) -> RatedPuzzle:
    """Return both new ratings. None before is a newcomer, or a puzzle without results."""
    before = solver or NEWCOMER, puzzle or NEWCOMER
    teams = [[_MODEL.rating(mu=one.mu, sigma=one.sigma)] for one in before]
    after = _MODEL.rate(teams, ranks=[1.0, 2.0] if tried.solved else [2.0, 1.0])
    share = puzzle_weight(tried)
    mine, theirs = (
        _step(was, Rating(found.mu, found.sigma), share) for was, (found,) in zip(before, after, strict=True)
    )
    return mine, theirs


def rate_try(solver: Rating | None, puzzle: Rating | None, tried: PuzzleTry) -> RatedPuzzle:
    """Return the ratings to keep. A puzzle learns nothing from a user whose rating is uncertain."""
    mine, theirs = rate_puzzle(solver, puzzle, tried)
    return mine, theirs if (solver or NEWCOMER).sigma <= KNOWN else puzzle or NEWCOMER


def _step(before: Rating, after: Rating, share: float) -> Rating:
    shrunk = share * (1 - (after.sigma / before.sigma) ** 2)
    return Rating(before.mu + share * (after.mu - before.mu), before.sigma * max(1 - shrunk, _LEAST) ** 0.5)


SHOWN: Final = timedelta(days=1)  # how long after its day a result can be shared


@dataclass(frozen=True, slots=True)
class Daily:
    game: str
    day: date
    puzzle: Puzzle

    @property
    def begins_at(self) -> int:
        return ms(self.day)

    @property
    def closes_at(self) -> int:
        """When it stops counting, UTC epoch ms."""
        return closes_at(self.day)

    @property
    def match(self) -> Match:
        return _beginning(self.game, self.day)


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    tried: PuzzleTry
    streak: int  # solved days in a row, up to this puzzle's day; while it is open, up to the day before
    rating: Rating | None  # the user's rating in puzzles of this game; None before the first that counts
    hardness: PuzzleRating | None  # the rating of the puzzle; None while it is open to the user


class Dailies:
    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._puzzle_store = PuzzleStore(store.transactions)
        self.now = now

    def today(self) -> date:
        return day_at(self.now())

    def find(self, game: str, day: date) -> Daily | None:
        """Return the puzzle of a day; None without one, or before its day."""
        if day > self.today() or day not in puzzles(game):
            return None
        return Daily(game, day, puzzles(game)[day])

    def past(self, game: str) -> list[date]:
        return sorted((day for day in puzzles(game) if day <= self.today()), reverse=True)

    async def begin(self, user_id: int, daily: Daily) -> PuzzleStanding:
        """Begin a puzzle for a user, and close their puzzles of earlier days."""
        await self._puzzle_store.end_puzzles(user_id, first_open(self.now()).isoformat(), now=self.now(), rate=rate_try)
        counted = daily.day == self.today()
        tried = await self._puzzle_store.begin_puzzle(
            user_id, daily.game, daily.day.isoformat(), counted=counted, now=self.now()
        )
        return await self._standing(tried)

    async def hint(self, user_id: int, daily: Daily) -> PuzzleStanding:
        await self.begin(user_id, daily)
        return await self._standing(await self._puzzle_store.hint_puzzle(user_id, daily.game, daily.day.isoformat()))

    async def answer(self, user_id: int, daily: Daily, answer: str) -> PuzzleStanding:
        """Apply an answer of a user. It must be valid (`is_answer`)."""
        await self.begin(user_id, daily)
        tried = await self._puzzle_store.try_puzzle(
            user_id,
            daily.game,
            daily.day.isoformat(),
            answer,
            right=solves(daily, answer),
            counts=self.now() < daily.closes_at,
            now=self.now(),
            rate=rate_try,
        )
        return await self._standing(tried)

    async def _standing(self, tried: PuzzleTry) -> PuzzleStanding:
        # A puzzle that was not solved on its day ends the streak.
        lost = tried.counted and tried.solved is False
        solved = [] if lost else await self._puzzle_store.days_solved(tried.user_id, tried.game)
        return PuzzleStanding(
            tried,
            streak_of([date.fromisoformat(day) for day in solved], date.fromisoformat(tried.day)),
            await self._puzzle_store.solver_rating(tried.user_id, tried.game),
            await self._puzzle_store.puzzle_rating(tried.game, tried.day) if tried.solved is not None else None,
        )

    def may_share(self, tried: PuzzleTry) -> bool:
        """Return whether the result counts, is final, and is of today or yesterday."""
        latest = date.fromisoformat(tried.day) + SHOWN
        return tried.counted and tried.solved is not None and self.today() <= latest

    async def share(self, guild_id: int, tried: PuzzleTry) -> Sharing:
        """Share the result with a server. Return whether it is in the server's table, now or before."""
        return await self._puzzle_store.share_puzzle(guild_id, tried, now=self.now())

    async def unshare(self, guild_id: int, tried: PuzzleTry) -> None:
        """Take back a share that could not be posted."""
        await self._puzzle_store.unshare_puzzle(guild_id, tried.user_id, tried.game, tried.day)

    async def table(self, guild_id: int, daily: Daily) -> Sequence[PuzzleTry]:
        return await self._puzzle_store.table_of_day(guild_id, daily.game, daily.day.isoformat())


PARTED: Final = "@"  # separates the placements of an answer


def solves(daily: Daily, answer: str) -> bool:
    """Return whether an answer is right: a number, or placements. Raises RuleBroken, ValueError."""
    if daily.puzzle.kind == "count":
        return int(answer) == most_points(daily.match)
    line = tuple(parse_placement(text, daily.match.rules) for text in answer.split(PARTED))
    return proposal(daily.puzzle, daily.match, line).solved


@lru_cache(maxsize=64)
def _beginning(game: str, day: date) -> Match:
    return beginning(puzzles(game)[day], rules(game))
