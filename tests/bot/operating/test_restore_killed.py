"""`boneyard restore`, killed at every file system call.

The database path always holds a complete database: the previous one or the restored one.
"""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.operating.backup import backup, restore
from data.store.store import Store
from tests.bot.operating.runner import run_command
from tests.data.store.empty import prepare_database
from tests.data.store.scene import ADA, GRACE, LINUS, NOW, add_finished_match, build_result
from tests.depth import scale_count

STEPS = ("os.rename", "os.link", "os.remove", "os.chmod", "sqlite3.connect", "shutil.copyfile")
LATER = NOW + 3_600_000


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder / "boneyard.db"


@pytest.fixture
def saved(database: Path, tmp_path: Path) -> Path:
    url, file = f"sqlite:///{database}", tmp_path / "backup.db"

    async def fill() -> None:
        store = await Store.open(await prepare_database(url))
        await add_finished_match(store, build_result((ADA, 3), (GRACE, 2)), now=NOW)
        await asyncio.to_thread(backup, url, file)
        await add_finished_match(store, build_result((LINUS, 3), (GRACE, 2)), now=NOW + 1)
        assert await store.erasure.erase_user(ADA, left_match_ids=[], now=NOW + 5)
        for ending in ("", "-wal", ".key"):
            shutil.copy(f"{database}{ending}", f"{database}{ending}.kept")
        await store.close()
        for ending in ("", "-wal", ".key"):
            shutil.move(f"{database}{ending}.kept", f"{database}{ending}")

    asyncio.run(fill())
    return file


def kill_restore_at(step: int, database: Path, file: Path) -> bool:
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            return True
        assert os.WEXITSTATUS(status) == 0
        return False
    try:
        steps_taken = 0

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal steps_taken
            writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
            if (writes or event in STEPS) and str(database.parent) in str(arguments[0]):
                steps_taken += 1
                if steps_taken == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        restore(f"sqlite:///{database}", file, lambda: LATER)
        os._exit(0)
    except BaseException:
        os._exit(1)


def count_matches(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM matches").fetchone()[0])


def test_kill_during_restore_leaves_complete_database_and_retry_succeeds(
    database: Path, saved: Path, tmp_path: Path
) -> None:
    before = tmp_path / "before"
    database.parent.rename(before)
    step, found = 0, []
    while True:
        step += 1 if scale_count(1) > 1 or step < 1 else 2
        shutil.rmtree(database.parent, ignore_errors=True)
        shutil.copytree(before, database.parent)
        if not kill_restore_at(step, database, saved):
            break
        after = tmp_path / "after"
        shutil.rmtree(after, ignore_errors=True)
        shutil.copytree(database.parent, after)
        found.append(count_matches(after / database.name))
        restore(f"sqlite:///{database}", saved, lambda: LATER)
        assert count_matches(database) == 1
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("SELECT count(*) FROM results WHERE user_id = ?", (ADA,)).fetchone() == (0,)
        left = {one.name for one in database.parent.iterdir()} - {database.name, f"{database.name}.key"}
        assert all(name.startswith("boneyard.before-") for name in left - {f"{database.name}.stamp"}), left
        assert len({one.stat().st_ino for one in database.parent.iterdir()}) == len(left) + 2, "no file has two names"
    assert len(found) > 8, "it was killed now and then"
    assert set(found) == {1, 2}
    assert found == sorted(found, reverse=True), "there is one step after which it is the new one"


def test_leftover_journal_files_do_not_affect_restored_database(database: Path, saved: Path) -> None:
    wal = database.with_name("boneyard.db-wal")
    assert wal.stat().st_size
    database.unlink()
    restore(f"sqlite:///{database}", saved, lambda: LATER)
    assert not wal.exists()
    assert count_matches(database) == 1


def test_heartbeat_from_fast_clock_does_not_block_restore(
    database: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{database}")
    monkeypatch.setattr("bot.core.environment.read_clock", lambda: LATER)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM pulses")
        connection.execute("INSERT INTO pulses VALUES ('bot', ?), ('other', ?)", (LATER + 3_600_000, LATER - 30_000))
    status, output = run_command("restore", saved)
    assert (status, "active 30 s ago" in output, "Stop it" in output) == (1, True, True), "somebody else is alive"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM pulses WHERE name = 'other'")
    assert run_command("restore", saved)[0] == 0


def test_open_database_is_not_replaced(database: Path, saved: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{database}")
    with closing(sqlite3.connect(database)) as other:
        other.execute("SELECT count(*) FROM matches").fetchone()
        status, output = run_command("restore", saved)
        assert (status, f"{database} is in use" in output, "stop the bot" in output) == (1, True, True)
        assert other.execute("SELECT count(*) FROM matches").fetchone() == (2,)
    assert [one for one in database.parent.iterdir() if "restoring" in one.name] == []
    assert run_command("restore", saved)[0] == 0


def test_file_system_error_is_reported_in_one_sentence(
    database: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{database}")

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", refuse)
    status, output = run_command("restore", saved)
    assert (status, output.count("\n")) == (1, 1)
    assert f"{database} can't be replaced: Operation" in output
    assert "Nothing was changed" in output
    assert count_matches(database) == 2
