"""Events of a season. Its log has no others, and names players only by number."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, assert_never

from engine.leagues.season import Conditions, Fixture, FixtureResult, Season
from engine.match.events import value_class


@value_class
class Announced:
    """A season was announced; sign-up is open."""

    conditions: Conditions


@value_class
class SignedUp:
    """A player signed up, perhaps again."""

    player: int
    came: int | None = None  # rank after the season before


@value_class
class Withdrew:
    """A player cancelled the sign-up."""

    player: int


@value_class
class SeasonBegan:
    """Sign-up is over; these players meet."""

    divisions: tuple[tuple[int, ...], ...]
    fixtures: tuple[Fixture, ...]
    at: int
    ends: int  # in a tournament: of its first round
    byes: tuple[int, ...] = ()  # byes of a tournament's first round


@value_class
class RoundBegan:
    """The next round of a tournament; the one before is decided."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[int, ...]
    at: int  # when its matches open
    ends: int


@value_class
class FixtureOpened:
    number: int
    match: int


@value_class
class FixtureDecided:
    number: int
    decision: FixtureResult


@value_class
class LeftSeason:
    """A player left. Either all their matches are struck, or the remaining ones are forfeited."""

    player: int
    struck: bool


@value_class
class EndPutOff:
    """The end was postponed until then, because the bot was down."""

    until: int


@value_class
class SeasonEnded:
    """The table is final."""

    how: Literal["played", "time", "moderator"]
    order: tuple[int, ...]


@value_class
class CalledOff:
    """The season is cancelled: too few players, or by a moderator."""

    why: Literal["few", "moderator"]


SignUpEvent = Announced | SignedUp | Withdrew | CalledOff
RunningEvent = SeasonBegan | RoundBegan | FixtureOpened | FixtureDecided | LeftSeason | EndPutOff | SeasonEnded
SeasonEvent = SignUpEvent | RunningEvent


def apply_season_event(season: Season | None, event: SeasonEvent) -> Season:
    """Apply an event; the first one announces the season."""
    if season is None:
        if not isinstance(event, Announced):
            raise ValueError("a season is announced before anything else")
        return Season(conditions=event.conditions, seq=1)
    return replace(_apply_change(season, event), seq=season.seq + 1)


def replay_season(log: Iterable[SeasonEvent]) -> Season:
    """Rebuild a season from its log. Raises ValueError for an empty one."""
    season: Season | None = None
    for event in log:
        season = apply_season_event(season, event)
    if season is None:
        raise ValueError("a season has at least one event")
    return season


def _apply_change(season: Season, event: SeasonEvent) -> Season:
    match event:
        case Announced():
            raise ValueError("a season is announced once")
        case SignedUp(player, came):
            entrants = {**season.entrants, player: came}
            return replace(season, entrants=entrants, withdrawn=season.withdrawn - {player})
        case Withdrew(player):
            return replace(season, withdrawn=season.withdrawn | {player})
        case CalledOff(why):
            return replace(season, state="off", cancel_reason=why)
        case SeasonBegan(divisions, fixtures, at, ends, byes):
            running = replace(season, state="running", divisions=divisions, fixtures=fixtures, began=at, ends=ends)
            return replace(running, round_at=at, byes={0: byes})
        case RoundBegan(fixtures, byes, at, ends):
            number = season.round + 1
            paired = replace(season, fixtures=season.fixtures + fixtures, byes={**season.byes, number: byes})
            return replace(paired, round=number, round_at=at, ends=ends, is_delayed=False)
        case FixtureOpened(number, match):
            return replace(season, match_ids={**season.match_ids, number: match})
        case FixtureDecided(number, decision):
            return replace(season, decisions={**season.decisions, number: decision})
        case LeftSeason(player, struck):
            return replace(season, leavers={**season.leavers, player: struck})
        case EndPutOff(until):
            return replace(season, ends=until, is_delayed=True)
        case SeasonEnded(how, order):
            return replace(season, state="over", order=order, is_stopped=how == "moderator")
        case _:
            assert_never(event)
