"""Notices to a host whose channel is closed and whose DM channel fails."""

from __future__ import annotations

from tests.bot.local_bot import LocalBot

DIRECT = "POST /api/v10/users/@me/channels"


async def close_channel(stage: LocalBot) -> None:
    stage.discord.world.set_bot_permissions(stage.channel_id, send_messages=False)
    await stage.store.outbox.block(1, int(stage.channel_id), 50013, now=stage.client.services.now())


async def test_unreachable_host_does_not_delay_sweep(stage: LocalBot) -> None:
    release = stage.faults.hold(DIRECT)
    await close_channel(stage)
    await stage.client.services.announcer.sweep()
    assert await stage.list_direct_messages(stage.ada) == []
    release.set()
    await stage.wait_until_idle()
    assert len(await stage.list_direct_messages(stage.ada)) == 1


async def test_unreachable_host_is_retried_and_notified_once(stage: LocalBot) -> None:
    stage.faults.inject_status(DIRECT, 503, times=3)
    stage.faults.requests.clear()
    await close_channel(stage)
    waits = []
    for _ in range(3):
        (before,) = await stage.store.outbox.list_blocked()
        await stage.skip_time(max(0, before.next_at - stage.client.services.now()) / 1000 + 0.01)
        (after,) = await stage.store.outbox.list_blocked()
        waits.append(after.next_at - before.next_at)
    assert waits == sorted(set(waits))
    assert stage.faults.requests.count(DIRECT) == 3
    assert await stage.list_direct_messages(stage.ada) == []
    await stage.skip_time(3600)
    await stage.skip_time(3600)
    assert len(await stage.list_direct_messages(stage.ada)) == 1
