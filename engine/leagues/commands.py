"""What can be asked of a season, by people, moderators, the clock and the matches that end, and why it is refused."""

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
    """Somebody wants to play."""

    player: int
    came: int | None = None
    """Their place in the order that the season before led to; None where they were not in it."""


@fact
class Withdraw:
    """Somebody does not want to play after all, or plays on no more."""

    player: int


@dataclass(frozen=True, slots=True)
class RunSeason:
    """The clock does what is due: a season begins, or ends."""

    ratings: Mapping[int, float] = field(default_factory=dict)
    """By player: what is known of their strength when sign-up ends; who is missing has no rating."""
    scores: Mapping[int, RunningScore] = field(default_factory=dict)
    """By fixture: how its match stands, where it runs when the season ends."""
    early: bool = False
    """Whether a moderator does not wait for the end of sign-up."""


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
    absent: tuple[int, ...] = ()
    """Who let their time run out and did not come back: 0 for the first player, 1 for the second."""


@fact
class EndSeason:
    """A moderator ends it, or wants none after all."""


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
    """What was asked of a season cannot be done, with the reason."""

    def __init__(self, why: Objection, **facts: int) -> None:
        super().__init__(why)
        self.why = why
        self.facts = facts
