"""Discord takes nothing for a while: it is not flooded meanwhile, and has everything soon after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import discord
import pytest

from bot.base.discord_errors import LONGEST, PASSES, is_passing, wait_after
from bot.posting import deliveries
from bot.posting.deliveries import ILL, Deliveries
from tests.bot.parlour import Parlour, parlour
from tests.bot.test_waits_trouble import refusal

EVERYTHING = "/api/v10/channels"
TABLES = 12


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        yield found


async def lobbies(house: Parlour) -> list[int]:
    """Tables in channels of their own."""
    for number in range(TABLES):
        house.place = house.discord.world.add_channel(f"table-{number}")["id"]
        person = (house.ada, house.grace)[number % 2]
        await house.answered(person, await person.slash(house.place, "tiles", "new", seats=2))
    await house.quiet()
    return [head.match_id for head in await house.store.heads_dirty(100)]


async def test_a_discord_that_is_ill_is_asked_by_one_table_at_a_time_and_all_is_said_when_it_is_well(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "_pause", lambda *_: 0.0)
    house.faults.next_status(EVERYTHING, 503, times=1 << 20)
    behind = await lobbies(house)
    assert len(behind) == TABLES
    assert house.client.services.announcer.deliveries.ill
    for _ in range(5):
        house.faults.lines.clear()
        await house.later(2 * PASSES)
        assert len([line for line in house.faults.lines if EVERYTHING in line]) == 1
    house.faults.clear()
    async with asyncio.timeout(300):
        while await house.store.heads_dirty(1):
            await house.later(0)
    assert not house.client.services.announcer.deliveries.ill


async def test_nobody_waits_for_longer_than_a_minute_for_a_discord_that_was_ill_for_hours(
    house: Parlour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "_pause", lambda *_: 0.0)
    await house.table()
    house.faults.next_status(EVERYTHING, 503, times=1 << 20)
    await house.place_tile()
    for _ in range(20):
        await house.later(PASSES)
    assert house.client.services.announcer.deliveries.ill
    house.faults.clear()
    await house.later(PASSES)
    async with asyncio.timeout(300):
        while (await house.head()).dirty:
            await house.later(0)


@pytest.mark.parametrize("error", [refusal(500), refusal(429), refusal(401), aiohttp.ClientError(), TimeoutError()])
def test_what_says_nothing_about_the_message_is_tried_again_within_a_minute(error: Exception) -> None:
    assert is_passing(error)
    assert max(wait_after(error, attempts) for attempts in range(20)) == PASSES * 1000


@pytest.mark.parametrize("error", [refusal(400, 50035), refusal(403, 50013), refusal(404, 10008)])
def test_what_is_about_the_message_waits_longer_and_longer(error: Exception) -> None:
    assert not is_passing(error)
    assert wait_after(error, 20) == LONGEST * 1000


def told(one: Deliveries, error: Exception | None) -> None:
    try:
        with one.counted():
            if error is not None:
                raise error
    except (discord.HTTPException, OSError, RuntimeError):
        pass


async def test_a_message_that_is_refused_shows_that_discord_is_there() -> None:
    one = Deliveries()
    for _ in range(ILL):
        told(one, TimeoutError())
    assert one.ill
    told(one, refusal(403, 50013))
    assert (one.ill, one.arrived, one.failed) == (False, 1, ILL)


async def test_a_failure_of_our_own_is_one_too() -> None:
    one = Deliveries()
    for _ in range(ILL):
        told(one, RuntimeError("Session is closed"))
    assert one.ill
    assert not one.answered()
    assert one.why() == "RuntimeError"


async def test_discords_own_wish_is_kept_by_whoever_finds_out_whether_it_is_well() -> None:
    one = Deliveries()
    for _ in range(ILL):
        told(one, refusal(429, **{"Retry-After": "3600"}))
    assert not one.may_probe(), "a ban of an hour is an hour"
