"""A table in memory that executes commands and replays its log after every step."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from data.rulebook import games, rules
from engine.board.lattice import TrailFit
from engine.match.actions import Resign
from engine.match.errors import RuleBroken
from engine.match.event_log import EventLog
from engine.match.player_view import view_for
from engine.match.state import Match
from engine.players import greedy
from engine.table.commands import Act, ActFor, Command, Join, Look, Open, RunDue
from engine.table.decide_table import Decided, decide
from engine.table.evolve import Entry, Given, evolve, replay
from engine.table.preferences import Person, Preferences
from engine.table.refusals import Refused
from engine.table.table_state import Due, Outage, Premove, TableState, Turn
from engine.table.terms import GREEDY, Terms
from tests.engine.tables import SECRET

START = 1_768_046_400_000
"""10 January 2026, 12:00 UTC."""
ADA, GRACE, LINUS, MARY, NEMO = 1, 2, 3, 4, 5
"""Mary moderates; Nemo watches."""
TRAILS = [game for game in games() if isinstance(rules(game).fit, TrailFit)]
"""The games in which a tile must lie beside the last one, so that no place stays open."""


class First:
    """No chance: the first of all that is as good."""

    def randrange(self, _stop: int, /) -> int:
        return 0


@dataclass
class Sitting:
    """One table, who is around it, and what time it is."""

    terms: Terms
    now: int = START
    people: dict[int, Person] = field(default_factory=dict)
    ahead: dict[int, Premove] = field(default_factory=dict)
    """What people have decided to do when it is their turn, and what became of it."""
    owed: tuple[Outage, ...] = ()
    due: Due | None = None
    table: TableState | None = None
    event_log: EventLog | None = None
    entries: list[Entry] = field(default_factory=list)
    turn: Turn | None = None
    """Whose move it is."""
    press: int | None = None
    """The number of the interaction that asks."""
    secret: bytes = SECRET
    replay_loaded: tuple[TableState, EventLog | None] | None = None
    """What the log comes to, folded event by event."""

    @property
    def state(self) -> TableState:
        assert self.table is not None
        return self.table

    @property
    def match(self) -> Match:
        return self.event_log.match

    @property
    def mover(self) -> int:
        turn = self.turn
        assert turn.user is not None
        return turn.user

    def other(self) -> int:
        people = (row.user_id for row in self.state.seats if row.seat != self.match.turn)
        return next(person for person in people if person is not None)

    def given(self) -> Given:
        playing = rules(self.terms.game) if self.event_log is None else self.event_log.match.rules
        return Given(
            now=self.now,
            secret=self.secret,
            press=self.press,
            rules=replace(playing, target=self.terms.target),
            people=self.people,
            premoves=self.ahead,
            match_id=7,
            due=self.due,
            written=self.entries[-1].at if self.entries else 0,
            outages=self.owed if self.table is not None else (),
        )

    def ask(self, command: Command) -> Decided:
        """Ask something of the table, again where the turn before had to settle first. Raises Refused, RuleBroken."""
        decided = self.once(command)
        return both(decided, self.ask(command)) if decided.again else decided

    def once(self, command: Command) -> Decided:
        """Ask something of the table. Raises Refused, RuleBroken; then nothing has changed."""
        before = None if self.event_log is None else mark(self.event_log)
        try:
            decided = decide(self.table, self.event_log, command, self.given())
        except (Refused, RuleBroken):
            self._unchanged(before)
            raise
        self._unchanged(before)
        for event in decided.events:
            self.entries.append(Entry(event, self.now))
            if self.replay_loaded is None:
                self.replay_loaded = replay(self.entries)
            else:
                self.replay_loaded = evolve(*self.replay_loaded, event, self.now)
        self.ahead = dict(decided.ahead)
        self.table, self.event_log, self.turn, self.due = decided.table, decided.event_log, decided.turn, decided.due
        assert self.replay_loaded[0] == self.table
        assert mark(self.replay_loaded[1]) == mark(self.event_log)
        return decided

    def _unchanged(self, before: object) -> None:
        assert self.table == (None if self.replay_loaded is None else self.replay_loaded[0])
        assert (None if self.event_log is None else mark(self.event_log)) == before

    def move(self) -> Decided:
        decided = self.place()
        return both(decided, self.ask(Look(self.mover))) if decided.table.unsettled else decided

    def place(self) -> Decided:
        turn = self.turn
        action = greedy.choose(view_for(self.match, turn.seat), First())
        if turn.user is None:
            return self.ask(ActFor(action, self.state.seq))
        return self.ask(Act(turn.user, lambda _: action))

    def wait(self, span: int) -> Decided | None:
        """Time passes, and what falls due first on the way is done when it does."""
        until = self.now + span
        if self.due is None or self.due.at > until or self.due.kind == "computer":
            self.now = until
            return None
        self.now = max(self.now, self.due.at)
        return self.ask(RunDue(self.due))

    def run_out(self) -> Decided:
        while self.due is not None and self.due.kind == "remind":
            self.wait(self.due.at - self.now)
        done = self.wait(self.due.at - self.now)
        assert done is not None
        return done

    def prefers(self, user: int, **preferences: Any) -> Preferences:
        person = self.people.get(user) or Person(user_id=user)
        self.people[user] = replace(person, preferences=replace(person.preferences, **preferences))
        return self.people[user].preferences

    def resign(self, user: int) -> Decided:
        return self.ask(Act(user, Resign))


def both(first: Decided, second: Decided) -> Decided:
    return replace(
        second,
        events=first.events + second.events,
        posts=first.posts + second.posts,
        withdraws=first.withdraws + second.withdraws,
        told=first.told + second.told,
    )


def terms(game: str = "triominoes", seats: int = 2, **others: Any) -> Terms:
    """What a host chose; a day a turn by default."""
    return Terms(**{"game": game, "seats": seats, "target": 400, "by_hand": False, "clock": "1d", **others})


def opened(*others: int, computers: int = 0, **chosen: Any) -> Sitting:
    """Ada has opened a table, and the others have sat down: it is full unless more `seats` are given."""
    sitting = Sitting(terms(**{"seats": 1 + len(others) + computers, **chosen}))
    sitting.ask(Open(sitting.terms, ADA, (GREEDY,) * computers))
    for other in others:
        sitting.ask(Join(other))
    return sitting


def circled(*others: int, **chosen: Any) -> Sitting:
    sitting = opened(*others, **chosen)
    while sitting.event_log is not None and not sitting.event_log.everybody_played:
        sitting.move()
    return sitting


def refused(sitting: Sitting, command: Command) -> str:
    with pytest.raises((Refused, RuleBroken)) as refusal:
        sitting.ask(command)
    return refusal.value.why.value


def said(decided: Decided | None) -> list[tuple[str, Mapping[str, Any]]]:
    return [] if decided is None else [(post.kind, post.body) for post in decided.posts]


def kinds(decided: Decided | None) -> list[str]:
    return [] if decided is None else [type(event).__name__ for event in decided.events]


def mark(event_log: EventLog | None) -> object:
    if event_log is None:
        return None
    match = event_log.match
    return (
        len(event_log.told),
        match.round,
        match.turn,
        match.drawn,
        tuple(match.active),
        tuple((seat.total, tuple(seat.hand)) for seat in match.seats),
        tuple(match.board.placed),
        len(match.boneyard),
        len(match.behind),
        match.ended,
    )


def waiting(sitting: Sitting) -> list[int]:
    """Return the users who may set a premove: those who sit there and are not to move."""
    match = sitting.match
    there = [row for row in sitting.state.seats if row.seat != match.turn and not match.seats[row.seat].resigned]
    return [row.user_id for row in there if row.user_id is not None]
