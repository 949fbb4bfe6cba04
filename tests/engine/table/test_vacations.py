"""Vacations at a table: no time runs for whoever is away, whatever else happens."""

from __future__ import annotations

import pytest

from engine.table.clock import spent
from engine.table.commands import Answer, Ask, GoAway, Rearm, Rule
from engine.table.events import Away
from engine.table.pace import DAY, HOUR
from engine.table.state import Due
from tests.engine.table.sitting import GRACE, MARY, NEMO, START, Sitting, kinds, opened


def away(sitting: Sitting, user: int, days: int) -> None:
    """Somebody goes on vacation, or is back."""
    until = sitting.now + days * DAY if days else 0
    sitting.prefers(user, away_from=sitting.now, away_until=until or sitting.now)
    sitting.ask(GoAway(user, until, "away" if days else "home"))


@pytest.mark.parametrize("first", ["vacation", "pause"])
def test_a_match_that_goes_on_during_a_vacation_takes_none_of_its_players_time(first: str):
    sitting = opened(GRACE)
    sitting.now += HOUR
    for what in (first, "pause" if first == "vacation" else "vacation"):
        if what == "pause":
            sitting.ask(Rule("pause", MARY, ""))
        else:
            away(sitting, sitting.mover, 3)
    sitting.ask(Rule("resume", MARY, ""))
    assert sitting.state.clock.time.since == START + HOUR + 3 * DAY
    assert sitting.due == Due(at=START + HOUR + 3 * DAY + DAY * 80 // 100 - HOUR, kind="remind")


def test_a_vacation_that_is_over_is_forgotten_with_the_next_thing_that_happens():
    sitting = opened(GRACE)
    seat = sitting.match.turn
    away(sitting, sitting.mover, 1)
    reminded = sitting.wait(2 * DAY)
    assert kinds(reminded) == ["Away", "Reminded"]
    assert sitting.entries[-2].event == Away(seat, 0)
    assert sitting.state.clock.watch.away == {}
    assert spent(sitting.state.clock.time, sitting.now) == DAY * 80 // 100


def test_whoever_is_back_early_goes_on_where_they_were():
    sitting = opened(GRACE)
    sitting.now += HOUR
    away(sitting, sitting.mover, 3)
    sitting.now += DAY
    assert spent(sitting.state.clock.time, sitting.now) == HOUR
    away(sitting, sitting.mover, 0)
    sitting.now += HOUR
    assert spent(sitting.state.clock.time, sitting.now) == 2 * HOUR


def test_a_turn_that_comes_to_somebody_away_begins_when_they_are_back():
    sitting = opened(GRACE)
    away(sitting, sitting.other(), 3)
    sitting.move()
    assert sitting.state.clock.time.since == START + 3 * DAY


def test_whoever_goes_away_while_the_others_choose_has_as_much_time_again_afterwards():
    sitting = opened(GRACE)
    sitting.run_out()
    mover, asked = sitting.mover, sitting.state.clock.watch.asking
    assert asked is not None
    away(sitting, mover, 3)
    assert sitting.state.clock.watch.asking is None
    assert sitting.due == Due(at=sitting.now + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert sitting.ask(Rearm()).events == ()


def test_a_vacation_does_not_pass_to_whoever_takes_the_seat():
    sitting = opened(GRACE)
    mover = sitting.mover
    away(sitting, mover, 3)
    asked = sitting.ask(Ask(mover, "substitute", NEMO)).table.question
    assert asked is not None
    sitting.ask(Answer(NEMO, asked.number, yes=True))
    assert sitting.state.clock.watch.away == {}
    assert sitting.state.clock.time.since == sitting.now


def test_a_table_that_is_closed_by_now_keeps_nobody_from_a_vacation():
    sitting = opened(GRACE)
    sitting.ask(Rule("stop", MARY, ""))
    assert sitting.ask(GoAway(GRACE, sitting.now + DAY, "away")).events == ()
