"""The table of a division and its tie-breaks.

A win gives two points, a tie one. Equal points are ranked by direct matches, wins, Sonneborn-Berger (opponents' final
points, times the points won from them), and difference of scores: the first three as in FIDE's handbook for round
robins (C.07). Swiss tournaments use Buchholz, knock-outs the rounds won.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.leagues.knockout import champion, reached
from engine.leagues.season import TIE, WIN, Fixture, FixtureResult, Season

RoundMark = Literal["won", "tied", "lost", "unplayed", "bye", "open", "none"]
"""Result of a round; "unplayed": no points, "open": being played, "none": not paired or not begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    """A player's line of the table."""

    player: int
    place: int = 0  # from 1, possibly shared; 0 for players who left
    points: int = 0
    played: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0  # an unplayed match is no loss; if both were absent, both lose
    difference: int = 0  # own scores less those of the opponents
    direct: int = 0  # points from players with equal points
    sonneborn: int = 0
    byes: int = 0  # byes of a Swiss tournament; each counts as a win
    buchholz: int = 0  # points of the opponents in a Swiss tournament
    cut: int = 0  # the same without the weakest opponent
    left: bool = False
    cells: Mapping[int, int] = field(default_factory=dict)  # points by opponent


def _counts(season: Season, one: Fixture, decision: FixtureResult) -> bool:
    """Return whether a result counts: those of a struck leaver do not."""
    return decision.how != "struck" and not any(season.gone.get(player) for player in one.players)


def table_line(season: Season, player: int) -> TableLine:
    """Return the sums of a player's matches, without those of struck leavers."""
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
    """Return a player's result of each round that has begun."""
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
    """Rank lines by these parts, best first; equal ones share a place, and players who left come last."""
    # The stable sort keeps the initial order of equal players.
    found = sorted(lines, key=lambda line: (line.left, *(-part for part in parts(line))))
    done: list[TableLine] = []
    for number, line in enumerate(found, 1):
        even_before = bool(done) and parts(done[-1]) == parts(line)
        done.append(replace(line, place=0 if line.left else done[-1].place if even_before else number))
    return done


def swiss_lines(season: Season) -> list[TableLine]:
    """Return an unranked line for each player, by initial strength."""
    lines, found = dict[int, TableLine](), list[TableLine]()
    for player in season.divisions[0]:
        line, byes = table_line(season, player), sum(player in resting for resting in season.byes.values())
        lines[player] = replace(line, byes=byes, points=line.points + WIN * byes)
    for line in lines.values():
        scores = [lines[other].points for other in line.cells] + [line.points] * line.byes
        found.append(replace(line, buchholz=sum(scores), cut=sum(scores) - min(scores, default=0)))
    return found


def swiss_parts(line: TableLine) -> tuple[int, ...]:
    """Return the tie-breaks in order."""
    return line.points, line.cut, line.buchholz, line.wins, line.difference


def division_table(season: Season, division: int) -> list[TableLine]:
    """Return the table of a division, best first, players who left at the end. A tournament has one division."""
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
    return placed(found, lambda line: (line.points, line.direct, line.wins, line.sonneborn, line.difference))


def winners(season: Season) -> list[int]:
    """Return the winners of a finished season; none if the first division has no points."""
    if season.conditions.kind == "knockout":
        best = champion(season)
        return [] if best is None else [best]
    # Without points a first place means nothing.
    return [line.player for line in division_table(season, 0) if line.place == 1 and line.points]
