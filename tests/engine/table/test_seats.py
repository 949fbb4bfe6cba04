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
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, NEMO, START, Sitting, circled, opened, refused, terms

THREE, FOUR, NEWCOMER = 3, 4, 777


def people(sitting: Sitting, upto: int | None = None) -> list[int | None]:
    table, _ = replay(sitting.entries[:upto])
    return [row.user_id for row in table.seats]


def test_log_gives_seating_at_any_past_move():
    sitting = Sitting(terms(clock="relaxed"))
    sitting.ask(OpenTable(sitting.terms, THREE))
    sitting.ask(Join(FOUR))
    while sitting.match.round == 1:
        sitting.move()
    ended = next(n for n, entry in enumerate(sitting.entries, 1) if isinstance(entry.event, RoundEnded))
    question = sitting.ask(AskPlayers(THREE, "substitute", NEWCOMER)).table.question
    sitting.now += 1
    sitting.ask(AnswerQuestion(NEWCOMER, question.number, yes=True))
    assert people(sitting) == [NEWCOMER, FOUR]
    assert people(sitting, ended) == [THREE, FOUR]
    assert people(sitting, 1) == [THREE]
    assert sitting.state.host == NEWCOMER
    assert sitting.state.seats[0].joined_at == START + 1
    then, event_log = replay(sitting.entries[:ended])
    assert (then.host, then.seq, event_log.match.round) == (THREE, ended, 1)


def test_leaving_closes_seat_gap_and_passes_host_role():
    sitting = opened(GRACE, LINUS, seats=5)
    sitting.ask(AddComputer(GRACE))
    sitting.ask(LeaveTable(ADA))
    assert [(row.seat, row.user_id, row.computer) for row in sitting.state.seats] == [
        (0, GRACE, None),
        (1, LINUS, None),
        (2, None, "greedy"),
    ]
    assert sitting.state.host == GRACE
    assert sitting.due == Due(at=START + LOBBY_SPAN, kind="expire")
    assert refused(sitting, StartMatch(LINUS)) == "NOT_HOST"
    started = sitting.ask(StartMatch(GRACE))
    assert sitting.match.active == [0, 1, 2]
    assert any(isinstance(event, Started) and event.computers == (2,) for event in started.events)


def test_only_host_seats_program_and_table_becomes_unrated():
    sitting = opened(GRACE, seats=5)
    assert refused(sitting, AddComputer(GRACE, "program:mine")) == "HOST_DECIDES"
    assert refused(sitting, AddComputer(ADA, "program:")) == "NO_SUCH_LEVEL"
    assert sitting.state.is_rated
    sitting.ask(AddComputer(ADA, "program:mine"))
    assert (sitting.state.programs, sitting.state.terms.rated, sitting.state.is_rated) == ({2: "mine"}, True, False)
    sitting.ask(RemovePlayer(ADA, None, "program:mine"))
    assert sitting.state.is_rated


def test_program_is_replaced_only_after_its_own_faults():
    sitting = opened(seats=2)
    sitting.ask(AddComputer(ADA, "program:mine"))
    for why, moves, faults in (("busy", 1, 0), ("late", 2, 1), ("removed", 3, 1), ("gone", 4, 2), ("nonsense", 5, 3)):
        while sitting.turn and sitting.turn.user == ADA:
            move = greedy.choose(view_for(sitting.match, 0), Random(1))
            sitting.ask(TakeAction(ADA, lambda _, move=move: move))
        assert not sitting.state.get_stumbles(1).is_excluded
        sitting.ask(TakeComputerAction(greedy.choose(view_for(sitting.match, 1), Random(1)), sitting.state.seq, why))
        assert sitting.state.get_stumbles(1) == StumbleCount(moves, faults)
        assert sitting.entries[-1].event != Stumbled(1, why), "what it was to do was done"
    assert sitting.state.get_stumbles(1).is_excluded


def test_table_commands_are_refused_in_wrong_state():
    sitting = opened(GRACE, seats=2)
    assert refused(sitting, Join(GRACE)) == "ALREADY_SEATED"
    assert refused(sitting, Join(NEMO)) == "TABLE_FULL"
    assert refused(sitting, AddComputer(NEMO)) == "ALREADY_STARTED"
    assert refused(sitting, LeaveTable(GRACE)) == "LEAVE_MEANS_RESIGN"
    assert refused(sitting, LeaveTable(NEMO)) == "NOT_SEATED"
    assert refused(sitting, MoveTable(NEMO, 1)) == "NOT_SEATED"
    lobby = opened(seats=2)
    assert refused(lobby, AddComputer(NEMO)) == "JOIN_FIRST"
    assert refused(lobby, LeaveTable(NEMO)) == "JOIN_FIRST"
    assert refused(lobby, StartMatch(ADA)) == "ALONE"
    assert refused(lobby, AskPlayers(ADA, "abort")) == "NOT_STARTED"
    lobby.ask(LeaveTable(ADA))
    for command in (Join(NEMO), AddComputer(ADA), LeaveTable(ADA), StartMatch(ADA), AskPlayers(ADA, "abort")):
        assert refused(lobby, command) == "CLOSED"


def test_forgotten_player_resigns_or_leaves_lobby():
    sitting = opened(GRACE, LINUS)
    seat = sitting.match.turn
    sitting.ask(LeaveTable(sitting.mover, deletes_data=True))
    assert seat not in sitting.match.active
    assert sitting.ask(LeaveTable(NEMO, deletes_data=True)).events == ()
    lobby = opened(seats=2)
    lobby.ask(LeaveTable(ADA, deletes_data=True))
    assert lobby.state.close_reason == "empty"
    assert lobby.ask(LeaveTable(ADA, deletes_data=True)).events == ()


def gone_by(sitting: Sitting, command: Command) -> set[int]:
    before = sitting.state
    return list_dismissed_users(before, sitting.ask(command).table)


def asked(sitting: Sitting, person: int, by: int = ADA, owner: int | None = None) -> int:
    assert gone_by(sitting, AskPlayers(by, "substitute", person, owner)) == set()
    return sitting.state.question.number


def test_player_who_leaves_before_match_is_unlinked():
    sitting = opened(GRACE, LINUS, seats=4)
    assert gone_by(sitting, LeaveTable(GRACE)) == {GRACE}
    assert gone_by(sitting, Join(GRACE)) == set()
    assert gone_by(sitting, LeaveTable(ADA)) == {ADA}
    assert sitting.state.host == LINUS
    assert gone_by(sitting, AddComputer(LINUS)) == set()
    assert gone_by(sitting, StartMatch(LINUS)) == set()
    assert sitting.state.permanent_users == {LINUS, GRACE}


def test_last_player_to_leave_stays_linked_to_closed_table():
    sitting = opened(seats=2)
    assert gone_by(sitting, LeaveTable(ADA)) == set()
    assert sitting.state.close_reason == "empty"


def test_player_who_declines_seat_is_unlinked():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    assert gone_by(sitting, AnswerQuestion(NEMO, number, yes=False)) == {NEMO}


def test_player_whose_seat_question_lapses_is_unlinked():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    sitting.now += QUESTION_SPAN
    assert gone_by(sitting, ExpireQuestion(number)) == {NEMO}
    asked(sitting, NEMO)
    before = sitting.state
    assert list_dismissed_users(before, sitting.move().table) == {NEMO}
    asked(sitting, NEMO)
    assert gone_by(sitting, Moderate("stop", MARY, "")) == {NEMO}


def test_player_is_unlinked_when_another_substitute_is_asked():
    sitting = circled(GRACE)
    asked(sitting, NEMO)
    sitting.now += QUESTION_SPAN
    assert gone_by(sitting, AskPlayers(ADA, "substitute", LINUS)) == {NEMO}


def test_replaced_player_who_has_played_stays_linked():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    assert gone_by(sitting, AnswerQuestion(NEMO, number, yes=True)) == set()
    assert [row.user_id for row in sitting.state.seats] == [NEMO, GRACE]
    assert sitting.state.permanent_users == {ADA, GRACE, NEMO}
    number = asked(sitting, ADA, by=GRACE)
    assert gone_by(sitting, AnswerQuestion(ADA, number, yes=False)) == set()


def test_moderator_who_declines_seat_stays_linked_by_decisions():
    sitting = circled(GRACE)
    sitting.ask(Moderate("pause", MARY, ""))
    sitting.ask(Moderate("resume", MARY, ""))
    number = asked(sitting, MARY)
    assert gone_by(sitting, AnswerQuestion(MARY, number, yes=False)) == set()


def test_moderator_who_stops_match_while_asked_stays_linked():
    sitting = circled(GRACE)
    asked(sitting, MARY)
    assert gone_by(sitting, Moderate("stop", MARY, "")) == set()
    assert sitting.state.permanent_users == {ADA, GRACE, MARY}


def test_users_in_event_can_be_listed_and_renamed():
    sitting = circled(GRACE, LINUS)
    number = asked(sitting, NEMO)
    sitting.ask(AnswerQuestion(NEMO, number, yes=True))
    sitting.ask(Moderate("skip", MARY, ""))
    assert [person for entry in sitting.entries for person in list_event_users(entry.event)] == [
        *(ADA, ADA),  # the host, on the first seat
        *(GRACE, LINUS),
        *(NEMO, NEMO),  # asked, and sitting down
        MARY,
    ]
    for entry in sitting.entries:
        assert (
            rename_users(rename_users(entry.event, lambda one: one and one + 100), lambda one: one and one - 100)
            == entry.event
        )
        assert list_event_users(rename_users(entry.event, lambda _: None)) == []
