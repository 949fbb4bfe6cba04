"""Random walks over tables: after every step the replayed log equals the table.

A walk opens a table of any game and any clock. Players, moderators, computers and the clock send legal and illegal
commands at random moments, with outages in between and clocks set back. After every step the log is replayed
(`sitting.py`), and these properties hold:

* Decisions and refusals do not change the table they start from.
* Older buttons stay valid only after calm events.
* Every table has a due time. A table that stands still has at least its expiry.
* No time begins in the future, except for players on vacation.
* No time runs for players on vacation, except at a live table, or while the table is paused. No time is negative.
* Silences, stand-ins and vacations belong to seats that are still in the match.
* While the player can undo the turn alone, no player is mentioned and only settling is due.
* The player to move sits at the table, and posts about the turn name that player.
"""

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import get_args

import pytest

from data.rulebook import list_games, load_rules
from engine.match.actions import Draw, Pass, Resign, Undo
from engine.match.errors import RuleError
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.absence import CHOICES
from engine.table.clock import compute_time_left, compute_used_time
from engine.table.commands import (
    AddComputer,
    AddWord,
    AnswerQuestion,
    AskPlayers,
    ChangeTerms,
    ChooseAbsence,
    CloseTable,
    Command,
    DeclineSeat,
    EndPause,
    ExpireQuestion,
    Join,
    LeaveTable,
    Moderate,
    MoveTable,
    OpenReservedSeats,
    OpenTable,
    Rearm,
    RemovePlayer,
    ReserveSeats,
    ReturnToSeat,
    RunDue,
    SetVacation,
    StartMatch,
    TakeAction,
    TakeComputerAction,
    ViewHand,
)
from engine.table.decide_table import TableDecision
from engine.table.evolve import replay
from engine.table.people import list_dismissed_users
from engine.table.preferences import Person, QuietHours, compute_days_left, end_vacation, start_vacation
from engine.table.refusals import RefusalError
from engine.table.table_events import CLOCK_SKEW, QUIET_EVENTS, DealOpened, Forgotten, ReadAgain, TableEvent
from engine.table.table_state import Due, Outage, Stumble, TableState, compute_idle_end
from engine.table.terms import DAY, GREEDY, HOUR, PROGRAM_PREFIX
from tests.depth import DEPTH, scaled
from tests.engine.table.sitting import Sitting, terms
from tests.engine.tables import state

CLOCKS = ("relaxed", "1d", "days 2h", "bank 2h+1h", "bank 1h", "live 3m")
STEPS = 110
PEOPLE = range(1, 8)
MODERATORS = (1, 8, 9)
HAPPENED: Counter[type] = Counter()


class Walk:
    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        game = list_games()[seed % len(list_games())]
        playing = load_rules(game)
        seats = self.rng.randint(playing.min_seats, min(4, playing.max_seats))
        chosen = terms(
            game,
            seats,
            target=self.rng.choice((1, 60, playing.target)),
            by_hand=self.rng.random() < 0.3,
            clock=self.rng.choice(CLOCKS),
            absent=self.rng.choice(("turn", "seat", "end")),
        )
        self.sitting = Sitting(chosen)
        self.sitting.ask(
            OpenTable(chosen, self.rng.choice(PEOPLE), self.rng.choice(((), (), ("greedy",) * (seats - 1))))
        )

    def step(self) -> None:
        sitting, rng = self.sitting, self.rng
        if rng.random() < 0.5:
            sitting.now += rng.choice((1, 1000, HOUR // 10, HOUR, 5 * HOUR, DAY))
        if rng.random() < 0.05:
            start = sitting.now
            sitting.now += rng.choice((3 * 60_000, HOUR, DAY))
            sitting.owed = (*sitting.owed, Outage(start=start, end=sitting.now))
        if rng.random() < 0.03:
            sitting.now -= rng.choice((CLOCK_SKEW, HOUR, 2 * DAY))
        command, again = self.command(), True
        while again:
            before = sitting.state
            try:
                decided = sitting.once(command)
            except (RefusalError, RuleError):
                return
            if isinstance(command, Rearm):
                sitting.owed = ()
            self.check(before, decided)
            again = decided.must_repeat

    def command(self) -> Command:
        rng, someone = self.rng, self.rng.choice(PEOPLE)
        if self.sitting.state.state == "lobby":
            host = rng.choice((someone, self.sitting.state.host or someone))
            return rng.choices(
                (
                    Join(someone),
                    AddComputer(someone, rng.choice((GREEDY, GREEDY, f"{PROGRAM_PREFIX}mine"))),
                    AddWord(someone, rng.choice(("kiwi", "two words", "no!"))),
                    LeaveTable(someone),
                    StartMatch(someone),
                    MoveTable(someone, rng.randrange(9)),
                    RunDue(self.sitting.due) if self.sitting.due else Rearm(),
                    Moderate("stop", 9, "") if rng.random() < 0.2 else Join(someone),
                    ReserveSeats(host, tuple(rng.sample(PEOPLE, rng.choice((1, 1, 2))))),
                    rng.choice(
                        (DeclineSeat(someone), OpenReservedSeats(host), OpenReservedSeats(host, rng.choice(PEOPLE)))
                    ),
                    RemovePlayer(host, rng.choice((None, *self.sitting.state.seated_users))),
                    ChangeTerms(host, lambda before: replace(before, by_hand=not before.by_hand)),
                    CloseTable(someone) if rng.random() < 0.2 else Join(someone),
                ),
                (9, 2, 1, 3, 3, 1, 1, 1, 3, 2, 2, 1, 1),
            )[0]
        asked = self.sitting.state.open_question is not None
        kind = rng.choices(("play", "time", "person", "question", "rule"), (10, 5, 3, 12 if asked else 4, 2))[0]
        return getattr(self, kind)(someone)  # type: ignore[no-any-return]

    def play(self, someone: int) -> Command:
        sitting, rng = self.sitting, self.rng
        chance = rng.random()
        if chance < 0.1:
            action = rng.choice((Draw, Pass, Undo))
            return TakeAction(someone, lambda seat: action(seat), sitting.state.seq - rng.randrange(3))
        if chance < 0.12:
            return TakeAction(someone, Resign)
        turn = sitting.turn
        if turn is None:
            return LeaveTable(someone, deletes_data=rng.random() < 0.2)
        move = greedy.choose(view_for(sitting.match, turn.seat), rng)
        if turn.user is not None:
            return TakeAction(turn.user, lambda _: move)
        fails = turn.seat in sitting.state.programs and rng.random() < 0.5
        return TakeComputerAction(move, sitting.state.seq, rng.choice(get_args(Stumble)) if fails else None)

    def time(self, someone: int) -> Command:
        sitting, rng = self.sitting, self.rng
        match rng.randrange(8):
            case 0 | 1 | 2 | 3 if sitting.due is not None and sitting.due.kind != "computer":
                sitting.now = max(sitting.now, sitting.due.at - rng.choice((0, 0, 0, 1)))
                return RunDue(sitting.due)
            case 0 | 1 | 2 | 3:
                return ViewHand(someone)
            case 4 | 5:
                someone = rng.choice((someone, *sitting.state.seated_users))
                choice = rng.choice((*CHOICES, "end", "end"))
                return ChooseAbsence(someone, choice, sitting.state.clock.watch.absence_question)
            case 6:
                return Rearm()
            case _:
                return ReturnToSeat(someone)

    def person(self, someone: int) -> Command:
        sitting, rng = self.sitting, self.rng
        had = sitting.people.get(someone) or Person(user_id=someone)
        preferences = had.preferences
        days = rng.choice((0, 1, 3))
        if rng.random() < 0.5:
            preferences = end_vacation(preferences, sitting.now)
            if days and compute_days_left(preferences, sitting.now):
                preferences = start_vacation(preferences, days, sitting.now)
            until = preferences.away_until if days else 0
            command: Command = SetVacation(someone, until, "away" if until else "home")
        else:
            preferences = replace(
                preferences,
                remind=rng.random() < 0.7,
                every=rng.choice((0, HOUR, 5 * HOUR)),
                quiet=rng.choice((None, QuietHours(22 * 60, 7 * 60))),
                automatic=rng.random() < 0.4,
                muted={"7": sitting.state.clock.watch.began} if rng.random() < 0.2 else {},
            )
            command = Rearm()
        pings = rng.choice(("channel", "dm", "none"))
        sitting.people[someone] = replace(had, preferences=preferences, pings=pings)  # type: ignore[arg-type]
        return command

    def question(self, someone: int) -> Command:
        sitting, rng = self.sitting, self.rng
        asked = sitting.state.question
        if sitting.state.paused_until is not None and rng.random() < 0.5:
            return EndPause(someone)
        if asked is None or rng.random() < 0.2:
            kind = rng.choices(("abort", "undo", "substitute", "pause"), (1, 6, 9, 6))[0]
            person = rng.choice(PEOPLE) if kind == "substitute" else None
            owner = rng.choice((None, *PEOPLE)) if kind == "substitute" else None
            return AskPlayers(someone, kind, person, owner)  # type: ignore[arg-type]
        if rng.random() < 0.1:
            sitting.now = max(sitting.now, asked.until)
            return ExpireQuestion(asked.number)
        people = [sitting.state.seats[seat].user_id for seat in asked.waiting]
        waiting = [one for one in (*people, asked.person) if one is not None]
        who = rng.choice(waiting) if waiting and rng.random() < 0.8 else someone
        return AnswerQuestion(who, asked.number, yes=rng.random() < 0.85)

    def rule(self, _: int) -> Command:
        what = self.rng.choices(("stop", "pause", "resume", "skip"), (0.3, 6, 12, 6))[0]
        return Moderate(what, self.rng.choice(MODERATORS), "because")  # type: ignore[arg-type]

    def check(self, before: TableState, decided: TableDecision) -> None:
        table, sitting, now = decided.table, self.sitting, self.sitting.now
        calm = all(isinstance(event, QUIET_EVENTS) for event in decided.events)
        assert table.is_current(before.seq) == calm
        assert table.is_current(table.seq)
        if not decided.events:
            assert table == before
            assert not decided.posts
        assert list_dismissed_users(before, table).isdisjoint(
            {row.user_id for row in table.seats} | table.permanent_users
        )
        for post in decided.posts:
            json.dumps(post.body)
            if post.kind == "turn":
                assert post.body["seat"] == decided.turn.seat
        taken = len(table.seats) + len(table.guests.reserved_until)
        assert taken <= table.terms.seats or not table.guests.reserved_until, "no seat is kept that is not there"
        assert not table.guests.reserved_until or table.state == "lobby"
        assert table.seated_users.isdisjoint(table.guests.reserved_until)
        if table.state != "open":
            assert (decided.due is not None) == (table.state == "lobby")
            assert decided.turn is None
            return
        time, watch, turn = table.clock.time, table.clock.watch, decided.turn
        assert turn.seat == sitting.match.turn
        assert turn.user == (None if turn.seat in table.clock.standins else table.seats[turn.seat].user_id)
        if table.tentative_turn is not None:
            self.check_unsettled(decided)
            return
        assert watch.seat == turn.seat
        assert time.seat == (None if turn.user is None else turn.seat)
        if time.paused:
            assert decided.due.kind == ("idle" if table.paused_until is None else "resume")
            assert time.since is None
        active = set(sitting.match.active)
        assert active >= table.clock.standins.keys() | watch.timeouts.keys() | watch.away.keys()
        question = table.question
        if question is not None:
            assert question.number <= table.seq
            assert set(question.waiting) <= set(question.asked) <= active
        assert (
            min(time.used, compute_used_time(time, now), compute_time_left(time, now) or 0, *(time.banks or [0])) >= 0
        )
        mover = sitting.people.get(turn.user or 0)
        back = watch.away.get(time.seat, 0) if time.seat is not None else 0
        assert not decided.events or time.since is None or time.since <= max(now + CLOCK_SKEW, back)
        assert (
            not decided.events
            or decided.due.at <= max(now + CLOCK_SKEW, back) + compute_idle_end(table) - table.clock.acted_at
        )
        # Where nothing has happened the table has not heard of a vacation yet.
        away = mover is not None and mover.preferences.away_until > now
        if decided.events and away and table.terms.pace.kind != "live":
            assert compute_used_time(time, now) == compute_used_time(time, now + 1), "no time runs on vacation"

    def check_unsettled(self, decided: TableDecision) -> None:
        table, open_turn = decided.table, decided.table.tentative_turn
        assert decided.due == Due(at=open_turn.until, kind="settle")
        assert table.clock.time.seat == table.clock.watch.seat == open_turn.seat != self.sitting.match.turn
        assert not table.clock.time.paused
        assert table.question is None
        assert {post.kind for post in decided.posts} <= {"notice", "settled", "agreement"}

    def whole(self) -> None:
        HAPPENED.update(type(entry.event) for entry in self.sitting.entries)
        table, event_log = replay(self.sitting.entries)
        assert table == self.sitting.table
        assert (event_log is None) == (self.sitting.event_log is None)
        if event_log is not None and self.sitting.event_log is not None:
            assert state(event_log.match) == state(self.sitting.event_log.match)
            assert event_log.events == self.sitting.event_log.events


@pytest.mark.parametrize("seed", range(scaled(100, 20)))
def test_replayed_log_equals_table(seed: int):
    walk = Walk(seed)
    for _ in range(STEPS):
        walk.step()
        if walk.sitting.state.state in ("done", "void"):
            break
    walk.whole()


NOT_WALKED = (DealOpened, Forgotten, ReadAgain)


def test_random_walks_cover_every_kind_of_event():
    if DEPTH < 1 or not HAPPENED:
        pytest.skip("only a whole run meets all of them")
    assert set(get_args(TableEvent)) - HAPPENED.keys() == set(NOT_WALKED)
