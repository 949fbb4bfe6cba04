"""What people add to the deals of a table, by which way ever they come to sit there."""

from dataclasses import replace

import pytest

from engine.match.events import Dealt, Started
from engine.match.shuffle import compute_commitment, hash_interaction
from engine.table.commands import AddComputer, AddWord, Join, LeaveTable, OpenTable, StartMatch
from engine.table.evolve import LogEntry, replay
from engine.table.table_events import Contributed, Joined, Opened
from engine.table.table_state import SeatRow
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    NEMO,
    SimulatedTable,
    build_terms,
    expect_refusal,
    list_event_names,
)
from tests.engine.tables import SECRET


def execute_all(sim: SimulatedTable, *commands: object) -> SimulatedTable:
    for command in commands:
        sim.interaction_id = (sim.interaction_id or 0) + 1
        sim.execute(command)  # type: ignore[arg-type]
    return sim


def find_started_event(sim: SimulatedTable) -> Started:
    return next(entry.event for entry in sim.entries if isinstance(entry.event, Started))


def test_deal_fingerprint_is_published_before_players_join():
    sim = execute_all(SimulatedTable(build_terms(seats=3)), OpenTable(build_terms(seats=3), ADA))
    assert sim.state.commitment == compute_commitment(SECRET)
    opened = sim.entries[0].event
    assert opened.commitment == compute_commitment(SECRET)


def test_players_add_entropy_when_joining_but_computers_do_not():
    chosen = build_terms(seats=4)
    sim = execute_all(
        SimulatedTable(chosen), OpenTable(chosen, ADA, ("greedy",)), Join(GRACE), Join(LINUS, word=" kiwi  2")
    )
    first = find_started_event(sim)
    assert first.contributions == (hash_interaction(1), "", hash_interaction(2), "kiwi 2")
    assert first.shuffle == 2
    assert sim.match.contributions == first.contributions


def test_deals_differ_from_those_of_secret_alone():
    chosen = build_terms(seats=2)
    with_entropy = execute_all(SimulatedTable(chosen), OpenTable(chosen, ADA), Join(GRACE))
    without_entropy = SimulatedTable(chosen)
    without_entropy.execute(OpenTable(chosen, ADA))
    without_entropy.execute(Join(GRACE))
    one, other = (
        next(entry.event for entry in sim.entries if isinstance(entry.event, Dealt))
        for sim in (with_entropy, without_entropy)
    )
    assert one.hands != other.hands
    assert find_started_event(without_entropy).shuffle == 1


def test_entropy_leaves_with_player_and_moves_with_seat():
    chosen = build_terms(seats=3)
    sim = execute_all(
        SimulatedTable(chosen), OpenTable(chosen, ADA), Join(GRACE), LeaveTable(ADA), Join(LINUS, word="plum")
    )
    execute_all(sim, StartMatch(GRACE))
    assert find_started_event(sim).contributions == (hash_interaction(2), "plum")


def test_word_replaces_join_entropy_until_match_begins():
    chosen = build_terms(seats=3)
    sim = execute_all(SimulatedTable(chosen), OpenTable(chosen, ADA), Join(GRACE), AddWord(GRACE, "pear"))
    assert list_event_names(sim.execute(AddWord(GRACE, "pear"))) == []
    assert list_event_names(sim.execute(AddWord(GRACE, "plum"))) == ["Contributed"]
    assert expect_refusal(sim, AddWord(NEMO, "plum")) == "JOIN_FIRST"
    assert expect_refusal(sim, AddWord(ADA, "p`")) == "BAD_WORD"
    assert expect_refusal(sim, AddWord(ADA, "")) == "BAD_WORD"
    assert expect_refusal(sim, Join(LINUS, word="x" * 41)) == "BAD_WORD"
    execute_all(sim, AddComputer(ADA))
    assert find_started_event(sim).contributions == (hash_interaction(1), "plum", "")
    assert expect_refusal(sim, AddWord(GRACE, "late")) == "WORD_TOO_LATE"


def test_table_that_was_opened_with_another_secret_does_not_begin():
    chosen = build_terms(seats=2)
    sim = execute_all(SimulatedTable(chosen), OpenTable(chosen, ADA))
    sim.secret = bytes(32)
    with pytest.raises(ValueError, match="not the secret"):
        sim.execute(Join(GRACE))


def test_old_lobby_uses_only_entropy_added_since_upgrade():
    chosen = build_terms(seats=3)
    host = SeatRow(seat=0, user_id=ADA, joined_at=0)
    for has_entropy, version, added in ((False, 1, ()), (True, 2, (hash_interaction(1), "", ""))):
        sim = SimulatedTable(chosen)
        sim.entries = [
            LogEntry(Opened(chosen, ADA, (host,)), 0),
            LogEntry(Joined(GRACE), 0),
            LogEntry(Joined(LINUS), 0),
        ]
        sim.entries = sim.entries if has_entropy else sim.entries[:2]
        sim.replayed_state = replay(sim.entries)
        sim.table = replace(sim.replayed_state[0])
        if has_entropy:
            sim.interaction_id = 1
        sim.execute(StartMatch(ADA))
        assert (find_started_event(sim).shuffle, find_started_event(sim).contributions) == (version, added)
        assert any(isinstance(entry.event, Contributed) for entry in sim.entries) == has_entropy
