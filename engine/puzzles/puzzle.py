"""A puzzle: a position, a task and its answer, and whether what somebody proposes solves it.

    progress = proposal(puzzle, beginning(puzzle, rules), line)

The tasks are of five kinds. Of `best` the answer was found by playing on in many worlds; whether any other is solved,
the rules say.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from engine.board.board import Placement
from engine.families.dominoes import StarRules
from engine.families.triominoes import TriominoRules
from engine.match.player_view import Move, view_for
from engine.match.rules import Rules
from engine.match.state import Match
from engine.puzzles.position import Position, PositionDamaged, after, match_at
from engine.record.text import parse_placement

PuzzleKind = Literal["best", "count", "hexagons", "bridge", "out"]
"""`best`: the move after which one is furthest ahead. `count`: the most points that a tile scores now. `hexagons`: to
close two with at most two tiles, one after the other. `bridge`: the only one. `out`: all three tiles, one after the
other.
"""
KINDS: Final[tuple[PuzzleKind, ...]] = get_args(PuzzleKind)

HEXAGONS: Final = 2
"""So many are to be closed."""
OUT: Final = 3
"""With so many tiles one is to go out."""
STEPS: Final[dict[PuzzleKind, int]] = {"best": 1, "count": 0, "hexagons": HEXAGONS, "bridge": 1, "out": OUT}
"""The tiles that an answer places at most; none where it is a number."""
NUMBERS: Final = 8
"""So many numbers are offered where points are to be counted."""

WEEK: Final[tuple[PuzzleKind, ...]] = ("bridge", "count", "best", "hexagons", "out", "hexagons", "best")
"""From Monday on."""
PLAIN_WEEK: Final[tuple[PuzzleKind, ...]] = ("out", "count", "best", "out", "best", "out", "best")
"""The same where a game has no hexagons."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A task that has an answer."""

    kind: PuzzleKind
    position: Position
    line: tuple[str, ...]
    """The placements that solve it; of `count` the one that scores most."""
    margin: float = 0.0
    """Of `best`: by how many points it is better than the next, three standard errors taken off."""
    worlds: int = 0
    """Of `best`: the worlds in which it was played on."""

    @property
    def steps(self) -> int:
        """The tiles that an answer places at most; none where it is a number."""
        return STEPS[self.kind]


@dataclass(frozen=True, slots=True)
class Proposal:
    """How far somebody's placements lead."""

    match: Match
    """The round after them, where the same seat is to go on."""
    moves: tuple[Move, ...]
    """What was placed."""
    complete: bool
    """Whether no further tile can be chosen."""
    solved: bool


def beginning(puzzle: Puzzle, rules: Rules) -> Match:
    """The round at which the puzzle begins. Raises PositionDamaged."""
    return match_at(rules, puzzle.position)


def solution(puzzle: Puzzle, rules: Rules) -> tuple[Placement, ...]:
    """The placements that solve it. Raises PositionDamaged."""
    try:
        return tuple(parse_placement(text, rules) for text in puzzle.line)
    except ValueError as error:
        raise PositionDamaged(str(error)) from error


def proposal(puzzle: Puzzle, match: Match, line: tuple[Placement, ...]) -> Proposal:
    """What comes of these placements from where the puzzle begins. Raises RuleBroken where one is not allowed."""
    made, wanted = list[Move](), solution(puzzle, match.rules)
    for placement in line[: puzzle.steps]:
        move = next((move for move in view_for(match, match.turn).moves if move.placement == placement), None)
        match = after(match, placement)
        assert move is not None, "what the rules allow is among the moves"
        made.append(move)
    # What is not placed yet says nothing of whether it is solved so far: nobody is told before they have answered.
    complete = bool(made) and (len(made) == puzzle.steps or not match.legal(match.turn))
    return Proposal(match, tuple(made), complete, _solves(puzzle, match, made, wanted))


def _solves(puzzle: Puzzle, match: Match, made: list[Move], wanted: tuple[Placement, ...]) -> bool:
    match puzzle.kind:
        case "best":
            return bool(made) and made[0].placement == wanted[0]
        case "bridge":
            return bool(made) and made[0].bridge
        case "hexagons":
            return sum(move.hexagons for move in made) >= HEXAGONS
        case "out":
            return not match.seats[match.turn].hand
        case "count":
            return False


def most_points(match: Match) -> int:
    """The most points that a tile scores now: what `count` asks for."""
    return view_for(match, match.turn).moves[0].points


def offered_numbers(match: Match) -> tuple[int, ...]:
    """The numbers that are offered to whoever counts, rising: the right one among such as others would find.

    They are a function of the position, so that they tell everybody the same.
    """
    moves = view_for(match, match.turn).moves
    most = moves[0].points
    likely = [move.points for move in moves[1:]]
    likely += [most + step for step in (1, -1, 10, -10, 2, -2, 50, 40, -40, 3, -3, 5, -5, 20)]
    found = [most]
    for number in [moves[0].base, *likely[: NUMBERS // 2], most + 10, most - 10, *likely, *range(NUMBERS)]:
        if number > 0 and number not in found and len(found) < NUMBERS:
            found.append(number)
    return tuple(sorted(found))


def kind_on(rules: Rules, weekday: int) -> PuzzleKind:
    """The kind of the puzzle of a weekday; Monday is 0."""
    if isinstance(rules, TriominoRules):
        return WEEK[weekday]
    kind = PLAIN_WEEK[weekday]
    # Where a tile scores its sum and nothing else, there is nothing to count.
    return "best" if kind == "count" and not isinstance(rules, StarRules) else kind
