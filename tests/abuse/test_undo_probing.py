"""An attacker places a tile, sees whether the opponent has to draw, and takes the tile back."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from random import Random

import pytest

from data.rulebook import list_games, load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play, Undo
from engine.match.decide import decide as decide_match
from engine.match.decide import find_forced_action, start
from engine.match.errors import RuleError
from engine.match.event_log import EventLog, build_event_log
from engine.match.events import Drew, Passed
from engine.match.player_view import view_for
from engine.match.state import Match
from engine.players import greedy
from engine.table.commands import Command, Join, OpenTable, TakeAction, TakeComputerAction, ViewHand
from engine.table.decide_table import TableDecision, decide
from engine.table.evolve import DecisionContext
from engine.table.refusals import RefusalError
from engine.table.table_state import MAX_UNDOS, Due, TableState
from engine.table.terms import Terms
from tests.bot.simulated_guild import derive_secret
from tests.depth import scale_count


@dataclass
class ImmediateDrawTable:
    deal: int
    max_tries: int = 12
    event_log: EventLog = field(init=False)

    def __post_init__(self) -> None:
        events = start(load_rules("triominoes"), seats=2, computers=(), by_hand=False, secret=derive_secret(self.deal))
        self.event_log = build_event_log(events)
        self._play_forced_actions()

    @property
    def match(self) -> Match:
        return self.event_log.match

    def view_hand(self, seat: int) -> None:
        """Do nothing."""

    def act(self, action: Action) -> None:
        for event in decide_match(self.match, action, derive_secret(self.deal)):
            self.event_log.apply(event)
        self._play_forced_actions()

    def _play_forced_actions(self) -> None:
        while action := find_forced_action(self.match):
            for event in decide_match(self.match, action, derive_secret(self.deal)):
                self.event_log.apply(event)

    def undo(self, seat: int) -> bool:
        if not self.match.can_undo(seat):
            return False
        self.act(Undo(seat))
        return True

    def has_opponent_drawn(self) -> bool:
        return isinstance(self.event_log.events[-1].event, Drew | Passed)


@dataclass
class CurrentTable:
    deal: int
    max_tries: int = MAX_UNDOS
    game: str = "triominoes"
    seats: int = 2
    now: int = 1_768_046_400_000
    table: TableState | None = None
    event_log: EventLog | None = None
    due: Due | None = None

    def __post_init__(self) -> None:
        terms = Terms(game=self.game, seats=self.seats, target=load_rules(self.game).target, by_hand=False, clock="1d")
        self.ask(OpenTable(terms, 1))
        for user in range(2, self.seats + 1):
            self.ask(Join(user))

    @property
    def state(self) -> TableState:
        assert self.table is not None
        return self.table

    @property
    def match(self) -> Match:
        return self.event_log.match

    def ask(self, command: Command) -> TableDecision:
        self.now += 1
        decided = self.preview(command)
        self.table, self.event_log, self.due = decided.table, decided.event_log, decided.due
        return self.ask(command) if decided.must_repeat else decided

    def preview(self, command: Command) -> TableDecision:
        given = DecisionContext(
            now=self.now, secret=derive_secret(self.deal), rules=load_rules(self.game), due=self.due
        )
        return decide(self.table, self.event_log, command, given)

    def view_hand(self, seat: int) -> None:
        self.ask(ViewHand(seat + 1))

    def act(self, action: Action) -> None:
        self.ask(TakeAction(action.seat + 1, lambda _: action))

    def undo(self, seat: int) -> bool:
        try:
            self.act(Undo(seat))
        except (RuleError, RefusalError):
            return False
        return True

    def has_opponent_drawn(self) -> bool:
        if self.state.tentative_turn is not None:
            self.now = self.state.tentative_turn.until - 2
        return isinstance(self.event_log.events[-1].event, Drew | Passed)


ProbedTable = ImmediateDrawTable | CurrentTable


def play_honestly(table: ProbedTable, seat: int, rng: Random) -> None:
    table.act(greedy.choose(view_for(table.match, seat), rng))


def play_with_probing(table: ProbedTable, seat: int, rng: Random) -> None:
    view = view_for(table.match, seat)
    best = greedy.choose(view, rng)
    if not isinstance(best, Play):
        table.act(best)
        return
    moves = [Play(seat, move.placement.tile, move.placement.cell, move.placement.rotation) for move in view.moves]
    for move in [best, *(move for move in moves if move != best)][: table.max_tries]:
        table.act(move)
        if table.has_opponent_drawn() or not table.undo(seat):
            return
    table.act(best)


Strategy = Callable[[ProbedTable, int, Random], None]


def play_match(table: ProbedTable, attacker: int, strategy: Strategy, deal: int) -> float:
    streams = [Random(f"{deal} {seat == attacker}") for seat in range(2)]
    while not table.match.ended:
        table.view_hand(table.match.turn)
        turn = table.match.turn
        if table.match.ended:
            break
        (strategy if turn == attacker else play_honestly)(table, turn, streams[turn])
    places = table.match.ended.places
    return 0.5 if places == (1, 1) else float(places[attacker] == 1)


def play_both_seats(open_table: Callable[[int], ProbedTable], strategy: Strategy, deals: int) -> list[float]:
    return [play_match(open_table(deal), seat, strategy, deal) for deal in range(deals) for seat in range(2)]


def test_undo_probing_wins_if_draw_is_immediate() -> None:
    probing = play_both_seats(ImmediateDrawTable, play_with_probing, scale_count(40, 10))
    plain_play = play_both_seats(ImmediateDrawTable, play_honestly, scale_count(40, 10))
    assert sum(probing) > 1.1 * sum(plain_play), "otherwise this attacker is none"


def test_undo_probing_gains_nothing_at_current_tables() -> None:
    probing = play_both_seats(CurrentTable, play_with_probing, scale_count(20, 10))
    assert probing == play_both_seats(CurrentTable, play_honestly, scale_count(20, 10))


def shuffle_hidden_tiles(event_log: EventLog, viewer: int, rng: Random) -> EventLog:
    twin = event_log.copy()
    match = twin.match
    others = [seat for number, seat in enumerate(match.seats) if number != viewer]
    hidden = [tile for seat in others for tile in seat.hand] + match.boneyard + list(match.aside)
    rng.shuffle(hidden)
    for seat in others:
        seat.hand = [hidden.pop() for _ in seat.hand]
    match.boneyard = [hidden.pop() for _ in match.boneyard]
    match.aside = tuple(hidden)
    return twin


def collect_visible_facts(table: CurrentTable, decided: TableDecision, mover: int) -> list[object]:
    after = apply_decision(table, decided)
    following = decided.event_log.match.turn + 1
    answers = [
        try_command(after, TakeAction(user, action))
        for user in range(1, table.seats + 1)
        for action in (Draw, Pass, Undo)
        if action is Undo or user != following
    ]
    undone = after.preview(TakeAction(mover + 1, Undo))
    return [
        decided.table,
        decided.turn,
        decided.due,
        decided.posts,
        decided.obsolete_kinds,
        decided.public_events,
        decided.events,
        view_for(decided.event_log.match, mover),
        view_for(decided.event_log.match, None),
        answers,
        undone.table,
        view_for(undone.event_log.match, mover),
        view_for(undone.event_log.match, None),
    ]


def apply_decision(table: CurrentTable, decided: TableDecision) -> CurrentTable:
    after = copy(table)
    after.now += 1
    after.table, after.event_log, after.due = decided.table, decided.event_log, decided.due
    return after


def try_command(table: CurrentTable, command: Command) -> object:
    try:
        decided = table.preview(command)
    except (RuleError, RefusalError) as refused:
        return refused.why, str(refused.facts)
    return decided.must_repeat or (decided.events, decided.posts, decided.due)


@pytest.mark.parametrize("game", list_games())
def test_undo_period_reveals_nothing_about_hidden_tiles(game: str) -> None:
    rng, compared, differences = Random(game), 0, 0
    rules = load_rules(game)
    for deal in range(scale_count(3)):
        table = CurrentTable(deal, game=game, seats=min(3, rules.max_seats))
        for _ in range(200):
            if table.match.ended:
                break
            turn = table.match.turn
            actions = list_actions(table, turn)
            for action in rng.sample(actions, min(2, len(actions))):
                command = TakeAction(turn + 1, lambda _, action=action: action)
                decided = table.preview(command)
                if decided.table.tentative_turn is None:
                    continue
                twin = apply_decision(table, decided)
                assert table.event_log is not None
                twin.now, twin.table, twin.due = table.now, table.table, table.due
                twin.event_log = shuffle_hidden_tiles(table.event_log, turn, rng)
                same = twin.preview(command)
                assert collect_visible_facts(twin, same, turn) == collect_visible_facts(table, decided, turn)
                compared += 1
                # The results may differ only after the undo period.
                differences += list_settlement_events(table, decided) != list_settlement_events(twin, same)
            table.act(
                rng.choice(actions)
                if actions and rng.random() < 0.2
                else greedy.choose(view_for(table.match, turn), rng)
            )
            if table.state.tentative_turn is not None:
                table.view_hand(table.match.turn)
    assert compared > 20
    assert differences or game != "triominoes", "the twins were different indeed"


def list_settlement_events(table: CurrentTable, decided: TableDecision) -> list[str]:
    after = apply_decision(table, decided)
    assert after.event_log is not None
    return [type(event).__name__ for event in after.preview(ViewHand(after.match.turn + 1)).events]


def list_actions(table: CurrentTable, seat: int) -> list[Action]:
    view = view_for(table.match, seat)
    moves = [] if view.reward else view.moves
    return [*(Play(seat, *move.placement) for move in moves), *(Choose(seat, option) for option in view.options)]


def test_next_computer_never_sees_undoable_move() -> None:
    table = CurrentTable(3)
    play_honestly(table, table.match.turn, Random(1))
    assert table.state.tentative_turn is not None
    decided = table.preview(TakeComputerAction(Draw(table.match.turn), table.state.seq))
    assert decided.must_repeat
    assert decided.table.tentative_turn is None
