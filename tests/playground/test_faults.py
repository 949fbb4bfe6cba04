"""Injected faults, for tests of how a bot handles them."""

from random import Random

import aiohttp
import discord
import pytest

from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import SmallBot


async def test_injected_status_is_returned_requested_number_of_times(
    raw_bot: RawBot, ada: PageUser, tiles: str
) -> None:
    raw_bot.local.faults.inject_status("POST /api/v10/channels", 503, times=2)
    path = f"/channels/{tiles}/messages"
    statuses = [(await raw_bot.request("POST", path, {"content": "x"}))[0] for _ in range(3)]
    assert statuses == [503, 503, 200]
    assert len(await ada.fetch_messages(tiles)) == 1


async def test_rate_limit_has_retry_after(raw_bot: RawBot) -> None:
    raw_bot.local.faults.inject_status("/users/@me", 429, retry_after=0.25)
    headers = {"Authorization": f"Bot {raw_bot.local.token}"}
    async with raw_bot.web.get(raw_bot.local.url + "/api/v10/users/@me", headers=headers) as answer:
        assert (answer.status, (await answer.json())["retry_after"]) == (429, 0.25)
        assert "Via" in answer.headers
        assert answer.headers["Retry-After"] == "1"


async def test_discord_py_waits_out_rate_limit(raw_bot: RawBot, small_bot: SmallBot, ada: PageUser, tiles: str) -> None:
    raw_bot.local.faults.inject_status("/callback", 429, retry_after=0.05)
    answer = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "word", word="late"))
    assert answer["content"] == "late for all"


async def test_global_rate_limit_spares_interaction_answers_and_expires(
    raw_bot: RawBot, small_bot: SmallBot, ada: PageUser, tiles: str
) -> None:
    faults = raw_bot.local.faults
    faults.limit_everything(0.5)
    headers = {"Authorization": f"Bot {raw_bot.local.token}"}
    async with raw_bot.web.get(raw_bot.local.url + "/api/v10/users/@me", headers=headers) as answer:
        body = await answer.json()
        assert (answer.status, body["global"], answer.headers["X-RateLimit-Scope"]) == (429, True, "global")
        assert 0 < body["retry_after"] <= 0.5
        assert answer.headers["X-RateLimit-Global"] == "true"
    message = await ada.wait_for_answer(tiles, await ada.use_command(tiles, "try", "word", word="now"))
    assert message["content"] == "now for all"
    limited_before = faults.limited_requests
    assert (await small_bot.get_partial_messageable(int(tiles)).send("later")).content == "later"
    assert faults.limited_requests >= limited_before >= 1


async def test_shared_rate_limit_does_not_count_as_invalid_request(raw_bot: RawBot, tiles: str) -> None:
    local = raw_bot.local
    for scope in ("shared", "user"):
        local.faults.inject_status("POST /api/v10/channels", 429, retry_after=0.1, scope=scope)
        await raw_bot.request("POST", f"/channels/{tiles}/messages", {"content": "x"})
    assert local.throttle.limited_counts == {"user": 1, "shared": 1, "global": 0, "banned": 0}
    assert local.throttle.invalid == 1


@pytest.mark.parametrize("status", [403, 429, 503, 520])
async def test_html_page_instead_of_json_raises_http_exception(
    raw_bot: RawBot, small_bot: SmallBot, tiles: str, status: int
) -> None:
    raw_bot.local.faults.inject_proxy_page("POST /api/v10/channels", status, times=5)
    with pytest.raises(discord.HTTPException) as caught:
        await small_bot.get_partial_messageable(int(tiles)).send("x")
    assert (caught.value.status, caught.value.code) == (status, 0)


async def test_request_with_lost_answer_is_still_executed(raw_bot: RawBot, ada: PageUser, tiles: str) -> None:
    raw_bot.local.faults.lose_responses(1.0, Random(1))
    with pytest.raises(aiohttp.ClientError):
        await raw_bot.send(tiles, content="done", nonce="n", enforce_nonce=True)
    raw_bot.local.faults.clear()
    assert raw_bot.local.faults.lost_responses == 1
    again = await raw_bot.send(tiles, content="done", nonce="n", enforce_nonce=True)
    assert [one["id"] for one in await ada.fetch_messages(tiles)] == [again["id"]]


async def test_discord_py_retry_with_nonce_sends_message_once(
    raw_bot: RawBot, small_bot: SmallBot, ada: PageUser, tiles: str
) -> None:
    channel = small_bot.get_partial_messageable(int(tiles))
    raw_bot.local.faults.lose_responses(1.0, Random(1), status=502, times=1)
    sent = await channel.send("once", nonce="same")
    assert [one["id"] for one in await ada.fetch_messages(tiles)] == [str(sent.id)]
    assert raw_bot.local.faults.lost_responses == 1


async def test_delayed_response_to_interaction_fails(
    raw_bot: RawBot, small_bot: SmallBot, ada: PageUser, tiles: str
) -> None:
    raw_bot.local.interactions.answer_within = 0.05
    raw_bot.local.faults.delay("/callback", 0.2)
    interaction_id = await ada.use_command(tiles, "try", "word", word="late")
    assert (await ada.fetch_outcome(interaction_id))["state"] == "failed"
    while not small_bot.errors:
        await ada.fetch_state()
    assert "10062" in str(small_bot.errors.pop())
