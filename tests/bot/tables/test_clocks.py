"""Clock arithmetic: used time, time banks, pauses, vacations, and outage credits."""

import re
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.guild_settings import GuildSettings
from engine.table.clock import (
    begin_turn,
    compute_reminder_mark,
    compute_time_left,
    credit_outage,
    grant_time,
    hold_time,
    pause_time,
    release_time,
    resume_time,
)
from engine.table.table_state import Time, compute_deadline, compute_used_time
from engine.table.terms import DAY, DEFAULT_CLOCK, HOUR, MINUTE, Pace, format_span, parse_pace

START = 1_760_000_000_000
DAYS = Pace("days", turn=DAY)
BANK = Pace("bank", bank=5 * DAY, increment=6 * HOUR)


@pytest.mark.parametrize(
    ("text", "pace", "canonical"),
    [
        ("relaxed", Pace(), "relaxed"),
        ("", Pace(), "relaxed"),
        ("36h", Pace("days", turn=36 * HOUR), "days 1d12h"),
        ("Days  3d", Pace("days", turn=3 * DAY), "days 3d"),
        ("1h", Pace("days", turn=HOUR), "days 1h"),
        ("14d", Pace("days", turn=14 * DAY), "days 14d"),
        ("bank 5d+6h", BANK, "bank 5d+6h"),
        ("bank 5d + 6h", BANK, "bank 5d+6h"),
        ("bank 10d", Pace("bank", bank=10 * DAY), "bank 10d"),
        ("live 10m", Pace("live", turn=10 * MINUTE), "live 10m"),
        ("90m", Pace("days", turn=90 * MINUTE), "days 1h30m"),
        ("5m", Pace("live", turn=5 * MINUTE), "live 5m"),
    ],
)
def test_clock_text_is_parsed_and_formatted(text: str, pace: Pace, canonical: str) -> None:
    assert parse_pace(text) == pace
    assert str(pace) == canonical
    assert parse_pace(canonical) == pace


@pytest.mark.parametrize(
    "text", ["soon", "59m of 2", "15d", "days 30m", "live 2h", "bank", "bank 40d", "bank 5d+8d", "0h", "bank 0h", "-3d"]
)
def test_invalid_clock_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_pace(text)


@given(st.integers(1, 60 * 24 * 30))
def test_formatted_span_parses_to_same_length(minutes: int) -> None:
    parts = re.sub("([dhm])", r"\1 ", format_span(minutes * MINUTE)).split()
    assert sum(int(part[:-1]) * {"d": DAY, "h": HOUR, "m": MINUTE}[part[-1]] for part in parts) == minutes * MINUTE


def test_turn_time_counts_from_start_to_deadline() -> None:
    time = begin_turn(Time(), DAYS, 2, 0, START)
    assert compute_deadline(time) == START + DAY
    assert compute_used_time(time, START + HOUR) == HOUR
    assert compute_time_left(time, START + HOUR) == 23 * HOUR
    assert compute_time_left(time, START + 2 * DAY) == 0


def test_relaxed_turn_has_three_reminders_and_fortnight_deadline() -> None:
    time = begin_turn(Time(), Pace(), 2, 0, START)
    assert compute_deadline(time) == START + 14 * DAY
    marks = [compute_reminder_mark(time, Pace(), START + days * DAY) for days in (0, 1, 3, 7)]
    assert marks == [DAY, 3 * DAY, 7 * DAY, None]


def test_computer_turn_leaves_all_time_banks_unchanged() -> None:
    time = begin_turn(Time(), BANK, 2, None, START)
    assert compute_deadline(time) is None
    after = begin_turn(time, BANK, 2, 0, START + 3 * DAY)
    assert after.banks == (5 * DAY, 5 * DAY)


def test_time_bank_pays_turns_and_grows_up_to_maximum() -> None:
    time = begin_turn(Time(), BANK, 2, 0, START)
    assert compute_deadline(time) == START + 5 * DAY
    time = begin_turn(time, BANK, 2, 1, START + 2 * DAY)
    assert time.banks == (3 * DAY + 6 * HOUR, 5 * DAY)
    time = begin_turn(time, BANK, 2, 0, START + 2 * DAY + HOUR)
    assert time.banks == (3 * DAY + 6 * HOUR, 5 * DAY)
    assert compute_time_left(time, START + 2 * DAY + HOUR) == 3 * DAY + 6 * HOUR


def test_empty_time_bank_gets_increment_for_next_turn() -> None:
    time = begin_turn(Time(), BANK, 2, 0, START)
    time = begin_turn(time, BANK, 2, 1, START + 9 * DAY)
    assert time.banks[0] == 6 * HOUR


def test_pause_stops_clock_and_moves_deadline() -> None:
    time = pause_time(begin_turn(Time(), DAYS, 2, 0, START), START + HOUR)
    assert compute_deadline(time) is None
    assert compute_used_time(time, START + 30 * DAY) == HOUR
    time = resume_time(time, START + 30 * DAY)
    assert compute_deadline(time) == START + 30 * DAY + 23 * HOUR


def test_turn_starting_in_pause_starts_clock_on_resume() -> None:
    time = begin_turn(pause_time(begin_turn(Time(), DAYS, 2, 0, START), START), DAYS, 2, 1, START + HOUR)
    assert compute_deadline(time) is None
    assert compute_deadline(resume_time(time, START + DAY)) == START + 2 * DAY


def test_vacation_stops_clock_until_end_or_early_return() -> None:
    time = hold_time(begin_turn(Time(), DAYS, 2, 0, START), START + 8 * DAY, START + HOUR)
    assert compute_used_time(time, START + 7 * DAY) == HOUR
    assert compute_deadline(time) == START + 8 * DAY + 23 * HOUR
    back = release_time(time, START + 3 * DAY)
    assert compute_deadline(back) == START + 3 * DAY + 23 * HOUR


def test_outage_is_credited_once() -> None:
    time = begin_turn(Time(), DAYS, 2, 0, START)
    credited = credit_outage(time, START + HOUR, START + 5 * HOUR)
    assert compute_deadline(credited) == START + DAY + 4 * HOUR
    assert compute_used_time(credited, START + 5 * HOUR) == HOUR
    assert credit_outage(credited, START + HOUR, START + 5 * HOUR) == credited
    # An overlapping outage of a second process adds only the time after the first credit.
    credited_twice = credit_outage(credited, START + HOUR, START + 7 * HOUR)
    assert compute_deadline(credited_twice) == START + DAY + 6 * HOUR


def test_outage_is_credited_only_from_turn_start() -> None:
    time = begin_turn(Time(), DAYS, 2, 0, START)
    assert compute_deadline(credit_outage(time, START - 2 * HOUR, START - HOUR)) == START + DAY
    assert compute_deadline(credit_outage(time, START - HOUR, START + HOUR)) == START + DAY + HOUR


def test_granted_time_counts_from_now() -> None:
    time = grant_time(begin_turn(Time(), DAYS, 2, 0, START), DAY, START + 26 * HOUR)
    assert compute_deadline(time) == START + 50 * HOUR


@dataclass(frozen=True)
class ClockStep:
    after: int
    what: str
    span: int


STEPS = st.lists(
    st.builds(
        ClockStep,
        after=st.integers(0, 3 * DAY),
        what=st.sampled_from(["pause", "resume", "hold", "release", "credit", "grant", "nothing", "turn"]),
        span=st.integers(0, 3 * DAY),
    ),
    max_size=30,
)


def apply_step(time: Time, pace: Pace, step: ClockStep, now: int) -> Time:
    match step.what:
        case "pause":
            return pause_time(time, now)
        case "resume":
            return resume_time(time, now)
        case "hold":
            return hold_time(time, now + step.span, now)
        case "release":
            return release_time(time, now)
        case "credit":
            return credit_outage(time, now - step.after, now)
        case "grant":
            return grant_time(time, step.span, now)
        case "turn":
            return begin_turn(time, pace, 3, (0 if time.seat is None else time.seat + 1) % 3, now)
        case _:
            return time


@given(STEPS, st.sampled_from([DAYS, BANK, Pace(), Pace("live", turn=5 * MINUTE)]))
def test_used_time_never_shrinks_or_becomes_negative(steps: list[ClockStep], pace: Pace) -> None:
    now, time = START, begin_turn(Time(), pace, 3, 0, START)
    before = 0
    for step in steps:
        # Only a credit may hide time that ran.
        now += step.after
        after = apply_step(time, pace, step, now)
        if step.what == "turn":
            before = 0
        assert compute_used_time(after, now) >= before
        assert after.used >= 0
        assert all(0 <= bank <= pace.bank for bank in after.banks)
        time_left = compute_time_left(after, now)
        assert time_left is None or time_left >= 0
        time, before = after, compute_used_time(after, now)


@given(STEPS, st.integers(0, 400 * DAY))
def test_paused_clock_uses_no_time(steps: list[ClockStep], later: int) -> None:
    now, time = START, begin_turn(Time(), DAYS, 3, 0, START)
    for step in steps:
        now += step.after
        time = apply_step(time, DAYS, step, now)
    time = pause_time(time, now)
    assert compute_used_time(time, now + later) == compute_used_time(time, now)
    assert compute_deadline(time) is None
    assert pause_time(time, now + later) == time


@given(STEPS, st.integers(0, 10 * DAY), st.integers(0, 10 * DAY))
def test_outage_credit_is_at_most_its_length(steps: list[ClockStep], until: int, length: int) -> None:
    now, time = START, begin_turn(Time(), DAYS, 3, 0, START)
    for step in steps:
        now += step.after
        time = apply_step(time, DAYS, step, now)
    start, end = now + until, now + until + length
    after = credit_outage(time, start, end)
    assert compute_used_time(after, end) == compute_used_time(time, start)
    deadline_before, deadline_after = compute_deadline(time), compute_deadline(after)
    if deadline_before is not None and deadline_after is not None:
        assert 0 <= deadline_after - deadline_before <= length
    assert replace(after, credited=0, since=None) == replace(time, credited=0, since=None)


def test_server_clock_has_default_and_keeps_chosen_clock() -> None:
    assert GuildSettings().clock == DEFAULT_CLOCK
    assert GuildSettings.from_stored({"language": "de"}).clock == DEFAULT_CLOCK
    for clock in ("relaxed", "days 3d", DEFAULT_CLOCK):
        assert GuildSettings.from_stored(GuildSettings(clock=clock).to_stored()).clock == clock
