"""The commands `boneyard backup` and `boneyard restore`."""

import asyncio
import re
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.tables import ratings
from data.store.connection.facts import MOVED
from data.store.connection.faults import REMEDIES, DatabaseFault
from data.store.connection.store_errors import CopyError
from data.store.operations.copies import copy
from data.store.store import Store
from engine.match.shuffle import SECRET_BYTES
from engine.table.table_events import Asked
from tests.bot.operating.runner import change_database, run_command
from tests.data.store.scene import (
    ADA,
    GRACE,
    LINUS,
    NOW,
    add_finished_match,
    build_change,
    build_new_match,
    build_result,
)

FORGOTTEN = 1_000_000_000_000_000_001


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "it's 100% #1" / "boneyard.db"
    file.parent.mkdir()
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{file}")
    return file


def run_for_error(*words: object) -> str:
    status, output = run_command(*words)
    assert (status, output.count("\n")) == (1, 1)
    return output.removeprefix("boneyard: ").rstrip("\n")


def change(database: Path, act: Callable[[Store], Awaitable[object]]) -> None:
    asyncio.run(change_database(f"sqlite:///{database}", act))


def fill(database: Path, *, guild: int = 1, people: tuple[int, ...] = (ADA, GRACE), now: int = NOW) -> None:
    scores = build_result(*((user, 400 - place) for place, user in enumerate(people)))
    change(database, lambda store: add_finished_match(store, scores, guild_id=guild, now=now))


def backup(database: Path) -> Path:
    file = database.parents[1] / "backup.db"
    assert run_command("backup", file)[0] == 0
    return file


def forget(database: Path, user_id: int, now: int) -> None:
    change(database, lambda store: store.erasure.erase_user(user_id, left_match_ids=[], now=now))


def query_rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def test_backup_is_one_complete_file_readable_by_owner_only(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    status, output = run_command("backup", file)
    size = file.stat().st_size / 1_000_000  # several pages in each SQL table
    assert 0.1 < size < 1
    assert (status, output.partition(". ")[0]) == (0, f"{file}: 1 match, {size:.1f} MB")
    assert file.stat().st_mode & 0o777 == 0o600
    assert {user for (user,) in query_rows(file, "SELECT user_id FROM results")} == {ADA, GRACE}


def test_backup_taken_while_bot_writes_is_consistent(database: Path, tmp_path: Path):
    fill(database)
    stop = threading.Event()

    async def write() -> None:
        store = await Store.open(f"sqlite:///{database}")
        head = await store.matches.create(build_new_match(secret=bytes(SECRET_BYTES)), now=NOW)
        while not stop.is_set():
            head = await store.matches.commit(build_change(head), now=NOW)
        await store.close()

    writer = threading.Thread(target=lambda: asyncio.run(write()))
    writer.start()
    try:
        lengths = []
        for number in range(6):
            file = tmp_path / f"backup{number}.db"
            assert run_command("backup", file)[0] == 0
            assert query_rows(file, "PRAGMA integrity_check") == [("ok",)]
            # Head and log are written in one transaction, so a backup has both or neither.
            ((head, events),) = query_rows(file, "SELECT sum(seq), (SELECT count(*) FROM events) FROM matches")
            assert head == events
            lengths.append(head)
    finally:
        stop.set()
        writer.join()
    assert lengths == sorted(lengths)
    assert lengths[-1] > lengths[0], "the bot wrote meanwhile"


def test_backup_never_overwrites_and_reports_errors(database: Path, tmp_path: Path):
    file = tmp_path / "backup.db"
    fill(database)
    file.write_text("precious")
    assert run_for_error("backup", file).startswith(f"{file} exists already")
    assert file.read_text() == "precious"
    away = tmp_path / "nowhere" / "backup.db"
    assert f"no folder {away.parent}" in run_for_error("backup", away)


def test_concurrent_backups_create_one_file_and_others_fail(database: Path, tmp_path: Path):
    fill(database)
    file, note = tmp_path / "backup.db", tmp_path / "my.partial"
    for name in ("backup.db.00000000.partial", "2026-11-28.db.0000000f.partial-wal", note.name):
        (tmp_path / name).write_text("of one that was killed just now")

    def try_copy(_: int) -> str:
        try:
            return str(copy(database, file).matches)
        except CopyError as failed:
            return str(failed)

    with ThreadPoolExecutor(4) as executor:
        outcomes = sorted(executor.map(try_copy, range(4)))

    assert [one.startswith(f"{file} exists already") for one in outcomes] == [True, True, True, False]
    assert outcomes[-1] == "1"
    assert sorted(one for one in tmp_path.iterdir() if one.is_file()) == [file, note]


def test_backup_and_restore_refer_postgresql_to_its_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("BONEYARD_DATABASE_URL", "postgresql://ada:hunter2@localhost/tiles")
    for command in ("backup", "restore"):
        error = run_for_error(command, tmp_path / "backup.db")
        assert "pg_dump" in error
        assert "hunter2" not in error


def test_moved_database_is_not_reused_if_variable_is_unset(database: Path):
    fill(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO facts (name, value) VALUES (?, 'postgresql://db/tiles')", (MOVED,))
    status, output = run_command("move", "")
    assert (status, "database URL cannot" in output) == (1, True)
    assert ("postgresql://db/tiles",) in query_rows(database, f"SELECT value FROM facts WHERE name = '{MOVED}'")


def test_restore_since_accepts_only_another_postgresql_database(database: Path, monkeypatch: pytest.MonkeyPatch):
    fill(database)
    other = "postgresql://ada:hunter2@localhost/tiles"
    assert run_for_error("restore", "--since", other).startswith("--since works between")
    monkeypatch.setenv("BONEYARD_DATABASE_URL", other)
    error = run_for_error("restore", "--since", other)
    assert "hunter2" not in error
    assert "are the same" in error
    assert run_command("restore")[0] == 2, "nothing to put back was named"


def test_restore_recovers_data_and_keeps_previous_file(database: Path):
    fill(database)
    file = backup(database)
    fill(database, now=NOW + 5)
    status, output = run_command("restore", file)
    assert status == 0
    assert f"{database} now has the content of {file}: 1 match." in output
    assert query_rows(database, "SELECT count(*) FROM matches") == [(1,)]
    (old,) = database.parent.glob("boneyard.before-*.db")
    assert str(old) in output
    assert query_rows(old, "SELECT count(*) FROM matches") == [(2,)]
    assert sorted(one.name for one in database.parent.iterdir()) == sorted(
        [database.name, f"{database.name}.stamp", old.name]
    )


def test_backup_can_be_restored_without_existing_database(database: Path):
    fill(database)
    file = backup(database)
    database.unlink()
    assert run_command("restore", file) == (0, f"{database} now has the content of {file}: 1 match.\n")
    assert query_rows(database, "SELECT count(*) FROM results") == [(2,)]


def test_user_deleted_after_backup_stays_deleted_after_restore(database: Path):
    fill(database, people=(FORGOTTEN, GRACE, LINUS))
    file = backup(database)
    forget(database, FORGOTTEN, NOW + 5)
    forget(database, GRACE, NOW + 6)
    assert "after the backup: 2." in run_command("restore", file)[1]
    assert query_rows(database, "SELECT user_id FROM results") == [(LINUS,)]
    # They stay so after another restore of the same backup.
    assert "after the backup: 2." in run_command("restore", file)[1]
    assert query_rows(database, "SELECT user_id FROM results") == [(LINUS,)]


def test_deleted_invited_user_stays_deleted_after_restore(database: Path):
    new = build_new_match(state="open")
    with_question = replace(new, events=[*new.events, Asked("substitute", 0, 0, NOW + 1, person=FORGOTTEN)])
    change(database, lambda store: store.matches.create(with_question, now=NOW))
    file = backup(database)
    forget(database, FORGOTTEN, NOW + 5)
    assert "after the backup: 1." in run_command("restore", file)[1]
    assert [user for (user,) in query_rows(database, "SELECT user_id FROM participants")].count(None) == 1


def test_user_returning_after_deletion_keeps_new_data(database: Path):
    fill(database, people=(FORGOTTEN, GRACE))
    forget(database, FORGOTTEN, NOW + 5)
    fill(database, people=(FORGOTTEN, GRACE), now=NOW + 10)
    file = backup(database)
    status, output = run_command("restore", file)
    assert (status, "forgotten again" in output) == (0, False)
    assert query_rows(database, "SELECT user_id FROM results").count((FORGOTTEN,)) == 1


def test_guild_left_after_backup_stays_deleted_after_restore(database: Path):
    fill(database, guild=77)
    file = backup(database)
    change(database, lambda store: store.guilds.note_guild_left(77, NOW + 9, now=NOW + 9))
    run_command("restore", file)
    assert query_rows(database, "SELECT guild_id, left_at FROM guilds") == [(77, NOW + 9)]


def test_restore_is_refused_while_bot_runs(database: Path, monkeypatch: pytest.MonkeyPatch):
    fill(database)
    file = backup(database)
    monkeypatch.setattr("bot.core.environment.read_clock", lambda: NOW)
    fill(database, now=NOW + 5)
    change(database, lambda store: store.operations.record_pulse("bot", now=NOW - 59_000))
    assert "59 s ago" in run_for_error("restore", file)
    assert query_rows(database, "SELECT count(*) FROM matches") == [(2,)]
    monkeypatch.setattr("bot.core.environment.read_clock", lambda: NOW + 1_001)
    assert run_command("restore", file)[0] == 0


def test_invalid_backup_is_not_restored(database: Path, tmp_path: Path):
    fill(database)
    file = tmp_path / "backup.db"
    assert f"no file {file}." in run_for_error("restore", file)
    file.write_text("not a database, however long the text may be" * 50)
    assert run_for_error("restore", file).startswith(f"{file} is no database")
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE songs (name)")
    assert run_for_error("restore", file).startswith(f"{file} is no database")
    assert "the database itself" in run_for_error("restore", database)
    assert query_rows(database, "SELECT count(*) FROM matches") == [(1,)]


def test_backup_with_torn_page_is_refused(database: Path):
    async def play(store: Store) -> None:
        for number in range(20):
            await add_finished_match(store, build_result((ADA, 400), (GRACE, 300)), now=NOW + number)

    change(database, play)
    file = backup(database)
    torn = bytearray(file.read_bytes())
    torn[8192:12288] = b"\xff" * 4096
    file.write_bytes(torn)
    assert run_for_error("restore", file).startswith(f"{file} cannot be used: {REMEDIES[DatabaseFault.DAMAGED]}")


def test_backup_of_newer_version_is_refused(database: Path):
    fill(database)
    file = backup(database)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    assert "a newer version" in run_for_error("restore", file)


def test_damaged_database_can_be_replaced_by_backup(database: Path):
    fill(database)
    file = backup(database)
    database.write_text("nothing but noise" * 100)
    status, output = run_command("restore", file)
    assert status == 0
    assert "are unknown" in output
    assert query_rows(database, "SELECT count(*) FROM matches") == [(1,)]


def test_help_lists_commands():
    status, output = run_command("--help")
    assert status == 0
    for command in ("backup", "restore", "doctor"):
        assert re.search(rf"^\W*{command}\b", output, re.MULTILINE)


def test_leaderboards_are_recomputed_from_results(database: Path):
    for winner, loser in ((ADA, GRACE), (GRACE, ADA), (ADA, LINUS)):
        scores = build_result((winner, 400), (loser, 300), rate=ratings.rate)
        change(database, lambda store, scores=scores: add_finished_match(store, scores, now=NOW))
    tables = ("standings", "recents", "bests", "bands WHERE people > 0")
    before = [query_rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables]
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE standings SET wins = 99, mu = 0, ordinal = -9")
        connection.execute("DELETE FROM recents")
        connection.execute("UPDATE bests SET move = 999, streak = 99, running = 5")
        connection.execute("DELETE FROM bands")

    status, output = run_command("recount")
    assert (status, output.partition(": ")[2]) == (0, "6 rows.\n")

    assert [query_rows(database, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in tables] == before
