"""Compressed logs of finished matches are small and contain the same events."""

import asyncio
import zlib
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from data.store.connection.store_errors import DamagedLog
from data.store.log.archive import MAX_LOG_BYTES, LogRow, compress_rows, decompress_rows
from data.store.store import Store
from engine.table.table_events import Moved, Paused
from tests.data.store.played_matches import PlayedMatches
from tests.data.store.scene import ADA, CHANNEL, NOW, add_match, build_seat, commit_change, play_match
from tests.data.store.server import BOTH_DATABASES
from tests.data.store.statements import Sql

SELECT_KINDS = "SELECT kind FROM events WHERE match_id = :match ORDER BY seq"
MATCHES = 1
MAX_MATCH_BYTES = 20_000


async def test_pruned_match_of_hundred_moves_takes_less_than_twenty_kilobytes(tmp_path: Path):
    played_matches = await PlayedMatches.create(tmp_path / "disk.db")
    empty, store = played_matches.compute_size(), played_matches.store
    for _ in range(MATCHES):
        await played_matches.play_match()
    logs = [await store.matches.load_log(match) for match in played_matches.ids]
    full = played_matches.compute_size() - empty
    await played_matches.prune()
    pruned = played_matches.compute_size() - empty
    assert [await store.matches.load_log(match) for match in played_matches.ids] == logs
    await store.close()
    assert pruned <= MATCHES * MAX_MATCH_BYTES < full


async def add_ended_match(store: Store, *, channel: int = CHANNEL, state: str = "done", now: int = NOW) -> int:
    head = await add_match(store, channel_id=channel, seats=[build_seat(0, ADA)], now=now)
    events = [Paused(ADA, "tea"), *play_match(7, 2), Moved(channel + 1)]
    head = await commit_change(store, head, events=events, state=state, channel_id=channel + 1, now=now)
    return head.match_id


async def read_everything(store: Store, match: int) -> list[object]:
    loaded = await store.matches.load(match)
    return [
        loaded,
        *[await store.matches.load_log(match, upto) for upto in (None, 1, 2, 3, 50, loaded.head.seq)],
        await store.matches.list_events(match, 5, 60),
        await store.matches.list_moderations(match),
        await store.matches.find_moderation(match, 2),
        await store.matches.list_later_channels(match),
        await store.erasure.export_user(ADA),
    ]


@BOTH_DATABASES
async def test_compressed_log_has_same_events(store: Store, sql: Sql):
    match = await add_ended_match(store)
    before = await read_everything(store, match)
    assert await store.operations.compress_logs(NOW + 1) == 1
    assert await sql(SELECT_KINDS, match=match) == [("paused",), ("moved",)], "what is looked for by its kind"
    assert await read_everything(store, match) == before
    assert await store.operations.compress_logs(NOW + 1) == 0


async def test_only_ended_matches_are_compressed_in_small_batches(store: Store, sql: Sql):
    old = [
        await add_ended_match(store, channel=10 * number, state=state)
        for number, state in enumerate(("done", "void", "done"))
    ]
    runs = await add_ended_match(store, channel=50, state="open")
    later = await add_ended_match(store, channel=60, now=NOW + 9)
    aside = await add_ended_match(store, channel=70)
    await store.quarantine.quarantine_match(aside, 3, "unreadable", now=NOW)
    assert [await store.operations.compress_logs(NOW + 9, limit=2) for _ in range(3)] == [2, 1, 0]
    assert {match for (match,) in await sql("SELECT match_id FROM archives")} == set(old)
    for match in (runs, later, aside):
        assert len(await sql(SELECT_KINDS, match=match)) == len(await store.matches.load_log(match)) > 50
    assert await store.operations.compress_logs(NOW + 10) == 1, "when its time has come"


async def test_events_after_compression_follow_compressed_log(store: Store):
    match = await add_ended_match(store, state="void")
    log = await store.matches.load_log(match)
    await store.operations.compress_logs(NOW + 1)
    await store.quarantine.quarantine_match(match, 3, "unreadable", now=NOW)
    loaded = await store.matches.load(match)
    await commit_change(store, loaded.head, state="open", now=NOW + 2)
    after = await store.matches.load_log(match)
    assert (after[:-1], len(after)) == (log, len(log) + 1)


async def test_two_processes_compress_each_log_once(store: Store, other: Store):
    matches = [await add_ended_match(store, channel=10 * number) for number in range(4)]
    logs = [await store.matches.load_log(match) for match in matches]
    at_once = [one.operations.compress_logs(NOW + 1) for one in (store, other) * 3]
    assert sum(await asyncio.gather(*at_once)) == len(matches)
    assert [await other.matches.load_log(match) for match in matches] == logs


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"nonsense", id="no such value"),
        pytest.param(compress_rows([LogRow(1, "opened", "{}", 1)])[:-5], id="half of it"),
        pytest.param(zlib.compress(b'[[1,"opened"]]'), id="other lines"),
        pytest.param(zlib.compress(bytes(MAX_LOG_BYTES + 1)), id="no end"),
    ],
)
async def test_damaged_archive_raises_damaged_log(store: Store, sql: Sql, body: bytes):
    match = await add_ended_match(store)
    await store.operations.compress_logs(NOW + 1)
    await sql("UPDATE archives SET body = :body", body=body)
    with pytest.raises(DamagedLog):
        await store.matches.load_log(match)


def test_too_long_or_empty_log_is_not_compressed():
    assert compress_rows([]) == compress_rows([LogRow(1, "opened", " " * MAX_LOG_BYTES, 1)]) == b""
    assert decompress_rows(b"", 1) == []


async def test_undecodable_log_stays_uncompressed_and_does_not_block_others(tmp_path: Path):
    file = tmp_path / "boneyard.db"
    store = await Store.open(f"sqlite:///{file}")
    damaged, whole = await add_ended_match(store), await add_ended_match(store, channel=30, now=NOW + 1)
    with closing(connect(file)) as base, base:
        base.execute("UPDATE events SET body = CAST(x'7bff80' AS TEXT) WHERE match_id = ? AND seq = 3", (damaged,))
    assert [await store.operations.compress_logs(NOW + 5, limit=1) for _ in range(3)] == [1, 1, 0]
    with closing(connect(file)) as base:
        left = dict(base.execute("SELECT match_id, count(*) FROM events GROUP BY match_id"))
    assert (left[whole], left[damaged] > 50) == (2, True)
    with pytest.raises(DamagedLog):
        await store.matches.load_log(damaged)
    await store.close()
