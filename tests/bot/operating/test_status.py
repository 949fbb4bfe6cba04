"""The pages `/healthz` and `/metrics`."""

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from socket import socket
from typing import Any

import aiohttp
import discord
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.operating.status import (
    CACHE_SECONDS,
    CLOCK_TIMEOUT,
    GATEWAY_TIMEOUT,
    POST_TIMEOUT,
    SWEEP_TIMEOUT,
    HealthMonitor,
    StatusAddress,
    serve_status,
)
from data.store.connection.faults import REMEDIES, DatabaseFault
from data.store.store import Store
from tests.bot.local_bot import LocalBot
from tests.bot.tables.log_damage import DAMAGES, clear_cached_tables, execute_statements
from tests.bot.waiting import wait_until
from tests.postgres.servers import find_free_port

SEND = "POST /api/v10/channels"
SHARDS = ("boneyard_gateway_up 0", "boneyard_gateway_up 1")
PATIENCE = 300.0


class StatusPage:
    def __init__(self, address: StatusAddress, monitor: HealthMonitor) -> None:
        self.address, self.monitor = address, monitor
        self.skipped_seconds = 0.0
        monitor.clock = lambda: time.monotonic() + self.skipped_seconds
        monitor.wall = lambda: time.time() + self.skipped_seconds

    async def get(self, path: str, host: str | None = None) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession(headers={} if host is None else {"Host": host}) as session,
            session.get(f"{self.address.url}{path}") as answer,
        ):
            return answer.status, await answer.text()

    async def is_served(self) -> bool:
        try:
            await self.get("/")
        except aiohttp.ClientConnectorError:
            return False
        return True

    async def list_problems(self) -> dict[str, str]:
        status, text = await self.get("/healthz")
        found = dict(re.findall(r"^FIX  (\w+): (.*\n .*)$", text, re.MULTILINE))
        assert status == (503 if found else 200), text
        return found

    async def read_metrics(self) -> dict[str, float]:
        status, text = await self.get("/metrics")
        assert status == 200
        return {
            sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


@asynccontextmanager
async def open_status_page(sim: LocalBot | None) -> AsyncIterator[StatusPage]:
    monitor = HealthMonitor()
    if sim is not None:
        monitor.client, monitor.store = sim.client, sim.store
    address = StatusAddress.parse(str(find_free_port()))
    async with serve_status(address, monitor):
        page = StatusPage(address, monitor)
        await wait_until(page.is_served)
        yield page


@pytest.fixture
async def page(local: LocalBot) -> AsyncIterator[StatusPage]:
    async with open_status_page(local) as found:
        yield found


async def test_metrics_count_actions_without_user_names(local: LocalBot, page: StatusPage) -> None:
    before = await page.read_metrics()
    await local.start_table()
    await local.move()
    assert await page.list_problems() == {}
    after = await page.read_metrics()
    changes = {name: after[name] - before.get(name, 0) for name in after}
    assert changes["boneyard_act_seconds_count"] >= 2
    assert changes["boneyard_picture_seconds_count"] >= 2
    assert changes["boneyard_discord_requests_total 200 post"] >= 3
    assert changes["boneyard_discord_requests_total 200 answer"] >= 1
    assert changes["boneyard_discord_invalid_requests_total"] == changes["boneyard_database_errors_total"] == 0
    assert after["boneyard_gateway_up 0"] == after["boneyard_database_up"] == after["boneyard_servers"] == 1
    assert abs(after["boneyard_last_post_timestamp_seconds"] - time.time()) < PATIENCE
    _, text = await page.get("/metrics")
    all_text = text + (await page.get("/healthz"))[1]
    for secret in (local.discord.token, local.ada.id, local.grace.id, "Ada", "Grace", local.channel_id):
        assert secret not in all_text


async def test_rate_limits_are_counted_by_scope(local: LocalBot, page: StatusPage) -> None:
    before = await page.read_metrics()
    assert {f"boneyard_discord_rate_limited_total {scope}" for scope in ("user", "none")} <= set(before), (
        "from the start"
    )
    for scope in ("user", "global", "shared"):
        local.faults.inject_status(SEND, 429, retry_after=0.01, scope=scope)
    await local.start_table()
    local.faults.inject_status("GET /api/v10/channels", 403, code=50001)
    local.faults.inject_proxy_page("GET /api/v10/channels", 429)
    for _ in range(2):
        with pytest.raises(discord.HTTPException):
            await local.client.fetch_channel(int(local.channel_id))
    after = await page.read_metrics()
    changes = {name: after[name] - before.get(name, 0) for name in after}
    assert changes["boneyard_discord_requests_total 429 post"] == 3
    for scope in ("user", "global", "shared", "none"):
        assert changes[f"boneyard_discord_rate_limited_total {scope}"] == 1
    assert changes["boneyard_discord_invalid_requests_total"] == 4, "all of them but the shared one"
    assert changes["boneyard_log_lines_total warning"] >= 3


async def test_undelivered_messages_and_recovery_are_reported(local: LocalBot, page: StatusPage) -> None:
    local.faults.inject_status(SEND, 503, times=1000)
    await local.ada.use_command(local.channel_id, "tiles", "new", seats=2)
    await wait_until(lambda: local.store.matches.list_outdated_heads(1))
    await local.wait_until_idle()
    assert await page.list_problems() == {}
    page.skipped_seconds = POST_TIMEOUT + 10
    problems = await page.list_problems()
    assert set(problems) <= {"messages", "sweep"}
    assert "boards" not in problems
    waiting = await page.read_metrics()
    assert waiting["boneyard_boards_behind"] == 1
    assert waiting["boneyard_posts_waiting"] >= 1
    assert waiting["boneyard_oldest_post_age_seconds"] > POST_TIMEOUT
    assert "table cannot be shown" in problems["messages"]
    local.faults.clear()
    await local.skip_time(3600)
    await local.wait_until_all_sent()
    page.skipped_seconds += CACHE_SECONDS + 1
    assert "messages" not in await page.list_problems()


async def test_stalled_clock_is_reported(local: LocalBot, page: StatusPage) -> None:
    await local.start_table(clock="36h")
    page.skipped_seconds = 20 * 24 * 3600  # without any sweep
    problems = await page.list_problems()
    assert {"clocks", "sweep"} <= set(problems)
    assert (await page.read_metrics())["boneyard_oldest_due_age_seconds"] > CLOCK_TIMEOUT


async def wait_for_gateway(page: StatusPage, up: int) -> None:
    async def has_changed() -> bool:
        return (await page.read_metrics())["boneyard_gateway_up 0"] == up

    await wait_until(has_changed)


async def test_lost_gateway_is_reported_after_delay_until_reconnected(local: LocalBot, page: StatusPage) -> None:
    assert await page.list_problems() == {}
    local.faults.inject_status("GET /api/v10/gateway", 503, times=2)
    await local.discord.gateway.drop_connections(forget=True)
    await wait_for_gateway(page, 0)
    assert await page.list_problems() == {}, "discord.py comes back by itself"
    page.skipped_seconds = GATEWAY_TIMEOUT + 1
    assert "reconnects" in (await page.list_problems())["gateway"]
    await wait_for_gateway(page, 1)
    assert "gateway" not in await page.list_problems()
    async with asyncio.timeout(PATIENCE):
        await local.discord.gateway.connected.wait()


async def test_status_page_responds_while_database_hangs(store: Store) -> None:
    released = threading.Event()

    async def hang(_: Any) -> None:
        released.wait(PATIENCE)

    async with open_status_page(None) as page:
        page.monitor.store = store
        assert "database" not in await page.list_problems()
        # The reader thread blocks, as it does on a hanging disk.
        hanging = asyncio.ensure_future(store.transactions.read(hang))
        page.skipped_seconds = CACHE_SECONDS + 1
        for _ in range(3):
            assert REMEDIES[DatabaseFault.SILENT][1:] in (await page.list_problems())["database"]
        assert (await page.read_metrics())["boneyard_database_up"] == 0
        assert len(store.transactions._running) == 2, "the one that hangs, and one question"
        released.set()
        await hanging
        assert "database" not in await page.list_problems()
        store.transactions.faults.record_failure(DatabaseFault.FULL, is_write=True)
        assert REMEDIES[DatabaseFault.FULL][1:] in (await page.list_problems())["database"], "it can be read"
        await store.users.set_person(1, quick=True, now=0)
        assert "database" not in await page.list_problems()


async def test_status_page_reports_not_ready_before_bot_connects() -> None:
    async with open_status_page(None) as page:
        assert await page.list_problems() == {}
        page.skipped_seconds = max(SWEEP_TIMEOUT, GATEWAY_TIMEOUT) + 1
        assert set(await page.list_problems()) == {"gateway", "database"}


async def test_shards_of_closed_client_are_not_reported_connected(
    local: LocalBot, page: StatusPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard_states = {0: True, 1: True}
    monkeypatch.setattr("bot.operating.status.read_shard_states", lambda _: shard_states)
    assert {name: (await page.read_metrics()).get(name) for name in SHARDS} == {SHARDS[0]: 1, SHARDS[1]: 1}
    shard_states = {}  # the new client does not know its number of shards yet
    assert {name: (await page.read_metrics()).get(name) for name in SHARDS} == {SHARDS[0]: 0, SHARDS[1]: 0}
    shard_states = {0: True}
    assert {name: (await page.read_metrics()).get(name) for name in SHARDS} == {SHARDS[0]: 1, SHARDS[1]: None}


async def test_status_page_rejects_foreign_host_header(page: StatusPage) -> None:
    assert (await page.get("/metrics", host=f"evil.example:{page.address.port}"))[0] == 403
    assert (await page.get("/metrics", host=f"localhost:{page.address.port}"))[0] == 200
    assert (await page.get("/healthz", host="[::1]"))[0] == 200


async def test_occupied_status_port_does_not_stop_bot(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.operating.status.BIND_RETRY_SECONDS", 0.02)
    with closing(socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = StatusAddress.parse(str(other.getsockname()[1]))
        async with serve_status(address, HealthMonitor()):
            await wait_until(lambda: "the port of the status page is in use" in caplog.text)
            other.close()
            page = StatusPage(address, HealthMonitor())
            await wait_until(page.is_served)
            assert (await page.get("/healthz"))[0] == 200


@pytest.mark.parametrize(
    ("text", "host", "ours"),
    [
        ("9464", "127.0.0.1", True),
        ("127.0.0.2:9464", "127.0.0.2", True),
        ("[::1]:9464", "::1", True),
        ("localhost:9464", "localhost", True),
        ("0.0.0.0:9464", "0.0.0.0", False),
        ("bot.example:9464", "bot.example", False),
    ],
)
def test_port_without_host_binds_to_loopback(text: str, host: str, ours: bool) -> None:
    address = StatusAddress.parse(text)
    assert (address.host, address.port, address.is_local) == (host, 9464, ours)


@pytest.mark.parametrize("text", ["", "yes", ":9464", "0", "65536", "host:", "9464:host", "９４６４", "a b:9464"])
def test_invalid_status_address_is_refused_with_explanation(text: str) -> None:
    with pytest.raises(ValueError, match="BONEYARD_STATUS must be a port such as 9464, or HOST:PORT, but is"):
        StatusAddress.parse(text)


async def test_quarantined_match_is_reported_and_status_stays_healthy(
    local: LocalBot, page: StatusPage, url: str, logged_errors: list[str]
) -> None:
    await local.start_table(clock="36h")
    await execute_statements(url, DAMAGES["half a row"])
    await clear_cached_tables(local)
    await local.use_command(local.ada, "tiles", "hand")
    logged_errors.clear()
    await local.skip_time(60)
    page.skipped_seconds = 10 * 24 * 3600  # the turn would have expired long ago
    assert set(await page.list_problems()) <= {"sweep"}
    assert (await page.read_metrics())["boneyard_matches_set_aside"] == 1
    (line,) = [one for one in (await page.get("/healthz"))[1].splitlines() if "in quarantine" in one]
    assert (line.split()[0], "in quarantine: 1; " in line, "`boneyard doctor`" in line) == ("ok", True, True)
    await local.use_command(local.ada, "tiles-admin", "end", reason="because")
    page.skipped_seconds += CACHE_SECONDS + 1
    assert (await page.read_metrics())["boneyard_matches_set_aside"] == 0
    assert "in quarantine" not in (await page.get("/healthz"))[1]
