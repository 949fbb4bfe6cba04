"""A losing player tries to delay the end of a match.

Two properties hold for every clock:

* A player who waits for a silent one can leave without loss within `bound(clock)`, without a moderator.
* A turn lasts at most its allowance, one vote period, paid vacation and outage credit, plus time that others grant.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match.actions import Draw, Pass, Undo
from engine.match.errors import RuleError
from engine.match.events import Undone
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import (
    AnswerQuestion,
    AskPlayers,
    ChooseAbsence,
    Command,
    EndPause,
    Moderate,
    Rearm,
    ReturnToSeat,
    RunDue,
    SetVacation,
    TakeAction,
)
from engine.table.decide_table import TableDecision
from engine.table.evolve import REVEALING_EVENTS
from engine.table.preferences import (
    AUTOMATIC_DAYS,
    VACATION_DAYS,
    Person,
    QuietHours,
    can_start_vacation,
    end_vacation,
    is_away,
    start_vacation,
)
from engine.table.refusals import RefusalError
from engine.table.table_events import ChoiceMade, Closed, Granted, PauseEnded, Resumed, TurnBegan
from engine.table.table_state import Outage
from engine.table.terms import DAY, DEFAULT_CLOCK, HOUR, MINUTE, Pace, parse_pace
from tests.depth import scaled
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, START, Sitting, circled, opened

pytestmark = pytest.mark.deep

CLOCKS = (
    "relaxed",
    DEFAULT_CLOCK,
    "1d",
    "days 2h",
    "14d",
    "bank 2h+1h",
    "bank 30d+7d",
    "bank 5h",
    "live 1m",
    "live 40m",
)
SECOND = 77  # A second account of Grace


def bound(pace: Pace, *, vacation: bool = True) -> int:
    away = VACATION_DAYS * DAY if vacation and pace.kind != "live" else 0
    return pace.max_turn_time + away


def way_out(sitting: Sitting, users: list[int]) -> bool:
    if sitting.state.state != "open" or sitting.turn is None or sitting.turn.user is None:
        return True
    if sitting.state.clock.watch.absence_question is not None:
        return True
    trial = replace(sitting, entries=list(sitting.entries))
    try:
        decided = trial.ask(AskPlayers(users[0], "abort"))
    except (RefusalError, RuleError):
        return False
    if any(isinstance(event, Closed) for event in decided.events):
        return True
    asked = trial.state.question
    return {trial.state.seats[seat].user_id for seat in asked.waiting} <= set(users)


def leave(sitting: Sitting, user: int, days: int, told: str = "away") -> None:
    person = sitting.people.get(user) or Person(user_id=user)
    now, preferences = sitting.now, end_vacation(person.preferences, sitting.now)
    if days:
        if not can_start_vacation(preferences, now):
            return
        preferences = start_vacation(preferences, days, now)
    elif preferences == person.preferences:
        return
    sitting.people[user] = replace(person, preferences=preferences)
    sitting.ask(SetVacation(user, preferences.away_until if days else 0, told if days else "home"))


def fall_due(sitting: Sitting) -> TableDecision | None:
    assert sitting.due is not None
    decided = sitting.ask(RunDue(sitting.due))
    granted = [event for event in decided.events if isinstance(event, Granted)]
    if granted:
        user = sitting.state.seats[granted[0].seat].user_id
        assert user is not None
        leave(sitting, user, AUTOMATIC_DAYS, "away_by_itself")
    return decided


def computers(sitting: Sitting) -> None:
    while sitting.due is not None and sitting.due.kind == "computer" and not sitting.state.clock.time.paused:
        sitting.move()


@settings(max_examples=scaled(60), deadline=None, derandomize=True, database=None)
@given(
    clock=st.sampled_from(CLOCKS),
    seats=st.integers(2, 4),
    moves=st.integers(0, 12),
    absent=st.sampled_from(["turn", "seat", "end"]),
    by_hand=st.booleans(),
    automatic=st.booleans(),
    days=st.sampled_from([0, 1, 7, 21]),
    pings=st.sampled_from(["channel", "none"]),
    quiet=st.sampled_from([None, QuietHours(22 * 60, 7 * 60)]),
)
def test_waiting_player_has_free_exit_with_every_clock(
    clock: str,
    seats: int,
    moves: int,
    absent: str,
    by_hand: bool,
    automatic: bool,
    days: int,
    pings: str,
    quiet: QuietHours | None,
) -> None:
    others = [GRACE, LINUS, MARY][: seats - 1]
    sitting = opened(*others, clock=clock, absent=absent, by_hand=by_hand, target=5000)
    for _ in range(moves):
        sitting.move()
        computers(sitting)
    silent, began, pace = sitting.mover, sitting.now, parse_pace(clock)
    there = [one for one in (ADA, *others) if one != silent]
    sitting.prefers(silent, automatic=automatic, quiet=quiet)
    sitting.people[silent] = replace(sitting.people[silent], pings=pings)  # type: ignore[arg-type]
    leave(sitting, silent, days)
    while not way_out(sitting, there):
        assert sitting.due is not None, "something is always due"
        assert sitting.due.at > sitting.now or sitting.due.kind in ("deadline", "remind")
        sitting.now = max(sitting.now, sitting.due.at)
        fall_due(sitting)
        computers(sitting)
        assert sitting.now - began <= bound(pace, vacation=bool(days) or automatic), clock
    if sitting.turn is not None and sitting.turn.user == silent:
        assert sitting.now - began <= bound(pace, vacation=bool(days) or automatic), clock


def test_free_exit_is_within_two_weeks_by_default() -> None:
    assert bound(parse_pace(DEFAULT_CLOCK), vacation=False) <= 14 * DAY
    assert bound(parse_pace("relaxed"), vacation=False) == 14 * DAY


@dataclass
class Watched:
    sitting: Sitting
    rng: Random
    pace: Pace
    allowed: dict[tuple[int, int, int], int] = field(default_factory=dict)
    lasted: dict[tuple[int, int, int], int] = field(default_factory=dict)
    epoch: int = 0
    key: tuple[int, int, int] | None = None

    def step(self) -> None:
        sitting, rng = self.sitting, self.rng
        span = rng.choice((0, MINUTE, HOUR, 7 * HOUR, DAY, 5 * DAY))
        if sitting.due is not None and sitting.due.at <= sitting.now + span:
            self.let_pass(max(0, sitting.due.at - sitting.now))
            self.ask(RunDue(sitting.due))
            return
        self.let_pass(span)
        if rng.random() < 0.04:
            start = sitting.now
            sitting.now += rng.choice((HOUR, DAY))
            sitting.owed = (*sitting.owed, Outage(start=start, end=sitting.now))
            self.ask(Rearm())
            sitting.owed = ()
            return
        self.ask(self.command())

    def let_pass(self, span: int) -> None:
        sitting, turn = self.sitting, self.sitting.turn
        if self.key is not None and turn is not None and turn.user is not None and not sitting.state.clock.time.paused:
            preferences = sitting.people[turn.user].preferences if turn.user in sitting.people else None
            paid = 0
            if preferences is not None and self.pace.kind != "live":
                for one in preferences.vacations:
                    start, end = one.start, one.start + one.days * DAY
                    paid += max(0, min(end, sitting.now + span) - max(start, sitting.now))
            self.lasted[self.key] += span - min(span, paid)
        sitting.now += span

    def ask(self, command: Command) -> None:
        sitting, before = self.sitting, len(self.sitting.entries)
        with suppress(RefusalError, RuleError):
            sitting.ask(command)
        self.follow(before)
        for entry in sitting.entries[before:]:
            if isinstance(entry.event, Granted) and isinstance(command, RunDue):
                user = sitting.state.seats[entry.event.seat].user_id
                assert user is not None
                leave(sitting, user, AUTOMATIC_DAYS, "away_by_itself")
        while sitting.due is not None and sitting.due.kind == "computer":
            before = len(sitting.entries)
            sitting.move()
            self.follow(before)
        self.check()

    def follow(self, before: int) -> None:
        sitting = self.sitting
        for event in [entry.event for entry in sitting.entries[before:]]:
            match event:
                case Undone(_, True):
                    for key in [key for key in self.allowed if key[0] == self.epoch]:
                        self.allowed.pop(key)
                        self.lasted.pop(key)
                    self.epoch, self.key = self.epoch + 1, None
                case TurnBegan(seat, height, how):
                    began = height if how == "next" else sitting.state.clock.time.height
                    self.key = (self.epoch, seat, began)
                    if how == "anew":
                        self.allowed.pop(self.key, None)
                    time = sitting.state.clock.time
                    # The maximum length of a turn is known at its start: all time that remains.
                    self.allowed.setdefault(self.key, (time.allowance or 0) - time.used + self.pace.grace)
                    self.lasted.setdefault(self.key, 0)
                    if how == "anew":
                        self.lasted[self.key] = 0
                case ChoiceMade(_, "wait", "chosen") if self.key is not None:
                    self.allowed[self.key] += self.pace.extra_time + self.pace.grace
                case Resumed() | PauseEnded() if self.key is not None:
                    self.allowed[self.key] += self.pace.grace * (sitting.state.clock.watch.absence_question is not None)
                case _ if isinstance(event, REVEALING_EVENTS):
                    # Earlier moves cannot be undone: a new turn starts, whatever its height.
                    self.epoch += 1
                case _:
                    continue

    def check(self) -> None:
        for key, lasted in self.lasted.items():
            assert lasted <= self.allowed[key], (key, lasted / HOUR, self.allowed[key] / HOUR)

    def command(self) -> Command:
        sitting, rng = self.sitting, self.rng
        state, turn = sitting.state, sitting.turn
        people = [row.user_id for row in state.seats if row.user_id is not None]
        who = rng.choice(people)
        trick = rng.randrange(16)
        match trick:
            case 0 | 1:
                leave(sitting, who, rng.choice((0, 0, 1, 3, 21)))
                return Rearm()
            case 2:
                sitting.prefers(
                    who,
                    automatic=rng.random() < 0.7,
                    zone=rng.choice(("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago")),
                    quiet=rng.choice((None, QuietHours(22 * 60, 7 * 60))),
                )
                return Rearm()
            case 3 | 4:
                return ReturnToSeat(who)
            case 5:
                return TakeAction(who, Undo)
            case 6:
                kind = rng.choice(("undo", "pause", "substitute"))
                person = rng.choice((SECOND, SECOND + 1, GRACE)) if kind == "substitute" else None
                return AskPlayers(who, kind, person)  # type: ignore[arg-type]
            case 7 | 8 if state.open_question is not None:
                asked = state.open_question
                waiting = [state.seats[seat].user_id for seat in asked.waiting] + [asked.person]
                answers = [one for one in waiting if one is not None]
                return AnswerQuestion(rng.choice(answers or people), asked.number, yes=rng.random() < 0.9)
            case 9 if state.clock.watch.absence_question is not None:
                return ChooseAbsence(who, rng.choice(("wait", "turn", "seat")), state.clock.watch.absence_question)  # type: ignore[arg-type]
            case 10:
                return rng.choice(
                    (EndPause(who), Moderate("pause", 9, ""), Moderate("resume", 9, ""), Moderate("resume", 9, ""))
                )
            case 11:
                return TakeAction(who, rng.choice((Draw, Pass)))
            case _ if turn is not None and turn.user is not None:
                action = greedy.choose(view_for(sitting.match, turn.seat), rng)
                return TakeAction(turn.user, lambda _: action)
            case _:
                return Rearm()


@settings(max_examples=scaled(60), deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**9), st.sampled_from(CLOCKS), st.booleans(), st.integers(2, 3))
def test_no_action_sequence_extends_turn_beyond_limit(seed: int, clock: str, by_hand: bool, seats: int) -> None:
    others = [GRACE, LINUS][: seats - 1]
    sitting = Sitting(opened(*others, clock=clock).terms)
    sitting = opened(*others, clock=clock, by_hand=by_hand, target=5000)
    watched = Watched(sitting, Random(seed), parse_pace(clock))
    time = sitting.state.clock.time
    watched.key = (0, sitting.match.turn, time.height)
    watched.allowed[watched.key] = (time.allowance or 0) + watched.pace.grace
    watched.lasted[watched.key] = 0
    for _ in range(70):
        if sitting.state.state != "open":
            break
        watched.step()


def staller_at(clock: str) -> tuple[Sitting, int]:
    sitting = circled(GRACE, clock=clock, target=5000)
    return sitting, sitting.mover


def until_it_moves_on(sitting: Sitting, staller: int, most: int) -> int:
    start = sitting.now
    while sitting.turn is not None and sitting.turn.user == staller and sitting.now - start < most:
        sitting.now = max(sitting.now, sitting.due.at)
        fall_due(sitting)
    return sitting.now - start


def test_vacation_does_not_stop_live_table() -> None:
    sitting, staller = staller_at("live 5m")
    leave(sitting, staller, 21)
    assert is_away(sitting.people[staller].preferences, sitting.now)
    assert sitting.state.clock.watch.away == {}
    assert until_it_moves_on(sitting, staller, 30 * DAY) <= 10 * MINUTE


def test_repeated_presence_gains_no_time() -> None:
    sitting, staller = staller_at("days 2h")
    start = sitting.now
    for _ in range(100):
        if sitting.turn is None or sitting.turn.user != staller:
            break
        sitting.run_out()
        if sitting.state.clock.watch.absence_question is not None:
            sitting.now = sitting.state.clock.watch.until or sitting.now
            sitting.now -= 1
            sitting.ask(ReturnToSeat(staller))
    assert sitting.turn.user != staller
    assert sitting.now - start <= 2 * HOUR + 2 * HOUR


def test_substitute_gets_only_remaining_time() -> None:
    sitting, staller = staller_at("days 2h")
    start, here = sitting.now, staller
    for number in range(50):
        sitting.now += HOUR
        while sitting.turn is not None and sitting.turn.user == here and sitting.due and sitting.due.at <= sitting.now:
            fall_due(sitting)
        if sitting.turn is None or sitting.turn.user != here:
            break
        friend = 100 + number
        asked = sitting.ask(AskPlayers(here, "substitute", friend)).table.question
        sitting.ask(AnswerQuestion(friend, asked.number, yes=True))
        here = friend
    assert sitting.now - start <= 5 * HOUR


@pytest.mark.parametrize("clock", ["1d", DEFAULT_CLOCK, "relaxed"])
def test_others_can_agree_not_to_wait_for_long_absence(clock: str) -> None:
    sitting, staller = staller_at(clock)
    leave(sitting, staller, 21)
    other = sitting.other()
    assert [type(event) for event in sitting.ask(AskPlayers(other, "abort")).events] == [Closed]
    assert sitting.now == START
