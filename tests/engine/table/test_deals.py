"""Deals of a table: what players add to them, and duplicate deals, which no player can change."""

from dataclasses import replace

import pytest

from engine.match.events import Dealt, Started
from engine.match.shuffle import compute_commitment, hash_interaction
from engine.table.commands import AddComputer, AddWord, AskPlayers, ChangeTerms, Join, LeaveTable, OpenTable, StartMatch
from engine.table.evolve import LogEntry, apply_event, replay
from engine.table.table_events import Contributed, DealOpened, Joined, Opened, is_sealed
from engine.table.table_state import SeatRow
from tests.engine.table.simulated_table import (
    ADA,
    GRACE,
    LINUS,
    NEMO,
    START,
    SimulatedTable,
    build_terms,
    expect_refusal,
    list_event_names,
    open_table,
)
from tests.engine.tables import SECRET


def execute_all(sim: SimulatedTable, *commands: object) -> SimulatedTable:
    for command in commands:
        sim.interaction_id = (sim.interaction_id or 0) + 1
        sim.execute(command)  # type: ignore[arg-type]
    return sim


def open_lobby(seats: int, *commands: object) -> SimulatedTable:
    sim = SimulatedTable(build_terms(seats=seats))
    return execute_all(sim, OpenTable(sim.terms, ADA), *commands)


def find_started_event(sim: SimulatedTable) -> Started:
    return next(entry.event for entry in sim.entries if isinstance(entry.event, Started))


def test_deal_fingerprint_is_published_before_players_join():
    sim = open_lobby(3)
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
    with_entropy, without_entropy = open_lobby(2, Join(GRACE)), open_table(GRACE)
    one, other = (
        next(entry.event for entry in sim.entries if isinstance(entry.event, Dealt))
        for sim in (with_entropy, without_entropy)
    )
    assert one.hands != other.hands
    assert find_started_event(without_entropy).shuffle == 1


def test_entropy_leaves_with_player_and_moves_with_seat():
    sim = open_lobby(3, Join(GRACE), LeaveTable(ADA), Join(LINUS, word="plum"), StartMatch(GRACE))
    assert find_started_event(sim).contributions == (hash_interaction(2), "plum")


def test_word_replaces_join_entropy_until_match_begins():
    sim = open_lobby(3, Join(GRACE), AddWord(GRACE, "pear"))
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
    sim = open_lobby(2)
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


DEAL = replace(build_terms(seats=2), deal="amber-otter", deal_until=START + 1)


def open_deal_table(*others: object, terms: object = DEAL, interaction_id: int = 0) -> SimulatedTable:
    sim = SimulatedTable(terms, interaction_id=interaction_id)  # type: ignore[arg-type]
    sim.execute(OpenTable(terms, ADA))  # type: ignore[arg-type]
    for command in others:
        sim.interaction_id = interaction_id + 1
        sim.execute(command)  # type: ignore[arg-type]
    return sim


def list_dealt_tiles(sim: SimulatedTable) -> tuple[object, ...]:
    (dealt,) = (entry.event for entry in sim.entries if isinstance(entry.event, Dealt))
    return dealt.hands, dealt.boneyard


def test_duplicate_deal_gives_same_tiles_for_any_players_and_entropy():
    first, second = open_deal_table(Join(GRACE), interaction_id=5), open_deal_table(Join(LINUS), interaction_id=900)
    with_computer = open_deal_table(AddComputer(ADA), interaction_id=17)
    assert list_dealt_tiles(first) == list_dealt_tiles(second) == list_dealt_tiles(with_computer)
    assert {one.state.commitment for one in (first, second, with_computer)} == {compute_commitment(SECRET)}
    assert [row.contribution for row in first.state.seats] == ["", ""]
    assert list_dealt_tiles(first) != list_dealt_tiles(
        open_deal_table(Join(GRACE), terms=build_terms(seats=2), interaction_id=5)
    ), "an ordinary table has its own"


def test_duplicate_deal_refuses_entropy_words_and_wrong_seat_count():
    assert expect_refusal(open_deal_table(), AddWord(ADA, "kiwi")) == "DEAL_NO_WORD"
    assert expect_refusal(open_deal_table(), Join(GRACE, word="kiwi")) == "DEAL_NO_WORD"
    three = replace(DEAL, seats=3)
    assert expect_refusal(open_deal_table(Join(GRACE), terms=three), StartMatch(ADA)) == "DEAL_SEATS"


@pytest.mark.parametrize(
    "other", [{"game": "quad-ominos"}, {"seats": 3}, {"target": 50}, {"options": {"draws": "1"}}, {"by_hand": True}]
)
def test_options_of_duplicate_deal_cannot_be_changed(other: dict[str, object]):
    table = open_deal_table(terms=replace(DEAL, seats=3) if "seats" not in other else DEAL)
    assert expect_refusal(table, ChangeTerms(ADA, lambda terms: replace(terms, **other))) == "DEAL_FIXED"  # type: ignore[arg-type]


def test_clock_of_duplicate_deal_table_can_be_changed():
    table = open_deal_table()
    table.execute(ChangeTerms(ADA, lambda terms: replace(terms, clock="days 1d", rated=False)))
    assert table.state.terms.clock == "days 1d"


def test_duplicate_deal_refuses_undo_by_agreement():
    table = open_deal_table(Join(GRACE))
    assert expect_refusal(table, AskPlayers(ADA, "undo")) == "DEAL_NO_UNDO"


def test_table_is_sealed_until_deal_is_opened():
    table = open_deal_table(Join(GRACE))
    assert is_sealed(table.state)
    opened, event_log = apply_event(table.state, table.event_log, DealOpened(), START)
    assert not is_sealed(opened)
    assert event_log is table.event_log
    assert not is_sealed(open_deal_table(Join(GRACE), terms=build_terms(seats=2)).state), "an ordinary table never is"
