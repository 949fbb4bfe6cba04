"""Cached tables: a process notices changes that other processes made."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from simcord import MemberActor
from sqlalchemy import create_engine, text

from bot.tables.service import Table
from data.store.connection.shards import Shard, UncreditedOutage
from data.store.store import Store
from engine.board.tiles import format_tile_notation
from engine.match.actions import Play, Resign
from engine.match.errors import RuleError
from engine.match.player_view import view_for
from engine.table.commands import TakeAction, ViewHand
from engine.table.preferences import Preferences
from engine.table.refusals import RefusalError
from engine.table.table_state import Outage
from tests.bot.messages import told
from tests.bot.simulated_guild import SimGuild
from tests.bot.use_cases import ADA, GRACE, GUILD, UseCases


@pytest.fixture
async def other_process(use_cases: UseCases, url: str) -> AsyncIterator[UseCases]:
    store = await Store.open(url)
    other = UseCases(store)
    other.numbers = use_cases.numbers
    yield other
    await store.close()


def best_act(table: Table) -> TakeAction:
    lies = view_for(table.match, table.match.turn).moves[0].placement
    user = table.find_turn_user()
    assert user is not None
    return TakeAction(user, lambda seat: Play(seat, lies.tile, lies.cell, lies.rotation))


async def start_cached_match(use_cases: UseCases) -> Table:
    table = await use_cases.started(GRACE)
    known = use_cases.tables.find_cached(table.head.match_id)
    assert known is not None
    return known


async def act_on_cached(use_cases: UseCases, table: Table, command: TakeAction | None = None) -> Table:
    done = await use_cases.acts.act(
        table.head.match_id, command or best_act(table), request=use_cases.request(), cached_table=table
    )
    return done.table


async def test_action_on_cached_table_reads_nothing_and_counts_once(
    use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, request = await start_cached_match(use_cases), use_cases.request()
    reads: list[object] = []
    monkeypatch.setattr(use_cases.store.transactions, "read", lambda work: reads.append(work))
    first = await use_cases.acts.act(table.head.match_id, best_act(table), request=request, cached_table=table)
    assert (len(first.events), reads) == (2, [])
    monkeypatch.undo()

    again = await use_cases.acts.act(table.head.match_id, best_act(table), request=request, cached_table=table)
    assert again.events == ()
    assert len(again.table.match.board.tiles) == 2


async def test_move_of_other_process_is_not_overwritten(use_cases: UseCases, other_process: UseCases) -> None:
    table = await start_cached_match(use_cases)
    await act_on_cached(other_process, await other_process.tables.load(table.head.match_id))
    with pytest.raises(RefusalError, match="STALE"):
        await act_on_cached(use_cases, table)
    assert len((await use_cases.tables.load(table.head.match_id)).match.board.tiles) == 2


async def test_setting_from_other_process_applies_to_next_turn(use_cases: UseCases, other_process: UseCases) -> None:
    table = await start_cached_match(use_cases)
    mover = table.find_turn_user()
    assert mover is not None
    following = ADA + GRACE - mover
    # Outside the turn of this player, the setting adds no event to the log.
    await other_process.people.set(following, lambda known: replace(known, remind=False))
    now = await act_on_cached(use_cases, table)
    now = (await use_cases.acts.act(now.head.match_id, ViewHand(following), cached_table=now)).table
    assert now.get_person(following).preferences == Preferences(remind=False)
    assert now.head.due.kind != "remind"


async def test_move_at_table_quarantined_by_other_process_is_refused(
    use_cases: UseCases, other_process: UseCases
) -> None:
    table = await start_cached_match(use_cases)
    match_id, seq = table.head.match_id, table.head.seq
    assert await other_process.store.quarantine.quarantine_match(match_id, 3, "damaged", now=use_cases.time)
    with pytest.raises(RefusalError, match="SET_ASIDE"):
        await act_on_cached(use_cases, table)
    head = await use_cases.store.matches.find_head(match_id)
    assert (head.seq, head.state) == (seq, "void")


async def test_changed_log_of_same_length_is_reloaded(use_cases: UseCases, other_process: UseCases, url: str) -> None:
    table = await start_cached_match(use_cases)
    engine = create_engine(url)
    with engine.begin() as raw:
        raw.execute(text("UPDATE matches SET updated_at = updated_at + 1"))
    engine.dispose()
    read: list[int] = []
    before = use_cases.tables.load_uncached

    async def count_reads(head: object) -> object:
        read.append(1)
        return await before(head)  # type: ignore[arg-type]

    use_cases.tables.load_uncached = count_reads  # type: ignore[method-assign, assignment]
    await act_on_cached(use_cases, table)
    assert read == [1]


async def test_move_at_table_deleted_by_other_process_is_refused(use_cases: UseCases, other_process: UseCases) -> None:
    table = await start_cached_match(use_cases)
    await other_process.store.guilds.note_guild_left(GUILD, 1, now=1)
    await other_process.store.guilds.purge_guild(GUILD, left_by=2)
    with pytest.raises(RefusalError, match="NO_SUCH_TABLE"):
        await act_on_cached(use_cases, table)


async def test_refusal_from_cached_table_is_checked_against_store(use_cases: UseCases, other_process: UseCases) -> None:
    table = await start_cached_match(use_cases)
    mover = table.find_turn_user()
    assert mover is not None
    following = ADA + GRACE - mover
    there = await act_on_cached(other_process, await other_process.tables.load(table.head.match_id))
    there = await other_process.stands(there)
    assert there.find_turn_user() == following
    with pytest.raises((RefusalError, RuleError), match=r"STALE|NOT_YOUR_TURN"):
        await act_on_cached(use_cases, table, best_act(table))
    # The player who is next in the store is not refused because of the cached table.
    done = await use_cases.acts.act(
        there.head.match_id, replace(best_act(there), expected=there.state.seq), cached_table=table
    )
    assert done.events


async def test_table_with_pending_outage_credit_is_not_cached(use_cases: UseCases) -> None:
    table = await start_cached_match(use_cases)
    use_cases.tables.owed_outages = (
        UncreditedOutage(Outage(start=use_cases.time, end=use_cases.time + 5000), Shard(0, 1)),
    )
    assert use_cases.tables.find_cached(table.head.match_id) is None
    assert use_cases.tables.find_cached_in(table.head.channel_id) is None


async def test_resigning_with_unsettled_move_ends_match(use_cases: UseCases) -> None:
    table = await act_on_cached(use_cases, await start_cached_match(use_cases))
    mover = table.seats[table.state.tentative_turn.seat].user_id
    assert mover is not None
    done = await use_cases.acts.act(table.head.match_id, TakeAction(mover, Resign), request=use_cases.request())
    assert done.table.match.ended


async def test_command_with_old_cached_table_is_accepted(
    sim: SimGuild, url: str, ada: MemberActor, grace: MemberActor
) -> None:
    await sim.table(ada, grace)
    match_id = (await sim.head()).match_id
    first = sim.to_move()
    second = grace if first is ada else ada
    store = await Store.open(url)
    other = UseCases(store)
    other.time = sim.clock()
    there = await other.stands(await act_on_cached(other, await other.tables.load(match_id)))
    await store.close()
    assert there.find_turn_user() == second.id
    kept = sim.client.services.tables.find_cached(match_id)
    assert kept.find_turn_user() == first.id, "it has not heard of it"
    move = view_for(there.match, there.match.turn).moves[0]
    lies = move.placement
    answer = await second.slash(
        sim.channel, "tiles play", tile=format_tile_notation(lies.tile), place=f"{lies.cell}.{lies.rotation}"
    )
    assert told(answer).startswith("You played ")
