"""A season folded out of its log."""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from engine.league import events
from engine.league.events import SeasonEvent
from engine.league.season import Season


def evolve_season(season: Season | None, event: SeasonEvent) -> Season:
    """The season after an event. The first one announces it."""
    if season is None:
        if not isinstance(event, events.Announced):
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
        case events.Announced():
            raise ValueError("a season is announced once")
        case events.SignedUp(player, came):
            entrants = {**season.entrants, player: came}
            return replace(season, entrants=entrants, withdrawn=season.withdrawn - {player})
        case events.Withdrew(player):
            return replace(season, withdrawn=season.withdrawn | {player})
        case events.CalledOff(why):
            return replace(season, state="off", off=why)
        case events.SeasonBegan(divisions, fixtures, at, ends, byes):
            running = replace(season, state="running", divisions=divisions, fixtures=fixtures, began=at, ends=ends)
            return replace(running, round_at=at, byes={0: byes})
        case events.RoundBegan(fixtures, byes, at, ends):
            number = season.round + 1
            paired = replace(season, fixtures=season.fixtures + fixtures, byes={**season.byes, number: byes})
            return replace(paired, round=number, round_at=at, ends=ends, delayed=False)
        case events.FixtureOpened(number, match):
            return replace(season, opened={**season.opened, number: match})
        case events.FixtureDecided(number, decision):
            return replace(season, decisions={**season.decisions, number: decision})
        case events.LeftSeason(player, struck):
            return replace(season, gone={**season.gone, player: struck})
        case events.EndPutOff(until):
            return replace(season, ends=until, delayed=True)
        case events.SeasonEnded(how, order):
            return replace(season, state="over", order=order, stopped=how == "moderator")
        case _:
            assert_never(event)
