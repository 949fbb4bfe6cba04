"""A table in memory that executes commands and replays its log after every step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from data.rulebook import list_games, load_rules
from engine.board.lattice import TrailFit
from engine.match.actions import Resign
from engine.match.errors import RuleError
from engine.match.event_log import EventLog
from engine.match.player_view import PlayerView, view_for
from engine.match.state import Match, find_last_placement
from engine.players import greedy
from engine.table.commands import (
    AnswerQuestion,
    AskPlayers,
    ChooseAbsence,
    Command,
    Join,
    OpenTable,
    RunDue,
    TakeAction,
    TakeComputerAction,
    ViewHand,
)
from engine.table.decide_table import TableDecision, decide
from engine.table.evolve import DecisionContext, LogEntry, apply_event, replay
from engine.table.preferences import Person, Preferences
from engine.table.refusals import RefusalError
from engine.table.table_state import Due, Outage, Premove, TableState, Turn
from engine.table.terms import GREEDY, Terms
from tests.engine.tables import SECRET

START = 1_768_046_400_000
"""10 January 2026, 12:00 UTC."""
ADA, GRACE, LINUS, MARY, NEMO = 1, 2, 3, 4, 5
"""Mary moderates; Nemo watches."""
TRAIL_GAMES = [game for game in list_games() if isinstance(load_rules(game).fit, TrailFit)]
"""Games in which a tile must lie beside the last one, so that older places do not stay open."""


class FirstChoice:
    def random(self) -> float:
        return 0.0

    def randrange(self, _stop: int, /) -> int:
        return 0


@dataclass
class SimulatedTable:
    terms: Terms
    now: int = START
    people: dict[int, Person] = field(default_factory=dict)
    premoves: dict[int, Premove] = field(default_factory=dict)
    """What people have decided to do when it is their turn, and what became of it."""
    outages: tuple[Outage, ...] = ()
    due: Due | None = None
    table: TableState | None = None
    event_log: EventLog | None = None
    entries: list[LogEntry] = field(default_factory=list)
    turn: Turn | None = None

    interaction_id: int | None = None

    secret: bytes = SECRET
    replayed_state: tuple[TableState, EventLog | None] | None = None
    """What the log comes to, folded event by event."""

    @property
    def state(self) -> TableState:
        assert self.table is not None
        return self.table

    @property
    def match(self) -> Match:
        return self.event_log.match

    @property
    def current_user(self) -> int:
        assert self.turn.user is not None
        return self.turn.user

    def find_other_user(self) -> int:
        return next(row.user_id for row in self.state.seats if row.seat != self.match.turn and row.user_id is not None)

    def build_context(self) -> DecisionContext:
        playing = load_rules(self.terms.game) if self.event_log is None else self.event_log.match.rules
        return DecisionContext(
            now=self.now,
            secret=self.secret,
            interaction_id=self.interaction_id,
            rules=replace(playing, target=self.terms.target),
            people=self.people,
            premoves=self.premoves,
            match_id=7,
            due=self.due,
            written_at=self.entries[-1].at if self.entries else 0,
            outages=self.outages if self.table is not None else (),
        )

    def execute(self, command: Command) -> TableDecision:
        """Execute a command, and once more if the previous turn had to settle first. Raises RefusalError, RuleError."""
        decided = self.execute_once(command)
        return merge_decisions(decided, self.execute(command)) if decided.must_repeat else decided

    def execute_once(self, command: Command) -> TableDecision:
        """Execute a command. Raises RefusalError, RuleError, and then changes nothing."""
        before = None if self.event_log is None else summarize_log(self.event_log)
        try:
            decided = decide(self.table, self.event_log, command, self.build_context())
        except (RefusalError, RuleError):
            self._assert_unchanged(before)
            raise
        self._assert_unchanged(before)
        for event in decided.events:
            self.entries.append(LogEntry(event, self.now))
            if self.replayed_state is None:
                self.replayed_state = replay(self.entries)
            else:
                self.replayed_state = apply_event(*self.replayed_state, event, self.now)
        self.premoves = dict(decided.remaining_premoves)
        self.table, self.event_log, self.turn, self.due = decided.table, decided.event_log, decided.turn, decided.due
        assert self.replayed_state[0] == self.table
        assert summarize_log(self.replayed_state[1]) == summarize_log(self.event_log)
        return decided

    def _assert_unchanged(self, before: object) -> None:
        assert self.table == (None if self.replayed_state is None else self.replayed_state[0])
        assert (None if self.event_log is None else summarize_log(self.event_log)) == before

    def play_turn(self) -> TableDecision:
        decided = self.play_move()
        if decided.table.tentative_turn is None:
            return decided
        return merge_decisions(decided, self.execute(ViewHand(self.current_user)))

    def play_move(self) -> TableDecision:
        turn = self.turn
        action = greedy.choose(view_for(self.match, turn.seat), FirstChoice())
        if turn.user is None:
            return self.execute(TakeComputerAction(action, self.state.seq))
        return self.execute(TakeAction(turn.user, lambda _: action))

    def wait(self, span: int) -> TableDecision | None:
        """Advance the time, and execute on the way what becomes due first."""
        until = self.now + span
        if self.due is None or self.due.at > until or self.due.kind == "computer":
            self.now = until
            return None
        self.now = max(self.now, self.due.at)
        return self.execute(RunDue(self.due))

    def run_out_clock(self) -> TableDecision:
        while self.due is not None and self.due.kind == "remind":
            self.wait(self.due.at - self.now)
        return self.wait(self.due.at - self.now)

    def play_until(self, is_reached: Callable[[], object]) -> None:
        while not is_reached():
            self.play_turn()

    def play_until_placed(self, seat: int) -> None:
        """Play until it is the turn of a seat that has placed a tile before."""
        self.play_until(lambda: self.match.turn == seat and find_last_placement(self.match.undo_stack, seat))

    def view(self, user: int) -> PlayerView:
        return view_for(self.match, self.state.find_seat(user))

    def ask(self, user: int, kind: str, person: int | None = None, owner: int | None = None) -> int:
        """Ask the other players something, and return the number of the question."""
        return self.execute(AskPlayers(user, kind, person, owner)).table.question.number  # type: ignore[arg-type]

    def answer(self, *users: int, yes: bool = True) -> TableDecision:
        """Let these users answer the open question, one after the other; return the last decision."""
        return [self.execute(AnswerQuestion(user, self.state.question.number, yes=yes)) for user in users][-1]

    def choose_absence(self, user: int, choice: str) -> TableDecision:
        question = self.state.clock.watch.absence_question
        return self.execute(ChooseAbsence(user, choice, question))  # type: ignore[arg-type]

    def set_preferences(self, user: int, **preferences: Any) -> Preferences:
        person = self.people.get(user) or Person(user_id=user)
        self.people[user] = replace(person, preferences=replace(person.preferences, **preferences))
        return self.people[user].preferences

    def resign(self, user: int) -> TableDecision:
        return self.execute(TakeAction(user, Resign))


def merge_decisions(first: TableDecision, second: TableDecision) -> TableDecision:
    return replace(
        second,
        events=first.events + second.events,
        posts=first.posts + second.posts,
        obsolete_kinds=first.obsolete_kinds + second.obsolete_kinds,
        public_events=first.public_events + second.public_events,
    )


def build_terms(game: str = "triominoes", seats: int = 2, **others: Any) -> Terms:
    """Return the terms of a table; by default a turn takes a day."""
    return Terms(**{"game": game, "seats": seats, "target": 400, "by_hand": False, "clock": "1d", **others})


def open_table(*others: int, computers: int = 0, secret: bytes = SECRET, **chosen: Any) -> SimulatedTable:
    """Return a table that Ada opened and the others joined. It is full unless more `seats` are given."""
    sim = SimulatedTable(build_terms(**{"seats": 1 + len(others) + computers, **chosen}), secret=secret)
    sim.execute(OpenTable(sim.terms, ADA, (GREEDY,) * computers))
    for other in others:
        sim.execute(Join(other))
    return sim


def open_played_table(*others: int, **chosen: Any) -> SimulatedTable:
    sim = open_table(*others, **chosen)
    sim.play_until(lambda: sim.event_log is None or sim.event_log.has_everyone_played)
    return sim


def expect_refusal(sim: SimulatedTable, command: Command) -> str:
    with pytest.raises((RefusalError, RuleError)) as refusal:
        sim.execute(command)
    return refusal.value.why.value


def list_posts(decided: TableDecision | None) -> list[tuple[str, Mapping[str, Any]]]:
    return [] if decided is None else [(post.kind, post.body) for post in decided.posts]


def list_event_names(decided: TableDecision | None) -> list[str]:
    return [] if decided is None else [type(event).__name__ for event in decided.events]


def summarize_log(event_log: EventLog | None) -> object:
    if event_log is None:
        return None
    match = event_log.match
    return (
        len(event_log.events),
        match.round,
        match.turn,
        match.drawn,
        tuple(match.active),
        tuple((seat.total, tuple(seat.hand)) for seat in match.seats),
        tuple(match.board.placed),
        len(match.boneyard),
        len(match.undo_stack),
        match.ended,
    )


def list_waiting_users(sim: SimulatedTable) -> list[int]:
    """Return the users who may set a premove: players who are not to move."""
    match = sim.match
    rows = [row for row in sim.state.seats if row.seat != match.turn and not match.seats[row.seat].resigned]
    return [row.user_id for row in rows if row.user_id is not None]
