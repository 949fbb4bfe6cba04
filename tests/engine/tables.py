"""Tables for tests: small ones written as text, and random matches.

All functions take the rules of any game; the default is Triominoes with its default options.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from random import Random

import pytest

from data.rulebook import load_rules
from engine.board.board import Board, Placement
from engine.board.tiles import Tile, parse_labels
from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign
from engine.match.decide import decide, list_options, start
from engine.match.errors import RuleError, Violation
from engine.match.events import Dealt, Event, Started
from engine.match.player_view import view_for
from engine.match.rules import Rules, judge_placement
from engine.match.shuffle import compute_commitment
from engine.match.state import Match, apply_event, create_match, replay
from engine.players import greedy
from engine.record.text import parse_placement

RULES = load_rules("triominoes")
SECRET = bytes(range(32))


def build_tile(text: str, rules: Rules = RULES) -> Tile:
    plane = rules.plane
    return rules.build_placement(plane.first, parse_labels(text, plane.sides)).tile


def build_tiles(text: str, rules: Rules = RULES) -> tuple[Tile, ...]:
    return tuple(build_tile(word, rules) for word in text.split())


def build_placement(text: str, rules: Rules = RULES) -> Placement:
    """Parse a placement: `U0,0=135` has 1, 3, 5 at corners 0, 1, 2."""
    return parse_placement(text, rules)


def build_play(seat: int, text: str, rules: Rules = RULES) -> Play:
    move = build_placement(text, rules)
    return Play(seat, move.tile, move.cell, move.rotation)


def build_board(position: str = "", rules: Rules = RULES) -> Board:
    table = rules.build_board()
    for text in position.split():
        move = build_placement(text, rules)
        judge_placement(table, move, rules)
        table.place(move)
    return table


def build_match(
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
    """Return a match in the middle of its first round. The first tile of `boneyard` is drawn next."""
    table = create_match(Started(rules, len(hands), tuple(computers), True, compute_commitment(SECRET)))
    dealt_hands = tuple(build_tiles(hand, rules) for hand in hands)
    apply_event(table, Dealt(1, dealt_hands, build_tiles(boneyard, rules), turn, build_tiles(choices, rules)))
    table.board = build_board(position, rules)
    table.drawn, table.failed = drawn, list(failed)
    for seat, total in zip(table.seats, totals or [0] * len(hands), strict=True):
        seat.total = total
        table.latched = table.latched or (0 < rules.goal <= total and rules.finish == "latched")
    return table


def act(table: Match, *actions: Action) -> list[Event]:
    """Decide and apply each action; return all events."""
    events = []
    for action in actions:
        for event in decide(table, action, SECRET):
            apply_event(table, event)
            events.append(event)
    return events


def expect_refusal(table: Match, action: Action) -> RuleError:
    before = capture_state(table)
    with pytest.raises(RuleError) as excinfo:
        decide(table, action, SECRET)
    assert capture_state(table) == before
    return excinfo.value


def find_placement_violation(table: Board, move: Placement, rules: Rules) -> Violation | None:
    try:
        judge_placement(table, move, rules)
    except RuleError as broken:
        return broken.why
    return None


def list_totals(table: Match) -> list[int]:
    return [seat.total for seat in table.seats]


def capture_state(table: Match) -> dict[str, object]:
    values = {item.name: getattr(table, item.name) for item in fields(Match) if item.name not in ("board", "seats")}
    values["boneyard"] = list(table.boneyard)
    values["failed"], values["history"] = list(table.failed), list(table.history)
    values["resigned_seats"] = list(table.resigned_seats)
    values["seats"] = [replace(seat, hand=list(seat.hand)) for seat in table.seats]
    values["placed"] = list(table.board.placed.items())
    values["labels"] = dict(table.board.labels)
    values["frontier"] = collect_demands(table.board)
    values["seen"] = [view_for(table, viewer) for viewer in (None, *range(len(table.seats)))]
    return values


def collect_demands(table: Board) -> dict[object, object]:
    """Return every open cell with its constraints: of its sites, and of a corner play."""
    return {cell: (table.get_needs(cell), table.get_touch(cell)) for cell in table.open_cells}


@dataclass
class Playout:
    """A random match: `iterate_steps` yields each action with its events, already applied to `match`."""

    rng: Random
    seats: int
    greedy_seats: frozenset[int] = frozenset()
    resign_chance: float = 0.0
    draw_chance: float = 0.0
    secret: bytes = b""
    stop_chance: float = 0.3
    rules: Rules = RULES
    log: list[Event] = field(default_factory=list)
    match: Match = field(init=False)

    def __post_init__(self) -> None:
        self.secret = self.secret or self.rng.randbytes(32)
        self.log = start(self.rules, seats=self.seats, computers=(), by_hand=True, secret=self.secret)
        self.match = replay(self.log)

    def iterate_steps(self) -> Iterator[tuple[Action, list[Event]]]:
        while not self.match.ended:
            action = self.choose_action()
            events = decide(self.match, action, self.secret)
            for event in events:
                apply_event(self.match, event)
            self.log += events
            yield action, events

    def iterate_events(self) -> Iterator[Event]:
        for _, events in self.iterate_steps():
            yield from events

    def play(self, until: Callable[[Match], object] = lambda _: False) -> bool:
        """Play to the end, or until the condition is true; return whether it became true."""
        return any(until(self.match) for _ in self.iterate_steps())

    def choose_action(self) -> Action:
        table, seat = self.match, self.match.turn
        if self.resign_chance and self.rng.random() < self.resign_chance:
            return Resign(self.rng.choice(table.active))
        if seat in self.greedy_seats:
            return greedy.choose(view_for(table, seat), self.rng)
        options = list_options(table)
        legal = [] if table.choosing else table.list_legal_moves(seat)
        if options and (not legal or self.rng.random() < self.stop_chance):
            return Choose(seat, self.rng.choice(options))
        if legal and not self._should_draw():
            choice = self.rng.choice(legal)
            return Play(seat, choice.tile, choice.cell, choice.rotation)
        return Draw(seat) if table.can_draw() else Pass(seat)

    def _should_draw(self) -> bool:
        table = self.match
        is_allowed = self.rules.may_draw_freely and bool(table.board.placed) and (table.drawn > 0 or table.can_draw())
        return is_allowed and self.rng.random() < self.draw_chance
