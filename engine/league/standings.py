"""The table of a division, and what decides where points are even.

Two points a win, one a tie. Even on points are parted by the matches among them, then by wins, then by
Sonneborn-Berger (what each opponent has in the end, times what was won from them), then by the difference of scores:
the first three are those of FIDE's handbook for round robins (C.07). Who is even in all of that shares a place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.league.season import TIE, WIN, Season


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    """One player's line."""

    player: int
    place: int = 0
    """From 1, shared where all is even; 0 for somebody who left and does not count."""
    points: int = 0
    played: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    difference: int = 0
    """Points scored on the tables less points of the opponents."""
    direct: int = 0
    """Points from those who are even with them."""
    sonneborn: int = 0
    left: bool = False
    cells: Mapping[int, int] = field(default_factory=dict)
    """Points from each opponent, by player."""


def division_table(season: Season, division: int) -> list[TableLine]:
    """The lines of a division, best first, with those who left at the end."""
    players = season.divisions[division]
    lines = {player: _counted(season, player) for player in players}
    counting = [player for player in players if player not in season.gone]
    found = []
    for player in players:
        line = lines[player]
        even = [other for other in counting if lines[other].points == line.points]
        direct = sum(line.cells.get(other, 0) for other in even)
        sonneborn = sum(points * lines[other].points for other, points in line.cells.items())
        found.append(replace(line, direct=direct, sonneborn=sonneborn))
    # Sorting keeps who was the stronger one at the beginning before who is even with them.
    found.sort(key=lambda line: (line.left, *(-part for part in _parts(line))))
    placed: list[TableLine] = []
    for number, line in enumerate(found, 1):
        even_before = bool(placed) and _parts(placed[-1]) == _parts(line)
        place = 0 if line.left else placed[-1].place if even_before else number
        placed.append(replace(line, place=place))
    return placed


def _parts(line: TableLine) -> tuple[int, ...]:
    return line.points, line.direct, line.wins, line.sonneborn, line.difference


def _counted(season: Season, player: int) -> TableLine:
    """What somebody's matches come to. Those of a leaver who was struck count for nobody."""
    line = TableLine(player=player, left=player in season.gone)
    cells: dict[int, int] = {}
    for one in season.fixtures_of(player):
        decision = season.decisions.get(one.number)
        if decision is None or decision.how == "struck" or any(season.gone.get(other) for other in one.players):
            continue
        mine = one.players.index(player)
        other, points = one.players[1 - mine], decision.points[mine]
        cells[other] = cells.get(other, 0) + points
        won, tied = points == WIN, points == TIE
        totals = decision.totals
        line = replace(
            line,
            points=line.points + points,
            played=line.played + 1,
            wins=line.wins + won,
            ties=line.ties + tied,
            losses=line.losses + (not won and not tied),
            difference=line.difference + (0 if totals is None else totals[mine] - totals[1 - mine]),
        )
    return replace(line, cells=cells)
