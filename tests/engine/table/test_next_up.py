"""Next-up notices: sent once when the previous turn begins, without hidden information."""

import pytest

from engine.match.actions import Resign
from engine.table.commands import AskPlayers, TakeAction
from engine.table.decide_table import TableDecision
from engine.table.preferences import QuietHours
from engine.table.reminders import NEXT_UP
from engine.table.table_state import StandIn
from engine.table.terms import DAY, HOUR
from tests.engine.table.sitting import ADA, GRACE, LINUS, START, SimulatedTable, list_posts, open_played_table

PEOPLE = (ADA, GRACE, LINUS)


def list_notified_seats(decided: TableDecision | None) -> list[int]:
    return [int(body["seat"]) for kind, body in list_posts(decided) if kind == NEXT_UP]


def open_subscribed_table(*people: int, others: tuple[int, ...] = (GRACE, LINUS), **chosen: int) -> SimulatedTable:
    sim = open_played_table(*others, **chosen)
    for person in people:
        sim.set_preferences(person, next_up=True)
    return sim


def test_next_up_notice_goes_only_to_subscribed_next_player():
    sim = open_subscribed_table(ADA)
    notices = []
    for _ in range(9):
        decision = sim.play_turn()
        notices.append((sim.match.turn, list_notified_seats(decision)))
    ada = sim.state.find_seat(ADA)
    assert ada is not None
    for turn, seats in notices:
        assert seats == ([ada] if sim.match.find_next_active(turn) == ada else [])
    assert any(seats for _, seats in notices)


def test_next_up_notice_is_withdrawn_when_previous_turn_ends():
    sim = open_subscribed_table(ADA)
    assert NEXT_UP in sim.play_turn().obsolete_kinds
    assert NEXT_UP not in sim.execute(AskPlayers(ADA, "abort")).obsolete_kinds
    mover = sim.current_user
    assert NEXT_UP in sim.execute(TakeAction(mover, Resign)).obsolete_kinds


def test_table_of_two_players_gets_no_next_up_notice():
    sim = open_subscribed_table(ADA, GRACE, others=(GRACE,))
    assert [list_notified_seats(sim.play_turn()) for _ in range(6)] == [[]] * 6
    sim = open_subscribed_table(ADA, GRACE, others=(GRACE,), computers=2)
    notices = [list_notified_seats(sim.play_turn()) for _ in range(8)]
    assert notices == [[]] * 8


def test_next_up_notice_skips_computer_in_between():
    sim = open_subscribed_table(*PEOPLE, computers=1)
    notified_seats = []
    for _ in range(12):
        decision = sim.play_turn()
        turn = sim.turn
        if turn.user is None:
            assert list_notified_seats(decision) == []
        else:
            notified_seats += list_notified_seats(decision)
    assert {sim.state.seats[seat].user_id for seat in notified_seats} == set(PEOPLE)


@pytest.mark.parametrize(
    "wishes",
    [{"next_up": False}, {"quiet": QuietHours(0, 1439)}, {"away_from": START - 1, "away_until": START + 90 * DAY}],
    ids=lambda wishes: next(iter(wishes)),
)
def test_next_up_notice_is_not_sent_to_unsubscribed_player(wishes: dict[str, object]):
    sim = open_subscribed_table(*PEOPLE)
    for person in PEOPLE:
        sim.set_preferences(person, **wishes)
    assert [list_notified_seats(sim.play_turn()) for _ in range(6)] == [[]] * 6


def test_next_up_notice_is_not_sent_to_absent_player():
    sim = open_subscribed_table(*PEOPLE)
    absent_user = sim.current_user
    while not sim.state.is_absent(seat := sim.state.find_seat(absent_user) or 0):
        sim.wait(HOUR)
    stand_in: StandIn | None = sim.state.clock.standins.get(seat)
    assert stand_in is not None or sim.state.clock.watch.timeouts
    for _ in range(4):
        sim.wait(2 * DAY)
        if sim.turn is not None and sim.turn.user != absent_user:
            assert seat not in list_notified_seats(sim.play_turn())
