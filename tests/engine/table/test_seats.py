"""Seats at any past move, and the users that the log of a table still names."""

from random import Random

from engine.match.events import RoundEnded, Started
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import (
    Act,
    ActFor,
    AddComputer,
    Answer,
    Ask,
    Command,
    Join,
    Lapse,
    Leave,
    MoveTable,
    Open,
    Remove,
    Rule,
    Start,
)
from engine.table.evolve import replay
from engine.table.people import dismissed, people_in, renamed
from engine.table.questions import LASTS
from engine.table.table_events import Stumbled
from engine.table.table_state import EXPIRES, Due, Stumbles
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, NEMO, START, Sitting, circled, opened, refused, terms

THREE, FOUR, NEWCOMER = 3, 4, 777


def people(sitting: Sitting, upto: int | None = None) -> list[int | None]:
    table, _ = replay(sitting.entries[:upto])
    return [row.user_id for row in table.seats]


def test_log_gives_seating_at_any_past_move():
    sitting = Sitting(terms(clock="relaxed"))
    sitting.ask(Open(sitting.terms, THREE))
    sitting.ask(Join(FOUR))
    while sitting.match.round == 1:
        sitting.move()
    ended = next(n for n, entry in enumerate(sitting.entries, 1) if isinstance(entry.event, RoundEnded))
    question = sitting.ask(Ask(THREE, "substitute", NEWCOMER)).table.question
    sitting.now += 1
    sitting.ask(Answer(NEWCOMER, question.number, yes=True))
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
    sitting.ask(Leave(ADA))
    assert [(row.seat, row.user_id, row.computer) for row in sitting.state.seats] == [
        (0, GRACE, None),
        (1, LINUS, None),
        (2, None, "greedy"),
    ]
    assert sitting.state.host == GRACE
    assert sitting.due == Due(at=START + EXPIRES, kind="expire")
    assert refused(sitting, Start(LINUS)) == "NOT_HOST"
    started = sitting.ask(Start(GRACE))
    assert sitting.match.active == [0, 1, 2]
    assert any(isinstance(event, Started) and event.computers == (2,) for event in started.events)


def test_only_host_seats_program_and_table_becomes_unrated():
    sitting = opened(GRACE, seats=5)
    assert refused(sitting, AddComputer(GRACE, "program:mine")) == "HOST_DECIDES"
    assert refused(sitting, AddComputer(ADA, "program:")) == "NO_SUCH_LEVEL"
    assert sitting.state.rated
    sitting.ask(AddComputer(ADA, "program:mine"))
    assert (sitting.state.programs, sitting.state.terms.rated, sitting.state.rated) == ({2: "mine"}, True, False)
    sitting.ask(Remove(ADA, None, "program:mine"))
    assert sitting.state.rated


def test_program_is_replaced_only_after_its_own_faults():
    sitting = opened(seats=2)
    sitting.ask(AddComputer(ADA, "program:mine"))
    for why, moves, faults in (("busy", 1, 0), ("late", 2, 1), ("removed", 3, 1), ("gone", 4, 2), ("nonsense", 5, 3)):
        while sitting.turn and sitting.turn.user == ADA:
            move = greedy.choose(view_for(sitting.match, 0), Random(1))
            sitting.ask(Act(ADA, lambda _, move=move: move))
        assert not sitting.state.stumbled(1).out
        sitting.ask(ActFor(greedy.choose(view_for(sitting.match, 1), Random(1)), sitting.state.seq, why))
        assert sitting.state.stumbled(1) == Stumbles(moves, faults)
        assert sitting.entries[-1].event != Stumbled(1, why), "what it was to do was done"
    assert sitting.state.stumbled(1).out


def test_table_commands_are_refused_in_wrong_state():
    sitting = opened(GRACE, seats=2)
    assert refused(sitting, Join(GRACE)) == "ALREADY_SEATED"
    assert refused(sitting, Join(NEMO)) == "TABLE_FULL"
    assert refused(sitting, AddComputer(NEMO)) == "ALREADY_STARTED"
    assert refused(sitting, Leave(GRACE)) == "LEAVE_MEANS_RESIGN"
    assert refused(sitting, Leave(NEMO)) == "NOT_SEATED"
    assert refused(sitting, MoveTable(NEMO, 1)) == "NOT_SEATED"
    lobby = opened(seats=2)
    assert refused(lobby, AddComputer(NEMO)) == "JOIN_FIRST"
    assert refused(lobby, Leave(NEMO)) == "JOIN_FIRST"
    assert refused(lobby, Start(ADA)) == "ALONE"
    assert refused(lobby, Ask(ADA, "abort")) == "NOT_STARTED"
    lobby.ask(Leave(ADA))
    for command in (Join(NEMO), AddComputer(ADA), Leave(ADA), Start(ADA), Ask(ADA, "abort")):
        assert refused(lobby, command) == "CLOSED"


def test_forgotten_player_resigns_or_leaves_lobby():
    sitting = opened(GRACE, LINUS)
    seat = sitting.match.turn
    sitting.ask(Leave(sitting.mover, forgotten=True))
    assert seat not in sitting.match.active
    assert sitting.ask(Leave(NEMO, forgotten=True)).events == ()
    lobby = opened(seats=2)
    lobby.ask(Leave(ADA, forgotten=True))
    assert lobby.state.closed == "empty"
    assert lobby.ask(Leave(ADA, forgotten=True)).events == ()


def gone_by(sitting: Sitting, command: Command) -> set[int]:
    before = sitting.state
    return dismissed(before, sitting.ask(command).table)


def asked(sitting: Sitting, person: int, by: int = ADA, owner: int | None = None) -> int:
    assert gone_by(sitting, Ask(by, "substitute", person, owner)) == set()
    return sitting.state.question.number


def test_player_who_leaves_before_match_is_unlinked():
    sitting = opened(GRACE, LINUS, seats=4)
    assert gone_by(sitting, Leave(GRACE)) == {GRACE}
    assert gone_by(sitting, Join(GRACE)) == set()
    assert gone_by(sitting, Leave(ADA)) == {ADA}
    assert sitting.state.host == LINUS
    assert gone_by(sitting, AddComputer(LINUS)) == set()
    assert gone_by(sitting, Start(LINUS)) == set()
    assert sitting.state.lasting == {LINUS, GRACE}


def test_last_player_to_leave_stays_linked_to_closed_table():
    sitting = opened(seats=2)
    assert gone_by(sitting, Leave(ADA)) == set()
    assert sitting.state.closed == "empty"


def test_player_who_declines_seat_is_unlinked():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    assert gone_by(sitting, Answer(NEMO, number, yes=False)) == {NEMO}


def test_player_whose_seat_question_lapses_is_unlinked():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    sitting.now += LASTS
    assert gone_by(sitting, Lapse(number)) == {NEMO}
    asked(sitting, NEMO)
    before = sitting.state
    assert dismissed(before, sitting.move().table) == {NEMO}
    asked(sitting, NEMO)
    assert gone_by(sitting, Rule("stop", MARY, "")) == {NEMO}


def test_player_is_unlinked_when_another_substitute_is_asked():
    sitting = circled(GRACE)
    asked(sitting, NEMO)
    sitting.now += LASTS
    assert gone_by(sitting, Ask(ADA, "substitute", LINUS)) == {NEMO}


def test_replaced_player_who_has_played_stays_linked():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    assert gone_by(sitting, Answer(NEMO, number, yes=True)) == set()
    assert [row.user_id for row in sitting.state.seats] == [NEMO, GRACE]
    assert sitting.state.lasting == {ADA, GRACE, NEMO}
    number = asked(sitting, ADA, by=GRACE)
    assert gone_by(sitting, Answer(ADA, number, yes=False)) == set()


def test_moderator_who_declines_seat_stays_linked_by_decisions():
    sitting = circled(GRACE)
    sitting.ask(Rule("pause", MARY, ""))
    sitting.ask(Rule("resume", MARY, ""))
    number = asked(sitting, MARY)
    assert gone_by(sitting, Answer(MARY, number, yes=False)) == set()


def test_moderator_who_stops_match_while_asked_stays_linked():
    sitting = circled(GRACE)
    asked(sitting, MARY)
    assert gone_by(sitting, Rule("stop", MARY, "")) == set()
    assert sitting.state.lasting == {ADA, GRACE, MARY}


def test_users_in_event_can_be_listed_and_renamed():
    sitting = circled(GRACE, LINUS)
    number = asked(sitting, NEMO)
    sitting.ask(Answer(NEMO, number, yes=True))
    sitting.ask(Rule("skip", MARY, ""))
    assert [person for entry in sitting.entries for person in people_in(entry.event)] == [
        *(ADA, ADA),  # the host, on the first seat
        *(GRACE, LINUS),
        *(NEMO, NEMO),  # asked, and sitting down
        MARY,
    ]
    for entry in sitting.entries:
        assert (
            renamed(renamed(entry.event, lambda one: one and one + 100), lambda one: one and one - 100) == entry.event
        )
        assert people_in(renamed(entry.event, lambda _: None)) == []
