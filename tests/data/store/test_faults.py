"""A database that is full, locked or damaged."""

import asyncio
import json
import logging
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import transactions
from data.store.connection.faults import (
    COMMITTED_WRITES,
    LOG_INTERVAL,
    REMEDIES,
    AbandonedTransaction,
    Attempt,
    DatabaseFault,
    DatabaseUnavailable,
    FaultTracker,
)
from data.store.connection.store_errors import StoreUnavailable
from data.store.connection.tables import guilds
from data.store.log.match_values import Head
from data.store.operations.checkup import check_database
from data.store.operations.copies import copy
from data.store.store import Store
from tests.bot.operating.runner import run_command
from tests.data.store.empty import prepare_database
from tests.data.store.scene import ADA, NOW, add_match, commit_change
from tests.small_disk import SMALL_DISK, can_mount
from tests.tools import faults_page

ROOT = Path(__file__).parents[3]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/boneyard.db"


@contextmanager
def hold_lock(file: Path) -> Iterator[None]:
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


async def catch_unavailable(request: Awaitable[object]) -> DatabaseUnavailable:
    with pytest.raises(DatabaseUnavailable) as raised:
        await request
    return raised.value


async def test_requests_behind_lock_fail_together_and_change_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(transactions, "LOCK_WAIT", 1.0)
    head = await add_match(store)
    with hold_lock(tmp_path / "boneyard.db"):
        writes = [store.users.set_person(ADA + n, quick=True, now=NOW) for n in range(40)]
        errors = await asyncio.gather(*map(catch_unavailable, [commit_change(store, head), *writes]))
        assert await store.matches.find_head(head.match_id) == head, "who only looks waits for nobody"
        assert store.fault is DatabaseFault.LOCKED
    assert {(one.fault, one.may_have_committed) for one in errors} == {(DatabaseFault.LOCKED, False)}
    assert await commit_change(store, head)
    assert store.fault is None
    assert not (await store.users.load_person(ADA + 7)).quick, "nothing comes of what was refused"
    lines = [record.getMessage() for record in caplog.records if record.name == "data.store.connection.faults"]
    assert (len(lines), lines[0]) == (2, REMEDIES[DatabaseFault.LOCKED])
    assert lines[1].endswith(" 41"), "so many requests failed"


async def test_timed_out_write_is_reported_as_not_done(
    store: Store, head: Head, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(transactions, "LIMIT", 0.5)
    with hold_lock(tmp_path / "boneyard.db"):
        error = await catch_unavailable(store.transactions.write(partial(_insert_guild, head.match_id), limit=0.5))
        assert (error.fault, error.may_have_committed) == (DatabaseFault.SILENT, False)
    assert await commit_change(store, head)
    assert (await store.guilds.load_guild(1)).settings == {}


async def _insert_guild(_: int, connection: AsyncConnection) -> None:
    await connection.execute(insert(guilds).values(guild_id=1, settings='{"done": true}', updated_at=NOW))


def test_abandoned_attempt_does_not_commit():
    attempt = Attempt(is_write=True)
    assert not attempt.abandon()
    with pytest.raises(AbandonedTransaction):
        attempt.start_commit()
    assert not attempt.may_have_committed


def test_attempt_abandoned_during_commit_may_be_done():
    attempt = Attempt(is_write=True)
    attempt.start_commit()
    assert attempt.abandon()


@pytest.mark.parametrize("first_is_certain", [True, False])
def test_attempt_stays_uncertain_after_one_uncertain_failure(first_is_certain: bool):
    attempt = Attempt(is_write=True)
    for is_certain in (first_is_certain, True):
        attempt.start_commit()
        attempt.record_failure(is_certain=is_certain)
    assert attempt.may_have_committed is not first_is_certain


async def test_damaged_page_affects_only_data_on_it(url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    file = tmp_path / "boneyard.db"
    store = await Store.open(await prepare_database(url))
    head = await add_match(store)
    await store.close()
    with closing(sqlite3.connect(file)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").fetchone()
    with file.open("r+b") as pages:
        pages.seek((root - 1) * size)
        pages.write(b"\xff" * size)
    store = await Store.open(url)
    try:
        error = await catch_unavailable(store.matches.load(head.match_id))
        assert (error.fault, error.may_have_committed) == (DatabaseFault.DAMAGED, False)
        assert (await catch_unavailable(commit_change(store, head))).fault is DatabaseFault.DAMAGED
        assert await store.matches.find_head(head.match_id) == head
        await store.users.set_person(ADA, quick=True, now=NOW)
        assert store.fault is DatabaseFault.DAMAGED, "that something else works heals nothing"
    finally:
        await store.close()
    lines = [record.getMessage() for record in caplog.records if record.name == "data.store.connection.faults"]
    assert lines == [REMEDIES[DatabaseFault.DAMAGED]]


async def test_request_records_that_it_has_written(store: Store, tmp_path: Path):
    COMMITTED_WRITES.set([])
    await store.users.load_person(ADA)
    assert COMMITTED_WRITES.get() == []
    await store.users.set_person(ADA, quick=True, now=NOW)
    assert COMMITTED_WRITES.get() == [True]


def test_lasting_fault_is_logged_once_per_minute_and_end_once(caplog: pytest.LogCaptureFixture):
    time = 0.0
    faults = FaultTracker(lambda: time)
    for _ in range(100):
        faults.record_failure(DatabaseFault.FULL, is_write=True)
        faults.record_failure(DatabaseFault.LOST, is_write=False)
        time += LOG_INTERVAL / 50
    faults.record_success(is_write=False)
    assert faults.current is DatabaseFault.LOST, "that it can be read says nothing of writing"
    faults.record_success(is_write=True)
    assert faults.current is None
    levels = [record.levelno for record in caplog.records]
    assert levels == [logging.ERROR] * 4 + [logging.WARNING]


def test_every_fault_has_one_line_with_cause_and_remedy_in_docs():
    assert set(REMEDIES) == set(DatabaseFault)
    assert all(remedy.count(": ") == 1 and "\n" not in remedy for remedy in REMEDIES.values())
    assert faults_page.PAGE.read_text(encoding="utf-8") == faults_page.format_page(), "see the page itself"


@pytest.mark.deep
@pytest.mark.skipif(not can_mount(), reason="no small disk can be made here (unshare, mount)")
def test_full_disk_refuses_commits_and_recovers_with_space(tmp_path: Path):
    script = 'mount -t tmpfs -o size=2m none "$1" && exec "$2" -m tests.data.store.on_small_disk "$1"'
    done = subprocess.run(
        [*SMALL_DISK, "sh", "-c", script, "sh", str(tmp_path), sys.executable],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["refused"] == {"fault": "full", "maybe": False}
    assert report["said done"] == report["in the log"] > 3, "what was called done is there, and nothing else"
    assert report["readable"]
    assert report["doctor"] == "full"
    assert report["after"] == report["in the log"] + 1
    assert report["lines"] == [REMEDIES[DatabaseFault.FULL]]


def cut_in_half(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def overwrite_with_text(file: Path) -> None:
    file.write_text("This is a letter. " * 200)


def put_backup_beside_log(file: Path) -> None:
    """Copy a backup over the database of a bot that was killed."""
    copy(file, file.with_name("good"))
    script = "import os, asyncio, sys; from data.store.store import Store; from tests.data.store import scene\n"
    script += "async def main():\n    await scene.add_match(await Store.open(sys.argv[1]))\n    os._exit(9)\n"
    killed = [sys.executable, "-c", f"{script}asyncio.run(main())", f"sqlite:///{file}"]
    assert subprocess.run(killed, cwd=ROOT, check=False).returncode == 9
    file.write_bytes(file.with_name("good").read_bytes())


def execute(statement: str) -> Callable[[Path], None]:
    def spoil(file: Path) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute(statement)
            connection.commit()

    return spoil


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (cut_in_half, DatabaseFault.DAMAGED),
        (partial(os.truncate, length=0), DatabaseFault.DAMAGED),
        (overwrite_with_text, DatabaseFault.NOT_A_DATABASE),
        (Path.unlink, DatabaseFault.MISSING),
        (put_backup_beside_log, DatabaseFault.STALE_LOG),
        (execute("UPDATE alembic_version SET version_num = '9999'"), DatabaseFault.NEWER),
        (execute("UPDATE alembic_version SET version_num = '0029'"), DatabaseFault.OLDER),
        (execute("UPDATE alembic_version SET version_num = x'ff00'"), DatabaseFault.UNVERSIONED),
        (execute("DELETE FROM alembic_version"), DatabaseFault.UNVERSIONED),
        (execute("DROP TABLE alembic_version"), DatabaseFault.UNVERSIONED),
        (execute("DROP INDEX ix_matches_due"), DatabaseFault.SCHEMA),
        (execute("DROP TABLE alerts"), DatabaseFault.SCHEMA),
    ],
)
async def test_unusable_database_has_one_diagnosis_everywhere(
    url: str, tmp_path: Path, spoil: Callable[[Path], None], fault: DatabaseFault, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "boneyard.db"
    await (await Store.open(await prepare_database(url))).close()
    monkeypatch.setenv("BONEYARD_DATABASE_URL", url)
    good = tmp_path / "good.db"
    copy(file, good)
    sound = replace(await check_database(f"sqlite:///{good}", now=NOW), file=file, name=url)
    spoil(file)
    before = file.read_bytes() if file.exists() else b""
    commands: list[list[object]] = [["backup", tmp_path / "copy.db"], ["recount"], ["adopt", 1, "--from", 2]]
    commands += [["doctor"], ["move", "--undo"]]
    unaffected = {  # the first start makes a database, `move --undo` works with every version, and the rest is there
        DatabaseFault.MISSING: ("doctor",),
        DatabaseFault.NEWER: ("move",),
        DatabaseFault.OLDER: ("move",),
        DatabaseFault.UNVERSIONED: ("move",),
        DatabaseFault.SCHEMA: ("recount", "adopt", "move"),
    }
    for command in commands:
        if command[0] not in unaffected.get(fault, ()):
            status, output = await asyncio.to_thread(run_command, *command)
            assert (status, REMEDIES[fault][1:] in output) == (1, True), (command, output)
    if fault not in (DatabaseFault.MISSING, DatabaseFault.SCHEMA):
        with pytest.raises(StoreUnavailable, match=re.escape(REMEDIES[fault])) as opening:  # as `run` does
            await Store.open(url, claimed=False)
        assert not opening.value.is_transient
        assert file.read_bytes() == before, "nothing was changed"
    assert (await asyncio.to_thread(run_command, "restore", good))[0] == 0
    assert await check_database(url, now=NOW) == sound
