"""Rate limits and the ban behind them, as Discord has them; and what discord.py makes of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest

from bot.playground.discord_limits import Rate, RateLimits
from bot.playground.person import PageUser
from bot.playground.server import LocalDiscord
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import connected

NOW = 1_800_000_000.0


class Stopped:
    def __init__(self, discord: LocalDiscord, bot: RawBot, clock: list[float]) -> None:
        self.discord = discord
        self.bot = bot
        self._clock = clock
        self.channel = discord.world.welcome_channel

    def later(self, seconds: float) -> None:
        self._clock[0] += seconds

    async def post(self, channel: str = "") -> aiohttp.ClientResponse:
        return await self.ask("POST", f"/channels/{channel or self.channel}/messages", {"content": "x"})

    async def ask(self, method: str, path: str, body: object = None, token: str = "") -> aiohttp.ClientResponse:
        headers = {"Authorization": f"Bot {token or self.discord.token}"}
        url = f"{self.discord.url}/api/v10{path}"
        async with self.bot.web.request(method, url, json=body, headers=headers) as answer:
            await answer.read()
            return answer


@asynccontextmanager
async def stopped(rates: RateLimits) -> AsyncIterator[Stopped]:
    clock = [NOW]
    async with LocalDiscord(None, port=0, now=lambda: clock[0], rates=rates) as discord, aiohttp.ClientSession() as web:
        yield Stopped(discord, RawBot(discord, web), clock)


async def test_five_messages_in_five_seconds_and_sixth_later() -> None:
    async with stopped(RateLimits()) as here:
        first = [await here.post() for _ in range(6)]
        assert [one.status for one in first] == [200, 200, 200, 200, 200, 429]
        assert [one.headers["X-RateLimit-Remaining"] for one in first] == ["4", "3", "2", "1", "0", "0"]
        assert {one.headers["X-RateLimit-Reset-After"] for one in first} == {"5.000"}
        assert first[5].headers["X-RateLimit-Scope"] == "user"
        assert first[5].headers["Retry-After"] == "5"
        here.later(5)
        assert (await here.post()).status == 200


async def test_each_channel_has_separate_limit_with_same_bucket_name() -> None:
    async with stopped(RateLimits()) as here:
        other = here.discord.world.add_channel("other")["id"]
        for _ in range(5):
            one = await here.post()
        two = await here.post(other)
        looked = await here.ask("GET", f"/channels/{other}/messages")
        assert (two.status, two.headers["X-RateLimit-Remaining"]) == (200, "4")
        assert one.headers["X-RateLimit-Bucket"] == two.headers["X-RateLimit-Bucket"]
        assert looked.headers["X-RateLimit-Bucket"] != two.headers["X-RateLimit-Bucket"]


async def test_fiftieth_request_in_one_second_hits_global_limit() -> None:
    async with stopped(RateLimits()) as here:
        await here.bot.register()
        path = f"/applications/{here.bot.me}/commands"
        asked = [await here.ask("GET", f"/channels/{number}") for number in range(50)]
        assert {one.status for one in asked[:49]} == {404}
        assert asked[49].status == 429
        assert (asked[49].headers["X-RateLimit-Scope"], asked[49].headers["X-RateLimit-Global"]) == ("global", "true")
        assert here.discord.throttle.limited_counts == {"user": 0, "shared": 0, "global": 1, "banned": 0}
        async with PageUser(here.discord.address, "Ada") as ada:
            used = await ada.use_command(here.channel, "act")
            assert (await here.bot.respond(used, 4, content="at once"))[0] == 200
        here.later(1)
        assert (await here.ask("GET", path)).status == 200


async def test_fourth_edit_within_twenty_seconds_on_aged_message_fails() -> None:
    async with stopped(RateLimits()) as here:
        message = await here.bot.send(here.channel, content="a board")
        path = f"/channels/{here.channel}/messages/{message['id']}"
        for _ in range(4):
            assert (await here.ask("PATCH", path, {"content": "young"})).status == 200
        here.later(3601)
        assert [(await here.ask("PATCH", path, {"content": "old"})).status for _ in range(3)] == [200] * 3
        assert await here.bot.refusal("PATCH", path, {"content": "too old"}) == (429, 30046)
        here.later(20)
        assert (await here.ask("PATCH", path, {"content": "old"})).status == 200


async def test_limit_on_opening_dms_spares_existing_ones() -> None:
    async with stopped(RateLimits(direct_channels=Rate(1, 600))) as here:
        ada, grace = list(here.discord.world.users)[:2]
        opening = "/users/@me/channels"
        assert (await here.ask("POST", opening, {"recipient_id": ada})).status == 200
        assert await here.bot.refusal("POST", opening, {"recipient_id": grace}) == (403, 40003)
        assert (await here.ask("POST", opening, {"recipient_id": ada})).status == 200
        here.later(600)
        assert (await here.ask("POST", opening, {"recipient_id": grace})).status == 200


async def test_too_many_invalid_requests_cause_temporary_ban() -> None:
    async with stopped(RateLimits(invalid=Rate(20, 600))) as here:
        for _ in range(20):
            assert (await here.ask("GET", "/users/@me", token="wrong")).status in (401, 429)
            here.later(1)
        banned = await here.ask("GET", "/users/@me")
        assert (banned.status, banned.content_type) == (429, "text/html")
        assert "Via" not in banned.headers
        assert 0 < int(banned.headers["Retry-After"]) <= 600
        assert (await here.ask("POST", "/interactions/1/x/callback", {"type": 1})).status == 429
        here.later(600)
        assert (await here.ask("GET", "/users/@me")).status == 200


async def test_invalid_requests_below_rate_cause_no_ban() -> None:
    async with stopped(RateLimits(invalid=Rate(20, 600))) as here:
        for _ in range(30):
            assert (await here.ask("GET", "/users/@me", token="wrong")).status == 401
            here.later(60)
        assert here.discord.throttle.invalid == 30


async def test_discord_py_reads_headers_and_never_meets_limit() -> None:
    async with LocalDiscord(None, port=0, rates=RateLimits().with_speed(20)) as local, connected(local) as bot:
        channel = bot.get_partial_messageable(int(local.world.welcome_channel))
        for number in range(12):
            await channel.send(f"message {number}")
        assert local.throttle.limited_counts == {"user": 0, "shared": 0, "global": 0, "banned": 0}


async def test_discord_py_gives_up_at_once_when_it_is_banned() -> None:
    async with LocalDiscord(None, port=0) as local, connected(local) as bot:
        local.throttle.ban(600)
        with pytest.raises(discord.HTTPException) as caught:
            await bot.get_partial_messageable(int(local.world.welcome_channel)).send("x")
        assert (caught.value.status, caught.value.code) == (429, 0)
        assert local.throttle.limited_counts["banned"] == 1


async def test_hurried_bot_waits_shorter_time() -> None:
    quick = RateLimits().with_speed(10)
    assert (quick.overall, quick.pause) == (Rate(50, 0.1), 0.5)
    assert quick.routes["POST /api/v10/channels/{channel}/messages"] == Rate(5, 0.5)
