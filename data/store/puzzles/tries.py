"""Tries of daily puzzles as values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from data.store.results.scores import Rating

MAX_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class PuzzleTry:
    user_id: int
    game: str
    day: str
    counted: bool
    """Whether it counts for streak and rating."""
    hinted: bool
    answers: tuple[str, ...]
    solved: bool | None
    """None while it is open."""
    ended_at: int | None
    rating: Rating | None
    """The user's rating after it; None while it is open or if it does not count."""

    @property
    def tries_left(self) -> int:
        return MAX_TRIES - len(self.answers)


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    rating: Rating
    tried: int
    solved: int


RatedPuzzle = tuple[Rating, Rating]
"""The new ratings of the user and of the puzzle."""
RatePuzzle = Callable[[Rating | None, Rating | None, PuzzleTry], RatedPuzzle]
"""Takes the ratings of user and puzzle, None for the first try, and the try."""
