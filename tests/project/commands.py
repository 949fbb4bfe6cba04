"""All slash commands of the bot by name."""

from discord import Client, app_commands

from bot.commands.admin import admin
from bot.commands.deals import deal_group
from bot.commands.hosts import hosts
from bot.commands.league import leagues
from bot.commands.registry import tiles
from bot.operating.client import Boneyard

GROUPS = (tiles, hosts, leagues, deal_group, admin)

Command = app_commands.Command[object, ..., object]


def commands_of(group: app_commands.Group) -> dict[str, Command]:
    """Return the commands of a group, sorted, by what is typed after its name."""
    assert issubclass(Boneyard, Client), "importing the client fills the groups"
    found = [command for command in group.walk_commands() if isinstance(command, app_commands.Command)]
    return dict(sorted((command.qualified_name.removeprefix(f"{group.name} "), command) for command in found))
