"""The table of a Swiss tournament: points, and among equals what their opponents have (Buchholz).

As in FIDE's handbook (C.07): first without the weakest opponent, then with all; a round without an opponent counts as
one with as many points as one has in the end. After them wins and the difference of scores.
"""

from dataclasses import replace

from engine.league.lines import TableLine, table_line
from engine.league.season import WIN, Season


def swiss_lines(season: Season) -> list[TableLine]:
    """A line for each player, in the order of strength at the beginning, not placed yet."""
    lines = {player: _with_byes(season, table_line(season, player)) for player in season.divisions[0]}
    return [_with_opponents(line, lines) for line in lines.values()]


def swiss_parts(line: TableLine) -> tuple[int, ...]:
    """What decides, in order."""
    return line.points, line.cut, line.buchholz, line.wins, line.difference


def _with_byes(season: Season, line: TableLine) -> TableLine:
    byes = sum(line.player in resting for resting in season.byes.values())
    return replace(line, byes=byes, points=line.points + WIN * byes)


def _with_opponents(line: TableLine, lines: dict[int, TableLine]) -> TableLine:
    scores = [lines[other].points for other in line.cells] + [line.points] * line.byes
    return replace(line, buchholz=sum(scores), cut=sum(scores) - min(scores, default=0))
