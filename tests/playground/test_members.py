"""Members of servers: roles, timeouts, nicknames, departures, required permissions and languages."""

import asyncio
import re
from typing import Any

import discord
import pytest

from bot.playground.discord_limits import PageError
from bot.playground.server import LocalDiscord
from bot.playground.world import World
from tests.playground.page_user import PageUser
from tests.playground.raw_bot import RawBot
from tests.playground.small_bot import SmallBot, expect_event
from tests.wording import en

MANAGE_GUILD = 1 << 5


def find_guild_id(local: LocalDiscord) -> str:
    return next(iter(local.world.guilds))


async def receive_interaction(local: LocalDiscord, person: PageUser, tiles: str) -> dict[str, Any]:
    received: list[dict[str, Any]] = []
    local.world.events.subscribe(lambda one: received.append(one.data) if one.kind == "interaction_create" else None)
    await person.use_command(tiles, "act")
    return received[0]


def compute_permissions(world: World, name: str, channel: str) -> discord.Permissions:
    user = next(one for one in world.users.values() if one["username"] == name)
    return world.compute_permissions(user, world.channels[channel])


async def test_channel_overwrites_apply_after_role_permissions(
    local: LocalDiscord, grace: PageUser, tiles: str
) -> None:
    world, guild = local.world, find_guild_id(local)
    assert not compute_permissions(world, "Grace", tiles).manage_messages
    keeper = world.members.add_role(guild, "Keeper", manage_messages=True)
    world.members.change(guild, world.users[grace.id], roles=[keeper])
    assert compute_permissions(world, "Grace", tiles).manage_messages
    world.set_permissions(tiles, guild, send_messages=False)
    assert [compute_permissions(world, name, tiles).send_messages for name in ("Grace", "Linus")] == [False, False]
    world.set_permissions(tiles, keeper, send_messages=True)
    assert [compute_permissions(world, name, tiles).send_messages for name in ("Grace", "Linus")] == [True, False]
    world.set_permissions(tiles, grace.id, send_messages=False)
    assert not compute_permissions(world, "Grace", tiles).send_messages
    world.members.remove_role(guild, keeper)
    assert not compute_permissions(world, "Grace", tiles).manage_messages


async def test_member_without_view_permission_has_no_access_or_events(
    local: LocalDiscord, raw_bot: RawBot, grace: PageUser, tiles: str
) -> None:
    world = local.world
    await grace.listen()
    world.set_permissions(tiles, grace.id, view_channel=False)
    assert compute_permissions(world, "Grace", tiles) == discord.Permissions.none()
    assert [one["name"] for one in (await grace.fetch_state())["channels"]] == ["games-night"]
    with pytest.raises(PageError, match=re.escape(en("page.refused_place"))):
        await grace.fetch_messages(tiles)
    await raw_bot.send(tiles, content="hidden")
    other = next(one for one in world.channels if one != tiles)
    await raw_bot.send(other, content="shown")
    first = await grace.wait_for_event(lambda one: one["type"] == "message_create")
    assert first["data"]["content"] == "shown"


async def test_administrator_and_owner_have_all_permissions(local: LocalDiscord, grace: PageUser, tiles: str) -> None:
    world, guild = local.world, find_guild_id(local)
    boss = world.members.add_role(guild, "Boss", administrator=True)
    world.members.change(guild, world.users[grace.id], roles=[boss])
    world.set_permissions(tiles, guild, view_channel=False)
    everything, nothing = discord.Permissions.all(), discord.Permissions.none()
    found = [compute_permissions(world, name, tiles) for name in ("Grace", "Ada", "Linus")]
    assert found == [everything, everything, nothing]


async def test_moderator_command_requires_role_with_its_permission(
    local: LocalDiscord, raw_bot: RawBot, ada: PageUser, grace: PageUser, tiles: str
) -> None:
    command = {"name": "act", "description": "Acts", "default_member_permissions": str(MANAGE_GUILD)}
    await raw_bot.request("PUT", f"/applications/{raw_bot.bot_id}/commands", [command])
    assert await ada.use_command(tiles, "act"), "Ada owns the server"
    with pytest.raises(PageError) as caught:
        await grace.use_command(tiles, "act")
    assert str(caught.value) == en("page.refused_permission")
    world, guild = local.world, find_guild_id(local)
    world.members.change(guild, world.users[grace.id], roles=[world.members.add_role(guild, "Host", manage_guild=True)])
    data = await receive_interaction(local, grace, tiles)
    assert int(data["member"]["permissions"]) & MANAGE_GUILD
    assert len(data["member"]["roles"]) == 1


async def test_timed_out_member_can_only_read_until_timeout_ends(local: LocalDiscord, grace: PageUser) -> None:
    clock = [1_800_000_000.0]
    async with (
        LocalDiscord(None, port=0, now=lambda: clock[0]) as discord_,
        PageUser(discord_.address, "Grace") as member,
    ):
        world, guild, tiles = discord_.world, find_guild_id(discord_), discord_.world.welcome_channel
        world.members.time_out(guild, world.users[member.id], 60)
        assert compute_permissions(world, "Grace", tiles) == discord.Permissions(
            view_channel=True, read_message_history=True
        )
        with pytest.raises(PageError, match="timed out"):
            await member.use_command(tiles, "act")
        assert await member.fetch_messages(tiles) == []
        clock[0] += 60
        assert compute_permissions(world, "Grace", tiles).send_messages
        with pytest.raises(PageError, match="no command"):
            await member.use_command(tiles, "act")


async def test_bot_that_is_timed_out_cannot_post(local: LocalDiscord, raw_bot: RawBot, tiles: str) -> None:
    local.world.members.time_out(find_guild_id(local), local.world.bot, 60)
    assert await raw_bot.request_error("POST", f"/channels/{tiles}/messages", {"content": "x"}) == (403, 50013)


async def test_nickname_belongs_to_one_server(local: LocalDiscord, raw_bot: RawBot, grace: PageUser) -> None:
    first, second = find_guild_id(local), local.world.add_guild("Second")["id"]
    local.world.members.change(first, local.world.users[grace.id], nick="Grete")
    names = [(await raw_bot.request("GET", f"/guilds/{one}/members/{grace.id}"))[1]["nick"] for one in (first, second)]
    assert names == ["Grete", None]


async def test_member_who_left_has_no_access_or_direct_messages(
    local: LocalDiscord, raw_bot: RawBot, grace: PageUser, tiles: str
) -> None:
    world, guild = local.world, find_guild_id(local)
    _, direct = await raw_bot.request("POST", "/users/@me/channels", {"recipient_id": grace.id})
    world.members.leave(guild, grace.id)
    assert await raw_bot.request_error("GET", f"/guilds/{guild}/members/{grace.id}") == (404, 10007)
    assert (await raw_bot.request("GET", f"/users/{grace.id}"))[0] == 200
    assert (await grace.fetch_state())["channels"] != []
    with pytest.raises(PageError):
        await grace.fetch_messages(tiles)
    assert await raw_bot.request_error("POST", f"/channels/{direct['id']}/messages", {"content": "x"}) == (403, 50278)
    world.members.installed.add(grace.id)
    assert (await raw_bot.request("POST", f"/channels/{direct['id']}/messages", {"content": "x"}))[0] == 200


async def test_member_update_without_intent_covers_only_the_bot(
    local: LocalDiscord, small_bot: SmallBot, grace: PageUser
) -> None:
    guild, members = find_guild_id(local), local.world.members
    async with asyncio.timeout(300):
        await small_bot.wait_until_ready()
        async with expect_event(small_bot, "member_update") as member_update:
            members.change(guild, local.world.users[grace.id], nick="Grete")
            members.change(guild, local.world.bot, nick="Tiles")
    _, after = member_update.result()
    assert (after.id, after.nick) == (int(local.world.bot["id"]), "Tiles")


async def test_discord_py_receives_role_events(local: LocalDiscord, small_bot: SmallBot) -> None:
    guild, members = find_guild_id(local), local.world.members
    async with asyncio.timeout(300):
        await small_bot.wait_until_ready()
        async with expect_event(small_bot, "guild_role_create") as role_created:
            role = members.add_role(guild, "Keeper", manage_messages=True)
        assert role_created.result().permissions.manage_messages
        async with expect_event(small_bot, "guild_role_delete") as role_deleted:
            members.remove_role(guild, role)
        assert role_deleted.result().id == int(role)


async def test_users_and_servers_have_separate_languages(
    local: LocalDiscord, raw_bot: RawBot, grace: PageUser, tiles: str
) -> None:
    await raw_bot.register()
    local.world.users[grace.id]["locale"] = "de"
    local.world.members.set_locale(find_guild_id(local), "fr")
    data = await receive_interaction(local, grace, tiles)
    assert (data["locale"], data["guild_locale"], data["guild"]["locale"]) == ("de", "fr", "fr")
