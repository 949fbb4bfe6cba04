"""The table of a division, and what decides where points are even.

Two points a win, one a tie. Even on points are parted by the matches among them, then by wins, then by
Sonneborn-Berger (what each opponent has in the end, times what was won from them), then by the difference of scores:
the first three are those of FIDE's handbook for round robins (C.07). Who is even in all of that shares a place. Those
of a Swiss tournament are parted by Buchholz, those of a knock-out by how far they came.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.leagues.knockout import champion, reached
from engine.leagues.season import TIE, WIN, Fixture, FixtureResult, Season

RoundMark = Literal["won", "tied", "lost", "unplayed", "bye", "open", "none"]
"""What a round brought somebody: `unplayed` is one whose match gave nobody anything, `bye` one without an opponent that
counts as won, `open` one that is being played, `none` one that is not for them, or has not begun.
"""


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
    """What has no result is lost to nobody; where both were away, to both."""
    difference: int = 0
    """Points scored on the tables less points of the opponents."""
    direct: int = 0
    """Points from those who are even with them."""
    sonneborn: int = 0
    byes: int = 0
    """Rounds of a Swiss tournament without anybody to meet: each gives as much as a win."""
    buchholz: int = 0
    """What the opponents of a Swiss tournament have."""
    cut: int = 0
    """The same without the weakest of them."""
    left: bool = False
    cells: Mapping[int, int] = field(default_factory=dict)
    """Points from each opponent, by player."""


def _counts(season: Season, one: Fixture, decision: FixtureResult) -> bool:
    """Whether a result stands in the table: those of a leaver who was struck do not."""
    return decision.how != "struck" and not any(season.gone.get(player) for player in one.players)


def table_line(season: Season, player: int) -> TableLine:
    """What somebody's matches come to. Those of a leaver who was struck count for nobody."""
    line = TableLine(player=player, left=player in season.gone)
    cells: dict[int, int] = {}
    for one in season.fixtures_of(player):
        decision = season.decisions.get(one.number)
        if decision is None or not _counts(season, one, decision):
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
            losses=line.losses + (not won and not tied and decision.how != "unplayed"),
            difference=line.difference + (0 if totals is None else totals[mine] - totals[1 - mine]),
        )
    return replace(line, cells=cells)


def round_marks(season: Season, player: int) -> tuple[RoundMark, ...]:
    """What each round brought somebody, up to the last one that has begun for anybody."""
    mine = {one.round: one for one in season.fixtures_of(player)}
    begun = [one.round + 1 for one in season.fixtures if one.number in season.opened or one.number in season.decisions]
    resting = [number + 1 for number in season.byes]
    return tuple(
        "bye" if player in season.byes.get(number, ()) else _mark(season, player, mine.get(number))
        for number in range(max([*begun, *resting], default=0))
    )


def _mark(season: Season, player: int, one: Fixture | None) -> RoundMark:
    if one is None:
        return "none"
    decision = season.decisions.get(one.number)
    if decision is None:
        return "open" if one.number in season.opened else "none"
    if not _counts(season, one, decision):
        return "none"
    if decision.how == "unplayed":
        return "unplayed"
    points = decision.points[one.players.index(player)]
    return "won" if points == WIN else "tied" if points == TIE else "lost"


def placed(lines: Sequence[TableLine], parts: Callable[[TableLine], tuple[int, ...]]) -> list[TableLine]:
    """These with their places, best first, those who left at the end. Who is even in all parts shares a place."""
    # Sorting keeps who was the stronger one at the beginning before who is even with them.
    found = sorted(lines, key=lambda line: (line.left, *(-part for part in parts(line))))
    done: list[TableLine] = []
    for number, line in enumerate(found, 1):
        even_before = bool(done) and parts(done[-1]) == parts(line)
        done.append(replace(line, place=0 if line.left else done[-1].place if even_before else number))
    return done


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
