"""What can be asked of a season, by people, moderators, the clock and the matches that end. `decide_season` answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.events import fact
from engine.league.season import Conditions, Decision, Score


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
    scores: Mapping[int, Score] = field(default_factory=dict)
    """By fixture: how its match stands, where it runs when the season ends."""


@fact
class OpenFixture:
    """The match of a fixture begins."""

    number: int
    match: int


@fact
class Report:
    """The match of a fixture is over."""

    number: int
    decision: Decision


@fact
class EndSeason:
    """A moderator ends it, or wants none after all."""


SeasonCommand = Announce | SignUp | Withdraw | RunSeason | OpenFixture | Report | EndSeason
