"""The Discord client: gateway events, commands, components and the periodic sweep."""

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
from bot.core.services import App, Job, Services
from bot.operating.command_sync import Registering
from bot.operating.sharding import ONE, Division, ShardedClient, Starts
from bot.tables import (
    admin_commands,
    agreements,
    board_commands,
    hand_commands,
    help_commands,
    lobby_commands,
    opening_commands,
    typed_moves,
)
from data.store.connection.facts import Owner
from data.store.connection.faults import DatabaseUnavailable
from data.store.connection.shards import Shards
from data.store.connection.store_errors import StoreClosed

log = logger(__name__)
SWEEP: Final = 5.0  # seconds between two sweeps
# Guilds with channels, roles and threads; and messages, to know how far up a board is.
INTENTS: Final = discord.Intents(guilds=True, guild_messages=True)

COMMANDS: Final = (
    admin_commands,
    agreements,
    board_commands,
    hand_commands,
    help_commands,
    lobby_commands,
    opening_commands,
    settings_commands,
    typed_moves,
)
"""The modules of the core whose commands and buttons register when they are imported."""


class Tree(app_commands.CommandTree["Boneyard"]):
    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Limit autocomplete; `bot.core.dispatch` admits the commands themselves."""
        if interaction.type is not discord.InteractionType.autocomplete:
            return True
        entry = self.client.services.admission.suggests(interaction.id, interaction.user.id)
        if entry in (Admit.TOO_FAST, Admit.CLOSING):
            await interaction.response.autocomplete([])
        return entry is Admit.COME_IN

    async def on_error(
        self, interaction: discord.Interaction["Boneyard"], error: app_commands.AppCommandError, /
    ) -> None:
        """Answer commands of another version; discord.py logs all other errors."""
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
    """The bot: the connection, and its `services`."""

    services: Services
    app: App
    playground = False  # whether it talks to a local Discord
    limit: "asyncio.Timeout | None" = None  # cancels a start that makes no progress

    def __init__(self, division: Division = ONE, *, guild_ready_timeout: float = 2.0) -> None:
        """Create the client. discord.py reports ready after `guild_ready_timeout` seconds without a new guild."""
        shards = division.shards
        super().__init__(
            shard_count=division.count,
            shard_ids=sorted(shards.numbers) if shards is not None else None,  # type: ignore[arg-type]
            intents=INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            # Everything that matters is in the store; messages are not looked up again.
            max_messages=None,
            http_trace=counted(),
            guild_ready_timeout=guild_ready_timeout,
        )
        self.swept_at = time.monotonic()  # end of the last full sweep
        self.tree = Tree(
            self,
            # Explicit, so that no portal setting decides it: tables need guilds that the bot is a member of.
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
        )
        for group in (tiles, lobby_commands.hosts, admin_commands.admin):
            self.tree.add_command(group)
        self.add_dynamic_items(Pressed)
        self._sweeper: tasks.Loop[Any] = tasks.loop(seconds=SWEEP)(self._sweep)
        self._registering: Registering | None = None

    def use(self, app: App) -> None:
        self.app = app
        for group in app.groups:
            self.tree.add_command(group)

    def _get_state(self, **options: Any) -> Any:
        self.http = Requests(self.loop, self.http.http_trace)
        return super()._get_state(**options)

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Drop gateway events after the connection is closed; discord.py would log them as errors."""
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)

    async def setup_hook(self) -> None:
        """Claim the database, register the commands and start the sweep. Raises OtherApplication before any change."""
        self._cancel_startup_timeout()  # migrating an old database may take long
        # First of all: with a foreign database all guilds would count as left, and all channels as closed.
        assert self.application_id is not None, "known from the login on"
        services, application_id = self.services, self.application_id
        await services.store.claim(Owner(application_id, playground=self.playground))
        await self._assign_shards()
        # Before the first command, so that acting players get their outage credit.
        await services.scheduler.begin()
        self._sweeper.start()
        await self.tree.set_translator(CommandTranslator())
        self._registering = Registering(self.tree, application_id, services.store, services.now)
        await self._registering.begin()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Ignore events that arrive during shutdown: the next start catches up."""
        if isinstance(sys.exception(), StoreClosed):
            log.info("too late for this", gateway_event=event_method)
        else:
            await super().on_error(event_method, *args, **kwargs)

    def _cancel_startup_timeout(self) -> None:
        if self.limit is not None:
            with suppress(RuntimeError):  # the timeout is firing
                self.limit.reschedule(None)

    async def commands_mistaken(self) -> None:
        """Register the commands again: a user tried a command that Discord shows but this version lacks."""
        if self._registering is not None:
            await self._registering.mistaken()

    async def _assign_shards(self) -> None:
        if self.shard_count is None:
            count, _, _ = await self.http.get_bot_gateway()
            self.shard_count, self.shard_ids = count, list(range(count))
        assert self.shard_ids is not None
        # discord.py's connection state uses these to decide when all shards are ready.
        self._connection.shard_count, self._connection.shard_ids = self.shard_count, self.shard_ids
        mine = Shards(self.shard_count, frozenset(self.shard_ids))
        self.services.presence.begin(mine)
        # A local Discord with one shard needs no delay between starts.
        if not self.playground or self.shard_count > 1:
            self.starts = Starts(self.http, self.services.store, self.services.now)
        if self.shard_count > 1:
            log.info("shards", count=self.shard_count, mine=self.shard_ids)

    async def _sweep(self) -> None:
        try:
            await self.services.scheduler.sweep()
            await self.services.alerts.sweep(self.services.presence.heard)
            for sweep in self.app.sweeps:
                await self._sweep_feature(sweep)
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
            log.exception("a sweep failed")

    async def _sweep_feature(self, sweep: Job) -> None:
        try:
            await sweep()
        except (StoreClosed, DatabaseUnavailable):
            raise
        except Exception:
            # Other features, cleanup and deletion continue without it.
            log.exception("a sweep of a feature failed")

    async def on_ready(self) -> None:
        log.info("ready", servers=len(self.guilds))

    async def on_shard_ready(self, number: int) -> None:
        self._cancel_startup_timeout()
        self.services.presence.hear(number)
        # No event reports guilds left while the bot was down. Each shard knows only its own guilds.
        mine = self.services.presence.mine.only({number})
        try:
            await self.services.privacy.present({guild.id for guild in self.guilds if mine.holds(guild.id)}, mine)
        except StoreClosed:
            log.info("the next start sees which servers were left")

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.services.privacy.welcomed(guild.id)
        self.services.announcer.look_again(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Retry the channels of a guild, at startup or after an outage of Discord."""
        self.services.announcer.look_again(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Schedule the deletion of a guild's data, 30 days from now."""
        await self.services.privacy.sent_away(guild.id)

    async def on_shard_resumed(self, number: int) -> None:
        self.services.presence.hear(number)

    async def on_shard_disconnect(self, number: int) -> None:
        """Note the outage: the guilds of this shard cannot play."""
        self.services.presence.lose(number)

    async def on_message(self, message: discord.Message) -> None:
        """Count messages after a board, to know how far up it is. Contents are not requested."""
        self.services.announcer.noticed(message)
        for notice in self.app.on_message:
            await notice(message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self.services.announcer.vanished(payload.channel_id, payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        for message_id in payload.message_ids:
            await self.services.announcer.vanished(payload.channel_id, message_id)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.type is discord.InteractionType.component and not is_on_message(interaction):
            await pressed(interaction)

    async def on_guild_channel_update(self, _: object, after: discord.abc.GuildChannel | discord.Role) -> None:
        self.services.announcer.look_again(after.guild)

    on_guild_role_update = on_guild_channel_update

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """Retry the closed channels: the role may have denied access."""
        # discord.py still applies the channel overwrites of the deleted role, so only trying shows it.
        self.services.announcer.reopened(channel.id for channel in (*role.guild.channels, *role.guild.threads))

    async def on_member_update(self, _: discord.Member, after: discord.Member) -> None:
        """Retry closed channels when the bot's roles change. Discord sends this for the bot itself with any intents."""
        if after.id == after.guild.me.id:
            self.services.announcer.look_again(after.guild)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """Retry an unlocked thread. Only the raw event reports it: discord.py drops archived threads."""
        if not payload.data["thread_metadata"].get("locked"):
            self.services.announcer.reopened([payload.thread_id])

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        for deleted in self.app.on_thread_delete:
            await deleted(payload.guild_id, payload.thread_id)

    async def drain(self) -> None:
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
        self._sweeper.cancel()
        if self._registering is not None:
            self._registering.end()
        await super().close()
