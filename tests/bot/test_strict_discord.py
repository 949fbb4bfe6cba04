"""The bot on a Discord with its real limits, and on one that turns it away: every match goes on."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.app import build
from bot.playground.discord_limits import Rate, Rates
from bot.playground.person import Person
from data.store.store import Store
from tests.bot.parlour import Parlour, parlour
from tests.bot.posts import shows_the_head
from tests.data.store.empty import laid
from tests.wording import says

REAL = Rates().hurried(20)
DAY = 24


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        async with asyncio.timeout(300):
            await found.client.wait_until_ready()
        yield found


async def test_people_who_play_as_fast_as_they_can_lead_to_no_request_too_many(url: str) -> None:
    async with parlour(url, rates=REAL) as house:
        await house.table()
        for _ in range(8):
            await house.move()
        await house.settled()
        assert await shows_the_head(house)
        assert house.discord.throttle.told == {"user": 0, "shared": 0, "global": 0, "banned": 0}
        assert house.discord.throttle.invalid == 0


async def test_board_that_is_older_than_hour_still_shows_every_move(url: str) -> None:
    async with parlour(url, rates=replace(Rates.generous(), old_edits=Rate(1, 0.5))) as house:
        await house.table()
        await house.later(2 * 3600)
        for _ in range(6):
            await house.move()
        await house.settled()
        assert await shows_the_head(house)
        assert len(await house.boards()) == 1
        assert house.discord.throttle.told["user"] > 0, "the limit was met"


async def lose_board(house: Parlour) -> None:
    board = (await house.head()).board_message_id
    house.discord.world.delete_message(house.place, str(board))
    await house.client.services.announcer.vanished(int(house.place), board or 0)
    await house.quiet()


async def test_banned_bot_asks_seldom_and_goes_on_afterwards(house: Parlour, caplog: pytest.LogCaptureFixture) -> None:
    await house.table()
    house.discord.interactions.answer_within = 3.0
    house.discord.throttle.ban(1800)
    mover = await house.mover()
    assert (await mover.outcome(await mover.slash(house.place, "tiles", "hand")))["state"] == "failed"
    await lose_board(house)
    for _ in range(29):
        await house.later(60)
    assert house.discord.throttle.told["banned"] <= 3
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert ["429/0" in line for line in told] == [True] * len(told)
    assert len(told) <= 3
    await house.later(120)
    await house.settled()
    await house.move()
    await house.settled()
    assert await shows_the_head(house)


async def test_server_that_is_away_has_not_been_left(house: Parlour) -> None:
    await house.table()
    guild = next(iter(house.discord.world.guilds))
    async with asyncio.timeout(300):
        house.discord.gateway.take_away(guild)
        again = asyncio.create_task(house.client.wait_for("ready"))
        await asyncio.sleep(0)
        await house.discord.gateway.cut(forget=True)
        await again
        assert [one.unavailable for one in house.client.guilds] == [True]
        assert (await house.store.guilds.guild(int(guild))).left_at is None
        back = asyncio.create_task(house.client.wait_for("guild_available"))
        await asyncio.sleep(0)
        house.discord.gateway.bring_back(guild)
        await back
    await house.move()
    await house.settled()
    assert await shows_the_head(house)


async def test_bot_that_is_thrown_out_is_quiet_and_goes_on_when_it_is_invited_again(house: Parlour) -> None:
    await house.table()
    guild = next(iter(house.discord.world.guilds))
    house.discord.world.members.send_away(guild)
    await lose_board(house)
    assert len(await house.store.outbox.blocked()) == 1
    house.asked()
    for _ in range(6):
        await house.later(3600)
    assert house.asked() == []
    house.discord.world.members.invite(guild)
    await house.settled()
    assert await shows_the_head(house)
    assert (await house.store.guilds.guild(int(guild))).left_at is None


async def test_bot_that_is_timed_out_goes_on_when_that_is_over(house: Parlour) -> None:
    await house.table()
    guild = next(iter(house.discord.world.guilds))
    house.discord.world.members.time_out(guild, house.discord.world.bot, 2)
    await lose_board(house)
    assert len(await house.store.outbox.blocked()) == 1
    (told,) = await house.direct(house.ada)
    assert says(told["content"], "trouble.closed", game="Triominoes")
    async with asyncio.timeout(300):
        while await house.store.outbox.blocked():
            await asyncio.sleep(0.5)
            await house.later(0)
    await house.settled()
    assert await shows_the_head(house)


async def test_bot_that_was_not_there_when_it_was_let_in_again_finds_out_at_its_start(house: Parlour, url: str) -> None:
    await house.table()
    house.discord.world.set_bot_permissions(house.place, send_messages=False)
    await lose_board(house)
    assert len(await house.store.outbox.blocked()) == 1
    await house.client.close()
    house.discord.world.set_bot_permissions(house.place, send_messages=True)
    store = await Store.open(await laid(url))
    again = build(store, clock=house.client.services.now)
    await again.login(house.discord.token)
    running = asyncio.create_task(again.connect())
    try:
        async with asyncio.timeout(300):
            await again.wait_until_ready()
            while await store.outbox.blocked():
                await again.services.announcer.sweep()
                await asyncio.sleep(0.1)
            await again.services.announcer.idle()
        assert await shows_the_head(house)
    finally:
        await again.close()
        await asyncio.gather(running, return_exceptions=True)
        await store.close()


async def called_alone(house: Parlour) -> tuple[Person, Person]:
    await house.table()
    for person in (house.ada, house.grace):
        await house.answered(person, await person.slash(house.place, "tiles", "settings", call="dm"))
    who = await house.mover()
    return who, house.grace if who is house.ada else house.ada


async def test_whoever_shares_no_server_any_more_is_called_in_channel(house: Parlour) -> None:
    who, other = await called_alone(house)
    house.discord.world.members.leave(next(iter(house.discord.world.guilds)), other.id)
    await house.move()
    await house.settled()
    rung = [one["mentions"] for one in await who.messages(house.place, 100) if one["mentions"]]
    assert [[one["id"] for one in people] for people in rung][-1] == [other.id]
    assert await house.direct(other) == []


async def test_doors_that_open_too_fast_are_knocked_at_later(url: str) -> None:
    async with parlour(url, rates=replace(Rates.generous(), doors=Rate(1, 600))) as house:
        _, other = await called_alone(house)
        house.discord.throttle.opens_door()
        await house.move()
        assert await house.direct(other) == []
        await house.later(700)
        await house.settled()
        assert len(await house.direct(other)) == 1
        assert await house.calls() == []
