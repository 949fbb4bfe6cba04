"""Seasons in a few words: announced, signed up for and begun."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from engine.leagues import Season, apply_season_event, decide_season
from engine.leagues.commands import (
    AnnounceSeason,
    OpenFixture,
    ReportResult,
    RunSeason,
    SeasonCommand,
    SignUp,
    Withdraw,
)
from engine.leagues.season import LOSS, TIE, WIN, Conditions, FixtureResult, RunningScore, SeasonKind
from engine.leagues.season_events import SeasonEvent
from engine.leagues.standings import StandingsLine, list_round_marks, rank_division

DAY = 24 * 3_600_000
MINUTE = 60_000
NOW = 1_800_000_000_000
START = NOW + 7 * DAY


def conditions(**changed: Any) -> Conditions:
    """A season of four weeks, for which people sign up in the first week."""
    usual: dict[str, Any] = {
        "name": "Spring",
        "game": "triominoes",
        "clock": "days 1d",
        "signup_until": START,
        "length": 28 * DAY,
        "target": 100,
        "signup": 7 * DAY,
    }
    return Conditions(**{**usual, **changed})


def after(season: Season | None, command: SeasonCommand, now: int) -> tuple[Season, tuple[SeasonEvent, ...]]:
    """The season after a command, and what happened."""
    found = decide_season(season, command, now)
    for event in found:
        season = apply_season_event(season, event)
    assert season is not None
    return season, found


def signed_up(players: int, **changed: Any) -> Season:
    season, _ = after(None, AnnounceSeason(conditions(**changed)), NOW)
    for player in range(1, players + 1):
        season, _ = after(season, SignUp(player), NOW)
    return season


def tournament(players: int, kind: SeasonKind = "swiss", **changed: Any) -> Season:
    """A tournament of an evening has begun, with rounds of 45 minutes."""
    return begun(players, kind=kind, clock="live 3m", round_time=45 * MINUTE, **changed)


def begun(players: int, ratings: dict[int, float] | None = None, **changed: Any) -> Season:
    """Their season has begun; without ratings the first to sign up is the strongest."""
    return after(signed_up(players, **changed), RunSeason(ratings or {}), START)[0]


def decided(season: Season, number: int, result: str, totals: tuple[int, int] | None = None) -> Season:
    """A fixture is opened, unless it is, and ends "1-0", "0-1" or "=" for its first player."""
    season, _ = after(season, OpenFixture(number, 1000 + number), START)
    points = {"1-0": (WIN, LOSS), "0-1": (LOSS, WIN), "=": (TIE, TIE)}[result]
    return after(season, ReportResult(number, FixtureResult(points, "played", totals)), START)[0]


def stronger_wins(season: Season, numbers: Iterable[int]) -> Season:
    for number in numbers:
        one = season.fixtures[number - 1]
        season = decided(season, number, "1-0" if one.first < one.second else "0-1", (100, 60))
    return season


def opened(season: Season) -> Season:
    """Return the season with all matches of the round begun."""
    for one in season.undecided_fixtures:
        season, _ = after(season, OpenFixture(one.number, 1000 + one.number), START)
    return season


def won_by_the_stronger(season: Season) -> Season:
    while season.state == "running":
        season = stronger_wins(season, [one.number for one in season.undecided_fixtures])
    return season


def live(
    chance: Random, terms: Conditions, signups: Iterable[SignUp], *, step: int, leaving: float
) -> tuple[list[SeasonEvent], Season]:
    """Play a season by chance: some players leave or are away, and some matches are not done in time."""
    season, log = after(None, AnnounceSeason(terms), NOW)
    told = [*log]

    def does(command: SeasonCommand, now: int) -> None:
        nonlocal season
        season, found = after(season, command, now)
        told.extend(found)

    for signup in signups:
        does(signup, NOW)
    does(RunSeason({player: chance.gauss(1500, 200) for player in season.players}), START)
    now, in_rounds = START, terms.kind != "league"
    while season.state == "running":
        for one in season.list_ready_fixtures(now):
            does(OpenFixture(one.number, one.number), now)
        assert max((season.count_running(player) for player in season.players), default=0) <= (1 if in_rounds else 2)
        if chance.random() < leaving and season.players:
            does(Withdraw(chance.choice(season.players)), now)
        for one in [*season.undecided_fixtures]:
            if one.number in season.match_ids and chance.random() < 0.3 and one in season.undecided_fixtures:
                points = chance.choice([(WIN, LOSS), (LOSS, WIN), (TIE, TIE), *[(LOSS, LOSS)] * in_rounds])
                away = chance.choice([(), (), (), (0,), (0, 1)]) if in_rounds else ()
                totals = (chance.randrange(100), chance.randrange(100))
                does(ReportResult(one.number, FixtureResult(points, "played", totals), away), now)
        now += step
        scores = {
            one.number: RunningScore((chance.randrange(99), chance.randrange(99))) for one in season.undecided_fixtures
        }
        does(RunSeason(scores=scores if in_rounds else {}), now)
    return told, season


def check_sums(season: Season) -> None:
    """Every pairing is there once and decided, and each table gives what its matches gave."""
    if not season.divisions:
        return
    pairs = [frozenset(one.players) for one in season.fixtures]
    assert len(pairs) == len({*pairs})
    assert season.decisions.keys() == {one.number for one in season.fixtures}
    for division, players in enumerate(season.divisions):
        table = rank_division(season, division)
        assert {line.player for line in table} == {*players}
        counting = [
            season.decisions[one.number]
            for one in season.fixtures
            if one.division == division
            and season.decisions[one.number].how != "struck"
            and not any(season.leavers.get(player) for player in one.players)
        ]
        check_marks(season, table)
        assert sum(line.points for line in table) == sum(sum(one.points) for one in counting)
        assert sum(line.played for line in table) == 2 * len(counting)
        assert sum(line.difference for line in table) == 0
    assert sorted(season.order) == sorted(season.players)


def check_marks(season: Season, table: Iterable[StandingsLine]) -> None:
    for line in table:
        found = Counter(list_round_marks(season, line.player))
        assert (found["won"], found["tied"], found["lost"]) == (line.wins, line.ties, line.losses)
        assert found["bye"] == sum(line.player in resting for resting in season.byes.values())
