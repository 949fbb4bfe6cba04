"""Cached tables: a process notices changes that other processes made."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
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
from tests.bot.member import Member
from tests.bot.messages import read_private_text
from tests.bot.simulated_guild import SimGuild
from tests.bot.use_cases import ADA, GRACE, GUILD, UseCases


@pytest.fixture
async def other_process(use_cases: UseCases, url: str) -> AsyncIterator[UseCases]:
    store = await Store.open(url)
    other = UseCases(store)
    other.request_ids = use_cases.request_ids
    yield other
    await store.close()


def build_best_action(table: Table) -> TakeAction:
    placement = view_for(table.match, table.match.turn).moves[0].placement
    user = table.find_turn_user()
    return TakeAction(user, lambda seat: Play(seat, placement.tile, placement.cell, placement.rotation))


async def start_cached_match(use_cases: UseCases) -> Table:
    table = await use_cases.start_match(GRACE)
    cached_table = use_cases.tables.find_cached(table.head.match_id)
    assert cached_table is not None
    return cached_table


async def act_on_cached(use_cases: UseCases, table: Table, command: TakeAction | None = None) -> Table:
    outcome = await use_cases.acts.act(
        table.head.match_id,
        command or build_best_action(table),
        request=use_cases.create_request_id(),
        cached_table=table,
    )
    return outcome.table


async def test_action_on_cached_table_reads_nothing_and_counts_once(
    use_cases: UseCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, request = await start_cached_match(use_cases), use_cases.create_request_id()
    reads: list[object] = []
    monkeypatch.setattr(use_cases.store.transactions, "read", lambda work: reads.append(work))
    first = await use_cases.acts.act(table.head.match_id, build_best_action(table), request=request, cached_table=table)
    assert (len(first.events), reads) == (2, [])
    monkeypatch.undo()

    repeated = await use_cases.acts.act(
        table.head.match_id, build_best_action(table), request=request, cached_table=table
    )
    assert repeated.events == ()
    assert len(repeated.table.match.board.tiles) == 2


async def test_move_of_other_process_is_not_overwritten(use_cases: UseCases, other_process: UseCases) -> None:
    table = await start_cached_match(use_cases)
    await act_on_cached(other_process, await other_process.tables.load(table.head.match_id))
    with pytest.raises(RefusalError, match="STALE"):
        await act_on_cached(use_cases, table)
    assert len((await use_cases.tables.load(table.head.match_id)).match.board.tiles) == 2


async def test_setting_from_other_process_applies_to_next_turn(use_cases: UseCases, other_process: UseCases) -> None:
    table = await start_cached_match(use_cases)
    mover = table.find_turn_user()
    following = ADA + GRACE - mover
    # Outside the turn of this player, the setting adds no event to the log.
    await other_process.user_settings.set(following, lambda preferences: replace(preferences, remind=False))
    table_now = await act_on_cached(use_cases, table)
    table_now = (await use_cases.acts.act(table_now.head.match_id, ViewHand(following), cached_table=table_now)).table
    assert table_now.get_person(following).preferences == Preferences(remind=False)
    assert table_now.head.due.kind != "remind"


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
    with engine.begin() as connection:
        connection.execute(text("UPDATE matches SET updated_at = updated_at + 1"))
    engine.dispose()
    read: list[int] = []
    before = use_cases.tables.load_uncached

    async def count_reads(head: object) -> object:
        read.append(1)
        return await before(head)

    use_cases.tables.load_uncached = count_reads
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
    following = ADA + GRACE - mover
    other_table = await act_on_cached(other_process, await other_process.tables.load(table.head.match_id))
    other_table = await other_process.settle_turn(other_table)
    assert other_table.find_turn_user() == following
    with pytest.raises((RefusalError, RuleError), match=r"STALE|NOT_YOUR_TURN"):
        await act_on_cached(use_cases, table, build_best_action(table))
    # The player who is next in the store is not refused because of the cached table.
    outcome = await use_cases.acts.act(
        other_table.head.match_id,
        replace(build_best_action(other_table), expected=other_table.state.seq),
        cached_table=table,
    )
    assert outcome.events


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
    outcome = await use_cases.acts.act(
        table.head.match_id, TakeAction(mover, Resign), request=use_cases.create_request_id()
    )
    assert outcome.table.match.ended


async def test_command_with_old_cached_table_is_accepted(room: SimGuild, url: str, ada: Member, grace: Member) -> None:
    match_id = (await room.load_head()).match_id
    first = room.get_called_player()
    second = grace if first is ada else ada
    store = await Store.open(url)
    other = UseCases(store)
    other.time = room.clock()
    other_table = await other.settle_turn(await act_on_cached(other, await other.tables.load(match_id)))
    await store.close()
    assert other_table.find_turn_user() == second.id
    cached_table = room.client.services.tables.find_cached(match_id)
    assert cached_table.find_turn_user() == first.id, "it has not heard of it"
    move = view_for(other_table.match, other_table.match.turn).moves[0]
    placement = move.placement
    answer = await second.use_command(
        "tiles play", tile=format_tile_notation(placement.tile), place=f"{placement.cell}.{placement.rotation}"
    )
    assert read_private_text(answer).startswith("You played ")
