"""Seats that are kept, and what a host decides before the match."""

from dataclasses import replace

from engine.table.commands import (
    AddComputer,
    ChangeTerms,
    CloseTable,
    DeclineSeat,
    Join,
    LeaveTable,
    OpenReservedSeats,
    OpenTable,
    RemovePlayer,
    ReserveSeats,
    RunDue,
    StartMatch,
)
from engine.table.evolve import LogEntry, replay
from engine.table.hosting import MAX_INVITATIONS, RESERVATION_SPAN
from engine.table.people import list_dismissed_users, rename_users
from engine.table.table_events import Forgotten, Kept
from engine.table.table_state import LOBBY_SPAN, Due
from tests.engine.table.sitting import (
    ADA,
    GRACE,
    LINUS,
    MARY,
    NEMO,
    START,
    Sitting,
    kinds,
    opened,
    refused,
    said,
    terms,
)


def waiting(*guests: int, seats: int = 2) -> Sitting:
    sitting = Sitting(terms(seats=seats))
    sitting.ask(OpenTable(sitting.terms, ADA, guests=guests))
    return sitting


def test_only_invited_player_takes_reserved_seat_and_last_starts_match():
    sitting = waiting(GRACE)
    assert refused(sitting, Join(NEMO)) == "SEATS_KEPT"
    assert refused(sitting, AddComputer(ADA)) == "SEATS_KEPT"
    assert refused(sitting, StartMatch(ADA)) == "SEATS_WAITED_FOR"
    sitting.ask(Join(GRACE))
    assert (sitting.state.state, sitting.state.seated_users) == ("open", {ADA, GRACE})
    assert sitting.state.guests == waiting().state.guests, "nothing is left of the invitation"


def test_seats_that_are_not_reserved_are_open_to_all():
    sitting = waiting(GRACE, seats=3)
    sitting.ask(Join(NEMO))
    assert refused(sitting, Join(LINUS)) == "SEATS_KEPT"
    sitting.ask(Join(GRACE))
    assert sitting.state.seated_users == {ADA, NEMO, GRACE}


def test_declining_invitation_frees_reserved_seat_either_way():
    for command in (DeclineSeat(GRACE), LeaveTable(GRACE)):
        sitting = waiting(GRACE)
        before = sitting.state
        decided = sitting.ask(command)
        assert kinds(decided) == ["Freed"]
        assert list_dismissed_users(before, decided.table) == set(), (
            "until the match begins the table knows whom it has called"
        )
        assert refused(sitting, command) in ("NOT_KEPT_FOR_YOU", "JOIN_FIRST")
        before = sitting.state
        assert GRACE in list_dismissed_users(before, sitting.ask(Join(NEMO)).table)
        assert sitting.state.state == "open"


def test_reserved_seat_opens_after_day_and_lobby_stays_another():
    sitting = waiting(GRACE)
    assert sitting.due == Due(at=START + RESERVATION_SPAN, kind="unkeep")
    assert kinds(sitting.wait(RESERVATION_SPAN)) == ["Freed"]
    assert sitting.due == Due(at=START + RESERVATION_SPAN + LOBBY_SPAN, kind="expire")
    sitting.ask(Join(NEMO))
    assert sitting.state.state == "open"


def test_expired_reserved_seat_is_free_before_scheduler_runs():
    sitting = waiting(GRACE, seats=3)
    sitting.now += RESERVATION_SPAN
    assert kinds(sitting.ask(Join(NEMO))) == ["Freed", "Joined"]
    assert refused(sitting, DeclineSeat(GRACE)) == "NOT_KEPT_FOR_YOU"
    sitting.ask(Join(GRACE))
    assert sitting.state.state == "open"


def test_player_is_mentioned_once_however_often_seat_is_reserved():
    sitting = waiting(GRACE)
    assert said(sitting.ask(OpenReservedSeats(ADA))) == [("answered", {})]
    for _ in range(MAX_INVITATIONS - 1):
        again = sitting.ask(ReserveSeats(ADA, (GRACE,)))
        assert (kinds(again), said(again)) == (["Kept"], [])
        sitting.ask(RemovePlayer(ADA, GRACE))
    assert refused(sitting, ReserveSeats(ADA, (GRACE,))) == "NAMED_ENOUGH"
    assert refused(sitting, ReserveSeats(ADA, (LINUS,))) == "NAMED_ENOUGH"


def test_invited_players_are_mentioned_in_one_post():
    sitting = waiting(seats=5)
    decided = sitting.ask(ReserveSeats(ADA, (GRACE, LINUS, GRACE)))
    assert said(decided) == [("invitation", {"users": [GRACE, LINUS]})]
    assert said(sitting.ask(ReserveSeats(ADA, (LINUS, NEMO)))) == [("invitation", {"users": [NEMO]})]
    assert sitting.ask(ReserveSeats(ADA, (NEMO,))).events == ()


def test_seats_can_be_reserved_only_on_first_day():
    sitting = waiting(GRACE)
    sitting.now += LOBBY_SPAN - 1
    sitting.ask(OpenReservedSeats(ADA))
    sitting.ask(ReserveSeats(ADA, (GRACE,)))
    sitting.now += 1
    sitting.ask(OpenReservedSeats(ADA))
    assert refused(sitting, ReserveSeats(ADA, (LINUS,))) == "TOO_LATE_TO_KEEP"
    assert sitting.due.at <= START + 3 * LOBBY_SPAN


def test_only_host_decides_and_only_about_present_players():
    sitting = opened(GRACE, seats=4)
    for command in (
        ReserveSeats(GRACE, (LINUS,)),
        OpenReservedSeats(GRACE),
        RemovePlayer(GRACE, ADA),
        ChangeTerms(GRACE, lambda before: before),
        CloseTable(GRACE),
        CloseTable(NEMO),
    ):
        assert refused(sitting, command) == "HOST_DECIDES"
    assert refused(sitting, ReserveSeats(ADA, (GRACE,))) == "SITS_HERE"
    assert refused(sitting, ReserveSeats(ADA, (LINUS, MARY, NEMO))) == "NO_ROOM_TO_KEEP"
    assert refused(sitting, OpenReservedSeats(ADA)) == "NOTHING_KEPT"
    assert refused(sitting, RemovePlayer(ADA, ADA)) == "NOT_AT_TABLE"
    assert refused(sitting, RemovePlayer(ADA, NEMO)) == "NOT_AT_TABLE"
    assert refused(sitting, RemovePlayer(ADA, None)) == "NO_COMPUTER_HERE"


def test_removed_player_cannot_rejoin_until_host_reserves_seat():
    sitting = opened(GRACE, LINUS, seats=4)
    sitting.ask(AddComputer(ADA))
    assert sitting.state.state == "open"
    sitting = opened(GRACE, LINUS, seats=5)
    sitting.ask(AddComputer(ADA))
    sitting.ask(RemovePlayer(ADA, GRACE))
    assert [row.user_id for row in sitting.state.seats] == [ADA, LINUS, None]
    assert refused(sitting, Join(GRACE)) == "REMOVED"
    sitting.ask(RemovePlayer(ADA, None))
    assert sitting.state.seated_users == {ADA, LINUS}
    assert len(sitting.state.seats) == 2
    sitting.ask(ReserveSeats(ADA, (GRACE,)))
    sitting.ask(Join(GRACE))
    assert sitting.state.seated_users == {ADA, LINUS, GRACE}


def test_host_may_close_table_and_then_it_is_over():
    sitting = opened(GRACE, seats=4)
    before = sitting.state
    assert kinds(sitting.ask(CloseTable(ADA))) == ["Closed"]
    assert (sitting.state.state, sitting.state.close_reason, sitting.due) == ("void", "host", None)
    assert list_dismissed_users(before, sitting.state) == set()
    assert refused(sitting, CloseTable(ADA)) == "CLOSED"


def test_changed_terms_must_be_seen_and_do_not_start_match():
    sitting = opened(GRACE, seats=3)
    seen = sitting.state.revised_seq
    sitting.ask(ChangeTerms(ADA, lambda before: replace(before, clock="live 1m", seats=4)))
    assert sitting.state.previous_terms == sitting.terms
    assert refused(sitting, Join(LINUS, seen)) == "TERMS_CHANGED"
    sitting.ask(Join(LINUS, sitting.state.revised_seq))
    assert refused(sitting, ChangeTerms(ADA, lambda before: replace(before, seats=2))) == "TOO_FEW_SEATS"
    sitting.ask(ChangeTerms(ADA, lambda before: replace(before, seats=3)))
    assert sitting.state.state == "lobby"
    assert refused(sitting, Join(NEMO)) == "TABLE_FULL"
    sitting.ask(StartMatch(ADA))
    assert sitting.state.terms.clock == "live 1m"


def test_seat_of_forgotten_player_is_free_and_lobby_still_ends():
    sitting = waiting(GRACE)
    unlinked = [
        LogEntry(rename_users(entry.event, lambda one: None if one == GRACE else one), entry.at)
        for entry in sitting.entries
    ]
    table, event_log = replay([*unlinked, LogEntry(Forgotten(), sitting.now)])
    assert table.guests.reserved_until == {}
    after = Sitting(sitting.terms, table=table, event_log=event_log, replay_loaded=(table, event_log), due=sitting.due)
    after.now = after.due.at
    assert kinds(after.ask(RunDue(after.due))) == ["Rearmed"]
    assert after.due == Due(at=START + RESERVATION_SPAN + LOBBY_SPAN, kind="expire")
    assert kinds(after.wait(LOBBY_SPAN)) == ["Closed"]


def test_player_who_ignored_invitation_gets_seat_without_mention():
    sitting = waiting(seats=3)
    given = replace(sitting.given(), uninvited=frozenset({GRACE}))
    sitting.given = lambda: given  # type: ignore[method-assign]
    decided = sitting.ask(ReserveSeats(ADA, (GRACE, LINUS)))
    assert decided.events == (Kept((LINUS,), START + RESERVATION_SPAN), Kept((GRACE,), START + RESERVATION_SPAN, False))
    assert said(decided) == [("invitation", {"users": [LINUS]})]
