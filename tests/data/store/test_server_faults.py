"""A PostgreSQL server breaks connections, hangs, or is read-only."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from data.store.connection import transactions
from data.store.connection.engines import parse_url
from data.store.connection.faults import DatabaseFault, DatabaseUnavailable
from data.store.connection.store_errors import RepeatedRequest
from data.store.log import heads
from data.store.log.match_values import Head
from data.store.store import Store
from tests.data.store.proxy import Proxy, open_proxy
from tests.data.store.scene import ADA, add_match, commit_change
from tests.data.store.server import NEEDS_POSTGRES, open_new_database

pytestmark = [NEEDS_POSTGRES, pytest.mark.deep]


@pytest.fixture
async def direct() -> AsyncIterator[str]:
    async with open_new_database() as database:
        yield database


@pytest.fixture
async def proxied_server(direct: str) -> AsyncIterator[tuple[Proxy, str]]:
    async with open_proxy(direct) as found:
        yield found


@pytest.fixture
def proxy(proxied_server: tuple[Proxy, str]) -> Proxy:
    return proxied_server[0]


@pytest.fixture
async def store(proxied_server: tuple[Proxy, str]) -> AsyncIterator[Store]:
    store = await Store.open(proxied_server[1])
    yield store
    await store.close(within=5)


async def test_commit_is_retried_when_connection_breaks_before_it(store: Store, head: Head, proxy: Proxy):
    for request in range(1, 6):
        proxy.cut_before = b"COMMIT;"
        head = await commit_change(store, head, request=request)
        assert proxy.cut_before is None, "it was cut"
    assert head.seq == 6
    assert store.fault is None


async def test_commit_is_not_repeated_when_connection_breaks_after_it(store: Store, head: Head, proxy: Proxy):
    proxy.cut_after = b"COMMIT;"
    with pytest.raises(RepeatedRequest) as done:
        await commit_change(store, head, request=7)
    assert (done.value.match_id, done.value.seq) == (head.match_id, 2)
    assert proxy.cut_after is None
    assert (await store.matches.find_head(head.match_id)).seq == 2  # type: ignore[union-attr]


async def test_read_is_retried_after_connection_breaks(store: Store, head: Head, proxy: Proxy):
    for _ in range(3):
        proxy.close_connections()
        assert await store.matches.find_head(head.match_id) == head


async def test_hanging_server_times_out_and_recovers(
    store: Store, head: Head, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(transactions.Transactions.write, "__kwdefaults__", {"limit": 1.0})
    monkeypatch.setattr(transactions, "LIMIT", 1.0)
    proxy.hang()
    find_head = partial(heads.find_head, match_id=head.match_id)
    reads = [store.transactions.read(find_head, limit=1.0) for _ in range(20)]
    results = await asyncio.gather(*reads, return_exceptions=True)
    assert all(isinstance(one, DatabaseUnavailable) and one.fault is DatabaseFault.SILENT for one in results)
    proxy.resume()
    async with asyncio.timeout(300):
        while True:
            try:
                assert (await commit_change(store, head)).seq == 2
                break
            except DatabaseUnavailable:
                continue
    assert store.fault is None
    assert [record.name for record in caplog.records if "does not answer" in record.getMessage()] == [
        "data.store.connection.faults"
    ]


async def test_bot_shutdown_does_not_wait_for_hanging_server(store: Store, head: Head, proxy: Proxy):
    proxy.hang()
    requests = [commit_change(store, head), store.matches.find_head(head.match_id), store.users.load_person(ADA)]
    store.set_deadline(0.5)
    results = await asyncio.gather(*requests, return_exceptions=True)
    assert [isinstance(one, DatabaseUnavailable) and not one.may_have_committed for one in results] == [True] * 3
    later = await asyncio.gather(store.users.load_person(ADA), return_exceptions=True)
    assert isinstance(later[0], DatabaseUnavailable)
    await store.close(within=1)


async def test_read_only_server_is_reported(direct: str):
    store = await Store.open(direct)
    head = await add_match(store)
    name = direct.rsplit("/", 1)[1]
    await store.transactions.write(
        lambda connection: connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    )
    await store.close()
    reader = Store(create_async_engine(parse_url(direct)))
    with pytest.raises(DatabaseUnavailable) as raised:
        await commit_change(reader, head)
    assert (raised.value.fault, raised.value.may_have_committed) == (DatabaseFault.READ_ONLY, False)
    assert await reader.matches.find_head(head.match_id) == head
    assert reader.fault is DatabaseFault.READ_ONLY
    await reader.close()


async def test_lost_server_is_reported_after_retries(
    store: Store, head: Head, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(transactions, "SERVER_WAIT", 0.5)
    proxy.server = "127.0.0.1", 1
    proxy.close_connections()
    with pytest.raises(DatabaseUnavailable) as raised:
        await commit_change(store, head)
    assert (raised.value.fault, raised.value.may_have_committed) == (DatabaseFault.LOST, False)
