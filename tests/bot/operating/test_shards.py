"""Several processes with separate shards: each handles its own guilds and those without a process."""

from typing import Any

import pytest

from bot import client
from bot.core.privacy import RETENTION_AFTER_LEAVING
from bot.playground import components, rest
from bot.sending.guild_presence import SILENT_AFTER
from data.store.connection.shards import Shards
from data.store.store import Store
from engine.table.commands import Join
from engine.table.terms import DAY, HOUR, MINUTE
from tests.bot.operating.two_processes import ShardPair, assert_eventually, wait_until

BEHIND = SILENT_AFTER / 1000 + 1


def read_all_text(message: dict[str, Any]) -> str:
    texts = []
    for one in components.walk(message["components"]):
        texts += [str(one[key]) for key in ("content", "label", "description") if one.get(key)]
        texts += [str(item.get("description")) for item in one.get("items", [])]
    return "\n".join([message["content"], *texts])


async def test_process_updates_only_tables_of_assigned_guilds(two: ShardPair, store: Store) -> None:
    async with two.run_process(0) as left, two.run_process(1) as right:
        for guild in (two.left_guild, two.right_guild):
            await two.open_table(store, guild)
        await left.sweep()
        assert (len(await two.list_messages(two.left_guild)), len(await two.list_messages(two.right_guild))) == (1, 0)
        await right.sweep()
        assert (len(await two.list_messages(two.left_guild)), len(await two.list_messages(two.right_guild))) == (1, 1)


async def test_table_clock_runs_only_in_process_of_its_guild(two: ShardPair, store: Store) -> None:
    async with two.run_process(0) as left, two.run_process(1) as right:
        heads = [await two.open_table(store, guild) for guild in (two.left_guild, two.right_guild)]
        two.advance_clock(seconds=60)
        await left.sweep()
        await right.sweep()
        two.advance_clock(seconds=DAY / 1000)
        await store.operations.record_shard_pulses(
            [*left.client.services.presence.own_shards, *right.client.services.presence.own_shards],
            now=two.read_clock(),
        )
        await left.sweep()
        states = [head and head.state for head in [await store.matches.find_head(head.match_id) for head in heads]]
        assert states == ["void", "lobby"]
        await right.sweep()
        assert [one and one.state for one in [await store.matches.find_head(head.match_id) for head in heads]] == [
            "void",
            "void",
        ]


async def test_other_process_sends_pending_messages_in_guild_language(two: ShardPair, store: Store) -> None:
    world = two.discord.world
    world.members.set_locale(two.right_guild, "de")
    world.members.change(two.right_guild, world.users[two.ada.id], nick="Gräfin Lovelace")
    async with two.run_process(0) as left:
        async with two.run_process(1):
            pass
        await two.open_table(store, two.right_guild)
        await left.sweep()
        assert await two.list_messages(two.right_guild) == [], "it may be back in a moment"
        two.advance_clock(seconds=BEHIND)
        await left.sweep()
        (board,) = await two.list_messages(two.right_guild)
        assert "Gräfin Lovelace" in read_all_text(board)
        assert "Mitspielen" in read_all_text(board)
        assert "Join" not in read_all_text(board)


async def test_processes_started_together_after_outage_miss_no_player(
    two: ShardPair, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await store.operations.record_shard_pulses(Shards.from_count(2), now=two.read_clock() - HOUR)
    async with two.run_process(0) as left:
        await left.sweep()
        assert not left.client.services.presence.silent_shards
        two.advance_clock(seconds=BEHIND)
        await left.sweep()
        assert left.client.services.presence.silent_shards.numbers == {1}
    assert [record for record in caplog.records if "nobody hears some shards" in record.getMessage()] != []


async def test_disconnected_guild_times_out_no_player_and_credits_outage(two: ShardPair, store: Store) -> None:
    async with two.run_process(0) as left:
        async with two.run_process(1) as right:
            head = await two.open_table(store, two.right_guild, clock="live 5m")
            grace = next(one for one in two.discord.world.users if one != two.ada.id)
            await right.client.services.acts.act(head.match_id, Join(int(grace)))
            await right.sweep()
        started = await store.matches.find_head(head.match_id)
        for _ in range(3):
            two.advance_clock(seconds=HOUR / 1000)
            await left.client.services.scheduler.send_heartbeat()
            await left.sweep()
        waiting = await store.matches.find_head(head.match_id)
        assert (waiting.state, waiting.due) == ("open", started.due), (
            "the other process has run the clock of its people"
        )
        async with two.run_process(1) as right:
            await right.sweep()
        after = await store.matches.find_head(head.match_id)
        assert after.due.kind == started.due.kind
        assert 3 * HOUR <= after.due.at - started.due.at < 3 * HOUR + MINUTE


async def test_outage_of_one_shard_gives_no_credit_to_another(two: ShardPair, store: Store) -> None:
    async with two.run_process(0) as left:
        head = await two.open_table(store, two.left_guild, clock="relaxed")
        grace = next(one for one in two.discord.world.users if one != two.ada.id)
        await left.client.services.acts.act(head.match_id, Join(int(grace)))
        async with two.run_process(1):
            pass
        before = await store.matches.find_head(head.match_id)
        for _ in range(4):
            two.advance_clock(seconds=100)
            await left.sweep()
        async with two.run_process(1) as right:
            assert {owed.shard.number for owed in await store.operations.list_outages()} <= {1}
            await right.sweep()
        await left.sweep()
        after = await store.matches.find_head(head.match_id)
        assert before.due == after.due


async def test_left_guilds_are_deleted_in_any_shard_and_no_others(two: ShardPair, store: Store) -> None:
    gone = [4_000_000 << 22, 4_000_001 << 22]
    for guild in (*gone, int(two.left_guild), int(two.right_guild)):
        await store.guilds.set_guild(guild, {}, now=two.read_clock())
    async with two.run_process(0) as left:
        await assert_eventually(lambda: store.guilds.list_left_guilds(two.read_clock()), gone[:1])
        async with two.run_process(1) as right:
            await assert_eventually(lambda: store.guilds.list_left_guilds(two.read_clock()), gone)
            two.advance_clock(seconds=RETENTION_AFTER_LEAVING / 1000 + 60)
            assert await left.client.services.privacy.purge_overdue() == (gone[0],)
            assert await right.client.services.privacy.purge_overdue() == (gone[1],)
    assert await store.guilds.list_known_guilds() == {int(two.left_guild), int(two.right_guild)}


async def test_shard_that_never_starts_delays_no_other(
    two: ShardPair, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    throttle = two.discord.gateway._throttle
    may_start = throttle.may_start
    monkeypatch.setattr(throttle, "may_start", lambda shard: shard == 0 and may_start(shard))
    monkeypatch.setattr(client, "SWEEP_INTERVAL", 0.2)
    await two.open_table(store, two.left_guild)
    async with two.run_process(count=2, ready=False) as whole:
        await wait_until(lambda: two.has_connected_shards(whole, 0), whole)
        await assert_eventually(lambda: two.count_messages(two.left_guild), 1)
        monkeypatch.setattr(throttle, "may_start", may_start)
        await wait_until(lambda: whole.client.services.presence.connected_shards.is_complete, whole)


async def test_recommended_number_of_shards_starts_by_default(two: ShardPair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "GUILDS_PER_SHARD", 1)
    async with two.run_process(count=None) as whole:
        assert whole.client.shard_count == len(two.discord.world.guilds)
        assert whole.client.services.presence.connected_shards.is_complete
        assert {guild.id for guild in whole.client.guilds} == {int(guild) for guild in two.discord.world.guilds}


async def test_lost_connection_affects_only_its_own_shard(two: ShardPair, monkeypatch: pytest.MonkeyPatch) -> None:
    async with two.run_process(count=2) as whole:
        presence = whole.client.services.presence
        sessions = {session.shard: session for session in two.discord.gateway._sessions.values()}
        connected, note_disconnected = [], presence.note_disconnected

        def note_lost(number: int) -> None:
            note_disconnected(number)
            connected.append(presence.connected_shards.numbers)

        monkeypatch.setattr(presence, "note_disconnected", note_lost)
        sessions[1].send(7)
        await wait_until(lambda: bool(connected), whole)
        assert connected == [{0}]
        await wait_until(lambda: presence.connected_shards.is_complete, whole)
