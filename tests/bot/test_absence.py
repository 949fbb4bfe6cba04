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
from tests.bot.desk import ADA, GRACE, LINUS, refusal
from tests.bot.waiting_room import START, WaitingRoom, other_than, playing, ran_out


@pytest.fixture
def room(store: Store) -> WaitingRoom:
    return WaitingRoom(store, START)


async def test_turn_is_reminded_of_once_and_then_its_time_is_up(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, LINUS)
    assert table.head.due == Due(at=START + DAY * 80 // 100, kind="remind")
    await room.wait(DAY)
    assert [(at - START, kind) for at, kind in room.done] == [(DAY * 80 // 100, "remind"), (DAY, "deadline")]
    (reminder,) = await room.said("remind")
    assert reminder.body["seat"] == table.match.turn
    assert len(await room.said("absence")) == 1


async def test_move_in_time_arms_next_persons_clock_afresh(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    await room.wait(23 * HOUR)
    table = await room.move(table.head.match_id)
    assert table.head.due == Due(at=START + 23 * HOUR + DAY * 80 // 100, kind="remind")
    await room.wait(2 * HOUR)
    assert [kind for _, kind in room.done] == ["remind"]


async def test_relaxed_table_calls_again_and_lets_others_choose_after_fortnight(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, clock="relaxed")
    assert table.head.due == Due(at=START + DAY, kind="remind")
    await room.wait(14 * DAY)
    assert [((at - START) // DAY, kind) for at, kind in room.done] == [
        (1, "remind"),
        (3, "remind"),
        (7, "remind"),
        (14, "deadline"),
    ]
    assert len(await room.said("absence")) == 1


async def test_table_at_which_nobody_does_anything_is_closed_after_sixty_days_and_says_so(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, clock="relaxed")
    await room.wait(60 * DAY)
    assert room.done[-1] == (START + 60 * DAY, "idle")
    table = await room.table(table.head.match_id)
    assert (table.head.state, table.state.closed, table.head.due) == ("void", "idle", None)
    assert [row.body["key"] for row in await room.said("notice")][-1] == "idle"


async def test_paused_table_is_closed_after_sixty_days_too(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    await room.act(table.head.match_id, Rule("pause", LINUS, ""))
    await room.wait(60 * DAY)
    assert room.done == [(START + 60 * DAY, "idle")]


async def test_match_against_computers_ends_after_day_of_silence_and_not_before(room: WaitingRoom) -> None:
    table = await room.open(seats=2, computers=1)
    for _ in range(3):
        await room.wait(23 * HOUR)
        table = await room.move(table.head.match_id)
    await room.wait(DAY - 1)
    assert (await room.table(table.head.match_id)).head.state == "open"
    await room.wait(1)
    table = await room.table(table.head.match_id)
    assert (table.head.state, table.state.closed) == ("void", "practice_over")


async def test_reminder_leaves_buttons_of_open_hand_good(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    await room.wait(23 * HOUR)
    now = await room.table(table.head.match_id)
    assert now.head.seq > table.head.seq
    assert now.state.still(table.head.seq)
    user = table.turn_user()
    acted = await room.acts.act(table.head.match_id, Act(user, Resign, table.head.seq))
    assert acted.events
    assert not acted.table.state.still(table.head.seq)


async def test_others_are_asked_and_first_to_choose_decides(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE, LINUS))
    silent = table.turn_user()
    first, second = (row.user_id for row in table.seats if row.user_id != silent)
    asked = table.clock.watch.asking
    after = await room.choose(table, first, "wait")
    assert after.head.turn == table.head.turn
    assert after.head.due == Due(at=room.time + DAY * 80 // 100, kind="remind")
    assert await refusal(room.act(table.head.match_id, ChooseAbsence(second, "end", asked))) is No.NOBODY_ABSENT
    assert (await room.table(table.head.match_id)).head.state == "open"


async def test_silent_one_and_those_who_watch_choose_nothing(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    silent = table.turn_user()
    for user, why in ((silent, No.ABSENT_YOURSELF), (99, No.NOT_SEATED)):
        assert await refusal(room.choose(table, user, "end")) is why


async def test_same_press_delivered_twice_has_one_effect(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    asked, request = table.clock.watch.asking, room.request()
    once = await room.act(table.head.match_id, ChooseAbsence(other_than(table), "wait", asked), request=request)
    again = await room.act(table.head.match_id, ChooseAbsence(other_than(table), "end", asked), request=request)
    assert again.head == once.head


async def test_computer_takes_that_turn_and_next_one_is_persons_own(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    seat, silent = table.match.turn, table.turn_user()
    after = await room.choose(table, other_than(table), "turn")
    assert (after.head.turn.seat, after.head.turn.user) == (seat, None)
    await room.tick()
    table = await room.table(table.head.match_id)
    assert (table.match.turn, table.turn_user()) == (1 - seat, other_than(after))
    await room.move(table.head.match_id)
    assert (await room.table(table.head.match_id)).turn_user() == silent


async def test_computer_keeps_seat_until_its_owner_is_back(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    seat, silent = table.match.turn, table.turn_user()
    await room.choose(table, other_than(table), "seat")
    for _ in range(3):
        await room.tick()
        table = await room.table(table.head.match_id)
        assert table.match.turn == 1 - seat
        table = await room.move(table.head.match_id)
    table = await room.act(table.head.match_id, ComeBack(silent))
    assert table.turn_user() == silent
    assert table.clock.standins == {}
    assert table.head.due.kind == "remind"


async def test_any_act_of_owner_takes_seat_back(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE, LINUS))
    seat, silent = table.match.turn, table.turn_user()
    await room.choose(table, other_than(table), "seat")
    await room.tick()
    acted = await room.acts.act(table.head.match_id, Act(silent, Resign))
    assert acted.table.clock.standins == {}
    assert acted.table.match.seats[seat].resigned


async def test_being_back_when_nobody_missed_you_says_so(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    assert await refusal(room.act(table.head.match_id, ComeBack(ADA))) is No.NOT_ABSENT


async def test_whoever_answers_question_about_them_gets_as_much_time_again(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    silent = table.turn_user()
    table = await room.act(table.head.match_id, ComeBack(silent))
    assert table.clock.watch.asking is None
    assert table.clock.watch.silences == {}
    assert table.head.due == Due(at=room.time + DAY * 80 // 100, kind="remind")


async def test_late_move_is_still_move_and_closes_question(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    asked, other = table.clock.watch.asking, other_than(table)
    await room.move(table.head.match_id)
    assert await refusal(room.act(table.head.match_id, ChooseAbsence(other, "end", asked))) is No.NOBODY_ABSENT


async def test_match_ended_by_others_places_absent_player_last(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, LINUS)
    for _ in range(4):
        table = await room.move(table.head.match_id)
    table = await ran_out(room, table)
    silent = table.turn_user()
    first, _ = (row.user_id for row in table.seats if row.user_id != silent)
    wished = await room.choose(table, first, "end")
    assert wished.head.state == "open", "nobody ends it alone"
    assert await refusal(room.choose(table, first, "end")) is No.AGREED_ALREADY
    (wish,) = await room.said("notice")
    assert wish.body["key"] == "end_wished"
    _, second = (row.user_id for row in table.seats if row.user_id != silent)
    table = await room.choose(table, second, "end")
    assert table.head.state == "done"
    results = {result.user_id: result for result in await room.store.results.of_match(table.head.match_id)}
    assert results[silent].place == 3  # type: ignore[index]
    assert sorted(result.place for result in results.values())[0] == 1
    assert await room.store.matches.heads_due(room.time + 900 * DAY, limit=10) == []
    again = rerun(read(write(await room.store.matches.events(table.head.match_id), rules("triominoes")), rules))
    assert (again.faults, again.proved, again.match.ended) == ([], True, table.match.ended)


@pytest.mark.parametrize("absent", ["chosen", "end"])
async def test_before_everybody_has_had_turn_match_ends_without_result(room: WaitingRoom, absent: str) -> None:
    table = await ran_out(room, await playing(room, GRACE, LINUS, absent="end"))
    silent = table.turn_user()
    if absent == "chosen":
        table = await room.end(table)
    else:
        await room.choose(table, other_than(table), "wait")
        table = await ran_out(room, table)
    assert (table.head.state, table.state.closed) == ("void", "aborted")
    (line,) = await room.store.results.of_match(table.head.match_id)
    assert (line.user_id, line.finished, line.rated, line.won) == (silent, False, False, False), "they left"
    assert len(await room.said("notice")) == 2
    assert await room.store.matches.heads_due(room.time + 900 * DAY, limit=10) == []


@pytest.mark.parametrize(("absent", "state"), [("turn", "open"), ("seat", "open"), ("end", "done")])
async def test_after_second_silence_tables_terms_apply(room: WaitingRoom, absent: str, state: str) -> None:
    table = await playing(room, GRACE, LINUS, absent=absent)
    for _ in range(4):
        table = await room.move(table.head.match_id)
    table = await ran_out(room, table)
    seat = table.match.turn
    await room.choose(table, other_than(table), "wait")
    table = await ran_out(room, table)
    assert len(await room.said("absence")) == 1, "they are not asked again"
    assert table.head.state == state
    if absent == "seat":
        assert table.clock.standins == {seat: "seat"}
    if state == "open":
        assert table.match.turn != seat
        assert (await room.said("notice"))[-1].body["key"] == f"{absent}_default"


async def test_somebody_who_was_there_in_between_is_asked_about_anew(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    silent = table.turn_user()
    await room.choose(table, other_than(table), "wait")
    await room.move(table.head.match_id)
    table = await room.move(table.head.match_id)
    assert table.turn_user() == silent
    table = await ran_out(room, table)
    assert table.clock.watch.asking is not None


async def test_where_nobody_chooses_tables_terms_apply_day_later(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE, clock="3d"))
    await room.wait(2 * DAY)
    table = await room.table(table.head.match_id)
    assert table.head.due == Due(at=START + 4 * DAY, kind="default")
    seat = table.match.turn
    await room.wait(DAY)
    assert (await room.table(table.head.match_id)).match.turn != seat


async def test_against_computers_alone_terms_apply_at_once(room: WaitingRoom) -> None:
    table = await room.open(seats=2, computers=1, clock="5h")
    await room.tick()
    for _ in range(3):
        before = (await room.table(table.head.match_id)).head.seq
        await room.wait(5 * HOUR)
        now = await room.table(table.head.match_id)
        assert now.head.seq > before
        assert (now.match.turn, now.turn_user()) == (0, ADA)
    assert await room.said("absence") == []


async def test_computers_never_play_match_out_while_everybody_is_away(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, absent="seat")
    table = await ran_out(room, table)
    await room.choose(table, other_than(table), "seat")
    await room.tick()
    for _ in range(3):
        table = await ran_out(room, table)
    assert table.head.state == "open"
    assert len(table.clock.standins) == 1


async def test_computers_turn_takes_nobodys_time(room: WaitingRoom) -> None:
    table = await room.open(seats=2, computers=1, clock="bank 2d+1h")
    await room.tick()
    await room.move(table.head.match_id)
    room.time += 5 * HOUR
    await room.tick()
    table = await room.table(table.head.match_id)
    assert table.clock.time.banks == (2 * DAY, 2 * DAY)
    assert table.clock.time.allowance == 2 * DAY


async def test_paused_table_waits_and_goes_on_with_time_it_had(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    await room.wait(HOUR)
    table = await room.act(table.head.match_id, Rule("pause", LINUS, "a holiday"))
    assert table.head.due == Due(at=START + HOUR + 60 * DAY, kind="idle")
    await room.wait(40 * DAY)
    assert room.done == []
    table = await room.act(table.head.match_id, Rule("resume", LINUS, ""))
    await room.wait(23 * HOUR - MINUTE)
    assert [kind for _, kind in room.done] == ["remind"]
    await room.wait(MINUTE)
    assert [kind for _, kind in room.done] == ["remind", "deadline"]


async def test_pause_is_neither_made_nor_ended_twice_and_no_move_is_made_in_it(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    match_id = table.head.match_id
    assert await refusal(room.act(match_id, Rule("resume", LINUS, ""))) is No.NOT_PAUSED
    await room.act(match_id, Rule("pause", LINUS, ""))
    for kind in ("pause", "skip"):
        assert await refusal(room.act(match_id, Rule(kind, LINUS, ""))) is No.PAUSED_ALREADY
    assert await refusal(room.move(match_id)) is No.PAUSED


async def test_pause_during_question_lets_it_wait_too(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    await room.act(table.head.match_id, Rule("pause", LINUS, ""))
    await room.wait(30 * DAY)
    table = await room.act(table.head.match_id, Rule("resume", LINUS, ""))
    assert table.head.due == Due(at=room.time + DAY, kind="default")


async def test_skipped_turn_is_computers(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, clock="relaxed")
    seat = table.match.turn
    await room.act(table.head.match_id, Rule("skip", LINUS, "they asked for it"))
    await room.tick()
    table = await room.table(table.head.match_id)
    assert table.match.turn != seat
    assert table.clock.standins == {}


async def test_vacation_stops_clock_of_its_person_and_tells_their_tables(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    await room.wait(HOUR)
    wishes = await room.people.leave(user, 10)
    table = await room.table(table.head.match_id)
    assert table.clock.watch.away == {table.match.turn: wishes.away_until}
    (said,) = await room.said("notice")
    assert (said.body["key"], said.body["seat"]) == ("away", table.match.turn)
    await room.wait_until(wishes.away_until + 23 * HOUR - MINUTE)
    assert [kind for _, kind in room.done] == ["remind"]
    await room.wait(MINUTE)
    assert [kind for _, kind in room.done] == ["remind", "deadline"]


async def test_who_comes_back_early_has_their_clock_run_from_then(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    await room.people.leave(user, 10)
    await room.wait(3 * DAY)
    await room.people.leave(user, 0)
    table = await room.table(table.head.match_id)
    assert table.clock.watch.away == {}
    assert table.head.due == Due(at=room.time + DAY * 80 // 100, kind="remind")
    assert [row.body["key"] for row in await room.said("notice")] == ["away", "home"]


async def test_vacation_does_not_keep_anybody_from_playing(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    await room.people.leave(user, 10)
    assert (await room.move(table.head.match_id)).turn_user() != user


async def test_days_of_year_run_out(room: WaitingRoom) -> None:
    await room.people.leave(ADA, 21)
    await room.wait(22 * DAY)
    assert await refusal(room.people.leave(ADA, 1)) is No.NO_VACATION_LEFT


async def test_vacation_begins_by_itself_only_for_those_who_asked_for_it(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    await room.people.set(user, lambda _: Preferences(automatic=True))
    table = await ran_out(room, table)
    assert table.clock.watch.asking is None
    assert table.clock.watch.away == {table.match.turn: room.time + 3 * DAY}
    assert [row.body["key"] for row in await room.said("notice")] == ["away_by_itself"]
    assert table.head.due == Due(at=room.time + 3 * DAY + DAY * 80 // 100, kind="remind")


async def test_muted_turn_is_not_reminded_of_and_next_one_is(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    await room.people.mute(table.head.match_id, user)
    await room.wait(DAY - HOUR)
    assert room.done == []
    await room.move(table.head.match_id)
    table = await room.move(table.head.match_id)
    assert table.turn_user() == user
    assert table.head.due.kind == "remind"


async def test_turn_that_is_over_cannot_be_muted(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    assert await refusal(room.people.mute(table.head.match_id, other_than(table))) is No.NOTHING_TO_MUTE


async def test_interval_that_is_set_during_turn_counts_from_its_beginning(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    await room.people.set(user, lambda _: Preferences(every=6 * HOUR))
    await room.wait(DAY)
    hours = [(at - START) / HOUR for at, kind in room.done if kind == "remind"]
    assert hours == [6, 12, 18, 19.2]
