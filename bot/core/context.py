"""The context of one interaction, and its first response within Discord's three seconds (decision 0044)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final, cast

import discord
from discord import ui
from discord.utils import time_snowflake, utcnow
from structlog.contextvars import bind_contextvars

from bot.core.discord_errors import REQUEST_ERRORS
from bot.core.languages import choose_words
from bot.core.layout import CustomId, build_text_view, format_board_link
from bot.core.logs import get_logger
from bot.core.permissions import list_missing_permissions
from bot.core.services import ClientWithServices, Services
from bot.tables.messages import Content, MessageBuilder
from bot.tables.service import CommandResult, Table
from data.words import Words, load_words
from engine.board.tiles import Tile
from engine.match.player_view import Move
from engine.table.commands import Command, TakeAction, ViewHand
from engine.table.refusals import Refusal, RefusalError

log = get_logger(__name__)
ACKNOWLEDGE_AFTER: Final = 0.4  # seconds until an unanswered interaction is acknowledged
OLD_AFTER: Final = 1.0  # seconds after which an interaction counts as old
ALREADY_ACKNOWLEDGED: Final = 40060  # Discord's code for an interaction that was acknowledged before


class InteractionUnavailable(Exception):  # noqa: N818 - nothing went wrong
    """The interaction has expired, or another process answers it."""


def is_old(interaction: discord.Interaction[Any]) -> bool:
    """Return whether an interaction may expire soon. Then it is acknowledged before anything is done."""
    return time_snowflake(utcnow() - timedelta(seconds=OLD_AFTER)) > interaction.id


class FirstResponse:
    """The first response: the handler's answer, or an acknowledgement by the timer that starts with this object."""

    def __init__(self, interaction: discord.Interaction[Any], acknowledge: Callable[[], Awaitable[bool]]) -> None:
        self._interaction = interaction
        self._acknowledge = acknowledge
        self._acknowledgement: asyncio.Task[bool] | None = None
        self._open = True
        self.message_id: int | None = None  # the new message, where Discord reports it
        self._timer = asyncio.get_running_loop().call_later(ACKNOWLEDGE_AFTER, self._start_acknowledgement)

    async def claim(self) -> bool:
        """Return whether the caller may give the first response; False after an acknowledgement. Raises
        InteractionUnavailable.
        """
        if self._acknowledgement is not None:
            await self._wait_for_acknowledgement()
            return False
        self._timer.cancel()
        self._open, first = False, self._open
        return first

    async def acknowledge(self) -> None:
        """Acknowledge, unless there was a first response. Raises InteractionUnavailable."""
        if self._open:
            self._timer.cancel()
            self._start_acknowledgement()
            await self._wait_for_acknowledgement()

    async def respond(self, content: Content, *, in_place: bool) -> bool:
        """Answer privately, or `in_place`; return whether it was the first response. Raises InteractionUnavailable,
        FAILURES.
        """
        lost = False
        while True:
            try:
                await self._send(content, in_place=in_place)
            except discord.NotFound:
                log.warning("too late to answer")
                raise InteractionUnavailable from None
            except REQUEST_ERRORS as error:
                if isinstance(error, discord.HTTPException) and error.code == ALREADY_ACKNOWLEDGED:
                    # A lost attempt of this process acknowledged it, or another process that may have died.
                    if not lost and not in_place and not await self._acknowledge():
                        raise InteractionUnavailable from None
                    return lost
                if lost or (isinstance(error, discord.HTTPException) and error.status < 500):
                    self._open = True  # so that the error can still be answered
                    raise
                lost = True
                for file in content.files:
                    file.reset()
            else:
                return True

    async def _send(self, content: Content, *, in_place: bool) -> None:
        if in_place:
            await self._interaction.response.edit_message(view=content.view, attachments=content.files)
        else:
            send = self._interaction.response.send_message
            self.message_id = (await send(view=content.view, files=content.files, ephemeral=True)).message_id

    def _start_acknowledgement(self) -> None:
        if self._acknowledgement is None and self._open:
            self._acknowledgement = asyncio.ensure_future(self._acknowledge())

    async def _wait_for_acknowledgement(self) -> None:
        assert self._acknowledgement is not None
        if not await asyncio.shield(self._acknowledgement):
            raise InteractionUnavailable


Interaction = discord.Interaction[Any]


@dataclass(slots=True)
class Context:
    """What a handler works with. Answers are private; changes of a table are public."""

    interaction: Interaction
    custom_id: CustomId  # for a command, its name alone
    values: list[str] = field(default_factory=list)  # chosen in a menu
    quiet: bool = False  # no answer on success: the table itself shows it
    first_response: FirstResponse | None = None  # the first response, where it may be the answer
    changed_table: Table | None = None  # the table after the act
    is_applied: bool = False  # False for a duplicate delivery
    is_cached: bool = False  # whether the table is a remembered one, which may be stale
    must_load: bool = False  # whether to load every table
    match_id: int | None = None  # the table concerned, once known
    _words: Words | None = None

    @property
    def words(self) -> Words:
        return self._words or choose_words(self.interaction)

    @property
    def messages(self) -> MessageBuilder:
        return self.services.languages.build_messages(self.words, self.scheme)

    @property
    def scheme(self) -> str:
        return self.services.languages.choose_scheme(self.interaction)

    def translate(self, language: str) -> "Context":
        """Return the same context in another language."""
        return replace(self, _words=load_words(language))

    async def load_words(self) -> None:
        self._words = await self.services.languages.load_user_words(self.interaction)

    @property
    def services(self) -> Services:
        return cast(ClientWithServices, self.interaction.client).services

    @property
    def user_id(self) -> int:
        return self.interaction.user.id

    @property
    def guild_id(self) -> int:
        if self.interaction.guild_id is None:
            raise RefusalError(Refusal.NOT_HERE)
        return self.interaction.guild_id

    @property
    def is_direct(self) -> bool:
        return self.interaction.guild_id is None

    @property
    def channel_id(self) -> int:
        if self.interaction.channel_id is None:
            raise RefusalError(Refusal.NOT_HERE)
        return self.interaction.channel_id

    @property
    def is_from_private_message(self) -> bool:
        message = self.interaction.message
        return message is not None and message.flags.ephemeral

    @property
    def is_typed(self) -> bool:
        return self.interaction.type is discord.InteractionType.application_command

    async def defer(self) -> None:
        if self.is_from_private_message or self.quiet:
            await self.interaction.response.defer()
        else:
            await self.interaction.response.defer(ephemeral=True, thinking=True)

    async def show(self, content: Content) -> int:
        """Answer with a view and its pictures; return the message id. The answer replaces a clicked private message."""
        clicked = self.interaction.message
        if self.is_from_private_message and clicked is not None:
            self.services.live_hands.untrack(self.user_id, clicked.id)
            if await self._respond_first(content, in_place=True):
                return clicked.id
        elif self.quiet:
            followup = self.interaction.followup
            return (await followup.send(view=content.view, files=content.files, ephemeral=True, wait=True)).id
        elif self.first_response is not None and await self._respond_first(content, in_place=False):
            message_id = self.first_response.message_id or (await self.interaction.original_response()).id
            return await self._replace_previous(message_id)
        shown = await self.interaction.edit_original_response(view=content.view, attachments=content.files)
        return shown.id if self.is_from_private_message else await self._replace_previous(shown.id)

    async def _replace_previous(self, message_id: int) -> int:
        """Register a new private message; remove the message it replaces."""
        if self.match_id is not None:
            passing, table = self.services.live_hands.answers, self.services.tables.find_cached(self.match_id)
            # A refused user may still need an earlier answer that has the undo button.
            is_extra = self.changed_table is None and table is not None and table.can_undo(self.user_id)
            hook = self.interaction.followup
            await passing.track(self.user_id, self.match_id, self.custom_id.verb, message_id, hook, is_extra=is_extra)
        return message_id

    async def show_table(self, table: Table, content: Content, *, text: bool = False) -> None:
        """Answer with a hand, or with the table as text, and keep it up to date."""
        message_id, webhook = await self.show(content), self.interaction.followup
        track, direct = self.services.live_hands.track, self.is_direct
        track(table, self.user_id, message_id, webhook, self.words, text=text, direct=direct)

    def refresh(self, table: Table) -> None:
        """Update the public messages and let the computers move, in the background."""
        self.services.announcer.refresh(table.head.match_id)
        self.services.scheduler.wake(table.head.match_id)

    async def show_hand(
        self,
        table: Table,
        seat: int,
        note: str = "",
        *,
        by_tile: bool = False,
        tile: Tile | None = None,
        chosen: Move | None = None,
    ) -> None:
        """Answer with "My hand", for a `chosen` move or tile if any, and keep it up to date."""
        build, direct = self.messages.build_hand, self.is_direct
        content = await build(table, seat, note=note, by_tile=by_tile, tile=tile, chosen=chosen, direct=direct)
        await self.show_table(table, content)

    async def say(self, text: str, *buttons: ui.Button[Any]) -> None:
        await self.show(Content(build_text_view(text, *buttons)))

    async def say_separately(self, text: str, *buttons: ui.Button[Any]) -> None:
        """Send text in a separate private message; keep the clicked one."""
        await self.show_separately(Content(build_text_view(text, *buttons)))

    async def show_separately(self, content: Content) -> None:
        """Send a view in a separate private message; keep the clicked one."""
        if not self.is_from_private_message and not self.quiet:
            await self.show(content)
        elif not await self._respond_first(content, in_place=False):
            await self.interaction.followup.send(view=content.view, files=content.files, ephemeral=True)

    async def show_publicly(self, content: Content) -> None:
        """Send a public message after a click in a private one. Raises RefusalError(UNKNOWN_BUTTON)."""
        if not self.is_from_private_message:
            raise RefusalError(Refusal.UNKNOWN_BUTTON)  # all other answers are private
        await self.interaction.followup.send(view=content.view, files=content.files)

    async def _respond_first(self, content: Content, *, in_place: bool) -> bool:
        if self.first_response is None or not await self.first_response.claim():
            return False
        if await self.first_response.respond(content, in_place=in_place):
            return True
        for file in content.files:
            file.reset()
        return False

    async def load_table(self, *, include_finished: bool = True) -> Table:
        """Return the button's table, else this channel's, else the user's only one; finished tables last, if
        `include_finished`.

        Raises RefusalError(NO_SUCH_TABLE) or RefusalError(NO_TABLE_HERE).
        """
        table = await self._find_table(include_finished=include_finished)
        self._note_table(table)
        return await self._settle_undo(table)

    async def prefer_cached_table(self) -> Table:
        """Return the remembered table unloaded; if the act then fails, the handler runs again with the loaded one."""
        table = None if self.must_load else self._find_cached_table()
        if table is None:
            return await self.load_table()
        self.is_cached = True
        self._note_table(table)
        return await self._settle_undo(table)

    def _find_cached_table(self) -> Table | None:
        tables, number = self.services.tables, self.custom_id.table
        table = tables.find_cached(number) if number else tables.find_cached_in(self.channel_id)
        return table if table is not None and table.head.guild_id == self.interaction.guild_id else None

    async def _settle_undo(self, table: Table) -> Table:
        """Return the table after the move that can be undone is settled: the user is next and sees their hand."""
        if table.state.tentative_turn is None or table.find_turn_user() != self.user_id:
            return table
        acted = await self.services.acts.act(table.head.match_id, ViewHand(self.user_id), cached_table=table)
        self.refresh(table)
        return acted.table

    def _note_table(self, table: Table) -> None:
        self.match_id = table.head.match_id
        bind_contextvars(match=table.head.match_id, seq=table.head.seq)

    async def _find_table(self, *, include_finished: bool) -> Table:
        if self.custom_id.table:
            table = await self.services.tables.load(self.custom_id.table)
            if self.is_direct and (table.find_seat(self.user_id) is not None or self.user_id in table.guests.invited):
                return table  # the bot wrote to this player alone
            if table.head.guild_id != self.guild_id:
                raise RefusalError(Refusal.NO_SUCH_TABLE)
            return table
        channel_table = await self.services.tables.find_in_channel(self.channel_id, with_finished=include_finished)
        if channel_table is not None and channel_table.head.state in ("lobby", "open"):
            return channel_table
        own_tables = await self.list_own_tables()
        if len(own_tables) == 1:
            return own_tables[0]
        await self.services.tables.check_quarantine(self.channel_id, channel_table)
        if channel_table is None:
            raise RefusalError(Refusal.NO_TABLE_HERE)
        return channel_table

    async def list_own_tables(self) -> list[Table]:
        """Return the user's tables on this server."""
        tables = await self.services.tables.list_of_user(self.user_id)
        return [table for table in tables if table.head.guild_id == self.guild_id]

    async def act(self, table: Table, command: Command) -> CommandResult:
        """Apply a command to a table, once for all deliveries. Raises RefusalError, RuleError."""
        seen = table if isinstance(command, TakeAction) else None
        match_id, request = table.head.match_id, self.interaction.id
        acted = await self.services.acts.act(match_id, command, request=request, cached_table=seen)
        self.changed_table, self.is_applied = acted.table, bool(acted.events)
        return acted

    async def resolve_name(self, user_id: int) -> str:
        """Return the escaped name of a user on this guild; in a direct message, on the guild of the table."""
        guild_id = self.interaction.guild_id
        if guild_id is None:
            guild_id = (await self.services.tables.load(self.custom_id.table)).head.guild_id
        return (await self.services.names.resolve_names(guild_id, [user_id], self.words))[user_id]


def format_table_link(table: Table) -> str:
    return format_board_link(table.head)


def check_permissions(ctx: Context, *, thread: bool) -> None:
    """Raise RefusalError(MISSING_PERMISSION) with what is missing and where; `thread` includes opening one."""
    in_thread = isinstance(ctx.interaction.channel, discord.Thread)
    lacking = list_missing_permissions(ctx.interaction.app_permissions, in_thread=in_thread, opens_thread=thread)
    if lacking:
        raise RefusalError(
            Refusal.MISSING_PERMISSION,
            permissions=", ".join(ctx.words(f"permission.{flag}") for flag in lacking),
            channel=f"<#{ctx.channel_id}>",
        )


async def has_channel(ctx: Context, table: Table) -> bool:
    guild = ctx.interaction.guild
    if guild is not None and guild.get_channel_or_thread(table.head.channel_id) is not None:
        return True
    try:
        await ctx.interaction.client.fetch_channel(table.head.channel_id)
    except (discord.NotFound, discord.Forbidden) as error:
        return isinstance(error, discord.Forbidden)
    return True
