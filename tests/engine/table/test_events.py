"""Every event changes only its own state, and every command has a handler."""

from dataclasses import fields, replace
from typing import get_args

import pytest

from engine.match.events import Event as MatchEvent
from engine.table import commands as table_commands
from engine.table import table_events
from engine.table.decide_table import _HANDLERS
from engine.table.evolve import PERSONAL_EVENTS, LogEntry, apply_event, is_quiet, replay
from engine.table.table_events import (
    INVALIDATING_EVENTS,
    QUIET_EVENTS,
    DealOpened,
    LogEvent,
    ReadAgain,
    SetBack,
    TableEvent,
)
from engine.table.table_state import Clock, Outage, Question, TableState, TentativeTurn, Time, Watch
from engine.table.terms import DAY, HOUR
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    START,
    build_terms,
    open_played_table,
    open_table,
)

CHANGES: list[tuple[TableEvent, set[str]]] = [
    (table_events.Joined(NEMO), {"seats"}),
    (table_events.Contributed(1, "kiwi"), {"seats"}),
    (table_events.Left(1), {"seats"}),
    (table_events.Left(0), {"seats", "host"}),
    (table_events.Kept((NEMO,), START + DAY), {"guests"}),
    (table_events.Freed((LINUS,), "declined"), {"guests"}),
    (table_events.Removed(1), {"seats", "guests"}),
    (table_events.Revised(build_terms("star")), {"terms", "previous_terms", "revised_seq"}),
    (table_events.Moved(9), set()),
    (table_events.Closed("empty"), {"state", "close_reason"}),
    (
        table_events.Replaced(1, NEMO),
        {"seats", "permanent_users", "match_players", "ownerships", "clock.watch", "question"},
    ),
    (
        table_events.Replaced(0, NEMO),
        {"seats", "permanent_users", "match_players", "early_leavers", "host", "question"},
    ),
    (table_events.Forgotten(), set()),
    (table_events.TurnBegan(1, 3), {"clock.time", "clock.watch", "undo_count"}),
    (table_events.TurnBegan(1, 3, "anew"), {"clock.time", "clock.watch"}),
    (table_events.TurnBegan(0, 0, "back"), {"clock.time", "clock.watch"}),
    (table_events.Tentative(0, START + 2 * DAY, 5), {"tentative_turn"}),
    (table_events.Settled(), {"clock.time", "tentative_turn"}),
    (table_events.Reminded(0, main=True), {"clock.watch"}),
    (table_events.RanOut(0), {"clock.watch"}),
    (table_events.Stumbled(1, "late"), {"stumbles"}),
    (table_events.Granted(0, HOUR), {"clock.time", "clock.watch"}),
    (table_events.Away(0, START + 10 * DAY), {"clock.time", "clock.watch"}),
    (table_events.Away(1, START + 10 * DAY), {"clock.watch"}),
    (table_events.Credited((Outage(start=0, end=HOUR),)), {"clock.time"}),
    (SetBack(), set()),
    (DealOpened(), {"is_deal_open", "has_outlived_deal"}),
    (ReadAgain(0), {"clock.time", "clock.acted_at"}),
    (table_events.Rearmed(), set()),
    (table_events.ChoiceAsked(0, 5), {"clock.watch"}),
    (table_events.ChoiceMade(0, "wait", "chosen"), {"clock.time", "clock.watch"}),
    (table_events.ChoiceMade(0, "seat", "chosen"), {"clock.standins"}),
    (table_events.ChoiceMade(0, "end", "default"), {"early_end"}),
    (table_events.EndWished(1, 0, (2,)), {"clock.watch"}),
    (table_events.Returned(1), {"clock.watch"}),
    (table_events.Asked("abort", 0, 0, 5, (1,)), {"question"}),
    (table_events.Answered(1, yes=True), {"question"}),
    (table_events.Answered(None, yes=False), {"question"}),
    (table_events.Lapsed(), {"question"}),
    (table_events.PauseAgreed(1, START + 30 * DAY), {"clock.time", "pause", "question"}),
    (table_events.PauseEnded(None), {"clock.watch"}),
    (table_events.Stopped(MARY, "late"), {"state", "close_reason", "permanent_users", "question"}),
    (table_events.Paused(MARY, "tea"), {"clock.time", "permanent_users", "pause"}),
    (table_events.Resumed(MARY, ""), {"clock.watch", "permanent_users"}),
    (table_events.Skipped(None, "asleep", 0), {"clock.standins"}),
]


def flatten_state(table: TableState) -> dict[str, object]:
    parts = {item.name: getattr(table, item.name) for item in fields(table)}
    clock = parts.pop("clock")
    return {**parts, **{f"clock.{item.name}": getattr(clock, item.name) for item in fields(clock)}}


@pytest.mark.parametrize(("event", "changed"), CHANGES, ids=lambda case: type(case).__name__)
def test_event_changes_only_its_own_state(event: TableEvent, changed: set[str]):
    before = table_events.Joined | table_events.Left | table_events.HostingEvent
    sim = open_table(GRACE, seats=4) if isinstance(event, before) else open_played_table(GRACE)
    if isinstance(event, table_events.Freed):
        sim.execute(table_commands.ReserveSeats(ADA, (LINUS,)))
    table, event_log = sim.state, sim.event_log
    if not isinstance(event, before | table_events.Closed):
        assert sim.match.turn == 0
        table = prepare_state(table, event)
    after, log_after = apply_event(table, event_log, event, sim.now + HOUR)
    state_before, state_after = flatten_state(table), flatten_state(after)
    differing = {name for name in state_before if state_before[name] != state_after[name]} - {"seq", "changed_seq"}
    is_personal = isinstance(event, PERSONAL_EVENTS) or getattr(event, "how", "") == "chosen"
    assert differing == changed | ({"clock.acted_at"} if is_personal else set())
    assert after.seq == table.seq + 1
    assert after.changed_seq == (table.changed_seq if is_quiet(event) else after.seq)
    assert log_after is event_log


def prepare_state(table: TableState, event: TableEvent) -> TableState:
    clock = replace(table.clock, watch=replace(table.clock.watch, timeouts={1: 1}))
    question = Question(kind="substitute", by=0, seat=0, number=2, until=5, asked=(1,), waiting=(1,), person=NEMO)
    has_question = isinstance(
        event, table_events.QuestionEvent | table_events.PauseAgreed | table_events.Replaced | table_events.Stopped
    )
    unsettled = TentativeTurn(0, START + 2 * DAY, 5) if isinstance(event, table_events.Settled) else None
    return replace(
        table, clock=clock, question=question if has_question else None, tentative_turn=unsettled, undo_count=1
    )


def test_every_table_event_has_test_case():
    assert {type(event) for event, _ in CHANGES} | {table_events.Opened} == set(get_args(TableEvent))


def test_every_table_event_is_either_quiet_or_invalidating():
    assert set(QUIET_EVENTS) | set(INVALIDATING_EVENTS) == set(get_args(TableEvent))
    assert set(QUIET_EVENTS) & set(INVALIDATING_EVENTS) == set()
    assert not {*QUIET_EVENTS, *INVALIDATING_EVENTS} & set(get_args(MatchEvent))
    assert set(get_args(LogEvent)) == {*QUIET_EVENTS, *INVALIDATING_EVENTS, *get_args(MatchEvent)}


def test_log_begins_with_table_being_opened():
    sim = open_table(GRACE, LINUS, seats=4)
    table, event_log = replay(sim.entries[:1])
    assert event_log is None
    assert (table.host, [row.user_id for row in table.seats], table.seq, table.changed_seq) == (ADA, [ADA], 1, 1)
    assert table.clock == Clock(time=Time(), watch=Watch(), acted_at=START)
    with pytest.raises(ValueError, match="not with Joined"):
        replay([LogEntry(table_events.Joined(NEMO), 0)])


def test_every_command_has_handler():
    assert set(_HANDLERS) == set(get_args(table_commands.Command))
