"""The shard of a guild, the last pulse of a shard, and the rows that belong to a shard."""

import pytest

from data.store.connection.shards import UNSHARDED, Shard, Shards, list_disconnected
from data.store.store import Store
from engine.table.table_state import Due
from tests.data.store.scene import NOW, add_match
from tests.data.store.server import BOTH_DATABASES

GUILDS = [number << 22 | 7 for number in (400, 401, 402, 403)]


@BOTH_DATABASES
async def test_due_work_is_filtered_by_shards(store: Store) -> None:
    due = Due(at=NOW, kind="expire")
    for channel, guild in enumerate(GUILDS, 1):
        await add_match(store, channel_id=channel, guild_id=guild, due=due)
        await store.outbox.block(channel, channel, 50001, now=NOW)
    for shards, wanted in (
        (UNSHARDED, [1, 2, 3, 4]),
        (Shards(2, frozenset({0})), [1, 3]),
        (Shards(4, frozenset({1, 2})), [2, 3]),
        (Shards(3, frozenset({2})), [2]),
        (Shards(2, frozenset()), []),
        (Shards.from_count(4), [1, 2, 3, 4]),
    ):
        assert [head.match_id for head in await store.matches.list_due_heads(NOW, 10, of=shards)] == wanted
        assert [head.match_id for head in await store.matches.list_outdated_heads(10, of=shards)] == wanted
        assert [row.match_id for row in await store.outbox.list_blocked(of=shards)] == wanted
        assert [guild for guild in GUILDS if shards.has_guild(guild)] == [GUILDS[number - 1] for number in wanted]
    assert await store.matches.list_due_heads(NOW, 10, kinds=["computer"]) == []


@pytest.mark.parametrize(
    ("pulses", "shard", "last"),
    [
        ({"bot": 5}, Shard(), 5),
        ({"bot": 5, "doctor": 9}, Shard(1, 2), 5),
        ({"bot 0/2": 7, "bot 1/2": 5}, Shard(1, 2), 5),
        # The same servers with another number of shards before.
        ({"bot 0/2": 7, "bot 1/2": 5}, Shard(3, 4), 5),
        ({"bot 0/2": 7, "bot 1/2": 5}, Shard(0, 3), 7),
        ({"bot 0/2": 7, "bot 1/2": 5}, Shard(), 7),
        ({"bot": 3, "bot 1/2": 9}, Shard(0, 2), 3),
        ({"doctor": 9}, Shard(0, 2), None),
    ],
)
def test_last_pulse_of_shard_is_latest_pulse_covering_it(pulses: dict[str, int], shard: Shard, last: int) -> None:
    assert shard.find_last_connection(pulses) == last


@pytest.mark.parametrize(
    ("pulses", "found"),
    [
        ({"bot": 100}, []),
        ({"bot": 0}, []),
        ({"bot 0/2": 100, "bot 1/2": 95}, []),
        ({"bot 0/2": 100, "bot 1/2": 0}, [Shard(1, 2)]),
        ({"bot 0/4": 100}, [Shard(1, 4), Shard(2, 4), Shard(3, 4)]),
        # Another number of shards before, or all shards stopped.
        ({"bot": 0, "bot 0/2": 100, "bot 1/2": 100}, []),
        ({"bot 0/2": 0, "bot 1/2": 0, "doctor": 100}, []),
    ],
)
def test_silent_shards_are_found_while_others_are_connected(pulses: dict[str, int], found: list[Shard]) -> None:
    assert list_disconnected(pulses, 100, 10) == found


async def test_one_shard_per_group_identifies_at_a_time(store: Store) -> None:
    assert await store.operations.reserve_identify(0, gap=5000, now=NOW) == 0
    assert await store.operations.reserve_identify(0, gap=5000, now=NOW + 1000) == 4000
    assert await store.operations.reserve_identify(1, gap=5000, now=NOW + 1000) == 0, "another group"
    assert await store.operations.reserve_identify(0, gap=5000, now=NOW + 5000) == 0
    assert await store.operations.reserve_identify(0, gap=5000, now=NOW + 4990) == 5010
    assert await store.operations.reserve_identify(0, gap=5000, now=NOW - 3_600_000) == 0
