"""Hosts who are to be told that their channel is closed, and cannot be reached."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.bot.parlour import Parlour, parlour

DIRECT = "POST /api/v10/users/@me/channels"


@pytest.fixture
async def house(url: str) -> AsyncIterator[Parlour]:
    async with parlour(url) as found:
        await found.table()
        yield found


async def shut(house: Parlour) -> None:
    house.discord.world.set_bot_permissions(house.place, send_messages=False)
    await house.store.outbox.block(1, int(house.place), 50013, now=house.client.services.now())


async def test_host_who_cannot_be_reached_keeps_nobody_waiting(house: Parlour) -> None:
    release = house.faults.hold(DIRECT)
    await shut(house)
    await house.client.services.announcer.sweep()
    assert await house.direct(house.ada) == []
    release.set()
    await house.quiet()
    assert len(await house.direct(house.ada)) == 1


async def test_host_who_cannot_be_reached_is_tried_later_and_later_and_told_once(house: Parlour) -> None:
    house.faults.next_status(DIRECT, 503, times=3)
    house.faults.lines.clear()
    await shut(house)
    waits = []
    for _ in range(3):
        (before,) = await house.store.outbox.blocked()
        assert before.next_at is not None
        await house.later(max(0, before.next_at - house.client.services.now()) / 1000 + 0.01)
        (after,) = await house.store.outbox.blocked()
        assert after.next_at is not None
        waits.append(after.next_at - before.next_at)
    assert waits == sorted(set(waits))
    assert house.faults.lines.count(DIRECT) == 3
    assert await house.direct(house.ada) == []
    await house.later(3600)
    await house.later(3600)
    assert len(await house.direct(house.ada)) == 1
