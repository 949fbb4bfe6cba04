"""One user asking for one thing, by command, button or menu, and the answer they get.

`FirstAnswer` answers within Discord's three seconds, or acknowledges and answers later
(docs/decisions/0044-answered-at-once-or-acknowledged.md).
"""

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

SOON: Final = 0.4
"""Seconds after which whoever has no answer yet is told that it comes."""

OLD: Final = 1.0
"""Seconds after which an interaction has been on its way for long."""

ACKNOWLEDGED: Final = 40060
"""Discord's code for an interaction that was acknowledged before."""


class NobodyWaits(Exception):  # noqa: N818 - nothing went wrong
    """It is too late for an answer, or another process gives it."""


def is_old(interaction: discord.Interaction[Any]) -> bool:
    """Whether it has been on its way for long: who may be too late does nothing before Discord has said otherwise."""
    return time_snowflake(utcnow() - timedelta(seconds=OLD)) > interaction.id


class FirstAnswer:
    """It is given once, by whoever is first: the handler, or the clock, which begins when this is made.

    `acknowledge` gives the sign, and says whether an answer may follow.
    """

    def __init__(self, interaction: discord.Interaction[Any], acknowledge: Callable[[], Awaitable[bool]]) -> None:
        self._interaction = interaction
        self._acknowledge = acknowledge
        self._sign: asyncio.Task[bool] | None = None
        self._open = True
        self.message_id: int | None = None
        """The new message that was the answer, where Discord has said which."""
        self._timer = asyncio.get_running_loop().call_later(SOON, self._give_sign)

    async def taken(self) -> bool:
        """Whether the caller gives it, with an answer; once. False where there was a sign, and the answer follows that.
        Raises NobodyWaits.
        """
        if self._sign is not None:
            await self._signed()
            return False
        self._timer.cancel()
        self._open, first = False, self._open
        return first

    async def sign(self) -> None:
        """Let there be one, unless it was given already. Raises NobodyWaits."""
        if self._open:
            self._timer.cancel()
            self._give_sign()
            await self._signed()

    async def give(self, content: Content, *, in_place: bool) -> bool:
        """Answer with a private message, or `in_place` of the private one that was pressed. False where there was a
        first response, and the answer is to follow it. Raises NobodyWaits, and what discord.py does.
        """
        lost = False
        while True:
            try:
                await self._send(content, in_place=in_place)
            except discord.NotFound:
                # The three seconds were over.
                log.warning("too late to answer")
                raise NobodyWaits from None
            except FAILURES as error:
                if isinstance(error, discord.HTTPException) and error.code == ACKNOWLEDGED:
                    # By an attempt of ours whose answer was lost, or by another process, which may have died of it.
                    if not lost and not in_place and not await self._acknowledge():
                        raise NobodyWaits from None
                    return lost
                if lost or (isinstance(error, discord.HTTPException) and error.status < 500):
                    self._open = True  # whoever says that it failed has no other way
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
    """What a handler works on. The answer is private unless a handler changes a table, which everybody then sees."""

    interaction: Interaction
    press: Press
    """What was pressed; for a command, its name and nothing else."""
    values: list[str] = field(default_factory=list)
    """What was chosen in a menu."""
    quiet: bool = False
    """Nothing is said when it works: the table itself is the answer."""
    first: FirstAnswer | None = None
    """The response that Discord waits for, where it may be the answer itself."""
    done: Table | None = None
    """The table as it stood when what was asked for was done."""
    did: bool = False
    """Whether it was done for this, and not before for another delivery of it."""
    from_memory: bool = False
    """Whether it is asked of a table as it was last seen, which may have moved on."""
    reads: bool = False
    """Whether every table is to be read anew."""
    about: int | None = None
    """The table that it is about, as soon as that is known."""
    _words: Words | None = None

    @property
    def words(self) -> Words:
        """What the asker is told is said with these: in their own language, or that of the server."""
        return self._words or at_once(self.interaction)

    @property
    def messages(self) -> MessageBuilder:
        """Everything that shows a table, for the asker alone."""
        return self.services.languages.messages(self.words, self.scheme)

    @property
    def scheme(self) -> str:
        """The colours of pictures for the asker alone."""
        return self.services.languages.scheme(self.interaction)

    async def attune(self) -> None:
        """Find out which language to answer in, where Discord alone does not tell."""
        self._words = await self.services.languages.of(self.interaction)

    @property
    def services(self) -> Services:
        """The use cases."""
        return cast(Served, self.interaction.client).services

    @property
    def user_id(self) -> int:
        """Who asks."""
        return self.interaction.user.id

    @property
    def guild_id(self) -> int:
        """The server; Refused(NOT_HERE) in a direct message."""
        if self.interaction.guild_id is None:
            raise Refused(No.NOT_HERE)
        return self.interaction.guild_id

    @property
    def direct(self) -> bool:
        """Whether it is asked in a direct message, where no table can stand."""
        return self.interaction.guild_id is None

    @property
    def channel_id(self) -> int:
        """The channel or thread."""
        if self.interaction.channel_id is None:
            raise Refused(No.NOT_HERE)
        return self.interaction.channel_id

    @property
    def in_own_message(self) -> bool:
        """Whether a private message was pressed, in place of which the answer is shown."""
        message = self.interaction.message
        return message is not None and message.flags.ephemeral

    @property
    def is_typed(self) -> bool:
        """Whether it is a command, whose answer is a message of its own."""
        return self.interaction.type is discord.InteractionType.application_command

    async def begin(self) -> None:
        """Acknowledge within Discord's three seconds, before anything is read or drawn."""
        if self.in_own_message or self.quiet:
            await self.interaction.response.defer()
        else:
            await self.interaction.response.defer(ephemeral=True, thinking=True)

    async def show(self, content: Content) -> int:
        """Answer with a view and its pictures, in place of the private message that was pressed, if any; the number of
        that message.
        """
        pressed = self.interaction.message
        if self.in_own_message and pressed is not None:
            self.services.live_hands.covered(self.user_id, pressed.id)
            if await self._shown_at_once(content, in_place=True):
                return pressed.id
        elif self.quiet:
            followup = self.interaction.followup
            return (await followup.send(view=content.view, files=content.files, ephemeral=True, wait=True)).id
        elif self.first is not None and await self._shown_at_once(content, in_place=False):
            return await self._passing(self.first.message_id or (await self.interaction.original_response()).id)
        shown = await self.interaction.edit_original_response(view=content.view, attachments=content.files)
        return shown.id if self.in_own_message else await self._passing(shown.id)

    async def _passing(self, message_id: int) -> int:
        """A new private message is there; what it takes the place of goes."""
        if self.about is not None:
            passing, table = self.services.live_hands.passing, self.services.tables.remembered(self.about)
            # Whoever is refused did something before, and the answer to that may have the button that undoes it.
            beside = self.done is None and table is not None and table.takes_back(self.user_id)
            hook = self.interaction.followup
            await passing.came(self.user_id, self.about, self.press.verb, message_id, hook, beside=beside)
        return message_id

    async def show_table(self, table: Table, content: Content, *, text: bool = False) -> None:
        """Answer with somebody's hand, or with the table in words, and let it show what becomes of that."""
        message_id = await self.show(content)
        self.services.live_hands.keep(
            table, self.user_id, message_id, self.interaction.followup, self.words, text=text, direct=self.direct
        )

    async def say(self, text: str, *buttons: ui.Button[Any]) -> None:
        """Answer with a few words."""
        await self.show(Content(said(text, *buttons)))

    async def aside(self, text: str, *buttons: ui.Button[Any]) -> None:
        """Say something in a private message of its own, where the pressed one should stay as it is."""
        await self.show_aside(Content(said(text, *buttons)))

    async def show_aside(self, content: Content) -> None:
        """Show something in a private message of its own, where the pressed one should stay as it is."""
        if not self.in_own_message and not self.quiet:
            await self.show(content)
        elif not await self._shown_at_once(content, in_place=False):
            await self.interaction.followup.send(view=content.view, files=content.files, ephemeral=True)

    async def show_everybody(self, content: Content) -> None:
        """Show something in a message for all, where a private message was pressed. Raises Refused(UNKNOWN_BUTTON)."""
        if not self.in_own_message:
            raise Refused(No.UNKNOWN_BUTTON)  # the answer to any other press is private
        await self.interaction.followup.send(view=content.view, files=content.files)

    async def _shown_at_once(self, content: Content, *, in_place: bool) -> bool:
        """Whether the answer was the first that Discord heard of this. Raises NobodyWaits."""
        if self.first is None or not await self.first.taken():
            return False
        if await self.first.give(content, in_place=in_place):
            return True
        for file in content.files:
            file.reset()
        return False

    async def table(self, *, over: bool = True) -> Table:
        """The table that is meant: the button's, else this channel's, else the only one the asker sits at. One of this
        channel that is over counts last, and only where `over` says so.

        Raises Refused(NO_SUCH_TABLE) or Refused(NO_TABLE_HERE).
        """
        table = await self._meant(over=over)
        self._found(table)
        return await self._settled(table)

    async def table_to_act_on(self) -> Table:
        """The same, as this process last saw it if it has, and not read: whether it still stands so is found out by
        acting on it. Where it does not, the handler is run once more, with what is read.

        Only for handlers that show nothing but what their act leads to.
        """
        table = None if self.reads else self._remembered()
        if table is None:
            return await self.table()
        self.from_memory = True
        self._found(table)
        return await self._settled(table)

    def _remembered(self) -> Table | None:
        tables, number = self.services.tables, self.press.table
        table = tables.remembered(number) if number else tables.remembered_in(self.channel_id)
        return table if table is not None and table.head.guild_id == self.interaction.guild_id else None

    async def _settled(self, table: Table) -> Table:
        """The same, once nothing the asker is to see of their hand can be taken back: theirs is the next move."""
        if table.state.unsettled is None or table.turn_user() != self.user_id:
            return table
        acted = await self.services.acts.act(table.head.match_id, Look(self.user_id), seen=table)
        if self.press.verb in ("draw", "pass") and table.head.seq == self.press.seq:
            # The board's own button: nothing but their turn has begun since it was shown.
            self.press = replace(self.press, seq=acted.table.head.seq)
        self.services.announcer.refresh(table.head.match_id)
        self.services.scheduler.soon(table.head.match_id)
        return acted.table

    def _found(self, table: Table) -> None:
        self.about = table.head.match_id
        about(match=table.head.match_id, seq=table.head.seq)

    async def _meant(self, *, over: bool) -> Table:
        if self.press.table:
            table = await self.services.tables.load(self.press.table)
            if self.direct and (table.seat_of(self.user_id) is not None or self.user_id in table.guests.called):
                return table  # the bot wrote to this player alone
            # A table is nobody's business on another server, whatever number a button carries.
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
        """Do what is asked of a table: once, however often Discord delivers it. Raises Refused, RuleBroken."""
        seen = table if isinstance(command, Act) else None
        acted = await self.services.acts.act(table.head.match_id, command, request=self.interaction.id, seen=seen)
        self.done, self.did = acted.table, bool(acted.events)
        return acted

    async def name(self, user_id: int) -> str:
        """The escaped name of somebody on this server; in a direct message, on the server of the table it is about."""
        guild_id = self.interaction.guild_id
        if guild_id is None:
            guild_id = (await self.services.tables.load(self.press.table)).head.guild_id
        return (await self.services.names.people(guild_id, [user_id], self.words))[user_id]


def link(table: Table) -> str:
    """Where a table's board is."""
    return address(table.head)


def check_permissions(ctx: Context, *, thread: bool) -> None:
    """Raise Refused(MISSING_PERMISSION) naming what is missing and where; `thread` asks for one to be opened."""
    in_thread = isinstance(ctx.interaction.channel, discord.Thread)
    lacking = missing(ctx.interaction.app_permissions, in_thread=in_thread, opens_thread=thread)
    if lacking:
        raise Refused(
            No.MISSING_PERMISSION,
            permissions=", ".join(ctx.words(f"permission.{flag}") for flag in lacking),
            channel=f"<#{ctx.channel_id}>",
        )


async def still_there(ctx: Context, table: Table) -> bool:
    """Whether the channel of a table still exists."""
    guild = ctx.interaction.guild
    if guild is not None and guild.get_channel_or_thread(table.head.channel_id) is not None:
        return True
    try:
        await ctx.interaction.client.fetch_channel(table.head.channel_id)
    except discord.NotFound:
        return False
    except discord.Forbidden:
        return True
    return True
