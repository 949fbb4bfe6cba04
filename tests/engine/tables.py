"""Tables for the tests: little ones written as text, and random ones played out.

Everything takes the rules of any game; where none are given, it is Triominoes by the default reading.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from random import Random

import pytest

from data.rulebook import load_rules
from engine.board.board import Board, Placement
from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign
from engine.match.decide import decide, list_options, start
from engine.match.errors import RuleError
from engine.match.events import Dealt, Event, Started
from engine.match.player_view import view_for
from engine.match.rules import Rules, judge_placement
from engine.match.shuffle import compute_commitment
from engine.match.state import Match, apply_event, create_match, replay
from engine.players import greedy
from engine.record.text import parse_placement
from tests.engine import naive

RULES = load_rules("triominoes")
SECRET = bytes(range(32))


def tile(text: str, rules: Rules = RULES) -> Tile:
    plane = rules.plane
    return rules.build_placement(plane.first, parse_labels(text, plane.sides)).tile


def tiles(text: str, rules: Rules = RULES) -> tuple[Tile, ...]:
    return tuple(tile(word, rules) for word in text.split())


def placement(text: str, rules: Rules = RULES) -> Placement:
    """`U0,0=135`: 1, 3, 5 on places 0, 1, 2."""
    return parse_placement(text, rules)


def play(seat: int, text: str, rules: Rules = RULES) -> Play:
    lies = placement(text, rules)
    return Play(seat, lies.tile, lies.cell, lies.rotation)


def board(position: str = "", rules: Rules = RULES) -> Board:
    table = rules.build_board()
    for text in position.split():
        lies = placement(text, rules)
        judge_placement(table, lies, rules)
        table.place(lies)
    return table


def match(
    hands: Sequence[str],
    *,
    position: str = "",
    boneyard: str = "",
    totals: Sequence[int] | None = None,
    turn: int = 0,
    choices: str = "",
    drawn: int = 0,
    failed: Sequence[int] = (),
    computers: Sequence[int] = (),
    rules: Rules = RULES,
) -> Match:
    """A match in the middle of its first round; the boneyard is written with the next tile to draw first."""
    table = create_match(Started(rules, len(hands), tuple(computers), True, compute_commitment(SECRET)))
    held = tuple(tiles(hand, rules) for hand in hands)
    apply_event(table, Dealt(1, held, tiles(boneyard, rules), turn, tiles(choices, rules)))
    table.board = board(position, rules)
    table.drawn, table.failed = drawn, list(failed)
    for seat, total in zip(table.seats, totals or [0] * len(hands), strict=True):
        seat.total = total
        table.latched = table.latched or (0 < rules.target <= total and rules.finish == "latched")
    return table


def act(table: Match, *actions: Action) -> list[Event]:
    """Decide and fold each action; all that happened."""
    happened = []
    for action in actions:
        for event in decide(table, action, SECRET):
            apply_event(table, event)
            happened.append(event)
    return happened


def refused_by(table: Match, action: Action) -> RuleError:
    before = state(table)
    with pytest.raises(RuleError) as refused:
        decide(table, action, SECRET)
    assert state(table) == before
    return refused.value


def totals(table: Match) -> list[int]:
    return [seat.total for seat in table.seats]


def state(table: Match) -> dict[str, object]:
    plain = {item.name: getattr(table, item.name) for item in fields(Match) if item.name not in ("board", "seats")}
    plain["boneyard"] = list(table.boneyard)
    plain["failed"], plain["history"] = list(table.failed), list(table.history)
    plain["left"] = list(table.resigned_seats)
    plain["seats"] = [replace(seat, hand=list(seat.hand)) for seat in table.seats]
    plain["placed"] = list(table.board.placed.items())
    plain["labels"] = dict(table.board.labels)
    plain["covers"] = dict(table.board.cover_counts)
    plain["frontier"] = frontier(table.board)
    plain["seen"] = [view_for(table, viewer) for viewer in (None, *range(len(table.seats)))]
    return plain


def frontier(table: Board) -> dict[object, object]:
    """Every open cell with what it demands, of its sites and of the corner that it is reached by."""
    return {cell: (table.get_needs(cell), table.get_touch(cell)) for cell in table.open_cells}


def layout(table: Board) -> naive.Layout:
    return [((lies.cell.kind, lies.cell.x, lies.cell.y), naive_shown(lies)) for lies in table.placed.values()]


def naive_shown(lies: Placement) -> naive.Shown:
    a, b, c = lies.shown_labels
    return a, b, c


@dataclass
class Playout:
    """A match that plays itself: `steps` yields each action with what it did, folded into `match` already."""

    rng: Random
    seats: int
    greedy_seats: frozenset[int] = frozenset()
    resigning: float = 0.0
    drawing: float = 0.0
    secret: bytes = b""
    stopping: float = 0.3
    rules: Rules = RULES
    log: list[Event] = field(default_factory=list)
    match: Match = field(init=False)

    def __post_init__(self) -> None:
        self.secret = self.secret or self.rng.randbytes(32)
        self.log = start(self.rules, seats=self.seats, computers=(), by_hand=True, secret=self.secret)
        self.match = replay(self.log)

    def steps(self) -> Iterator[tuple[Action, list[Event]]]:
        while not self.match.ended:
            action = self.action()
            happened = decide(self.match, action, self.secret)
            for event in happened:
                apply_event(self.match, event)
            self.log += happened
            yield action, happened

    def action(self) -> Action:
        table, seat = self.match, self.match.turn
        if self.resigning and self.rng.random() < self.resigning:
            return Resign(self.rng.choice(table.active))
        if seat in self.greedy_seats:
            return greedy.choose(view_for(table, seat), self.rng)
        open_ = list_options(table)
        legal = [] if table.choosing else table.list_legal_moves(seat)
        if open_ and (not legal or self.rng.random() < self.stopping):
            return Choose(seat, self.rng.choice(open_))
        if legal and not self._would_rather_draw():
            choice = self.rng.choice(legal)
            return Play(seat, choice.tile, choice.cell, choice.rotation)
        return Draw(seat) if table.can_draw() else Pass(seat)

    def _would_rather_draw(self) -> bool:
        table = self.match
        may = self.rules.may_draw_freely and bool(table.board.placed) and (table.drawn > 0 or table.can_draw())
        return may and self.rng.random() < self.drawing
