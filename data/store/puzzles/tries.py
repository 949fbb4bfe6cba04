"""What users tried of the puzzles of the day, as it goes into the store and comes out: small frozen values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from data.store.results.scores import Rating

MOST_TRIES: Final = 3
"""So many answers somebody has."""


@dataclass(frozen=True, slots=True)
class PuzzleTry:
    """How somebody stands with the puzzle of a day."""

    user_id: int
    game: str
    day: str
    counted: bool
    """Whether it counts for streak and rating."""
    hinted: bool
    answers: tuple[str, ...]
    """What was answered, in order."""
    solved: bool | None
    """None while it is open."""
    ended_at: int | None
    rating: Rating | None
    """Of whoever tried, after it; None where it does not count or is open."""

    @property
    def left(self) -> int:
        """The answers that are left."""
        return MOST_TRIES - len(self.answers)


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    """How hard a puzzle is, by how those did who count."""

    rating: Rating
    tried: int
    solved: int


RatedPuzzle = tuple[Rating, Rating]
"""What becomes of somebody's rating, and of the puzzle's."""

RatePuzzle = Callable[[Rating | None, Rating | None, PuzzleTry], RatedPuzzle]
"""From what both had before, None for a newcomer, and how it went."""
