"""The puzzle of the day: which it is, what counts, and what becomes of an answer.

A day is one of UTC, and the same for all the world; nobody's own clock or time zone is asked. What somebody began on
its day counts until an hour after midnight, so that midnight takes nothing from whoever is at it. Everything else is
practice: it changes no rating and no streak.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from openskill.models import BradleyTerryFull

from bot.core.days import closes_at, day_at, first_open, ms, streak_of
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

BY_TRIES: Final = (1.0, 0.6, 0.3)
"""What it weighs to solve a puzzle with the first answer, the second, the third."""
KNOWN: Final = 7.7
"""As sure as this one has to be of somebody before a puzzle learns from them: after three that count, or a few
more. Whoever makes accounts that lose on purpose makes no puzzle look harder.
"""
HINTED: Final = 0.5
"""What is left of that after the hint."""
_LEAST: Final = 0.0001


def puzzle_weight(tried: PuzzleTry) -> float:
    """How much it says of the two how it went: from 0 to 1."""
    if not tried.solved:
        return 1.0
    return BY_TRIES[len(tried.answers) - 1] * (HINTED if tried.hinted else 1.0)


def rate_puzzle(solver: Rating | None, puzzle: Rating | None, tried: PuzzleTry) -> RatedPuzzle:
    """What becomes of both ratings; None before is a newcomer, and a puzzle that nobody has ended."""
    before = solver or NEWCOMER, puzzle or NEWCOMER
    teams = [[_MODEL.rating(mu=one.mu, sigma=one.sigma)] for one in before]
    after = _MODEL.rate(teams, ranks=[1.0, 2.0] if tried.solved else [2.0, 1.0])
    share = puzzle_weight(tried)
    mine, theirs = (
        _step(was, Rating(found.mu, found.sigma), share) for was, (found,) in zip(before, after, strict=True)
    )
    return mine, theirs


def rate_try(solver: Rating | None, puzzle: Rating | None, tried: PuzzleTry) -> RatedPuzzle:
    """What is kept of that: of somebody who is hardly known the puzzle learns nothing."""
    mine, theirs = rate_puzzle(solver, puzzle, tried)
    return mine, theirs if (solver or NEWCOMER).sigma <= KNOWN else puzzle or NEWCOMER


def _step(before: Rating, after: Rating, share: float) -> Rating:
    """A part of the way from the one to the other."""
    shrunk = share * (1 - (after.sigma / before.sigma) ** 2)
    return Rating(before.mu + share * (after.mu - before.mu), before.sigma * max(1 - shrunk, _LEAST) ** 0.5)


SHOWN: Final = timedelta(days=1)
"""So long after its day somebody may show others how it went: nobody fills a channel with a year of them."""


@dataclass(frozen=True, slots=True)
class Daily:
    """A puzzle with its game and its day."""

    game: str
    day: date
    puzzle: Puzzle

    @property
    def begins_at(self) -> int:
        """UTC epoch ms."""
        return ms(self.day)

    @property
    def closes_at(self) -> int:
        """When it cannot be ended any more so that it counts, UTC epoch ms."""
        return closes_at(self.day)

    @property
    def match(self) -> Match:
        """The round at which it begins. Nobody changes it."""
        return _beginning(self.game, self.day)


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """How somebody stands with a puzzle, and what they have come to by now."""

    tried: PuzzleTry
    streak: int
    """Days in a row, up to this puzzle's day, whose puzzles they solved; while it is open, up to the one before it."""
    rating: Rating | None
    """By the puzzles of this game; None before the first that counts."""
    hardness: PuzzleRating | None
    """Of the puzzle; None while it is open to them, so that nobody learns from it how hard it is."""


class Dailies:
    """The puzzles of the day, and what people did with them."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._puzzle_store = PuzzleStore(store.transactions)
        self.now = now

    def today(self) -> date:
        """The day that it is, by UTC."""
        return day_at(self.now())

    def find(self, game: str, day: date) -> Daily | None:
        """The puzzle of a day that has come; None where there is none, or not yet."""
        if day > self.today() or day not in puzzles(game):
            return None
        return Daily(game, day, puzzles(game)[day])

    def past(self, game: str) -> list[date]:
        """The days whose puzzles can be had, newest first."""
        return sorted((day for day in puzzles(game) if day <= self.today()), reverse=True)

    async def begin(self, user_id: int, daily: Daily) -> PuzzleStanding:
        """Somebody looks at a puzzle; what they left on days before is settled."""
        await self._puzzle_store.end_puzzles(user_id, first_open(self.now()).isoformat(), now=self.now(), rate=rate_try)
        counted = daily.day == self.today()
        tried = await self._puzzle_store.begin_puzzle(
            user_id, daily.game, daily.day.isoformat(), counted=counted, now=self.now()
        )
        return await self._standing(tried)

    async def hint(self, user_id: int, daily: Daily) -> PuzzleStanding:
        """Somebody takes the hint."""
        await self.begin(user_id, daily)
        return await self._standing(await self._puzzle_store.hint_puzzle(user_id, daily.game, daily.day.isoformat()))

    async def answer(self, user_id: int, daily: Daily, answer: str) -> PuzzleStanding:
        """Somebody answers, with something that `is_answer`."""
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
        # What was not solved on its day ends a row of days, and nothing of it is told beside that.
        lost = tried.counted and tried.solved is False
        solved = [] if lost else await self._puzzle_store.days_solved(tried.user_id, tried.game)
        return PuzzleStanding(
            tried,
            streak_of([date.fromisoformat(day) for day in solved], date.fromisoformat(tried.day)),
            await self._puzzle_store.solver_rating(tried.user_id, tried.game),
            await self._puzzle_store.puzzle_rating(tried.game, tried.day) if tried.solved is not None else None,
        )

    def may_share(self, tried: PuzzleTry) -> bool:
        """Whether somebody may show this to others: it counts, is over, and is of today or yesterday."""
        latest = date.fromisoformat(tried.day) + SHOWN
        return tried.counted and tried.solved is not None and self.today() <= latest

    async def share(self, guild_id: int, tried: PuzzleTry) -> Sharing:
        """Somebody shows a server how it went; whether they stand in its table of the day, or did so before."""
        return await self._puzzle_store.share_puzzle(guild_id, tried, now=self.now())

    async def unshare(self, guild_id: int, tried: PuzzleTry) -> None:
        """Nothing came of showing it."""
        await self._puzzle_store.unshare_puzzle(guild_id, tried.user_id, tried.game, tried.day)

    async def table(self, guild_id: int, daily: Daily) -> Sequence[PuzzleTry]:
        """How those did who showed it to a server, best first."""
        return await self._puzzle_store.table_of_day(guild_id, daily.game, daily.day.isoformat())


PARTED: Final = "@"
"""What parts the placements of an answer."""


def solves(daily: Daily, answer: str) -> bool:
    """Whether an answer is right: a number, or placements parted by `PARTED`. Raises RuleBroken, ValueError."""
    if daily.puzzle.kind == "count":
        return int(answer) == most_points(daily.match)
    line = tuple(parse_placement(text, daily.match.rules) for text in answer.split(PARTED))
    return proposal(daily.puzzle, daily.match, line).solved


@lru_cache(maxsize=64)
def _beginning(game: str, day: date) -> Match:
    return beginning(puzzles(game)[day], rules(game))
