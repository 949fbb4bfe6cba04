"""A match in the store has one head and one log, and each act is one transaction."""

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from data.store.connection.store_errors import ChannelBusy, RepeatedRequest, StaleVersion, UnknownMatch
from data.store.log.match_values import Head, Limits, LoadedMatch, MatchContext
from data.store.store import Store
from engine.table.evolve import LogEntry, replay
from engine.table.preferences import Person
from engine.table.table_events import Joined, Opened, Replaced
from engine.table.table_posts import Post
from engine.table.table_state import Due, SeatRow, Turn
from tests.data.store.scene import (
    ADA,
    ANY_EVENT,
    CHANNEL,
    GRACE,
    LINUS,
    NOW,
    SECRET,
    TERMS,
    add_match,
    build_change,
    build_head,
    build_new_match,
    build_seat,
    commit_change,
    play_match,
)
from tests.data.store.server import BOTH_DATABASES

OPENED = Opened(TERMS, ADA, (build_seat(0, ADA),))


async def test_new_table_is_lobby_that_no_message_shows_yet(store: Store, head: Head):
    assert head == build_head()
    assert head.is_board_outdated
    assert await store.matches.find_head(1) == head


async def test_unknown_match_and_request_return_nothing(store: Store):
    assert await store.matches.find_head(7) is None
    assert await store.matches.load(7) is None
    assert await store.matches.list_seats(7) == ()
    assert await store.matches.list_events(7) == []
    assert await store.matches.load_log(7) == ()
    assert await store.matches.list_moderations(7) == ()
    assert await store.matches.find_request(7) is None


@BOTH_DATABASES
async def test_commit_advances_head_and_changes_given_fields(store: Store, head: Head):
    turn, due = Turn(seat=1, user=GRACE), Due(at=NOW + 60_000, kind="remind")
    fields = {"state": "open", "turn": turn, "due": due, "host_id": GRACE}
    after = await commit_change(store, head, events=[ANY_EVENT] * 3, **fields, now=NOW + 5)
    assert after == replace(head, seq=4, **fields, updated_at=NOW + 5)
    assert await store.matches.find_head(head.match_id) == after


@pytest.fixture
async def running(store: Store) -> Head:
    return await add_match(store, state="open", turn=Turn(seat=0, user=ADA), due=Due(at=NOW + 9, kind="deadline"))


async def test_commit_keeps_fields_it_does_not_mention(store: Store, running: Head):
    assert await commit_change(store, running, now=NOW + 1) == replace(running, seq=2, updated_at=NOW + 1)
    assert await store.matches.list_seats(running.match_id) == (build_seat(0, ADA),)


async def test_turn_and_due_time_can_be_cleared(store: Store, running: Head):
    assert await commit_change(store, running, turn=None, due=None) == replace(running, seq=2, turn=None, due=None)


@pytest.mark.parametrize("state", ["done", "void"])
async def test_ended_match_has_no_turn(store: Store, running: Head, state: str):
    over = await commit_change(store, running, state=state, turn=Turn(seat=0, user=ADA))
    assert (over.state, over.turn, over.due) == (state, None, None)
    assert await store.matches.list_due_heads(NOW + 100, 10) == []


async def test_stale_commit_is_refused_with_current_version(store: Store):
    first = await add_match(store)
    await commit_change(store, first)
    with pytest.raises(StaleVersion) as late:
        await commit_change(store, first, state="void", request=5)
    assert late.value.head_seq == 2
    head = await store.matches.find_head(first.match_id)
    assert (head.seq, head.state) == (2, "lobby")
    assert await store.matches.find_request(5) is None


async def test_commit_on_unknown_match_is_refused(store: Store, head: Head):
    with pytest.raises(UnknownMatch) as refused:
        await commit_change(store, replace(head, match_id=99))
    assert refused.value.match_id == 99


async def test_commit_without_events_is_refused(store: Store, head: Head):
    with pytest.raises(ValueError, match="one event"):
        await commit_change(store, head, events=[])
    with pytest.raises(ValueError, match="one event"):
        await add_match(store, events=[], channel_id=5)


async def test_repeated_interaction_has_one_effect(store: Store, head: Head):
    change = build_change(head, request=77, outbox=[Post(kind="note")])
    await store.matches.commit(change, now=NOW)
    with pytest.raises(RepeatedRequest) as again:
        await store.matches.commit(change, now=NOW + 1)
    assert (again.value.match_id, again.value.seq) == (head.match_id, 2)
    assert await store.matches.find_request(77) == (head.match_id, 2)
    now = await store.matches.find_head(head.match_id)
    assert now.seq == 2
    assert len(await store.outbox.list_due(NOW + 9, 10)) == 1


async def test_repeated_interaction_on_current_version_has_no_second_effect(store: Store):
    moved = await commit_change(store, await add_match(store), request=77)
    again = build_change(moved, request=77, outbox=[Post(kind="note")], limits=Limits(user_id=GRACE, person=0))
    with pytest.raises(RepeatedRequest) as known:
        await store.matches.commit(again, now=NOW + 1)
    assert (known.value.match_id, known.value.seq) == (moved.match_id, 2)
    assert await store.matches.find_head(moved.match_id) == moved
    assert await store.outbox.list_due(NOW + 9, 10) == []


@BOTH_DATABASES
async def test_request_loads_table_with_settings_of_seated_users(store: Store):
    seats = (build_seat(0, ADA), build_seat(1, GRACE), SeatRow(seat=2, computer="greedy", joined_at=NOW))
    head = await add_match(store, seats=seats)
    grace = await store.users.set_person(GRACE, pings="dm", now=NOW)
    await store.users.set_person(LINUS, quick=True, now=NOW)
    found = MatchContext(head=head, people={GRACE: grace}, is_repeated=False)
    assert await store.matches.find_context(head.match_id, 77) == found, "who is missing has set nothing"
    assert await store.matches.find_context(head.match_id, None) == found
    moved = await commit_change(store, head, request=77)
    assert await store.matches.find_context(head.match_id, 77) == replace(found, head=moved, is_repeated=True)
    assert await store.matches.find_context(99, 77) is None


async def test_request_loads_settings_of_new_and_seated_users(store: Store):
    head = await add_match(store, seats=(build_seat(0, ADA), build_seat(1, GRACE)))
    grace = await store.users.set_person(GRACE, pings="dm", now=NOW)
    linus = await store.users.set_person(LINUS, quick=True, now=NOW)
    asked = await store.matches.find_context(head.match_id, None, (LINUS, GRACE, 77))
    assert asked.people == {GRACE: grace, LINUS: linus, 77: Person(user_id=77)}


@pytest.mark.parametrize("state", ["lobby", "open"])
async def test_channel_has_one_running_match(store: Store, state: str):
    head = await add_match(store, state=state)
    with pytest.raises(ChannelBusy) as busy:
        await add_match(store)
    assert busy.value.match_id == head.match_id


async def test_channel_is_free_again_when_its_match_is_over(store: Store):
    first = await add_match(store)
    await commit_change(store, first, state="void")
    second = await add_match(store)
    assert [head.match_id for head in await store.matches.list_heads_in_channel(CHANNEL)] == [second.match_id]
    assert [head.match_id for head in await store.matches.list_heads_in_channel(CHANNEL, ("lobby", "void"))] == [
        second.match_id,
        first.match_id,
    ]
    (newest,) = await store.matches.list_heads_in_channel(CHANNEL, ("lobby", "void"), limit=1)
    assert newest.match_id == second.match_id


async def test_match_cannot_reopen_in_channel_of_another_match(store: Store):
    first = await add_match(store)
    closed = await commit_change(store, first, state="void")
    second = await add_match(store)
    for where in (None, CHANNEL):
        with pytest.raises(ChannelBusy) as busy:
            await commit_change(store, closed, state="lobby", channel_id=where)
        assert busy.value.match_id == second.match_id
    assert await store.matches.find_head(first.match_id) == closed


async def test_user_in_two_seats_is_reported_as_integrity_error(store: Store, head: Head):
    with pytest.raises(IntegrityError):
        await commit_change(store, head, seats=[build_seat(0, ADA), build_seat(1, ADA)], request=5)
    assert await store.matches.load(head.match_id) == LoadedMatch(head=head, log=(LogEntry(OPENED, NOW),))
    assert await store.matches.list_seats(head.match_id) == (build_seat(0, ADA),)


async def test_match_number_is_never_reused(store: Store, head: Head, url: str):
    assert head.match_id == 1
    await commit_change(store, head, state="void")
    assert (await add_match(store)).match_id == 2


async def test_board_can_move_in_same_commit_as_move_event(store: Store, head: Head):
    await store.outbox.note_shown(head.match_id, seq=1, message_id=500)
    moved = await commit_change(store, head, channel_id=4242)
    assert (moved.channel_id, moved.board_message_id, moved.shown_seq) == (4242, None, 0)
    assert await store.matches.find_head(head.match_id) == moved
    assert await store.matches.list_heads_in_channel(CHANNEL) == []


async def test_board_does_not_move_into_busy_channel(store: Store, head: Head):
    other = await add_match(store, channel_id=4242)
    with pytest.raises(ChannelBusy) as busy:
        await store.matches.commit(build_change(head, channel_id=4242), now=NOW)
    assert busy.value.match_id == other.match_id


async def test_seats_are_replaced_as_whole(store: Store, head: Head):
    seats = (build_seat(0, GRACE), SeatRow(seat=1, computer="greedy", joined_at=NOW), build_seat(2, ADA))
    head = await commit_change(store, head, seats=seats[::-1])
    assert await store.matches.list_seats(head.match_id) == seats
    await commit_change(store, head, seats=[])
    assert await store.matches.list_seats(head.match_id) == ()


@BOTH_DATABASES
async def test_log_returns_all_events_and_match_events_in_order(store: Store):
    log = play_match(1, 3, resign_chance=0.01)
    head = await add_match(store)
    everything = [LogEntry(OPENED, NOW)]
    for start in range(0, len(log), 7):
        some = [*log[start : start + 7], ANY_EVENT]
        head = await commit_change(store, head, events=some, now=NOW + start)
        everything += [LogEntry(event, NOW + start) for event in some]
    assert await store.matches.list_events(head.match_id) == log
    assert await store.matches.list_events(head.match_id, after=1, upto=8) == log[:7]
    assert await store.matches.list_events(head.match_id, after=9) == log[7:]
    assert await store.matches.load_log(head.match_id) == tuple(everything)
    assert await store.matches.load_log(head.match_id, upto=9) == tuple(everything[:9])


@BOTH_DATABASES
async def test_matches_of_user_list_own_turns_first_by_urgency(store: Store):
    async def open_table(channel: int, turn: int | None, due: int | None, state: str = "open") -> int:
        seats = [build_seat(0, ADA), build_seat(1, GRACE)]
        new = build_new_match(
            channel_id=channel,
            state=state,
            seats=seats,
            turn=None if turn is None else Turn(seat=0, user=turn),
            due=None if due is None else Due(at=due, kind="deadline"),
        )
        return (await store.matches.create(new, now=NOW)).match_id

    theirs_soon = await open_table(1, GRACE, NOW + 10)
    mine_late = await open_table(2, ADA, NOW + 99)
    mine_untimed = await open_table(3, ADA, None)
    mine_soon = await open_table(4, ADA, NOW + 20)
    lobby = await open_table(5, None, None, "lobby")
    found = [head.match_id for head in await store.matches.list_heads_of_user(ADA)]
    assert found == [mine_soon, mine_late, mine_untimed, theirs_soon, lobby]
    assert await store.matches.list_heads_of_user(LINUS) == []
    assert [head.match_id for head in await store.matches.list_heads_of_user(GRACE, ("lobby",))] == [lobby]


async def test_due_matches_are_paged_even_with_equal_times(store: Store):
    for channel, due in enumerate((NOW + 30, NOW + 10, NOW + 10, NOW + 10, NOW + 99, None)):
        await add_match(store, channel_id=channel, due=due and Due(at=due, kind="expire"))
    pages, last = [], None
    while page := await store.matches.list_due_heads(NOW + 30, 2, after=last):
        pages.append([head.match_id for head in page])
        last = page[-1]
    assert pages == [[2, 3], [4, 1]]


async def test_outdated_board_message_is_found_until_updated(store: Store, head: Head):
    later = await add_match(store, channel_id=2)
    assert await store.matches.list_outdated_heads(10) == [head, later]
    assert await store.matches.list_outdated_heads(1) == [head]
    assert await store.matches.list_outdated_heads(1, after=head.match_id) == [later]
    assert await store.outbox.note_shown(head.match_id, seq=1, message_id=500) is True
    assert await store.matches.list_outdated_heads(10) == [later]
    shown = await store.matches.find_head(head.match_id)
    assert shown == replace(head, shown_seq=1, board_message_id=500)
    assert not shown.is_board_outdated


async def test_board_never_goes_back_to_older_state(store: Store, head: Head):
    assert await store.outbox.note_shown(head.match_id, seq=2, message_id=500) is False, "nothing has happened yet"
    await commit_change(store, head)
    assert await store.outbox.note_shown(head.match_id, seq=2, message_id=500) is True
    assert await store.outbox.note_shown(head.match_id, seq=1, message_id=499) is False
    now = await store.matches.find_head(head.match_id)
    assert (now.shown_seq, now.board_message_id) == (2, 500)


async def test_board_without_channel_is_skipped_until_next_commit(store: Store, head: Head):
    assert await store.outbox.note_shown(head.match_id, seq=1, message_id=None) is True
    assert await store.matches.list_outdated_heads(10) == []
    moved_on = await commit_change(store, head)
    assert await store.matches.list_outdated_heads(10) == [moved_on]


async def test_deleted_board_message_is_posted_again(store: Store, head: Head):
    await store.outbox.note_shown(head.match_id, seq=1, message_id=500)
    assert await store.outbox.note_board_lost(head.match_id, 499) is False
    assert await store.matches.list_outdated_heads(10) == []
    assert await store.outbox.note_board_lost(head.match_id, 500) is True
    assert await store.matches.list_outdated_heads(10) == [head]


async def test_secret_of_match_is_not_printed_with_it(store: Store):
    new = build_new_match()
    head = await store.matches.create(new, now=NOW)
    assert head.secret == SECRET
    for shown in (repr(head), repr(new), repr(await store.matches.load(head.match_id))):
        assert "secret" not in shown
        assert repr(SECRET) not in shown


async def test_replayed_log_gives_table_and_seats_at_any_move(store: Store, head: Head):
    head = await commit_change(store, head, events=[Joined(GRACE), *play_match(3, 2)], now=NOW + 1)
    await commit_change(store, head, events=[Replaced(1, LINUS)], now=NOW + 2)
    then, _ = replay(await store.matches.load_log(head.match_id, upto=head.seq))
    now, event_log = replay(await store.matches.load_log(head.match_id))
    assert [row.user_id for row in then.seats] == [ADA, GRACE]
    assert [(row.user_id, row.joined_at) for row in now.seats] == [(ADA, NOW), (LINUS, NOW + 2)]
    assert event_log.match.ended
