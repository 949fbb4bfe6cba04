"""Discord limits everything at once, for longer than any answer may take. It is waited out, and silences nothing."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.app import build
from bot.core import discord_errors
from bot.core.names import NameBook
from bot.playground import rest_channels
from bot.sending import post_lease
from data.store.outbox import outbox
from data.store.store import Store
from tests.bot.parlour import Parlour, parlour, words_of
from tests.bot.posts import DELETE, EDIT, SEND, shows_the_head

ANSWER = 1.0
LIMITED = 1.5
DIRECT = "POST /api/v10/users/@me/channels"
MEMBER = "GET /api/v10/guilds"


@pytest.fixture
async def house(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        await found.table()
        monkeypatch.setattr(discord_errors, "ANSWER", ANSWER)
        yield found


async def said(house: Parlour) -> None:
    async with asyncio.timeout(300):
        while (await house.head()).dirty or await house.pending():
            await house.later(6)


async def heals(house: Parlour) -> bool:
    await said(house)
    return await shows_the_head(house)


async def goes_on(house: Parlour) -> bool:
    for _ in range(2):
        async with asyncio.timeout(300):
            await house.move()
    return await heals(house)


async def test_global_limit_is_waited_out(house: Parlour) -> None:
    house.faults.limit_everything(LIMITED)
    async with asyncio.timeout(300):
        assert (await house.place_tile()).startswith("You played "), "answers to people do not count"
        await house.stands()
    assert house.faults.limited >= 1
    assert await heals(house)
    assert await goes_on(house)


@pytest.mark.parametrize("part", [SEND, EDIT, DELETE], ids=["a call", "a board", "what has had its time"])
async def test_global_limit_on_one_request_is_waited_out(house: Parlour, part: str) -> None:
    house.faults.next_status(part, 429, retry_after=LIMITED, scope="global")
    async with asyncio.timeout(300):
        await house.move()
    assert await heals(house)
    assert await goes_on(house)


async def test_global_limit_late_in_attempt_is_waited_out(house: Parlour) -> None:
    house.faults.delay(EDIT, 0.9 * ANSWER)
    house.faults.next_status(EDIT, 429, retry_after=LIMITED, scope="global")
    house.faults.delay(SEND, 0.9 * ANSWER)
    async with asyncio.timeout(300):
        await house.move()
    assert await heals(house)
    assert await goes_on(house)


@pytest.mark.parametrize("part", [DIRECT, SEND], ids=["the channel to a person", "the message to a person"])
async def test_global_limit_on_direct_message_is_waited_out(house: Parlour, part: str) -> None:
    mover = await house.mover()
    (other,) = [person for person in house.people.values() if person is not mover]
    await house.store.users.set_person(int(other.id), pings="dm", now=0)
    house.faults.next_status(part, 429, retry_after=LIMITED, scope="global")
    async with asyncio.timeout(300):
        await house.move()
    await said(house)
    assert len(await house.direct(other)) == 1
    async with asyncio.timeout(300):
        await house.move()
    assert await heals(house)


async def test_direct_message_is_sent_later_after_too_many_channels(house: Parlour) -> None:
    mover = await house.mover()
    (other,) = [person for person in house.people.values() if person is not mover]
    await house.store.users.set_person(int(other.id), pings="dm", now=0)
    house.faults.next_status(DIRECT, 403, code=40003)
    await house.move()
    assert await house.direct(other) == []
    assert len(await house.pending()) == 1
    await said(house)
    assert len(await house.direct(other)) == 1


async def test_global_limit_on_name_request_is_waited_out(house: Parlour) -> None:
    for person in house.people.values():
        house.client.services.names.forget(int(person.id))
    house.faults.next_status(MEMBER, 429, retry_after=LIMITED, scope="global")
    async with asyncio.timeout(300):
        await house.move()
    assert await heals(house)
    assert await goes_on(house)


async def test_limited_hand_is_answered_without_names(house: Parlour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NameBook, "SOON", 0.2)
    mover = await house.mover()
    for person in house.people.values():
        house.client.services.names.forget(int(person.id))
    house.faults.limit_everything(6.0)
    assert "Your turn" in words_of(await house.answered(mover, await mover.slash(house.place, "tiles", "hand")))
    assert house.faults.limited >= 1
    house.faults.clear()
    assert await goes_on(house)


@pytest.mark.parametrize("renewed", [0.3, 1000.0], ids=["it says so", "the database hangs, so it cannot say so"])
async def test_delayed_post_sent_once(
    house: Parlour, url: str, monkeypatch: pytest.MonkeyPatch, renewed: float
) -> None:
    monkeypatch.setattr(outbox, "LEASE", 2000)
    monkeypatch.setattr(post_lease, "RENEW", renewed)
    monkeypatch.setattr(rest_channels, "NONCE_LIFE", 0.0)
    second = await Store.open(url)
    other = build(second, clock=house.client.services.now)
    await other.login(house.discord.token)
    try:
        house.faults.next_status(SEND, 429, retry_after=5.0, scope="global")
        posted = sum(SEND in line for line in house.faults.lines)
        moving = asyncio.create_task(house.move())
        while not moving.done():
            await other.services.announcer.sweep()
            await other.services.announcer.idle()
            await asyncio.sleep(0.1)
        await moving
        await said(house)
        assert sum(SEND in line for line in house.faults.lines) - posted == 2, "refused once, and sent once"
        assert await heals(house)
    finally:
        await other.close()
        await second.close()


async def test_request_without_answer_is_retried(house: Parlour) -> None:
    house.faults.delay(EDIT, 1000)
    async with asyncio.timeout(300):
        await house.place_tile()
    assert (await house.head()).shown_seq < (await house.head()).seq
    await house.later(6)
    await house.stands()
    assert await heals(house)
    assert await goes_on(house)
