"""Commands to a season from users, moderators, the clock and finished matches, and the reasons to refuse them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.leagues.season import Conditions, FixtureResult, RunningScore
from engine.match.events import value_class


@value_class
class AnnounceSeason:
    """A moderator, or the season before, announces a season."""

    conditions: Conditions


@value_class
class SignUp:
    player: int
    previous_rank: int | None = None  # rank after the season before; None for newcomers


@value_class
class Withdraw:
    """A player withdraws or leaves."""

    player: int


@dataclass(frozen=True, slots=True)
class RunSeason:
    """Do what is due: begin or end the season."""

    ratings: Mapping[int, float] = field(default_factory=dict)
    """Strength by player when sign-up ends; missing players have no rating."""
    scores: Mapping[int, RunningScore] = field(default_factory=dict)
    """Scores of running matches when the season ends, by fixture."""
    early: bool = False  # whether a moderator begins before the end of sign-up


@value_class
class ReportResult:
    """The match of a fixture is over."""

    number: int
    decision: FixtureResult
    absent: tuple[int, ...] = ()  # indexes of players who timed out and did not return


@value_class
class EndSeason:
    """A moderator ends or cancels the season."""


SeasonCommand = AnnounceSeason | SignUp | Withdraw | RunSeason | ReportResult | EndSeason


class SeasonRefusal(StrEnum):
    ALREADY_SIGNED_UP = "ALREADY_SIGNED_UP"
    NOT_IN_SEASON = "NOT_IN_SEASON"
    SIGNUP_OVER = "SIGNUP_OVER"
    SEASON_FULL = "SEASON_FULL"
    SEASON_OVER = "SEASON_OVER"
    LEFT_SEASON = "LEFT_SEASON"
    TOO_FEW_SIGNED_UP = "TOO_FEW_SIGNED_UP"
    ALREADY_BEGUN = "ALREADY_BEGUN"


class SeasonError(Exception):
    """A command to a season is refused, with the reason."""

    def __init__(self, why: SeasonRefusal, **facts: int) -> None:
        super().__init__(why)
        self.why = why
        self.facts = facts
