"""The rounds of a tournament of an evening."""

from dataclasses import dataclass
from typing import Final

from engine.leagues.knockout import bracket_pairs, bracket_rounds
from engine.leagues.season import WIN, Fixture, Season
from engine.leagues.standings import table_line
from engine.leagues.swiss import SwissPlayer, seated, swiss_round

MINUTE: Final = 60_000
BREAK: Final = 2 * MINUTE  # break between two rounds
LATE_ROUND: Final = 5 * MINUTE  # the end of a round is noticed this late only after an outage
STALLED_ROUND: Final = 2 * MINUTE  # a player who delays a match this long when the round ends loses, whatever the score


@dataclass(frozen=True, slots=True)
class Round:
    """The pairings of the next round."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[int, ...]


def planned_rounds(season: Season) -> int:
    """Return the number of rounds of a running tournament, if all players stay."""
    players = len(season.divisions[0])
    if season.conditions.kind == "knockout":
        return bracket_rounds(players)
    return min(season.conditions.rounds or bracket_rounds(players), players - 1)


def round_of(season: Season, number: int) -> Round | None:
    """Return a round, from 0, when all before it are decided; None after the last one or without new pairs."""
    if number >= planned_rounds(season):
        return None
    players = {player: _so_far(season, player) for player in season.divisions[0] if player not in season.gone}
    if season.conditions.kind == "knockout":
        met, byes = bracket_pairs(season, number)
        # The weaker player begins in the first round, later the one with fewer first seats.
        pairs = tuple(seated(players[upper], players[lower], first=False) for upper, lower in met)
        if len(pairs) * 2 + len(byes) < 2:
            return None
    else:
        pairings = swiss_round([*players.values()], {frozenset(one.players) for one in season.fixtures})
        if pairings is None:
            return None
        pairs, byes = pairings.pairs, () if pairings.bye is None else (pairings.bye,)
    known = len(season.fixtures)
    fixtures = (Fixture(known + at, 0, number, first, second) for at, (first, second) in enumerate(pairs, 1))
    return Round(tuple(fixtures), byes)


def _so_far(season: Season, player: int) -> SwissPlayer:
    seats = [1 if one.first == player else -1 for one in season.fixtures_of(player)]
    byes = sum(player in resting for resting in season.byes.values())
    points = table_line(season, player).points + WIN * byes
    return SwissPlayer(player, points, sum(seats), seats[-1] if seats else 0, bool(byes))
