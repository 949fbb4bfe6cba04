"""A table that is decided on is the one in everybody's hands: nothing about it may change before it is written."""

from __future__ import annotations

from engine.actions import Draw, Resign
from engine.table.commands import Act, ChooseAbsence, GoAway, Rearm
from engine.table.pace import HOUR
from engine.table.state import Outage
from tests.engine.table.sitting import ADA, GRACE, LINUS, NEMO, circled, kinds, mark, opened, refused


def test_a_match_is_not_carried_on_in_place_where_something_happens_around_it_first():
    sitting = circled(GRACE, LINUS, absent="turn")
    sitting.run_out()
    before, story = mark(sitting.story), sitting.story
    asked = sitting.state.clock.watch.asking
    first, second = (who for who in (ADA, GRACE, LINUS) if who != sitting.mover)
    assert kinds(sitting.ask(ChooseAbsence(first, "end", asked))) == ["EndWished"]
    ended = sitting.ask(ChooseAbsence(second, "end", asked))
    assert kinds(ended) == ["ChoiceMade", "Resigned", "MatchEnded"]
    assert mark(story) == before


def test_nor_where_an_outage_is_given_back_with_the_move():
    sitting = opened(GRACE)
    sitting.owed = (Outage(start=sitting.now, end=sitting.now + HOUR),)
    sitting.now += HOUR
    before, story = mark(sitting.story), sitting.story
    assert kinds(sitting.move())[0] == "Credited"
    assert mark(story) == before


def test_what_is_owed_to_a_clock_is_kept_for_whatever_happens_next():
    sitting = opened(GRACE, clock="relaxed")
    sitting.owed = (Outage(start=sitting.now, end=sitting.now + HOUR),)
    sitting.now += HOUR
    table = sitting.state
    nothing = sitting.ask(GoAway(NEMO, 0, "home"))
    assert (nothing.events, nothing.table) == ((), table)
    assert kinds(sitting.ask(Rearm())) == ["Credited"]
    assert sitting.ask(Rearm()).events == ()


def test_a_refusal_changes_nothing():
    sitting = opened(GRACE)
    assert refused(sitting, Act(LINUS, Resign)) == "NOT_SEATED"
    assert refused(sitting, Act(sitting.other(), Draw)) == "NOT_YOUR_TURN"
    assert refused(sitting, ChooseAbsence(GRACE, "end", None)) == "NOBODY_ABSENT"
