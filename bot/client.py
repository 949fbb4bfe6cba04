"""The Discord client: gateway events, commands, components and the periodic sweep."""

import asyncio
import sys
import time
from contextlib import ExitStack, suppress
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import tasks

from bot.core import metrics, settings_commands
from bot.core.admission import ENTRY, AdmissionResult
from bot.core.choices import resolve_choices
from bot.core.command_groups import CommandTranslator, tiles
from bot.core.discord_errors import REQUEST_ERRORS, DiscordHTTPClient, build_counting_trace, format_error_code
from bot.core.dispatch import ComponentItem, handle_click, is_on_message
from bot.core.languages import choose_words
from bot.core.layout import build_text_view
from bot.core.logs import get_logger
from bot.core.services import App, Job, Services
from bot.operating.command_sync import CommandRegistration
from bot.operating.sharding import ONE_SHARD, IdentifyLimiter, ShardAssignment, ShardedClient
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

log = get_logger(__name__)
SWEEP_INTERVAL: Final = 5.0  # seconds between two sweeps
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


class BoneyardTree(app_commands.CommandTree["Boneyard"]):
    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        """Limit autocomplete, and admit commands with their choices resolved."""
        admission = self.client.services.admission
        if interaction.type is not discord.InteractionType.autocomplete:
            interaction.extras[ENTRY] = entry = admission.admit(interaction.id, interaction.user.id)
            if entry is AdmissionResult.COME_IN:
                with ExitStack() as tracking:
                    tracking.enter_context(admission.track())
                    await resolve_choices(interaction)
                    # discord.py calls the command in this step of the loop, and `dispatch` tracks it from then on.
                    asyncio.get_running_loop().call_soon(tracking.pop_all().close)
            return True
        entry = admission.admit_suggestion(interaction.id, interaction.user.id)
        if entry in (AdmissionResult.TOO_FAST, AdmissionResult.CLOSING):
            await interaction.response.autocomplete([])
        return entry is AdmissionResult.COME_IN

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
                    view=build_text_view(choose_words(interaction)("no.OTHER_COMMANDS")), ephemeral=True
                )
        except REQUEST_ERRORS as failed:
            log.info("nobody heard that", code=format_error_code(failed))
        await self.client.register_commands_again()


class Boneyard(ShardedClient):
    """The bot: the connection, and its `services`."""

    services: Services
    app: App
    playground = False  # whether it talks to a local Discord
    start_timeout: "asyncio.Timeout | None" = None  # cancels a start that makes no progress

    def __init__(self, division: ShardAssignment = ONE_SHARD, *, guild_ready_timeout: float = 2.0) -> None:
        """Create the client. discord.py reports ready after `guild_ready_timeout` seconds without a new guild."""
        shards = division.shards
        super().__init__(
            shard_count=division.count,
            shard_ids=sorted(shards.numbers) if shards is not None else None,  # type: ignore[arg-type]
            intents=INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            # Everything that matters is in the store; messages are not looked up again.
            max_messages=None,
            http_trace=build_counting_trace(),
            guild_ready_timeout=guild_ready_timeout,
        )
        self.swept_at = time.monotonic()  # end of the last full sweep
        self.tree = BoneyardTree(
            self,
            # Explicit, so that no portal setting decides it: tables need guilds that the bot is a member of.
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
        )
        for group in (tiles, lobby_commands.hosts, admin_commands.admin):
            self.tree.add_command(group)
        self.add_dynamic_items(ComponentItem)
        self._sweeper: tasks.Loop[Any] = tasks.loop(seconds=SWEEP_INTERVAL)(self._sweep)
        self._registering: CommandRegistration | None = None

    def install(self, app: App) -> None:
        self.app = app
        for group in app.groups:
            self.tree.add_command(group)

    def _get_state(self, **options: Any) -> Any:
        self.http = DiscordHTTPClient(self.loop, self.http.http_trace)
        return super()._get_state(**options)

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Drop gateway events after the connection is closed; discord.py would log them as errors."""
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)

    async def setup_hook(self) -> None:
        """Claim the database, register the commands and start the sweep. Raises DatabaseOwnerError before any
        change.
        """
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
        self._registering = CommandRegistration(self.tree, application_id, services.store, services.now)
        await self._registering.begin()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Ignore events that arrive during shutdown: the next start catches up."""
        if isinstance(sys.exception(), StoreClosed):
            log.info("too late for this", gateway_event=event_method)
        else:
            await super().on_error(event_method, *args, **kwargs)

    def _cancel_startup_timeout(self) -> None:
        if self.start_timeout is not None:
            with suppress(RuntimeError):  # the timeout is firing
                self.start_timeout.reschedule(None)

    async def register_commands_again(self) -> None:
        """Register the commands again: a user tried a command that Discord shows but this version lacks."""
        if self._registering is not None:
            await self._registering.restore_commands()

    async def _assign_shards(self) -> None:
        if self.shard_count is None:
            count, _, _ = await self.http.get_bot_gateway()
            self.shard_count, self.shard_ids = count, list(range(count))
        assert self.shard_ids is not None
        # discord.py's connection state uses these to decide when all shards are ready.
        self._connection.shard_count, self._connection.shard_ids = self.shard_count, self.shard_ids
        own_shards = Shards(self.shard_count, frozenset(self.shard_ids))
        self.services.presence.begin(own_shards)
        # A local Discord with one shard needs no delay between starts.
        if not self.playground or self.shard_count > 1:
            self.identify_limiter = IdentifyLimiter(self.http, self.services.store, self.services.now)
        if self.shard_count > 1:
            log.info("shards", count=self.shard_count, mine=self.shard_ids)

    async def _sweep(self) -> None:
        try:
            await self.services.scheduler.sweep()
            await self.services.alerts.sweep(self.services.presence.connected_shards)
            for sweep in self.app.sweep_jobs:
                await self._sweep_feature(sweep)
            await self.services.cleanup.sweep()
            for guild_id in await self.services.privacy.purge_overdue():
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
        self.services.presence.note_connected(number)
        # No event reports guilds left while the bot was down. Each shard knows only its own guilds.
        own_shards = self.services.presence.own_shards.with_numbers({number})
        try:
            await self.services.privacy.reconcile_guilds(
                {guild.id for guild in self.guilds if own_shards.has_guild(guild.id)}, own_shards
            )
        except StoreClosed:
            log.info("the next start sees which servers were left")

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.services.privacy.note_joined(guild.id)
        self.services.announcer.recheck_guild(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Retry the channels of a guild, at startup or after an outage of Discord."""
        self.services.announcer.recheck_guild(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Schedule the deletion of a guild's data, 30 days from now."""
        await self.services.privacy.note_left(guild.id)

    async def on_shard_resumed(self, number: int) -> None:
        self.services.presence.note_connected(number)

    async def on_shard_disconnect(self, number: int) -> None:
        """Note the outage: the guilds of this shard cannot play."""
        self.services.presence.note_disconnected(number)

    async def on_message(self, message: discord.Message) -> None:
        """Count messages after a board, to know how far up it is. Contents are not requested."""
        self.services.announcer.note_message(message)
        for handle_message in self.app.on_message:
            await handle_message(message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self.services.announcer.handle_deletion(payload.channel_id, payload.message_id)

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        for message_id in payload.message_ids:
            await self.services.announcer.handle_deletion(payload.channel_id, message_id)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.type is discord.InteractionType.component and not is_on_message(interaction):
            await handle_click(interaction)

    async def on_guild_channel_update(self, _: object, after: discord.abc.GuildChannel | discord.Role) -> None:
        self.services.announcer.recheck_guild(after.guild)

    on_guild_role_update = on_guild_channel_update

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """Retry the closed channels: the role may have denied access."""
        # discord.py still applies the channel overwrites of the deleted role, so only trying shows it.
        self.services.announcer.resume_channels(channel.id for channel in (*role.guild.channels, *role.guild.threads))

    async def on_member_update(self, _: discord.Member, after: discord.Member) -> None:
        """Retry closed channels when the bot's roles change. Discord sends this for the bot itself with any intents."""
        if after.id == after.guild.me.id:
            self.services.announcer.recheck_guild(after.guild)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        """Retry an unlocked thread. Only the raw event reports it: discord.py drops archived threads."""
        if not payload.data["thread_metadata"].get("locked"):
            self.services.announcer.resume_channels([payload.thread_id])

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        for handle_deletion in self.app.on_thread_delete:
            await handle_deletion(payload.guild_id, payload.thread_id)

    async def drain(self) -> None:
        self._sweeper.stop()
        await self.services.admission.close()
        for end in self.app.shutdown_jobs:
            await end()
        await self.services.scheduler.end()
        await self.services.announcer.wait_until_idle()
        await self.services.alerts.wait_until_idle()
        for idle in self.app.drain_jobs:
            await idle()

    async def close(self) -> None:
        self._sweeper.cancel()
        if self._registering is not None:
            self._registering.end()
        await super().close()
