"""Short ways to build seasons: announced, with sign-ups, and running."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from engine.leagues import Season, apply_season_event, decide_season
from engine.leagues.commands import (
    AnnounceSeason,
    ReportResult,
    RunSeason,
    SeasonCommand,
    SignUp,
    Withdraw,
)
from engine.leagues.season import LOSS, TIE, WIN, Conditions, FixtureResult, RunningScore, SeasonKind
from engine.leagues.season_events import FixtureOpened, SeasonEvent
from engine.leagues.standings import StandingsLine, list_round_marks, rank_division

DAY = 24 * 3_600_000
MINUTE = 60_000
NOW = 1_800_000_000_000
START = NOW + 7 * DAY


def build_conditions(**changes: Any) -> Conditions:
    """Return the conditions of a season of four weeks with one week of sign-up."""
    usual: dict[str, Any] = {
        "name": "Spring",
        "game": "triominoes",
        "clock": "days 1d",
        "signup_until": START,
        "length": 28 * DAY,
        "target": 100,
        "signup": 7 * DAY,
    }
    return Conditions(**{**usual, **changes})


def apply_command(season: Season | None, command: SeasonCommand, now: int) -> tuple[Season, tuple[SeasonEvent, ...]]:

    events = decide_season(season, command, now)
    for event in events:
        season = apply_season_event(season, event)
    return season, events


def apply_all(season: Season | None, *commands: SeasonCommand, now: int = START) -> Season:
    for command in commands:
        season, _ = apply_command(season, command, now)
    return season


def build_sign_up_season(players: int, **changes: Any) -> Season:
    announcement = AnnounceSeason(build_conditions(**changes))
    return apply_all(None, announcement, *map(SignUp, range(1, players + 1)), now=NOW)


def build_tournament(players: int, kind: SeasonKind = "swiss", **changes: Any) -> Season:
    """Return a running tournament of one evening, with rounds of 45 minutes."""
    return start_season(players, kind=kind, clock="live 3m", round_time=45 * MINUTE, **changes)


def start_season(players: int, ratings: dict[int, float] | None = None, **changes: Any) -> Season:
    """Return a running season. Without ratings, players are seeded in the order of sign-up."""
    return apply_all(build_sign_up_season(players, **changes), RunSeason(ratings or {}))


def open_fixtures(season: Season, numbers: Iterable[int]) -> Season:
    """The matches of these fixtures begin, except of those that are open already."""
    for number in numbers:
        if number not in season.match_ids:
            season = apply_season_event(season, FixtureOpened(number, 1000 + number))
    return season


def decide_fixture(season: Season, number: int, result: str, totals: tuple[int, int] | None = None) -> Season:
    """Open a fixture if necessary, and end it with "1-0", "0-1" or "=" from the view of its first player."""
    points = {"1-0": (WIN, LOSS), "0-1": (LOSS, WIN), "=": (TIE, TIE)}[result]
    report = ReportResult(number, FixtureResult(points, "played", totals))
    return apply_all(open_fixtures(season, [number]), report)


def decide_for_stronger(season: Season, numbers: Iterable[int]) -> Season:
    for number in numbers:
        fixture = season.fixtures[number - 1]
        season = decide_fixture(season, number, "1-0" if fixture.first < fixture.second else "0-1", (100, 60))
    return season


def open_round(season: Season) -> Season:
    return open_fixtures(season, [one.number for one in season.undecided_fixtures])


def finish_round_for_stronger(season: Season) -> Season:
    return decide_for_stronger(season, [one.number for one in season.undecided_fixtures])


def finish_for_stronger(season: Season) -> Season:
    while season.state == "running":
        season = finish_round_for_stronger(season)
    return season


def simulate_season(
    chance: Random, terms: Conditions, signups: Iterable[SignUp], *, step: int, leaving: float
) -> tuple[list[SeasonEvent], Season]:
    """Play a random season: some players leave or are away, and some matches are not finished in time."""
    season, log = apply_command(None, AnnounceSeason(terms), NOW)
    events = [*log]

    def run_command(command: SeasonCommand, now: int) -> None:
        nonlocal season
        season, found = apply_command(season, command, now)
        events.extend(found)

    for signup in signups:
        run_command(signup, NOW)
    run_command(RunSeason({player: chance.gauss(1500, 200) for player in season.players}), START)
    now, in_rounds = START, terms.kind != "league"
    while season.state == "running":
        for fixture in season.list_ready_fixtures(now):
            events.append(FixtureOpened(fixture.number, fixture.number))
            season = apply_season_event(season, events[-1])
        assert max((season.count_running(player) for player in season.players), default=0) <= (1 if in_rounds else 2)
        if chance.random() < leaving and season.players:
            run_command(Withdraw(chance.choice(season.players)), now)
        for fixture in [*season.undecided_fixtures]:
            if fixture.number in season.match_ids and chance.random() < 0.3 and fixture in season.undecided_fixtures:
                points = chance.choice([(WIN, LOSS), (LOSS, WIN), (TIE, TIE), *[(LOSS, LOSS)] * in_rounds])
                absent_seats = chance.choice([(), (), (), (0,), (0, 1)]) if in_rounds else ()
                totals = (chance.randrange(100), chance.randrange(100))
                run_command(ReportResult(fixture.number, FixtureResult(points, "played", totals), absent_seats), now)
        now += step
        scores = {
            one.number: RunningScore((chance.randrange(99), chance.randrange(99))) for one in season.undecided_fixtures
        }
        run_command(RunSeason(scores=scores if in_rounds else {}), now)
    return events, season


def assert_standings_add_up(season: Season) -> None:
    """Assert that every pairing exists once and is decided, and that each table equals the sum of its matches."""
    if not season.divisions:
        return
    pairs = [frozenset(fixture.players) for fixture in season.fixtures]
    assert len(pairs) == len({*pairs})
    assert season.decisions.keys() == {one.number for one in season.fixtures}
    for division, players in enumerate(season.divisions):
        table = rank_division(season, division)
        assert {line.player for line in table} == {*players}
        counted_decisions = [
            season.decisions[one.number]
            for one in season.fixtures
            if one.division == division
            and season.decisions[one.number].how != "struck"
            and not any(season.leavers.get(player) for player in one.players)
        ]
        assert_round_marks(season, table)
        assert sum(line.points for line in table) == sum(sum(one.points) for one in counted_decisions)
        assert sum(line.played for line in table) == 2 * len(counted_decisions)
        assert sum(line.difference for line in table) == 0
    assert sorted(season.order) == sorted(season.players)


def assert_round_marks(season: Season, table: Iterable[StandingsLine]) -> None:
    for line in table:
        marks = Counter(list_round_marks(season, line.player))
        assert (marks["won"], marks["tied"], marks["lost"]) == (line.wins, line.ties, line.losses)
        assert marks["bye"] == sum(line.player in bye_players for bye_players in season.byes.values())
