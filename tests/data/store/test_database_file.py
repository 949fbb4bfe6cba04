"""The database file of a running bot is deleted, moved or replaced."""

# ruff: noqa: ASYNC240 - the event loop serves nothing else here

import asyncio
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.operating.doctor import open_store
from data.store.connection.faults import REMEDIES, DatabaseFault, DatabaseUnavailable
from data.store.connection.sqlite import RESCUED_SUFFIX
from data.store.log.match_values import Head
from data.store.operations.copies import copy
from data.store.store import Store
from tests.data.store.empty import prepare_database
from tests.data.store.scene import ADA, add_match, commit_change


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite:///{file}"


def count_events(file: Path) -> int:
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM events").fetchone()[0])


async def find_commit_fault(store: Store, head: object) -> DatabaseFault:
    with pytest.raises(DatabaseUnavailable) as raised:
        await commit_change(store, head)  # type: ignore[arg-type]
    assert not raised.value.may_have_committed
    return raised.value.fault


async def test_deleted_database_file_refuses_commits_and_is_rescued(store: Store, head: Head, file: Path):
    head = await commit_change(store, head)
    file.unlink()
    assert await find_commit_fault(store, head) is DatabaseFault.DELETED
    assert await find_commit_fault(store, head) is DatabaseFault.DELETED
    assert store.fault is DatabaseFault.DELETED
    rescued = file.with_name(file.name + RESCUED_SUFFIX)
    assert count_events(rescued) == 2
    assert rescued.stat().st_mode & 0o777 == 0o600
    await store.close()
    rescued.rename(file)
    async with open_store(f"sqlite:///{file}") as again:
        assert await again.matches.find_head(head.match_id) == head


async def test_database_works_again_after_file_is_moved_back(store: Store, head: Head, file: Path, tmp_path: Path):
    moved = tmp_path / "aside.db"
    file.rename(moved)
    assert await find_commit_fault(store, head) is DatabaseFault.DELETED
    assert count_events(moved) == 1, "whole without the log that was beside it"
    moved.rename(file)
    head = await commit_change(store, head)
    assert (await store.matches.load(head.match_id)).log[-1]  # type: ignore[union-attr]
    assert store.fault is None
    await store.close()
    assert count_events(file) == 2


@pytest.mark.parametrize("how", ["moved over it", "moved away and another one moved in"])
async def test_exchanged_database_file_is_not_modified(store: Store, head: Head, file: Path, tmp_path: Path, how: str):
    other = tmp_path / "other.db"
    copy(file, other)
    head = await commit_change(store, head)
    before = other.read_bytes()
    if how == "moved over it":
        other.replace(file)
        original = file.with_name(file.name + RESCUED_SUFFIX)
    else:
        original = tmp_path / "aside.db"
        file.rename(original)
        other.rename(file)
    assert await find_commit_fault(store, head) is DatabaseFault.EXCHANGED
    with pytest.raises(DatabaseUnavailable):
        await store.users.load_person(ADA)
    assert file.read_bytes() == before
    await store.close()
    assert file.read_bytes() == before
    left = file.with_name("boneyard.db-wal")
    assert not left.exists() or not left.stat().st_size, "a log of another file would be written into this one"
    assert (count_events(original), count_events(file)) == (2, 1)


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize("first", ["read", "write", "both"])
async def test_deleted_write_ahead_log_loses_and_refuses_nothing(
    store: Store, head: Head, file: Path, caplog: pytest.LogCaptureFixture, first: str, *, is_replaced: bool
):
    head = await commit_change(store, head)
    await store.matches.find_head(head.match_id)
    for ending in ("-wal", "-shm"):
        file.with_name(file.name + ending).unlink()
    if is_replaced:
        file.with_name(f"{file.name}-wal").write_bytes(b"a log of another program")
    if first == "both":
        reads = asyncio.gather(*[store.matches.find_head(head.match_id) for _ in range(9)])
        head, found = await asyncio.gather(commit_change(store, head), reads)
        assert {one.seq for one in found if one is not None} <= {2, 3}
    else:
        if first == "read":
            assert await store.matches.find_head(head.match_id) == head
            assert count_events(file) == 2
        head = await commit_change(store, head)
    assert store.fault is None
    assert [one.getMessage() for one in caplog.records] == [REMEDIES[DatabaseFault.LOG_DELETED]]
    await store.close()
    assert count_events(file) == 3


async def test_commit_during_file_exchange_is_not_confirmed(
    store: Store, head: Head, file: Path, monkeypatch: pytest.MonkeyPatch
):
    from data.store.matches import journal

    real = journal.commit

    async def slow(*given: object) -> object:
        done = await real(*given)  # type: ignore[arg-type]
        shutil.copy(file, file.with_name("copy.db"))
        file.with_name("copy.db").replace(file)
        return done

    monkeypatch.setattr(journal, "commit", slow)
    with pytest.raises(DatabaseUnavailable) as raised:
        await commit_change(store, head)
    assert (raised.value.fault, raised.value.may_have_committed) == (DatabaseFault.EXCHANGED, True)


def _can_freeze(folder: Path) -> bool:
    file = folder / "frozen"
    file.touch()
    done = shutil.which("chattr") and not _run_chattr("+i", file)
    return bool(done) and not _run_chattr("-i", file)


def _run_chattr(how: str, *files: Path) -> int:
    return subprocess.run(["chattr", how, *files], capture_output=True, check=False).returncode


@pytest.fixture
def disk() -> Iterator[Path]:
    """A folder on a real disk: in memory, an immutable file that is open can still be written."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


async def test_read_only_file_is_used_again_once_writable(disk: Path):
    if not _can_freeze(disk):
        pytest.skip("no file can be frozen here (chattr +i)")
    file = disk / "boneyard.db"
    async with open_store(await prepare_database(f"sqlite:///{file}")) as store:
        head = await add_match(store)
        both = file, file.with_name("boneyard.db-wal")
        assert not _run_chattr("+i", *both)
        try:
            with pytest.raises(DatabaseUnavailable) as raised:
                await commit_change(store, head)
            assert raised.value.fault in (DatabaseFault.DISK, DatabaseFault.READ_ONLY)
            assert await store.matches.find_head(head.match_id) == head
        finally:
            assert not _run_chattr("-i", *both)
        assert (await commit_change(store, head)).seq == 2
        assert store.fault is None
    assert count_events(file) == 2


async def test_restored_write_ahead_log_is_written_again(store: Store, head: Head, file: Path):
    assert await store.matches.find_head(head.match_id) == head
    log = file.with_name(file.name + "-wal")
    log.rename(log.with_name("away"))
    head = await commit_change(store, head)
    log.with_name("away").rename(log)
    assert (await commit_change(store, head)).seq == 3
    assert store.fault is None
    await store.close()
    assert count_events(file) == 3
