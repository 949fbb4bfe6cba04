"""The group `/tiles`. A handler reads, asks and answers; the same handlers serve the buttons."""

from discord import app_commands

from bot.ask import Ask, Interaction
from bot.handling import Handler, handle
from bot.interpreter import told
from bot.views.ids import Press

tiles = app_commands.Group(
    name="tiles",
    description=told("command.tiles"),
    guild_only=True,
)

__all__ = ["asked", "tiles"]


async def asked(interaction: Interaction, verb: str, handler: Handler) -> None:
    """Serve a slash command with a handler."""
    await handle(Ask(interaction, Press(verb)), handler)
