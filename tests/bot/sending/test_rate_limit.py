"""Global rate limits: the bot waits and then sends every post."""

import asyncio

import pytest

from bot.core import discord_errors
from bot.core.names import NameCache
from bot.playground import rest_channels
from bot.sending import post_lease
from data.store.outbox import outbox
from tests.bot.local_bot import LocalBot, read_text, run_second_bot
from tests.bot.sending.posts import DELETE, EDIT, SEND, is_up_to_date

pytestmark = pytest.mark.timeout(300)

RESPONSE_SECONDS = 1.0
LIMIT_SECONDS = 1.5
OPEN_DM_ROUTE = "POST /api/v10/users/@me/channels"
GUILD_ROUTE = "GET /api/v10/guilds"


@pytest.fixture
def sim(stage: LocalBot, monkeypatch: pytest.MonkeyPatch) -> LocalBot:
    monkeypatch.setattr(discord_errors, "RESPONSE_TIMEOUT", RESPONSE_SECONDS)
    return stage


async def wait_until_sent(sim: LocalBot) -> None:
    while (await sim.load_head()).is_board_outdated or await sim.list_pending_posts():
        await sim.skip_time(6)


async def has_recovered(sim: LocalBot) -> bool:
    await wait_until_sent(sim)
    return await is_up_to_date(sim)


async def can_continue(sim: LocalBot) -> bool:
    for _ in range(2):
        await sim.move()
    return await has_recovered(sim)


async def test_global_limit_is_waited_out(sim: LocalBot) -> None:
    sim.faults.limit_everything(LIMIT_SECONDS)
    assert (await sim.place_tile()).startswith("You played "), "answers to people do not count"
    await sim.settle_turn()
    assert sim.faults.limited_requests >= 1
    assert await has_recovered(sim)
    assert await can_continue(sim)


@pytest.mark.parametrize("part", [SEND, EDIT, DELETE], ids=["a call", "a board", "what has had its time"])
async def test_global_limit_on_one_request_is_waited_out(sim: LocalBot, part: str) -> None:
    sim.faults.inject_status(part, 429, retry_after=LIMIT_SECONDS, scope="global")
    await sim.move()
    assert await has_recovered(sim)
    assert await can_continue(sim)


async def test_global_limit_late_in_attempt_is_waited_out(sim: LocalBot) -> None:
    sim.faults.delay(EDIT, 0.9 * RESPONSE_SECONDS)
    sim.faults.inject_status(EDIT, 429, retry_after=LIMIT_SECONDS, scope="global")
    sim.faults.delay(SEND, 0.9 * RESPONSE_SECONDS)
    await sim.move()
    assert await has_recovered(sim)
    assert await can_continue(sim)


@pytest.mark.parametrize("part", [OPEN_DM_ROUTE, SEND], ids=["the channel to a person", "the message to a person"])
async def test_global_limit_on_direct_message_is_waited_out(sim: LocalBot, part: str) -> None:
    mover = await sim.get_mover()
    (other,) = [person for person in sim.people.values() if person is not mover]
    await sim.store.users.set_person(int(other.id), pings="dm", now=0)
    sim.faults.inject_status(part, 429, retry_after=LIMIT_SECONDS, scope="global")
    await sim.move()
    await wait_until_sent(sim)
    assert len(await sim.list_direct_messages(other)) == 1
    await sim.move()
    assert await has_recovered(sim)


async def test_direct_message_is_sent_later_after_too_many_channels(sim: LocalBot) -> None:
    mover = await sim.get_mover()
    (other,) = [person for person in sim.people.values() if person is not mover]
    await sim.store.users.set_person(int(other.id), pings="dm", now=0)
    sim.faults.inject_status(OPEN_DM_ROUTE, 403, code=40003)
    await sim.move()
    assert await sim.list_direct_messages(other) == []
    assert len(await sim.list_pending_posts()) == 1
    await wait_until_sent(sim)
    assert len(await sim.list_direct_messages(other)) == 1


async def test_global_limit_on_name_request_is_waited_out(sim: LocalBot) -> None:
    for person in sim.people.values():
        sim.client.services.names.forget(int(person.id))
    sim.faults.inject_status(GUILD_ROUTE, 429, retry_after=LIMIT_SECONDS, scope="global")
    await sim.move()
    assert await has_recovered(sim)
    assert await can_continue(sim)


async def test_rate_limited_hand_is_answered_without_names(sim: LocalBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NameCache, "MAX_WAIT", 0.2)
    mover = await sim.get_mover()
    for person in sim.people.values():
        sim.client.services.names.forget(int(person.id))
    sim.faults.limit_everything(6.0)
    assert "Your turn" in read_text(await sim.use_command(mover, "tiles", "hand"))
    assert sim.faults.limited_requests >= 1
    sim.faults.clear()
    assert await can_continue(sim)


@pytest.mark.parametrize("renewed", [0.3, 1000.0], ids=["it says so", "the database hangs, so it cannot say so"])
async def test_delayed_post_is_sent_once(
    sim: LocalBot, url: str, monkeypatch: pytest.MonkeyPatch, renewed: float
) -> None:
    monkeypatch.setattr(outbox, "LEASE", 2000)
    monkeypatch.setattr(post_lease, "RENEW_SECONDS", renewed)
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.0)
    async with run_second_bot(sim, url) as other:
        sim.faults.inject_status(SEND, 429, retry_after=5.0, scope="global")
        posted = sum(SEND in line for line in sim.faults.requests)
        move_task = asyncio.create_task(sim.move())
        while not move_task.done():
            await other.services.announcer.sweep()
            await other.services.announcer.wait_until_idle()
            await asyncio.sleep(0.1)
        await move_task
        await wait_until_sent(sim)
        assert sum(SEND in line for line in sim.faults.requests) - posted == 2, "refused once, and sent once"
        assert await has_recovered(sim)


async def test_request_without_answer_is_retried(sim: LocalBot) -> None:
    sim.faults.delay(EDIT, 1000)
    await sim.place_tile()
    assert (await sim.load_head()).shown_seq < (await sim.load_head()).seq
    await sim.skip_time(6)
    await sim.settle_turn()
    assert await has_recovered(sim)
    assert await can_continue(sim)
