"""Commands on a server without the bot are refused with an invite link and store nothing.

Before, `/tiles new` answered "Your table is open" there, and its post failed with 10003: this depended on a setting in
the developer portal.
"""

from urllib.parse import parse_qs, urlsplit

import pytest

from bot.playground.commands import GLOBAL
from bot.playground.discord_limits import PageError
from tests.bot.local_bot import LocalBot, list_button_labels, list_components, read_text
from tests.wording import en

NOT_A_MEMBER = en("no.NOT_A_MEMBER")


async def create_foreign_channel(room: LocalBot) -> str:
    world = room.discord.world
    guild = world.add_guild("Elsewhere")["id"]
    world.members.remove_bot(guild)
    world.members.installed.add(room.ada.id)
    return str(world.add_channel("general", guild_id=guild)["id"])


async def test_commands_are_unavailable_where_bot_is_no_member(local: LocalBot) -> None:
    local.discord.commands.installs = [0, 1]  # as set in the developer portal
    place = await create_foreign_channel(local)
    with pytest.raises(PageError):
        await local.ada.use_command(place, "tiles", "new")


async def test_command_without_membership_is_answered_with_invite_link(local: LocalBot) -> None:
    place = await create_foreign_channel(local)
    for command in local.discord.commands.list_registered(GLOBAL):
        command["integration_types"] = [0, 1]
    answer = await local.ada.wait_for_answer(place, await local.ada.use_command(place, "tiles", "new"))
    assert read_text(answer).startswith(NOT_A_MEMBER)
    assert answer["flags"] & 64, "for whoever asked alone"
    (link,) = [one["url"] for one in list_components(answer["components"]) if "url" in one]
    query = parse_qs(urlsplit(link).query)
    assert query["scope"] == ["bot applications.commands"]
    assert query["permissions"] == ["309237763072"], "those that the README asks for"
    assert await local.store.matches.find_head(1) is None
    export = await local.ada.wait_for_answer(place, await local.ada.use_command(place, "tiles", "data", "export"))
    assert NOT_A_MEMBER not in read_text(export)


async def test_old_button_after_removal_says_bot_is_no_member(local: LocalBot) -> None:
    await local.ada.use_command(local.channel_id, "tiles", "new", seats=2)
    lobby = await local.ada.wait_for_message(local.channel_id, lambda one: "Join" in list_button_labels(one))
    await local.wait_until_idle()
    before = await local.load_head()
    local.discord.world.members.remove_bot(str(local.discord.world.channels[local.channel_id]["guild_id"]))
    answer = await local.click(local.grace, lobby, "Join")
    assert read_text(answer).startswith(NOT_A_MEMBER)
    assert await local.load_head() == before, "nobody sat down"
