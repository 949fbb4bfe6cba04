"""The servers as Discord knows them: those whose events this process hears, and those of other processes too."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import discord


class Servers:
    """Finds a server. One that another process hears, or that has not arrived yet, is asked for and kept a while."""

    KEPT: Final = 1000
    FRESH: Final = 10 * 60_000
    """For so many ms nobody is asked again what a server is like; its language hardly ever changes."""

    def __init__(self, client: discord.Client, now: Callable[[], int]) -> None:
        self._client = client
        self._now = now
        self._fetched: OrderedDict[int, tuple[int, discord.Guild | None]] = OrderedDict()

    def arrived(self, guild_id: int) -> discord.Guild | None:
        """The server as its events tell it, with channels and roles; None where they do not reach this process."""
        guild = self._client.get_guild(guild_id)
        # Of a server that has not arrived yet discord.py claims that it speaks English.
        return None if guild is None or guild.unavailable else guild

    async def find(self, guild_id: int) -> discord.Guild | None:
        """The server, with its language and whoever is looked for there; None where the bot is not on it.

        Raises discord.HTTPException where Discord does not say.
        """
        guild = self.arrived(guild_id)
        if guild is not None:
            return guild
        until, kept = self._fetched.get(guild_id, (0, None))
        if self._now() < until <= self._now() + self.FRESH:
            return kept
        try:
            kept = await self._client.fetch_guild(guild_id, with_counts=False)
        except (discord.NotFound, discord.Forbidden):
            kept = None
        self._fetched[guild_id] = (self._now() + self.FRESH, kept)
        self._fetched.move_to_end(guild_id)
        while len(self._fetched) > self.KEPT:
            self._fetched.popitem(last=False)
        return kept
