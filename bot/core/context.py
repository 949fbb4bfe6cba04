"""The context of one interaction, and its first response within Discord's three seconds (decision 0044)."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final, cast

import discord
from discord import ui
from discord.utils import time_snowflake, utcnow

from bot.core.discord_errors import FAILURES
from bot.core.languages import at_once
from bot.core.layout import Press, address, said
from bot.core.logs import about, logger
from bot.core.permissions import missing
from bot.core.services import Served, Services
from bot.tables.messages import Content, MessageBuilder
from bot.tables.service import Acted, Table
from data.words import Words
from engine.table.commands import Act, Command, Look
from engine.table.refusals import No, Refused

log = logger(__name__)
SOON: Final = 0.4  # seconds until an unanswered interaction is acknowledged
OLD: Final = 1.0  # seconds after which an interaction counts as old
ACKNOWLEDGED: Final = 40060  # Discord's code for an interaction that was acknowledged before


class NobodyWaits(Exception):  # noqa: N818 - nothing went wrong
    """The interaction has expired, or another process answers it."""


def is_old(interaction: discord.Interaction[Any]) -> bool:
    """Return whether an interaction may expire soon. Then it is acknowledged before anything is done."""
    return time_snowflake(utcnow() - timedelta(seconds=OLD)) > interaction.id


class FirstAnswer:
    """The first response: the handler's answer, or an acknowledgement by the timer that starts with this object."""

    def __init__(self, interaction: discord.Interaction[Any], acknowledge: Callable[[], Awaitable[bool]]) -> None:
        self._interaction = interaction
        self._acknowledge = acknowledge
        self._sign: asyncio.Task[bool] | None = None
        self._open = True
        self.message_id: int | None = None  # the new message, where Discord reports it
        self._timer = asyncio.get_running_loop().call_later(SOON, self._give_sign)

    async def taken(self) -> bool:
        """Return whether the caller may give the first response; False after an acknowledgement. Raises NobodyWaits."""
        if self._sign is not None:
            await self._signed()
            return False
        self._timer.cancel()
        self._open, first = False, self._open
        return first

    async def sign(self) -> None:
        """Acknowledge, unless there was a first response. Raises NobodyWaits."""
        if self._open:
            self._timer.cancel()
            self._give_sign()
            await self._signed()

    async def give(self, content: Content, *, in_place: bool) -> bool:
        """Answer privately, or `in_place`; return whether it was the first response. Raises NobodyWaits, FAILURES."""
        lost = False
        while True:
            try:
                await self._send(content, in_place=in_place)
            except discord.NotFound:
                log.warning("too late to answer")
                raise NobodyWaits from None
            except FAILURES as error:
                if isinstance(error, discord.HTTPException) and error.code == ACKNOWLEDGED:
                    # By a lost attempt of this process, or by another process that may have died.
                    if not lost and not in_place and not await self._acknowledge():
                        raise NobodyWaits from None
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

    def _give_sign(self) -> None:
        if self._sign is None and self._open:
            self._sign = asyncio.ensure_future(self._acknowledge())

    async def _signed(self) -> None:
        assert self._sign is not None
        if not await asyncio.shield(self._sign):
            raise NobodyWaits


Interaction = discord.Interaction[Any]


@dataclass(slots=True)
class Context:
    """What a handler works with. Answers are private; changes of a table are public."""

    interaction: Interaction
    press: Press  # for a command, its name alone
    values: list[str] = field(default_factory=list)  # chosen in a menu
    quiet: bool = False  # no answer on success: the table itself shows it
    first: FirstAnswer | None = None  # the first response, where it may be the answer
    done: Table | None = None  # the table after the act
    did: bool = False  # False for a duplicate delivery
    from_memory: bool = False  # whether the table is a remembered one, which may be stale
    reads: bool = False  # whether to load every table
    about: int | None = None  # the table concerned, once known
    _words: Words | None = None

    @property
    def words(self) -> Words:
        return self._words or at_once(self.interaction)

    @property
    def messages(self) -> MessageBuilder:
        return self.services.languages.messages(self.words, self.scheme)

    @property
    def scheme(self) -> str:
        return self.services.languages.scheme(self.interaction)

    async def attune(self) -> None:
        self._words = await self.services.languages.of(self.interaction)

    @property
    def services(self) -> Services:
        return cast(Served, self.interaction.client).services

    @property
    def user_id(self) -> int:
        return self.interaction.user.id

    @property
    def guild_id(self) -> int:
        if self.interaction.guild_id is None:
            raise Refused(No.NOT_HERE)
        return self.interaction.guild_id

    @property
    def direct(self) -> bool:
        return self.interaction.guild_id is None

    @property
    def channel_id(self) -> int:
        if self.interaction.channel_id is None:
            raise Refused(No.NOT_HERE)
        return self.interaction.channel_id

    @property
    def in_own_message(self) -> bool:
        message = self.interaction.message
        return message is not None and message.flags.ephemeral

    @property
    def is_typed(self) -> bool:
        return self.interaction.type is discord.InteractionType.application_command

    async def begin(self) -> None:
        if self.in_own_message or self.quiet:
            await self.interaction.response.defer()
        else:
            await self.interaction.response.defer(ephemeral=True, thinking=True)

    async def show(self, content: Content) -> int:
        """Answer with a view and its pictures; return the message id. The answer replaces a clicked private message."""
        pressed = self.interaction.message
        if self.in_own_message and pressed is not None:
            self.services.live_hands.covered(self.user_id, pressed.id)
            if await self._respond_first(content, in_place=True):
                return pressed.id
        elif self.quiet:
            followup = self.interaction.followup
            return (await followup.send(view=content.view, files=content.files, ephemeral=True, wait=True)).id
        elif self.first is not None and await self._respond_first(content, in_place=False):
            return await self._supersede(self.first.message_id or (await self.interaction.original_response()).id)
        shown = await self.interaction.edit_original_response(view=content.view, attachments=content.files)
        return shown.id if self.in_own_message else await self._supersede(shown.id)

    async def _supersede(self, message_id: int) -> int:
        """Register a new private message; remove the message it replaces."""
        if self.about is not None:
            passing, table = self.services.live_hands.passing, self.services.tables.remembered(self.about)
            # A refused user may still need an earlier answer that has the undo button.
            beside = self.done is None and table is not None and table.takes_back(self.user_id)
            hook = self.interaction.followup
            await passing.came(self.user_id, self.about, self.press.verb, message_id, hook, beside=beside)
        return message_id

    async def show_table(self, table: Table, content: Content, *, text: bool = False) -> None:
        """Answer with a hand, or with the table as text, and keep it up to date."""
        message_id = await self.show(content)
        self.services.live_hands.keep(
            table, self.user_id, message_id, self.interaction.followup, self.words, text=text, direct=self.direct
        )

    async def say(self, text: str, *buttons: ui.Button[Any]) -> None:
        await self.show(Content(said(text, *buttons)))

    async def aside(self, text: str, *buttons: ui.Button[Any]) -> None:
        """Send text in a separate private message; keep the clicked one."""
        await self.show_aside(Content(said(text, *buttons)))

    async def show_aside(self, content: Content) -> None:
        """Send a view in a separate private message; keep the clicked one."""
        if not self.in_own_message and not self.quiet:
            await self.show(content)
        elif not await self._respond_first(content, in_place=False):
            await self.interaction.followup.send(view=content.view, files=content.files, ephemeral=True)

    async def show_everybody(self, content: Content) -> None:
        """Send a public message after a click in a private one. Raises Refused(UNKNOWN_BUTTON)."""
        if not self.in_own_message:
            raise Refused(No.UNKNOWN_BUTTON)  # all other answers are private
        await self.interaction.followup.send(view=content.view, files=content.files)

    async def _respond_first(self, content: Content, *, in_place: bool) -> bool:
        if self.first is None or not await self.first.taken():
            return False
        if await self.first.give(content, in_place=in_place):
            return True
        for file in content.files:
            file.reset()
        return False

    async def table(self, *, over: bool = True) -> Table:
        """Return the button's table, else this channel's, else the user's only one; finished tables last, if `over`.

        Raises Refused(NO_SUCH_TABLE) or Refused(NO_TABLE_HERE).
        """
        table = await self._find_table(over=over)
        self._note_table(table)
        return await self._settle_undo(table)

    async def table_to_act_on(self) -> Table:
        """Return the remembered table unloaded; if the act then fails, the handler runs again with the loaded one."""
        table = None if self.reads else self._remembered()
        if table is None:
            return await self.table()
        self.from_memory = True
        self._note_table(table)
        return await self._settle_undo(table)

    def _remembered(self) -> Table | None:
        tables, number = self.services.tables, self.press.table
        table = tables.remembered(number) if number else tables.remembered_in(self.channel_id)
        return table if table is not None and table.head.guild_id == self.interaction.guild_id else None

    async def _settle_undo(self, table: Table) -> Table:
        """Return the table after the move that can be undone is settled: the user is next and sees their hand."""
        if table.state.unsettled is None or table.turn_user() != self.user_id:
            return table
        acted = await self.services.acts.act(table.head.match_id, Look(self.user_id), seen=table)
        if self.press.verb in ("draw", "pass") and table.head.seq == self.press.seq:
            # The board's own button: only the turn has begun since it was shown.
            self.press = replace(self.press, seq=acted.table.head.seq)
        self.services.announcer.refresh(table.head.match_id)
        self.services.scheduler.soon(table.head.match_id)
        return acted.table

    def _note_table(self, table: Table) -> None:
        self.about = table.head.match_id
        about(match=table.head.match_id, seq=table.head.seq)

    async def _find_table(self, *, over: bool) -> Table:
        if self.press.table:
            table = await self.services.tables.load(self.press.table)
            if self.direct and (table.seat_of(self.user_id) is not None or self.user_id in table.guests.called):
                return table  # the bot wrote to this player alone
            if table.head.guild_id != self.guild_id:
                raise Refused(No.NO_SUCH_TABLE)
            return table
        here = await self.services.tables.here(self.channel_id, over=over)
        if here is not None and here.head.state in ("lobby", "open"):
            return here
        mine = [table for table in await self.services.tables.of(self.user_id) if table.head.guild_id == self.guild_id]
        if len(mine) == 1:
            return mine[0]
        await self.services.tables.check_quarantine(self.channel_id, here)
        if here is None:
            raise Refused(No.NO_TABLE_HERE)
        return here

    async def act(self, table: Table, command: Command) -> Acted:
        """Apply a command to a table, once for all deliveries. Raises Refused, RuleBroken."""
        seen = table if isinstance(command, Act) else None
        acted = await self.services.acts.act(table.head.match_id, command, request=self.interaction.id, seen=seen)
        self.done, self.did = acted.table, bool(acted.events)
        return acted

    async def name(self, user_id: int) -> str:
        """Return the escaped name of a user on this guild; in a direct message, on the guild of the table."""
        guild_id = self.interaction.guild_id
        if guild_id is None:
            guild_id = (await self.services.tables.load(self.press.table)).head.guild_id
        return (await self.services.names.people(guild_id, [user_id], self.words))[user_id]


def link(table: Table) -> str:
    return address(table.head)


def check_permissions(ctx: Context, *, thread: bool) -> None:
    """Raise Refused(MISSING_PERMISSION) with what is missing and where; `thread` includes opening one."""
    in_thread = isinstance(ctx.interaction.channel, discord.Thread)
    lacking = missing(ctx.interaction.app_permissions, in_thread=in_thread, opens_thread=thread)
    if lacking:
        raise Refused(
            No.MISSING_PERMISSION,
            permissions=", ".join(ctx.words(f"permission.{flag}") for flag in lacking),
            channel=f"<#{ctx.channel_id}>",
        )


async def still_there(ctx: Context, table: Table) -> bool:
    guild = ctx.interaction.guild
    if guild is not None and guild.get_channel_or_thread(table.head.channel_id) is not None:
        return True
    try:
        await ctx.interaction.client.fetch_channel(table.head.channel_id)
    except (discord.NotFound, discord.Forbidden) as error:
        return isinstance(error, discord.Forbidden)
    return True
