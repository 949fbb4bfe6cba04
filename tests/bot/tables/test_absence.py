"""Timeouts: reminders, the choice of the other players, computer stand-ins, and returning players."""

import pytest

from data.rulebook import load_rules
from engine.match.actions import Resign
from engine.record import read, rerun, write
from engine.table.commands import ChooseAbsence, Moderate, ReturnToSeat, TakeAction
from engine.table.preferences import Preferences
from engine.table.refusals import Refusal
from engine.table.table_state import Due
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.timed_table import START, TimedTable, get_waiting_user, let_turn_expire, start_match
from tests.bot.use_cases import ADA, GRACE, LINUS, catch_refusal


async def test_turn_gets_one_reminder_before_its_deadline(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, LINUS)
    assert table.head.due == Due(at=START + DAY * 80 // 100, kind="remind")
    await timed_table.wait(DAY)
    assert [(time - START, kind) for time, kind in timed_table.finished_jobs] == [
        (DAY * 80 // 100, "remind"),
        (DAY, "deadline"),
    ]
    (reminder,) = await timed_table.list_posts("remind")
    assert reminder.body["seat"] == table.match.turn
    assert len(await timed_table.list_posts("absence")) == 1


async def test_move_in_time_starts_full_clock_of_next_player(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    await timed_table.wait(23 * HOUR)
    table = await timed_table.play_turn(table)
    assert table.head.due == Due(at=START + 23 * HOUR + DAY * 80 // 100, kind="remind")
    await timed_table.wait(2 * HOUR)
    assert [kind for _, kind in timed_table.finished_jobs] == ["remind"]


async def test_relaxed_table_reminds_three_times_and_asks_others_after_fortnight(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, clock="relaxed")
    assert table.head.due == Due(at=START + DAY, kind="remind")
    await timed_table.wait(14 * DAY)
    assert [((time - START) // DAY, kind) for time, kind in timed_table.finished_jobs] == [
        (1, "remind"),
        (3, "remind"),
        (7, "remind"),
        (14, "deadline"),
    ]
    assert len(await timed_table.list_posts("absence")) == 1


async def test_idle_table_closes_after_sixty_days_with_notice(
    timed_table: TimedTable,
) -> None:
    table = await start_match(timed_table, GRACE, clock="relaxed")
    await timed_table.wait(60 * DAY)
    assert timed_table.finished_jobs[-1] == (START + 60 * DAY, "idle")
    table = await timed_table.load_table(table)
    assert (table.head.state, table.state.close_reason, table.head.due) == ("void", "idle", None)
    assert [row.body["key"] for row in await timed_table.list_posts("notice")][-1] == "idle"


async def test_paused_table_closes_after_sixty_days(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    await timed_table.act(table, Moderate("pause", LINUS, ""))
    await timed_table.wait(60 * DAY)
    assert timed_table.finished_jobs == [(START + 60 * DAY, "idle")]


async def test_match_against_computers_closes_after_one_idle_day(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1)
    for _ in range(3):
        await timed_table.wait(23 * HOUR)
        table = await timed_table.play_turn(table)
    await timed_table.wait(DAY - 1)
    assert (await timed_table.load_table(table)).head.state == "open"
    await timed_table.wait(1)
    table = await timed_table.load_table(table)
    assert (table.head.state, table.state.close_reason) == ("void", "practice_over")


async def test_reminder_keeps_buttons_of_open_hand_valid(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    await timed_table.wait(23 * HOUR)
    table_now = await timed_table.load_table(table)
    assert table_now.head.seq > table.head.seq
    assert table_now.state.is_current(table.head.seq)
    user = table.find_turn_user()
    acted = await timed_table.acts.act(table.head.match_id, TakeAction(user, Resign, table.head.seq))
    assert acted.events
    assert not acted.table.state.is_current(table.head.seq)


async def test_first_answer_to_absence_question_decides(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE, LINUS))
    absent_user = table.find_turn_user()
    first, second = (row.user_id for row in table.seats if row.user_id != absent_user)
    question = table.clock.watch.absence_question
    after = await timed_table.choose_absence(table, first, "wait")
    assert after.head.turn == table.head.turn
    assert after.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")
    assert await catch_refusal(timed_table.act(table, ChooseAbsence(second, "end", question))) is Refusal.NOBODY_ABSENT
    assert (await timed_table.load_table(table)).head.state == "open"


async def test_absence_choice_delivered_twice_counts_once(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    question, request = table.clock.watch.absence_question, timed_table.create_request_id()
    once = await timed_table.act(table, ChooseAbsence(get_waiting_user(table), "wait", question), request=request)
    repeated = await timed_table.act(table, ChooseAbsence(get_waiting_user(table), "end", question), request=request)
    assert repeated.head == once.head


async def test_computer_plays_one_turn_then_player_continues(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    seat, absent_user = table.match.turn, table.find_turn_user()
    after = await timed_table.choose_absence(table, get_waiting_user(table), "turn")
    assert (after.head.turn.seat, after.head.turn.user) == (seat, None)
    await timed_table.tick()
    table = await timed_table.load_table(table)
    assert (table.match.turn, table.find_turn_user()) == (1 - seat, get_waiting_user(after))
    await timed_table.play_turn(table)
    assert (await timed_table.load_table(table)).find_turn_user() == absent_user


async def test_computer_plays_seat_until_player_returns(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    seat, absent_user = table.match.turn, table.find_turn_user()
    await timed_table.choose_absence(table, get_waiting_user(table), "seat")
    for _ in range(3):
        await timed_table.tick()
        table = await timed_table.load_table(table)
        assert table.match.turn == 1 - seat
        table = await timed_table.play_turn(table)
    table = await timed_table.act(table, ReturnToSeat(absent_user))
    assert table.find_turn_user() == absent_user
    assert table.clock.standins == {}
    assert table.head.due.kind == "remind"


async def test_action_of_absent_player_removes_computer_from_seat(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE, LINUS))
    seat, absent_user = table.match.turn, table.find_turn_user()
    await timed_table.choose_absence(table, get_waiting_user(table), "seat")
    await timed_table.tick()
    acted = await timed_table.acts.act(table.head.match_id, TakeAction(absent_user, Resign))
    assert acted.table.clock.standins == {}
    assert acted.table.match.seats[seat].resigned


async def test_returning_player_gets_full_turn_time(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    absent_user = table.find_turn_user()
    table = await timed_table.act(table, ReturnToSeat(absent_user))
    assert table.clock.watch.absence_question is None
    assert table.clock.watch.timeouts == {}
    assert table.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")


async def test_match_ended_by_others_places_absent_player_last(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, LINUS)
    for _ in range(4):
        table = await timed_table.play_turn(table)
    table = await let_turn_expire(timed_table, table)
    absent_user = table.find_turn_user()
    first, _ = (row.user_id for row in table.seats if row.user_id != absent_user)
    first_choice = await timed_table.choose_absence(table, first, "end")
    assert first_choice.head.state == "open", "nobody ends it alone"
    assert await catch_refusal(timed_table.choose_absence(table, first, "end")) is Refusal.AGREED_ALREADY
    (notice,) = await timed_table.list_posts("notice")
    assert notice.body["key"] == "end_wished"
    _, second = (row.user_id for row in table.seats if row.user_id != absent_user)
    table = await timed_table.choose_absence(table, second, "end")
    assert table.head.state == "done"
    results = {result.user_id: result for result in await timed_table.store.results.list_results(table.head.match_id)}
    assert results[absent_user].place == 3
    assert sorted(result.place for result in results.values())[0] == 1
    assert await timed_table.store.matches.list_due_heads(timed_table.time + 900 * DAY, limit=10) == []
    replayed = rerun(
        read(
            write(await timed_table.store.matches.list_events(table.head.match_id), load_rules("triominoes")),
            load_rules,
        )
    )
    assert (replayed.faults, replayed.is_proved, replayed.match.ended) == ([], True, table.match.ended)


@pytest.mark.parametrize("absent", ["chosen", "end"])
async def test_match_ended_before_first_turns_has_no_result(timed_table: TimedTable, absent: str) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE, LINUS, absent="end"))
    absent_user = table.find_turn_user()
    if absent == "chosen":
        table = await timed_table.choose_end(table)
    else:
        await timed_table.choose_absence(table, get_waiting_user(table), "wait")
        table = await let_turn_expire(timed_table, table)
    assert (table.head.state, table.state.close_reason) == ("void", "aborted")
    (line,) = await timed_table.store.results.list_results(table.head.match_id)
    assert (line.user_id, line.finished, line.rated, line.won) == (absent_user, False, False, False), "they left"
    assert len(await timed_table.list_posts("notice")) == 2
    assert await timed_table.store.matches.list_due_heads(timed_table.time + 900 * DAY, limit=10) == []


@pytest.mark.parametrize(("absent", "state"), [("turn", "open"), ("seat", "open"), ("end", "done")])
async def test_second_timeout_applies_absence_setting_of_table(
    timed_table: TimedTable, absent: str, state: str
) -> None:
    table = await start_match(timed_table, GRACE, LINUS, absent=absent)
    for _ in range(4):
        table = await timed_table.play_turn(table)
    table = await let_turn_expire(timed_table, table)
    seat = table.match.turn
    await timed_table.choose_absence(table, get_waiting_user(table), "wait")
    table = await let_turn_expire(timed_table, table)
    assert len(await timed_table.list_posts("absence")) == 1, "they are not asked again"
    assert table.head.state == state
    if absent == "seat":
        assert table.clock.standins == {seat: "seat"}
    if state == "open":
        assert table.match.turn != seat
        assert (await timed_table.list_posts("notice"))[-1].body["key"] == f"{absent}_default"


async def test_timeout_after_return_asks_others_again(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    absent_user = table.find_turn_user()
    await timed_table.choose_absence(table, get_waiting_user(table), "wait")
    await timed_table.play_turn(table)
    table = await timed_table.play_turn(table)
    assert table.find_turn_user() == absent_user
    table = await let_turn_expire(timed_table, table)
    assert table.clock.watch.absence_question is not None


async def test_unanswered_absence_question_applies_table_setting_after_one_day(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE, clock="3d"))
    await timed_table.wait(2 * DAY)
    table = await timed_table.load_table(table)
    assert table.head.due == Due(at=START + 4 * DAY, kind="default")
    seat = table.match.turn
    await timed_table.wait(DAY)
    assert (await timed_table.load_table(table)).match.turn != seat


async def test_timeout_against_computers_applies_table_setting_at_once(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="5h")
    await timed_table.tick()
    for _ in range(3):
        before = (await timed_table.load_table(table)).head.seq
        await timed_table.wait(5 * HOUR)
        table_now = await timed_table.load_table(table)
        assert table_now.head.seq > before
        assert (table_now.match.turn, table_now.find_turn_user()) == (0, ADA)
    assert await timed_table.list_posts("absence") == []


async def test_match_waits_while_all_players_are_absent(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, absent="seat")
    table = await let_turn_expire(timed_table, table)
    await timed_table.choose_absence(table, get_waiting_user(table), "seat")
    await timed_table.tick()
    for _ in range(3):
        table = await let_turn_expire(timed_table, table)
    assert table.head.state == "open"
    assert len(table.clock.standins) == 1


async def test_computer_turn_uses_no_player_time(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="bank 2d+1h")
    await timed_table.tick()
    await timed_table.play_turn(table)
    timed_table.time += 5 * HOUR
    await timed_table.tick()
    table = await timed_table.load_table(table)
    assert table.clock.time.banks == (2 * DAY, 2 * DAY)
    assert table.clock.time.allowance == 2 * DAY


async def test_resumed_table_keeps_remaining_turn_time(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    await timed_table.wait(HOUR)
    table = await timed_table.act(table, Moderate("pause", LINUS, "a holiday"))
    assert table.head.due == Due(at=START + HOUR + 60 * DAY, kind="idle")
    await timed_table.wait(40 * DAY)
    assert timed_table.finished_jobs == []
    table = await timed_table.act(table, Moderate("resume", LINUS, ""))
    await timed_table.wait(23 * HOUR - MINUTE)
    assert [kind for _, kind in timed_table.finished_jobs] == ["remind"]
    await timed_table.wait(MINUTE)
    assert [kind for _, kind in timed_table.finished_jobs] == ["remind", "deadline"]


async def test_paused_table_refuses_second_pause_skip_and_moves(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    match_id = table.head.match_id
    assert await catch_refusal(timed_table.act(match_id, Moderate("resume", LINUS, ""))) is Refusal.NOT_PAUSED
    await timed_table.act(match_id, Moderate("pause", LINUS, ""))
    for kind in ("pause", "skip"):
        assert await catch_refusal(timed_table.act(match_id, Moderate(kind, LINUS, ""))) is Refusal.PAUSED_ALREADY
    assert await catch_refusal(timed_table.play_turn(match_id)) is Refusal.PAUSED


async def test_pause_stops_deadline_of_absence_question(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    await timed_table.act(table, Moderate("pause", LINUS, ""))
    await timed_table.wait(30 * DAY)
    table = await timed_table.act(table, Moderate("resume", LINUS, ""))
    assert table.head.due == Due(at=timed_table.time + DAY, kind="default")


async def test_vacation_stops_clock_and_posts_notice(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.wait(HOUR)
    preferences = await timed_table.user_settings.set_vacation(user, 10)
    table = await timed_table.load_table(table)
    assert table.clock.watch.away == {table.match.turn: preferences.away_until}
    (notice,) = await timed_table.list_posts("notice")
    assert (notice.body["key"], notice.body["seat"]) == ("away", table.match.turn)
    await timed_table.wait_until(preferences.away_until + 23 * HOUR - MINUTE)
    assert [kind for _, kind in timed_table.finished_jobs] == ["remind"]
    await timed_table.wait(MINUTE)
    assert [kind for _, kind in timed_table.finished_jobs] == ["remind", "deadline"]


async def test_early_return_from_vacation_restarts_clock(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.user_settings.set_vacation(user, 10)
    await timed_table.wait(3 * DAY)
    await timed_table.user_settings.set_vacation(user, 0)
    table = await timed_table.load_table(table)
    assert table.clock.watch.away == {}
    assert table.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")
    assert [row.body["key"] for row in await timed_table.list_posts("notice")] == ["away", "home"]


async def test_player_on_vacation_can_move(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.user_settings.set_vacation(user, 10)
    assert (await timed_table.play_turn(table)).find_turn_user() != user


async def test_timeout_starts_automatic_vacation_when_enabled(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.user_settings.set(user, lambda _: Preferences(automatic=True))
    table = await let_turn_expire(timed_table, table)
    assert table.clock.watch.absence_question is None
    assert table.clock.watch.away == {table.match.turn: timed_table.time + 3 * DAY}
    assert [row.body["key"] for row in await timed_table.list_posts("notice")] == ["away_by_itself"]
    assert table.head.due == Due(at=timed_table.time + 3 * DAY + DAY * 80 // 100, kind="remind")


async def test_muting_turn_suppresses_reminder_of_that_turn_only(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.user_settings.mute(table.head.match_id, user)
    await timed_table.wait(DAY - HOUR)
    assert timed_table.finished_jobs == []
    await timed_table.play_turn(table)
    table = await timed_table.play_turn(table)
    assert table.find_turn_user() == user
    assert table.head.due.kind == "remind"


async def test_reminder_interval_set_during_turn_counts_from_turn_start(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.user_settings.set(user, lambda _: Preferences(every=6 * HOUR))
    await timed_table.wait(DAY)
    hours = [(time - START) / HOUR for time, kind in timed_table.finished_jobs if kind == "remind"]
    assert hours == [6, 12, 18, 19.2]
