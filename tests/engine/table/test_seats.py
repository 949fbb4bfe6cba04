"""Seats: reserved ones, those at any past move, and the users that the log of a table still names."""

from dataclasses import replace
from random import Random

from engine.match.events import RoundEnded, Started
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import (
    AddComputer,
    AnswerQuestion,
    AskPlayers,
    ChangeTerms,
    CloseTable,
    Command,
    DeclineSeat,
    ExpireQuestion,
    Join,
    LeaveTable,
    Moderate,
    MoveTable,
    OpenReservedSeats,
    OpenTable,
    RemovePlayer,
    ReserveSeats,
    RunDue,
    StartMatch,
    TakeAction,
    TakeComputerAction,
)
from engine.table.evolve import LogEntry, replay
from engine.table.hosting import MAX_INVITATIONS, RESERVATION_SPAN
from engine.table.people import list_dismissed_users, list_event_users, rename_users
from engine.table.questions import QUESTION_SPAN
from engine.table.table_events import Forgotten, Kept, Stumbled
from engine.table.table_state import LOBBY_SPAN, Due, StumbleCount
from tests.engine.table.simulated_table import (
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
    open_played_table,
    open_table,
)

THREE, FOUR, NEWCOMER = 3, 4, 777


def list_users(sim: SimulatedTable, event_count: int | None = None) -> list[int | None]:
    table, _ = replay(sim.entries[:event_count])
    return [row.user_id for row in table.seats]


def test_log_gives_seating_at_any_past_move():
    sim = SimulatedTable(build_terms(clock="relaxed"))
    sim.execute(OpenTable(sim.terms, THREE))
    sim.execute(Join(FOUR))
    sim.play_until(lambda: sim.match.round > 1)
    ended = next(n for n, entry in enumerate(sim.entries, 1) if isinstance(entry.event, RoundEnded))
    sim.ask(THREE, "substitute", NEWCOMER)
    sim.now += 1
    sim.answer(NEWCOMER)
    assert list_users(sim) == [NEWCOMER, FOUR]
    assert list_users(sim, ended) == [THREE, FOUR]
    assert list_users(sim, 1) == [THREE]
    assert sim.state.host == NEWCOMER
    assert sim.state.seats[0].joined_at == START + 1
    past_table, event_log = replay(sim.entries[:ended])
    assert (past_table.host, past_table.seq, event_log.match.round) == (THREE, ended, 1)


def test_leaving_closes_seat_gap_and_passes_host_role():
    sim = open_table(GRACE, LINUS, seats=5)
    sim.execute(AddComputer(GRACE))
    sim.execute(LeaveTable(ADA))
    rows = [(row.seat, row.user_id, row.computer) for row in sim.state.seats]
    assert rows == [(0, GRACE, None), (1, LINUS, None), (2, None, "greedy")]
    assert sim.state.host == GRACE
    assert sim.due == Due(at=START + LOBBY_SPAN, kind="expire")
    assert expect_refusal(sim, StartMatch(LINUS)) == "NOT_HOST"
    started = sim.execute(StartMatch(GRACE))
    assert sim.match.active == [0, 1, 2]
    assert any(isinstance(event, Started) and event.computers == (2,) for event in started.events)


def test_only_host_seats_program_and_table_becomes_unrated():
    sim = open_table(GRACE, seats=5)
    assert expect_refusal(sim, AddComputer(GRACE, "program:mine")) == "HOST_DECIDES"
    assert expect_refusal(sim, AddComputer(ADA, "program:")) == "NO_SUCH_LEVEL"
    assert sim.state.is_rated
    sim.execute(AddComputer(ADA, "program:mine"))
    assert (sim.state.programs, sim.state.terms.rated, sim.state.is_rated) == ({2: "mine"}, True, False)
    sim.execute(RemovePlayer(ADA, None, "program:mine"))
    assert sim.state.is_rated


def test_program_is_replaced_only_after_its_own_faults():
    sim = open_table(seats=2)
    sim.execute(AddComputer(ADA, "program:mine"))
    for why, moves, faults in (("busy", 1, 0), ("late", 2, 1), ("removed", 3, 1), ("gone", 4, 2), ("nonsense", 5, 3)):
        while sim.turn and sim.turn.user == ADA:
            move = greedy.choose(view_for(sim.match, 0), Random(1))
            sim.execute(TakeAction(ADA, lambda _, move=move: move))
        assert not sim.state.get_stumbles(1).is_excluded
        sim.execute(TakeComputerAction(greedy.choose(view_for(sim.match, 1), Random(1)), sim.state.seq, why))
        assert sim.state.get_stumbles(1) == StumbleCount(moves, faults)
        assert sim.entries[-1].event != Stumbled(1, why), "what it was to do was done"
    assert sim.state.get_stumbles(1).is_excluded


def test_table_commands_are_refused_in_wrong_state():
    sim = open_table(GRACE, seats=2)
    assert expect_refusal(sim, Join(GRACE)) == "ALREADY_SEATED"
    assert expect_refusal(sim, Join(NEMO)) == "TABLE_FULL"
    assert expect_refusal(sim, AddComputer(NEMO)) == "ALREADY_STARTED"
    assert expect_refusal(sim, LeaveTable(GRACE)) == "LEAVE_MEANS_RESIGN"
    assert expect_refusal(sim, LeaveTable(NEMO)) == "NOT_SEATED"
    assert expect_refusal(sim, MoveTable(NEMO, 1)) == "NOT_SEATED"
    lobby = open_table(seats=2)
    assert expect_refusal(lobby, AddComputer(NEMO)) == "JOIN_FIRST"
    assert expect_refusal(lobby, LeaveTable(NEMO)) == "JOIN_FIRST"
    assert expect_refusal(lobby, StartMatch(ADA)) == "ALONE"
    assert expect_refusal(lobby, AskPlayers(ADA, "abort")) == "NOT_STARTED"
    lobby.execute(LeaveTable(ADA))
    for command in (Join(NEMO), AddComputer(ADA), LeaveTable(ADA), StartMatch(ADA), AskPlayers(ADA, "abort")):
        assert expect_refusal(lobby, command) == "CLOSED"


def test_forgotten_player_resigns_or_leaves_lobby():
    sim = open_table(GRACE, LINUS)
    seat = sim.match.turn
    sim.execute(LeaveTable(sim.current_user, deletes_data=True))
    assert seat not in sim.match.active
    assert sim.execute(LeaveTable(NEMO, deletes_data=True)).events == ()
    lobby = open_table(seats=2)
    lobby.execute(LeaveTable(ADA, deletes_data=True))
    assert lobby.state.close_reason == "empty"
    assert lobby.execute(LeaveTable(ADA, deletes_data=True)).events == ()


def run_and_list_dismissed(sim: SimulatedTable, command: Command) -> set[int]:
    before = sim.state
    return list_dismissed_users(before, sim.execute(command).table)


def ask_substitute(sim: SimulatedTable, user: int, by: int = ADA, owner: int | None = None) -> int:
    assert run_and_list_dismissed(sim, AskPlayers(by, "substitute", user, owner)) == set()
    return sim.state.question.number


def test_player_who_leaves_before_match_is_unlinked():
    sim = open_table(GRACE, LINUS, seats=4)
    assert run_and_list_dismissed(sim, LeaveTable(GRACE)) == {GRACE}
    assert run_and_list_dismissed(sim, Join(GRACE)) == set()
    assert run_and_list_dismissed(sim, LeaveTable(ADA)) == {ADA}
    assert sim.state.host == LINUS
    assert run_and_list_dismissed(sim, AddComputer(LINUS)) == set()
    assert run_and_list_dismissed(sim, StartMatch(LINUS)) == set()
    assert sim.state.permanent_users == {LINUS, GRACE}


def test_last_player_to_leave_stays_linked_to_closed_table():
    sim = open_table(seats=2)
    assert run_and_list_dismissed(sim, LeaveTable(ADA)) == set()
    assert sim.state.close_reason == "empty"


def test_player_who_declines_seat_is_unlinked():
    sim = open_played_table(GRACE)
    number = ask_substitute(sim, NEMO)
    assert run_and_list_dismissed(sim, AnswerQuestion(NEMO, number, yes=False)) == {NEMO}


def test_player_whose_seat_question_lapses_is_unlinked():
    sim = open_played_table(GRACE)
    number = ask_substitute(sim, NEMO)
    sim.now += QUESTION_SPAN
    assert run_and_list_dismissed(sim, ExpireQuestion(number)) == {NEMO}
    ask_substitute(sim, NEMO)
    before = sim.state
    assert list_dismissed_users(before, sim.play_turn().table) == {NEMO}
    ask_substitute(sim, NEMO)
    assert run_and_list_dismissed(sim, Moderate("stop", MARY, "")) == {NEMO}


def test_player_is_unlinked_when_another_substitute_is_asked():
    sim = open_played_table(GRACE)
    ask_substitute(sim, NEMO)
    sim.now += QUESTION_SPAN
    assert run_and_list_dismissed(sim, AskPlayers(ADA, "substitute", LINUS)) == {NEMO}


def test_replaced_player_who_has_played_stays_linked():
    sim = open_played_table(GRACE)
    number = ask_substitute(sim, NEMO)
    assert run_and_list_dismissed(sim, AnswerQuestion(NEMO, number, yes=True)) == set()
    assert [row.user_id for row in sim.state.seats] == [NEMO, GRACE]
    assert sim.state.permanent_users == {ADA, GRACE, NEMO}
    number = ask_substitute(sim, ADA, by=GRACE)
    assert run_and_list_dismissed(sim, AnswerQuestion(ADA, number, yes=False)) == set()


def test_moderator_who_declines_seat_stays_linked_by_decisions():
    sim = open_played_table(GRACE)
    sim.execute(Moderate("pause", MARY, ""))
    sim.execute(Moderate("resume", MARY, ""))
    number = ask_substitute(sim, MARY)
    assert run_and_list_dismissed(sim, AnswerQuestion(MARY, number, yes=False)) == set()


def test_moderator_who_stops_match_while_asked_stays_linked():
    sim = open_played_table(GRACE)
    ask_substitute(sim, MARY)
    assert run_and_list_dismissed(sim, Moderate("stop", MARY, "")) == set()
    assert sim.state.permanent_users == {ADA, GRACE, MARY}


def test_users_in_event_can_be_listed_and_renamed():
    sim = open_played_table(GRACE, LINUS)
    sim.ask(ADA, "substitute", NEMO)
    sim.answer(NEMO)
    sim.execute(Moderate("skip", MARY, ""))
    assert [person for entry in sim.entries for person in list_event_users(entry.event)] == [
        *(ADA, ADA),  # the host, on the first seat
        *(GRACE, LINUS),
        *(NEMO, NEMO),  # was invited and joins
        MARY,
    ]
    for entry in sim.entries:
        renamed = rename_users(entry.event, lambda one: one and one + 100)
        assert rename_users(renamed, lambda one: one and one - 100) == entry.event
        assert list_event_users(rename_users(entry.event, lambda _: None)) == []


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
