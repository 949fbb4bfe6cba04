"""An attacker with the database file searches for the id of a deleted user."""

import asyncio
import hashlib
import hmac
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from bot import __main__
from bot.core.privacy import Privacy
from bot.operating.doctor import open_store
from data.store.connection.privacy_key import KEY_VARIABLE, build_key_path, load_key
from engine.table.preferences import Preferences
from engine.table.table_events import Asked, Paused, Replaced
from engine.table.table_posts import Post
from engine.table.table_state import Turn
from tests.bot.use_cases import UseCases
from tests.data.store.empty import prepare_database
from tests.data.store.released.database import write_released
from tests.data.store.scene import (
    GUILD,
    NOW,
    add_finished_match,
    build_new_match,
    build_result,
    build_seat,
    commit_change,
)
from tests.depth import sample_cases, scale_count

PEOPLE, DELETED, TABLES = 40, 12, scale_count(75)


@pytest.fixture(params=["off", "on"])
def built(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def connect(*given: object, _connect: object = sqlite3.dbapi2.connect, **named: object) -> sqlite3.Connection:
        connection = _connect(*given, **named)  # type: ignore[operator]
        connection.execute(f"PRAGMA secure_delete = {request.param}")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect)
    monkeypatch.setattr(sqlite3.dbapi2, "connect", connect)
    return str(request.param)


def encode_varint(number: int) -> bytes:
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(0x80 | (number & 0x7F))
    return bytes(reversed(digits))


def count_copies(file: Path, ids: list[int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in file.parent.glob(f"{file.name}*"):
        data = path.read_bytes()
        for number in ids:
            for how, form in (
                ("digits", str(number).encode()),
                ("number", number.to_bytes(8, "big")),
                ("key", encode_varint(number)),
            ):
                found[f"{path.name} {how}"] += data.count(form)
    return +found


_cache: dict[bool, tuple[list[int], bytes, bytes]] = {}


async def fill_database(url: str, *, finished_only: bool = False) -> list[int]:
    file = Path(url.removeprefix("sqlite:///"))
    if finished_only not in _cache:
        people = await play_matches(url, Random(3), finished_only=finished_only)
        _cache[finished_only] = people, *_read_files(file)
    _write_files(file, *_cache[finished_only][1:])
    return _cache[finished_only][0]


def _read_files(file: Path) -> tuple[bytes, bytes]:
    return file.read_bytes(), build_key_path(file).read_bytes()


def _write_files(file: Path, database: bytes, key: bytes) -> None:
    file.write_bytes(database)
    build_key_path(file).write_bytes(key)


async def play_matches(url: str, rng: Random, *, finished_only: bool) -> list[int]:
    await write_released(url)
    load_key(Path(url.removeprefix("sqlite:///")))
    async with open_store(url) as store:
        people = [rng.randrange(10**17, 2**60) for _ in range(PEOPLE)]
        for number in range(TABLES):
            ada, grace, linus = rng.sample(people, 3)
            await store.users.set_person(ada, quick=True, preferences=Preferences(zone="Europe/Berlin"), now=NOW)
            guild = rng.randrange(1, 20)
            await add_finished_match(
                store, build_result((ada, 400), (grace, 300), (linus, 200)), now=NOW + number, guild_id=guild
            )
            await store.guilds.set_guild(GUILD + number % 5, {"asked": [ada], "channels": [5]}, now=NOW)
            if finished_only:
                continue
            seats = [build_seat(0, grace), build_seat(1, ada)]
            turn = Turn(seat=1, user=ada)
            opened = build_new_match(channel_id=1000 + number, host_id=ada, state="open", seats=seats, turn=turn)
            head = await store.matches.create(opened, now=NOW, request=rng.randrange(10**17, 2**60))
            posts = [Post(kind="remind", body={"user": ada, "asked": {str(ada): 1, "all": [str(grace)]}})]
            events = [Paused(ada, "tea"), Asked("substitute", 0, 2, NOW + 9, person=ada), Replaced(1, linus)]
            head = await commit_change(store, head, events=events, outbox=posts, now=NOW + 1)
            await commit_change(store, head, state="void", now=NOW + 2)
    return people


async def test_deleted_user_id_is_absent_from_all_database_bytes(tmp_path: Path, built: str) -> None:
    file = tmp_path / "boneyard.db"
    people = await fill_database(f"sqlite:///{file}")
    deleted, remaining = people[:DELETED], people[DELETED:]
    async with open_store(f"sqlite:///{file}") as store:
        use_cases = UseCases(store, time=NOW + 10)
        before = count_copies(file, deleted)
        assert {"digits", "number"} <= {name.split()[1] for name in before}, "they were everywhere"
        privacy = Privacy(store, use_cases.acts, lambda: use_cases.time)
        for user_id in deleted:
            await privacy.delete(user_id)
            assert count_copies(file, [user_id]) == {}
        assert count_copies(file, deleted) == {}
        assert len(count_copies(file, remaining)) > 1, "nobody else is gone"
    assert count_copies(file, deleted) == {}


async def test_pending_overwrite_is_completed_at_next_start(
    tmp_path: Path, built: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "boneyard.db"
    url = f"sqlite:///{file}"
    deleted = (await fill_database(url))[:DELETED]
    async with open_store(url) as store:
        for user_id in deleted:
            left = [head.match_id for head in await store.matches.list_heads_of_user(user_id)]
            assert await store.erasure.erase_user(user_id, left_match_ids=left, now=NOW + 10)
        copies_before = sum(count_copies(file, deleted).values())
        assert not await store.scrub(max_bytes=1), "the file is too large to be written anew while it is played"
        assert sum(count_copies(file, deleted).values()) * 1000 < copies_before, (
            "all but what pages that were split have between rows"
        )
        # as after a kill: the WAL file is not merged
        log = file.with_name("boneyard.db-wal").read_bytes()
        assert count_copies(file, deleted), "there is something to be found"
    file.with_name("boneyard.db-wal").write_bytes(log)
    async with open_store(url) as again:
        assert count_copies(file, deleted) == {}
        assert await again.scrub(max_bytes=1), "nothing is left to be done"


async def test_overwrite_waits_for_active_reader(tmp_path: Path) -> None:
    file = tmp_path / "boneyard.db"
    url = f"sqlite:///{file}"
    (deleted, *_) = await fill_database(url)
    async with open_store(url) as store:
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM matches").fetchone()
            left = [head.match_id for head in await store.matches.list_heads_of_user(deleted)]
            assert await store.erasure.erase_user(deleted, left_match_ids=left, now=NOW + 10)
            assert not await store.scrub()
            reader.execute("COMMIT")
        assert await store.scrub()
        assert count_copies(file, [deleted]) == {}


async def test_data_export_contains_no_other_user_ids(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/boneyard.db"
    people = await fill_database(url)
    async with open_store(url) as store:
        with closing(sqlite3.connect(tmp_path / "boneyard.db")) as connection:
            interaction_ids = {
                str(number)
                for (number,) in connection.execute("SELECT interaction_id FROM requests WHERE interaction_id > 9e15")
            }
            known = {
                str(number) for (number,) in connection.execute("SELECT user_id FROM participants WHERE user_id > 9e15")
            }
            secrets = {secret.hex() for (secret,) in connection.execute("SELECT secret FROM matches")}
            stored_marks = read_marks(tmp_path / "boneyard.db")
        for user_id in sample_cases(people):
            export = json.dumps(await store.erasure.export_user(user_id))
            assert str(user_id) in export
            words = set(re.findall(r"\w+", export))
            assert len(interaction_ids) >= TABLES
            assert words & (interaction_ids | secrets | stored_marks) == set()
            assert words & ((known | {str(other) for other in people}) - {str(user_id)}) == set()


def run_boneyard(file: Path, *arguments: object) -> str:
    result = CliRunner().invoke(
        __main__.app, [*map(str, arguments)], env={"BONEYARD_DATABASE_URL": f"sqlite:///{file}"}
    )
    assert result.exit_code == 0, result.output
    return result.output


def read_marks(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as connection:
        return {mark for (mark,) in connection.execute("SELECT mark FROM forgotten")}


def compute_possible_marks(candidates: list[int], *keys: bytes) -> set[str]:
    digests = [hashlib.sha256(f"boneyard forgot {number}".encode()) for number in candidates]
    marks = {one.hexdigest() for one in digests}
    for key in keys:
        marks |= {hmac.new(key, one.digest(), hashlib.sha256).hexdigest() for one in digests}
    return marks


def test_deleted_id_is_keyed_in_backup_and_deleted_after_restore(tmp_path: Path) -> None:
    file, older, newer = tmp_path / "boneyard.db", tmp_path / "older.db", tmp_path / "newer.db"

    async def play() -> list[int]:
        return await fill_database(f"sqlite:///{file}", finished_only=True)

    async def delete(user_id: int) -> None:
        async with open_store(f"sqlite:///{file}") as store:
            use_cases = UseCases(store, time=NOW + 10)
            await Privacy(store, use_cases.acts, lambda: use_cases.time).delete(user_id)

    people = asyncio.run(play())
    marks_before = read_marks(file)
    assert marks_before
    run_boneyard(file, "backup", older)
    asyncio.run(delete(people[0]))
    assert len(read_marks(file) - marks_before) == 1
    run_boneyard(file, "backup", newer)
    key = build_key_path(file).read_text(encoding="ascii")
    assert key.encode() not in newer.read_bytes() + file.read_bytes(), "the key is elsewhere"
    assert bytes.fromhex(key) not in newer.read_bytes() + file.read_bytes()
    possible_marks = compute_possible_marks(
        [*people, *range(people[0] - 500, people[0] + 500)], b"", bytes(32), newer.read_bytes()[:32]
    )
    assert read_marks(newer) & possible_marks == set()
    assert "after the backup: 1." in run_boneyard(file, "restore", older)
    assert count_copies(file, people[:1]) == {}
    assert read_marks(file) == read_marks(newer)


def test_databases_have_different_keys_and_given_key_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = []
    for name in ("one", "two"):
        asyncio.run(_erase_user(f"sqlite:///{tmp_path / name}"))
        keys.append(build_key_path(tmp_path / name).read_text(encoding="ascii"))
        assert build_key_path(tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert len(set(keys)) == 2
    monkeypatch.setenv(KEY_VARIABLE, "correct horse battery staple")
    asyncio.run(_erase_user(f"sqlite:///{tmp_path / 'three'}"))
    assert read_marks(tmp_path / "three")
    assert not build_key_path(tmp_path / "three").exists()


async def _erase_user(url: str) -> None:
    async with open_store(await prepare_database(url)) as store:
        await store.erasure.erase_user(7, left_match_ids=[], now=NOW)
