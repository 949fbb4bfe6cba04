"""A database of an earlier version, brought up to this one with what is in it."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from data.store import EVERYWHERE, Store
from tests.data.store.migrations import moved
from tests.data.store.scene import ADA, GRACE, GUILD, LINUS, NOW, finish, note, outcome, played, table
from tests.data.store.seasons import announced

BEFORE_LEADERBOARDS = "0003"
BEFORE_PACKED_LOGS = "0015"
BEFORE_BESTS = "0016"
BEFORE_SEASON_MESSAGES = "0029"
DAY = 86_400_000


async def test_leaderboards_of_older_database_are_made_from_its_results(store: Store, engine: AsyncEngine):
    await finish(store, outcome((ADA, 3), (GRACE, 2)), now=NOW)
    await finish(store, outcome((LINUS, 5)), now=NOW + 1)
    await finish(store, outcome((ADA, 1), (GRACE, 2)), guild_id=EVERYWHERE, now=NOW + DAY)
    async with engine.begin() as connection:
        written = await leaderboards(connection)
        await connection.run_sync(moved, BEFORE_LEADERBOARDS)
        await connection.run_sync(moved, "head")
        assert await leaderboards(connection) == written
    assert (await store.leaderboard(GUILD, "triominoes", lately=True)).total == 3


async def test_of_older_database_only_last_days_count_as_lately(store: Store, engine: AsyncEngine):
    await finish(store, outcome((ADA, 3), (GRACE, 2)), now=NOW)
    await finish(store, outcome((ADA, 3), (LINUS, 2)), now=NOW + 31 * DAY)
    async with engine.begin() as connection:
        await connection.run_sync(moved, BEFORE_LEADERBOARDS)
        await connection.run_sync(moved, "head")
    lately = await store.leaderboard(EVERYWHERE, "triominoes", lately=True)
    assert [(row.user_id, row.matches) for row in lately.rows] == [(ADA, 1), (LINUS, 1)]


async def test_bests_of_older_database_are_made_from_its_results(store: Store, engine: AsyncEngine):
    for day, scores in enumerate(([(ADA, 3), (GRACE, 2)], [(ADA, 9), (GRACE, 2)], [(ADA, 1), (LINUS, 4)], [(ADA, 5)])):
        await finish(store, outcome(*scores, rated=day != 1), now=NOW + day * DAY)
    await finish(store, outcome((ADA, 99), (GRACE, 2)), guild_id=EVERYWHERE, now=NOW)
    ada = await store.person(ADA)
    await store.prefer(ada, replace(ada.preferences, listed=False), now=NOW)
    bests = text("SELECT * FROM bests ORDER BY 1, 2, 3, 4")
    async with engine.begin() as connection:
        written = (await connection.execute(bests)).all()
        assert len(written) == 6
        await connection.run_sync(moved, BEFORE_BESTS)
        await connection.run_sync(moved, "head")
        assert (await connection.execute(bests)).all() == written


async def test_packed_log_has_its_lines_again_in_older_database(store: Store, engine: AsyncEngine):
    head = await store.create(table(), now=NOW)
    head = await store.commit(note(head, events=played(7, 2), state="done"), now=NOW)
    log = text("SELECT * FROM events ORDER BY match_id, seq")
    async with engine.connect() as connection:
        written = (await connection.execute(log)).all()
    assert await store.pack_logs(NOW + 1) == 1
    async with engine.begin() as connection:
        assert (await connection.execute(log)).all() == []
        await connection.run_sync(moved, BEFORE_PACKED_LOGS)
        assert (await connection.execute(log)).all() == written
        await connection.run_sync(moved, "head")
    assert await store.pack_logs(NOW + 1) == 1, "and is packed again"


async def test_message_of_season_of_older_database_is_known(store: Store, engine: AsyncEngine):
    head = await store.announce_season(announced(), now=NOW)
    silent = await store.announce_season(announced(channel_id=5), now=NOW)
    old, new = [await store.begin_season_message(head, now=NOW) for _ in range(2)]
    await store.season_shown(old, message_id=70, before=0, seq=1)
    await store.season_shown(new, message_id=71, before=1, seq=1)
    await store.begin_season_message(silent, now=NOW)
    async with engine.begin() as connection:
        await connection.run_sync(moved, BEFORE_SEASON_MESSAGES)
        await connection.run_sync(moved, "head")
    (kept,) = await store.season_messages(head.season_id)
    assert (kept.message_id, kept.channel_id, kept.state) == (71, head.channel_id, "signup")
    assert await store.season_messages(silent.season_id) == []
    assert await store.standing_messages([head.season_id, silent.season_id]) == {head.season_id: 71}


async def test_older_database_that_was_moved_to_server_gives_no_number_twice(store: Store, engine: AsyncEngine):
    if engine.dialect.name != "postgresql":
        pytest.skip("a file counts by itself")
    known = [await store.announce_season(announced(), now=NOW) for _ in range(3)]
    async with engine.begin() as connection:
        await connection.run_sync(moved, BEFORE_SEASON_MESSAGES)
        await connection.execute(text("SELECT setval(pg_get_serial_sequence('seasons', 'season_id'), 1)"))
        await connection.run_sync(moved, "head")
    assert (await store.announce_season(announced(), now=NOW)).season_id == known[-1].season_id + 1


async def leaderboards(connection: AsyncConnection) -> list[object]:
    queries = ("SELECT * FROM recents ORDER BY 1, 2, 3", "SELECT * FROM bands WHERE people <> 0 ORDER BY 1, 2, 3")
    return [[tuple(row) for row in await connection.execute(text(query))] for query in queries]
