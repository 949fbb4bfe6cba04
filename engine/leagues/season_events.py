"""What happened in a season. Its log holds these and nothing else, and names players by number alone."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, assert_never

from engine.leagues.season import Conditions, Fixture, FixtureResult, Season
from engine.match.events import fact


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


def evolve_season(season: Season | None, event: SeasonEvent) -> Season:
    """The season after an event. The first one announces it."""
    if season is None:
        if not isinstance(event, Announced):
            raise ValueError("a season is announced before anything else")
        return Season(conditions=event.conditions, seq=1)
    return replace(_changed(season, event), seq=season.seq + 1)


def replay_season(log: Iterable[SeasonEvent]) -> Season:
    """The season that a log comes to. Raises ValueError for an empty one."""
    season: Season | None = None
    for event in log:
        season = evolve_season(season, event)
    if season is None:
        raise ValueError("a season has at least one event")
    return season


def _changed(season: Season, event: SeasonEvent) -> Season:
    match event:
        case Announced():
            raise ValueError("a season is announced once")
        case SignedUp(player, came):
            entrants = {**season.entrants, player: came}
            return replace(season, entrants=entrants, withdrawn=season.withdrawn - {player})
        case Withdrew(player):
            return replace(season, withdrawn=season.withdrawn | {player})
        case CalledOff(why):
            return replace(season, state="off", off=why)
        case SeasonBegan(divisions, fixtures, at, ends, byes):
            running = replace(season, state="running", divisions=divisions, fixtures=fixtures, began=at, ends=ends)
            return replace(running, round_at=at, byes={0: byes})
        case RoundBegan(fixtures, byes, at, ends):
            number = season.round + 1
            paired = replace(season, fixtures=season.fixtures + fixtures, byes={**season.byes, number: byes})
            return replace(paired, round=number, round_at=at, ends=ends, delayed=False)
        case FixtureOpened(number, match):
            return replace(season, opened={**season.opened, number: match})
        case FixtureDecided(number, decision):
            return replace(season, decisions={**season.decisions, number: decision})
        case LeftSeason(player, struck):
            return replace(season, gone={**season.gone, player: struck})
        case EndPutOff(until):
            return replace(season, ends=until, delayed=True)
        case SeasonEnded(how, order):
            return replace(season, state="over", order=order, stopped=how == "moderator")
        case _:
            assert_never(event)
