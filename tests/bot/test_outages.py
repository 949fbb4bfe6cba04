"""An outage of the bot takes nobody's time: it is noted, clocks are read with it, and the store is told at leisure."""

from collections.abc import Collection, Sequence

import pytest

from bot.sending import outage_credit
from bot.tables.service import Table
from data.store.connection.shards import PULSE, Shard, Shards
from data.store.log.match_values import Change, Head, Known
from data.store.store import Store
from engine.table.commands import Rule
from engine.table.preferences import Preferences, Quiet
from engine.table.table_state import Due, Outage
from engine.table.terms import DAY, HOUR
from tests.bot.desk import GRACE, LINUS
from tests.bot.waiting_room import START, WaitingRoom, playing, ran_out


@pytest.fixture
def room(store: Store) -> WaitingRoom:
    return WaitingRoom(store, START)


async def gone(room: WaitingRoom, since: int) -> None:
    await room.store.operations.pulse(PULSE, now=since)
    assert await room.store.operations.note_outage(Shard(), Outage(start=since, end=room.time), pulse=since)
    await room.tables.look_for_outages()


async def given_back(room: WaitingRoom, since: int) -> list[int]:
    await gone(room, since)
    return await room.repayment.finish()


async def again(room: WaitingRoom, tables: Sequence[Table]) -> list[Table]:
    return [await room.table(table.head.match_id) for table in tables]


async def test_outage_moves_every_running_deadline_by_its_length_once(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    await room.wait(HOUR)
    start = room.time
    room.time += 5 * HOUR
    assert await given_back(room, start) == [table.head.match_id]
    assert await given_back(room, start) == []
    table = await room.table(table.head.match_id)
    assert table.head.due == Due(at=START + DAY * 80 // 100 + 5 * HOUR, kind="remind")


async def test_credit_that_crash_cut_short_is_completed_and_not_doubled(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    start = room.time
    room.time = start + 5 * HOUR
    await given_back(room, start)
    # Another process, whose pulse stopped at the same time, is there again an hour later.
    room.time += HOUR
    await given_back(room, start)
    table = await room.table(table.head.match_id)
    assert table.head.due == Due(at=START + DAY * 80 // 100 + 6 * HOUR, kind="remind")


async def test_time_to_choose_is_given_back_too(room: WaitingRoom) -> None:
    table = await ran_out(room, await playing(room, GRACE))
    start = room.time
    room.time += 10 * HOUR
    await given_back(room, start)
    table = await room.table(table.head.match_id)
    assert table.head.due == Due(at=start + DAY + 10 * HOUR, kind="default")
    asked = table.clock.watch.until
    assert asked == start + DAY + 10 * HOUR


async def test_paused_table_is_given_nothing(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    await room.act(table.head.match_id, Rule("pause", LINUS, ""))
    room.time += DAY
    assert await given_back(room, START) == []


async def test_turn_that_began_after_outage_is_given_nothing(room: WaitingRoom) -> None:
    await room.store.operations.pulse(PULSE, now=START)
    room.time += HOUR
    await gone(room, START)
    table = await playing(room, GRACE)
    assert await room.repayment.finish() == []
    after = await room.table(table.head.match_id)
    assert (after.head.seq, after.head.due) == (table.head.seq, Due(at=room.time + DAY * 80 // 100, kind="remind"))
    assert after.clock.time.since == room.time


async def test_whoever_moves_before_their_clock_was_written_has_used_nothing_of_outage(room: WaitingRoom) -> None:
    table = await playing(room, GRACE, clock="bank 2d")
    seat = table.match.turn
    await room.wait(HOUR)
    start = room.time
    room.time += 30 * HOUR
    await gone(room, start)
    table = await room.move(table.head.match_id)
    assert table.clock.time.banks[seat] == 2 * DAY - HOUR
    # The move took the credit along, so there is nothing left to give.
    due = table.head.due
    assert await room.repayment.finish() == []
    assert (await room.table(table.head.match_id)).head.due == due


async def test_nothing_falls_due_by_outage_that_store_does_not_know_of(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    room.time += 3 * DAY
    await gone(room, START)
    # The sweep looks for what is due before anything was settled.
    await room.tick()
    assert await room.said("remind") == []
    assert (await room.table(table.head.match_id)).head.due == Due(at=START + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert await room.repayment.finish() == []
    room.done.clear()
    await room.wait(DAY)
    assert [(at - START - 3 * DAY, kind) for at, kind in room.done] == [(DAY * 80 // 100, "remind"), (DAY, "deadline")]


async def test_after_crash_half_way_next_process_gives_back_rest(
    room: WaitingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [await playing(room, GRACE, channel_id=channel) for channel in (1, 2, 3)]
    room.time += 5 * HOUR
    await gone(room, START)
    monkeypatch.setattr(outage_credit, "A_LOOK", 1)

    second = tables[1].head.match_id
    credit = room.store.matches.commit_each

    async def dies_at_the_second(changes: Sequence[Change], *, now: int) -> list[Head]:
        if changes[0].match_id == second:
            raise ConnectionError("the process ends here")
        return await credit(changes, now=now)

    with monkeypatch.context() as dying:
        dying.setattr(room.store.matches, "commit_each", dies_at_the_second)
        with pytest.raises(ConnectionError):
            await room.repayment.finish()
    assert (
        sum(one.head.seq > before.head.seq for one, before in zip(await again(room, tables), tables, strict=True)) == 1
    )
    # Half an hour later another process starts; that it was gone for that long it notes beside the first outage.
    stopped = room.time
    room.time += HOUR // 2
    after = WaitingRoom(room.store, room.time)
    await gone(after, stopped)
    assert sorted(await after.repayment.finish()) == [table.head.match_id for table in tables]
    for table in tables:
        due = (await after.table(table.head.match_id)).head.due
        assert due == Due(at=START + DAY * 80 // 100 + 5 * HOUR + HOUR // 2, kind="remind")
    assert await room.store.operations.outages() == ()


async def test_move_while_outage_is_being_given_back_stands_and_keeps_its_credit(
    room: WaitingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await playing(room, GRACE, clock="bank 2d")
    number, seat = table.head.match_id, table.match.turn
    room.time += 30 * HOUR
    await gone(room, START)
    read, moved = room.store.matches.asked, False

    async def somebody_is_quicker(match_id: int, request: int | None, others: Collection[int] = ()) -> Known | None:
        nonlocal moved
        found = await read(match_id, request, others)
        if request is None and not moved:
            moved = True
            await room.move(number)
        return found

    monkeypatch.setattr(room.store.matches, "asked", somebody_is_quicker)
    assert await room.repayment.finish() == []
    table = await room.table(number)
    assert (table.match.turn == seat, table.clock.time.banks[seat]) == (False, 2 * DAY)
    assert table.head.due == Due(at=room.time + 2 * DAY * 80 // 100, kind="remind")


async def test_reminder_that_outage_puts_into_quiet_hours_comes_when_they_end(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    user = table.turn_user()
    assert user is not None
    await room.people.set(user, lambda _: Preferences(quiet=Quiet(12 * 60, 16 * 60)))
    room.time += 6 * HOUR
    await given_back(room, START)
    # 19.2 and 6 hours after noon is 13:12 of the next day.
    assert (await room.table(table.head.match_id)).head.due == Due(at=START + 28 * HOUR, kind="remind")


async def test_outage_of_shard_is_given_back_on_its_servers_and_on_no_others(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    start, room.time = room.time, room.time + 5 * HOUR
    outage, own = Outage(start=start, end=room.time), table.head.guild_id >> 22 & 1
    assert await room.store.operations.note_outage(Shard(1 - own, 2), outage, pulse=None)
    await room.tables.look_for_outages()
    assert (await room.table(table.head.match_id)).clock == table.clock
    assert await room.repayment.finish() == []
    assert await room.store.operations.note_outage(Shard(own, 2), outage, pulse=None)
    await room.tables.look_for_outages()
    assert (await room.table(table.head.match_id)).clock != table.clock
    assert await room.repayment.finish() == [table.head.match_id]


async def test_it_is_given_back_few_at_time_most_urgent_first(
    room: WaitingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, soon, sooner = [
        await playing(room, GRACE, channel_id=number, clock=clock) for number, clock in enumerate(("3d", "2d", "1d"))
    ]
    room.time += 5 * HOUR
    await gone(room, START)
    monkeypatch.setattr(outage_credit, "A_LOOK", 2)
    assert await room.repayment.go_on() == [soon.head.match_id, sooner.head.match_id]
    assert [room.repayment.waits(table.head) for table in await again(room, (sooner, soon, late))] == [
        False,
        False,
        True,
    ]
    assert await room.store.operations.outages() != (), (
        "whoever looks at the last table still finds its time given back"
    )
    await room.move(late.head.match_id)
    (late,) = await again(room, [late])
    assert not room.repayment.waits(late.head), "who moved has taken it along"
    assert await room.repayment.go_on() == []
    assert await room.store.operations.outages() == ()
    assert await room.repayment.go_on() == []


async def test_process_gives_back_on_its_own_servers_and_leaves_others_to_theirs(room: WaitingRoom) -> None:
    table = await playing(room, GRACE)
    start, room.time = room.time, room.time + 5 * HOUR
    own = table.head.guild_id >> 22 & 1
    for number in (0, 1):
        assert await room.store.operations.note_outage(Shard(number, 2), Outage(start=start, end=room.time), pulse=None)
    await room.tables.look_for_outages()
    assert await room.repayment.go_on(Shards(2, frozenset({1 - own}))) == []
    assert [owed.shard for owed in await room.store.operations.outages()] == [Shard(own, 2)]
    assert await room.repayment.go_on(Shards(2, frozenset({own}))) == [table.head.match_id]
    assert await room.store.operations.outages() == ()
