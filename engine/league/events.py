"""What happened in a season. Its log holds these and nothing else, and names players by number alone."""

from typing import Literal

from engine.events import fact
from engine.league.season import Conditions, Fixture, FixtureResult


@fact
class Announced:
    """A moderator announced it; people can sign up."""

    conditions: Conditions


@fact
class SignedUp:
    """Somebody wants to play, perhaps once more."""

    player: int
    came: int | None = None
    """Their place in the order that the season before led to."""


@fact
class Withdrew:
    """Somebody took the sign-up back."""

    player: int


@fact
class SeasonBegan:
    """Sign-up is over; these meet."""

    divisions: tuple[tuple[int, ...], ...]
    fixtures: tuple[Fixture, ...]
    at: int
    ends: int
    """In a tournament: of its first round."""
    byes: tuple[int, ...] = ()
    """Who has nobody to meet in the first round of a tournament."""


@fact
class RoundBegan:
    """All of a round of a tournament is decided; in the next one these meet."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[int, ...]
    at: int
    """When the matches open."""
    ends: int


@fact
class FixtureOpened:
    """The match of a fixture has begun."""

    number: int
    match: int


@fact
class FixtureDecided:
    """Something came of a fixture."""

    number: int
    decision: FixtureResult


@fact
class LeftSeason:
    """Somebody plays on no more. By the rule for leavers all they played is struck, or what they did not is forfeit."""

    player: int
    struck: bool


@fact
class EndPutOff:
    """The bot was not there when the season should have ended: people have until then."""

    until: int


@fact
class SeasonEnded:
    """The table stands."""

    how: Literal["played", "time", "moderator"]
    order: tuple[int, ...]


@fact
class CalledOff:
    """There is no season: too few signed up, or a moderator wants none."""

    why: Literal["few", "moderator"]


SigningUp = Announced | SignedUp | Withdrew | CalledOff
Underway = SeasonBegan | RoundBegan | FixtureOpened | FixtureDecided | LeftSeason | EndPutOff | SeasonEnded
SeasonEvent = SigningUp | Underway
"""Whatever stands in the log of a season."""
