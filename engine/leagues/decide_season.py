"""What a command makes of a season: events, or a refusal with its reason.

A leaver is treated as FIDE's tournament rules treat one in a round robin (handbook C.06, 5.4): with less than half of
the matches done all of theirs are struck, else those that are not done are forfeit.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from engine.leagues import commands
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
from engine.leagues.season_events import (
    Announced,
    CalledOff,
    EndPutOff,
    FixtureDecided,
    FixtureOpened,
    LeftSeason,
    RoundBegan,
    SeasonBegan,
    SeasonEnded,
    SeasonEvent,
    SignedUp,
    Withdrew,
    evolve_season,
)
from engine.leagues.standings import division_table
from engine.leagues.tournament import BREAK, LATE_ROUND, STALLED_ROUND, round_of

HOUR: Final = 3_600_000
LATE: Final = HOUR
"""Whoever notices the end of a season so much later was not there, and nobody could play."""
PUT_OFF: Final = 24 * HOUR
"""The time that people have then."""
STALLED: Final = 24 * HOUR
"""Whoever lets the other wait for so long when the season ends has lost, whatever the score."""

NOTHING: Final = FixtureResult((LOSS, LOSS), "unplayed")


def decide_season(season: Season | None, command: SeasonCommand, now: int) -> tuple[SeasonEvent, ...]:
    """What a command makes of a season; None is the one that `Announce` begins.

    Without events nothing happens: what was asked for has been done, or lost its sense. Raises SeasonRefused.
    """
    if isinstance(command, commands.Announce):
        return (Announced(command.conditions),)
    if season is None:
        raise ValueError("a season is announced before anything else")
    match command:
        case commands.SignUp(player, came):
            return _sign_up(season, player, came, now)
        case commands.Withdraw(player):
            return _withdraw(season, player, now)
        case commands.RunSeason():
            return _run(season, command, now)
        case commands.OpenFixture(number, match):
            return _open(season, number, match)
        case commands.Report(number, decision, absent):
            return _with_end(season, _decided(season, number, decision, absent), now)
        case commands.EndSeason():
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
    return (SignedUp(player, came),)


def _withdraw(season: Season, player: int, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonRefused(NOT_IN_SEASON, SEASON_OVER)."""
    if player not in season.players:
        raise SeasonRefused(Objection.NOT_IN_SEASON)
    if season.state == "signup":
        return (Withdrew(player),)
    if season.state != "running":
        raise SeasonRefused(Objection.SEASON_OVER)
    mine = [one for one in season.fixtures_of(player) if not any(season.gone.get(other) for other in one.players)]
    done = sum(one.number in season.decisions for one in mine)
    # In a tournament those who have met already cannot be paired anew, so what was played stands.
    struck = 2 * done < len(mine) and not season.is_tournament
    found: list[SeasonEvent] = [LeftSeason(player, struck)]
    for one in mine:
        if one.number not in season.decisions:
            points = (LOSS, WIN) if one.first == player else (WIN, LOSS)
            found.append(FixtureDecided(one.number, FixtureResult(points, "struck" if struck else "forfeit")))
    return _with_end(season, found, now)


def _run(season: Season, command: commands.RunSeason, now: int) -> tuple[SeasonEvent, ...]:
    """Raises SeasonRefused(ALREADY_BEGUN, TOO_FEW_SIGNED_UP) where it is to begin early."""
    if command.early and season.state != "signup":
        raise SeasonRefused(Objection.ALREADY_BEGUN)
    if command.early and len(season.players) < LEAST_PLAYERS:
        raise SeasonRefused(Objection.TOO_FEW_SIGNED_UP, least=LEAST_PLAYERS)
    if season.state == "signup" and (command.early or now >= season.conditions.signup_until):
        if len(season.players) < LEAST_PLAYERS:
            return (CalledOff("few"),)
        return (_begun(season, command, now),)
    if season.state != "running":
        return ()
    if now < season.ends:
        return _with_end(season, [], now)
    late, put_off = (LATE_ROUND, season.conditions.round_time // 2) if season.is_tournament else (LATE, PUT_OFF)
    # Of a tournament everything is played now or never, so those who could not begin have another chance, too.
    closed = season.is_tournament and any(one.number not in season.opened for one in season.undecided)
    if (closed or now >= season.ends + late) and not season.delayed and season.undecided:
        return (EndPutOff(now + put_off),)
    stalled = STALLED_ROUND if season.is_tournament else STALLED
    judged: list[SeasonEvent] = []
    for one in season.undecided:
        score = command.scores.get(one.number)
        judged.append(FixtureDecided(one.number, _judged(score, stalled)))
        judged += _not_there(season, one, () if score is None else score.absent)
    return _with_end(season, judged, now, "time")


def _begun(season: Season, command: commands.RunSeason, now: int) -> SeasonBegan:
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
    return SeasonBegan(divisions, numbered, now, now + conditions.length)


def _first_round(season: Season, players: tuple[int, ...], now: int) -> SeasonBegan:
    first = round_of(replace(season, divisions=(players,)), 0)
    assert first is not None, "nobody has met anybody yet"
    return SeasonBegan((players,), first.fixtures, now, now + season.conditions.round_time, first.byes)


def _open(season: Season, number: int, match: int) -> tuple[SeasonEvent, ...]:
    """Nothing happens where it is open already, or decided."""
    if season.state != "running" or number in season.opened or number in season.decisions:
        return ()
    return (FixtureOpened(number, match),)


def _decided(season: Season, number: int, decision: FixtureResult, absent: Sequence[int]) -> list[SeasonEvent]:
    if season.state != "running" or number not in season.opened or number in season.decisions:
        return []
    one = next(one for one in season.fixtures if one.number == number)
    return [FixtureDecided(number, decision), *_not_there(season, one, absent)]


def _not_there(season: Season, one: Fixture, absent: Sequence[int]) -> list[SeasonEvent]:
    """Who was not there is not paired any more in a Swiss tournament: nobody else is to wait for them."""
    if season.conditions.kind != "swiss":
        return []
    players = [one.players[seat] for seat in absent]
    return [LeftSeason(player, struck=False) for player in players if player not in season.gone]


def _judged(score: RunningScore | None, stalled: int) -> FixtureResult:
    """What the end of the season makes of a fixture; None: its match was never opened, or cannot be read."""
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
        return (CalledOff("moderator"),)
    if season.state != "running":
        raise SeasonRefused(Objection.SEASON_OVER)
    return _with_end(season, [FixtureDecided(one.number, NOTHING) for one in season.undecided], now, "moderator")


def _with_end(season: Season, found: Sequence[SeasonEvent], now: int, how: str = "played") -> tuple[SeasonEvent, ...]:
    """These events, and the next round of a tournament, or the end of the season, where nothing is left to play."""
    for event in found:
        season = evolve_season(season, event)
    if season.state != "running":
        return tuple(found)
    while season.is_tournament and how != "moderator" and not season.undecided:
        following = round_of(season, season.round + 1)
        if following is None:
            break
        at = now + BREAK
        began = RoundBegan(following.fixtures, following.byes, at, at + season.conditions.round_time)
        found, season = [*found, began], evolve_season(season, began)
    if season.undecided:
        return tuple(found)
    tables = [division_table(season, number) for number in range(len(season.divisions))]
    ranked = [[line.player for line in table if not line.left] for table in tables]
    order = order_after(ranked, [len(one) for one in season.divisions])
    ended = SeasonEnded("time" if how == "time" else "moderator" if how == "moderator" else "played", order)
    return (*found, ended)
