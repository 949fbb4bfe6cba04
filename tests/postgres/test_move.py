"""The command `boneyard move`: it copies all data from a file to PostgreSQL, even after interruptions."""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from bot.operating.adopt import transfer_database, undo_move
from bot.operating.doctor import check_logs, open_store
from data.store.connection import postgres
from data.store.connection.facts import Owner
from data.store.connection.privacy_key import load_key
from data.store.connection.store_errors import CopyError, DatabaseOwnerError, StoreUnavailable
from data.store.duplicates.deals import SealedDeal
from data.store.duplicates.store import DealStore
from data.store.leagues.store import SeasonStore
from data.store.store import Store
from tests.data.store.released.database import write_released
from tests.data.store.released.reading import read_everything
from tests.data.store.scene import CHANNEL, GUILD, NOW, add_match
from tests.data.store.seasons import build_new_season
from tests.depth import scale_count
from tests.postgres.servers import Server, find_free_port, run_server

ROOT = Path(__file__).parents[2]
OWNER = Owner(4711)
LATER = NOW * 2  # A time at which the last heartbeat is older than a minute


@pytest.fixture
async def target_server() -> AsyncIterator[Server]:
    async with run_server() as one:
        await one.create_database("bones")
        yield one


@pytest.fixture(scope="module")
def source_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    file = folder / "boneyard.db"
    asyncio.run(_write_source(file))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = on")
        connection.execute("DELETE FROM matches WHERE channel_id = 77")
    return folder


async def _write_source(file: Path) -> None:
    await write_released(f"sqlite:///{file}")
    async with open_store(f"sqlite:///{file}") as store:
        await store.claim(OWNER)
        await add_match(store, channel_id=77)
        await SeasonStore(store.transactions).begin_season_message(
            await SeasonStore(store.transactions).announce_season(build_new_season(), now=NOW), now=NOW
        )
        assert await DealStore(store.transactions).create_deal(build_deal("amber-otter"))
        assert await store.operations.compress_logs(LATER, limit=2) == 2
        load_key(file)


@pytest.fixture
def source_file(source_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(source_folder, tmp_path / "source") / "boneyard.db"


async def test_moved_database_keeps_all_data_and_continues(source_file: Path, target_server: Server) -> None:
    url = target_server.build_url("bones")
    before, last_number = await _read_all(f"sqlite:///{source_file}"), _read_last_number(source_file, "matches")
    lines = await transfer_database(f"sqlite:///{source_file}", url, lambda: LATER)
    summary, advice = lines
    rows, matches = _count_rows(source_file) - 1, _count_matches(source_file)
    assert summary.startswith(f"{url} has everything of {source_file}: {rows} rows, {matches} matches.")
    assert "BONEYARD_DATABASE_URL" in advice
    assert await _read_all(url) == before
    async with open_store(url) as store:
        assert await check_logs(store) == {}
        await store.claim(OWNER)
        assert (await add_match(store, channel_id=78)).match_id == last_number + 1, "no number is given twice"
        season, deal = (
            await SeasonStore(store.transactions).announce_season(build_new_season(), now=NOW),
            await DealStore(store.transactions).create_deal(build_deal("blue-heron")),
        )
        assert season.season_id == _read_last_number(source_file, "seasons") + 1
        assert deal.deal_id == _read_last_number(source_file, "deals") + 1
        message = await SeasonStore(store.transactions).begin_season_message(season, now=NOW)
        assert message.number == _read_last_number(source_file, "season_messages") + 1
        found = await target_server.run_sql("SELECT value FROM facts WHERE name = 'privacy_key'", database="bones")
        assert [row[0] for row in found] == [load_key(source_file).hex()]


async def test_moved_file_is_not_used_without_confirmation(source_file: Path, target_server: Server) -> None:
    url, file = target_server.build_url("bones"), f"sqlite:///{source_file}"
    await transfer_database(file, url, lambda: LATER)
    async with open_store(file) as store:
        with pytest.raises(DatabaseOwnerError, match=f"was moved to {url}. Set BONEYARD"):
            await store.claim(OWNER)
        assert "can be used again" in undo_move(file)
        await store.claim(OWNER)
    assert "was not moved" in undo_move(file)


async def test_move_killed_at_any_point_can_be_repeated(
    source_file: Path, target_server: Server, tmp_path: Path
) -> None:
    url, file = target_server.build_url("bones"), f"sqlite:///{source_file}"
    before = await _read_all(file)
    shutil.copy(source_file, tmp_path / "trial.db")
    trial = await target_server.create_database("trial")
    for one in (trial, url):
        await (await Store.open(one)).close()  # creates the SQL tables
    status, statements = await _run_mover(f"sqlite:///{tmp_path}/trial.db", trial, 0)
    assert status == 0
    # At the last statement but one, the file is marked as moved but the copy is not confirmed.
    for number in sorted({*Random(4).sample(range(1, statements), scale_count(2)), statements - 1}):
        assert (await _run_mover(file, url, number))[0] == -signal.SIGKILL
        assert await _is_empty(target_server) or await _is_refused(url), "no bot plays on what is not whole"
    await transfer_database(file, url, lambda: LATER)
    assert await _read_all(url) == before
    assert not await _is_refused(url)
    assert await _is_refused(file)


async def test_server_with_different_data_is_detected(source_file: Path, target_server: Server) -> None:
    url, file = target_server.build_url("bones"), f"sqlite:///{source_file}"
    before = await _read_all(file)
    await (await Store.open(url)).close()
    await target_server.run_sql(
        "CREATE FUNCTION lie() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.at := NEW.at + 1; RETURN NEW; END$$",
        database="bones",
    )
    await target_server.run_sql(
        "CREATE TRIGGER lies BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION lie()", database="bones"
    )
    with pytest.raises(CopyError, match="does not keep what it is given: events came out otherwise"):
        await transfer_database(file, url, lambda: LATER)
    assert await _is_empty(target_server)
    assert not await _is_refused(file)
    assert await _read_all(file) == before


async def test_nonempty_target_is_not_changed(source_file: Path, target_server: Server) -> None:
    url = target_server.build_url("bones")
    async with open_store(url) as store:
        head = await add_match(store)
        with pytest.raises(CopyError, match=r"is not empty: .* has rows. Name an empty database"):
            await transfer_database(f"sqlite:///{source_file}", url, lambda: LATER)
        assert await store.matches.find_head(head.match_id) == head
        assert not await _is_refused(f"sqlite:///{source_file}")


async def test_database_of_running_bot_is_not_moved(source_file: Path, target_server: Server) -> None:
    async with open_store(f"sqlite:///{source_file}") as store:
        await store.operations.record_pulse("bot", now=LATER - 20_000)
        with pytest.raises(CopyError, match=r"A bot is using .* Stop it, wait a minute and try again"):
            await transfer_database(f"sqlite:///{source_file}", target_server.build_url("bones"), lambda: LATER)
        await store.operations.record_pulse("bot", now=LATER + 3_600_000)  # from a clock that was ahead
    assert await transfer_database(f"sqlite:///{source_file}", target_server.build_url("bones"), lambda: LATER)


@pytest.mark.parametrize("target", ["sqlite:///other.db", "postgresql://ada:secret@127.0.0.1:{port}/bones", "bones"])
async def test_invalid_database_is_refused_in_one_line(
    source_file: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "CONNECT_LIMIT", 0.5)
    with pytest.raises((CopyError, StoreUnavailable)) as raised:
        await transfer_database(f"sqlite:///{source_file}", target.format(port=find_free_port()), lambda: LATER)
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)
    assert not await _is_refused(f"sqlite:///{source_file}")


async def _run_mover(file: str, url: str, number: int) -> tuple[int, int]:
    command = [sys.executable, "-m", "tests.postgres.mover", url, str(LATER), str(number)]
    environment = os.environ | {"BONEYARD_DATABASE_URL": file}
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    return process.returncode or 0, int(output or 0)


async def _read_all(url: str) -> object:
    store = await Store.open(url)
    try:
        return await read_everything(store, NOW, requests=(), user_ids=sorted(await store.erasure.list_user_ids()))
    finally:
        await store.close()


async def _is_refused(url: str) -> bool:
    store = await Store.open(url)
    try:
        await store.claim(OWNER)
    except DatabaseOwnerError:
        return True
    finally:
        await store.close()
    return False


async def _is_empty(pg_server: Server) -> bool:
    found = await pg_server.run_sql("SELECT to_regclass('matches') IS NOT NULL", database="bones")
    return not found[0][0] or not await pg_server.run_sql("SELECT 1 FROM matches LIMIT 1", database="bones")


def build_deal(name: str) -> SealedDeal:
    return SealedDeal(
        guild_id=GUILD, channel_id=CHANNEL, name=name, terms={}, secret=bytes(32), made_at=NOW, closes_at=LATER
    )


def _count_rows(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        names = [name for (name,) in tables if name != "alembic_version"]
        return sum(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names)


def _count_matches(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])


def _read_last_number(file: Path, name: str) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).fetchone()[0])
