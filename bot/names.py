"""What people are called. Names live in memory only; the store knows ids."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import discord

from bot.service.tables import Table
from data.store.privacy import NOBODY
from data.words import Words


@dataclass(frozen=True, slots=True)
class Names:
    """The names at one table by seat: `plain` for pictures, `safe` with Markdown escaped for messages."""

    plain: tuple[str, ...]
    safe: tuple[str, ...]


class NameBook:
    """Remembers the display names of people who have been met, and asks Discord for the others once."""

    KEPT: Final = 10_000

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._known: OrderedDict[tuple[int, int], str] = OrderedDict()

    def meet(self, guild_id: int, user: discord.abc.User) -> None:
        """Remember what somebody who just acted is called here."""
        self._known[guild_id, user.id] = user.display_name
        self._known.move_to_end((guild_id, user.id))
        while len(self._known) > self.KEPT:
            self._known.popitem(last=False)

    def forget(self, user_id: int) -> None:
        """Somebody does not want to be known any more."""
        for key in [key for key in self._known if key[1] == user_id]:
            del self._known[key]

    async def name(self, guild_id: int, user_id: int, words: Words) -> str:
        """What a person is called in a server."""
        if user_id == NOBODY:
            return words("name.somebody")
        known = self._known.get((guild_id, user_id))
        if known is not None:
            return known
        guild = self._client.get_guild(guild_id)
        member = guild.get_member(user_id) if guild else None
        if member is None:
            try:
                found = await guild.fetch_member(user_id) if guild else await self._client.fetch_user(user_id)
            except discord.HTTPException:
                return words("name.somebody")
            self.meet(guild_id, found)
            return found.display_name
        self.meet(guild_id, member)
        return member.display_name

    async def at(self, table: Table, words: Words) -> Names:
        """The names of a table's seats."""
        plain = []
        computers = sum(row.computer is not None for row in table.seats)
        number = 0
        for row in table.seats:
            if row.computer is not None:
                number += 1
                key = "name.computer" if computers == 1 else "name.computer_numbered"
                plain.append(words(key, number=number))
            elif row.user_id is None:
                plain.append(words("name.somebody"))
            else:
                plain.append(await self.name(table.head.guild_id, row.user_id, words))
        return Names(tuple(plain), tuple(safe(name) for name in plain))

    async def newcomer(self, table: Table, user_id: int | None, words: Words) -> str:
        """The escaped name of somebody who may come to sit at a table; empty where there is nobody."""
        return "" if user_id is None else safe(await self.name(table.head.guild_id, user_id, words))

    async def people(self, guild_id: int, user_ids: Sequence[int], words: Words) -> dict[int, str]:
        """The escaped names of several people."""
        return {user_id: safe(await self.name(guild_id, user_id, words)) for user_id in user_ids}


def safe(name: str) -> str:
    """The name with Markdown and mentions made harmless: those of people, and of channels, commands and times."""
    return discord.utils.escape_mentions(discord.utils.escape_markdown(name)).replace("<", "\\<")
