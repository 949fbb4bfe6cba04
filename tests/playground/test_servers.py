"""Servers with and without the bot, users who installed the bot, and private and locked threads."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from bot.playground.discord_limits import PageError
from bot.playground.payloads import is_open_thread
from bot.playground.server import LocalDiscord
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import SmallBot, expect_event
from tests.wording import en

PRIVATE, PUBLIC = 12, 11


def add_far_channel(local: LocalDiscord, *, with_bot: bool = False) -> str:
    guild = local.world.add_guild("Elsewhere", with_bot=with_bot)
    return str(local.world.add_channel("far", guild_id=guild["id"])["id"])


async def start_thread(raw_bot: RawBot, channel: str, kind: int) -> dict[str, Any]:
    _, thread = await raw_bot.request("POST", f"/channels/{channel}/threads", {"name": "t", "type": kind})
    return thread  # type: ignore[no-any-return]


async def test_person_acts_in_each_of_several_servers(local: LocalDiscord, small_bot: SmallBot, ada: PageUser) -> None:
    far_channel = add_far_channel(local, with_bot=True)
    for channel in (local.world.welcome_channel, far_channel):
        answer = await ada.wait_for_answer(channel, await ada.use_command(channel, "try", "word", word="hi"))
        assert answer["content"] == "hi for all"


async def test_server_without_bot_refuses_its_requests(local: LocalDiscord, raw_bot: RawBot) -> None:
    far_channel = add_far_channel(local)
    guild = local.world.channels[far_channel]["guild_id"]
    for method, path in (
        ("GET", f"/channels/{far_channel}"),
        ("POST", f"/channels/{far_channel}/messages"),
        ("GET", f"/guilds/{guild}"),
    ):
        assert await raw_bot.request_error(method, path, {"content": "x"} if method == "POST" else None) == (403, 50001)
    assert [one["name"] for one in (await raw_bot.request("GET", "/users/@me/guilds"))[1]] == ["Your server"]
    socket = await raw_bot.connect()
    ready = await socket.receive_json()
    assert guild not in [one["id"] for one in ready["d"]["guilds"]]


async def test_user_installed_command_works_only_where_allowed(
    local: LocalDiscord, raw_bot: RawBot, ada: PageUser
) -> None:
    far_channel = add_far_channel(local)
    await raw_bot.register()
    with pytest.raises(PageError, match="no command"):
        await ada.use_command(far_channel, "act")
    local.world.members.installed.add(ada.id)
    with pytest.raises(PageError, match="no command"):
        await ada.use_command(far_channel, "act")
    # Commands without `integration_types` use the setting of the portal.
    local.commands.installs = [0, 1]
    await raw_bot.register()
    socket = await raw_bot.connect()
    interaction_id = await ada.use_command(far_channel, "act")
    frames = [await socket.receive_json() for _ in range(3)]
    data = frames[2]["d"]
    assert (frames[2]["t"], data["id"], data["authorizing_integration_owners"]) == (
        "INTERACTION_CREATE", interaction_id, {"1": ada.id},
    )  # fmt: skip
    assert int(data["app_permissions"]) & 1 << 11 == 0
    assert (await raw_bot.respond(interaction_id, 4, content="x"))[0] == 200
    assert await raw_bot.request_error("POST", f"/channels/{far_channel}/messages", {"content": "x"}) == (403, 50001)


async def test_command_is_available_only_in_its_contexts(
    local: LocalDiscord, raw_bot: RawBot, ada: PageUser, tiles: str
) -> None:
    commands = [
        {"name": "there", "description": "In servers", "contexts": [0]},
        {"name": "here", "description": "In direct talk", "contexts": [1]},
    ]
    await raw_bot.request("PUT", f"/applications/{raw_bot.bot_id}/commands", commands)
    _, direct = await raw_bot.request("POST", "/users/@me/channels", {"recipient_id": ada.id})
    await ada.use_command(tiles, "there")
    await ada.use_command(direct["id"], "here")
    for channel, name in ((tiles, "here"), (direct["id"], "there")):
        with pytest.raises(PageError, match="no command"):
            await ada.use_command(channel, name)


async def test_removed_bot_gets_guild_remove_and_no_further_events(
    local: LocalDiscord, small_bot: SmallBot, raw_bot: RawBot, tiles: str
) -> None:
    guild = local.world.channels[tiles]["guild_id"]
    async with asyncio.timeout(300):
        await small_bot.wait_until_ready()
        async with expect_event(small_bot, "guild_remove") as guild_remove:
            local.world.members.remove_bot(guild)
        assert guild_remove.result().id == int(guild)
        async with expect_event(small_bot, "guild_join") as guild_join:
            local.world.members.add_bot(guild)
        assert guild_join.result().id == int(guild)
    assert (await raw_bot.request("GET", f"/channels/{tiles}"))[0] == 200


async def test_private_thread_is_visible_only_to_members(
    local: LocalDiscord, raw_bot: RawBot, ada: PageUser, grace: PageUser, tiles: str
) -> None:
    assert await raw_bot.request_error("POST", f"/channels/{tiles}/threads", {"name": "t"}) == (403, 50013)
    local.world.set_bot_permissions(tiles, create_private_threads=True)
    thread = await start_thread(raw_bot, tiles, PRIVATE)
    assert thread["type"] == PRIVATE
    with pytest.raises(PageError, match=re.escape(en("page.refused_place"))):
        await grace.fetch_messages(thread["id"])
    await raw_bot.request("PUT", f"/channels/{thread['id']}/thread-members/{grace.id}")
    assert await grace.fetch_messages(thread["id"]) == []
    assert await ada.fetch_messages(thread["id"]) == []  # users with the permission Manage Threads see all threads
    await raw_bot.request("DELETE", f"/channels/{thread['id']}/thread-members/@me")
    assert await raw_bot.request_error("POST", f"/channels/{thread['id']}/messages", {"content": "x"}) == (403, 50001)


async def test_bot_gets_no_events_of_private_threads_without_it(
    local: LocalDiscord, raw_bot: RawBot, grace: PageUser, tiles: str
) -> None:
    socket = await raw_bot.connect()
    assert [(await socket.receive_json())["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
    world = local.world
    thread = world.start_thread(world.channels[tiles], "secret", grace.id, 1440, None, private=True)
    world.save_channel(thread)
    await raw_bot.send(tiles, content="aloud")
    assert (await socket.receive_json())["d"]["content"] == "aloud"


async def test_locked_thread_accepts_messages_of_moderators_only(
    local: LocalDiscord, raw_bot: RawBot, tiles: str
) -> None:
    thread = await start_thread(raw_bot, tiles, PUBLIC)
    local.world.channels[thread["id"]]["thread_metadata"]["locked"] = True
    path = f"/channels/{thread['id']}/messages"
    assert await raw_bot.request_error("POST", path, {"content": "x"}) == (400, 160005)
    local.world.set_bot_permissions(tiles, manage_threads=True)
    assert (await raw_bot.request("POST", path, {"content": "x"}))[0] == 200


async def test_members_and_private_threads_survive_restart(tmp_path: Path) -> None:
    file = tmp_path / "discord.db"
    async with LocalDiscord(file, port=0) as before:
        world = before.world
        guild, grace = next(iter(world.guilds)), list(world.users)[1]
        role = world.members.add_role(guild, "Keeper", manage_messages=True)
        world.members.change(guild, world.users[grace], roles=[role], nick="Grete")
        world.members.leave(guild, list(world.users)[2])
        world.start_thread(world.channels[world.welcome_channel], "t", grace, 1440, None, private=True)
    async with LocalDiscord(file, port=0) as after:
        world = after.world
        member = world.members.build_member(world.users[grace], guild)
        assert (member["nick"], member["roles"]) == ("Grete", [role])
        assert [one["username"] for one in world.list_members(guild)] == ["Ada", "Grace"]
        assert [world.can_see(one) for one in world.channels.values() if is_open_thread(one)] == [False]
