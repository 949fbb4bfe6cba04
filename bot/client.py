"""The Discord client: default intents, the commands, the presses, and what happens by itself."""

import logging
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import tasks

from bot.commands import lobby, look, people, play, tiles, typed
from bot.desk import Desk
from bot.views.press import Pressed, is_on_message, pressed

log = logging.getLogger(__name__)

SWEEP: Final = 5.0
"""Seconds between two looks for what is due."""

__all__ = ["Boneyard", "lobby", "look", "people", "play", "typed"]


class Boneyard(discord.Client):
    """The bot. It owns the connection; everything it can do is on its desk."""

    desk: Desk

    def __init__(self) -> None:
        super().__init__(
            intents=discord.Intents.default(),
            allowed_mentions=discord.AllowedMentions.none(),
            # Everything that matters is in the store; messages are not looked up again.
            max_messages=None,
        )
        self.tree = app_commands.CommandTree(self)
        self.tree.add_command(tiles)
        self.add_dynamic_items(Pressed)
        self._sweeper: tasks.Loop[Any] = tasks.loop(seconds=SWEEP)(self._sweep)

    async def setup_hook(self) -> None:
        """Tell Discord about the commands, and begin to look for what is due."""
        # One request that overwrites all of them; only commands that did not exist count against Discord's daily limit.
        await self.tree.sync()
        self._sweeper.start()

    async def _sweep(self) -> None:
        try:
            await self.desk.clockwork.sweep()
        except Exception:
            # The loop must outlive one bad round: the next may succeed.
            log.exception("a sweep failed")

    async def on_ready(self) -> None:
        """Say so in the log."""
        log.info("ready as %s on %s servers", self.user, len(self.guilds))

    async def on_message(self, message: discord.Message) -> None:
        """Count what comes after a board, to know when it has scrolled far up. Contents are neither wanted nor sent."""
        self.desk.announcer.noticed(message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A board that somebody deletes comes back."""
        await self.desk.announcer.vanished(payload.channel_id, payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """So does one that goes with many others."""
        for message_id in payload.message_ids:
            await self.desk.announcer.vanished(payload.channel_id, message_id)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Answer presses that no button of the message explains."""
        if interaction.type is discord.InteractionType.component and not is_on_message(interaction):
            await pressed(interaction)

    async def close(self) -> None:
        """Stop looking for what is due, then disconnect."""
        self._sweeper.cancel()
        await super().close()
