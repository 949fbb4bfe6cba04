"""Decide a command to a season: return events, or refuse with a reason.

A leaver is treated as in FIDE's rules for round robins (handbook C.06, 5.4): with less than half of the matches done
all of them are struck, else the remaining ones are forfeited.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, assert_never

from engine.leagues import commands as leagues_commands
from engine.leagues import season_events
from engine.leagues.commands import SeasonCommand, SeasonError, SeasonRefusal
from engine.leagues.divisions import seed_next_season, seed_players, split_divisions
from engine.leagues.round_robin import list_all_rounds
from engine.leagues.season import (
    LOSS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    TIE,
    WIN,
    Fixture,
    FixtureResult,
    RunningScore,
    Season,
)
from engine.leagues.season_events import SeasonEvent, apply_season_event
from engine.leagues.standings import rank_division
from engine.leagues.tournament import ROUND_BREAK, ROUND_OUTAGE_DELAY, ROUND_STALL_LIMIT, pair_round

HOUR: Final = 3_600_000
OUTAGE_DELAY: Final = HOUR  # the end of a season is noticed this late only after an outage
END_EXTENSION: Final = 24 * HOUR  # extension in that case
STALL_LIMIT: Final = 24 * HOUR  # a player who delays a match this long when the season ends loses, whatever the score
UNPLAYED: Final = FixtureResult((LOSS, LOSS), "unplayed")


def decide_season(season: Season | None, command: SeasonCommand, now: int) -> tuple[SeasonEvent, ...]:
    """Return the events of a command; `season` is None for `AnnounceSeason`. Without events nothing happens: the
    request is already done or obsolete. Raises SeasonError.
    """
    if isinstance(command, leagues_commands.AnnounceSeason):
        return (season_events.Announced(command.conditions),)
    if season is None:
        raise ValueError("a season is announced before anything else")
    match command:
        case leagues_commands.SignUp(player, came):
            return _sign_up(season, player, came, now)
        case leagues_commands.Withdraw(player):
            return _withdraw(season, player, now)
        case leagues_commands.RunSeason():
            return _run_season(season, command, now)
        case leagues_commands.ReportResult(number, decision, absent):
            return _with_end(season, _decide_fixture(season, number, decision, absent), now)
        case leagues_commands.EndSeason():
            return _end_season(season, now)
        case _:
            assert_never(command)


def _sign_up(season: Season, player: int, previous_rank: int | None, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonError(ALREADY_SIGNED_UP, SEASON_FULL, SIGNUP_OVER, LEFT_SEASON)."""
    if player in season.leavers:
        raise SeasonError(SeasonRefusal.LEFT_SEASON)
    if player in season.players:
        raise SeasonError(SeasonRefusal.ALREADY_SIGNED_UP)
    if season.state != "signup" or now >= season.conditions.signup_until:
        raise SeasonError(SeasonRefusal.SIGNUP_OVER)
    if len(season.players) >= MAX_PLAYERS:
        raise SeasonError(SeasonRefusal.SEASON_FULL, most=MAX_PLAYERS)
    return (season_events.SignedUp(player, previous_rank),)


def _withdraw(season: Season, player: int, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonError(NOT_IN_SEASON, SEASON_OVER)."""
    if player not in season.players:
        raise SeasonError(SeasonRefusal.NOT_IN_SEASON)
    if season.state == "signup":
        return (season_events.Withdrew(player),)
    if season.state != "running":
        raise SeasonError(SeasonRefusal.SEASON_OVER)
    own_fixtures = [
        one for one in season.iterate_fixtures(player) if not any(season.leavers.get(other) for other in one.players)
    ]
    done = sum(one.number in season.decisions for one in own_fixtures)
    # Finished tournament rounds cannot be paired again, so their results stand.
    struck = 2 * done < len(own_fixtures) and not season.is_tournament
    found: list[SeasonEvent] = [season_events.LeftSeason(player, struck)]
    for one in own_fixtures:
        if one.number not in season.decisions:
            points = (LOSS, WIN) if one.first == player else (WIN, LOSS)
            result = FixtureResult(points, "struck" if struck else "forfeit")
            found.append(season_events.FixtureDecided(one.number, result))
    return _with_end(season, found, now)


def _run_season(season: Season, command: leagues_commands.RunSeason, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonError(ALREADY_BEGUN, TOO_FEW_SIGNED_UP) for an early start."""
    if command.early and season.state != "signup":
        raise SeasonError(SeasonRefusal.ALREADY_BEGUN)
    if command.early and len(season.players) < MIN_PLAYERS:
        raise SeasonError(SeasonRefusal.TOO_FEW_SIGNED_UP, least=MIN_PLAYERS)
    if season.state == "signup" and (command.early or now >= season.conditions.signup_until):
        if len(season.players) < MIN_PLAYERS:
            return (season_events.CalledOff("few"),)
        return (_begin_season(season, command, now),)
    if season.state != "running":
        return ()
    if now < season.ends:
        return _with_end(season, [], now)
    outage_delay, extension = (
        (ROUND_OUTAGE_DELAY, season.conditions.round_time // 2)
        if season.is_tournament
        else (OUTAGE_DELAY, END_EXTENSION)
    )
    # A tournament cannot be continued later, so unopened matches get another chance too.
    closed = season.is_tournament and any(one.number not in season.match_ids for one in season.undecided_fixtures)
    if (closed or now >= season.ends + outage_delay) and not season.is_delayed and season.undecided_fixtures:
        return (season_events.EndPutOff(now + extension),)
    stalled = ROUND_STALL_LIMIT if season.is_tournament else STALL_LIMIT
    judged: list[SeasonEvent] = []
    for one in season.undecided_fixtures:
        score = command.scores.get(one.number)
        judged.append(season_events.FixtureDecided(one.number, _judge_fixture(score, stalled)))
        judged += _drop_absent(season, one, () if score is None else score.absent)
    return _with_end(season, judged, now, "time")


def _begin_season(season: Season, command: leagues_commands.RunSeason, now: int) -> season_events.SeasonBegan:
    conditions = season.conditions
    signed_up = {player: season.entrants[player] for player in season.players}
    if season.is_tournament:
        return _begin_tournament(season, tuple(seed_players(signed_up, command.ratings)), now)
    divisions = split_divisions(seed_players(signed_up, command.ratings), conditions.size)
    fixtures = [
        (division, number, players[first], players[second])
        for division, players in enumerate(divisions)
        for number, pairs in enumerate(list_all_rounds(len(players), conditions.legs))
        for first, second in pairs
    ]
    numbered = tuple(Fixture(number, *one) for number, one in enumerate(fixtures, 1))
    return season_events.SeasonBegan(divisions, numbered, now, now + conditions.length)


def _begin_tournament(season: Season, players: tuple[int, ...], now: int) -> season_events.SeasonBegan:
    first = pair_round(replace(season, divisions=(players,)), 0)
    assert first is not None, "nobody has met anybody yet"
    return season_events.SeasonBegan((players,), first.fixtures, now, now + season.conditions.round_time, first.byes)


def _decide_fixture(season: Season, number: int, decision: FixtureResult, absent: Sequence[int]) -> list[SeasonEvent]:
    if season.state != "running" or number not in season.match_ids or number in season.decisions:
        return []
    one = next(one for one in season.fixtures if one.number == number)
    return [season_events.FixtureDecided(number, decision), *_drop_absent(season, one, absent)]


def _drop_absent(season: Season, fixture: Fixture, absent: Sequence[int]) -> list[SeasonEvent]:
    """Stop pairing absent players of a Swiss tournament, so that no player waits for them."""
    if season.conditions.kind != "swiss":
        return []
    players = [fixture.players[seat] for seat in absent]
    return [season_events.LeftSeason(player, struck=False) for player in players if player not in season.leavers]


def _judge_fixture(score: RunningScore | None, stalled: int) -> FixtureResult:
    """Judge a fixture at the end of the season; None: its match was never opened, or is unreadable."""
    if score is None:
        return UNPLAYED
    if score.absent:
        points = (LOSS if 0 in score.absent else WIN, LOSS if 1 in score.absent else WIN)
        return FixtureResult(points, "judged", score.totals)
    if score.turn is not None and score.waited >= stalled:
        return FixtureResult((LOSS, WIN) if score.turn == 0 else (WIN, LOSS), "judged", score.totals)
    first, second = score.totals
    points = (TIE, TIE) if first == second else (WIN, LOSS) if first > second else (LOSS, WIN)
    return FixtureResult(points, "judged", score.totals)


def _end_season(season: Season, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonError(SEASON_OVER)."""
    if season.state == "signup":
        return (season_events.CalledOff("moderator"),)
    if season.state != "running":
        raise SeasonError(SeasonRefusal.SEASON_OVER)
    unplayed = [season_events.FixtureDecided(one.number, UNPLAYED) for one in season.undecided_fixtures]
    return _with_end(season, unplayed, now, "moderator")


def _with_end(
    season: Season, found: Sequence[SeasonEvent], now: int, how: Literal["played", "time", "moderator"] = "played"
) -> tuple[SeasonEvent, ...]:
    for event in found:
        season = apply_season_event(season, event)
    if season.state != "running":
        return tuple(found)
    while season.is_tournament and how != "moderator" and not season.undecided_fixtures:
        following = pair_round(season, season.round + 1)
        if following is None:
            break
        at = now + ROUND_BREAK
        began = season_events.RoundBegan(following.fixtures, following.byes, at, at + season.conditions.round_time)
        found, season = [*found, began], apply_season_event(season, began)
    if season.undecided_fixtures:
        return tuple(found)
    tables = [rank_division(season, number) for number in range(len(season.divisions))]
    ranked = [[line.player for line in table if not line.has_left] for table in tables]
    order = seed_next_season(ranked, [len(one) for one in season.divisions])
    return (*found, season_events.SeasonEnded(how, order))
