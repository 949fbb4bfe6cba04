"""The bot with real rate limits, bans, removals and timeouts: every match continues."""

import asyncio
import logging
from dataclasses import replace

import pytest

from bot.app import build
from bot.playground.discord_limits import Rate, RateLimits
from data.store.store import Store
from tests.bot.local_bot import LocalBot, run_local_bot
from tests.bot.sending.posts import is_up_to_date
from tests.crash.fast_clock import build_fast_limits
from tests.data.store.empty import prepare_database
from tests.playground.page_user import PageUser
from tests.wording import has_sentence

REAL_RATES = build_fast_limits(20)
DAY = 24


@pytest.fixture
async def sim(local: LocalBot) -> LocalBot:
    async with asyncio.timeout(300):
        await local.client.wait_until_ready()
    return local


async def test_fast_match_stays_within_rate_limits(url: str) -> None:
    async with run_local_bot(url, rates=REAL_RATES) as sim:
        await sim.start_table()
        for _ in range(8):
            await sim.move()
        await sim.wait_until_all_sent()
        assert await is_up_to_date(sim)
        assert sim.discord.throttle.limited_counts == {"user": 0, "shared": 0, "global": 0, "banned": 0}
        assert sim.discord.throttle.invalid == 0


async def test_board_older_than_one_hour_shows_every_move(url: str) -> None:
    async with run_local_bot(url, rates=replace(RateLimits.create_generous(), old_edits=Rate(1, 0.5))) as sim:
        await sim.start_table()
        await sim.skip_time(2 * 3600)
        for _ in range(6):
            await sim.move()
        await sim.wait_until_all_sent()
        assert await is_up_to_date(sim)
        assert len(await sim.list_boards()) == 1
        assert sim.discord.throttle.limited_counts["user"] > 0, "the limit was met"


async def delete_board(sim: LocalBot) -> None:
    board = (await sim.load_head()).board_message_id
    sim.discord.world.delete_message(sim.channel_id, str(board))
    await sim.client.services.announcer.handle_deletion(int(sim.channel_id), board or 0)
    await sim.wait_until_idle()


async def test_banned_bot_sends_few_requests_and_recovers(sim: LocalBot, caplog: pytest.LogCaptureFixture) -> None:
    await sim.start_table()
    sim.discord.interactions.answer_within = 3.0
    sim.discord.throttle.ban(1800)
    mover = await sim.get_mover()
    assert (await mover.fetch_outcome(await mover.use_command(sim.channel_id, "tiles", "hand")))["state"] == "failed"
    await delete_board(sim)
    for _ in range(29):
        await sim.skip_time(60)
    assert sim.discord.throttle.limited_counts["banned"] <= 3
    warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert ["429/0" in line for line in warnings] == [True] * len(warnings)
    assert len(warnings) <= 3
    await sim.skip_time(120)
    await sim.wait_until_all_sent()
    await sim.move()
    await sim.wait_until_all_sent()
    assert await is_up_to_date(sim)


async def test_unavailable_guild_is_not_marked_as_left(sim: LocalBot) -> None:
    await sim.start_table()
    guild = next(iter(sim.discord.world.guilds))
    async with asyncio.timeout(300):
        sim.discord.gateway.start_outage(guild)
        ready = asyncio.create_task(sim.client.wait_for("ready"))
        await asyncio.sleep(0)
        await sim.discord.gateway.drop_connections(forget=True)
        await ready
        assert [one.unavailable for one in sim.client.guilds] == [True]
        assert (await sim.store.guilds.load_guild(int(guild))).left_at is None
        available = asyncio.create_task(sim.client.wait_for("guild_available"))
        await asyncio.sleep(0)
        sim.discord.gateway.end_outage(guild)
        await available
    await sim.move()
    await sim.wait_until_all_sent()
    assert await is_up_to_date(sim)


async def test_removed_bot_sends_nothing_until_invited_again(sim: LocalBot) -> None:
    await sim.start_table()
    guild = next(iter(sim.discord.world.guilds))
    sim.discord.world.members.remove_bot(guild)
    await delete_board(sim)
    assert len(await sim.store.outbox.list_blocked()) == 1
    sim.take_requests()
    for _ in range(6):
        await sim.skip_time(3600)
    assert sim.take_requests() == []
    sim.discord.world.members.add_bot(guild)
    await sim.wait_until_all_sent()
    assert await is_up_to_date(sim)
    assert (await sim.store.guilds.load_guild(int(guild))).left_at is None


async def test_timed_out_bot_continues_after_timeout(sim: LocalBot) -> None:
    await sim.start_table()
    guild = next(iter(sim.discord.world.guilds))
    sim.discord.world.members.time_out(guild, sim.discord.world.bot, 2)
    await delete_board(sim)
    assert len(await sim.store.outbox.list_blocked()) == 1
    (notice,) = await sim.list_direct_messages(sim.ada)
    assert has_sentence(notice["content"], "trouble.closed", game="Triominoes")
    async with asyncio.timeout(300):
        while await sim.store.outbox.list_blocked():
            await asyncio.sleep(0.5)
            await sim.skip_time(0)
    await sim.wait_until_all_sent()
    assert await is_up_to_date(sim)


async def test_restart_detects_returned_permission(sim: LocalBot, url: str) -> None:
    await sim.start_table()
    sim.discord.world.set_bot_permissions(sim.channel_id, send_messages=False)
    await delete_board(sim)
    assert len(await sim.store.outbox.list_blocked()) == 1
    await sim.client.close()
    sim.discord.world.set_bot_permissions(sim.channel_id, send_messages=True)
    store = await Store.open(await prepare_database(url))
    second_client = build(store, clock=sim.client.services.now)
    await second_client.login(sim.discord.token)
    running = asyncio.create_task(second_client.connect())
    try:
        async with asyncio.timeout(300):
            await second_client.wait_until_ready()
            while await store.outbox.list_blocked():
                await second_client.services.announcer.sweep()
                await asyncio.sleep(0.1)
            await second_client.services.announcer.wait_until_idle()
        assert await is_up_to_date(sim)
    finally:
        await second_client.close()
        await asyncio.gather(running, return_exceptions=True)
        await store.close()


async def start_with_dm_calls(sim: LocalBot) -> tuple[PageUser, PageUser]:
    await sim.start_table()
    for person in (sim.ada, sim.grace):
        await sim.use_command(person, "tiles", "settings", call="dm")
    mover = await sim.get_mover()
    return mover, sim.grace if mover is sim.ada else sim.ada


async def test_departed_member_is_called_in_channel(sim: LocalBot) -> None:
    mover, other = await start_with_dm_calls(sim)
    sim.discord.world.members.leave(next(iter(sim.discord.world.guilds)), other.id)
    await sim.move()
    await sim.wait_until_all_sent()
    mentions = [one["mentions"] for one in await mover.fetch_messages(sim.channel_id, 100) if one["mentions"]]
    assert [[one["id"] for one in people] for people in mentions][-1] == [other.id]
    assert await sim.list_direct_messages(other) == []


async def test_rate_limited_dm_is_sent_later(url: str) -> None:
    async with run_local_bot(url, rates=replace(RateLimits.create_generous(), direct_channels=Rate(1, 600))) as sim:
        _, other = await start_with_dm_calls(sim)
        sim.discord.throttle.count_direct_channel()
        await sim.move()
        assert await sim.list_direct_messages(other) == []
        await sim.skip_time(700)
        await sim.wait_until_all_sent()
        assert len(await sim.list_direct_messages(other)) == 1
        assert await sim.list_calls() == []
