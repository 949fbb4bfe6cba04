"""Timeouts: reminders, the choice of the other players, computer stand-ins, and returning players."""

import pytest

from data.rulebook import load_rules
from data.store.store import Store
from engine.match.actions import Resign
from engine.record import read, rerun, write
from engine.table.commands import ChooseAbsence, Moderate, ReturnToSeat, TakeAction
from engine.table.preferences import Preferences
from engine.table.refusals import Refusal
from engine.table.table_state import Due
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.timed_table import START, TimedTable, other_than, playing, ran_out
from tests.bot.use_cases import ADA, GRACE, LINUS, refusal


@pytest.fixture
def timed_table(store: Store) -> TimedTable:
    return TimedTable(store, START)


async def test_turn_gets_one_reminder_before_its_deadline(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, LINUS)
    assert table.head.due == Due(at=START + DAY * 80 // 100, kind="remind")
    await timed_table.wait(DAY)
    assert [(at - START, kind) for at, kind in timed_table.done] == [(DAY * 80 // 100, "remind"), (DAY, "deadline")]
    (reminder,) = await timed_table.said("remind")
    assert reminder.body["seat"] == table.match.turn
    assert len(await timed_table.said("absence")) == 1


async def test_move_in_time_starts_full_clock_of_next_player(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.wait(23 * HOUR)
    table = await timed_table.move(table.head.match_id)
    assert table.head.due == Due(at=START + 23 * HOUR + DAY * 80 // 100, kind="remind")
    await timed_table.wait(2 * HOUR)
    assert [kind for _, kind in timed_table.done] == ["remind"]


async def test_relaxed_table_reminds_three_times_and_asks_others_after_fortnight(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, clock="relaxed")
    assert table.head.due == Due(at=START + DAY, kind="remind")
    await timed_table.wait(14 * DAY)
    assert [((at - START) // DAY, kind) for at, kind in timed_table.done] == [
        (1, "remind"),
        (3, "remind"),
        (7, "remind"),
        (14, "deadline"),
    ]
    assert len(await timed_table.said("absence")) == 1


async def test_idle_table_closes_after_sixty_days_with_notice(
    timed_table: TimedTable,
) -> None:
    table = await playing(timed_table, GRACE, clock="relaxed")
    await timed_table.wait(60 * DAY)
    assert timed_table.done[-1] == (START + 60 * DAY, "idle")
    table = await timed_table.table(table.head.match_id)
    assert (table.head.state, table.state.close_reason, table.head.due) == ("void", "idle", None)
    assert [row.body["key"] for row in await timed_table.said("notice")][-1] == "idle"


async def test_paused_table_closes_after_sixty_days(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.act(table.head.match_id, Moderate("pause", LINUS, ""))
    await timed_table.wait(60 * DAY)
    assert timed_table.done == [(START + 60 * DAY, "idle")]


async def test_match_against_computers_closes_after_one_idle_day(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1)
    for _ in range(3):
        await timed_table.wait(23 * HOUR)
        table = await timed_table.move(table.head.match_id)
    await timed_table.wait(DAY - 1)
    assert (await timed_table.table(table.head.match_id)).head.state == "open"
    await timed_table.wait(1)
    table = await timed_table.table(table.head.match_id)
    assert (table.head.state, table.state.close_reason) == ("void", "practice_over")


async def test_reminder_keeps_buttons_of_open_hand_valid(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.wait(23 * HOUR)
    now = await timed_table.table(table.head.match_id)
    assert now.head.seq > table.head.seq
    assert now.state.is_current(table.head.seq)
    user = table.find_turn_user()
    acted = await timed_table.acts.act(table.head.match_id, TakeAction(user, Resign, table.head.seq))
    assert acted.events
    assert not acted.table.state.is_current(table.head.seq)


async def test_first_answer_to_absence_question_decides(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, LINUS))
    silent = table.find_turn_user()
    first, second = (row.user_id for row in table.seats if row.user_id != silent)
    asked = table.clock.watch.absence_question
    after = await timed_table.choose(table, first, "wait")
    assert after.head.turn == table.head.turn
    assert after.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")
    assert (
        await refusal(timed_table.act(table.head.match_id, ChooseAbsence(second, "end", asked)))
        is Refusal.NOBODY_ABSENT
    )
    assert (await timed_table.table(table.head.match_id)).head.state == "open"


async def test_absence_choice_of_absent_player_or_watcher_is_refused(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    silent = table.find_turn_user()
    for user, why in ((silent, Refusal.ABSENT_YOURSELF), (99, Refusal.NOT_SEATED)):
        assert await refusal(timed_table.choose(table, user, "end")) is why


async def test_absence_choice_delivered_twice_counts_once(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    asked, request = table.clock.watch.absence_question, timed_table.request()
    once = await timed_table.act(table.head.match_id, ChooseAbsence(other_than(table), "wait", asked), request=request)
    again = await timed_table.act(table.head.match_id, ChooseAbsence(other_than(table), "end", asked), request=request)
    assert again.head == once.head


async def test_computer_plays_one_turn_then_player_continues(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    seat, silent = table.match.turn, table.find_turn_user()
    after = await timed_table.choose(table, other_than(table), "turn")
    assert (after.head.turn.seat, after.head.turn.user) == (seat, None)
    await timed_table.tick()
    table = await timed_table.table(table.head.match_id)
    assert (table.match.turn, table.find_turn_user()) == (1 - seat, other_than(after))
    await timed_table.move(table.head.match_id)
    assert (await timed_table.table(table.head.match_id)).find_turn_user() == silent


async def test_computer_plays_seat_until_player_returns(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    seat, silent = table.match.turn, table.find_turn_user()
    await timed_table.choose(table, other_than(table), "seat")
    for _ in range(3):
        await timed_table.tick()
        table = await timed_table.table(table.head.match_id)
        assert table.match.turn == 1 - seat
        table = await timed_table.move(table.head.match_id)
    table = await timed_table.act(table.head.match_id, ReturnToSeat(silent))
    assert table.find_turn_user() == silent
    assert table.clock.standins == {}
    assert table.head.due.kind == "remind"


async def test_action_of_absent_player_removes_computer_from_seat(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, LINUS))
    seat, silent = table.match.turn, table.find_turn_user()
    await timed_table.choose(table, other_than(table), "seat")
    await timed_table.tick()
    acted = await timed_table.acts.act(table.head.match_id, TakeAction(silent, Resign))
    assert acted.table.clock.standins == {}
    assert acted.table.match.seats[seat].resigned


async def test_return_of_present_player_is_refused(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    assert await refusal(timed_table.act(table.head.match_id, ReturnToSeat(ADA))) is Refusal.NOT_ABSENT


async def test_returning_player_gets_full_turn_time(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    silent = table.find_turn_user()
    table = await timed_table.act(table.head.match_id, ReturnToSeat(silent))
    assert table.clock.watch.absence_question is None
    assert table.clock.watch.timeouts == {}
    assert table.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")


async def test_late_move_counts_and_closes_absence_question(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    asked, other = table.clock.watch.absence_question, other_than(table)
    await timed_table.move(table.head.match_id)
    assert (
        await refusal(timed_table.act(table.head.match_id, ChooseAbsence(other, "end", asked))) is Refusal.NOBODY_ABSENT
    )


async def test_match_ended_by_others_places_absent_player_last(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, LINUS)
    for _ in range(4):
        table = await timed_table.move(table.head.match_id)
    table = await ran_out(timed_table, table)
    silent = table.find_turn_user()
    first, _ = (row.user_id for row in table.seats if row.user_id != silent)
    wished = await timed_table.choose(table, first, "end")
    assert wished.head.state == "open", "nobody ends it alone"
    assert await refusal(timed_table.choose(table, first, "end")) is Refusal.AGREED_ALREADY
    (wish,) = await timed_table.said("notice")
    assert wish.body["key"] == "end_wished"
    _, second = (row.user_id for row in table.seats if row.user_id != silent)
    table = await timed_table.choose(table, second, "end")
    assert table.head.state == "done"
    results = {result.user_id: result for result in await timed_table.store.results.list_results(table.head.match_id)}
    assert results[silent].place == 3  # type: ignore[index]
    assert sorted(result.place for result in results.values())[0] == 1
    assert await timed_table.store.matches.list_due_heads(timed_table.time + 900 * DAY, limit=10) == []
    again = rerun(
        read(
            write(await timed_table.store.matches.list_events(table.head.match_id), load_rules("triominoes")),
            load_rules,
        )
    )
    assert (again.faults, again.is_proved, again.match.ended) == ([], True, table.match.ended)


@pytest.mark.parametrize("absent", ["chosen", "end"])
async def test_match_ended_before_first_turns_has_no_result(timed_table: TimedTable, absent: str) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, LINUS, absent="end"))
    silent = table.find_turn_user()
    if absent == "chosen":
        table = await timed_table.end(table)
    else:
        await timed_table.choose(table, other_than(table), "wait")
        table = await ran_out(timed_table, table)
    assert (table.head.state, table.state.close_reason) == ("void", "aborted")
    (line,) = await timed_table.store.results.list_results(table.head.match_id)
    assert (line.user_id, line.finished, line.rated, line.won) == (silent, False, False, False), "they left"
    assert len(await timed_table.said("notice")) == 2
    assert await timed_table.store.matches.list_due_heads(timed_table.time + 900 * DAY, limit=10) == []


@pytest.mark.parametrize(("absent", "state"), [("turn", "open"), ("seat", "open"), ("end", "done")])
async def test_second_timeout_applies_absence_setting_of_table(
    timed_table: TimedTable, absent: str, state: str
) -> None:
    table = await playing(timed_table, GRACE, LINUS, absent=absent)
    for _ in range(4):
        table = await timed_table.move(table.head.match_id)
    table = await ran_out(timed_table, table)
    seat = table.match.turn
    await timed_table.choose(table, other_than(table), "wait")
    table = await ran_out(timed_table, table)
    assert len(await timed_table.said("absence")) == 1, "they are not asked again"
    assert table.head.state == state
    if absent == "seat":
        assert table.clock.standins == {seat: "seat"}
    if state == "open":
        assert table.match.turn != seat
        assert (await timed_table.said("notice"))[-1].body["key"] == f"{absent}_default"


async def test_timeout_after_return_asks_others_again(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    silent = table.find_turn_user()
    await timed_table.choose(table, other_than(table), "wait")
    await timed_table.move(table.head.match_id)
    table = await timed_table.move(table.head.match_id)
    assert table.find_turn_user() == silent
    table = await ran_out(timed_table, table)
    assert table.clock.watch.absence_question is not None


async def test_unanswered_absence_question_applies_table_setting_after_one_day(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, clock="3d"))
    await timed_table.wait(2 * DAY)
    table = await timed_table.table(table.head.match_id)
    assert table.head.due == Due(at=START + 4 * DAY, kind="default")
    seat = table.match.turn
    await timed_table.wait(DAY)
    assert (await timed_table.table(table.head.match_id)).match.turn != seat


async def test_timeout_against_computers_applies_table_setting_at_once(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="5h")
    await timed_table.tick()
    for _ in range(3):
        before = (await timed_table.table(table.head.match_id)).head.seq
        await timed_table.wait(5 * HOUR)
        now = await timed_table.table(table.head.match_id)
        assert now.head.seq > before
        assert (now.match.turn, now.find_turn_user()) == (0, ADA)
    assert await timed_table.said("absence") == []


async def test_match_waits_while_all_players_are_absent(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, absent="seat")
    table = await ran_out(timed_table, table)
    await timed_table.choose(table, other_than(table), "seat")
    await timed_table.tick()
    for _ in range(3):
        table = await ran_out(timed_table, table)
    assert table.head.state == "open"
    assert len(table.clock.standins) == 1


async def test_computer_turn_uses_no_player_time(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="bank 2d+1h")
    await timed_table.tick()
    await timed_table.move(table.head.match_id)
    timed_table.time += 5 * HOUR
    await timed_table.tick()
    table = await timed_table.table(table.head.match_id)
    assert table.clock.time.banks == (2 * DAY, 2 * DAY)
    assert table.clock.time.allowance == 2 * DAY


async def test_resumed_table_keeps_remaining_turn_time(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.wait(HOUR)
    table = await timed_table.act(table.head.match_id, Moderate("pause", LINUS, "a holiday"))
    assert table.head.due == Due(at=START + HOUR + 60 * DAY, kind="idle")
    await timed_table.wait(40 * DAY)
    assert timed_table.done == []
    table = await timed_table.act(table.head.match_id, Moderate("resume", LINUS, ""))
    await timed_table.wait(23 * HOUR - MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind"]
    await timed_table.wait(MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind", "deadline"]


async def test_paused_table_refuses_second_pause_skip_and_moves(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    match_id = table.head.match_id
    assert await refusal(timed_table.act(match_id, Moderate("resume", LINUS, ""))) is Refusal.NOT_PAUSED
    await timed_table.act(match_id, Moderate("pause", LINUS, ""))
    for kind in ("pause", "skip"):
        assert await refusal(timed_table.act(match_id, Moderate(kind, LINUS, ""))) is Refusal.PAUSED_ALREADY
    assert await refusal(timed_table.move(match_id)) is Refusal.PAUSED


async def test_pause_stops_deadline_of_absence_question(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    await timed_table.act(table.head.match_id, Moderate("pause", LINUS, ""))
    await timed_table.wait(30 * DAY)
    table = await timed_table.act(table.head.match_id, Moderate("resume", LINUS, ""))
    assert table.head.due == Due(at=timed_table.time + DAY, kind="default")


async def test_skipped_turn_is_played_by_computer(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, clock="relaxed")
    seat = table.match.turn
    await timed_table.act(table.head.match_id, Moderate("skip", LINUS, "they asked for it"))
    await timed_table.tick()
    table = await timed_table.table(table.head.match_id)
    assert table.match.turn != seat
    assert table.clock.standins == {}


async def test_vacation_stops_clock_and_posts_notice(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.wait(HOUR)
    wishes = await timed_table.people.set_vacation(user, 10)
    table = await timed_table.table(table.head.match_id)
    assert table.clock.watch.away == {table.match.turn: wishes.away_until}
    (said,) = await timed_table.said("notice")
    assert (said.body["key"], said.body["seat"]) == ("away", table.match.turn)
    await timed_table.wait_until(wishes.away_until + 23 * HOUR - MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind"]
    await timed_table.wait(MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind", "deadline"]


async def test_early_return_from_vacation_restarts_clock(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.people.set_vacation(user, 10)
    await timed_table.wait(3 * DAY)
    await timed_table.people.set_vacation(user, 0)
    table = await timed_table.table(table.head.match_id)
    assert table.clock.watch.away == {}
    assert table.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")
    assert [row.body["key"] for row in await timed_table.said("notice")] == ["away", "home"]


async def test_player_on_vacation_can_move(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.people.set_vacation(user, 10)
    assert (await timed_table.move(table.head.match_id)).find_turn_user() != user


async def test_vacation_without_days_left_is_refused(timed_table: TimedTable) -> None:
    await timed_table.people.set_vacation(ADA, 21)
    await timed_table.wait(22 * DAY)
    assert await refusal(timed_table.people.set_vacation(ADA, 1)) is Refusal.NO_VACATION_LEFT


async def test_timeout_starts_automatic_vacation_when_enabled(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.people.set(user, lambda _: Preferences(automatic=True))
    table = await ran_out(timed_table, table)
    assert table.clock.watch.absence_question is None
    assert table.clock.watch.away == {table.match.turn: timed_table.time + 3 * DAY}
    assert [row.body["key"] for row in await timed_table.said("notice")] == ["away_by_itself"]
    assert table.head.due == Due(at=timed_table.time + 3 * DAY + DAY * 80 // 100, kind="remind")


async def test_muting_turn_suppresses_reminder_of_that_turn_only(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.people.mute(table.head.match_id, user)
    await timed_table.wait(DAY - HOUR)
    assert timed_table.done == []
    await timed_table.move(table.head.match_id)
    table = await timed_table.move(table.head.match_id)
    assert table.find_turn_user() == user
    assert table.head.due.kind == "remind"


async def test_muting_turn_of_other_player_is_refused(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    assert await refusal(timed_table.people.mute(table.head.match_id, other_than(table))) is Refusal.NOTHING_TO_MUTE


async def test_reminder_interval_set_during_turn_counts_from_turn_start(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.people.set(user, lambda _: Preferences(every=6 * HOUR))
    await timed_table.wait(DAY)
    hours = [(at - START) / HOUR for at, kind in timed_table.done if kind == "remind"]
    assert hours == [6, 12, 18, 19.2]
