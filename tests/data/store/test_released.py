"""The databases of released versions can be opened, and show what their version showed.

`released/README.md` says what is in them. From version 1.0 on the database of every release is kept.
"""

import json
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bot.operating.doctor import check_logs, open_store
from data.store.connection.engines import make_engine, parse_url
from data.store.connection.faults import REMEDIES, DatabaseFault
from data.store.connection.migrate import build_schema, get_newest_revision
from data.store.connection.privacy_key import KEY_VARIABLE
from data.store.connection.store_errors import StoreUnavailable
from data.store.operations.inspection import check_untrusted
from data.store.store import Store
from tests.data.store.later_schema import LATER_REVISION, use_later_schema
from tests.data.store.migrator import Migrator
from tests.data.store.released.database import KEY, read_contents, read_expected, read_script, write_released
from tests.data.store.released.reading import read_everything
from tests.data.store.server import BOTH_DATABASES
from tests.depth import sample_cases


@pytest.fixture
def template_name() -> None:
    """On a server, a released database is written into an empty one."""


@pytest.fixture
async def released(url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    await write_released(url)
    return url


@pytest.fixture
async def store(released: str) -> AsyncIterator[Store]:
    store = await Store.open(released)
    yield store
    await store.close()


async def test_database_of_version_0_1_opens_unchanged(released: str):
    before = await read_rows(released)
    await (await Store.open(released)).close()
    assert await read_rows(released) == before


@BOTH_DATABASES
async def test_database_shows_what_its_version_showed(store: Store):
    assert await read_shown(store) == read_expected()["shown"]


async def test_every_match_replays_to_its_head(store: Store):
    assert await check_logs(store) == {}


async def test_recounted_leaderboards_equal_those_of_its_version(released: str, store: Store):
    tables = ("standings", "recents", "bests")
    before = await read_rows(released)
    assert await store.results.rebuild_standings() > 10
    after = await read_rows(released)
    assert [name for name in before if name.split()[0] in tables and before[name] != after[name]] == []


async def test_database_file_of_version_0_1_can_be_restored(file: Path):
    await write_released(f"sqlite:///{file}")
    assert check_untrusted(file).revision == get_newest_revision()


def test_migrations_make_schema_of_version_0_1():
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(read_script("0.1"))
        definitions = base.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    assert {normalize_definition(row) for row in definitions} == {
        normalize_definition(row) for row in build_schema("0030")
    }


def normalize_definition(row: tuple[Any, ...]) -> tuple[str, ...]:
    """Return a definition without spaces and quotes."""
    return tuple("".join(str(part).replace('"', "").split()) for part in row)


@pytest.mark.parametrize("revision", ["0005", "0029"])
async def test_database_before_1_0_is_refused_with_advice(released: str, revision: str):
    await set_revision(released, revision)
    for is_claimed in (True, False):
        with pytest.raises(StoreUnavailable) as refused:
            await Store.open(released, claimed=is_claimed)
        assert not refused.value.is_transient
        assert f"{REMEDIES[DatabaseFault.OLDER]} ({revision})" in str(refused.value)


async def test_upgraded_database_shows_what_its_version_showed(released: str, tmp_path: Path):
    with use_later_schema(tmp_path):
        async with open_store(released) as store:
            assert await read_shown(store) == read_expected()["shown"]
    assert await read_revision(released) == LATER_REVISION


@pytest.mark.deep
async def test_upgrade_that_was_killed_starts_again_from_beginning(
    released: str, fresh: Callable[[], Any], tmp_path: Path
):
    complete_url = await fresh()
    await write_released(complete_url)
    with use_later_schema(tmp_path) as migrations, Migrator(migrations) as migrator:
        status, steps = migrator.migrate(complete_url)
        assert status == 0
        assert steps is not None
        assert steps > 10
        original, upgraded = await read_rows(released), await read_rows(complete_url)
        for last in sample_cases(tuple(range(2, steps))):
            assert migrator.migrate(released, last) == (-signal.SIGKILL, None)
            assert await read_revision(released) == "0030", f"killed at {last} of {steps}"
            assert await read_rows(released) == original, f"killed at {last} of {steps}"
        assert migrator.migrate(released)[0] == 0
        assert await read_rows(released) == upgraded


async def read_shown(store: Store) -> Any:
    found = read_expected()
    current = await read_everything(store, found["now"], requests=found["requests"], user_ids=found["held"])
    return json.loads(json.dumps(current))


async def read_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    engine = make_engine(parse_url(url))
    found = await read_contents(engine)
    await engine.dispose()
    return found


async def set_revision(url: str, revision: str) -> None:
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    await engine.dispose()


async def read_revision(url: str) -> str:
    found = await read_rows(url)
    return str(found["alembic_version version_num"][0][0])
