"""The rounds of a tournament of an evening: who meets in the first one and in each that follows."""

from dataclasses import dataclass
from typing import Final

from engine.leagues.knockout import bracket_pairs, bracket_rounds
from engine.leagues.season import WIN, Fixture, Season
from engine.leagues.standings import table_line
from engine.leagues.swiss import SwissPlayer, seated, swiss_round

MINUTE: Final = 60_000
BREAK: Final = 2 * MINUTE
"""Between two rounds: those who have just played get up, those who waited come back."""
LATE_ROUND: Final = 5 * MINUTE
"""Whoever notices the end of a round so much later was not there, and nobody could play."""
STALLED_ROUND: Final = 2 * MINUTE
"""Whoever lets the other wait for so long when the round ends has lost, whatever the score."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is to begin."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[int, ...]


def planned_rounds(season: Season) -> int:
    """How many rounds a tournament that has begun takes, if nobody leaves."""
    players = len(season.divisions[0])
    if season.conditions.kind == "knockout":
        return bracket_rounds(players)
    return min(season.conditions.rounds or bracket_rounds(players), players - 1)


def round_of(season: Season, number: int) -> Round | None:
    """Who meets in a round, from 0, when all before it are decided. None where there is none: it was the last one, or
    of those who are left nobody can meet anybody new.
    """
    if number >= planned_rounds(season):
        return None
    players = {player: _so_far(season, player) for player in season.divisions[0] if player not in season.gone}
    if season.conditions.kind == "knockout":
        met, byes = bracket_pairs(season, number)
        # The weaker one begins in the first round, later who has begun less often.
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
    """What the rounds before it make of somebody in the next one."""
    seats = [1 if one.first == player else -1 for one in season.fixtures_of(player)]
    byes = sum(player in resting for resting in season.byes.values())
    points = table_line(season, player).points + WIN * byes
    return SwissPlayer(player, points, sum(seats), seats[-1] if seats else 0, bool(byes))
