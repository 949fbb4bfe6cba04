"""Commands to a season from users, moderators, the clock and finished matches, and the reasons to refuse them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.leagues.season import Conditions, FixtureResult, RunningScore
from engine.match.events import fact


@fact
class Announce:
    """A moderator, or the season before, announces a season."""

    conditions: Conditions


@fact
class SignUp:
    """Sign a player up."""

    player: int
    came: int | None = None  # rank after the season before; None for newcomers


@fact
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


@fact
class OpenFixture:
    """The match of a fixture begins."""

    number: int
    match: int


@fact
class Report:
    """The match of a fixture is over."""

    number: int
    decision: FixtureResult
    absent: tuple[int, ...] = ()  # indexes of players who timed out and did not return


@fact
class EndSeason:
    """A moderator ends or cancels the season."""


SeasonCommand = Announce | SignUp | Withdraw | RunSeason | OpenFixture | Report | EndSeason


class Objection(StrEnum):
    """The reasons."""

    ALREADY_SIGNED_UP = "ALREADY_SIGNED_UP"
    NOT_IN_SEASON = "NOT_IN_SEASON"
    SIGNUP_OVER = "SIGNUP_OVER"
    SEASON_FULL = "SEASON_FULL"
    SEASON_OVER = "SEASON_OVER"
    LEFT_SEASON = "LEFT_SEASON"
    TOO_FEW_SIGNED_UP = "TOO_FEW_SIGNED_UP"
    ALREADY_BEGUN = "ALREADY_BEGUN"


class SeasonRefused(Exception):  # noqa: N818 - a refusal is no error
    """A command to a season is refused, with the reason."""

    def __init__(self, why: Objection, **facts: int) -> None:
        super().__init__(why)
        self.why = why
        self.facts = facts
