"""Seats at any past move, and the users that the log of a table still names."""

from random import Random

from engine.match.events import RoundEnded, Started
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import (
    AddComputer,
    AnswerQuestion,
    AskPlayers,
    Command,
    ExpireQuestion,
    Join,
    LeaveTable,
    Moderate,
    MoveTable,
    OpenTable,
    RemovePlayer,
    StartMatch,
    TakeAction,
    TakeComputerAction,
)
from engine.table.evolve import replay
from engine.table.people import list_dismissed_users, list_event_users, rename_users
from engine.table.questions import QUESTION_SPAN
from engine.table.table_events import Stumbled
from engine.table.table_state import LOBBY_SPAN, Due, StumbleCount
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
    while sim.match.round == 1:
        sim.play_turn()
    ended = next(n for n, entry in enumerate(sim.entries, 1) if isinstance(entry.event, RoundEnded))
    question = sim.execute(AskPlayers(THREE, "substitute", NEWCOMER)).table.question
    sim.now += 1
    sim.execute(AnswerQuestion(NEWCOMER, question.number, yes=True))
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
    assert [(row.seat, row.user_id, row.computer) for row in sim.state.seats] == [
        (0, GRACE, None),
        (1, LINUS, None),
        (2, None, "greedy"),
    ]
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
    number = ask_substitute(sim, NEMO)
    sim.execute(AnswerQuestion(NEMO, number, yes=True))
    sim.execute(Moderate("skip", MARY, ""))
    assert [person for entry in sim.entries for person in list_event_users(entry.event)] == [
        *(ADA, ADA),  # the host, on the first seat
        *(GRACE, LINUS),
        *(NEMO, NEMO),  # asked, and sitting down
        MARY,
    ]
    for entry in sim.entries:
        assert (
            rename_users(rename_users(entry.event, lambda one: one and one + 100), lambda one: one and one - 100)
            == entry.event
        )
        assert list_event_users(rename_users(entry.event, lambda _: None)) == []
