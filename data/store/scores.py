"""Results, ratings and leaderboards as they go into the store and come out: small frozen values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.match import Match
from engine.table.state import SeatRow

EVERYWHERE: Final = 0
"""The guild id that stands for all servers together; also a match outside any server."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A skill estimate: its middle and its standard deviation, on the scale of the rating model."""

    mu: float
    sigma: float

    @property
    def ordinal(self) -> float:
        """The careful rating that leaderboards rank by: the skill this person has almost surely."""
        # Four decimals: equal records stay equal whatever order the floats were added in.
        return round(self.mu - 3 * self.sigma, 4)


Rate = Callable[[Mapping[int, Rating], Mapping[int, int]], Mapping[int, Rating]]
"""From the ratings before (people without one are missing) and the places of all rated people, by user id, to the
ratings after, for exactly those people. It runs inside the transaction: pure and quick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerResult:
    """How one person did in a decided match. Computers have none."""

    user_id: int
    place: int
    """From 1 among all seats; ties share it."""
    score: int
    best_move: int = 0
    """The most points one placement made."""
    hexagons: int = 0
    bridges: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The outcome that ends a match. Ratings move when at least two people played for them."""

    seats: int
    """Chairs at the table, computers included."""
    players: Sequence[PlayerResult]
    rate: Rate
    rated: bool = True
    """Whether the people at the table wanted ratings to move."""


def outcome(match: Match, seats: Sequence[SeatRow], rate: Rate, *, rated: bool = True) -> MatchResult:
    """What everybody did in a match that is decided. Whoever was stood in for keeps their result."""
    assert match.ended is not None
    players = [
        PlayerResult(
            user_id=row.user_id,
            place=match.ended.places[row.seat],
            score=match.ended.totals[row.seat],
            best_move=match.seats[row.seat].best,
            hexagons=match.seats[row.seat].hexagons,
            bridges=match.seats[row.seat].bridges,
        )
        for row in seats
        if row.user_id is not None
    ]
    return MatchResult(seats=len(seats), players=players, rate=rate, rated=rated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One person's line of a finished match, with the rating change on the match's server."""

    match_id: int
    user_id: int
    guild_id: int
    game: str
    place: int
    seats: int
    people: int
    score: int
    best_move: int
    hexagons: int
    bridges: int
    rated: bool
    won: bool
    before: Rating | None
    """None for a first rated match, and for one that was not rated."""
    after: Rating | None
    ended_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """One line of a leaderboard. Ties share a rank."""

    rank: int
    user_id: int
    rating: Rating | None
    """None for somebody who has played against computers only."""
    matches: int
    wins: int
    points: int

    @property
    def average(self) -> float:
        """Points a match."""
        return self.points / self.matches


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardPage:
    """Some lines of a leaderboard: page `page` of `pages`, counted from 0, of `total` lines."""

    rows: tuple[LeaderRow, ...]
    total: int
    page: int
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What somebody has done in one game, on one server or everywhere."""

    user_id: int
    matches: int
    wins: int
    points: int
    best_score: int
    best_move: int
    hexagons: int
    bridges: int
    rating: Rating | None
    rank: int

    @property
    def average(self) -> float:
        """Points a match."""
        return self.points / self.matches
