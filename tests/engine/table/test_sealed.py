"""Tables of a duplicate deal: all have the same tiles, and no player can change them."""

from dataclasses import replace

import pytest

from engine.match.events import Dealt
from engine.match.shuffle import compute_commitment
from engine.table.commands import AddComputer, AddWord, AskPlayers, ChangeTerms, Join, OpenTable, StartMatch
from engine.table.evolve import apply_event
from engine.table.table_events import DealOpened, is_sealed
from tests.engine.table.sitting import ADA, GRACE, LINUS, START, SimulatedTable, expect_refusal
from tests.engine.table.sitting import build_terms as usual
from tests.engine.tables import SECRET

DEAL = replace(usual(seats=2), deal="amber-otter", deal_until=START + 1)


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
        open_deal_table(Join(GRACE), terms=usual(seats=2), interaction_id=5)
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
    assert not is_sealed(open_deal_table(Join(GRACE), terms=usual(seats=2)).state), "an ordinary table never is"
