"""Next-up notices: sent once when the previous turn begins, without hidden information."""

import pytest

from engine.match.actions import Resign
from engine.table.commands import AskPlayers, TakeAction
from engine.table.decide_table import TableDecision
from engine.table.preferences import QuietHours
from engine.table.reminders import NEXT_UP
from engine.table.table_state import StandIn
from engine.table.terms import DAY, HOUR
from tests.engine.table.sitting import ADA, GRACE, LINUS, START, Sitting, circled, said

PEOPLE = (ADA, GRACE, LINUS)


def nexts(decided: TableDecision | None) -> list[int]:
    return [int(body["seat"]) for kind, body in said(decided) if kind == NEXT_UP]


def wanting(*people: int, others: tuple[int, ...] = (GRACE, LINUS), **chosen: int) -> Sitting:
    sitting = circled(*others, **chosen)
    for person in people:
        sitting.prefers(person, next_up=True)
    return sitting


def test_next_up_notice_goes_only_to_subscribed_next_player():
    sitting = wanting(ADA)
    told = []
    for _ in range(9):
        done = sitting.move()
        told.append((sitting.match.turn, nexts(done)))
    ada = sitting.state.find_seat(ADA)
    assert ada is not None
    for turn, seats in told:
        assert seats == ([ada] if sitting.match.find_next_active(turn) == ada else [])
    assert any(seats for _, seats in told)


def test_next_up_notice_is_withdrawn_when_previous_turn_ends():
    sitting = wanting(ADA)
    assert NEXT_UP in sitting.move().obsolete_kinds
    assert NEXT_UP not in sitting.ask(AskPlayers(ADA, "abort")).obsolete_kinds
    mover = sitting.mover
    assert NEXT_UP in sitting.ask(TakeAction(mover, Resign)).obsolete_kinds


def test_table_of_two_players_gets_no_next_up_notice():
    sitting = wanting(ADA, GRACE, others=(GRACE,))
    assert [nexts(sitting.move()) for _ in range(6)] == [[]] * 6
    sitting = wanting(ADA, GRACE, others=(GRACE,), computers=2)
    told = [nexts(sitting.move()) for _ in range(8)]
    assert told == [[]] * 8


def test_next_up_notice_skips_computer_in_between():
    sitting = wanting(*PEOPLE, computers=1)
    told = []
    for _ in range(12):
        done = sitting.move()
        turn = sitting.turn
        if turn.user is None:
            assert nexts(done) == []
        else:
            told += nexts(done)
    assert {sitting.state.seats[seat].user_id for seat in told} == set(PEOPLE)


@pytest.mark.parametrize(
    "wishes",
    [{"next_up": False}, {"quiet": QuietHours(0, 1439)}, {"away_from": START - 1, "away_until": START + 90 * DAY}],
    ids=lambda wishes: next(iter(wishes)),
)
def test_next_up_notice_is_not_sent_to_unsubscribed_player(wishes: dict[str, object]):
    sitting = wanting(*PEOPLE)
    for person in PEOPLE:
        sitting.prefers(person, **wishes)
    assert [nexts(sitting.move()) for _ in range(6)] == [[]] * 6


def test_next_up_notice_is_not_sent_to_absent_player():
    sitting = wanting(*PEOPLE)
    silent = sitting.mover
    while not sitting.state.is_absent(seat := sitting.state.find_seat(silent) or 0):
        sitting.wait(HOUR)
    stands: StandIn | None = sitting.state.clock.standins.get(seat)
    assert stands is not None or sitting.state.clock.watch.timeouts
    for _ in range(4):
        sitting.wait(2 * DAY)
        if sitting.turn is not None and sitting.turn.user != silent:
            assert seat not in nexts(sitting.move())
