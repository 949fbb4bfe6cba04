"""Outage credit: clocks get the time of an outage back, and the store is updated in the background."""

from collections.abc import Collection, Sequence

import pytest

from bot.sending import outage_credit
from bot.tables.service import Table
from data.store.connection.shards import PULSE_PREFIX, Shard, Shards
from data.store.log.match_values import Change, Head, MatchContext
from engine.table.commands import Moderate
from engine.table.preferences import Preferences, QuietHours
from engine.table.table_state import Due, Outage
from engine.table.terms import DAY, HOUR
from tests.bot.timed_table import START, TimedTable, let_turn_expire, start_match
from tests.bot.use_cases import GRACE, LINUS


async def note_outage(timed_table: TimedTable, since: int) -> None:
    await timed_table.store.operations.record_pulse(PULSE_PREFIX, now=since)
    assert await timed_table.store.operations.note_outage(
        Shard(), Outage(start=since, end=timed_table.time), pulse=since
    )
    await timed_table.tables.load_outages()


async def credit_outage(timed_table: TimedTable, since: int) -> list[int]:
    await note_outage(timed_table, since)
    return await timed_table.outage_credit.finish()


async def reload_tables(timed_table: TimedTable, tables: Sequence[Table]) -> list[Table]:
    return [await timed_table.load_table(table) for table in tables]


async def test_outage_moves_deadline_once_by_its_length(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    await timed_table.wait(HOUR)
    start = timed_table.time
    timed_table.time += 5 * HOUR
    assert await credit_outage(timed_table, start) == [table.head.match_id]
    assert await credit_outage(timed_table, start) == []
    table = await timed_table.load_table(table)
    assert table.head.due == Due(at=START + DAY * 80 // 100 + 5 * HOUR, kind="remind")


async def test_overlapping_outages_are_credited_once(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    start = timed_table.time
    timed_table.time = start + 5 * HOUR
    await credit_outage(timed_table, start)
    # Another process stopped at the same time and returns an hour later.
    timed_table.time += HOUR
    await credit_outage(timed_table, start)
    table = await timed_table.load_table(table)
    assert table.head.due == Due(at=START + DAY * 80 // 100 + 6 * HOUR, kind="remind")


async def test_outage_moves_deadline_of_absence_question(timed_table: TimedTable) -> None:
    table = await let_turn_expire(timed_table, await start_match(timed_table, GRACE))
    start = timed_table.time
    timed_table.time += 10 * HOUR
    await credit_outage(timed_table, start)
    table = await timed_table.load_table(table)
    assert table.head.due == Due(at=start + DAY + 10 * HOUR, kind="default")
    question_deadline = table.clock.watch.until
    assert question_deadline == start + DAY + 10 * HOUR


async def test_paused_table_gets_no_outage_credit(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    await timed_table.act(table, Moderate("pause", LINUS, ""))
    timed_table.time += DAY
    assert await credit_outage(timed_table, START) == []


async def test_turn_started_after_outage_gets_no_credit(timed_table: TimedTable) -> None:
    await timed_table.store.operations.record_pulse(PULSE_PREFIX, now=START)
    timed_table.time += HOUR
    await note_outage(timed_table, START)
    table = await start_match(timed_table, GRACE)
    assert await timed_table.outage_credit.finish() == []
    after = await timed_table.load_table(table)
    assert (after.head.seq, after.head.due) == (
        table.head.seq,
        Due(at=timed_table.time + DAY * 80 // 100, kind="remind"),
    )
    assert after.clock.time.since == timed_table.time


async def test_move_before_stored_credit_uses_no_outage_time(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE, clock="bank 2d")
    seat = table.match.turn
    await timed_table.wait(HOUR)
    start = timed_table.time
    timed_table.time += 30 * HOUR
    await note_outage(timed_table, start)
    table = await timed_table.play_turn(table)
    assert table.clock.time.banks[seat] == 2 * DAY - HOUR
    # The move stored the credit, so no further credit is due.
    due = table.head.due
    assert await timed_table.outage_credit.finish() == []
    assert (await timed_table.load_table(table)).head.due == due


async def test_nothing_is_due_because_of_uncredited_outage(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    timed_table.time += 3 * DAY
    await note_outage(timed_table, START)
    # The sweep runs before the credit is stored.
    await timed_table.tick()
    assert await timed_table.list_posts("remind") == []
    assert (await timed_table.load_table(table)).head.due == Due(at=START + 3 * DAY + DAY * 80 // 100, kind="remind")
    assert await timed_table.outage_credit.finish() == []
    timed_table.finished_jobs.clear()
    await timed_table.wait(DAY)
    assert [(time - START - 3 * DAY, kind) for time, kind in timed_table.finished_jobs] == [
        (DAY * 80 // 100, "remind"),
        (DAY, "deadline"),
    ]


async def test_next_process_completes_outage_credit_after_crash(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [await start_match(timed_table, GRACE, channel_id=channel) for channel in (1, 2, 3)]
    timed_table.time += 5 * HOUR
    await note_outage(timed_table, START)
    monkeypatch.setattr(outage_credit, "CREDIT_BATCH", 1)

    second = tables[1].head.match_id
    credit = timed_table.store.matches.commit_each

    async def fail_at_second(changes: Sequence[Change], *, now: int) -> list[Head]:
        if changes[0].match_id == second:
            raise ConnectionError("the process ends here")
        return await credit(changes, now=now)

    with monkeypatch.context() as crash_patch:
        crash_patch.setattr(timed_table.store.matches, "commit_each", fail_at_second)
        with pytest.raises(ConnectionError):
            await timed_table.outage_credit.finish()
    assert (
        sum(
            one.head.seq > before.head.seq
            for one, before in zip(await reload_tables(timed_table, tables), tables, strict=True)
        )
        == 1
    )
    # Another process starts half an hour later and records this half hour as a second outage.
    stop_time = timed_table.time
    timed_table.time += HOUR // 2
    after = TimedTable(timed_table.store, timed_table.time)
    await note_outage(after, stop_time)
    assert sorted(await after.outage_credit.finish()) == [table.head.match_id for table in tables]
    for table in tables:
        due = (await after.load_table(table.head.match_id)).head.due
        assert due == Due(at=START + DAY * 80 // 100 + 5 * HOUR + HOUR // 2, kind="remind")
    assert await timed_table.store.operations.list_outages() == ()


async def test_concurrent_move_during_crediting_keeps_credit(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await start_match(timed_table, GRACE, clock="bank 2d")
    number, seat = table.head.match_id, table.match.turn
    timed_table.time += 30 * HOUR
    await note_outage(timed_table, START)
    read, moved = timed_table.store.matches.find_context, False

    async def read_then_move(match_id: int, request: int | None, others: Collection[int] = ()) -> MatchContext | None:
        nonlocal moved
        found = await read(match_id, request, others)
        if request is None and not moved:
            moved = True
            await timed_table.play_turn(number)
        return found

    monkeypatch.setattr(timed_table.store.matches, "find_context", read_then_move)
    assert await timed_table.outage_credit.finish() == []
    table = await timed_table.load_table(number)
    assert (table.match.turn == seat, table.clock.time.banks[seat]) == (False, 2 * DAY)
    assert table.head.due == Due(at=timed_table.time + 2 * DAY * 80 // 100, kind="remind")


async def test_reminder_moved_into_quiet_hours_waits_for_their_end(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    user = table.find_turn_user()
    await timed_table.user_settings.set(user, lambda _: Preferences(quiet=QuietHours(12 * 60, 16 * 60)))
    timed_table.time += 6 * HOUR
    await credit_outage(timed_table, START)
    # 19.2 and 6 hours after noon is 13:12 of the next day.
    assert (await timed_table.load_table(table)).head.due == Due(at=START + 28 * HOUR, kind="remind")


async def test_shard_outage_is_credited_on_its_servers_only(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    start, timed_table.time = timed_table.time, timed_table.time + 5 * HOUR
    outage, own = Outage(start=start, end=timed_table.time), table.head.guild_id >> 22 & 1
    assert await timed_table.store.operations.note_outage(Shard(1 - own, 2), outage, pulse=None)
    await timed_table.tables.load_outages()
    assert (await timed_table.load_table(table)).clock == table.clock
    assert await timed_table.outage_credit.finish() == []
    assert await timed_table.store.operations.note_outage(Shard(own, 2), outage, pulse=None)
    await timed_table.tables.load_outages()
    assert (await timed_table.load_table(table)).clock != table.clock
    assert await timed_table.outage_credit.finish() == [table.head.match_id]


async def test_outage_credit_runs_in_batches_by_urgency(
    timed_table: TimedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    least_urgent, urgent, most_urgent = [
        await start_match(timed_table, GRACE, channel_id=number, clock=clock)
        for number, clock in enumerate(("3d", "2d", "1d"))
    ]
    timed_table.time += 5 * HOUR
    await note_outage(timed_table, START)
    monkeypatch.setattr(outage_credit, "CREDIT_BATCH", 2)
    assert await timed_table.outage_credit.run_batch() == [urgent.head.match_id, most_urgent.head.match_id]
    assert [
        timed_table.outage_credit.is_waiting(table.head)
        for table in await reload_tables(timed_table, (most_urgent, urgent, least_urgent))
    ] == [
        False,
        False,
        True,
    ]
    assert await timed_table.store.operations.list_outages() != (), (
        "whoever looks at the last table still finds its time given back"
    )
    await timed_table.play_turn(least_urgent)
    (least_urgent,) = await reload_tables(timed_table, [least_urgent])
    assert not timed_table.outage_credit.is_waiting(least_urgent.head), "who moved has taken it along"
    assert await timed_table.outage_credit.run_batch() == []
    assert await timed_table.store.operations.list_outages() == ()
    assert await timed_table.outage_credit.run_batch() == []


async def test_process_credits_outages_on_own_shards_only(timed_table: TimedTable) -> None:
    table = await start_match(timed_table, GRACE)
    start, timed_table.time = timed_table.time, timed_table.time + 5 * HOUR
    own = table.head.guild_id >> 22 & 1
    for number in (0, 1):
        assert await timed_table.store.operations.note_outage(
            Shard(number, 2), Outage(start=start, end=timed_table.time), pulse=None
        )
    await timed_table.tables.load_outages()
    assert await timed_table.outage_credit.run_batch(Shards(2, frozenset({1 - own}))) == []
    assert [outage.shard for outage in await timed_table.store.operations.list_outages()] == [Shard(own, 2)]
    assert await timed_table.outage_credit.run_batch(Shards(2, frozenset({own}))) == [table.head.match_id]
    assert await timed_table.store.operations.list_outages() == ()
