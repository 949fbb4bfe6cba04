"""A database is opened and closed: its location, its contents, and errors."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.engines import make_engine, parse_url
from data.store.connection.faults import REMEDIES, DatabaseFault
from data.store.connection.migrate import build_config, get_newest_revision, list_revisions
from data.store.connection.open_database import open_engine
from data.store.connection.schema import metadata
from data.store.connection.store_errors import StoreClosed, StoreUnavailable
from data.store.store import Store
from tests.data.store.released.database import read_contents
from tests.data.store.scene import ADA, NOW, add_match, commit_change
from tests.data.store.server import BOTH_DATABASES
from tests.depth import scale_count

ROOT = Path(__file__).parents[3]
URL_ADVICE = "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL."


@pytest.fixture
async def migrated(url: str) -> AsyncIterator[AsyncEngine]:
    def migrate(connection: Connection) -> None:
        settings = build_config()
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")

    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.run_sync(migrate)
    yield engine
    await engine.dispose()


async def test_migrations_build_exactly_tables_in_code(migrated: AsyncEngine):
    def list_differences(connection: Connection) -> list[object]:
        return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)

    async with migrated.connect() as connection:
        assert await connection.run_sync(list_differences) == []


def test_migration_files_follow_alembic_order():
    steps = ScriptDirectory.from_config(build_config()).walk_revisions()
    assert [step.revision for step in steps] == list(reversed(list_revisions()))


@BOTH_DATABASES
async def test_directly_created_schema_equals_migrated_schema(
    migrated: AsyncEngine, fresh: Callable[[], Awaitable[str]]
):
    at_once = await open_engine(await fresh())
    assert await read_contents(at_once) == await read_contents(migrated)
    assert await read_definitions(at_once) == await read_definitions(migrated)
    await at_once.dispose()


async def read_definitions(engine: AsyncEngine) -> set[tuple[str, ...]]:
    async with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            rows = await connection.execute(text("SELECT type, name, coalesce(sql, '') FROM sqlite_schema"))
            return {tuple(row) for row in rows}
        columns = "SELECT table_name, column_name, data_type, is_nullable, coalesce(column_default, ''), "
        columns += "coalesce(character_maximum_length, 0) FROM information_schema.columns WHERE table_schema = 'public'"
        constraints = "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        constraints += "WHERE connamespace = 'public'::regnamespace"
        indexes = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
        return {
            tuple(row) for query in (columns, constraints, indexes) for row in await connection.execute(text(query))
        }


async def test_migrations_build_same_checks_as_code(migrated: AsyncEngine):
    def list_checks(connection: Connection) -> set[tuple[str, str | None]]:
        found = inspect(connection)
        return {(name, check["name"]) for name in metadata.tables for check in found.get_check_constraints(name)}

    async with migrated.connect() as connection:
        migrated_checks = await connection.run_sync(list_checks)
    plain = create_engine("sqlite://")
    with plain.begin() as connection:
        metadata.create_all(connection)
        created_checks = list_checks(connection)
    plain.dispose()
    assert migrated_checks == created_checks
    assert len(created_checks) == 13


async def test_commit_on_sqlite_waits_for_disk(tmp_path: Path):
    engine = await open_engine(f"sqlite:///{tmp_path}/boneyard.db")
    async with engine.connect() as connection:
        asked = ("journal_mode", "synchronous", "foreign_keys")
        settings = {name: (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one() for name in asked}
    await engine.dispose()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_without_url_file_is_in_users_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    asyncio.run(_open_and_close(None))
    assert [file.name for file in tmp_path.rglob("boneyard.db")] == ["boneyard.db"]


async def test_folder_may_have_any_name(tmp_path: Path):
    folder = tmp_path / "100% Ada's tiles #1"
    folder.mkdir()
    await _open_and_close(f"sqlite:///{folder}/boneyard.db")
    assert (folder / "boneyard.db").exists()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense with hunter2", f"The database URL cannot be read; {URL_ADVICE}"),
        ("mysql://ada:hunter2@localhost/tiles", f"Databases of the kind mysql are not supported; {URL_ADVICE}"),
        ("sqlite:///:memory:", f"A database in memory would keep nothing; {URL_ADVICE}"),
        (
            "sqlite:///{folder}/nowhere/boneyard.db",
            "The database sqlite:///{folder}/nowhere/boneyard.db cannot be opened: there is no folder "
            "{folder}/nowhere; make it, or name another file in BONEYARD_DATABASE_URL.",
        ),
        (
            "sqlite:///{folder}",
            "The database sqlite:///{folder} cannot be opened: it is a folder; name a file in it in "
            "BONEYARD_DATABASE_URL.",
        ),
        (
            "sqlite:///{folder}/letter.txt",
            f"The database sqlite:///{{folder}}/letter.txt cannot be opened: {REMEDIES[DatabaseFault.NOT_A_DATABASE]}.",
        ),
        (
            "sqlite:///{folder}/boneyard.db?timeout=hunter2",
            "The database sqlite:///{folder}/boneyard.db cannot be opened: an option or the port in its URL is not one "
            f"that the driver takes; {URL_ADVICE}",
        ),
        ("sqlite:///{folder}/hunter2%00.db", f"The database URL cannot be read; {URL_ADVICE}"),
    ],
)
async def test_unopenable_database_is_reported_in_one_sentence(url: str, sentence: str, tmp_path: Path):
    (tmp_path / "letter.txt").write_text("Dear Grace, this is a letter and no database at all.\n" * 40)
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(url.format(folder=tmp_path))
    assert str(refused.value) == sentence.format(folder=tmp_path)


async def test_unreachable_server_is_reported_without_password():
    pytest.importorskip("asyncpg", reason="the PostgreSQL driver is an extra")
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open("postgresql://ada:hunter2@127.0.0.1:9/tiles?password=hunter3")
    assert refused.value.is_transient
    message = str(refused.value)
    assert "postgresql://ada@127.0.0.1:9/tiles" in message
    assert "BONEYARD_DATABASE_URL" in message
    assert "hunter" not in message
    assert "\n" not in message


@pytest.mark.parametrize("place", ["127.0.0.1:9/tiles?hunter2=hunter3", "127.0.0.1:99999/tiles"])
async def test_invalid_server_option_or_port_is_reported_without_password(place: str):
    pytest.importorskip("asyncpg", reason="the PostgreSQL driver is an extra")
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(f"postgresql://ada:hunter2@{place}")
    assert f"postgresql://ada@{place.partition('?')[0]} " in str(refused.value)
    assert "hunter" not in str(refused.value)


async def test_missing_driver_error_names_package_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open("postgresql://ada:hunter2@127.0.0.1/tiles")
    assert "install boneyard[postgres]." in str(refused.value)
    assert "hunter" not in str(refused.value)


async def test_database_of_newer_version_is_left_alone(tmp_path: Path):
    file = tmp_path / "boneyard.db"
    await _open_and_close(f"sqlite:///{file}")
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(get_newest_revision(),)]
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(f"sqlite:///{file}")
    assert f"sqlite:///{file} " in str(refused.value)
    assert "newer version" in str(refused.value)


async def test_many_stores_may_open_new_database_at_once(url: str):
    stores = await asyncio.gather(*(Store.open(url) for _ in range(6)))
    heads = await asyncio.gather(*(add_match(store, channel_id=channel) for channel, store in enumerate(stores)))
    assert sorted(head.match_id for head in heads) == [1, 2, 3, 4, 5, 6]
    await asyncio.gather(*(store.close() for store in stores))


@pytest.mark.deep
def test_many_processes_can_open_new_file_concurrently(tmp_path: Path):
    script = (
        "import asyncio, sys\n"
        "from data.store.store import Store\n"
        "async def main():\n"
        "    store = await Store.open(sys.argv[1])\n"
        "    print(await store.matches.list_outdated_heads(1))\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    opening = [sys.executable, "-W", "error", "-c", script, f"sqlite:///{tmp_path}/boneyard.db"]
    children = [
        subprocess.Popen(opening, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(scale_count(4, least=2))
    ]
    assert [child.communicate(timeout=120) for child in children] == [("[]\n", "")] * len(children)


async def _open_and_close(url: str | None) -> None:
    store = await Store.open(url)
    await store.close()


@BOTH_DATABASES
async def test_closed_store_refuses_requests_at_once_and_writes_nothing(url: str):
    store = await Store.open(url)
    head = await add_match(store)
    await store.close()
    async with asyncio.timeout(30):  # a connection pool would wait for a minute
        with pytest.raises(StoreClosed, match="closed"):
            await commit_change(store, head)
        with pytest.raises(StoreClosed):
            await store.matches.find_head(head.match_id)
    again = await Store.open(url)
    assert await again.matches.find_head(head.match_id) == head
    await again.close()


async def test_operation_started_before_close_is_finished(url: str):
    store = await Store.open(url)
    begun = [asyncio.create_task(store.users.set_person(ADA + n, quick=True, now=NOW)) for n in range(5)]
    await asyncio.sleep(0)
    await store.close()
    assert [person.quick for person in await asyncio.gather(*begun)] == [True] * 5


async def test_closing_twice_does_no_harm(url: str):
    store = await Store.open(url)
    await store.close()
    await store.close()
    with pytest.raises(StoreClosed):
        await store.users.load_person(1)
