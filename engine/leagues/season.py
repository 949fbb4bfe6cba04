"""The state of a season: conditions, players, fixtures and results.

Times are UTC epoch ms, players are numbers from 1 in the order of signing up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.match.events import value_class

SeasonState = Literal["signup", "running", "over", "off"]  # open for sign-up, being played, finished, or cancelled
SeasonKind = Literal["league", "swiss", "knockout"]
"""A round robin over weeks, or a tournament of an evening: Swiss pairings, or knock-out."""

ResultKind = Literal["played", "resigned", "forfeit", "judged", "unplayed", "struck"]
"""How a fixture was decided; "unplayed" gives no points, "struck" does not count after a player left."""

WIN, TIE, LOSS = 2, 1, 0  # points in the table
MIN_PLAYERS: Final = 4
MAX_PLAYERS: Final = 60
MIN_DIVISION: Final = 4
MAX_DIVISION: Final = 6
OPENING_SHARE: Final = 2  # rounds open evenly over the first half of a season, so the last one has the other half


@value_class
class Conditions:
    """The conditions of a season, fixed by its announcement."""

    name: str  # name of the league, as typed
    game: str
    clock: str  # pace of its matches, as `engine.table.terms` parses it
    signup_until: int
    length: int  # from the first round to the end, in ms
    target: int
    preset: str = "default"
    size: int = 6  # preferred division size
    legs: int = 1  # matches between each two players
    at_once: int = 2  # parallel matches per player
    again: bool = False  # whether the next season is announced automatically
    number: int = 1  # number of the season in its league
    signup: int = 0  # sign-up time of the next season, in ms
    kind: SeasonKind = "league"
    rounds: int = 0  # rounds of a Swiss tournament; 0: as many as leave one player without a loss
    round_time: int = 0  # longest time of a tournament round, in ms


@value_class
class Fixture:
    """Two players who are to meet."""

    number: int  # from 1, unique in a season
    division: int  # from 0, the highest
    round: int  # from 0
    first: int  # the player in the first seat
    second: int

    @property
    def players(self) -> tuple[int, int]:
        return self.first, self.second


@value_class
class FixtureResult:
    """The result of a fixture, for its first and second player."""

    points: tuple[int, int]
    how: ResultKind = "played"
    totals: tuple[int, int] | None = None  # scores of the match, if it was played


@value_class
class RunningScore:
    """The score of a match that still runs when the season ends."""

    totals: tuple[int, int]
    turn: int | None = None  # index of the player to move
    waited: int = 0  # time since then, in ms
    absent: tuple[int, ...] = ()  # indexes of players who timed out and did not return


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    conditions: Conditions
    state: SeasonState = "signup"
    entrants: Mapping[int, int | None] = field(default_factory=dict)
    """By player: the rank after the season before; None for newcomers."""
    withdrawn: frozenset[int] = frozenset()  # players who cancelled their sign-up
    divisions: tuple[tuple[int, ...], ...] = ()  # players by initial strength
    fixtures: tuple[Fixture, ...] = ()
    began: int = 0
    ends: int = 0
    is_delayed: bool = False  # whether the end was postponed once after an outage
    match_ids: Mapping[int, int] = field(default_factory=dict)  # match by fixture
    decisions: Mapping[int, FixtureResult] = field(default_factory=dict)  # by fixture
    leavers: Mapping[int, bool] = field(default_factory=dict)  # players who left: whether their results are struck
    order: tuple[int, ...] = ()  # seeding of the next season, after promotion and relegation
    cancel_reason: str = ""  # why it was cancelled
    is_stopped: bool = False  # whether a moderator ended it
    round: int = 0  # the last paired round of a tournament, from 0
    round_at: int = 0  # when its matches open
    byes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # by round of a tournament
    seq: int = 0

    @property
    def players(self) -> tuple[int, ...]:
        """Players who are signed up or still play, by number."""
        return tuple(one for one in self.entrants if one not in self.withdrawn and one not in self.leavers)

    @property
    def is_tournament(self) -> bool:
        """Whether it is a tournament of an evening, with consecutive rounds."""
        return self.conditions.kind != "league"

    @property
    def rounds(self) -> int:
        """The number of rounds of the largest division."""
        return max((one.round + 1 for one in self.fixtures), default=0)

    def iterate_fixtures(self, player: int) -> Iterator[Fixture]:
        """Return a player's fixtures, decided or not."""
        return (one for one in self.fixtures if player in one.players)

    def find_fixture(self, match: int) -> Fixture | None:
        return next((one for one in self.fixtures if self.match_ids.get(one.number) == match), None)

    def count_running(self, player: int) -> int:
        numbers = (one.number for one in self.iterate_fixtures(player))
        return sum(number in self.match_ids and number not in self.decisions for number in numbers)

    @property
    def undecided_fixtures(self) -> list[Fixture]:
        return [one for one in self.fixtures if one.number not in self.decisions]

    def compute_opening_time(self, number: int) -> int:
        if self.is_tournament:
            return self.round_at
        return self.began + number * self.conditions.length // (OPENING_SHARE * max(1, self.rounds))

    def list_ready_fixtures(self, now: int) -> list[Fixture]:
        """Return the fixtures to open now: their round has begun, and both players have a free slot."""
        if self.state != "running" or now >= self.ends:
            return []
        busy = {player: self.count_running(player) for player in self.players}
        found = []
        for one in sorted(self.undecided_fixtures, key=lambda one: (one.round, one.number)):
            if one.number in self.match_ids or self.compute_opening_time(one.round) > now:
                continue
            if all(busy[player] < self.conditions.at_once for player in one.players):
                found.append(one)
                for player in one.players:
                    busy[player] += 1
        return found

    def find_next_due(self, now: int) -> int | None:
        """Return when something happens automatically next; None if nothing does."""
        if self.state == "signup":
            return self.conditions.signup_until
        if self.state != "running":
            return None
        if not self.undecided_fixtures:
            return now
        waiting = [one for one in self.undecided_fixtures if one.number not in self.match_ids]
        # Fixtures that wait for other matches are checked when those end.
        rounds = [at for at in (self.compute_opening_time(one.round) for one in waiting) if at > now]
        return min([*rounds, self.ends])
