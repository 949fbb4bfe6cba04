"""Tables of a duplicate deal: all have the same tiles, and no player can change them."""

from dataclasses import replace

import pytest

from engine.match.events import Dealt
from engine.match.shuffle import compute_commitment
from engine.table.commands import AddComputer, AddWord, AskPlayers, ChangeTerms, Join, OpenTable, StartMatch
from engine.table.evolve import apply_event
from engine.table.table_events import DealOpened, is_sealed
from tests.engine.table.sitting import ADA, GRACE, LINUS, START, Sitting, refused
from tests.engine.table.sitting import terms as usual
from tests.engine.tables import SECRET

DEAL = replace(usual(seats=2), deal="amber-otter", deal_until=START + 1)


def sat(*others: object, terms: object = DEAL, press: int = 0) -> Sitting:
    sitting = Sitting(terms, press=press)  # type: ignore[arg-type]
    sitting.ask(OpenTable(terms, ADA))  # type: ignore[arg-type]
    for command in others:
        sitting.press = press + 1
        sitting.ask(command)  # type: ignore[arg-type]
    return sitting


def hands(sitting: Sitting) -> tuple[object, ...]:
    (dealt,) = (entry.event for entry in sitting.entries if isinstance(entry.event, Dealt))
    return dealt.hands, dealt.boneyard


def test_duplicate_deal_gives_same_tiles_for_any_players_and_entropy():
    first, second = sat(Join(GRACE), press=5), sat(Join(LINUS), press=900)
    with_computer = sat(AddComputer(ADA), press=17)
    assert hands(first) == hands(second) == hands(with_computer)
    assert {one.state.commitment for one in (first, second, with_computer)} == {compute_commitment(SECRET)}
    assert [row.contribution for row in first.state.seats] == ["", ""]
    assert hands(first) != hands(sat(Join(GRACE), terms=usual(seats=2), press=5)), "an ordinary table has its own"


def test_duplicate_deal_refuses_entropy_words_and_wrong_seat_count():
    assert refused(sat(), AddWord(ADA, "kiwi")) == "DEAL_NO_WORD"
    assert refused(sat(), Join(GRACE, word="kiwi")) == "DEAL_NO_WORD"
    three = replace(DEAL, seats=3)
    assert refused(sat(Join(GRACE), terms=three), StartMatch(ADA)) == "DEAL_SEATS"


@pytest.mark.parametrize(
    "other", [{"game": "quad-ominos"}, {"seats": 3}, {"target": 50}, {"options": {"draws": "1"}}, {"by_hand": True}]
)
def test_options_of_duplicate_deal_cannot_be_changed(other: dict[str, object]):
    table = sat(terms=replace(DEAL, seats=3) if "seats" not in other else DEAL)
    assert refused(table, ChangeTerms(ADA, lambda terms: replace(terms, **other))) == "DEAL_FIXED"  # type: ignore[arg-type]


def test_clock_of_duplicate_deal_table_can_be_changed():
    table = sat()
    table.ask(ChangeTerms(ADA, lambda terms: replace(terms, clock="days 1d", rated=False)))
    assert table.state.terms.clock == "days 1d"


def test_duplicate_deal_refuses_undo_by_agreement():
    table = sat(Join(GRACE))
    assert refused(table, AskPlayers(ADA, "undo")) == "DEAL_NO_UNDO"


def test_table_is_sealed_until_deal_is_opened():
    table = sat(Join(GRACE))
    assert is_sealed(table.state)
    opened, event_log = apply_event(table.state, table.event_log, DealOpened(), START)
    assert not is_sealed(opened)
    assert event_log is table.event_log
    assert not is_sealed(sat(Join(GRACE), terms=usual(seats=2)).state), "an ordinary table never is"
