"""The one response to an interaction that Discord waits three seconds for: the answer itself where that is there at
once, and else a sign that it comes. So what is answered fast takes one request, and not two.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Final

import discord
from discord.utils import time_snowflake, utcnow

from bot.base.discord_errors import FAILURES
from bot.base.logs import logger
from bot.views.messages import Content

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
