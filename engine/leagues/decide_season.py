"""Decide a command to a season: return events, or refuse with a reason.

A leaver is treated as in FIDE's rules for round robins (handbook C.06, 5.4): with less than half of the matches done
all of them are struck, else the remaining ones are forfeited.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from engine.leagues import commands as leagues_commands
from engine.leagues import season_events
from engine.leagues.commands import Objection, SeasonCommand, SeasonRefused
from engine.leagues.divisions import divided, order_after, seeded
from engine.leagues.round_robin import all_rounds
from engine.leagues.season import (
    LEAST_PLAYERS,
    LOSS,
    MOST_PLAYERS,
    TIE,
    WIN,
    Fixture,
    FixtureResult,
    RunningScore,
    Season,
)
from engine.leagues.season_events import SeasonEvent, evolve_season
from engine.leagues.standings import division_table
from engine.leagues.tournament import BREAK, LATE_ROUND, STALLED_ROUND, round_of

HOUR: Final = 3_600_000
LATE: Final = HOUR  # the end of a season is noticed this late only after an outage
PUT_OFF: Final = 24 * HOUR  # extension in that case
STALLED: Final = 24 * HOUR  # a player who delays a match this long when the season ends loses, whatever the score
NOTHING: Final = FixtureResult((LOSS, LOSS), "unplayed")


def decide_season(season: Season | None, command: SeasonCommand, now: int) -> tuple[SeasonEvent, ...]:
    """Return the events of a command; `season` is None for `Announce`. Without events nothing happens: the request is
    already done or obsolete. Raises SeasonRefused.
    """
    if isinstance(command, leagues_commands.Announce):
        return (season_events.Announced(command.conditions),)
    if season is None:
        raise ValueError("a season is announced before anything else")
    match command:
        case leagues_commands.SignUp(player, came):
            return _sign_up(season, player, came, now)
        case leagues_commands.Withdraw(player):
            return _withdraw(season, player, now)
        case leagues_commands.RunSeason():
            return _run(season, command, now)
        case leagues_commands.OpenFixture(number, match):
            closed = season.state != "running" or number in season.opened or number in season.decisions
            return () if closed else (season_events.FixtureOpened(number, match),)
        case leagues_commands.Report(number, decision, absent):
            return _with_end(season, _decided(season, number, decision, absent), now)
        case leagues_commands.EndSeason():
            return _end(season, now)
        case _:
            assert_never(command)


def _sign_up(season: Season, player: int, came: int | None, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonRefused(ALREADY_SIGNED_UP, SEASON_FULL, SIGNUP_OVER, LEFT_SEASON)."""
    if player in season.gone:
        raise SeasonRefused(Objection.LEFT_SEASON)
    if player in season.players:
        raise SeasonRefused(Objection.ALREADY_SIGNED_UP)
    if season.state != "signup" or now >= season.conditions.signup_until:
        raise SeasonRefused(Objection.SIGNUP_OVER)
    if len(season.players) >= MOST_PLAYERS:
        raise SeasonRefused(Objection.SEASON_FULL, most=MOST_PLAYERS)
    return (season_events.SignedUp(player, came),)


def _withdraw(season: Season, player: int, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonRefused(NOT_IN_SEASON, SEASON_OVER)."""
    if player not in season.players:
        raise SeasonRefused(Objection.NOT_IN_SEASON)
    if season.state == "signup":
        return (season_events.Withdrew(player),)
    if season.state != "running":
        raise SeasonRefused(Objection.SEASON_OVER)
    mine = [one for one in season.fixtures_of(player) if not any(season.gone.get(other) for other in one.players)]
    done = sum(one.number in season.decisions for one in mine)
    # Finished tournament rounds cannot be paired again, so their results stand.
    struck = 2 * done < len(mine) and not season.is_tournament
    found: list[SeasonEvent] = [season_events.LeftSeason(player, struck)]
    for one in mine:
        if one.number not in season.decisions:
            points = (LOSS, WIN) if one.first == player else (WIN, LOSS)
            found.append(
                season_events.FixtureDecided(one.number, FixtureResult(points, "struck" if struck else "forfeit"))
            )
    return _with_end(season, found, now)


def _run(season: Season, command: leagues_commands.RunSeason, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonRefused(ALREADY_BEGUN, TOO_FEW_SIGNED_UP) for an early start."""
    if command.early and season.state != "signup":
        raise SeasonRefused(Objection.ALREADY_BEGUN)
    if command.early and len(season.players) < LEAST_PLAYERS:
        raise SeasonRefused(Objection.TOO_FEW_SIGNED_UP, least=LEAST_PLAYERS)
    if season.state == "signup" and (command.early or now >= season.conditions.signup_until):
        if len(season.players) < LEAST_PLAYERS:
            return (season_events.CalledOff("few"),)
        return (_begun(season, command, now),)
    if season.state != "running":
        return ()
    if now < season.ends:
        return _with_end(season, [], now)
    late, put_off = (LATE_ROUND, season.conditions.round_time // 2) if season.is_tournament else (LATE, PUT_OFF)
    # A tournament cannot be continued later, so unopened matches get another chance too.
    closed = season.is_tournament and any(one.number not in season.opened for one in season.undecided)
    if (closed or now >= season.ends + late) and not season.delayed and season.undecided:
        return (season_events.EndPutOff(now + put_off),)
    stalled = STALLED_ROUND if season.is_tournament else STALLED
    judged: list[SeasonEvent] = []
    for one in season.undecided:
        score = command.scores.get(one.number)
        judged.append(season_events.FixtureDecided(one.number, _judged(score, stalled)))
        judged += _not_there(season, one, () if score is None else score.absent)
    return _with_end(season, judged, now, "time")


def _begun(season: Season, command: leagues_commands.RunSeason, now: int) -> season_events.SeasonBegan:
    conditions = season.conditions
    signed_up = {player: season.entrants[player] for player in season.players}
    if season.is_tournament:
        return _first_round(season, tuple(seeded(signed_up, command.ratings)), now)
    divisions = divided(seeded(signed_up, command.ratings), conditions.size)
    fixtures = [
        (division, number, players[first], players[second])
        for division, players in enumerate(divisions)
        for number, pairs in enumerate(all_rounds(len(players), conditions.legs))
        for first, second in pairs
    ]
    numbered = tuple(Fixture(number, *one) for number, one in enumerate(fixtures, 1))
    return season_events.SeasonBegan(divisions, numbered, now, now + conditions.length)


def _first_round(season: Season, players: tuple[int, ...], now: int) -> season_events.SeasonBegan:
    first = round_of(replace(season, divisions=(players,)), 0)
    assert first is not None, "nobody has met anybody yet"
    return season_events.SeasonBegan((players,), first.fixtures, now, now + season.conditions.round_time, first.byes)


def _decided(season: Season, number: int, decision: FixtureResult, absent: Sequence[int]) -> list[SeasonEvent]:
    if season.state != "running" or number not in season.opened or number in season.decisions:
        return []
    one = next(one for one in season.fixtures if one.number == number)
    return [season_events.FixtureDecided(number, decision), *_not_there(season, one, absent)]


def _not_there(season: Season, one: Fixture, absent: Sequence[int]) -> list[SeasonEvent]:
    """Stop pairing absent players of a Swiss tournament, so that no player waits for them."""
    if season.conditions.kind != "swiss":
        return []
    players = [one.players[seat] for seat in absent]
    return [season_events.LeftSeason(player, struck=False) for player in players if player not in season.gone]


def _judged(score: RunningScore | None, stalled: int) -> FixtureResult:
    """Judge a fixture at the end of the season; None: its match was never opened, or is unreadable."""
    if score is None:
        return NOTHING
    if score.absent:
        points = (LOSS if 0 in score.absent else WIN, LOSS if 1 in score.absent else WIN)
        return FixtureResult(points, "judged", score.totals)
    if score.turn is not None and score.waited >= stalled:
        return FixtureResult((LOSS, WIN) if score.turn == 0 else (WIN, LOSS), "judged", score.totals)
    first, second = score.totals
    points = (TIE, TIE) if first == second else (WIN, LOSS) if first > second else (LOSS, WIN)
    return FixtureResult(points, "judged", score.totals)


def _end(season: Season, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonRefused(SEASON_OVER)."""
    if season.state == "signup":
        return (season_events.CalledOff("moderator"),)
    if season.state != "running":
        raise SeasonRefused(Objection.SEASON_OVER)
    return _with_end(
        season, [season_events.FixtureDecided(one.number, NOTHING) for one in season.undecided], now, "moderator"
    )


def _with_end(season: Season, found: Sequence[SeasonEvent], now: int, how: str = "played") -> tuple[SeasonEvent, ...]:
    for event in found:
        season = evolve_season(season, event)
    if season.state != "running":
        return tuple(found)
    while season.is_tournament and how != "moderator" and not season.undecided:
        following = round_of(season, season.round + 1)
        if following is None:
            break
        at = now + BREAK
        began = season_events.RoundBegan(following.fixtures, following.byes, at, at + season.conditions.round_time)
        found, season = [*found, began], evolve_season(season, began)
    if season.undecided:
        return tuple(found)
    tables = [division_table(season, number) for number in range(len(season.divisions))]
    ranked = [[line.player for line in table if not line.left] for table in tables]
    order = order_after(ranked, [len(one) for one in season.divisions])
    ended = season_events.SeasonEnded(
        "time" if how == "time" else "moderator" if how == "moderator" else "played", order
    )
    return (*found, ended)
