"""A puzzle: a position, a task and its answer, and the check of a proposed solution.

The answer of `best` was found by rollouts in many sampled deals; the rules decide the four other kinds.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from engine.board.board import Placement
from engine.families.dominoes import StarRules
from engine.families.triominoes import TriominoRules
from engine.match.player_view import Move, view_for
from engine.match.rules import Rules
from engine.match.state import Match
from engine.puzzles.position import DamagedPositionError, Position, build_match, play_tile
from engine.record.text import parse_placement

PuzzleKind = Literal["best", "count", "hexagons", "bridge", "out"]
"""`best`: the move with the best expectation. `count`: the most points that a tile scores now. `hexagons`: close two
with at most two tiles. `bridge`: the only one. `out`: place all three tiles.
"""
KINDS: Final[tuple[PuzzleKind, ...]] = get_args(PuzzleKind)
HEXAGONS: Final = 2  # number to close
OUT_TILES: Final = 3  # number of tiles in the hand
STEPS: Final[dict[PuzzleKind, int]] = {"best": 1, "count": 0, "hexagons": HEXAGONS, "bridge": 1, "out": OUT_TILES}
"""Tiles of an answer at most; 0 if it is a number."""
OFFERED_COUNT: Final = 8  # numbers offered for counting points
WEEK: Final[tuple[PuzzleKind, ...]] = ("bridge", "count", "best", "hexagons", "out", "hexagons", "best")
"""From Monday on."""
PLAIN_WEEK: Final[tuple[PuzzleKind, ...]] = ("out", "count", "best", "out", "best", "out", "best")
"""The same for games without hexagons."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A task with its answer."""

    kind: PuzzleKind
    position: Position
    line: tuple[str, ...]  # the placements of the solution; for `count` that with most points
    margin: float = 0.0  # for `best`: its lead over the next move in points, less three standard errors
    deal_count: int = 0  # for `best`: the number of sampled deals

    @property
    def steps(self) -> int:
        """Tiles of an answer at most; 0 if it is a number."""
        return STEPS[self.kind]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The state after a user's placements."""

    match: Match  # the round after them, with the same seat to move
    moves: tuple[Move, ...]  # the placements
    complete: bool  # whether no further tile can be chosen
    solved: bool


def build_start(puzzle: Puzzle, rules: Rules) -> Match:
    """Return the round at the start of the puzzle. Raises DamagedPositionError."""
    return build_match(rules, puzzle.position)


def parse_solution(puzzle: Puzzle, rules: Rules) -> tuple[Placement, ...]:
    """Return the placements of the solution. Raises DamagedPositionError."""
    try:
        return tuple(parse_placement(text, rules) for text in puzzle.line)
    except ValueError as error:
        raise DamagedPositionError(str(error)) from error


def build_proposal(puzzle: Puzzle, match: Match, line: tuple[Placement, ...]) -> Proposal:
    """Return the state after these placements. Raises RuleError if one is illegal."""
    made, wanted = list[Move](), parse_solution(puzzle, match.rules)
    for placement in line[: puzzle.steps]:
        move = next((move for move in view_for(match, match.turn).moves if move.placement == placement), None)
        match = play_tile(match, placement)
        assert move is not None, "what the rules allow is among the moves"
        made.append(move)
    # An incomplete proposal must not reveal whether it is right so far.
    complete = bool(made) and (len(made) == puzzle.steps or not match.list_legal_moves(match.turn))
    return Proposal(match, tuple(made), complete, _is_solved(puzzle, match, made, wanted))


def _is_solved(puzzle: Puzzle, match: Match, made: list[Move], wanted: tuple[Placement, ...]) -> bool:
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


def compute_max_points(match: Match) -> int:
    """Return the most points that a tile scores now: the answer of `count`."""
    return view_for(match, match.turn).moves[0].points


def list_offered_numbers(match: Match) -> tuple[int, ...]:
    """Return the numbers offered for `count`, rising: the right one among plausible ones. They are a function of the
    position, so that all users get the same.
    """
    moves = view_for(match, match.turn).moves
    most = moves[0].points
    likely = [move.points for move in moves[1:]]
    likely += [most + step for step in (1, -1, 10, -10, 2, -2, 50, 40, -40, 3, -3, 5, -5, 20)]
    found = [most]
    for number in [moves[0].base, *likely[: OFFERED_COUNT // 2], most + 10, most - 10, *likely, *range(OFFERED_COUNT)]:
        if number > 0 and number not in found and len(found) < OFFERED_COUNT:
            found.append(number)
    return tuple(sorted(found))


def choose_kind(rules: Rules, weekday: int) -> PuzzleKind:
    """Return the kind of the puzzle of a weekday; Monday is 0."""
    if isinstance(rules, TriominoRules):
        return WEEK[weekday]
    kind = PLAIN_WEEK[weekday]
    # If a tile scores only its sum, there is nothing to count.
    return "best" if kind == "count" and not isinstance(rules, StarRules) else kind
