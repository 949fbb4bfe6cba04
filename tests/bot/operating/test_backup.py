"""The commands `boneyard backup` and `boneyard restore`."""

import asyncio
import os
import re
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot import __main__
from bot.tables import ratings
from data.store.connection.facts import MOVED
from data.store.operations.copies import CopyError, copy
from data.store.store import Store
from engine.match.shuffle import SECRET_BYTES
from engine.table.table_events import Asked
from tests.data.store.scene import ADA, GRACE, LINUS, NOW, finish, note, outcome, table

FORGOTTEN = 1_000_000_000_000_000_001


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "it's 100% #1" / "boneyard.db"
    file.parent.mkdir()
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{file}")
    return file


def boneyard(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(__main__.app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def refusal(*words: object) -> str:
    status, said = boneyard(*words)
    assert (status, said.count("\n")) == (1, 1)
    return said.removeprefix("boneyard: ").rstrip("\n")


def change(database: Path, act: Callable[[Store], Awaitable[object]]) -> None:
    async def changed() -> None:
        store = await Store.open(f"sqlite:///{database}")
        await act(store)
        await store.close()

    asyncio.run(changed())


def fill(database: Path, *, guild: int = 1, people: tuple[int, ...] = (ADA, GRACE), now: int = NOW) -> None:
    scores = outcome(*((user, 400 - place) for place, user in enumerate(people)))
    change(database, lambda store: finish(store, scores, guild_id=guild, now=now))


def backup(database: Path) -> Path:
    file = database.parents[1] / "backup.db"
    assert boneyard("backup", file)[0] == 0
    return file


def forget(database: Path, user_id: int, now: int) -> None:
    change(database, lambda store: store.erasure.erase_user(user_id, left_match_ids=[], now=now))


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def test_backup_is_one_complete_file_readable_by_owner_only(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    status, said = boneyard("backup", file)
    size = file.stat().st_size / 1_000_000  # several pages in each SQL table
    assert 0.1 < size < 1
    assert (status, said.partition(". ")[0]) == (0, f"{file}: 1 match, {size:.1f} MB")
    assert file.stat().st_mode & 0o777 == 0o600
    assert {user for (user,) in rows(file, "SELECT user_id FROM results")} == {ADA, GRACE}


def test_backup_taken_while_bot_writes_is_consistent(database: Path, tmp_path: Path):
    fill(database)
    stop = threading.Event()

    async def write() -> None:
        store = await Store.open(f"sqlite:///{database}")
        head = await store.matches.create(table(secret=bytes(SECRET_BYTES)), now=NOW)
        while not stop.is_set():
            head = await store.matches.commit(note(head), now=NOW)
        await store.close()

    writer = threading.Thread(target=lambda: asyncio.run(write()))
    writer.start()
    try:
        lengths = []
        for number in range(6):
            file = tmp_path / f"backup{number}.db"
            assert boneyard("backup", file)[0] == 0
            assert rows(file, "PRAGMA integrity_check") == [("ok",)]
            # Head and log are written in one transaction, so a backup has both or neither.
            ((head, events),) = rows(file, "SELECT sum(seq), (SELECT count(*) FROM events) FROM matches")
            assert head == events
            lengths.append(head)
    finally:
        stop.set()
        writer.join()
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0], "the bot wrote meanwhile"


def test_backup_never_overwrites_and_reports_errors(database: Path, tmp_path: Path):
    file = tmp_path / "backup.db"
    assert f"no database at {database}" in refusal("backup", file)
    fill(database)
    file.write_text("precious")
    assert refusal("backup", file).startswith(f"{file} exists already")
    assert file.read_text() == "precious"
    away = tmp_path / "nowhere" / "backup.db"
    assert f"no folder {away.parent}" in refusal("backup", away)


def test_concurrent_backups_create_one_file_and_others_fail(database: Path, tmp_path: Path):
    fill(database)
    file, left = tmp_path / "backup.db", tmp_path / "backup.db.0000.partial"
    left.write_text("of one that was killed long ago")
    os.utime(left, (0, 0))

    def copied(_: int) -> str:
        try:
            return str(copy(database, file).matches)
        except CopyError as failed:
            return str(failed)

    with ThreadPoolExecutor(4) as beside:
        told = sorted(beside.map(copied, range(4)))

    assert [one.startswith(f"{file} exists already") for one in told] == [True, True, True, False]
    assert told[-1] == "1"
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["backup.db"]


def test_backup_and_restore_refer_postgresql_to_its_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "postgresql://ada:hunter2@localhost/tiles")
    for command in ("backup", "restore"):
        said = refusal(command, tmp_path / "backup.db")
        assert "pg_dump" in said
        assert "hunter2" not in said


def test_moved_database_is_not_reused_if_variable_is_unset(database: Path):
    fill(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO facts (name, value) VALUES (?, 'postgresql://db/tiles')", (MOVED,))
    status, said = boneyard("move", "")
    assert (status, "database URL cannot" in said) == (1, True)
    assert ("postgresql://db/tiles",) in rows(database, f"SELECT value FROM facts WHERE name = '{MOVED}'")


def test_restore_since_accepts_only_another_postgresql_database(database: Path, monkeypatch: pytest.MonkeyPatch):
    fill(database)
    other = "postgresql://ada:hunter2@localhost/tiles"
    assert refusal("restore", "--since", other).startswith("--since is for PostgreSQL")
    monkeypatch.setenv("BONEYARD_DATABASE_URL", other)
    said = refusal("restore", "--since", other)
    assert "hunter2" not in said
    assert "its own place" in said
    assert boneyard("restore")[0] == 2, "nothing to put back was named"


def test_restore_recovers_data_and_keeps_previous_file(database: Path):
    fill(database)
    file = backup(database)
    fill(database, now=NOW + 5)
    status, said = boneyard("restore", file)
    assert status == 0
    assert f"{database} is {file} now: 1 match." in said
    assert rows(database, "SELECT count(*) FROM matches") == [(1,)]
    (old,) = database.parent.glob("boneyard.before-*.db")
    assert str(old) in said
    assert rows(old, "SELECT count(*) FROM matches") == [(2,)]
    assert sorted(one.name for one in database.parent.iterdir()) == sorted([database.name, old.name])


def test_backup_can_be_restored_without_existing_database(database: Path):
    fill(database)
    file = backup(database)
    database.unlink()
    assert boneyard("restore", file) == (0, f"{database} is {file} now: 1 match.\n")
    assert rows(database, "SELECT count(*) FROM results") == [(2,)]


def test_user_deleted_after_backup_stays_deleted_after_restore(database: Path):
    fill(database, people=(FORGOTTEN, GRACE, LINUS))
    file = backup(database)
    forget(database, FORGOTTEN, NOW + 5)
    forget(database, GRACE, NOW + 6)
    assert "since the backup: 2." in boneyard("restore", file)[1]
    assert rows(database, "SELECT user_id FROM results") == [(LINUS,)]
    # They stay so after another restore of the same backup.
    assert "since the backup: 2." in boneyard("restore", file)[1]
    assert rows(database, "SELECT user_id FROM results") == [(LINUS,)]


def test_deleted_invited_user_stays_deleted_after_restore(database: Path):
    new = table(state="open")
    asked = replace(new, events=[*new.events, Asked("substitute", 0, 0, NOW + 1, person=FORGOTTEN)])
    change(database, lambda store: store.matches.create(asked, now=NOW))
    file = backup(database)
    forget(database, FORGOTTEN, NOW + 5)
    assert "since the backup: 1." in boneyard("restore", file)[1]
    assert [user for (user,) in rows(database, "SELECT user_id FROM participants")].count(None) == 1


def test_user_returning_after_deletion_keeps_new_data(database: Path):
    fill(database, people=(FORGOTTEN, GRACE))
    forget(database, FORGOTTEN, NOW + 5)
    fill(database, people=(FORGOTTEN, GRACE), now=NOW + 10)
    file = backup(database)
    status, said = boneyard("restore", file)
    assert (status, "forgotten again" in said) == (0, False)
    assert rows(database, "SELECT user_id FROM results").count((FORGOTTEN,)) == 1


def test_guild_left_after_backup_stays_deleted_after_restore(database: Path):
    fill(database, guild=77)
    file = backup(database)
    change(database, lambda store: store.guilds.note_guild_left(77, NOW + 9, now=NOW + 9))
    boneyard("restore", file)
    assert rows(database, "SELECT guild_id, left_at FROM guilds") == [(77, NOW + 9)]


def test_restore_is_refused_while_bot_runs(database: Path, monkeypatch: pytest.MonkeyPatch):
    fill(database)
    file = backup(database)
    monkeypatch.setattr("bot.core.environment.read_clock", lambda: NOW)
    fill(database, now=NOW + 5)
    change(database, lambda store: store.operations.record_pulse("bot", now=NOW - 59_000))
    assert "59 s old" in refusal("restore", file)
    assert rows(database, "SELECT count(*) FROM matches") == [(2,)]
    monkeypatch.setattr("bot.core.environment.read_clock", lambda: NOW + 1_001)
    assert boneyard("restore", file)[0] == 0


def test_restore_is_refused_while_database_is_open(database: Path):
    fill(database)
    file = backup(database)
    fill(database, now=NOW + 5)
    with closing(sqlite3.connect(database)) as other:
        other.execute("PRAGMA journal_mode = wal").fetchone()
        other.execute("SELECT count(*) FROM matches").fetchone()
        assert refusal("restore", file).startswith(f"{database} is in use;")
    assert rows(database, "SELECT count(*) FROM matches") == [(2,)]
    assert sorted(one.name for one in database.parent.iterdir() if "restoring" in one.name) == []


def test_invalid_backup_is_not_restored(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    assert f"no file {file}." in refusal("restore", file)
    file.write_text("not a database, however long the text may be" * 50)
    assert refusal("restore", file).startswith(f"{file} is no database")
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE songs (name)")
    assert refusal("restore", file).startswith(f"{file} is no database")
    assert "the database itself" in refusal("restore", database)
    assert rows(database, "SELECT count(*) FROM matches") == [(1,)]


def test_backup_with_torn_page_is_refused(database: Path):
    async def play(store: Store) -> None:
        for number in range(20):
            await finish(store, outcome((ADA, 400), (GRACE, 300)), now=NOW + number)

    change(database, play)
    file = backup(database)
    torn = bytearray(file.read_bytes())
    torn[8192:12288] = b"\xff" * 4096
    file.write_bytes(torn)
    assert refusal("restore", file).startswith(f"{file} is damaged: ")


def test_backup_of_newer_version_is_refused(database: Path):
    fill(database)
    file = backup(database)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    assert "a newer version" in refusal("restore", file)


def test_damaged_database_can_be_replaced_by_backup(database: Path):
    fill(database)
    file = backup(database)
    database.write_text("nothing but noise" * 100)
    status, said = boneyard("restore", file)
    assert status == 0
    assert "are not known" in said
    assert rows(database, "SELECT count(*) FROM matches") == [(1,)]


def test_help_lists_commands():
    status, said = boneyard("--help")
    assert status == 0
    for command in ("backup", "restore", "doctor"):
        assert re.search(rf"^\W*{command}\b", said, re.MULTILINE)


def test_leaderboards_are_recomputed_from_results(database: Path):
    for winner, loser in ((ADA, GRACE), (GRACE, ADA), (ADA, LINUS)):
        scores = outcome((winner, 400), (loser, 300), rate=ratings.rate)
        change(database, lambda store, scores=scores: finish(store, scores, now=NOW))
    tables = ("standings", "recents", "bests", "bands WHERE people > 0")
    before = [rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE standings SET wins = 99, mu = 0, ordinal = -9")
        connection.execute("DELETE FROM recents")
        connection.execute("UPDATE bests SET move = 999, streak = 99, running = 5")
        connection.execute("DELETE FROM bands")

    status, said = boneyard("recount")
    assert (status, said.partition(": ")[2]) == (0, "6 lines.\n")

    assert [rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables] == before
