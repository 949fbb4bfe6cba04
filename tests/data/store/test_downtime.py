"""Outages in the store are recorded once, credited to the matches in batches, and then deleted."""

from data.store.connection.shards import Shard, UncreditedOutage
from data.store.log.match_values import Change
from data.store.store import Store
from engine.table.preferences import Person
from engine.table.table_events import Credited
from engine.table.table_state import Due, Outage, Turn
from tests.data.store.scene import ADA, GRACE, NOW, add_match, build_seat
from tests.data.store.server import BOTH_DATABASES

BOTH_SEATS = [build_seat(0, ADA), build_seat(1, GRACE)]
OUTAGE = Outage(start=NOW, end=NOW + 600_000)
ALL = Shard()


async def test_outage_is_recorded_with_pulse_that_ends_it(store: Store):
    await store.operations.record_pulse("bot", now=OUTAGE.start)
    assert await store.operations.note_outage(ALL, OUTAGE, pulse=OUTAGE.start)
    assert await store.operations.list_outages() == (UncreditedOutage(OUTAGE),)
    assert await store.operations.load_pulses() == {"bot": OUTAGE.end}


async def test_two_processes_record_same_outage_once(store: Store):
    await store.operations.record_pulse("bot", now=OUTAGE.start)
    assert await store.operations.note_outage(ALL, OUTAGE, pulse=OUTAGE.start)
    assert not await store.operations.note_outage(
        ALL, Outage(start=OUTAGE.start, end=OUTAGE.end + 5), pulse=OUTAGE.start
    )
    assert await store.operations.list_outages() == (UncreditedOutage(OUTAGE),)


async def test_only_credited_outages_are_removed(store: Store):
    later = Outage(start=OUTAGE.end + 1, end=OUTAGE.end + 900_000)
    await store.operations.record_pulse("bot", now=OUTAGE.start)
    await store.operations.note_outage(ALL, OUTAGE, pulse=OUTAGE.start)
    await store.operations.record_pulse("bot", now=later.start)
    await store.operations.note_outage(ALL, later, pulse=later.start)
    assert await store.operations.list_outages() == (UncreditedOutage(OUTAGE), UncreditedOutage(later))
    await store.operations.delete_outages([UncreditedOutage(OUTAGE)])
    assert await store.operations.list_outages() == (UncreditedOutage(later),)


async def test_simultaneous_outages_of_two_shards_are_credited_separately(store: Store):
    left, right = Shard(0, 2), Shard(1, 2)
    await store.operations.record_shard_pulses([left, right], now=OUTAGE.start)
    for shard in (left, right):
        assert await store.operations.note_outage(shard, OUTAGE, pulse=OUTAGE.start)
    assert await store.operations.list_outages() == (UncreditedOutage(OUTAGE, left), UncreditedOutage(OUTAGE, right))
    await store.operations.delete_outages([UncreditedOutage(OUTAGE, right)])
    assert await store.operations.list_outages() == (UncreditedOutage(OUTAGE, left),)


async def test_new_shard_records_its_outage_once(store: Store):
    await store.operations.record_pulse("bot", now=OUTAGE.start)
    assert await store.operations.note_outage(Shard(0, 2), OUTAGE, pulse=None)
    assert not await store.operations.note_outage(Shard(0, 2), OUTAGE, pulse=None)
    assert (await store.operations.load_pulses())["bot 0/2"] == OUTAGE.end


async def test_running_clocks_are_listed_by_shard(store: Store):
    turn, due = Turn(seat=0, user=ADA), Due(at=NOW + 5, kind="remind")
    for channel, guild in enumerate((4 << 22, 5 << 22, 6 << 22), 1):
        await add_match(store, channel_id=channel, guild_id=guild, state="open", seats=BOTH_SEATS, due=due, turn=turn)
    assert await store.matches.list_timed_matches(of=[Shard(0, 2)]) == [1, 3]
    assert await store.matches.list_timed_matches(of=[Shard(2, 3), Shard(1, 2)]) == [2]


@BOTH_DATABASES
async def test_matches_waiting_for_user_are_found_with_user_settings(store: Store):
    await store.users.set_person(GRACE, quick=True, now=NOW)
    dues = [Due(at=NOW + 9, kind="deadline"), Due(at=NOW + 5, kind="remind"), Due(at=NOW + 1, kind="computer"), None]
    turns = [Turn(seat=0, user=ADA), Turn(seat=1, user=GRACE), Turn(seat=2), Turn(seat=0, user=ADA)]
    for channel, (due, turn) in enumerate(zip(dues, turns, strict=True), 1):
        await add_match(store, channel_id=channel, state="open", seats=BOTH_SEATS, due=due, turn=turn)
    await add_match(store, channel_id=9, due=Due(at=NOW, kind="expire"))
    assert await store.matches.list_timed_matches() == [2, 1]
    asked = [await store.matches.find_context(number, None) for number in (1, 2)]
    found = {one.head.match_id: one.people for one in asked if one is not None}
    grace = Person(user_id=GRACE, quick=True)
    assert found == {1: {GRACE: grace}, 2: {GRACE: grace}}, "who is missing has set nothing"


async def test_each_change_in_batch_is_applied_fully_or_not(store: Store):
    for channel in (1, 2):
        await add_match(store, channel_id=channel)
    changes = [
        Change(match_id=number, expected_seq=seq, events=[Credited((OUTAGE,))], due=Due(at=NOW + number, kind="remind"))
        for number, seq in ((2, 1), (1, 7))
    ]
    done = await store.matches.commit_each(changes, now=NOW + 1)
    assert [(head.match_id, head.seq, head.due) for head in done] == [(2, 2, Due(at=NOW + 2, kind="remind"))]
    assert [entry.event for entry in await store.matches.load_log(2)][1:] == [Credited((OUTAGE,))]
    missed = await store.matches.find_head(1)
    assert (missed.seq, missed.due) == (1, None)
    assert len(await store.matches.load_log(1)) == 1
