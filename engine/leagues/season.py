"""A season as it stands: what was told beforehand, who plays, who meets whom, and what came of it.

Times are UTC epoch ms, players are numbers from 1 in the order in which they signed up.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from engine.match.events import fact

SeasonState = Literal["signup", "running", "over", "off"]
"""People sign up, matches are played, it has a final table, or it was called off."""

SeasonKind = Literal["league", "swiss", "knockout"]
"""Everybody of a division meets everybody, over weeks; or a tournament of an evening: each round pairs those with equal
points, or whoever loses is out.
"""

How = Literal["played", "resigned", "forfeit", "judged", "unplayed", "struck"]
"""How a fixture was decided: by its match; because one gave that up; because one left the season or was away; by the
score when the season ended; not at all, which gives nobody anything; or it does not count, with all that a leaver
played.
"""

WIN, TIE, LOSS = 2, 1, 0
"""What a match gives in the table."""

LEAST_PLAYERS: Final = 4
MOST_PLAYERS: Final = 60
LEAST_DIVISION: Final = 4
MOST_DIVISION: Final = 6

OPENING_SHARE: Final = 2
"""The rounds open evenly over the first half of a season: whoever meets last has half of it to play."""


@fact
class Conditions:
    """What a moderator says when announcing a season; nobody changes it after that."""

    name: str
    """Of the league, as somebody typed it."""
    game: str
    clock: str
    """The pace of its matches, as `engine.table.terms` reads it."""
    signup_until: int
    length: int
    """From the first round to the end, in ms."""
    target: int
    preset: str = "default"
    size: int = 6
    """How many a division should have."""
    legs: int = 1
    """How often everybody meets everybody."""
    at_once: int = 2
    """How many matches of the season somebody plays at the same time."""
    again: bool = False
    """Whether the next season is announced when this one is over."""
    number: int = 1
    """Which season of the league it is."""
    signup: int = 0
    """For how long people can sign up for the next one, in ms."""
    kind: SeasonKind = "league"
    rounds: int = 0
    """How many rounds a Swiss tournament has; 0: as many as it takes for one to be left without a loss."""
    round_time: int = 0
    """After that many ms a round of a tournament is over, whatever still runs."""


@fact
class Fixture:
    """Two players who are to meet."""

    number: int
    """From 1; it is never given twice in a season."""
    division: int
    """From 0, the highest."""
    round: int
    """From 0."""
    first: int
    """Who has the first seat."""
    second: int

    @property
    def players(self) -> tuple[int, int]:
        """Both, in the order of their seats."""
        return self.first, self.second


@fact
class FixtureResult:
    """What came of a fixture, for its first and its second player."""

    points: tuple[int, int]
    how: How = "played"
    totals: tuple[int, int] | None = None
    """The score of the match, where one was played."""


@fact
class RunningScore:
    """How a match stands that runs when the season ends."""

    totals: tuple[int, int]
    turn: int | None = None
    """Whose turn it is: 0 for the first player, 1 for the second."""
    waited: int = 0
    """For how long it has been, in ms."""
    absent: tuple[int, ...] = ()
    """Who let their time run out and has not come back: 0 for the first player, 1 for the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """A season at one moment."""

    conditions: Conditions
    state: SeasonState = "signup"
    entrants: Mapping[int, int | None] = field(default_factory=dict)
    """By player: the place in the order that the season before led to; None for newcomers."""
    withdrawn: frozenset[int] = frozenset()
    """Who took the sign-up back."""
    divisions: tuple[tuple[int, ...], ...] = ()
    """Their players, by strength at the beginning."""
    fixtures: tuple[Fixture, ...] = ()
    began: int = 0
    ends: int = 0
    delayed: bool = False
    """Whether the end was put off once, because the bot was not there."""
    opened: Mapping[int, int] = field(default_factory=dict)
    """By fixture: the match in which it is played."""
    decisions: Mapping[int, FixtureResult] = field(default_factory=dict)
    """By fixture."""
    gone: Mapping[int, bool] = field(default_factory=dict)
    """By player who left: whether all they played is struck from the table."""
    order: tuple[int, ...] = ()
    """The players in the order in which the next season seats them: promotion and relegation are in it."""
    off: str = ""
    """Why it was called off."""
    stopped: bool = False
    """Whether a moderator ended it."""
    round: int = 0
    """The round of a tournament that was paired last, from 0."""
    round_at: int = 0
    """When its matches open."""
    byes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By round of a tournament: who had nobody to meet."""
    seq: int = 0

    @property
    def players(self) -> tuple[int, ...]:
        """Who is signed up, or plays and has not left, by number."""
        return tuple(one for one in self.entrants if one not in self.withdrawn and one not in self.gone)

    @property
    def is_tournament(self) -> bool:
        """Whether it is one of an evening, with rounds one after the other."""
        return self.conditions.kind != "league"

    @property
    def rounds(self) -> int:
        """How many rounds the largest division has."""
        return max((one.round + 1 for one in self.fixtures), default=0)

    def fixtures_of(self, player: int) -> Iterator[Fixture]:
        """Those that somebody plays in, decided or not."""
        return (one for one in self.fixtures if player in one.players)

    def fixture_of(self, match: int) -> Fixture | None:
        """The fixture that is played in a match."""
        return next((one for one in self.fixtures if self.opened.get(one.number) == match), None)

    def running(self, player: int) -> int:
        """How many matches of the season somebody plays now."""
        mine = (one.number for one in self.fixtures_of(player))
        return sum(number in self.opened and number not in self.decisions for number in mine)

    @property
    def undecided(self) -> list[Fixture]:
        """The fixtures that nothing has come of yet."""
        return [one for one in self.fixtures if one.number not in self.decisions]

    def opens_at(self, number: int) -> int:
        """When a round begins."""
        if self.is_tournament:
            return self.round_at
        return self.began + number * self.conditions.length // (OPENING_SHARE * max(1, self.rounds))

    def ready(self, now: int) -> list[Fixture]:
        """The fixtures to open now: their round has begun, and both play fewer matches than they may at once."""
        if self.state != "running" or now >= self.ends:
            return []
        busy = {player: self.running(player) for player in self.players}
        found = []
        for one in sorted(self.undecided, key=lambda one: (one.round, one.number)):
            if one.number in self.opened or self.opens_at(one.round) > now:
                continue
            if all(busy[player] < self.conditions.at_once for player in one.players):
                found.append(one)
                for player in one.players:
                    busy[player] += 1
        return found

    def due(self, now: int) -> int | None:
        """When something happens by itself next; None where nothing does any more."""
        if self.state == "signup":
            return self.conditions.signup_until
        if self.state != "running":
            return None
        if not self.undecided:
            return now
        waiting = [one for one in self.undecided if one.number not in self.opened]
        # Who is held up by other matches goes on when one of them is over, which is told.
        rounds = [at for at in (self.opens_at(one.round) for one in waiting) if at > now]
        return min([*rounds, self.ends])
