"""Commands and clicks during database faults."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from data.store.connection import transactions
from data.store.connection.faults import DatabaseFault, DatabaseUnavailable
from data.store.matches.store import MatchStore
from data.store.store import Store
from data.words import load_words
from tests.bot.member import Member
from tests.bot.simulated_guild import SimGuild

UNSAVED, MAYBE = load_words("en")("no.UNSAVED"), load_words("en")("no.MAYBE_SAVED")


@pytest.fixture
def database_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(transactions, "LOCK_WAIT", 0.4)
    return tmp_path / "boneyard.db"


@contextmanager
def lock_database(database_file: Path) -> Iterator[None]:
    with closing(sqlite3.connect(database_file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def play_by_typing(sim: SimGuild, person: Member) -> str:
    tile = (await person.autocomplete(sim.channel, "tiles play", "tile", ""))[0]["value"]
    place = (await person.autocomplete(sim.channel, "tiles play", "place", "", tile=tile))[0]["value"]
    return await person.read_command("tiles play", tile=tile, place=place)


async def test_locked_database_is_reported_and_retry_works(sim: SimGuild, database_file: Path) -> None:
    ada, grace = sim.add_member("Ada"), sim.add_member("Grace")
    with lock_database(database_file):
        assert await ada.read_command("tiles new", seats=2) == UNSAVED
        assert await ada.read_command("tiles settings", remind=False) == UNSAVED
    assert await sim.store.matches.list_match_ids(10) == []
    await sim.start_table(ada, grace)
    before = await sim.load_head()
    mover = await sim.load_turn_player()
    with lock_database(database_file):
        assert await play_by_typing(sim, mover) == UNSAVED
        assert "My hand" not in await mover.read_command("tiles hand"), "looking needs nothing saved"
    assert (await sim.load_head()).seq == before.seq
    assert "You played" in await play_by_typing(sim, mover)


async def test_doctor_reports_locked_database(sim: SimGuild, mary: Member, database_file: Path) -> None:
    with lock_database(database_file):
        seen = await mary.read_command("tiles-admin doctor")
    assert load_words("en")("doctor.ail_locked") in seen
    assert load_words("en")("doctor.ail_locked") not in await mary.read_command("tiles-admin doctor")


@pytest.mark.parametrize("fault", [DatabaseFault.FULL, DatabaseFault.LOST])
async def test_database_failure_after_commit_is_reported_as_uncertain(
    room: SimGuild, monkeypatch: pytest.MonkeyPatch, fault: DatabaseFault
) -> None:
    mover, before = await room.load_turn_player(), await room.load_head()
    commit = MatchStore.commit

    async def commit_then_fail(store: Store, change: Any, *, now: int) -> Any:
        await commit(store, change, now=now)
        raise DatabaseUnavailable(fault)

    with monkeypatch.context() as patch:
        patch.setattr(MatchStore, "commit", commit_then_fail)
        assert await play_by_typing(room, mover) == MAYBE
    assert (await room.load_head()).seq > before.seq


async def test_uncertain_write_is_reported_as_uncertain(room: SimGuild, monkeypatch: pytest.MonkeyPatch) -> None:
    mover = await room.load_turn_player()

    async def fail_to_commit(store: Store, change: Any, *, now: int) -> Any:
        raise DatabaseUnavailable(DatabaseFault.LOST, may_have_committed=True)

    with monkeypatch.context() as patch:
        patch.setattr(MatchStore, "commit", fail_to_commit)
        assert await play_by_typing(room, mover) == MAYBE


async def test_due_work_runs_within_minute_after_database_recovers(
    room: SimGuild, database_file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "LOCK_WAIT", 0.0)
    mover = await room.load_turn_player()
    await play_by_typing(room, mover)
    head = await room.load_head()
    assert head.due.kind == "settle", "then the next one is called"
    with lock_database(database_file):
        await room.env.advance_time((head.due.at - room.clock()) / 1000 + 60)
        assert (await room.load_head()).seq == head.seq
        assert not [record for record in caplog.records if record.exc_info], "and nobody reads a stack trace"
    await room.env.advance_time(60)
    assert (await room.load_head()).seq > head.seq
    assert room.get_called_player() is not mover
    assert (await room.load_head()).shown_seq == (await room.load_head()).seq
