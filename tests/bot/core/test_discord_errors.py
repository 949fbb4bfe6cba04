"""Retry delays after errors of Discord."""

import asyncio

import aiohttp
import discord
import pytest

from bot.core.discord_errors import (
    MAX_OUTAGE_WAIT,
    MAX_WAIT,
    compute_retry_delay,
    format_error_code,
    is_channel_error,
    is_session_closed,
    is_transient,
)
from bot.sending import deliveries
from bot.sending.deliveries import OUTAGE_FAILURES, Deliveries
from tests.bot.core.discord_errors import build_discord_error
from tests.bot.local_bot import LocalBot


def test_retry_delay_doubles_up_to_one_hour() -> None:
    waits = [compute_retry_delay(None, attempts) for attempts in range(20)]
    assert waits[:4] == [5_000, 10_000, 20_000, 40_000]
    assert waits[-1] == MAX_WAIT * 1000
    assert waits == sorted(waits)


def test_longer_retry_after_header_is_respected() -> None:
    assert compute_retry_delay(build_discord_error(429, **{"Retry-After": "600"}), 0) == 600_000
    assert compute_retry_delay(build_discord_error(429, **{"Retry-After": "1"}), 3) == 40_000
    assert compute_retry_delay(build_discord_error(429, **{"Retry-After": "Sat, 21 Nov 2026 15:00:00 GMT"}), 0) == 5_000


@pytest.mark.parametrize(("status", "code"), [(404, 10003), (403, 50001), (403, 50013), (400, 160005)])
def test_missing_access_counts_as_closed_channel(status: int, code: int) -> None:
    assert is_channel_error(build_discord_error(status, code))


@pytest.mark.parametrize(
    "error",
    [
        build_discord_error(500),
        build_discord_error(429),
        build_discord_error(404, 10008),
        aiohttp.ClientError(),
        OSError(),
    ],
)
def test_other_errors_do_not_count_as_closed_channel(error: Exception) -> None:
    assert not is_channel_error(error)


def test_error_code_contains_no_message_text() -> None:
    assert format_error_code(build_discord_error(403, 50013)) == "403/50013"
    assert format_error_code(aiohttp.ServerDisconnectedError("Grace")) == "ServerDisconnectedError"


async def test_closed_client_session_is_distinguished_from_other_errors() -> None:
    session = aiohttp.ClientSession()
    await session.close()
    with pytest.raises(RuntimeError) as raised:
        await session.get("http://127.0.0.1:9/")
    assert is_session_closed(raised.value)
    assert not is_session_closed(RuntimeError("another error"))


CHANNEL_REQUESTS = "/api/v10/channels"
TABLES = 12


async def open_lobbies(local: LocalBot) -> list[int]:
    for number in range(TABLES):
        local.channel_id = local.discord.world.add_channel(f"table-{number}")["id"]
        person = (local.ada, local.grace)[number % 2]
        await local.use_command(person, "tiles", "new", seats=2)
    await local.wait_until_idle()
    return [head.match_id for head in await local.store.matches.list_outdated_heads(100)]


async def test_failing_discord_is_probed_by_one_table(local: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "_compute_pause", lambda *_: 0.0)
    local.faults.inject_status(CHANNEL_REQUESTS, 503, times=1 << 20)
    behind = await open_lobbies(local)
    assert len(behind) == TABLES
    assert local.client.services.announcer.deliveries.is_down
    for _ in range(5):
        local.faults.requests.clear()
        await local.skip_time(2 * MAX_OUTAGE_WAIT)
        assert len([line for line in local.faults.requests if CHANNEL_REQUESTS in line]) == 1
    local.faults.clear()
    async with asyncio.timeout(300):
        while await local.store.matches.list_outdated_heads(1):
            await local.skip_time(0)
    assert not local.client.services.announcer.deliveries.is_down


async def test_recovered_discord_is_used_within_minute(local: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "_compute_pause", lambda *_: 0.0)
    await local.start_table()
    local.faults.inject_status(CHANNEL_REQUESTS, 503, times=1 << 20)
    await local.place_tile()
    for _ in range(20):
        await local.skip_time(MAX_OUTAGE_WAIT)
    assert local.client.services.announcer.deliveries.is_down
    local.faults.clear()
    await local.skip_time(MAX_OUTAGE_WAIT)
    async with asyncio.timeout(300):
        while (await local.load_head()).is_board_outdated:
            await local.skip_time(0)


@pytest.mark.parametrize(
    "error",
    [
        build_discord_error(500),
        build_discord_error(429),
        build_discord_error(401),
        aiohttp.ClientError(),
        TimeoutError(),
    ],
)
def test_temporary_error_is_retried_within_one_minute(error: Exception) -> None:
    assert is_transient(error)
    assert max(compute_retry_delay(error, attempts) for attempts in range(20)) == MAX_OUTAGE_WAIT * 1000


@pytest.mark.parametrize(
    "error", [build_discord_error(400, 50035), build_discord_error(403, 50013), build_discord_error(404, 10008)]
)
def test_message_error_is_retried_with_growing_delay(error: Exception) -> None:
    assert not is_transient(error)
    assert compute_retry_delay(error, 20) == MAX_WAIT * 1000


def report(one: Deliveries, error: Exception | None) -> None:
    try:
        with one.count_delivery():
            if error is not None:
                raise error
    except (discord.HTTPException, OSError, RuntimeError):
        pass


async def test_refused_message_counts_as_reachable_discord() -> None:
    one = Deliveries()
    for _ in range(OUTAGE_FAILURES):
        report(one, TimeoutError())
    assert one.is_down
    report(one, build_discord_error(403, 50013))
    assert (one.is_down, one.arrived_count, one.failed_count) == (False, 1, OUTAGE_FAILURES)


async def test_own_connection_failure_counts_as_failure() -> None:
    one = Deliveries()
    for _ in range(OUTAGE_FAILURES):
        report(one, RuntimeError("Session is closed"))
    assert one.is_down


async def test_probe_respects_retry_after_header() -> None:
    one = Deliveries()
    for _ in range(OUTAGE_FAILURES):
        report(one, build_discord_error(429, **{"Retry-After": "3600"}))
    assert not one.may_probe(), "a ban of an hour is an hour"
