"""Notices to a host whose channel is closed and whose DM channel fails."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.bot.local_bot import LocalBot, run_local_bot

DIRECT = "POST /api/v10/users/@me/channels"


@pytest.fixture
async def sim(url: str) -> AsyncIterator[LocalBot]:
    async with run_local_bot(url) as found:
        await found.start_table()
        yield found


async def close_channel(sim: LocalBot) -> None:
    sim.discord.world.set_bot_permissions(sim.channel_id, send_messages=False)
    await sim.store.outbox.block(1, int(sim.channel_id), 50013, now=sim.client.services.now())


async def test_unreachable_host_does_not_delay_sweep(sim: LocalBot) -> None:
    release = sim.faults.hold(DIRECT)
    await close_channel(sim)
    await sim.client.services.announcer.sweep()
    assert await sim.list_direct_messages(sim.ada) == []
    release.set()
    await sim.wait_until_idle()
    assert len(await sim.list_direct_messages(sim.ada)) == 1


async def test_unreachable_host_is_retried_and_notified_once(sim: LocalBot) -> None:
    sim.faults.inject_status(DIRECT, 503, times=3)
    sim.faults.requests.clear()
    await close_channel(sim)
    waits = []
    for _ in range(3):
        (before,) = await sim.store.outbox.list_blocked()
        assert before.next_at is not None
        await sim.skip_time(max(0, before.next_at - sim.client.services.now()) / 1000 + 0.01)
        (after,) = await sim.store.outbox.list_blocked()
        assert after.next_at is not None
        waits.append(after.next_at - before.next_at)
    assert waits == sorted(set(waits))
    assert sim.faults.requests.count(DIRECT) == 3
    assert await sim.list_direct_messages(sim.ada) == []
    await sim.skip_time(3600)
    await sim.skip_time(3600)
    assert len(await sim.list_direct_messages(sim.ada)) == 1
