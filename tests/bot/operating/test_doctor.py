"""The command `boneyard doctor`: every fault is reported with advice."""

import asyncio
import os
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot import __main__
from bot.core.environment import Finding, Settings
from bot.operating.doctor import run_checks
from data import puzzle_book
from data.private import write_private
from data.puzzle_book import load_puzzles
from data.rulebook import list_games
from data.store.connection import engines
from data.store.connection.facts import Owner
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import Shard
from data.store.store import Store
from engine.table.table_posts import Post
from render.canvas.png import ZLIB, choose_deflate
from tests.bot.operating.runner import change_database
from tests.data.store.scene import CHANNEL, NOW, build_change, build_new_match

TOKEN = "aaaa.bbbb.cccc"


def list_problems(url: str, *, token: str | None = TOKEN, now: int = NOW) -> dict[str, str]:
    return {finding.summary: finding.fix for finding in run_checks(Settings(token, url), now) if not finding.is_ok}


def get_only_problem(url: str, **options: Any) -> tuple[str, str]:
    (found,) = list_problems(url, **options).items()
    return found


def filter_summaries(url: str, *parts: str, now: int = NOW) -> list[str]:
    return [line for line in list_summaries(url, now=now) if all(part in line for part in parts)]


def list_summaries(url: str, *, now: int = NOW) -> list[str]:
    return [finding.summary for finding in run_checks(Settings(TOKEN, url), now)]


def test_doctor_checks_each_external_program(url: str, tmp_path: Path) -> None:
    program_file = tmp_path / "players.toml"
    program_file.write_text('here = "true"\nnowhere = "/nonexistent/player --quick"\n', encoding="utf-8")
    found = {one.summary: one.is_ok for one in run_checks(Settings(TOKEN, url, players=str(program_file)), NOW)}
    assert (found["player here"], found["player nowhere"]) == (True, False)
    program_file.write_text("here = ", encoding="utf-8")
    (wrong,) = [
        one for one in run_checks(Settings(TOKEN, url, players=str(program_file)), NOW) if "players" in one.summary
    ]
    assert "is no TOML" in wrong.fix


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "boneyard.db"


@pytest.fixture
def url(file: Path) -> str:

    async def fill(store: Store) -> None:
        head = await store.matches.create(build_new_match(), now=NOW)
        await store.matches.commit(build_change(head, outbox=[Post(kind="round")]), now=NOW)
        await store.operations.record_pulse("bot", now=NOW - 5000)

    asyncio.run(change_database(f"sqlite:///{file}", fill))
    return f"sqlite:///{file}"


def test_healthy_setup_has_nothing_to_fix(url: str, file: Path):
    assert list_problems(url) == {}
    assert filter_summaries(url, f"database sqlite:///{file}: ")
    assert filter_summaries(url, "bot: ", "5 s ago")
    assert filter_summaries(url, "messages to send: 1", "boards to update: 1")


def test_heartbeat_from_future_points_to_wrong_clock(url: str):
    what, fix = get_only_problem(url, now=NOW - 3_600_000)
    assert "3595 s ahead" in what
    assert "timedatectl" in fix


def test_disconnected_shard_is_named_while_others_are_connected(url: str):
    def record_pulses(*shards: Shard, at: int) -> None:
        asyncio.run(change_database(url, lambda store: store.operations.record_shard_pulses(shards, now=at)))

    record_pulses(Shard(0, 2), Shard(1, 2), at=NOW)
    assert list_problems(url, now=NOW + 80_000) == {}
    record_pulses(Shard(0, 2), at=NOW + 90_000)
    (what,) = list_problems(url, now=NOW + 91_000)
    assert what.startswith("shard 1 of 2: ")


def test_doctor_changes_nothing(url: str, file: Path):
    def dump_database() -> str:
        with closing(sqlite3.connect(file)) as connection:
            return "\n".join(connection.iterdump())

    before = dump_database()
    list_summaries(url)
    assert dump_database() == before


def test_missing_token_reports_where_to_set_it(url: str):
    what, fix = get_only_problem(url, token=None)
    assert what == "token: none"
    assert fix.startswith("Set DISCORD_TOKEN")
    assert get_only_problem(url, token="0123456789abcdef")[0].startswith("token: ")


def test_doctor_never_prints_token(url: str):
    findings = run_checks(Settings("hunter2 hunter3", url), NOW)
    assert "hunter" not in " ".join(map(str, findings))


def test_missing_database_is_no_fault(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/new.db"
    assert list_problems(url) == {}
    assert filter_summaries(url, "database: none yet")
    assert not (tmp_path / "new.db").exists()


def test_unreachable_database_is_reported_without_password():
    found = list_problems("postgresql://ada:hunter2@127.0.0.1:1/tiles")
    (what,) = found
    assert what.startswith("database postgresql://ada@127.0.0.1:1/tiles: ")
    assert "hunter2" not in what + found[what]


def test_invalid_database_url_shows_expected_format():
    assert "write sqlite:///FILE" in list_problems("nonsense")["database"]


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///new.db?timeout=hunter2",
        "sqlite:///hunter2%00.db",
        "postgresql://ada:hunter2@127.0.0.1:1/tiles?hunter2=1",
        "postgresql://ada:hunter2@127.0.0.1:99999/tiles",
    ],
)
def test_invalid_option_or_port_must_be_fixed(url: str):
    pytest.importorskip("asyncpg", reason="the PostgreSQL driver is an extra")
    found = list_problems(url)
    (what,) = found
    assert what.startswith("database")
    assert "URL" in what + found[what]
    assert "hunter2" not in what + found[what]


def test_file_without_database_suggests_restoring_backup(file: Path):
    file.write_text("noise " * 1000)
    what, fix = get_only_problem(f"sqlite:///{file}")
    assert what.startswith(f"database sqlite:///{file}: ")
    assert "`boneyard restore FILE`" in fix


def test_invalid_file_name_is_reported_and_other_checks_run(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/{'a' * 300}.db"
    (fix,) = [fix for what, fix in list_problems(url).items() if what.startswith(f"database {url}: ")]
    assert "BONEYARD_DATABASE_URL" in fix
    assert "fonts: present" in list_summaries(url)


def test_unreadable_file_advises_running_as_its_owner(url: str, file: Path, monkeypatch: pytest.MonkeyPatch):
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != file and access(path, mode))
    assert "who owns it" in get_only_problem(url)[1]


def test_locked_file_is_reported(url: str, file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engines._set_up_sqlite, "__kwdefaults__", {"busy": 100})
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        found = list_problems(url)
    assert "sqlite3 shell" in found[f"database {url}: database is locked"]


def test_damaged_page_is_reported_with_advice(url: str, file: Path):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").fetchone()
    with file.open("r+b") as pages:
        pages.seek((root - 1) * size)
        pages.write(b"\xff" * size)
    what, fix = get_only_problem(url)
    assert what.startswith(f"database sqlite:///{file}: ")
    assert "`boneyard restore FILE`" in fix


@pytest.mark.parametrize("how", ["deleted", "exchanged"])
def test_replaced_or_deleted_database_file_is_reported(url: str, file: Path, how: str):
    def replace_file() -> None:
        sound = file.read_bytes()
        file.unlink()
        if how == "exchanged":
            write_private(file, sound)

    async def use_lost_file() -> None:
        store = await Store.open(url)
        replace_file()
        with pytest.raises(DatabaseUnavailable):
            await store.operations.load_pulses()
        what, fix = await asyncio.to_thread(get_only_problem, url)
        assert what.startswith("bot: ")
        assert "start the bot" in fix
        await store.close()

    asyncio.run(use_lost_file())
    if how == "deleted":
        file.with_name(f"{file.name}.rescued").rename(file)
    claim_database(url)
    assert list_problems(url) == {}


@pytest.mark.skipif(os.name != "posix", reason="modes are what POSIX has")
def test_world_readable_file_must_be_fixed(url: str, file: Path):
    file.chmod(0o640)
    what, fix = get_only_problem(url)
    assert what.startswith("files: ")
    assert fix.endswith(f"chmod 600 '{file}'*")
    assert file.stat().st_mode & 0o777 == 0o640, "the doctor changes nothing"
    claim_database(url)
    assert list_problems(url) == {}


def claim_database(url: str) -> None:
    asyncio.run(change_database(url, lambda store: store.claim(Owner(1_100_000_000_000_000_001))))


def test_owner_of_database_is_shown(url: str):
    assert filter_summaries(url, "no application yet")
    claim_database(url)
    assert filter_summaries(url, "application 1100000000000000001")


def test_old_outbox_items_are_reported_as_stuck(url: str):
    assert list_problems(url, now=NOW + 4 * 60_000) == {}
    assert "messages to send: 1" in get_only_problem(url, now=NOW + 6 * 60_000)[0]


def test_permanently_closed_channel_does_not_keep_bot_unhealthy(url: str):
    asyncio.run(change_database(url, lambda store: store.outbox.block(1, CHANNEL, 50013, now=NOW)))
    year = NOW + 365 * 24 * 3600 * 1000
    assert list_problems(url, now=year) == {}
    assert filter_summaries(url, "messages to send: 0", "boards to update: 0", now=year)
    assert filter_summaries(url, "the bot can't use", ": 1", now=year)


def test_exit_status_shows_whether_something_must_be_fixed(url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BONEYARD_DATABASE_URL", url)
    monkeypatch.setattr("bot.core.environment.read_clock", lambda: NOW)
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    assert CliRunner().invoke(__main__.app, ["doctor"]).exit_code == 0
    monkeypatch.delenv("DISCORD_TOKEN")
    result = CliRunner().invoke(__main__.app, ["doctor"])
    assert result.exit_code == 1
    assert "FIX  token: none\n" in result.output


def test_doctor_names_picture_encoder_and_cost_of_fallback(url: str, monkeypatch: pytest.MonkeyPatch):
    assert filter_summaries(url, "pictures: ", choose_deflate().name)
    monkeypatch.setattr("bot.operating.doctor.DEFLATE", ZLIB)
    assert filter_summaries(url, "pictures: ", "zlib", "isal")
    assert list_problems(url) == {}, "nothing is wrong with it"


def check_puzzles(url: str, now: datetime) -> Finding:
    findings = run_checks(Settings(TOKEN, url), int(now.timestamp() * 1000))
    (found,) = [finding for finding in findings if finding.summary.startswith("puzzles")]
    return found


def test_expiring_puzzles_suggest_upgrade(url: str, monkeypatch: pytest.MonkeyPatch):
    end = {game: max(load_puzzles(game)) for game in list_games()} | {"star": date(2027, 3, 1)}
    monkeypatch.setattr(
        "bot.operating.doctor.load_puzzles", lambda game: {end[game]: next(iter(load_puzzles(game).values()))}
    )
    last = datetime.combine(end["star"], time(), UTC)
    early, late = (check_puzzles(url, last - timedelta(days)) for days in (40, 10))
    assert (early.is_ok, late.is_ok) == (True, True)
    assert "2027-03-01 (star)" in early.summary
    assert all(game in early.summary for game in list_games())
    assert "a newer version has more" not in early.summary
    assert late.summary.endswith("a newer version has more")


def test_unreadable_puzzles_must_be_fixed(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "star-2026.jsonl").write_text("{}\n", encoding="utf-8")
    monkeypatch.setattr(puzzle_book, "PUZZLES", tmp_path)
    load_puzzles.cache_clear()
    try:
        found = check_puzzles(url, datetime(2026, 1, 1, tzinfo=UTC))
    finally:
        load_puzzles.cache_clear()
    assert not found.is_ok
    assert "star-2026.jsonl:1" in found.summary
