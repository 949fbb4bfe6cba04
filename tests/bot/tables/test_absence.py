"""When somebody's time runs out: reminders, what the others choose, stand-ins, and coming back."""

import pytest

from data.rulebook import rules
from data.store.store import Store
from engine.match.actions import Resign
from engine.record import read, rerun, write
from engine.table.commands import Act, ChooseAbsence, ComeBack, Rule
from engine.table.preferences import Preferences
from engine.table.refusals import No
from engine.table.table_state import Due
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.timed_table import START, TimedTable, other_than, playing, ran_out
from tests.bot.use_cases import ADA, GRACE, LINUS, refusal


@pytest.fixture
def timed_table(store: Store) -> TimedTable:
    return TimedTable(store, START)


async def test_turn_is_reminded_of_once_and_then_its_time_is_up(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, LINUS)
    assert table.head.due == Due(at=START + DAY * 80 // 100, kind="remind")
    await timed_table.wait(DAY)
    assert [(at - START, kind) for at, kind in timed_table.done] == [(DAY * 80 // 100, "remind"), (DAY, "deadline")]
    (reminder,) = await timed_table.said("remind")
    assert reminder.body["seat"] == table.match.turn
    assert len(await timed_table.said("absence")) == 1


async def test_move_in_time_arms_next_persons_clock_afresh(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.wait(23 * HOUR)
    table = await timed_table.move(table.head.match_id)
    assert table.head.due == Due(at=START + 23 * HOUR + DAY * 80 // 100, kind="remind")
    await timed_table.wait(2 * HOUR)
    assert [kind for _, kind in timed_table.done] == ["remind"]


async def test_relaxed_table_calls_again_and_lets_others_choose_after_fortnight(timed_table: TimedTable) -> None:
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


async def test_table_at_which_nobody_does_anything_is_closed_after_sixty_days_and_says_so(
    timed_table: TimedTable,
) -> None:
    table = await playing(timed_table, GRACE, clock="relaxed")
    await timed_table.wait(60 * DAY)
    assert timed_table.done[-1] == (START + 60 * DAY, "idle")
    table = await timed_table.table(table.head.match_id)
    assert (table.head.state, table.state.closed, table.head.due) == ("void", "idle", None)
    assert [row.body["key"] for row in await timed_table.said("notice")][-1] == "idle"


async def test_paused_table_is_closed_after_sixty_days_too(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.act(table.head.match_id, Rule("pause", LINUS, ""))
    await timed_table.wait(60 * DAY)
    assert timed_table.done == [(START + 60 * DAY, "idle")]


async def test_match_against_computers_ends_after_day_of_silence_and_not_before(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1)
    for _ in range(3):
        await timed_table.wait(23 * HOUR)
        table = await timed_table.move(table.head.match_id)
    await timed_table.wait(DAY - 1)
    assert (await timed_table.table(table.head.match_id)).head.state == "open"
    await timed_table.wait(1)
    table = await timed_table.table(table.head.match_id)
    assert (table.head.state, table.state.closed) == ("void", "practice_over")


async def test_reminder_leaves_buttons_of_open_hand_good(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.wait(23 * HOUR)
    now = await timed_table.table(table.head.match_id)
    assert now.head.seq > table.head.seq
    assert now.state.still(table.head.seq)
    user = table.turn_user()
    acted = await timed_table.acts.act(table.head.match_id, Act(user, Resign, table.head.seq))
    assert acted.events
    assert not acted.table.state.still(table.head.seq)


async def test_others_are_asked_and_first_to_choose_decides(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, LINUS))
    silent = table.turn_user()
    first, second = (row.user_id for row in table.seats if row.user_id != silent)
    asked = table.clock.watch.asking
    after = await timed_table.choose(table, first, "wait")
    assert after.head.turn == table.head.turn
    assert after.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")
    assert await refusal(timed_table.act(table.head.match_id, ChooseAbsence(second, "end", asked))) is No.NOBODY_ABSENT
    assert (await timed_table.table(table.head.match_id)).head.state == "open"


async def test_silent_one_and_those_who_watch_choose_nothing(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    silent = table.turn_user()
    for user, why in ((silent, No.ABSENT_YOURSELF), (99, No.NOT_SEATED)):
        assert await refusal(timed_table.choose(table, user, "end")) is why


async def test_same_press_delivered_twice_has_one_effect(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    asked, request = table.clock.watch.asking, timed_table.request()
    once = await timed_table.act(table.head.match_id, ChooseAbsence(other_than(table), "wait", asked), request=request)
    again = await timed_table.act(table.head.match_id, ChooseAbsence(other_than(table), "end", asked), request=request)
    assert again.head == once.head


async def test_computer_takes_that_turn_and_next_one_is_persons_own(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    seat, silent = table.match.turn, table.turn_user()
    after = await timed_table.choose(table, other_than(table), "turn")
    assert (after.head.turn.seat, after.head.turn.user) == (seat, None)
    await timed_table.tick()
    table = await timed_table.table(table.head.match_id)
    assert (table.match.turn, table.turn_user()) == (1 - seat, other_than(after))
    await timed_table.move(table.head.match_id)
    assert (await timed_table.table(table.head.match_id)).turn_user() == silent


async def test_computer_keeps_seat_until_its_owner_is_back(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    seat, silent = table.match.turn, table.turn_user()
    await timed_table.choose(table, other_than(table), "seat")
    for _ in range(3):
        await timed_table.tick()
        table = await timed_table.table(table.head.match_id)
        assert table.match.turn == 1 - seat
        table = await timed_table.move(table.head.match_id)
    table = await timed_table.act(table.head.match_id, ComeBack(silent))
    assert table.turn_user() == silent
    assert table.clock.standins == {}
    assert table.head.due.kind == "remind"


async def test_any_act_of_owner_takes_seat_back(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, LINUS))
    seat, silent = table.match.turn, table.turn_user()
    await timed_table.choose(table, other_than(table), "seat")
    await timed_table.tick()
    acted = await timed_table.acts.act(table.head.match_id, Act(silent, Resign))
    assert acted.table.clock.standins == {}
    assert acted.table.match.seats[seat].resigned


async def test_being_back_when_nobody_missed_you_says_so(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    assert await refusal(timed_table.act(table.head.match_id, ComeBack(ADA))) is No.NOT_ABSENT


async def test_whoever_answers_question_about_them_gets_as_much_time_again(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    silent = table.turn_user()
    table = await timed_table.act(table.head.match_id, ComeBack(silent))
    assert table.clock.watch.asking is None
    assert table.clock.watch.silences == {}
    assert table.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")


async def test_late_move_is_still_move_and_closes_question(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    asked, other = table.clock.watch.asking, other_than(table)
    await timed_table.move(table.head.match_id)
    assert await refusal(timed_table.act(table.head.match_id, ChooseAbsence(other, "end", asked))) is No.NOBODY_ABSENT


async def test_match_ended_by_others_places_absent_player_last(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, LINUS)
    for _ in range(4):
        table = await timed_table.move(table.head.match_id)
    table = await ran_out(timed_table, table)
    silent = table.turn_user()
    first, _ = (row.user_id for row in table.seats if row.user_id != silent)
    wished = await timed_table.choose(table, first, "end")
    assert wished.head.state == "open", "nobody ends it alone"
    assert await refusal(timed_table.choose(table, first, "end")) is No.AGREED_ALREADY
    (wish,) = await timed_table.said("notice")
    assert wish.body["key"] == "end_wished"
    _, second = (row.user_id for row in table.seats if row.user_id != silent)
    table = await timed_table.choose(table, second, "end")
    assert table.head.state == "done"
    results = {result.user_id: result for result in await timed_table.store.results.of_match(table.head.match_id)}
    assert results[silent].place == 3  # type: ignore[index]
    assert sorted(result.place for result in results.values())[0] == 1
    assert await timed_table.store.matches.heads_due(timed_table.time + 900 * DAY, limit=10) == []
    again = rerun(read(write(await timed_table.store.matches.events(table.head.match_id), rules("triominoes")), rules))
    assert (again.faults, again.proved, again.match.ended) == ([], True, table.match.ended)


@pytest.mark.parametrize("absent", ["chosen", "end"])
async def test_before_everybody_has_had_turn_match_ends_without_result(timed_table: TimedTable, absent: str) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, LINUS, absent="end"))
    silent = table.turn_user()
    if absent == "chosen":
        table = await timed_table.end(table)
    else:
        await timed_table.choose(table, other_than(table), "wait")
        table = await ran_out(timed_table, table)
    assert (table.head.state, table.state.closed) == ("void", "aborted")
    (line,) = await timed_table.store.results.of_match(table.head.match_id)
    assert (line.user_id, line.finished, line.rated, line.won) == (silent, False, False, False), "they left"
    assert len(await timed_table.said("notice")) == 2
    assert await timed_table.store.matches.heads_due(timed_table.time + 900 * DAY, limit=10) == []


@pytest.mark.parametrize(("absent", "state"), [("turn", "open"), ("seat", "open"), ("end", "done")])
async def test_after_second_silence_tables_terms_apply(timed_table: TimedTable, absent: str, state: str) -> None:
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


async def test_somebody_who_was_there_in_between_is_asked_about_anew(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    silent = table.turn_user()
    await timed_table.choose(table, other_than(table), "wait")
    await timed_table.move(table.head.match_id)
    table = await timed_table.move(table.head.match_id)
    assert table.turn_user() == silent
    table = await ran_out(timed_table, table)
    assert table.clock.watch.asking is not None


async def test_where_nobody_chooses_tables_terms_apply_day_later(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE, clock="3d"))
    await timed_table.wait(2 * DAY)
    table = await timed_table.table(table.head.match_id)
    assert table.head.due == Due(at=START + 4 * DAY, kind="default")
    seat = table.match.turn
    await timed_table.wait(DAY)
    assert (await timed_table.table(table.head.match_id)).match.turn != seat


async def test_against_computers_alone_terms_apply_at_once(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="5h")
    await timed_table.tick()
    for _ in range(3):
        before = (await timed_table.table(table.head.match_id)).head.seq
        await timed_table.wait(5 * HOUR)
        now = await timed_table.table(table.head.match_id)
        assert now.head.seq > before
        assert (now.match.turn, now.turn_user()) == (0, ADA)
    assert await timed_table.said("absence") == []


async def test_computers_never_play_match_out_while_everybody_is_away(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, absent="seat")
    table = await ran_out(timed_table, table)
    await timed_table.choose(table, other_than(table), "seat")
    await timed_table.tick()
    for _ in range(3):
        table = await ran_out(timed_table, table)
    assert table.head.state == "open"
    assert len(table.clock.standins) == 1


async def test_computers_turn_takes_nobodys_time(timed_table: TimedTable) -> None:
    table = await timed_table.open(seats=2, computers=1, clock="bank 2d+1h")
    await timed_table.tick()
    await timed_table.move(table.head.match_id)
    timed_table.time += 5 * HOUR
    await timed_table.tick()
    table = await timed_table.table(table.head.match_id)
    assert table.clock.time.banks == (2 * DAY, 2 * DAY)
    assert table.clock.time.allowance == 2 * DAY


async def test_paused_table_waits_and_goes_on_with_time_it_had(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    await timed_table.wait(HOUR)
    table = await timed_table.act(table.head.match_id, Rule("pause", LINUS, "a holiday"))
    assert table.head.due == Due(at=START + HOUR + 60 * DAY, kind="idle")
    await timed_table.wait(40 * DAY)
    assert timed_table.done == []
    table = await timed_table.act(table.head.match_id, Rule("resume", LINUS, ""))
    await timed_table.wait(23 * HOUR - MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind"]
    await timed_table.wait(MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind", "deadline"]


async def test_pause_is_neither_made_nor_ended_twice_and_no_move_is_made_in_it(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    match_id = table.head.match_id
    assert await refusal(timed_table.act(match_id, Rule("resume", LINUS, ""))) is No.NOT_PAUSED
    await timed_table.act(match_id, Rule("pause", LINUS, ""))
    for kind in ("pause", "skip"):
        assert await refusal(timed_table.act(match_id, Rule(kind, LINUS, ""))) is No.PAUSED_ALREADY
    assert await refusal(timed_table.move(match_id)) is No.PAUSED


async def test_pause_during_question_lets_it_wait_too(timed_table: TimedTable) -> None:
    table = await ran_out(timed_table, await playing(timed_table, GRACE))
    await timed_table.act(table.head.match_id, Rule("pause", LINUS, ""))
    await timed_table.wait(30 * DAY)
    table = await timed_table.act(table.head.match_id, Rule("resume", LINUS, ""))
    assert table.head.due == Due(at=timed_table.time + DAY, kind="default")


async def test_skipped_turn_is_computers(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE, clock="relaxed")
    seat = table.match.turn
    await timed_table.act(table.head.match_id, Rule("skip", LINUS, "they asked for it"))
    await timed_table.tick()
    table = await timed_table.table(table.head.match_id)
    assert table.match.turn != seat
    assert table.clock.standins == {}


async def test_vacation_stops_clock_of_its_person_and_tells_their_tables(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.turn_user()
    await timed_table.wait(HOUR)
    wishes = await timed_table.people.leave(user, 10)
    table = await timed_table.table(table.head.match_id)
    assert table.clock.watch.away == {table.match.turn: wishes.away_until}
    (said,) = await timed_table.said("notice")
    assert (said.body["key"], said.body["seat"]) == ("away", table.match.turn)
    await timed_table.wait_until(wishes.away_until + 23 * HOUR - MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind"]
    await timed_table.wait(MINUTE)
    assert [kind for _, kind in timed_table.done] == ["remind", "deadline"]


async def test_who_comes_back_early_has_their_clock_run_from_then(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.turn_user()
    await timed_table.people.leave(user, 10)
    await timed_table.wait(3 * DAY)
    await timed_table.people.leave(user, 0)
    table = await timed_table.table(table.head.match_id)
    assert table.clock.watch.away == {}
    assert table.head.due == Due(at=timed_table.time + DAY * 80 // 100, kind="remind")
    assert [row.body["key"] for row in await timed_table.said("notice")] == ["away", "home"]


async def test_vacation_does_not_keep_anybody_from_playing(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.turn_user()
    await timed_table.people.leave(user, 10)
    assert (await timed_table.move(table.head.match_id)).turn_user() != user


async def test_days_of_year_run_out(timed_table: TimedTable) -> None:
    await timed_table.people.leave(ADA, 21)
    await timed_table.wait(22 * DAY)
    assert await refusal(timed_table.people.leave(ADA, 1)) is No.NO_VACATION_LEFT


async def test_vacation_begins_by_itself_only_for_those_who_asked_for_it(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.turn_user()
    await timed_table.people.set(user, lambda _: Preferences(automatic=True))
    table = await ran_out(timed_table, table)
    assert table.clock.watch.asking is None
    assert table.clock.watch.away == {table.match.turn: timed_table.time + 3 * DAY}
    assert [row.body["key"] for row in await timed_table.said("notice")] == ["away_by_itself"]
    assert table.head.due == Due(at=timed_table.time + 3 * DAY + DAY * 80 // 100, kind="remind")


async def test_muted_turn_is_not_reminded_of_and_next_one_is(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.turn_user()
    await timed_table.people.mute(table.head.match_id, user)
    await timed_table.wait(DAY - HOUR)
    assert timed_table.done == []
    await timed_table.move(table.head.match_id)
    table = await timed_table.move(table.head.match_id)
    assert table.turn_user() == user
    assert table.head.due.kind == "remind"


async def test_turn_that_is_over_cannot_be_muted(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    assert await refusal(timed_table.people.mute(table.head.match_id, other_than(table))) is No.NOTHING_TO_MUTE


async def test_interval_that_is_set_during_turn_counts_from_its_beginning(timed_table: TimedTable) -> None:
    table = await playing(timed_table, GRACE)
    user = table.turn_user()
    await timed_table.people.set(user, lambda _: Preferences(every=6 * HOUR))
    await timed_table.wait(DAY)
    hours = [(at - START) / HOUR for at, kind in timed_table.done if kind == "remind"]
    assert hours == [6, 12, 18, 19.2]
