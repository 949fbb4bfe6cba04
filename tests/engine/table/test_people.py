"""Whom a log goes on naming: those who have played, and moderators who stepped in; all others are let go of."""

from __future__ import annotations

from engine.table.commands import AddComputer, Answer, Ask, Command, Join, Lapse, Leave, Rule, Start
from engine.table.people import dismissed, people_in, renamed
from engine.table.questions import LASTS
from tests.engine.table.sitting import ADA, GRACE, LINUS, MARY, NEMO, Sitting, circled, opened


def gone_by(sitting: Sitting, command: Command) -> set[int]:
    """Who has nothing to do with the table any more once that has happened."""
    before = sitting.state
    return dismissed(before, sitting.ask(command).table)


def asked(sitting: Sitting, person: int, by: int = ADA, owner: int | None = None) -> int:
    """Somebody is asked to take a seat; the number of the question."""
    assert gone_by(sitting, Ask(by, "substitute", person, owner)) == set()
    assert sitting.state.question is not None
    return sitting.state.question.number


def test_whoever_gets_up_before_the_match_is_let_go_of():
    sitting = opened(GRACE, LINUS, seats=4)
    assert gone_by(sitting, Leave(GRACE)) == {GRACE}
    assert gone_by(sitting, Join(GRACE)) == set()
    assert gone_by(sitting, Leave(ADA)) == {ADA}
    assert sitting.state.host == LINUS
    assert gone_by(sitting, AddComputer(LINUS)) == set()
    assert gone_by(sitting, Start(LINUS)) == set()
    assert sitting.state.lasting == {LINUS, GRACE}


def test_the_last_to_leave_stays_in_the_log_of_the_table_they_closed():
    sitting = opened(seats=2)
    assert gone_by(sitting, Leave(ADA)) == set()
    assert sitting.state.closed == "empty"


def test_whoever_says_no_to_a_seat_is_let_go_of():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    assert gone_by(sitting, Answer(NEMO, number, yes=False)) == {NEMO}


def test_so_is_whoever_was_asked_in_vain():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    sitting.now += LASTS
    assert gone_by(sitting, Lapse(number)) == {NEMO}
    asked(sitting, NEMO)
    before = sitting.state
    assert dismissed(before, sitting.move().table) == {NEMO}
    asked(sitting, NEMO)
    assert gone_by(sitting, Rule("stop", MARY, "")) == {NEMO}


def test_and_whoever_was_asked_before_another():
    sitting = circled(GRACE)
    asked(sitting, NEMO)
    sitting.now += LASTS
    assert gone_by(sitting, Ask(ADA, "substitute", LINUS)) == {NEMO}


def test_whoever_has_played_stays_though_somebody_else_sits_there_by_now():
    sitting = circled(GRACE)
    number = asked(sitting, NEMO)
    assert gone_by(sitting, Answer(NEMO, number, yes=True)) == set()
    assert [row.user_id for row in sitting.state.seats] == [NEMO, GRACE]
    assert sitting.state.lasting == {ADA, GRACE, NEMO}
    number = asked(sitting, ADA, by=GRACE)
    assert gone_by(sitting, Answer(ADA, number, yes=False)) == set()


def test_a_moderator_who_is_asked_to_sit_down_stays_for_what_they_decided():
    sitting = circled(GRACE)
    sitting.ask(Rule("pause", MARY, ""))
    sitting.ask(Rule("resume", MARY, ""))
    number = asked(sitting, MARY)
    assert gone_by(sitting, Answer(MARY, number, yes=False)) == set()


def test_and_where_they_stop_the_match_in_which_they_are_being_asked():
    sitting = circled(GRACE)
    asked(sitting, MARY)
    assert gone_by(sitting, Rule("stop", MARY, "")) == set()
    assert sitting.state.lasting == {ADA, GRACE, MARY}


def test_an_event_names_its_people_and_has_other_names_for_them_in_the_store():
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
