"""Commands on a server without the bot are refused with an invite link and store nothing.

Before, `/tiles new` answered "Your table is open" there, and its post failed with 10003: whether that could happen was
up to a setting in the developer portal.
"""

from urllib.parse import parse_qs, urlsplit

import pytest

from bot.playground.commands import GLOBAL
from bot.playground.person import PageError
from tests.bot.local_bot import LocalBot, labels, run_local_bot, walk, words_of
from tests.wording import en

NOT_A_MEMBER = en("no.NOT_A_MEMBER")


def links(message: dict[str, object]) -> list[str]:
    return [one["url"] for one in walk(message["components"]) if "url" in one]


async def create_foreign_channel(room: LocalBot) -> str:
    world = room.discord.world
    guild = world.add_guild("Elsewhere")["id"]
    world.members.remove_bot(guild)
    world.members.installed.add(room.ada.id)
    return str(world.add_channel("general", guild_id=guild)["id"])


async def test_commands_are_unavailable_where_bot_is_no_member(url: str) -> None:
    async with run_local_bot(url) as room:
        room.discord.commands.installs = [0, 1]  # as set in the developer portal
        place = await create_foreign_channel(room)
        with pytest.raises(PageError):
            await room.ada.use_command(place, "tiles", "new")


async def test_command_without_membership_is_answered_with_invite_link(url: str) -> None:
    async with run_local_bot(url) as room:
        place = await create_foreign_channel(room)
        for command in room.discord.commands.list_registered(GLOBAL):
            command["integration_types"] = [0, 1]
        said = await room.ada.wait_for_answer(place, await room.ada.use_command(place, "tiles", "new"))
        assert words_of(said).startswith(NOT_A_MEMBER)
        assert said["flags"] & 64, "for whoever asked alone"
        (link,) = links(said)
        asked = parse_qs(urlsplit(link).query)
        assert asked["scope"] == ["bot applications.commands"]
        assert asked["permissions"] == ["309237763072"], "those that the README asks for"
        assert await room.store.matches.find_head(1) is None
        export = await room.ada.wait_for_answer(place, await room.ada.use_command(place, "tiles", "data", "export"))
        assert NOT_A_MEMBER not in words_of(export)


async def test_old_button_after_removal_says_bot_is_no_member(url: str) -> None:
    async with run_local_bot(url) as room:
        await room.ada.use_command(room.place, "tiles", "new", seats=2)
        lobby = await room.ada.wait_for_message(room.place, lambda one: "Join" in labels(one))
        await room.quiet()
        before = await room.head()
        room.discord.world.members.remove_bot(str(room.discord.world.channels[room.place]["guild_id"]))
        said = await room.grace.wait_for_answer(room.place, await room.grace.click(lobby, label="Join"))
        assert words_of(said).startswith(NOT_A_MEMBER)
        assert await room.head() == before, "nobody sat down"
