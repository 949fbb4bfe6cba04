"""Quiet hours in local time, reminder times, and vacation days."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.table.clock import begin_turn, compute_reminder_mark, hold_time, pause_time
from engine.table.preferences import (
    VACATION_DAYS,
    Preferences,
    QuietHours,
    can_start_vacation,
    compute_days_left,
    compute_next_start,
    end_vacation,
    find_quiet_end,
    find_quiet_start,
    is_away,
    start_vacation,
)
from engine.table.table_state import Clock, Due, Time, Watch, find_reminder, find_user_due
from engine.table.terms import DAY, HOUR, MINUTE, Pace

NIGHT_PREFERENCES = Preferences(quiet=QuietHours(22 * 60, 7 * 60), zone="Europe/Paris")


def parse_local_ms(text: str, zone: str = "Europe/Paris") -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def parse_utc_ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        (parse_local_ms("2026-01-10 23:30"), parse_local_ms("2026-01-11 07:00")),
        (parse_local_ms("2026-01-11 06:59"), parse_local_ms("2026-01-11 07:00")),
        (parse_local_ms("2026-01-11 07:00"), None),
        (parse_local_ms("2026-01-11 21:59"), None),
        # In Paris 02:00 became 03:00 on 29 March 2026, and 03:00 became 02:00 on 25 October.
        (parse_utc_ms("2026-03-27 22:00"), parse_utc_ms("2026-03-28 06:00")),
        (parse_utc_ms("2026-03-28 22:00"), parse_utc_ms("2026-03-29 05:00")),
        (parse_utc_ms("2026-10-23 21:00"), parse_utc_ms("2026-10-24 05:00")),
        (parse_utc_ms("2026-10-24 21:00"), parse_utc_ms("2026-10-25 06:00")),
    ],
)
def test_quiet_night_ends_at_local_time(now: int, end: int | None) -> None:
    assert find_quiet_end(NIGHT_PREFERENCES, now) == end


@pytest.mark.parametrize(
    ("now", "end"),
    [
        # Local time skips 02:30, so quiet hours end one hour later.
        (parse_utc_ms("2026-03-28 23:00"), parse_utc_ms("2026-03-29 01:30")),
        # Local time reaches 02:30 twice, and quiet hours end both times.
        (parse_utc_ms("2026-10-24 23:00"), parse_utc_ms("2026-10-25 00:30")),
        (parse_utc_ms("2026-10-25 01:10"), parse_utc_ms("2026-10-25 01:30")),
    ],
)
def test_quiet_hours_end_correctly_at_daylight_saving_change(now: int, end: int) -> None:
    assert find_quiet_end(replace(NIGHT_PREFERENCES, quiet=QuietHours(22 * 60, 2 * 60 + 30)), now) == end


def test_quiet_hours_can_span_midnight_or_one_day() -> None:
    assert find_quiet_start(NIGHT_PREFERENCES, parse_local_ms("2026-01-11 03:00")) == parse_local_ms("2026-01-10 22:00")
    zone = "America/New_York"
    work = Preferences(quiet=QuietHours(9 * 60, 17 * 60 + 30), zone=zone)
    assert find_quiet_end(work, parse_local_ms("2026-06-01 12:00", zone)) == parse_local_ms("2026-06-01 17:30", zone)
    assert find_quiet_end(work, parse_local_ms("2026-06-01 18:00", zone)) is None


@given(
    st.integers(0, 1439),
    st.integers(0, 1439),
    st.sampled_from(["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"]),
    st.integers(0, 366 * 24 * 60),
)
def test_quiet_hours_end_after_now_and_within_one_day(start: int, end: int, zone: str, minute: int) -> None:
    preferences = Preferences(quiet=QuietHours(start, end), zone=zone)
    start_time = parse_utc_ms("2026-01-01 00:00") + minute * MINUTE
    quiet_end = find_quiet_end(preferences, start_time)
    if quiet_end is not None:
        assert start_time < quiet_end <= start_time + 26 * HOUR
        since = find_quiet_start(preferences, start_time)
        assert since <= start_time
        local_end = datetime.fromtimestamp(quiet_end / 1000, ZoneInfo(zone))
        # Quiet hours end at the set minute, except on a day without that minute.
        assert (local_end.hour * 60 + local_end.minute - end) % 1440 in (0, 30, 60)


def start_turn(pace: Pace, start_time: int) -> Clock:
    time = begin_turn(Time(), pace, 2, 0, start_time)
    return Clock(
        time=time,
        watch=Watch(
            seat=0, began=start_time, notified_at=start_time, mark=compute_reminder_mark(time, pace, start_time)
        ),
    )


def test_reminder_is_due_at_four_fifths_of_turn_time() -> None:
    clock = start_turn(Pace("days", turn=5 * DAY), parse_local_ms("2026-01-10 12:00"))
    assert find_user_due(clock, Preferences(), muted=False) == Due(at=parse_local_ms("2026-01-14 12:00"), kind="remind")
    reminded = replace(clock, watch=replace(clock.watch, mark=None))
    assert find_user_due(reminded, Preferences(), muted=False) == Due(
        at=parse_local_ms("2026-01-15 12:00"), kind="deadline"
    )


def test_quiet_hours_postpone_reminder_to_their_end() -> None:
    clock = start_turn(Pace("days", turn=5 * DAY), parse_local_ms("2026-01-10 23:30"))
    assert find_reminder(clock, NIGHT_PREFERENCES) == parse_local_ms("2026-01-15 07:00")


def test_reminder_before_deadline_in_quiet_hours_is_sent_early() -> None:
    # The turn starts at 19:00 and lasts ten hours: reminder at 03:00, deadline at 05:00, quiet until 07:00.
    clock = start_turn(Pace("days", turn=10 * HOUR), parse_local_ms("2026-01-10 19:00"))
    assert find_reminder(clock, NIGHT_PREFERENCES) == parse_local_ms("2026-01-10 21:59")


def test_turn_within_quiet_hours_gets_no_reminder() -> None:
    clock = start_turn(Pace("days", turn=5 * HOUR), parse_local_ms("2026-01-10 22:30"))
    assert find_reminder(clock, NIGHT_PREFERENCES) is None
    assert find_user_due(clock, NIGHT_PREFERENCES, muted=False) == Due(
        at=parse_local_ms("2026-01-11 03:30"), kind="deadline"
    )


@pytest.mark.parametrize(
    ("wishes", "muted", "calls"),
    [(Preferences(remind=False), False, True), (Preferences(), True, True), (Preferences(), False, False)],
    ids=["switched off", "muted", "not to be called"],
)
def test_unwanted_reminder_leaves_deadline(wishes: Preferences, muted: bool, calls: bool) -> None:
    clock = start_turn(Pace("days", turn=DAY), parse_local_ms("2026-01-10 12:00"))
    assert find_user_due(clock, wishes, muted=muted, calls=calls) == Due(
        at=parse_local_ms("2026-01-11 12:00"), kind="deadline"
    )


def test_reminder_interval_repeats_at_relaxed_table() -> None:
    clock = start_turn(Pace(), parse_local_ms("2026-01-10 12:00"))
    preferences = Preferences(every=6 * HOUR)
    assert find_reminder(clock, preferences) == parse_local_ms("2026-01-10 18:00")
    later = replace(clock, watch=replace(clock.watch, notified_at=parse_local_ms("2026-01-10 18:00")))
    assert find_reminder(later, preferences) == parse_local_ms("2026-01-11 00:00")
    assert find_reminder(
        later, replace(preferences, quiet=QuietHours(22 * 60, 7 * 60), zone="Europe/Paris")
    ) == parse_local_ms("2026-01-11 07:00")


def test_paused_clock_has_nothing_due() -> None:
    clock = start_turn(Pace("days", turn=DAY), parse_local_ms("2026-01-10 12:00"))
    paused_clock = replace(clock, time=pause_time(clock.time, parse_local_ms("2026-01-10 13:00")))
    assert find_user_due(paused_clock, Preferences(every=HOUR), muted=False) is None


def test_vacation_postpones_reminder_by_its_length() -> None:
    start_time = parse_local_ms("2026-01-10 12:00")
    clock = start_turn(Pace("days", turn=5 * DAY), start_time)
    held_clock = replace(clock, time=hold_time(clock.time, parse_local_ms("2026-01-20 12:00"), start_time + DAY))
    assert find_user_due(held_clock, Preferences(), muted=False) == Due(
        at=parse_local_ms("2026-01-23 12:00"), kind="remind"
    )


@given(st.integers(2, 14 * 24), st.integers(0, 1439), st.integers(0, 1439), st.integers(0, 365 * 24))
def test_reminder_is_outside_quiet_hours_and_before_deadline(hours: int, start: int, end: int, hour: int) -> None:
    start_time = parse_utc_ms("2026-01-01 00:00") + hour * HOUR
    preferences = Preferences(quiet=QuietHours(start, end), zone="Europe/Paris", every=5 * HOUR)
    clock = start_turn(Pace("days", turn=hours * HOUR), start_time)
    reminder_time = find_reminder(clock, preferences)
    if reminder_time is not None:
        assert find_quiet_end(preferences, reminder_time) is None or start == end
        assert start_time < reminder_time < start_time + hours * HOUR


def test_vacation_lasts_requested_days_and_uses_them() -> None:
    now = parse_local_ms("2026-07-01 09:00")
    preferences = start_vacation(Preferences(), 14, now)
    assert is_away(preferences, now + 14 * DAY - 1)
    assert not is_away(preferences, now + 14 * DAY)
    assert compute_days_left(preferences, now) == VACATION_DAYS - 14
    assert start_vacation(preferences, 14, now + 20 * DAY).away_until == now + 20 * DAY + 7 * DAY


def test_early_return_gives_unused_vacation_days_back() -> None:
    now = parse_local_ms("2026-07-01 09:00")
    back = now + 3 * DAY + 2 * HOUR
    preferences = end_vacation(start_vacation(Preferences(), 14, now), back)
    assert not is_away(preferences, back)
    assert compute_days_left(preferences, back) == VACATION_DAYS - 4


def test_started_vacation_day_counts_as_used() -> None:
    now = parse_local_ms("2026-07-01 09:00")
    preferences = start_vacation(Preferences(), 14, now)
    assert compute_days_left(end_vacation(preferences, now), now) == VACATION_DAYS - 1
    assert compute_days_left(end_vacation(preferences, now + DAY), now + DAY) == VACATION_DAYS - 1
    assert compute_days_left(end_vacation(preferences, now + DAY + 1), now + DAY + 1) == VACATION_DAYS - 2


def test_vacation_days_return_one_by_one_after_one_year() -> None:
    start_time = parse_utc_ms("2026-12-20 00:00")
    preferences = start_vacation(Preferences(zone="Pacific/Auckland"), 21, start_time)
    assert datetime.fromtimestamp(preferences.away_until / 1000, UTC) == datetime(2026, 12, 20, tzinfo=UTC) + timedelta(
        21
    )
    for zone in ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"):
        moved = replace(preferences, zone=zone)
        assert compute_days_left(moved, parse_utc_ms("2027-01-10 00:00")) == 0
        assert compute_days_left(moved, start_time + 365 * DAY) == 0
        assert compute_days_left(moved, start_time + 366 * DAY) == 1
        assert compute_days_left(moved, start_time + (365 + 21) * DAY) == VACATION_DAYS


def test_at_most_three_vacations_start_in_thirty_days() -> None:
    now, preferences = parse_local_ms("2026-07-01 09:00"), Preferences()
    for number in range(3):
        assert can_start_vacation(preferences, now + number * DAY)
        preferences = end_vacation(start_vacation(preferences, 1, now + number * DAY), now + number * DAY)
    assert compute_days_left(preferences, now + 3 * DAY) == VACATION_DAYS - 3
    assert not can_start_vacation(preferences, now + 3 * DAY)
    assert compute_next_start(preferences, now + 3 * DAY) == now + 30 * DAY
    assert can_start_vacation(preferences, now + 30 * DAY)
