"""A server dies, hangs or becomes read-only, and the bot switches to another one."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from bot.operating.doctor import open_store
from bot.tables.service import TableCache
from data.store.connection import postgres
from data.store.connection.engines import parse_url, without_password
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.store_errors import RepeatedRequest, StaleVersion, StoreUnavailable
from data.store.log.match_values import Head
from data.store.store import Store
from engine.table.table_events import Joined
from tests.data.store.scene import ADA, GRACE, LINUS, NOW, add_match, build_change, build_seat, commit_change
from tests.postgres.servers import Server, ServerPair, find_free_port, run_server, run_server_pair

T = TypeVar("T")
RECOVERY_TIMEOUT = 120.0  # Seconds within which the bot recovers
TURNS = 2
ADA_SEAT = build_seat(0, ADA)


@pytest.fixture
def _short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "STATEMENT_TIMEOUT", 2.0)
    monkeypatch.setattr(postgres, "CONNECT_TIMEOUT", 1.0)
    monkeypatch.setattr(postgres, "CONNECT_LIMIT", 1.0)


async def test_acknowledged_actions_survive_primary_failure() -> None:
    async with run_server_pair() as both, open_store(both.build_url("bones")) as store:
        head = await add_match(store)
        for turn in range(TURNS):
            if turn % 2:
                await both.fail_over()
                await _retry_until_available(lambda now_at=head: store.matches.load(now_at.match_id))
                await both.attach_replica()
            request = 100 + turn
            now_at = await _commit_with_retry(store, head, request)
            assert (now_at.seq, await store.matches.find_request(request)) == (
                head.seq + 1,
                (head.match_id, now_at.seq),
            )
            head = now_at
        loaded = await store.matches.load(head.match_id)
        assert (both.failovers, loaded.head.seq, len(loaded.log)) == (TURNS // 2, 1 + TURNS, 1 + TURNS)


@pytest.mark.usefixtures("_short_timeouts")
async def test_hanging_primary_is_replaced_by_replica() -> None:
    async with run_server_pair() as both:
        async with open_store(both.build_url("bones")) as store:
            head = await add_match(store)
            frozen = await _freeze_primary(both)
            now_at = await _commit_with_retry(store, head, 7)
            assert now_at.seq == head.seq + 1
            async with open_store(both.build_url("bones")) as second:
                assert await second.matches.find_head(head.match_id) == now_at
        frozen.thaw()


@pytest.mark.usefixtures("_short_timeouts")
async def test_temporarily_hanging_server_is_reported_and_reconnected() -> None:
    async with run_server() as one, open_store(await one.create_database("bones")) as store:
        head = await add_match(store)
        one.freeze()
        async with asyncio.timeout(RECOVERY_TIMEOUT):
            with pytest.raises(DatabaseUnavailable):
                await store.matches.find_head(head.match_id)
        one.thaw()
        assert (await _commit_with_retry(store, head, 8)).seq == head.seq + 1


async def test_bot_waits_for_server_restart() -> None:
    async with run_server() as one, open_store(await one.create_database("bones")) as store:
        head = await add_match(store)
        await one.stop()
        starting = asyncio.create_task(one.start())
        now_at = await _commit_with_retry(store, head, 9, tries=2)
        assert now_at.seq == head.seq + 1
        await starting


async def test_read_only_server_is_abandoned() -> None:
    async with run_server_pair() as both, open_store(both.build_url("bones")) as store:
        head = await add_match(store)
        await both.detach_replica()
        await both.replica.start()
        await both.primary.run_sql("ALTER SYSTEM SET default_transaction_read_only = on")
        await both.primary.run_sql("SELECT pg_reload_conf()")
        await both.replica.run_sql("SELECT pg_promote()")
        now_at = await _commit_with_retry(store, head, 10)
        assert now_at.seq == head.seq + 1
        found = await both.replica.run_sql("SELECT seq FROM matches", database="bones")
        assert [row["seq"] for row in found] == [now_at.seq]


async def test_data_lost_in_failover_is_removed_from_cache() -> None:
    async with run_server_pair() as both:
        stores = [await Store.open(both.build_url("bones")) for _ in range(2)]
        tables = [TableCache(store) for store in stores]
        head = await add_match(stores[0])
        await both.detach_replica()
        lost = await commit_change(
            stores[0], head, events=[Joined(GRACE)], seats=[ADA_SEAT, build_seat(1, GRACE)], now=NOW + 1
        )
        assert len((await tables[0].load(head.match_id)).seats) == 2
        both.primary.crash()
        await both.primary.stop()
        await both.replica.start()
        await both.replica.run_sql("SELECT pg_promote()")
        assert (await _retry_until_available(lambda: stores[1].matches.find_head(head.match_id))) == head
        instead = build_change(head, events=[Joined(LINUS)], seats=[ADA_SEAT, build_seat(1, LINUS)])
        now_at = await _retry_until_available(lambda: stores[1].matches.commit(instead, now=NOW + 2))
        assert now_at.seq == lost.seq
        for one in tables:
            found = await _retry_until_available(lambda one=one: one.load(head.match_id))
            assert [row.user_id for row in found.seats] == [ADA, LINUS]
        for store in stores:
            await store.close()


@pytest.mark.usefixtures("_short_timeouts")
async def test_unreachable_address_is_skipped() -> None:
    async with run_server() as one:
        await one.create_database("bones")
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"postgresql://boneyard@127.0.0.1:{silent.getsockname()[1]},127.0.0.1:{one.port}/bones"
            async with asyncio.timeout(RECOVERY_TIMEOUT):
                store = await Store.open(url)
            assert (await add_match(store)).seq == 1
            await store.close()


async def test_connection_options_in_url_are_applied() -> None:
    async with run_server() as one:
        url = await one.create_database("bones")
        async with open_store(f"{url}?sslmode=prefer&application_name=triominoes&connect_timeout=20") as store:
            assert (await add_match(store)).seq == 1
            names = await one.run_sql("SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = 'bones'")
            assert [row[0] for row in names] == ["triominoes"]


@pytest.mark.usefixtures("_short_timeouts")
async def test_operator_sees_all_addresses_without_password() -> None:
    ports = find_free_port(), find_free_port()
    url = f"postgresql://ada:secret@127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}/bones"
    with pytest.raises(StoreUnavailable) as raised:
        await Store.open(url)
    assert f"postgresql://ada@127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}/bones cannot be opened" in str(raised.value)
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:pw@one:5432,two/bones?sslmode=require", "postgresql://me@one:5432,two:5432/bones"),
        ("postgresql://one,[::1]:6000/bones", "postgresql://one:5432,[::1]:6000/bones"),
        ("postgresql://me@/bones?host=one:1&host=two:2", "postgresql://me@one:1,two:2/bones"),
        ("postgresql://me:pw@one/bones?target_session_attrs=any", "postgresql://me@one/bones"),
        ("postgres://me:p%2Cw@one/bones", "postgresql://me@one/bones"),
    ],
)
def test_password_is_removed_from_every_address_format(url: str, shown: str) -> None:
    assert without_password(parse_url(url)) == shown


@pytest.mark.parametrize("url", ["postgresql://me@one:x,two/bones", "postgresql://me:secret@one,,two/bones"])
def test_invalid_address_is_refused_without_echo(url: str) -> None:
    with pytest.raises(StoreUnavailable) as raised:
        parse_url(url)
    assert "cannot be read" in str(raised.value)
    assert "secret" not in str(raised.value)


async def _freeze_primary(both: ServerPair) -> Server:
    old = both.primary
    old.freeze()
    both.primary, both.replica = both.replica, both.primary
    await both.primary.run_sql("SELECT pg_promote()")
    return old


async def _commit_with_retry(store: Store, head: Head, request: int, *, tries: int | None = None) -> Head:
    async def act() -> Head:
        try:
            return await commit_change(store, head, request=request)
        except (RepeatedRequest, StaleVersion):
            found = await store.matches.find_head(head.match_id)  # it was done, but the response was lost
            assert found is not None
            return found

    return await _retry_until_available(act, tries)


async def _retry_until_available(action: Callable[[], Awaitable[T]], tries: int | None = None) -> T:
    async with asyncio.timeout(RECOVERY_TIMEOUT):
        while True:
            try:
                return await action()
            except DatabaseUnavailable:
                if tries is not None and (tries := tries - 1) == 0:
                    raise
                await asyncio.sleep(0.05)
