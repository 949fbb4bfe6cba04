"""The table of a division and its tie-breaks.

A win gives two points, a tie one. Equal points are ranked by direct matches, wins, Sonneborn-Berger (opponents' final
points, times the points won from them), and difference of scores: the first three as in FIDE's handbook for round
robins (C.07). Swiss tournaments use Buchholz, knock-outs the rounds won.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.leagues.knockout import count_rounds_won, find_champion
from engine.leagues.season import TIE, WIN, Fixture, FixtureResult, Season

RoundMark = Literal["won", "tied", "lost", "unplayed", "bye", "open", "none"]
"""Result of a round; "unplayed": no points, "open": being played, "none": not paired or not begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsLine:
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
    buchholz_cut: int = 0  # the same without the weakest opponent
    has_left: bool = False
    cells: Mapping[int, int] = field(default_factory=dict)  # points by opponent


def _is_counted(season: Season, fixture: Fixture, decision: FixtureResult) -> bool:
    """Return whether a result counts: those of a struck leaver do not."""
    return decision.how != "struck" and not any(season.leavers.get(player) for player in fixture.players)


def build_standings_line(season: Season, player: int) -> StandingsLine:
    """Return the sums of a player's matches, without those of struck leavers."""
    line = StandingsLine(player=player, has_left=player in season.leavers)
    cells: dict[int, int] = {}
    for one in season.iterate_fixtures(player):
        decision = season.decisions.get(one.number)
        if decision is None or not _is_counted(season, one, decision):
            continue
        own_seat = one.players.index(player)
        other, points = one.players[1 - own_seat], decision.points[own_seat]
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
            difference=line.difference + (0 if totals is None else totals[own_seat] - totals[1 - own_seat]),
        )
    return replace(line, cells=cells)


def list_round_marks(season: Season, player: int) -> tuple[RoundMark, ...]:
    """Return a player's result of each round that has begun."""
    own_fixtures = {one.round: one for one in season.iterate_fixtures(player)}
    begun = [
        one.round + 1 for one in season.fixtures if one.number in season.match_ids or one.number in season.decisions
    ]
    bye_rounds = [number + 1 for number in season.byes]
    return tuple(
        "bye" if player in season.byes.get(number, ()) else _choose_mark(season, player, own_fixtures.get(number))
        for number in range(max([*begun, *bye_rounds], default=0))
    )


def _choose_mark(season: Season, player: int, fixture: Fixture | None) -> RoundMark:
    if fixture is None:
        return "none"
    decision = season.decisions.get(fixture.number)
    if decision is None:
        return "open" if fixture.number in season.match_ids else "none"
    if not _is_counted(season, fixture, decision):
        return "none"
    if decision.how == "unplayed":
        return "unplayed"
    points = decision.points[fixture.players.index(player)]
    return "won" if points == WIN else "tied" if points == TIE else "lost"


def rank_lines(
    lines: Sequence[StandingsLine], tie_breaks: Callable[[StandingsLine], tuple[int, ...]]
) -> list[StandingsLine]:
    """Rank lines by these parts, best first; equal ones share a place, and players who left come last."""
    # The stable sort keeps the initial order of equal players.
    found = sorted(lines, key=lambda line: (line.has_left, *(-part for part in tie_breaks(line))))
    ranked: list[StandingsLine] = []
    for number, line in enumerate(found, 1):
        even_before = bool(ranked) and tie_breaks(ranked[-1]) == tie_breaks(line)
        ranked.append(replace(line, place=0 if line.has_left else ranked[-1].place if even_before else number))
    return ranked


def build_swiss_lines(season: Season) -> list[StandingsLine]:
    """Return an unranked line for each player, by initial strength."""
    lines, found = dict[int, StandingsLine](), list[StandingsLine]()
    for player in season.divisions[0]:
        line, byes = build_standings_line(season, player), sum(player in resting for resting in season.byes.values())
        lines[player] = replace(line, byes=byes, points=line.points + WIN * byes)
    for line in lines.values():
        scores = [lines[other].points for other in line.cells] + [line.points] * line.byes
        found.append(replace(line, buchholz=sum(scores), buchholz_cut=sum(scores) - min(scores, default=0)))
    return found


def compute_swiss_tie_breaks(line: StandingsLine) -> tuple[int, ...]:
    return line.points, line.buchholz_cut, line.buchholz, line.wins, line.difference


def rank_division(season: Season, division: int) -> list[StandingsLine]:
    """Return the table of a division, best first, players who left at the end. A tournament has one division."""
    if season.conditions.kind == "swiss":
        return rank_lines(build_swiss_lines(season), compute_swiss_tie_breaks)
    if season.conditions.kind == "knockout":
        rounds_won = count_rounds_won(season)
        return rank_lines(
            [build_standings_line(season, player) for player in season.divisions[0]],
            lambda line: (rounds_won[line.player],),
        )
    players = season.divisions[division]
    lines = {player: build_standings_line(season, player) for player in players}
    counting = [player for player in players if player not in season.leavers]
    found = []
    for player in players:
        line = lines[player]
        even = [other for other in counting if lines[other].points == line.points]
        direct = sum(line.cells.get(other, 0) for other in even)
        sonneborn = sum(points * lines[other].points for other, points in line.cells.items())
        found.append(replace(line, direct=direct, sonneborn=sonneborn))
    return rank_lines(found, lambda line: (line.points, line.direct, line.wins, line.sonneborn, line.difference))


def list_winners(season: Season) -> list[int]:
    """Return the winners of a finished season; none if the first division has no points."""
    if season.conditions.kind == "knockout":
        best = find_champion(season)
        return [] if best is None else [best]
    # Without points a first place means nothing.
    return [line.player for line in rank_division(season, 0) if line.place == 1 and line.points]
