"""All slash commands of the bot by name."""

from discord import Client, app_commands

from bot import features
from bot.client import Boneyard
from bot.core.command_groups import tiles
from bot.duplicates.commands import deal_group
from bot.leagues.commands import leagues
from bot.tables.admin_commands import admin
from bot.tables.lobby_commands import hosts

features.load()
GROUPS = (tiles, hosts, leagues, deal_group, admin)

Command = app_commands.Command[object, ..., object]


def list_commands(group: app_commands.Group) -> dict[str, Command]:
    """Return the commands of a group, sorted, by what is typed after its name."""
    assert issubclass(Boneyard, Client), "importing the client fills the groups"
    found = [command for command in group.walk_commands() if isinstance(command, app_commands.Command)]
    return dict(sorted((command.qualified_name.removeprefix(f"{group.name} "), command) for command in found))
