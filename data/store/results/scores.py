"""Results, ratings and leaderboards as values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import NormalDist
from typing import Final, Generic, NamedTuple, TypeVar

from engine.match.event_log import EventLog
from engine.match.state import Match
from engine.table.table_state import SeatOwnership, TableState

T = TypeVar("T")
EVERYWHERE: Final = 0
"""The guild id for all guilds together; also of a match outside any guild."""
MIN_OPPONENTS: Final = 3
"""Different opponents in rated matches that a rank requires."""
MAX_DEVIATION: Final = 7.0
"""Maximum deviation of a rating for a rank, on the scale of the model: some five full matches."""
MIN_PLACED_TILES: Final = 3
"""Placed tiles after which a match says something about a player."""
SPREAD: Final = 0.25
"""Standard deviation of the difference between two equal players, relative to the target."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A skill estimate: mean and standard deviation, on the scale of the rating model."""

    mu: float
    sigma: float


def compute_rank_value(rating: Rating | None, opponents: int) -> float | None:
    """Return the value that leaderboards rank by: the mean of a certain rating with enough opponents; else None."""
    if rating is None or opponents < MIN_OPPONENTS or rating.sigma > MAX_DEVIATION:
        return None
    # Four decimals: the order of float additions must not matter.
    return round(rating.mu, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerResult:
    """One user's result of a decided match. Computers have none."""

    user_id: int
    place: int
    """From 1 among all seats; ties share it."""
    score: int
    best_move: int = 0
    hexagons: int = 0
    bridges: int = 0
    fair: bool = True
    finished: bool = True
    """Whether they played to the end themselves."""
    weight: float = 1.0
    """The weight of the outcome, from 0 to 1: 1 for a full match; for a user who left, how hopeless it was."""
    empty: bool = False
    """Whether a first place is worth nothing because no other player competed for it."""

    @property
    def won(self) -> bool:
        return self.place == 1 and self.finished and not self.empty


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the users of a match had to do with each other and with others before it, by user id."""

    repeat_counts: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """By two users, the smaller id first: rated matches with each other in the last 30 days."""
    opponents: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """Opponents in rated matches. Users who met very many are missing."""
    unfinished_counts: Mapping[int, int] = field(default_factory=dict)
    """Unfinished matches in the last 30 days."""
    ranked: frozenset[int] | None = None
    """Users of the match with a rank on its leaderboard; None if the leaderboard is too new for ranks."""


class RatingStep(NamedTuple):
    rating: Rating
    weight: float


RateMatch = Callable[[Mapping[int, Rating], Sequence[PlayerResult], History], Mapping[int, RatingStep]]
"""Takes the ratings before (users without one are missing) and all results; returns the changed ratings. It runs in the
transaction: pure and fast.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The outcome that ends a match. Ratings change if at least two users played for them."""

    seats: int
    players: Sequence[PlayerResult]
    rate: RateMatch
    rated: bool = True
    """Whether the players wanted ratings to change."""
    moves: int | None = None


def build_match_result(event_log: EventLog | None, table: TableState, rate: RateMatch) -> MatchResult | None:
    """Return the results of a match that is over; None if there are none, for example if it never began.

    A result belongs to the first player of a seat. Substitutes have none. Of a match that was closed because a player
    was silent, only that player has one: they left. A lesson has no results.
    """
    if event_log is None or table.terms.guided:
        return None
    match, moves = event_log.match, event_log.play_count
    if match.ended is None:
        people = {row.user_id for row in table.seats} - {None}
        silent = table.seats[match.turn].user_id
        left = [] if silent is None or not table.early_end or len(people) < 2 else [_build_left_result(silent, table)]
        return _build_result(left, table, rate, moves)
    found: dict[int, PlayerResult] = {}
    target, totals = match.rules.goal, match.ended.totals
    for row in table.seats:
        part, done = table.ownerships.get(row.seat) or SeatOwnership(), match.seats[row.seat]
        user = part.owner if part.is_owned else row.user_id
        if user is None or user in found:
            continue
        was_substituted = part.standin_tiles >= max(1, part.user_tiles) or table.clock.standins.get(row.seat) == "seat"
        finished = part.totals_when_left is None and not was_substituted
        found[user] = PlayerResult(
            user_id=user,
            place=match.ended.places[row.seat],
            score=match.ended.totals[row.seat],
            best_move=done.best,
            hexagons=done.hexagons,
            bridges=done.bridges,
            fair=part.user_tiles >= MIN_PLACED_TILES,
            finished=finished,
            weight=_compute_weight(match, table)
            if finished
            else compute_hopelessness(part.totals_when_left or totals, row.seat, target),
        )
    for user in table.early_leavers:
        found.setdefault(user, _build_left_result(user, table))
    players = list(found.values())
    somebody_left = any(not player.finished for player in players)
    if somebody_left and table.is_rated and sum(player.fair for player in players) < 2:
        players = [replace(player, empty=True) for player in players]
    return _build_result(players, table, rate, moves)


def _build_result(
    players: Sequence[PlayerResult], table: TableState, rate: RateMatch, moves: int | None
) -> MatchResult | None:
    if not players:
        return None
    return MatchResult(seats=len(table.seats), players=players, rate=rate, rated=table.is_rated, moves=moves)


def _build_left_result(user_id: int, table: TableState) -> PlayerResult:
    """Return the result of a user who left after they saw their hand and before they placed a tile."""
    return PlayerResult(user_id=user_id, place=len(table.seats), score=0, fair=False, finished=False, weight=0.0)


def _compute_weight(match: Match, table: TableState) -> float:
    """Return the weight for those who played to the end: less if the match ended early."""
    if table.early_end == "chosen":
        if match.rules.rounds:
            return min(1.0, (match.round - 1) / match.rules.rounds)
        return _compute_progress([seat.total for seat in match.seats], match.rules.target)
    # If the terms ended it, whether the players agreed is not known.
    return 0.0 if table.early_end else 1.0


def _compute_progress(totals: Sequence[int], target: int) -> float:
    return min(1.0, max(0, *totals) / target) if target > 0 else 0.0


def compute_hopelessness(totals: Sequence[int], seat: int, target: int) -> float:
    """Return how hopeless the match was for a player who left: 0 if even or better, 1 if lost.

    Models the rest of a match as a random walk to its target, a narrow one: leaving never helps.
    """
    others = [total for other, total in enumerate(totals) if other != seat]
    if target <= 0 or not others:
        return 1.0
    ahead = (totals[seat] - sum(others) / len(others)) / target
    rest = SPREAD * sqrt(1.0 - _compute_progress(totals, target)) + 0.01
    return round(1.0 - min(1.0, 2 * NormalDist().cdf(ahead / rest)), 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One user's line of a finished match, with the rating change in the match's guild."""

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
    finished: bool = True
    moves: int | None = None
    before: Rating | None
    """None for a first rated match, and for an unrated one."""
    after: Rating | None
    ended_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    rank: int | None
    """None without a rank and for hidden users."""
    user_id: int
    rating: Rating | None
    opponents: int = 0
    """Different opponents in rated matches, as far as they were counted."""
    hidden: bool = False
    matches: int
    wins: int
    points: int

    @property
    def average(self) -> float:
        return self.points / self.matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """Page `page` of `pages`, counted from 0, of `total` rows."""

    rows: tuple[T, ...]
    total: int
    page: int
    pages: int


class LeaderboardPage(Page[LeaderRow]):
    """A page of a leaderboard."""


def limit_page(page: int, size: int, total: int) -> tuple[int, int]:
    """Return the nearest page that exists, and the number of pages: at least one."""
    pages = max(1, -(-total // size))
    return min(max(page, 0), pages - 1), pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One user's record in one game, in one guild or everywhere."""

    matches: int = 0
    wins: int = 0
    points: int = 0
    best_score: int = 0
    best_move: int = 0
    hexagons: int = 0
    bridges: int = 0
    finished: int = 0
    opponents: int = 0
    rating: Rating | None = None

    @property
    def rank_value(self) -> float | None:
        return compute_rank_value(self.rating, self.opponents)

    def with_match(self, player: PlayerResult, rating: Rating | None, opponents: int) -> "Tally":
        """Return the record after one more match, with the new rating and number of opponents."""
        return Tally(
            matches=self.matches + 1,
            wins=self.wins + player.won,
            points=self.points + player.score,
            # A total can be negative, so the first one is the best.
            best_score=max(self.best_score, player.score) if self.matches else player.score,
            best_move=max(self.best_move, player.best_move),
            hexagons=self.hexagons + player.hexagons,
            bridges=self.bridges + player.bridges,
            finished=self.finished + player.finished,
            opponents=opponents,
            rating=rating,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile(Tally):
    user_id: int
    hidden: bool = False
    rank: int | None
    """None without a rank and for hidden users."""

    @property
    def average(self) -> float:
        return self.points / self.matches
