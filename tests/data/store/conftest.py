"""Each test that uses `url` runs on a new SQLite file and, in the deep tier and with a server, on PostgreSQL too."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from pkgutil import resolve_name

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from data.store.connection.open_database import open_engine
from data.store.log.match_values import Head
from data.store.store import Store
from tests.data.store.empty import prepare_database
from tests.data.store.scene import add_match
from tests.data.store.server import NEEDS_POSTGRES, open_new_database, open_template_database
from tests.data.store.statements import Sql
from tests.postgres.supported_sql import assert_portable_sql

MIGRATED_FIXTURES = {"store", "engine"}
"""The fixtures that open the database before a test begins."""


@pytest.fixture(scope="session")
def template_database() -> Iterator[str]:
    """The name of the migrated database on the server, which is copied."""
    with open_template_database() as name:
        yield name


@pytest.fixture
def template_name(request: pytest.FixtureRequest) -> str | None:
    """The database to copy for a new one on the server: the migrated one if the test uses a fixture that opens it."""
    is_on_server = request.node.callspec.params.get("url") == "postgresql"
    is_migrated = not MIGRATED_FIXTURES.isdisjoint(request.fixturenames)
    return request.getfixturevalue("template_database") if is_on_server and is_migrated else None


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[NEEDS_POSTGRES, pytest.mark.deep])])
async def url(request: pytest.FixtureRequest, tmp_path: Path, template_name: str | None) -> AsyncIterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/boneyard.db"
        return
    async with open_new_database(template_name) as database:
        with assert_portable_sql():
            yield database


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of an SQLite database."""
    return tmp_path / "boneyard.db"


@pytest.fixture
async def fresh(url: str, tmp_path: Path) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """Create another empty database of the same kind."""
    async with AsyncExitStack() as databases:
        numbers = count(1)

        async def make() -> str:
            if url.startswith("sqlite"):
                return f"sqlite:///{tmp_path}/further-{next(numbers)}.db"
            return await databases.enter_async_context(open_new_database())

        yield make


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    store = await Store.open(await prepare_database(url))
    yield store
    await store.close()


@pytest.fixture
async def other(url: str, store: Store) -> AsyncIterator[Store]:
    """A second store on the same database, like that of a second process."""
    other = await Store.open(url)
    yield other
    await other.close()


@pytest.fixture
async def head(store: Store) -> Head:
    """A table that Ada has opened."""
    return await add_match(store)


def make_store_fixture(name: str) -> Callable[..., object]:
    """Return a fixture that creates the store of a feature. The feature is imported only then, because the core works
    without it.
    """
    return pytest.fixture(lambda store: resolve_name(name)(store.transactions))


histories = make_store_fixture("data.store.history.store:HistoryStore")
profiles = make_store_fixture("data.store.profiles.store:ProfileStore")
puzzles = make_store_fixture("data.store.puzzles.store:PuzzleStore")
reviews = make_store_fixture("data.store.reviews.store:ReviewStore")
seasons = make_store_fixture("data.store.leagues.store:SeasonStore")
solo = make_store_fixture("data.store.solo.store:SoloStore")


@pytest.fixture
async def engine(url: str) -> AsyncIterator[AsyncEngine]:
    """The engine of a migrated database, for access without the store."""
    engine = await open_engine(await prepare_database(url))
    yield engine
    await engine.dispose()


@pytest.fixture
def sql(engine: AsyncEngine) -> Sql:
    async def run(statement: str, **values: object) -> list[tuple[object, ...]]:
        async with engine.begin() as connection:
            rows = await connection.execute(text(statement), values)
            return [tuple(row) for row in rows] if rows.returns_rows else []

    return run
