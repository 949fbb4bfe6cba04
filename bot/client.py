"""The Discord client: what it hears of, the commands, the presses, and what happens by itself."""

import asyncio
import sys
import time
from contextlib import suppress
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import tasks

from bot.core import metrics, settings_commands
from bot.core.admission import Admit
from bot.core.command_groups import CommandTranslator, tiles
from bot.core.component_items import Pressed, is_on_message, pressed
from bot.core.discord_errors import FAILURES, Requests, code_of, counted
from bot.core.languages import at_once
from bot.core.layout import said
from bot.core.logs import logger
from bot.core.services import App, Services
from bot.operating.command_sync import Registering
from bot.operating.sharding import ONE, Division, ShardedClient, Starts
from bot.tables import (
    admin_commands,
    agreements,
    board_commands,
    hand_commands,
    lobby_commands,
    opening_commands,
    typed_moves,
)
from data.store.connection.facts import Owner
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import Shards
from data.store.connection.store_errors import StoreClosed

log = logger(__name__)

SWEEP: Final = 5.0
"""Seconds between two looks for what is due."""

INTENTS: Final = discord.Intents(guilds=True, guild_messages=True)
"""What it wants to hear of: servers with their channels, roles and threads; and messages, to know how far up a board
is. Commands and presses come without asking, in direct messages too.
"""


COMMANDS: Final = (
    admin_commands,
    agreements,
    board_commands,
    hand_commands,
    lobby_commands,
    opening_commands,
    settings_commands,
    typed_moves,
)
"""The modules of the core whose commands and buttons register when they are imported."""


class Tree(app_commands.CommandTree["Boneyard"]):
    """The commands. Whoever types faster than anybody reads gets no suggestions for a moment."""

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Commands themselves are let in by `bot.core.dispatch`."""
        if interaction.type is not discord.InteractionType.autocomplete:
            return True
        entry = self.client.services.admission.suggests(interaction.id, interaction.user.id)
        if entry in (Admit.TOO_FAST, Admit.CLOSING):
            await interaction.response.autocomplete([])
        return entry is Admit.COME_IN

    async def on_error(
        self, interaction: discord.Interaction["Boneyard"], error: app_commands.AppCommandError, /
    ) -> None:
        """Whoever used a command of another version is told so; the rest is logged by discord.py."""
        if not isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            await super().on_error(interaction, error)
            return
        log.info("a command is not known here", server=interaction.guild_id)
        try:
            if interaction.type is discord.InteractionType.autocomplete:
                await interaction.response.autocomplete([])
            else:
                await interaction.response.send_message(
                    view=said(at_once(interaction)("no.OTHER_COMMANDS")), ephemeral=True
                )
        except FAILURES as failed:
            log.info("nobody heard that", code=code_of(failed))
        await self.client.commands_mistaken()


class Boneyard(ShardedClient):
    """The bot. It owns the connection; everything it can do is in its `services`."""

    services: Services
    app: App
    playground = False
    """Whether the Discord it talks to is a local one."""
    limit: "asyncio.Timeout | None" = None
    """What breaks off a start that leads to nothing."""

    def __init__(self, division: Division = ONE, *, guild_ready_timeout: float = 2.0) -> None:
        """`guild_ready_timeout`: seconds without a new server after which discord.py reports that all are there."""
        shards = division.shards
        super().__init__(
            shard_count=division.count,
            shard_ids=sorted(shards.numbers) if shards is not None else None,  # type: ignore[arg-type] # it may be
            intents=INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            # Everything that matters is in the store; messages are not looked up again.
            max_messages=None,
            http_trace=counted(),
            guild_ready_timeout=guild_ready_timeout,
        )
        self.swept_at = time.monotonic()
        """When all that was due had last been looked at."""
        self.tree = Tree(
            self,
            # Said, so that it is not up to a setting in the portal: tables stand on servers that the bot is on.
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
        )
        for group in (tiles, lobby_commands.hosts, admin_commands.admin):
            self.tree.add_command(group)
        self.add_dynamic_items(Pressed)
        self._sweeper: tasks.Loop[Any] = tasks.loop(seconds=SWEEP)(self._sweep)
        self._registering: Registering | None = None

    def use(self, app: App) -> None:
        """Take over what features registered."""
        self.app = app
        for group in app.groups:
            self.tree.add_command(group)

    def _get_state(self, **options: Any) -> Any:
        """Of discord.py, which asks Discord through what is set here."""
        self.http = Requests(self.loop, self.http.http_trace)
        return super()._get_state(**options)

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Tell of what Discord says, until the connection is closed.

        Whoever stops the bot while it waits for its servers would else read that discord.py had nowhere to put `ready`.
        """
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)

    async def setup_hook(self) -> None:
        """Tell Discord about the commands, and begin to look for what is due. Raises OtherApplication, and nothing was
        touched, where the database belongs to another one.
        """
        self._comes_on()  # an old database may take its time
        # First of all: on somebody else's database all servers would count as left, and all channels as closed.
        assert self.application_id is not None, "known from the login on"
        services, application_id = self.services, self.application_id
        await services.store.claim(Owner(application_id, playground=self.playground))
        await self._divide()
        # Before anybody can act: an outage is noted, and whoever acts finds its time given back.
        await services.scheduler.begin()
        self._sweeper.start()
        await self.tree.set_translator(CommandTranslator())
        self._registering = Registering(self.tree, application_id, services.store, services.now)
        await self._registering.begin()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """What comes while the bot is stopped is no error: the next start learns of it."""
        if isinstance(sys.exception(), StoreClosed):
            log.info("too late for this", gateway_event=event_method)
        else:
            await super().on_error(event_method, *args, **kwargs)

    def _comes_on(self) -> None:
        """The start leads somewhere: nothing breaks it off."""
        if self.limit is not None:
            with suppress(RuntimeError):  # it is being broken off just now
                self.limit.reschedule(None)

    async def commands_mistaken(self) -> None:
        """Somebody used a command that Discord shows and that does not exist here."""
        if self._registering is not None:
            await self._registering.mistaken()

    async def _divide(self) -> None:
        """Find out which shards are this process's."""
        if self.shard_count is None:
            count, _, _ = await self.http.get_bot_gateway()
            self.shard_count, self.shard_ids = count, list(range(count))
        assert self.shard_ids is not None
        # The state counts who is ready by these.
        self._connection.shard_count, self._connection.shard_ids = self.shard_count, self.shard_ids
        mine = Shards(self.shard_count, frozenset(self.shard_ids))
        self.services.presence.begin(mine)
        # On a local Discord one connection may begin at any time: whoever plays there waits for nothing.
        if not self.playground or self.shard_count > 1:
            self.starts = Starts(self.http, self.services.store, self.services.now)
        if self.shard_count > 1:
            log.info("shards", count=self.shard_count, mine=self.shard_ids)

    async def _sweep(self) -> None:
        try:
            await self.services.scheduler.sweep()
            await self.services.alerts.sweep(self.services.presence.heard)
            for sweep in self.app.sweeps:
                await sweep()
            await self.services.cleanup.sweep()
            for guild_id in await self.services.privacy.tidy():
                log.info("all of a server was deleted", server=guild_id)
            self.swept_at = time.monotonic()
            metrics.LAST_SWEEP.set(time.time())
        except StoreClosed:
            log.info("the next start goes on with what is due")
        except DatabaseUnavailable:
            log.info("what is due waits for the database")
        except Exception:
            # The loop must outlive one bad round: the next may succeed.
            log.exception("a sweep failed")

    async def on_ready(self) -> None:
        """Say so in the log."""
        log.info("ready", servers=len(self.guilds))

    async def on_shard_ready(self, number: int) -> None:
        """Its servers are known, and the languages they speak: begin to serve them."""
        self._comes_on()
        self.services.presence.hear(number)
        # Nobody tells which servers were left while the bot did not run. Each shard knows its own, and those alone.
        mine = self.services.presence.mine.only({number})
        try:
            await self.services.privacy.present({guild.id for guild in self.guilds if mine.holds(guild.id)}, mine)
        except StoreClosed:
            log.info("the next start sees which servers were left")

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Invited, perhaps again: what is kept of the server stays."""
        await self.services.privacy.welcomed(guild.id)
        self.services.announcer.look_again(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """There, at the start or again after an outage of Discord's."""
        self.services.announcer.look_again(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Sent away: what is kept of the server goes in thirty days."""
        await self.services.privacy.sent_away(guild.id)

    async def on_shard_resumed(self, number: int) -> None:
        """It is heard again."""
        self.services.presence.hear(number)

    async def on_shard_disconnect(self, number: int) -> None:
        """It is not heard: whoever's time runs there now cannot play."""
        self.services.presence.lose(number)

    async def on_message(self, message: discord.Message) -> None:
        """Count what comes after a board, to know when it has scrolled far up. Contents are neither wanted nor sent."""
        self.services.announcer.noticed(message)
        for notice in self.app.on_message:
            await notice(message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A board that somebody deletes comes back."""
        await self.services.announcer.vanished(payload.channel_id, payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """So does one that goes with many others."""
        for message_id in payload.message_ids:
            await self.services.announcer.vanished(payload.channel_id, message_id)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Answer presses that no button of the message explains."""
        if interaction.type is discord.InteractionType.component and not is_on_message(interaction):
            await pressed(interaction)

    async def on_guild_channel_update(self, _: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        """The bot may have been let into a channel again."""
        self.services.announcer.look_again(after.guild)

    async def on_guild_role_update(self, _: discord.Role, after: discord.Role) -> None:
        """So it may by a role."""
        self.services.announcer.look_again(after.guild)

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """So it may where a role goes that had taken it away."""
        # Whether it did can only be tried: discord.py still counts with what a channel says about that role.
        self.services.announcer.reopened(channel.id for channel in (*role.guild.channels, *role.guild.threads))

    async def on_member_update(self, _: discord.Member, after: discord.Member) -> None:
        """So it may by getting or losing one. Discord tells this about the bot itself, whatever its intents."""
        if after.id == after.guild.me.id:
            self.services.announcer.look_again(after.guild)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """So it may where a thread is unlocked; discord.py forgets archived ones, so only the raw event tells."""
        if not payload.data["thread_metadata"].get("locked"):
            self.services.announcer.reopened([payload.thread_id])

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """Let features know that a thread is gone."""
        for deleted in self.app.on_thread_delete:
            await deleted(payload.guild_id, payload.thread_id)

    async def drain(self) -> None:
        """Before the end: nobody new comes in, and what was begun is finished, shown and told."""
        self._sweeper.stop()
        await self.services.admission.close()
        for end in self.app.ends:
            await end()
        await self.services.scheduler.end()
        await self.services.announcer.idle()
        await self.services.alerts.idle()
        for idle in self.app.idles:
            await idle()

    async def close(self) -> None:
        """Stop looking for what is due, then disconnect."""
        self._sweeper.cancel()
        if self._registering is not None:
            self._registering.end()
        await super().close()
