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
    SimulatedTable,
    build_terms,
    expect_refusal,
    list_event_names,
    list_posts,
    open_table,
)


def open_reserved_lobby(*guests: int, seats: int = 2) -> SimulatedTable:
    sim = SimulatedTable(build_terms(seats=seats))
    sim.execute(OpenTable(sim.terms, ADA, guests=guests))
    return sim


def test_only_invited_player_takes_reserved_seat_and_last_starts_match():
    sim = open_reserved_lobby(GRACE)
    assert expect_refusal(sim, Join(NEMO)) == "SEATS_KEPT"
    assert expect_refusal(sim, AddComputer(ADA)) == "SEATS_KEPT"
    assert expect_refusal(sim, StartMatch(ADA)) == "SEATS_WAITED_FOR"
    sim.execute(Join(GRACE))
    assert (sim.state.state, sim.state.seated_users) == ("open", {ADA, GRACE})
    assert sim.state.guests == open_reserved_lobby().state.guests, "nothing is left of the invitation"


def test_seats_that_are_not_reserved_are_open_to_all():
    sim = open_reserved_lobby(GRACE, seats=3)
    sim.execute(Join(NEMO))
    assert expect_refusal(sim, Join(LINUS)) == "SEATS_KEPT"
    sim.execute(Join(GRACE))
    assert sim.state.seated_users == {ADA, NEMO, GRACE}


def test_declining_invitation_frees_reserved_seat_either_way():
    for command in (DeclineSeat(GRACE), LeaveTable(GRACE)):
        sim = open_reserved_lobby(GRACE)
        before = sim.state
        decided = sim.execute(command)
        assert list_event_names(decided) == ["Freed"]
        assert list_dismissed_users(before, decided.table) == set(), (
            "until the match begins the table knows whom it has called"
        )
        assert expect_refusal(sim, command) in ("NOT_KEPT_FOR_YOU", "JOIN_FIRST")
        before = sim.state
        assert GRACE in list_dismissed_users(before, sim.execute(Join(NEMO)).table)
        assert sim.state.state == "open"


def test_reserved_seat_opens_after_day_and_lobby_stays_another():
    sim = open_reserved_lobby(GRACE)
    assert sim.due == Due(at=START + RESERVATION_SPAN, kind="unkeep")
    assert list_event_names(sim.wait(RESERVATION_SPAN)) == ["Freed"]
    assert sim.due == Due(at=START + RESERVATION_SPAN + LOBBY_SPAN, kind="expire")
    sim.execute(Join(NEMO))
    assert sim.state.state == "open"


def test_expired_reserved_seat_is_free_before_scheduler_runs():
    sim = open_reserved_lobby(GRACE, seats=3)
    sim.now += RESERVATION_SPAN
    assert list_event_names(sim.execute(Join(NEMO))) == ["Freed", "Joined"]
    assert expect_refusal(sim, DeclineSeat(GRACE)) == "NOT_KEPT_FOR_YOU"
    sim.execute(Join(GRACE))
    assert sim.state.state == "open"


def test_player_is_mentioned_once_however_often_seat_is_reserved():
    sim = open_reserved_lobby(GRACE)
    assert list_posts(sim.execute(OpenReservedSeats(ADA))) == [("answered", {})]
    for _ in range(MAX_INVITATIONS - 1):
        decided = sim.execute(ReserveSeats(ADA, (GRACE,)))
        assert (list_event_names(decided), list_posts(decided)) == (["Kept"], [])
        sim.execute(RemovePlayer(ADA, GRACE))
    assert expect_refusal(sim, ReserveSeats(ADA, (GRACE,))) == "NAMED_ENOUGH"
    assert expect_refusal(sim, ReserveSeats(ADA, (LINUS,))) == "NAMED_ENOUGH"


def test_invited_players_are_mentioned_in_one_post():
    sim = open_reserved_lobby(seats=5)
    decided = sim.execute(ReserveSeats(ADA, (GRACE, LINUS, GRACE)))
    assert list_posts(decided) == [("invitation", {"users": [GRACE, LINUS]})]
    assert list_posts(sim.execute(ReserveSeats(ADA, (LINUS, NEMO)))) == [("invitation", {"users": [NEMO]})]
    assert sim.execute(ReserveSeats(ADA, (NEMO,))).events == ()


def test_seats_can_be_reserved_only_on_first_day():
    sim = open_reserved_lobby(GRACE)
    sim.now += LOBBY_SPAN - 1
    sim.execute(OpenReservedSeats(ADA))
    sim.execute(ReserveSeats(ADA, (GRACE,)))
    sim.now += 1
    sim.execute(OpenReservedSeats(ADA))
    assert expect_refusal(sim, ReserveSeats(ADA, (LINUS,))) == "TOO_LATE_TO_KEEP"
    assert sim.due.at <= START + 3 * LOBBY_SPAN


def test_only_host_decides_and_only_about_present_players():
    sim = open_table(GRACE, seats=4)
    for command in (
        ReserveSeats(GRACE, (LINUS,)),
        OpenReservedSeats(GRACE),
        RemovePlayer(GRACE, ADA),
        ChangeTerms(GRACE, lambda before: before),
        CloseTable(GRACE),
        CloseTable(NEMO),
    ):
        assert expect_refusal(sim, command) == "HOST_DECIDES"
    assert expect_refusal(sim, ReserveSeats(ADA, (GRACE,))) == "SITS_HERE"
    assert expect_refusal(sim, ReserveSeats(ADA, (LINUS, MARY, NEMO))) == "NO_ROOM_TO_KEEP"
    assert expect_refusal(sim, OpenReservedSeats(ADA)) == "NOTHING_KEPT"
    assert expect_refusal(sim, RemovePlayer(ADA, ADA)) == "NOT_AT_TABLE"
    assert expect_refusal(sim, RemovePlayer(ADA, NEMO)) == "NOT_AT_TABLE"
    assert expect_refusal(sim, RemovePlayer(ADA, None)) == "NO_COMPUTER_HERE"


def test_removed_player_cannot_rejoin_until_host_reserves_seat():
    sim = open_table(GRACE, LINUS, seats=4)
    sim.execute(AddComputer(ADA))
    assert sim.state.state == "open"
    sim = open_table(GRACE, LINUS, seats=5)
    sim.execute(AddComputer(ADA))
    sim.execute(RemovePlayer(ADA, GRACE))
    assert [row.user_id for row in sim.state.seats] == [ADA, LINUS, None]
    assert expect_refusal(sim, Join(GRACE)) == "REMOVED"
    sim.execute(RemovePlayer(ADA, None))
    assert sim.state.seated_users == {ADA, LINUS}
    assert len(sim.state.seats) == 2
    sim.execute(ReserveSeats(ADA, (GRACE,)))
    sim.execute(Join(GRACE))
    assert sim.state.seated_users == {ADA, LINUS, GRACE}


def test_host_may_close_table_and_then_it_is_over():
    sim = open_table(GRACE, seats=4)
    before = sim.state
    assert list_event_names(sim.execute(CloseTable(ADA))) == ["Closed"]
    assert (sim.state.state, sim.state.close_reason, sim.due) == ("void", "host", None)
    assert list_dismissed_users(before, sim.state) == set()
    assert expect_refusal(sim, CloseTable(ADA)) == "CLOSED"


def test_changed_terms_must_be_seen_and_do_not_start_match():
    sim = open_table(GRACE, seats=3)
    seen_seq = sim.state.revised_seq
    sim.execute(ChangeTerms(ADA, lambda before: replace(before, clock="live 1m", seats=4)))
    assert sim.state.previous_terms == sim.terms
    assert expect_refusal(sim, Join(LINUS, seen_seq)) == "TERMS_CHANGED"
    sim.execute(Join(LINUS, sim.state.revised_seq))
    assert expect_refusal(sim, ChangeTerms(ADA, lambda before: replace(before, seats=2))) == "TOO_FEW_SEATS"
    sim.execute(ChangeTerms(ADA, lambda before: replace(before, seats=3)))
    assert sim.state.state == "lobby"
    assert expect_refusal(sim, Join(NEMO)) == "TABLE_FULL"
    sim.execute(StartMatch(ADA))
    assert sim.state.terms.clock == "live 1m"


def test_seat_of_forgotten_player_is_free_and_lobby_still_ends():
    sim = open_reserved_lobby(GRACE)
    unlinked = [
        LogEntry(rename_users(entry.event, lambda one: None if one == GRACE else one), entry.at)
        for entry in sim.entries
    ]
    table, event_log = replay([*unlinked, LogEntry(Forgotten(), sim.now)])
    assert table.guests.reserved_until == {}
    reloaded = SimulatedTable(
        sim.terms, table=table, event_log=event_log, replayed_state=(table, event_log), due=sim.due
    )
    reloaded.now = reloaded.due.at
    assert list_event_names(reloaded.execute(RunDue(reloaded.due))) == ["Rearmed"]
    assert reloaded.due == Due(at=START + RESERVATION_SPAN + LOBBY_SPAN, kind="expire")
    assert list_event_names(reloaded.wait(LOBBY_SPAN)) == ["Closed"]


def test_player_who_ignored_invitation_gets_seat_without_mention():
    sim = open_reserved_lobby(seats=3)
    context = replace(sim.build_context(), uninvited=frozenset({GRACE}))
    sim.build_context = lambda: context  # type: ignore[method-assign]
    decided = sim.execute(ReserveSeats(ADA, (GRACE, LINUS)))
    assert decided.events == (Kept((LINUS,), START + RESERVATION_SPAN), Kept((GRACE,), START + RESERVATION_SPAN, False))
    assert list_posts(decided) == [("invitation", {"users": [LINUS]})]
