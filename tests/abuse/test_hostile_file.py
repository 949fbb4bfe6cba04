"""An attacker supplies a malicious file to `boneyard restore`."""

import asyncio
import os
import random
import re
import sqlite3
import struct
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot import __main__
from bot.operating.doctor import check_logs, open_store
from bot.tables.acts import TableActions
from data.store.connection.engines import make_engine, parse_url
from data.store.connection.store_errors import CopyError
from data.store.log.archive import MAX_LOG_BYTES
from data.store.operations import inspection
from engine.table.commands import Join
from engine.table.evolve import replay
from engine.table.refusals import Refusal, RefusalError
from tests.bot.simulated_guild import derive_secret
from tests.bot.timed_table import START, TimedTable
from tests.bot.use_cases import GRACE, LINUS
from tests.data.store.empty import prepare_database
from tests.depth import scale_count

ReplaceFile = Callable[[Path, bytes], object]

MATCHES = 3
LOBBY = 3
PAGE = 4096


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("sound")
    url = f"sqlite:///{folder / 'boneyard.db'}"

    async def play() -> None:
        async with open_store(await prepare_database(url)) as store:
            timed_table, deal = TimedTable(store, START), count(1)
            timed_table.acts = TableActions(
                store, timed_table.tables, lambda: timed_table.time, lambda: derive_secret(next(deal)), presses=True
            )
            for channel, others in ((20, (GRACE,)), (21, (GRACE, LINUS))):
                table = await timed_table.open(seats=len(others) + 1, channel_id=channel)
                for other in others:
                    await timed_table.interact(table, Join(other))
                for _ in range(5):
                    await timed_table.play_turn(table)
            await timed_table.open(seats=3, channel_id=22)
            assert await check_logs(store) == {}

    asyncio.run(play())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BONEYARD_DATABASE_URL", url)
        status, output = run_boneyard("backup", folder / "backup.db")
    assert status == 0, output
    return (folder / "backup.db").read_bytes()


@pytest.fixture
def gift(tmp_path: Path, sound: bytes) -> Path:
    file = tmp_path / "gift.db"
    file.write_bytes(sound)
    return file


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    file = folder / "boneyard.db"
    monkeypatch.setenv("BONEYARD_DATABASE_URL", f"sqlite:///{file}")
    asyncio.run(prepare_database(f"sqlite:///{file}"))
    return file


def run_boneyard(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(__main__.app, [str(word) for word in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def read_refusal(database: Path, file: Path) -> str:
    before, files_before = database.read_bytes(), sorted(database.parent.iterdir())
    status, output = run_boneyard("restore", file)
    assert status == 1, output
    assert output.count("\n") == 1, "one line, and no stack trace"
    assert output.startswith("boneyard: ")
    assert database.read_bytes() == before
    assert sorted(database.parent.iterdir()) == files_before
    return output.removeprefix("boneyard: ").removesuffix("\n")


def run_statements(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = off")
        for statement in statements:
            connection.execute(statement)


def build_schema_change(old: str, new: str) -> tuple[str, str]:
    return (
        "PRAGMA writable_schema = on",
        f"UPDATE sqlite_schema SET sql = replace(sql, '{old}', '{new}') WHERE name = 'pulses'",
    )


SWAP_STATEMENTS = (
    "UPDATE events SET match_id = -1 WHERE match_id = 1",
    "UPDATE events SET match_id = 1 WHERE match_id = 2",
    "UPDATE events SET match_id = 2 WHERE match_id = -1",
)
SEQUENCE_SQL = "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n LIMIT {}) "

CONTENT: dict[str, tuple[str, ...]] = {
    "a trigger": ("trigger 'spy' is not", "CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM results; END"),
    "a view": ("the view 'spy' is not ours", "CREATE VIEW spy AS SELECT secret FROM matches"),
    "a table": ("the table 'spy' is not ours", "CREATE TABLE spy (a)"),
    "a virtual table": ("is not ours", "CREATE VIRTUAL TABLE spy USING fts5(a)"),
    "an index that computes": ("the index 'spy' is not ours", "CREATE INDEX spy ON events (length(body))"),
    "a column": ("the table 'people' is not ours", "ALTER TABLE people ADD COLUMN spy TEXT"),
    "a column that computes": (
        "the table 'pulses' is not ours",
        *build_schema_change("at BIGINT", "later INT AS (hex(zeroblob(1000000))), at BIGINT"),
    ),
    "a condition": (
        "the table 'pulses' is not ours",
        *build_schema_change("at BIGINT", "at BIGINT CHECK (abs(at) > 0)"),
    ),
    "a table less": ("the table 'pulses' is missing", "DROP TABLE pulses"),
    "an index less": ("the index 'ix_seats_user' is missing", "DROP INDEX ix_seats_user"),
    "a view for the version": (
        "does not name its version",
        "DROP TABLE alembic_version",
        "CREATE VIEW alembic_version AS SELECT '0001' AS version_num",
    ),
    "a version to come": ("by a newer version of Boneyard", "UPDATE alembic_version SET version_num = '9999'"),
    "no version": ("does not name its version", "DELETE FROM alembic_version"),
    # Contradictions between the tables.
    "an end cut off": (
        "match 2: its log has ",
        "DELETE FROM events WHERE match_id = 2 AND seq = (SELECT max(seq) FROM events WHERE match_id = 2)",
    ),
    "the log of another": ("match 1: its log", *SWAP_STATEMENTS),
    "the log of other deals": ("belongs to other deals", "UPDATE matches SET secret = zeroblob(32) WHERE match_id = 2"),
    "other people": ("belongs to another table", "UPDATE seats SET user_id = 4711 WHERE match_id = 1 AND seat = 0"),
    "another game": ("belongs to another table", "UPDATE matches SET game = 'muggins' WHERE match_id = 1"),
    "an end that was not": (
        "it is done, and its log says open",
        "UPDATE matches SET due_at = NULL, due_kind = NULL, turn_seat = NULL, turn_user = NULL WHERE match_id = 1",
        "UPDATE matches SET state = 'done' WHERE match_id = 1",
    ),
    "a quarantine that was not": (
        "match 1: it is open, although it is in quarantine",
        "INSERT INTO aside (match_id, state, seq, why, since) VALUES (1, 'open', 4, 'damaged', 1)",
        "UPDATE events SET body = '{' WHERE match_id = 1 AND seq = 4",
    ),
    # Values without a limit.
    "a number that is none": (
        "seats.user_id holds what is no integer",
        "UPDATE seats SET user_id = 'Ada' WHERE match_id = 1 AND seat = 0",
    ),
    "a value": (
        "too big",
        f"UPDATE events SET body = CAST(zeroblob({inspection.MAX_VALUE_BYTES + 1}) AS TEXT) WHERE seq = 2",
    ),
    "a log": (
        "the log of match 1 has no end",
        SEQUENCE_SQL.format(inspection.MAX_EVENTS)
        + "INSERT INTO events (match_id, seq, kind, body, at) SELECT 1, i, 'rearmed', '{}', 1 FROM n",
    ),
}
"""What makes a backup invalid: the reason given for it, and the statements."""

UNREADABLE: dict[str, tuple[Sequence[int], str, *tuple[str, ...]]] = {
    "a hole": ([1], "event 0", "DELETE FROM events WHERE match_id = 1 AND seq = 5"),
    "no text": ([1], "event 4", "UPDATE events SET body = '{' WHERE match_id = 1 AND seq = 4"),
    "an unknown kind": ([1], "event 4", "UPDATE events SET kind = 'wins' WHERE match_id = 1 AND seq = 4"),
    "a compressed log without end": (
        [1],
        "event 0",
        "DELETE FROM events WHERE match_id = 1 AND seq = 1",
        f"INSERT INTO archives VALUES (1, x'{zlib.compress(bytes(MAX_LOG_BYTES + 1)).hex()}')",
    ),
    "another kind": ([1], "event 4", "UPDATE events SET kind = 'placed' WHERE match_id = 1 AND seq = 4"),
    "a text without end": (
        [1],
        "event 4",
        f"UPDATE events SET body = '{'[' * 200_000}' WHERE match_id = 1 AND seq = 4",
    ),
    "twice the same tile": (
        [1],
        "event 0",
        "UPDATE events SET body = (SELECT body FROM events WHERE kind = 'placed' AND match_id = 1 LIMIT 1) "
        "WHERE kind = 'placed' AND match_id = 1",
    ),
    "a text that is none": ([3, 2, 1], "event 1", "UPDATE events SET body = zeroblob(9)"),
    "no first event": ([3, 2, 1], "event 0", "DELETE FROM events WHERE seq = 1"),
}
"""What makes logs unreadable: the matches, newest first, their unreadable event, and the statements."""


@pytest.mark.parametrize("name", CONTENT)
def test_backup_with_foreign_content_is_refused(database: Path, gift: Path, name: str) -> None:
    why, *statements = CONTENT[name]
    run_statements(gift, *statements)
    refusal = read_refusal(database, gift)
    assert why in refusal
    assert any(
        way in refusal
        for way in ("another backup.", "restore a backup", "update the program", "`boneyard backup`", "too big")
    )


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_matches_of_backup_are_quarantined_and_others_continue(
    database: Path, gift: Path, name: str
) -> None:
    numbers, event, *statements = UNREADABLE[name]
    run_statements(gift, *statements)
    status, output = run_boneyard("restore", gift)
    assert status == 0, output
    lines = [line for line in output.splitlines() if "quarantine" in line]
    assert lines == [
        f"match {number} is in quarantine: {event} of its log can't be read (damaged). An earlier backup may have the "
        "whole match."
        for number in numbers
    ]
    asyncio.run(_check_quarantine(database, numbers))


async def _check_quarantine(database: Path, numbers: Sequence[int]) -> None:
    """Check that nobody can play on, win or lose in these matches, and that all others continue."""
    async with open_store(f"sqlite:///{database}") as store:
        assert [one.match_id for one in await store.quarantine.list_quarantined()] == list(numbers)
        assert await check_logs(store) == {}
        timed_table = TimedTable(store, START, count(10_000))
        for number in range(1, MATCHES + 1):
            head = await store.matches.find_head(number)
            if number in numbers:
                assert (head.state, head.turn, head.due) == ("void", None, None)
                with pytest.raises(RefusalError) as raised:
                    await timed_table.load_table(number)
                assert raised.value.why is Refusal.SET_ASIDE
            elif number == LOBBY:
                assert (
                    await timed_table.interact(await timed_table.load_table(number), Join(GRACE))
                ).head.seq > head.seq
            else:
                assert (await timed_table.play_turn(number)).head.seq > head.seq
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM results").fetchone() == (0,)


def test_every_contradiction_in_backup_is_reported_with_match_number(database: Path, gift: Path) -> None:
    run_statements(gift, "UPDATE matches SET game = 'muggins'")
    refusal = read_refusal(database, gift)
    assert all(f"match {number}: " in refusal for number in range(1, MATCHES + 1))
    assert refusal.endswith("Try another backup.")


def write_empty_pages(file: Path, _: bytes) -> None:
    with file.open("wb") as opened:
        opened.truncate(inspection.MAX_BYTES + 1)


def write_page_cycle(file: Path, _: bytes) -> None:
    size, depth, pointers = 1024, 18, 100
    header = b"SQLite format 3\x00" + struct.pack(">HBBBBBB", size, 1, 1, 0, 64, 32, 32)
    header += struct.pack(">IIIIIIIIIIII", 1, depth + 1, 0, 0, 1, 4, 0, 0, 1, 0, 0, 0) + bytes(20)
    header += struct.pack(">II", 1, 3_040_001)
    pages = []
    for number in range(1, depth + 1):
        start = 100 if number == 1 else 0
        cell = size - 5
        page = bytearray(size)
        page[:start] = header[:start]
        page[start : start + 12] = struct.pack(">BHHHBI", 5, 0, pointers, cell, 0, number + 1)
        page[start + 12 : start + 12 + 2 * pointers] = struct.pack(">H", cell) * pointers
        page[cell : cell + 5] = struct.pack(">IB", number + 1, 1)
        pages.append(bytes(page))
    text = b"create table if not exists ab(a)"
    row = bytes([6, 23, 17, 17, 1, 13 + 2 * len(text)]) + b"table" + b"ab" + b"ab" + b"\x02" + text
    row = bytes([len(row), 1, *row])
    leaf = bytearray(size)
    leaf[:8] = struct.pack(">BHHHB", 13, 0, 1, size - len(row), 0)
    leaf[8:10] = struct.pack(">H", size - len(row))
    leaf[size - len(row) :] = row
    file.write_bytes(b"".join([*pages, bytes(leaf)]))


REPLACEMENTS: dict[str, tuple[str, ReplaceFile]] = {
    "half a file": ("damaged", lambda file, data: file.write_bytes(data[: len(data) // 2])),
    "noise": ("file is not a database", lambda file, _: file.write_bytes(bytes(range(256)) * 400)),
    "another database": (
        "is no database of Boneyard",
        lambda file, _: run_statements(file, "CREATE TABLE moz_places (url)"),
    ),
    "a pipe": ("is no regular file", lambda file, _: os.mkfifo(file)),
    "a link to zeros": ("is no regular file", lambda file, _: file.symlink_to("/dev/zero")),
    "a folder": ("is no regular file", lambda file, _: file.mkdir()),
    "a file beyond the limit": ("is larger than any database of Boneyard", write_empty_pages),
    "an overwritten half": (
        "damaged",
        lambda file, data: file.write_bytes(data[: len(data) // 2] + b"\xff" * (len(data) // 2)),
    ),
    "a cycle of pages": ("its pages have no end", write_page_cycle),
}
"""Files in place of a backup: how each is written, and the expected reason."""


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_file_that_is_no_backup_is_refused_quickly(database: Path, gift: Path, name: str) -> None:
    why, write_replacement = REPLACEMENTS[name]
    data = gift.read_bytes()
    gift.unlink()
    write_replacement(gift, data)
    assert why in read_refusal(database, gift)


def test_restore_work_is_bounded_by_file_size(gift: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "MIN_STEPS", 0)
    assert inspection.check_untrusted(gift).matches == MATCHES
    monkeypatch.setattr(inspection, "STEPS_PER_BYTE", 0)
    monkeypatch.setattr(inspection, "STEPS_PER_CHECK", 1)
    with pytest.raises(CopyError, match="have no end"):
        inspection.check_untrusted(gift)


def test_valid_backup_is_restored_and_matches_continue(database: Path, gift: Path) -> None:
    run_statements(gift, "ANALYZE")
    assert run_boneyard("restore", gift)[0] == 0

    async def move() -> int:
        async with open_store(f"sqlite:///{database}") as store:
            timed_table = TimedTable(store, START, count(10_000))
            table = await timed_table.play_turn(1)
        return table.head.seq

    before = asyncio.run(_load_seq(gift))
    assert asyncio.run(move()) > before


async def _load_seq(file: Path) -> int:
    async with open_store(f"sqlite:///{file}") as store:
        return (await store.matches.find_head(1)).seq


def test_corrupted_backup_is_refused_in_one_line_or_restored_with_unreadable_matches_named(
    database: Path, tmp_path: Path, sound: bytes
) -> None:
    rng = random.Random(11)
    file, original = tmp_path / "gift.db", tmp_path / "there.db"
    original.write_bytes(database.read_bytes())
    complete = 0
    for _ in range(scale_count(40)):
        data = bytearray(sound)
        match rng.randrange(4):
            case 0:
                for _ in range(rng.randint(1, 20)):
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 1:
                start, length = rng.randrange(len(data)), rng.randint(1, 200)
                data[start : start + length] = rng.randbytes(len(data[start : start + length]))
            case 2:
                one, other = (PAGE * rng.randrange(len(data) // PAGE) for _ in range(2))
                data[one : one + PAGE], data[other : other + PAGE] = (
                    data[other : other + PAGE],
                    data[one : one + PAGE],
                )
            case 3:
                data = data[: rng.randrange(len(data))]
        file.write_bytes(data)
        status, output = run_boneyard("restore", file)
        assert "Traceback" not in output
        if status:
            assert output.count("\n") == 1, output
            assert [one.name for one in database.parent.iterdir()] == [database.name], output
            assert database.read_bytes() == original.read_bytes(), output
            continue
        named = {int(number) for number in re.findall(r"^match (\d+) is ", output, re.MULTILINE)}
        assert asyncio.run(_list_unreadable(database)) == named, output
        complete += not named
        for one in database.parent.iterdir():
            one.unlink()
        database.write_bytes(original.read_bytes())
    assert complete < scale_count(40) // 2


async def _list_unreadable(file: Path) -> set[int]:
    """Return the matches whose log cannot be replayed; all are in quarantine."""
    async with open_store(f"sqlite:///{file}") as store:
        assert await check_logs(store) == {}
        numbers, unreadable = await store.matches.list_match_ids(PAGE), set()
        for number in numbers:
            try:
                replay((await store.matches.load(number)).log)
            except Exception:
                unreadable.add(number)
        assert unreadable == await store.quarantine.list_match_ids()
        return unreadable


async def test_bot_does_not_trust_database_schema(tmp_path: Path) -> None:
    engine = make_engine(parse_url(f"sqlite:///{tmp_path / 'boneyard.db'}"))
    async with engine.connect() as connection:
        assert (await connection.exec_driver_sql("PRAGMA trusted_schema")).scalar_one() == 0
    await engine.dispose()
