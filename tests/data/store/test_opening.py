"""Opening a database: where it is, what it holds, and what is said when it cannot be opened."""

import asyncio
import re
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

from data.store import Store, StoreUnavailable
from data.store.connect import make_engine, parse_url
from data.store.migrate import config
from data.store.opening import open_engine
from data.store.revisions import newest, revisions
from data.store.schema import metadata
from tests.data.store.old.database import contents
from tests.data.store.scene import NOW, table
from tests.depth import deep

ROOT = Path(__file__).parents[3]


async def test_a_new_database_is_empty_and_ready(store: Store):
    assert await store.heads_dirty(10) == []


async def test_what_was_written_is_there_after_opening_again(url: str):
    first = await Store.open(url)
    head = await first.create(table(), now=NOW)
    await first.close()
    again = await Store.open(url)
    assert await again.head(head.match_id) == head
    await again.close()


@pytest.fixture
async def migrated(url: str) -> AsyncIterator[AsyncEngine]:
    """A database that all migrations were run on, one after the other: a server is laid out at once otherwise."""

    def migrate(connection: Connection) -> None:
        settings = config()
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")

    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.run_sync(migrate)
    yield engine
    await engine.dispose()


async def test_the_migrations_build_exactly_the_tables_in_the_code(migrated: AsyncEngine):
    def differences(connection: Connection) -> list[object]:
        return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata)

    async with migrated.connect() as connection:
        assert await connection.run_sync(differences) == []


def test_the_files_of_the_migrations_are_named_and_ordered_as_alembic_runs_them():
    steps = ScriptDirectory.from_config(config()).walk_revisions()
    assert [step.revision for step in steps] == list(reversed(revisions()))


async def test_a_database_that_is_laid_out_at_once_is_as_the_migrations_make_it(
    migrated: AsyncEngine, fresh: Callable[[], Awaitable[str]]
):
    at_once = await open_engine(await fresh())
    assert await contents(at_once) == await contents(migrated)
    assert await definitions(at_once) == await definitions(migrated)
    await at_once.dispose()


async def definitions(engine: AsyncEngine) -> set[tuple[str, ...]]:
    """All columns, indexes and constraints of a database, in its own words."""
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


async def test_the_migrations_build_the_same_checks_as_the_code(migrated: AsyncEngine):
    def checks(connection: Connection) -> set[tuple[str, str | None]]:
        found = inspect(connection)
        return {(name, check["name"]) for name in metadata.tables for check in found.get_check_constraints(name)}

    async with migrated.connect() as connection:
        there = await connection.run_sync(checks)
    plain = create_engine("sqlite://")
    with plain.begin() as connection:
        metadata.create_all(connection)
        written = checks(connection)
    plain.dispose()
    assert there == written
    assert len(written) == 13


def test_on_sqlite_the_migrations_and_the_code_are_the_same_text(tmp_path: Path):
    asyncio.run(_open_and_close(f"sqlite:///{tmp_path}/migrated.db"))
    plain = create_engine(f"sqlite:///{tmp_path}/created.db")
    metadata.create_all(plain)
    plain.dispose()
    assert _schema(tmp_path / "migrated.db") == _schema(tmp_path / "created.db")


def _schema(file: Path) -> dict[str, list[str]]:
    connection = sqlite3.connect(file)
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'alembic%'"
    ).fetchall()
    connection.close()
    # The order of columns and constraints inside a table means nothing, nor that SQLite writes a column that was added
    # later on the line of the one before.
    # A table that was made anew is written in quotes.
    rows = [(name, re.sub(r'^CREATE TABLE "(\w+)"', r"CREATE TABLE \1", sql)) for name, sql in rows]
    apart = (
        (name, re.sub(r", (?=[a-z_]+ (TEXT|BIGINT|INTEGER|VARCHAR|DOUBLE|BOOLEAN))", "\n", sql)) for name, sql in rows
    )
    return {name: sorted(_line(line) for line in sql.splitlines()) for name, sql in apart}


def _line(text: str) -> str:
    # As the two spell the same column, and a table that ends with one.
    line = text.strip().rstrip(",").removesuffix("\n)")
    return re.sub(r"NOT NULL DEFAULT '(.*)'", r"DEFAULT '\1' NOT NULL", line)


async def test_the_migrations_can_be_undone(engine: AsyncEngine):
    def undo(connection: Connection) -> list[str]:
        settings = config()
        settings.attributes["connection"] = connection
        command.downgrade(settings, "base")
        return inspect(connection).get_table_names()

    async with engine.begin() as connection:
        assert [name for name in await connection.run_sync(undo) if not name.startswith("sqlite_")] == [
            "alembic_version"
        ]


async def test_a_commit_on_sqlite_waits_for_the_disk(tmp_path: Path):
    engine = await open_engine(f"sqlite:///{tmp_path}/boneyard.db")
    async with engine.connect() as connection:
        asked = ("journal_mode", "synchronous", "foreign_keys")
        settings = {name: (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar_one() for name in asked}
    await engine.dispose()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_without_a_url_the_file_is_in_the_users_data_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    asyncio.run(_open_and_close(None))
    assert [file.name for file in tmp_path.rglob("boneyard.db")] == ["boneyard.db"]


async def test_a_folder_may_have_any_name(tmp_path: Path):
    folder = tmp_path / "100% Ada's tiles #1"
    folder.mkdir()
    await _open_and_close(f"sqlite:///{folder}/boneyard.db")
    assert (folder / "boneyard.db").exists()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (
            "nonsense with hunter2",
            "The database URL cannot be read; "
            "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL.",
        ),
        (
            "mysql://ada:hunter2@localhost/tiles",
            "Databases of the kind mysql are not supported; "
            "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL.",
        ),
        (
            "sqlite:///:memory:",
            "A database in memory would keep nothing; "
            "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL.",
        ),
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
            "The database sqlite:///{folder}/letter.txt cannot be opened: the file is no SQLite database; "
            "name another one in BONEYARD_DATABASE_URL.",
        ),
        (
            "sqlite:///{folder}/boneyard.db?timeout=hunter2",
            "The database sqlite:///{folder}/boneyard.db cannot be opened: an option or the port in its URL is not one "
            "that the driver takes; "
            "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL.",
        ),
        (
            "sqlite:///{folder}/hunter2%00.db",
            "The database URL cannot be read; "
            "write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME in BONEYARD_DATABASE_URL.",
        ),
    ],
)
async def test_a_database_that_cannot_be_opened_is_told_in_one_sentence(url: str, sentence: str, tmp_path: Path):
    (tmp_path / "letter.txt").write_text("Dear Grace, this is a letter and no database at all.\n" * 40)
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(url.format(folder=tmp_path))
    assert str(refused.value) == sentence.format(folder=tmp_path)


async def test_a_server_that_does_not_answer_is_told_without_the_password():
    pytest.importorskip("asyncpg", reason="the PostgreSQL driver is an extra")
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open("postgresql://ada:hunter2@127.0.0.1:9/tiles?password=hunter3")
    said = str(refused.value)
    assert said.startswith("The database postgresql://ada@127.0.0.1:9/tiles cannot be opened: ")
    assert said.endswith("; check that the server runs and that BONEYARD_DATABASE_URL is right.")
    assert "hunter" not in said
    assert "\n" not in said


@pytest.mark.parametrize("place", ["127.0.0.1:9/tiles?hunter2=hunter3", "127.0.0.1:99999/tiles"])
async def test_a_server_with_an_option_or_port_that_cannot_be_is_told_without_the_password(place: str):
    pytest.importorskip("asyncpg", reason="the PostgreSQL driver is an extra")
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(f"postgresql://ada:hunter2@{place}")
    assert str(refused.value) == (
        f"The database postgresql://ada@{place.partition('?')[0]} cannot be opened: "
        "an option or the port in its URL is not one that the driver takes; "
        "check that the server runs and that BONEYARD_DATABASE_URL is right."
    )


async def test_a_missing_driver_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open("postgresql://ada:hunter2@127.0.0.1/tiles")
    assert str(refused.value) == (
        "The database postgresql://ada@127.0.0.1/tiles needs the Python package asyncpg, which is not installed; "
        "install boneyard[postgres]."
    )


async def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path):
    file = tmp_path / "boneyard.db"
    await _open_and_close(f"sqlite:///{file}")
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(newest(),)]
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(f"sqlite:///{file}")
    assert str(refused.value) == (
        f"The database sqlite:///{file} was written by a newer version of Boneyard; update the program."
    )


async def test_many_stores_may_open_a_new_database_at_once(url: str):
    stores = await asyncio.gather(*(Store.open(url) for _ in range(6)))
    heads = await asyncio.gather(
        *(store.create(table(channel_id=channel), now=NOW) for channel, store in enumerate(stores))
    )
    assert sorted(head.match_id for head in heads) == [1, 2, 3, 4, 5, 6]
    await asyncio.gather(*(store.close() for store in stores))


def test_many_processes_may_open_a_new_file_at_once_and_all_of_them_end(tmp_path: Path):
    script = (
        "import asyncio, sys\n"
        "from data.store import Store\n"
        "async def main():\n"
        "    store = await Store.open(sys.argv[1])\n"
        "    print(await store.heads_dirty(1))\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    opening = [sys.executable, "-W", "error", "-c", script, f"sqlite:///{tmp_path}/boneyard.db"]
    children = [
        subprocess.Popen(opening, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(deep(4, least=2))
    ]
    assert [child.communicate(timeout=120) for child in children] == [("[]\n", "")] * len(children)


async def _open_and_close(url: str | None) -> None:
    store = await Store.open(url)
    await store.close()
