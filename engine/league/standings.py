"""The table of a division, and what decides where points are even.

Two points a win, one a tie. Even on points are parted by the matches among them, then by wins, then by
Sonneborn-Berger (what each opponent has in the end, times what was won from them), then by the difference of scores:
the first three are those of FIDE's handbook for round robins (C.07). Who is even in all of that shares a place. Those
of a Swiss tournament are parted by Buchholz, those of a knock-out by how far they came.
"""

from dataclasses import replace

from engine.league.buchholz import swiss_lines, swiss_parts
from engine.league.knockout import champion, reached
from engine.league.lines import TableLine, placed, table_line
from engine.league.season import Season


def division_table(season: Season, division: int) -> list[TableLine]:
    """The lines of a division, best first, with those who left at the end. A tournament has one division."""
    if season.conditions.kind == "swiss":
        return placed(swiss_lines(season), swiss_parts)
    if season.conditions.kind == "knockout":
        through = reached(season)
        return placed(
            [table_line(season, player) for player in season.divisions[0]], lambda line: (through[line.player],)
        )
    players = season.divisions[division]
    lines = {player: table_line(season, player) for player in players}
    counting = [player for player in players if player not in season.gone]
    found = []
    for player in players:
        line = lines[player]
        even = [other for other in counting if lines[other].points == line.points]
        direct = sum(line.cells.get(other, 0) for other in even)
        sonneborn = sum(points * lines[other].points for other, points in line.cells.items())
        found.append(replace(line, direct=direct, sonneborn=sonneborn))
    return placed(found, _parts)


def winners(season: Season) -> list[int]:
    """Who has won a season that is over. Nobody has where nobody in the first division has any points."""
    if season.conditions.kind == "knockout":
        best = champion(season)
        return [] if best is None else [best]
    # Whoever has no points is first only because nobody else has any.
    return [line.player for line in division_table(season, 0) if line.place == 1 and line.points]


def _parts(line: TableLine) -> tuple[int, ...]:
    return line.points, line.direct, line.wins, line.sonneborn, line.difference
