"""Who sits where, and who sat there at any past move: a fold of the log up to it."""

from __future__ import annotations

from random import Random

from engine.events import RoundEnded, Started
from engine.players import greedy
from engine.seen import see
from engine.table import replay
from engine.table.commands import Act, ActFor, AddComputer, Answer, Ask, Join, Leave, MoveTable, Open, Remove, Start
from engine.table.events import Stumbled
from engine.table.reminders import EXPIRES
from engine.table.state import Due, Stumbles
from tests.engine.table.sitting import ADA, GRACE, LINUS, NEMO, START, Sitting, opened, refused, terms

THREE, FOUR, NEWCOMER = 3, 4, 777


def people(sitting: Sitting, upto: int | None = None) -> list[int | None]:
    """By seat, at that move."""
    table, _ = replay(sitting.entries[:upto])
    return [row.user_id for row in table.seats]


def test_who_sat_where_at_any_past_move_is_what_the_log_says_up_to_it():
    sitting = Sitting(terms(clock="relaxed"))
    sitting.ask(Open(sitting.terms, THREE))
    sitting.ask(Join(FOUR))
    while sitting.match.round == 1:
        sitting.move()
    ended = next(n for n, entry in enumerate(sitting.entries, 1) if isinstance(entry.event, RoundEnded))
    question = sitting.ask(Ask(THREE, "substitute", NEWCOMER)).table.question
    assert question is not None
    sitting.now += 1
    sitting.ask(Answer(NEWCOMER, question.number, yes=True))
    assert people(sitting) == [NEWCOMER, FOUR]
    assert people(sitting, ended) == [THREE, FOUR]
    assert people(sitting, 1) == [THREE]
    assert sitting.state.host == NEWCOMER
    assert sitting.state.seats[0].joined_at == START + 1
    then, story = replay(sitting.entries[:ended])
    assert story is not None
    assert (then.host, then.seq, story.match.round) == (THREE, ended, 1)


def test_seats_close_up_and_the_hosts_part_passes_on():
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


def test_a_program_is_seated_by_the_host_alone_and_ends_that_the_table_is_rated():
    sitting = opened(GRACE, seats=5)
    assert refused(sitting, AddComputer(GRACE, "program:mine")) == "HOST_DECIDES"
    assert refused(sitting, AddComputer(ADA, "program:")) == "NO_SUCH_LEVEL"
    assert sitting.state.rated
    sitting.ask(AddComputer(ADA, "program:mine"))
    assert (sitting.state.programs, sitting.state.terms.rated, sitting.state.rated) == ({2: "mine"}, True, False)
    sitting.ask(Remove(ADA, None, "program:mine"))
    assert sitting.state.rated


def test_what_was_done_for_a_program_is_counted_and_only_its_own_faults_put_it_out():
    sitting = opened(seats=2)
    sitting.ask(AddComputer(ADA, "program:mine"))
    for why, moves, faults in (("busy", 1, 0), ("late", 2, 1), ("removed", 3, 1), ("gone", 4, 2), ("nonsense", 5, 3)):
        while sitting.turn and sitting.turn.user == ADA:
            move = greedy.choose(see(sitting.match, 0), Random(1))
            sitting.ask(Act(ADA, lambda _, move=move: move))
        assert not sitting.state.stumbled(1).out
        sitting.ask(ActFor(greedy.choose(see(sitting.match, 1), Random(1)), sitting.state.seq, why))
        assert sitting.state.stumbled(1) == Stumbles(moves, faults)
        assert sitting.entries[-1].event != Stumbled(1, why), "what it was to do was done"
    assert sitting.state.stumbled(1).out


def test_a_lobby_says_no_in_its_order():
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


def test_whoever_is_forgotten_resigns_even_from_a_match_that_stands_still():
    sitting = opened(GRACE, LINUS)
    seat = sitting.match.turn
    sitting.ask(Leave(sitting.mover, forgotten=True))
    assert seat not in sitting.match.active
    assert sitting.ask(Leave(NEMO, forgotten=True)).events == ()
    lobby = opened(seats=2)
    lobby.ask(Leave(ADA, forgotten=True))
    assert lobby.state.closed == "empty"
    assert lobby.ask(Leave(ADA, forgotten=True)).events == ()
