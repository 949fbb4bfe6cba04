"""How a session begins or is refused: identify limits, close codes, unavailable and large servers."""

import asyncio
from typing import Any

import aiohttp
import pytest

from bot.playground.discord_limits import Rate, RateLimits
from bot.playground.feed import ALL_INTENTS, PRIVILEGED
from bot.playground.server import LocalDiscord
from tests.playground.raw_bot import RawBot, open_raw_bot


async def receive_message(socket: aiohttp.ClientWebSocketResponse) -> Any:
    async with asyncio.timeout(300):
        message = await socket.receive()
    return message.json() if message.type is aiohttp.WSMsgType.TEXT else message.data


async def start_session(bot: RawBot, shard: int = 0) -> str:
    socket = await bot.connect(shard=[shard, 4])
    first = await receive_message(socket)
    await socket.close()
    return str(first if isinstance(first, int) else first.get("t") or f"op {first['op']}")


async def read_starts_left(bot: RawBot) -> tuple[int, int]:
    _, answer = await bot.request("GET", "/gateway/bot")
    return answer["session_start_limit"]["remaining"], answer["session_start_limit"]["max_concurrency"]


async def test_sessions_begin_five_seconds_apart() -> None:
    clock = [1_800_000_000.0]
    async with open_raw_bot(rates=RateLimits(), now=lambda: clock[0]) as bot:
        assert [await start_session(bot), await start_session(bot, 1)] == ["READY", "op 9"]
        clock[0] += 5
        assert await start_session(bot, 1) == "READY"
        assert await read_starts_left(bot) == (998, 1)


async def test_max_concurrency_limits_sessions_started_at_once() -> None:
    async with open_raw_bot(rates=RateLimits(max_concurrency=2), now=lambda: 1_800_000_000.0) as bot:
        assert [await start_session(bot, shard) for shard in range(4)] == ["READY", "READY", "op 9", "op 9"]
        assert await read_starts_left(bot) == (998, 2)


async def test_session_start_above_daily_limit_is_refused() -> None:
    clock = [1_800_000_000.0]
    async with open_raw_bot(rates=RateLimits(starts=Rate(3, 86_400), pause=0), now=lambda: clock[0]) as bot:
        assert [await start_session(bot) for _ in range(4)] == ["READY", "READY", "READY", "4004"]
        assert await read_starts_left(bot) == (0, 1)
        clock[0] += 86_400
        assert await start_session(bot) == "READY"


async def test_connection_with_too_many_guilds_per_shard_is_closed() -> None:
    async with open_raw_bot(rates=RateLimits(most_servers=2, pause=0)) as bot:
        world = bot.local.world
        while sum((int(one) >> 22) % 2 == 0 for one in world.guilds) < 2 or len(world.guilds) < 4:
            world.add_guild("more")
        whole = await bot.connect()
        assert await receive_message(whole) == 4011
        _, answer = await bot.request("GET", "/gateway/bot")
        assert answer["shards"] == 1
        assert await start_session(bot) == "READY"


@pytest.mark.parametrize(
    ("intents", "code"), [(1 << 17, 4013), (1 << 40, 4013), (1 << 1, 4014), (1 << 8, 4014), (1 << 15, 4014)]
)
async def test_unknown_or_disallowed_intents_close_connection(raw_bot: RawBot, intents: int, code: int) -> None:
    raw_bot.local.gateway.privileged = 0
    socket = await raw_bot.connect(intents=intents | 1)
    assert await receive_message(socket) == code


async def test_unprivileged_intents_need_no_portal_setting(raw_bot: RawBot) -> None:
    raw_bot.local.gateway.privileged = 0
    socket = await raw_bot.connect(intents=ALL_INTENTS & ~PRIVILEGED)
    assert (await receive_message(socket))["t"] == "READY"


async def test_token_reset_closes_session_and_invalidates_previous_token(local: LocalDiscord, raw_bot: RawBot) -> None:
    socket = await raw_bot.connect()
    assert [(await receive_message(socket))["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
    headers = {"Authorization": f"Bot {local.token}"}
    await local.reset_token()
    assert await receive_message(socket) == 4004
    assert (await raw_bot.request("GET", "/users/@me", headers=headers))[0] == 401
    assert (await raw_bot.request("GET", "/users/@me"))[0] == 200


async def test_unavailable_server_does_not_count_as_left(local: LocalDiscord, raw_bot: RawBot) -> None:
    (guild_id,) = local.world.guilds
    socket = await raw_bot.connect()
    assert [(await receive_message(socket))["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
    local.gateway.start_outage(guild_id)
    guild_delete = await receive_message(socket)
    assert (guild_delete["t"], guild_delete["d"]) == ("GUILD_DELETE", {"id": guild_id, "unavailable": True})
    late = await raw_bot.connect()
    assert (await receive_message(late))["d"]["guilds"] == [{"id": guild_id, "unavailable": True}]
    local.gateway.end_outage(guild_id)
    for one in (socket, late):
        guild_create = await receive_message(one)
        assert guild_create["t"] == "GUILD_CREATE"
        assert (guild_create["d"]["id"], guild_create["d"]["unavailable"]) == (guild_id, False)


async def test_large_guild_reports_member_count(local: LocalDiscord, raw_bot: RawBot) -> None:
    (guild_id,) = local.world.guilds
    local.world.members.extra_members[guild_id] = 100_000
    sizes = []
    for threshold in (250, 1_000_000):
        socket = await raw_bot.connect(large_threshold=threshold)
        await receive_message(socket)
        guild = (await receive_message(socket))["d"]
        sizes.append((guild["large"], guild["member_count"]))
        await socket.close()
    assert sizes == [(True, 100_004), (False, 100_004)]
