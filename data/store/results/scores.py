"""Results, ratings and leaderboards as they go into the store and come out: small frozen values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

from engine.match.event_log import EventLog
from engine.match.state import Match
from engine.table.table_state import SeatPlay, TableState

EVERYWHERE: Final = 0
"""The guild id that stands for all servers together; also a match outside any server."""

OPPONENTS: Final = 3
"""So many different people somebody has met in rated matches who has a rank."""
UNSURE: Final = 7.0
"""The deviation of a rating, on the scale of the model, from which on nobody has a rank: some five full matches."""
FAIR: Final = 3
"""So many tiles somebody has placed in a match that says anything about them."""
SPREAD: Final = 0.25
"""The deviation of how far apart two equal players end, in parts of the target."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A skill estimate: its middle and its standard deviation, on the scale of the rating model."""

    mu: float
    sigma: float


def ranked(rating: Rating | None, opponents: int) -> float | None:
    """What leaderboards rank by: the middle of a rating that enough different people stand behind, and that is sure
    enough. None for everybody else, who has no rank yet.
    """
    if rating is None or opponents < OPPONENTS or rating.sigma > UNSURE:
        return None
    # Four decimals: equal records stay equal whatever order the floats were added in.
    return round(rating.mu, 4)


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
    fair: bool = True
    """Whether they placed often enough for the match to say anything about them."""
    finished: bool = True
    """Whether they played to its end themselves."""
    weight: float = 1.0
    """How much the outcome says, from 0 to 1: all where the match was played out; of one who left, how badly it stood
    for them by then."""
    empty: bool = False
    """Whether a first place here is worth nothing, because nobody played for it."""

    @property
    def won(self) -> bool:
        """Whether this was a win."""
        return self.place == 1 and self.finished and not self.empty


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the people of a match had to do with each other, and with others, before it; by user id."""

    again: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Of two people, the smaller id first: rated matches with each other in the last 30 days."""
    met: Mapping[int, frozenset[int]] = field(default_factory=dict)
    """The different people of somebody's rated matches. Who is missing has met very many."""
    left: Mapping[int, int] = field(default_factory=dict)
    """The matches that somebody did not finish in the last 30 days."""
    ranked: frozenset[int] | None = None
    """Who of the people of the match has a rank on the leaderboard it counts for. None where it is too new to ask for
    one.
    """


class RatingStep(NamedTuple):
    """What a match did to the rating of somebody."""

    rating: Rating
    """After it."""
    weight: float
    """How much it counted, from 0 to 1."""


RateMatch = Callable[[Mapping[int, Rating], Sequence[PlayerResult], History], Mapping[int, RatingStep]]
"""From the ratings before (people without one are missing) and all who played to what becomes of the ratings of those
whom the match rates. It runs inside the transaction: pure and quick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The outcome that ends a match. Ratings move when at least two people played for them."""

    seats: int
    """Chairs at the table, computers included."""
    players: Sequence[PlayerResult]
    rate: RateMatch
    rated: bool = True
    """Whether the people at the table wanted ratings to move."""
    moves: int | None = None
    """How many times somebody placed a tile or passed; None where nobody counted."""


def outcome(event_log: EventLog | None, table: TableState, rate: RateMatch) -> MatchResult | None:
    """What everybody did in a match that is over; None where nobody has a result, be it that it never began.

    A result is of whoever placed first on its seat, handed over or not. Substitutes have none, and whoever was stood in
    for keeps theirs. Of a match that was closed because somebody was silent, that one alone has any: they left. A
    lesson stands in nobody's record.
    """
    if event_log is None or table.terms.guided:
        return None
    match, moves = event_log.match, event_log.plays
    if match.ended is None:
        people = {row.user_id for row in table.seats} - {None}
        silent = table.seats[match.turn].user_id
        left = [] if silent is None or not table.ended or len(people) < 2 else [_gone(silent, table)]
        return _result(left, table, rate, moves)
    found: dict[int, PlayerResult] = {}
    target, totals = match.rules.target, match.ended.totals
    for row in table.seats:
        part, done = table.parts.get(row.seat) or SeatPlay(), match.seats[row.seat]
        user = part.owner if part.owned else row.user_id
        if user is None or user in found:
            continue
        stood_in = part.stood_in >= max(1, part.placed) or table.clock.standins.get(row.seat) == "seat"
        finished = part.left is None and not stood_in
        found[user] = PlayerResult(
            user_id=user,
            place=match.ended.places[row.seat],
            score=match.ended.totals[row.seat],
            best_move=done.best,
            hexagons=done.hexagons,
            bridges=done.bridges,
            fair=part.placed >= FAIR,
            finished=finished,
            weight=_played(match, table) if finished else hopelessness(part.left or totals, row.seat, target),
        )
    for user in table.gone:
        found.setdefault(user, _gone(user, table))
    players = list(found.values())
    somebody_left = any(not player.finished for player in players)
    if somebody_left and table.rated and sum(player.fair for player in players) < 2:
        players = [replace(player, empty=True) for player in players]
    return _result(players, table, rate, moves)


def _result(
    players: Sequence[PlayerResult], table: TableState, rate: RateMatch, moves: int | None
) -> MatchResult | None:
    if not players:
        return None
    return MatchResult(seats=len(table.seats), players=players, rate=rate, rated=table.rated, moves=moves)


def _gone(user_id: int, table: TableState) -> PlayerResult:
    """Of somebody who gave up a hand they had seen, before they had placed any of it."""
    return PlayerResult(user_id=user_id, place=len(table.seats), score=0, fair=False, finished=False, weight=0.0)


def _played(match: Match, table: TableState) -> float:
    """How much the places say of those who played to the end: where it came early, as much as was played."""
    if not table.ended:
        return 1.0
    # The terms alone ended it: that those who were there agreed is not known.
    return _progress([seat.total for seat in match.seats], match.rules.target) if table.ended == "chosen" else 0.0


def _progress(totals: Sequence[int], target: int) -> float:
    return min(1.0, max(0, *totals) / target) if target > 0 else 0.0


def hopelessness(totals: Sequence[int], seat: int, target: int) -> float:
    """How badly it stood for a seat whose player left: 0 where it was even or better, 1 without any hope.

    The rest of a match is a walk of chance towards its target. A narrow one: nobody gains by leaving.
    """
    others = [total for other, total in enumerate(totals) if other != seat]
    if target <= 0 or not others:
        return 1.0
    ahead = (totals[seat] - sum(others) / len(others)) / target
    rest = SPREAD * sqrt(1.0 - _progress(totals, target)) + 0.01
    return round(1.0 - min(1.0, 2 * NormalDist().cdf(ahead / rest)), 4)


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
    finished: bool = True
    moves: int | None = None
    """Of everybody; None where nobody counted."""
    before: Rating | None
    """None for a first rated match, and for one that was not rated."""
    after: Rating | None
    ended_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRow:
    """One line of a leaderboard. Ties share a rank."""

    rank: int | None
    """None for somebody who has none yet, and whoever stays off leaderboards."""
    user_id: int
    rating: Rating | None
    """None for somebody who has no rated match."""
    opponents: int = 0
    """The different people of their rated matches, as far as they were counted."""
    hidden: bool = False
    """Whether they stay off leaderboards."""
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
    opponents: int = 0
    finished: int = 0
    """Matches they played to the end themselves."""
    hidden: bool = False
    rank: int | None
    """None for somebody who has none yet, and whoever stays off leaderboards."""

    @property
    def average(self) -> float:
        """Points a match."""
        return self.points / self.matches
