"""`boneyard backup` and `boneyard restore`, as a host runs them."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot import __main__ as program
from bot.service import ladder
from data.store import Store
from data.store.copies import CopyFailed, copy
from data.store.facts import MOVED
from engine.shuffle import SECRET_BYTES
from engine.table.events import Asked
from tests.data.store.scene import ADA, GRACE, LINUS, NOW, finish, note, outcome, table

FORGOTTEN = 1_000_000_000_000_000_001


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the commands work on."""
    file = tmp_path / "it's 100% #1" / "boneyard.db"
    file.parent.mkdir()
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{file}")
    return file


def boneyard(*words: object) -> tuple[int, str]:
    """Runs the command; its status, and everything it said."""
    result = CliRunner().invoke(program.app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def fill(database: Path, *, guild: int = 1, people: tuple[int, ...] = (ADA, GRACE), now: int = NOW) -> None:
    """A decided match of these people."""

    async def play() -> None:
        store = await Store.open(f"sqlite:///{database}")
        await finish(
            store, outcome(*((user, 400 - place) for place, user in enumerate(people))), guild_id=guild, now=now
        )
        await store.close()

    asyncio.run(play())


def forget(database: Path, user_id: int, now: int) -> None:
    """Somebody has their data deleted."""

    async def go() -> None:
        store = await Store.open(f"sqlite:///{database}")
        assert await store.forget(user_id, left=[], now=now)
        await store.close()

    asyncio.run(go())


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    """What a query finds in a file."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def test_a_backup_is_one_whole_file_for_its_owner_alone(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    told = boneyard("backup", file)
    size = file.stat().st_size / 1_000_000  # some pages of each table
    assert 0.1 < size < 1
    assert told == (
        0,
        f"{file}: 1 match, {size:.1f} MB. Keep it where only you can read it: it holds the hands.\n",
    )
    assert file.stat().st_mode & 0o777 == 0o600
    assert rows(file, "SELECT user_id FROM results ORDER BY place") == [(ADA,), (GRACE,)]


def test_a_backup_taken_while_the_bot_writes_is_consistent(database: Path, tmp_path: Path):
    fill(database)
    stop = threading.Event()

    async def write() -> None:
        store = await Store.open(f"sqlite:///{database}")
        head = await store.create(table(secret=bytes(SECRET_BYTES)), now=NOW)
        while not stop.is_set():
            head = await store.commit(note(head), now=NOW)
        await store.close()

    writer = threading.Thread(target=lambda: asyncio.run(write()))
    writer.start()
    try:
        lengths = []
        for number in range(6):
            file = tmp_path / f"backup{number}.db"
            assert boneyard("backup", file)[0] == 0
            assert rows(file, "PRAGMA integrity_check") == [("ok",)]
            # Head and log are written together: a copy has both or neither.
            ((head, events),) = rows(file, "SELECT sum(seq), (SELECT count(*) FROM events) FROM matches")
            assert head == events
            lengths.append(head)
    finally:
        stop.set()
        writer.join()
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0], "the bot wrote meanwhile"


def test_a_backup_overwrites_nothing_and_says_what_it_cannot_do(database: Path, tmp_path: Path):
    file = tmp_path / "backup.db"
    assert boneyard("backup", file) == (1, f"boneyard: There is no database at {database}.\n")
    fill(database)
    file.write_text("precious")
    assert boneyard("backup", file) == (1, f"boneyard: {file} exists already; name a new file.\n")
    assert file.read_text() == "precious"
    away = tmp_path / "nowhere" / "backup.db"
    assert boneyard("backup", away) == (
        1,
        f"boneyard: There is no folder {away.parent}; make it, or name another one.\n",
    )


def test_of_backups_that_are_begun_at_once_one_is_there_and_the_others_say_so(database: Path, tmp_path: Path):
    fill(database)
    file, left = tmp_path / "backup.db", tmp_path / "backup.db.0000.partial"
    left.write_text("of one that was killed long ago")
    os.utime(left, (0, 0))

    def copied(_: int) -> str:
        try:
            return str(copy(database, file).matches)
        except CopyFailed as failed:
            return str(failed)

    with ThreadPoolExecutor(4) as beside:
        told = sorted(beside.map(copied, range(4)))

    assert told == [*[f"{file} exists already; name a new file."] * 3, "1"]
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["backup.db"]


def test_for_postgresql_both_commands_name_its_own_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "postgresql://ada:hunter2@localhost/tiles")
    for command in ("backup", "restore"):
        status, said = boneyard(command, tmp_path / "backup.db")
        assert status == 1
        assert "pg_dump" in said
        assert "hunter2" not in said


def test_a_database_that_was_moved_is_not_used_again_for_a_variable_that_is_not_set(database: Path):
    fill(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO facts (name, value) VALUES (?, 'postgresql://db/tiles')", (MOVED,))
    status, said = boneyard("move", "")
    assert (status, "The database URL cannot be read" in said) == (1, True)
    assert (MOVED, "postgresql://db/tiles") in rows(database, "SELECT name, value FROM facts")


def test_what_was_asked_for_since_is_done_on_postgresql_alone(database: Path, monkeypatch: pytest.MonkeyPatch):
    fill(database)
    other = "postgresql://ada:hunter2@localhost/tiles"
    status, said = boneyard("restore", "--since", other)
    assert (status, said.startswith("boneyard: --since is for PostgreSQL, on both sides")) == (1, True)
    monkeypatch.setenv("BONEYARD_DATABASE_URL", other)
    status, said = boneyard("restore", "--since", other)
    assert (status, "hunter2" in said) == (1, False)
    assert "cannot take its own place" in said
    assert boneyard("restore")[0] == 2, "nothing to put back was named"


def test_what_was_backed_up_comes_back_and_the_old_file_is_kept(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    fill(database, now=NOW + 5)
    status, said = boneyard("restore", file)
    assert status == 0
    assert f"{database} is {file} now: 1 match." in said
    assert rows(database, "SELECT count(*) FROM matches") == [(1,)]
    (old,) = database.parent.glob("boneyard.before-*.db")
    assert str(old) in said
    assert rows(old, "SELECT count(*) FROM matches") == [(2,)]
    assert sorted(one.name for one in database.parent.iterdir()) == sorted([database.name, old.name])


def test_a_backup_can_be_restored_where_there_is_no_database_yet(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    database.unlink()
    assert boneyard("restore", file) == (0, f"{database} is {file} now: 1 match.\n")
    assert rows(database, "SELECT count(*) FROM results") == [(2,)]


def test_whoever_was_forgotten_since_the_backup_stays_forgotten(database: Path, tmp_path: Path):
    fill(database, people=(FORGOTTEN, GRACE, LINUS))
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    forget(database, FORGOTTEN, NOW + 5)
    forget(database, GRACE, NOW + 6)
    status, said = boneyard("restore", file)
    assert status == 0
    assert "People forgotten again, who had their data deleted since the backup: 2." in said
    assert rows(database, "SELECT user_id FROM results") == [(LINUS,)]
    # And after a further restore of the same backup they still are.
    assert "since the backup: 2." in boneyard("restore", file)[1]
    assert rows(database, "SELECT user_id FROM results") == [(LINUS,)]


def test_somebody_who_was_only_asked_to_sit_down_stays_forgotten_too(database: Path, tmp_path: Path):
    async def ask() -> None:
        store = await Store.open(f"sqlite:///{database}")
        new = table(state="open")
        asked = Asked("substitute", 0, 0, NOW + 1, person=FORGOTTEN)
        await store.create(replace(new, events=[*new.events, asked]), now=NOW)
        await store.close()

    asyncio.run(ask())
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    forget(database, FORGOTTEN, NOW + 5)
    status, said = boneyard("restore", file)
    assert status == 0
    assert "since the backup: 1." in said
    assert rows(database, "SELECT user_id FROM participants WHERE user_id IS NULL") == [(None,)]


def test_whoever_came_back_after_a_deletion_keeps_what_they_did_since(database: Path, tmp_path: Path):
    fill(database, people=(FORGOTTEN, GRACE))
    forget(database, FORGOTTEN, NOW + 5)
    fill(database, people=(FORGOTTEN, GRACE), now=NOW + 10)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    status, said = boneyard("restore", file)
    assert (status, "forgotten again" in said) == (0, False)
    assert rows(database, f"SELECT count(*) FROM results WHERE user_id = {FORGOTTEN}") == [(1,)]


def test_a_server_that_was_left_since_the_backup_is_still_left(database: Path, tmp_path: Path):
    fill(database, guild=77)
    file = tmp_path / "backup.db"
    boneyard("backup", file)

    async def leave() -> None:
        store = await Store.open(f"sqlite:///{database}")
        await store.guild_left(77, NOW + 9, now=NOW + 9)
        await store.close()

    asyncio.run(leave())
    boneyard("restore", file)
    assert rows(database, "SELECT guild_id, left_at FROM guilds") == [(77, NOW + 9)]


def test_nothing_is_restored_under_a_running_bot(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fill(database)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    monkeypatch.setattr("bot.base.environment.now", lambda: NOW)
    fill(database, now=NOW + 5)

    async def beat() -> None:
        store = await Store.open(f"sqlite:///{database}")
        await store.pulse("bot", now=NOW - 59_000)
        await store.close()

    asyncio.run(beat())
    status, said = boneyard("restore", file)
    assert status == 1
    assert "its last sign of life is 59 s old. Stop it, wait a minute, try again." in said
    assert rows(database, "SELECT count(*) FROM matches") == [(2,)]
    monkeypatch.setattr("bot.base.environment.now", lambda: NOW + 1_001)
    assert boneyard("restore", file)[0] == 0


def test_nothing_is_restored_while_another_program_has_the_database_open(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    fill(database, now=NOW + 5)
    with closing(sqlite3.connect(database)) as other:
        other.execute("PRAGMA journal_mode = wal").fetchone()
        other.execute("SELECT count(*) FROM matches").fetchone()
        assert boneyard("restore", file) == (1, f"boneyard: {database} is in use; stop the bot first.\n")
    assert rows(database, "SELECT count(*) FROM matches") == [(2,)]
    assert sorted(one.name for one in database.parent.iterdir() if "restoring" in one.name) == []


def test_what_is_no_backup_is_not_restored(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    assert boneyard("restore", file) == (1, f"boneyard: There is no file {file}.\n")
    file.write_text("not a database, however long the text may be" * 50)
    assert f"{file} is no database of Boneyard, or damaged: file is not a database." in boneyard("restore", file)[1]
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE songs (name)")
    assert f"{file} is no database of Boneyard" in boneyard("restore", file)[1]
    assert boneyard("restore", database) == (1, f"boneyard: {database} is the database itself; name a backup.\n")
    assert rows(database, "SELECT count(*) FROM matches") == [(1,)]


def test_a_backup_with_a_torn_page_is_refused(database: Path, tmp_path: Path):
    for number in range(20):
        fill(database, now=NOW + number)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    torn = bytearray(file.read_bytes())
    torn[8192:12288] = b"\xff" * 4096
    file.write_bytes(torn)
    status, said = boneyard("restore", file)
    assert status == 1
    assert "damaged" in said


def test_a_backup_of_a_newer_version_is_refused(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    assert boneyard("restore", file) == (
        1,
        f"boneyard: {file} was written by a newer version of Boneyard; update the program.\n",
    )


def test_a_damaged_database_can_be_replaced_by_a_backup(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    boneyard("backup", file)
    database.write_text("nothing but noise" * 100)
    status, said = boneyard("restore", file)
    assert status == 0
    assert "The database there cannot be read: deletions since the backup are not known." in said
    assert rows(database, "SELECT count(*) FROM matches") == [(1,)]


def test_the_commands_are_there_for_somebody_who_asks_for_help():
    said = subprocess.run(
        [sys.executable, "-m", "bot", "--help"], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    for command in ("backup", "restore", "doctor"):
        assert f"\n  {command}" in said


def test_leaderboards_are_worked_out_anew_from_the_results(database: Path):
    async def play() -> None:
        store = await Store.open(f"sqlite:///{database}")
        for winner, loser in ((ADA, GRACE), (GRACE, ADA), (ADA, LINUS)):
            await finish(store, outcome((winner, 400), (loser, 300), rate=ladder.rate), now=NOW)
        await store.close()

    asyncio.run(play())
    tables = ("standings", "recents", "bests", "bands WHERE people > 0")
    before = [rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE standings SET wins = 99, mu = 0, ordinal = -9")
        connection.execute("DELETE FROM recents")
        connection.execute("UPDATE bests SET move = 999, streak = 99, running = 5")
        connection.execute("DELETE FROM bands")

    assert boneyard("recount") == (0, "Ratings and leaderboards were added up anew: 6 lines.\n")

    assert [rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables] == before
