"""The rounds of a tournament of an evening."""

from dataclasses import dataclass
from typing import Final

from engine.leagues.knockout import count_bracket_rounds, pair_bracket_round
from engine.leagues.season import WIN, Fixture, Season
from engine.leagues.standings import build_standings_line
from engine.leagues.swiss import SwissPlayer, order_seats, pair_swiss_round

MINUTE: Final = 60_000
ROUND_BREAK: Final = 2 * MINUTE  # break between two rounds
ROUND_OUTAGE_DELAY: Final = 5 * MINUTE  # the end of a round is noticed this late only after an outage
ROUND_STALL_LIMIT: Final = 2 * MINUTE  # a player who delays a match this long when the round ends loses it


@dataclass(frozen=True, slots=True)
class Round:
    fixtures: tuple[Fixture, ...]
    byes: tuple[int, ...]


def count_planned_rounds(season: Season) -> int:
    """Return the number of rounds of a running tournament, if all players stay."""
    players = len(season.divisions[0])
    if season.conditions.kind == "knockout":
        return count_bracket_rounds(players)
    return min(season.conditions.rounds or count_bracket_rounds(players), players - 1)


def pair_round(season: Season, number: int) -> Round | None:
    """Return a round, from 0, when all before it are decided; None after the last one or without new pairs."""
    if number >= count_planned_rounds(season):
        return None
    players = {
        player: _build_swiss_player(season, player) for player in season.divisions[0] if player not in season.leavers
    }
    if season.conditions.kind == "knockout":
        met, byes = pair_bracket_round(season, number)
        # The weaker player begins in the first round, later the one with fewer first seats.
        pairs = tuple(order_seats(players[upper], players[lower], first=False) for upper, lower in met)
        if len(pairs) * 2 + len(byes) < 2:
            return None
    else:
        past_pairs = {frozenset(one.players) for one in season.fixtures}
        pairings = pair_swiss_round([*players.values()], past_pairs, count_planned_rounds(season) - number - 1)
        if pairings is None:
            return None
        pairs, byes = pairings.pairs, () if pairings.bye is None else (pairings.bye,)
    known = len(season.fixtures)
    fixtures = (Fixture(known + at, 0, number, first, second) for at, (first, second) in enumerate(pairs, 1))
    return Round(tuple(fixtures), byes)


def _build_swiss_player(season: Season, player: int) -> SwissPlayer:
    seats = [1 if one.first == player else -1 for one in season.iterate_fixtures(player)]
    byes = sum(player in resting for resting in season.byes.values())
    points = build_standings_line(season, player).points + WIN * byes
    return SwissPlayer(player, points, sum(seats), seats[-1] if seats else 0, bool(byes))
