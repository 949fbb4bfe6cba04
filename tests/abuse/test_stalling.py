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
    start_vacation,
)
from engine.table.refusals import RefusalError
from engine.table.table_events import ChoiceMade, Closed, Granted, PauseEnded, Resumed, TurnBegan
from engine.table.table_state import Outage
from engine.table.terms import DAY, DEFAULT_CLOCK, HOUR, MINUTE, Pace, parse_pace
from tests.depth import scale_count
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    START,
    SimulatedTable,
    open_played_table,
    open_table,
)

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
SECOND_ACCOUNT = 77  # A second account of Grace


def compute_wait_limit(pace: Pace, *, vacation: bool = True) -> int:
    away = VACATION_DAYS * DAY if vacation and pace.kind != "live" else 0
    return pace.max_turn_time + away


def can_leave_freely(sim: SimulatedTable, users: list[int]) -> bool:
    if sim.state.state != "open" or sim.turn is None or sim.turn.user is None:
        return True
    if sim.state.clock.watch.absence_question is not None:
        return True
    trial = replace(sim, entries=list(sim.entries))
    try:
        decided = trial.execute(AskPlayers(users[0], "abort"))
    except (RefusalError, RuleError):
        return False
    if any(isinstance(event, Closed) for event in decided.events):
        return True
    question = trial.state.question
    return {trial.state.seats[seat].user_id for seat in question.waiting} <= set(users)


def set_vacation(sim: SimulatedTable, user: int, days: int, reason: str = "away") -> None:
    person = sim.people.get(user) or Person(user_id=user)
    now, preferences = sim.now, end_vacation(person.preferences, sim.now)
    if days:
        if not can_start_vacation(preferences, now):
            return
        preferences = start_vacation(preferences, days, now)
    elif preferences == person.preferences:
        return
    sim.people[user] = replace(person, preferences=preferences)
    sim.execute(SetVacation(user, preferences.away_until if days else 0, reason if days else "home"))


def run_due_job(sim: SimulatedTable) -> TableDecision | None:
    assert sim.due is not None
    decided = sim.execute(RunDue(sim.due))
    granted = [event for event in decided.events if isinstance(event, Granted)]
    if granted:
        user = sim.state.seats[granted[0].seat].user_id
        assert user is not None
        set_vacation(sim, user, AUTOMATIC_DAYS, "away_by_itself")
    return decided


def play_computers(sim: SimulatedTable) -> None:
    while sim.due is not None and sim.due.kind == "computer" and not sim.state.clock.time.paused:
        sim.play_turn()


@settings(max_examples=scale_count(60), deadline=None, derandomize=True, database=None)
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
    sim = open_table(*others, clock=clock, absent=absent, by_hand=by_hand, target=5000)
    for _ in range(moves):
        sim.play_turn()
        play_computers(sim)
    silent, began, pace = sim.current_user, sim.now, parse_pace(clock)
    present = [one for one in (ADA, *others) if one != silent]
    sim.set_preferences(silent, automatic=automatic, quiet=quiet)
    sim.people[silent] = replace(sim.people[silent], pings=pings)  # type: ignore[arg-type]
    set_vacation(sim, silent, days)
    while not can_leave_freely(sim, present):
        assert sim.due is not None, "something is always due"
        assert sim.due.at > sim.now or sim.due.kind in ("deadline", "remind")
        sim.now = max(sim.now, sim.due.at)
        run_due_job(sim)
        play_computers(sim)
        assert sim.now - began <= compute_wait_limit(pace, vacation=bool(days) or automatic), clock
    if sim.turn is not None and sim.turn.user == silent:
        assert sim.now - began <= compute_wait_limit(pace, vacation=bool(days) or automatic), clock


def test_free_exit_is_within_two_weeks_by_default() -> None:
    assert compute_wait_limit(parse_pace(DEFAULT_CLOCK), vacation=False) <= 14 * DAY
    assert compute_wait_limit(parse_pace("relaxed"), vacation=False) == 14 * DAY


@dataclass
class TurnTimeMonitor:
    sim: SimulatedTable
    rng: Random
    pace: Pace
    allowed_times: dict[tuple[int, int, int], int] = field(default_factory=dict)
    turn_times: dict[tuple[int, int, int], int] = field(default_factory=dict)
    epoch: int = 0
    turn_key: tuple[int, int, int] | None = None

    def step(self) -> None:
        sim, rng = self.sim, self.rng
        span = rng.choice((0, MINUTE, HOUR, 7 * HOUR, DAY, 5 * DAY))
        if sim.due is not None and sim.due.at <= sim.now + span:
            self.pass_time(max(0, sim.due.at - sim.now))
            self.ask(RunDue(sim.due))
            return
        self.pass_time(span)
        if rng.random() < 0.04:
            start = sim.now
            sim.now += rng.choice((HOUR, DAY))
            sim.outages = (*sim.outages, Outage(start=start, end=sim.now))
            self.ask(Rearm())
            sim.outages = ()
            return
        self.ask(self.choose_command())

    def pass_time(self, span: int) -> None:
        sim, turn = self.sim, self.sim.turn
        if self.turn_key is not None and turn is not None and turn.user is not None and not sim.state.clock.time.paused:
            preferences = sim.people[turn.user].preferences if turn.user in sim.people else None
            paid = 0
            if preferences is not None and self.pace.kind != "live":
                for one in preferences.vacations:
                    start, end = one.start, one.start + one.days * DAY
                    paid += max(0, min(end, sim.now + span) - max(start, sim.now))
            self.turn_times[self.turn_key] += span - min(span, paid)
        sim.now += span

    def ask(self, command: Command) -> None:
        sim, before = self.sim, len(self.sim.entries)
        with suppress(RefusalError, RuleError):
            sim.execute(command)
        self.record_events(before)
        for entry in sim.entries[before:]:
            if isinstance(entry.event, Granted) and isinstance(command, RunDue):
                user = sim.state.seats[entry.event.seat].user_id
                assert user is not None
                set_vacation(sim, user, AUTOMATIC_DAYS, "away_by_itself")
        while sim.due is not None and sim.due.kind == "computer":
            before = len(sim.entries)
            sim.play_turn()
            self.record_events(before)
        for key, turn_time in self.turn_times.items():
            assert turn_time <= self.allowed_times[key], (key, turn_time / HOUR, self.allowed_times[key] / HOUR)

    def record_events(self, before: int) -> None:
        sim = self.sim
        for event in [entry.event for entry in sim.entries[before:]]:
            match event:
                case Undone(_, True):
                    for key in [key for key in self.allowed_times if key[0] == self.epoch]:
                        self.allowed_times.pop(key)
                        self.turn_times.pop(key)
                    self.epoch, self.turn_key = self.epoch + 1, None
                case TurnBegan(seat, height, how):
                    began = height if how == "next" else sim.state.clock.time.height
                    self.turn_key = (self.epoch, seat, began)
                    if how == "anew":
                        self.allowed_times.pop(self.turn_key, None)
                    time = sim.state.clock.time
                    # The maximum length of a turn is known at its start: all time that remains.
                    self.allowed_times.setdefault(self.turn_key, (time.allowance or 0) - time.used + self.pace.grace)
                    self.turn_times.setdefault(self.turn_key, 0)
                    if how == "anew":
                        self.turn_times[self.turn_key] = 0
                case ChoiceMade(_, "wait", "chosen") if self.turn_key is not None:
                    self.allowed_times[self.turn_key] += self.pace.extra_time + self.pace.grace
                case Resumed() | PauseEnded() if self.turn_key is not None:
                    self.allowed_times[self.turn_key] += self.pace.grace * (
                        sim.state.clock.watch.absence_question is not None
                    )
                case _ if isinstance(event, REVEALING_EVENTS):
                    # Earlier moves cannot be undone: a new turn starts, whatever its height.
                    self.epoch += 1
                case _:
                    continue

    def choose_command(self) -> Command:
        sim, rng = self.sim, self.rng
        state, turn = sim.state, sim.turn
        people = [row.user_id for row in state.seats if row.user_id is not None]
        user = rng.choice(people)
        trick = rng.randrange(16)
        match trick:
            case 0 | 1:
                set_vacation(sim, user, rng.choice((0, 0, 1, 3, 21)))
                return Rearm()
            case 2:
                sim.set_preferences(
                    user,
                    automatic=rng.random() < 0.7,
                    zone=rng.choice(("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago")),
                    quiet=rng.choice((None, QuietHours(22 * 60, 7 * 60))),
                )
                return Rearm()
            case 3 | 4:
                return ReturnToSeat(user)
            case 5:
                return TakeAction(user, Undo)
            case 6:
                kind = rng.choice(("undo", "pause", "substitute"))
                person = rng.choice((SECOND_ACCOUNT, SECOND_ACCOUNT + 1, GRACE)) if kind == "substitute" else None
                return AskPlayers(user, kind, person)  # type: ignore[arg-type]
            case 7 | 8 if state.open_question is not None:
                question = state.open_question
                waiting = [state.seats[seat].user_id for seat in question.waiting] + [question.person]
                answers = [one for one in waiting if one is not None]
                return AnswerQuestion(rng.choice(answers or people), question.number, yes=rng.random() < 0.9)
            case 9 if state.clock.watch.absence_question is not None:
                return ChooseAbsence(user, rng.choice(("wait", "turn", "seat")), state.clock.watch.absence_question)  # type: ignore[arg-type]
            case 10:
                return rng.choice(
                    (EndPause(user), Moderate("pause", 9, ""), Moderate("resume", 9, ""), Moderate("resume", 9, ""))
                )
            case 11:
                return TakeAction(user, rng.choice((Draw, Pass)))
            case _ if turn is not None and turn.user is not None:
                action = greedy.choose(view_for(sim.match, turn.seat), rng)
                return TakeAction(turn.user, lambda _: action)
            case _:
                return Rearm()


@settings(max_examples=scale_count(60), deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**9), st.sampled_from(CLOCKS), st.booleans(), st.integers(2, 3))
def test_no_action_sequence_extends_turn_beyond_limit(seed: int, clock: str, by_hand: bool, seats: int) -> None:
    others = [GRACE, LINUS][: seats - 1]
    sim = open_table(*others, clock=clock, by_hand=by_hand, target=5000)
    monitor = TurnTimeMonitor(sim, Random(seed), parse_pace(clock))
    time = sim.state.clock.time
    monitor.turn_key = (0, sim.match.turn, time.height)
    monitor.allowed_times[monitor.turn_key] = (time.allowance or 0) + monitor.pace.grace
    monitor.turn_times[monitor.turn_key] = 0
    for _ in range(70):
        if sim.state.state != "open":
            break
        monitor.step()


def open_stalled_table(clock: str) -> tuple[SimulatedTable, int]:
    sim = open_played_table(GRACE, clock=clock, target=5000)
    return sim, sim.current_user


def test_repeated_presence_gains_no_time() -> None:
    sim, staller = open_stalled_table("days 2h")
    start = sim.now
    for _ in range(100):
        if sim.turn is None or sim.turn.user != staller:
            break
        sim.run_out_clock()
        if sim.state.clock.watch.absence_question is not None:
            sim.now = sim.state.clock.watch.until or sim.now
            sim.now -= 1
            sim.execute(ReturnToSeat(staller))
    assert sim.turn.user != staller
    assert sim.now - start <= 2 * HOUR + 2 * HOUR


def test_substitute_gets_only_remaining_time() -> None:
    sim, staller = open_stalled_table("days 2h")
    start, holder = sim.now, staller
    for number in range(50):
        sim.now += HOUR
        while sim.turn is not None and sim.turn.user == holder and sim.due and sim.due.at <= sim.now:
            run_due_job(sim)
        if sim.turn is None or sim.turn.user != holder:
            break
        friend = 100 + number
        question = sim.execute(AskPlayers(holder, "substitute", friend)).table.question
        sim.execute(AnswerQuestion(friend, question.number, yes=True))
        holder = friend
    assert sim.now - start <= 5 * HOUR


@pytest.mark.parametrize("clock", ["1d", DEFAULT_CLOCK, "relaxed"])
def test_others_can_agree_not_to_wait_for_long_absence(clock: str) -> None:
    sim, staller = open_stalled_table(clock)
    set_vacation(sim, staller, 21)
    other = sim.find_other_user()
    assert [type(event) for event in sim.execute(AskPlayers(other, "abort")).events] == [Closed]
    assert sim.now == START
