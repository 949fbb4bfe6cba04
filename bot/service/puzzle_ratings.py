"""Ratings of puzzles and of those who solve them: each puzzle is a match of the two, with the model of all ratings.

They are apart from the ratings of matches: who is good at puzzles has not beaten anybody. Whoever solves a puzzle at
once has won against it; every further answer, and the hint, says less about who is the stronger; whoever does not solve
it has lost.
"""

from typing import Final

from openskill.models import BradleyTerryFull

from bot.service.ladder import NEWCOMER
from data.store.puzzle_tries import PuzzleTry, RatedPuzzle
from data.store.scores import Rating

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
