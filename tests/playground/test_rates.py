"""Discord's rate limits and ban, and how discord.py reacts to them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest

from bot.playground.discord_limits import Rate, RateLimits
from bot.playground.server import LocalDiscord
from tests.crash.fast_clock import build_fast_limits
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot, open_raw_bot
from tests.playground.small_bot import run_small_bot

NOW = 1_800_000_000.0


class RateLimitSetup:
    def __init__(self, discord: LocalDiscord, bot: RawBot, clock: list[float]) -> None:
        self.discord = discord
        self.bot = bot
        self._clock = clock
        self.channel = discord.world.welcome_channel

    def skip_time(self, seconds: float) -> None:
        self._clock[0] += seconds

    async def post(self, channel: str = "") -> aiohttp.ClientResponse:
        return await self.request("POST", f"/channels/{channel or self.channel}/messages", {"content": "x"})

    async def request(self, method: str, path: str, body: object = None, token: str = "") -> aiohttp.ClientResponse:
        headers = {"Authorization": f"Bot {token or self.discord.token}"}
        url = f"{self.discord.url}/api/v10{path}"
        async with self.bot.web.request(method, url, json=body, headers=headers) as answer:
            await answer.read()
            return answer


@asynccontextmanager
async def open_setup(rates: RateLimits) -> AsyncIterator[RateLimitSetup]:
    clock = [NOW]
    async with open_raw_bot(now=lambda: clock[0], rates=rates) as bot:
        yield RateLimitSetup(bot.local, bot, clock)


async def test_sixth_message_in_five_seconds_is_limited() -> None:
    async with open_setup(RateLimits()) as setup:
        first = [await setup.post() for _ in range(6)]
        assert [one.status for one in first] == [200, 200, 200, 200, 200, 429]
        assert [one.headers["X-RateLimit-Remaining"] for one in first] == ["4", "3", "2", "1", "0", "0"]
        assert {one.headers["X-RateLimit-Reset-After"] for one in first} == {"5.000"}
        assert first[5].headers["X-RateLimit-Scope"] == "user"
        assert first[5].headers["Retry-After"] == "5"
        setup.skip_time(5)
        assert (await setup.post()).status == 200


async def test_each_channel_has_separate_limit_with_same_bucket_name() -> None:
    async with open_setup(RateLimits()) as setup:
        other = setup.discord.world.add_channel("other")["id"]
        for _ in range(5):
            one = await setup.post()
        two = await setup.post(other)
        listed = await setup.request("GET", f"/channels/{other}/messages")
        assert (two.status, two.headers["X-RateLimit-Remaining"]) == (200, "4")
        assert one.headers["X-RateLimit-Bucket"] == two.headers["X-RateLimit-Bucket"]
        assert listed.headers["X-RateLimit-Bucket"] != two.headers["X-RateLimit-Bucket"]


async def test_fiftieth_request_in_one_second_hits_global_limit() -> None:
    async with open_setup(RateLimits()) as setup:
        await setup.bot.register()
        path = f"/applications/{setup.bot.bot_id}/commands"
        answers = [await setup.request("GET", f"/channels/{number}") for number in range(50)]
        assert {one.status for one in answers[:49]} == {404}
        assert answers[49].status == 429
        assert answers[49].headers["X-RateLimit-Scope"] == "global"
        assert answers[49].headers["X-RateLimit-Global"] == "true"
        assert setup.discord.throttle.limited_counts == {"user": 0, "shared": 0, "global": 1, "banned": 0}
        async with PageUser(setup.discord.address, "Ada") as ada:
            interaction_id = await ada.use_command(setup.channel, "act")
            assert (await setup.bot.respond(interaction_id, 4, content="at once"))[0] == 200
        setup.skip_time(1)
        assert (await setup.request("GET", path)).status == 200


async def test_fourth_edit_of_old_message_within_twenty_seconds_fails() -> None:
    async with open_setup(RateLimits()) as setup:
        message = await setup.bot.send(setup.channel, content="a board")
        path = f"/channels/{setup.channel}/messages/{message['id']}"
        for _ in range(4):
            assert (await setup.request("PATCH", path, {"content": "young"})).status == 200
        setup.skip_time(3601)
        assert [(await setup.request("PATCH", path, {"content": "old"})).status for _ in range(3)] == [200] * 3
        assert await setup.bot.request_error("PATCH", path, {"content": "too old"}) == (429, 30046)
        setup.skip_time(20)
        assert (await setup.request("PATCH", path, {"content": "old"})).status == 200


async def test_limit_on_opening_dms_spares_existing_ones() -> None:
    async with open_setup(RateLimits(direct_channels=Rate(1, 600))) as setup:
        ada, grace = list(setup.discord.world.users)[:2]
        opening = "/users/@me/channels"
        assert (await setup.request("POST", opening, {"recipient_id": ada})).status == 200
        assert await setup.bot.request_error("POST", opening, {"recipient_id": grace}) == (403, 40003)
        assert (await setup.request("POST", opening, {"recipient_id": ada})).status == 200
        setup.skip_time(600)
        assert (await setup.request("POST", opening, {"recipient_id": grace})).status == 200


async def test_too_many_invalid_requests_cause_temporary_ban() -> None:
    async with open_setup(RateLimits(invalid=Rate(20, 600))) as setup:
        for _ in range(20):
            assert (await setup.request("GET", "/users/@me", token="wrong")).status in (401, 429)
            setup.skip_time(1)
        banned = await setup.request("GET", "/users/@me")
        assert (banned.status, banned.content_type) == (429, "text/html")
        assert "Via" not in banned.headers
        assert 0 < int(banned.headers["Retry-After"]) <= 600
        assert (await setup.request("POST", "/interactions/1/x/callback", {"type": 1})).status == 429
        setup.skip_time(600)
        assert (await setup.request("GET", "/users/@me")).status == 200


async def test_invalid_requests_below_rate_cause_no_ban() -> None:
    async with open_setup(RateLimits(invalid=Rate(20, 600))) as setup:
        for _ in range(30):
            assert (await setup.request("GET", "/users/@me", token="wrong")).status == 401
            setup.skip_time(60)
        assert setup.discord.throttle.invalid == 30


async def test_discord_py_reads_headers_and_never_meets_limit() -> None:
    async with LocalDiscord(None, port=0, rates=build_fast_limits(20)) as local, run_small_bot(local) as bot:
        channel = bot.get_partial_messageable(int(local.world.welcome_channel))
        for number in range(12):
            await channel.send(f"message {number}")
        assert local.throttle.limited_counts == {"user": 0, "shared": 0, "global": 0, "banned": 0}


async def test_discord_py_gives_up_at_once_when_it_is_banned() -> None:
    async with LocalDiscord(None, port=0) as local, run_small_bot(local) as bot:
        local.throttle.ban(600)
        with pytest.raises(discord.HTTPException) as caught:
            await bot.get_partial_messageable(int(local.world.welcome_channel)).send("x")
        assert (caught.value.status, caught.value.code) == (429, 0)
        assert local.throttle.limited_counts["banned"] == 1
