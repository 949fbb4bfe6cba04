"""What people are called. Names live in memory only; the store knows ids."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final, TypeVar

import discord

from bot.core.discord_errors import FAILURES, code_of
from bot.core.logs import logger
from bot.core.safe_text import harmless, safe
from bot.tables.service import Table
from data.store.operations.erasure import NOBODY
from data.words import Words
from engine.players.levels import LEVELS
from engine.table.terms import program_named
from render.canvas.lettering import readable


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


Key = tuple[int, int]
"""A server and somebody there."""

T = TypeVar("T")

NARROW: Final = 3
"""From so many seats on the cards of a picture have no room for what a computer is called in full."""

log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Names:
    """The names at one table by seat: `plain` for alt texts, `safe` for messages, `pictured` for pictures."""

    plain: tuple[str, ...]
    safe: tuple[str, ...]
    short: tuple[str, ...] = ()
    """What there is room for in a picture of many seats, where that is less."""

    @property
    def pictured(self) -> tuple[str, ...]:
        """What pictures show."""
        return self.short or self.plain

    def numbered(self, words: Words) -> list[str]:
        """A line that says whose the numbers in the picture are: names in letters that no font here has."""
        told = [
            f"#{seat} {self.safe[seat - 1]}" for seat, name in enumerate(self.pictured, 1) if readable(name, "#") == "#"
        ]
        return [words("board.numbered", list=words("and.comma").join(told))] if told else []


class NameBook:
    """Remembers the display names of people who have been met, and asks Discord for the others once.

    Those it does not find, who left the server or Discord, are asked for again after `GONE`.
    """

    KEPT: Final = 10_000
    GONE: Final = 10 * 60_000
    """For so many ms somebody who was not found is not looked for: pictures are drawn more often than people return."""

    SOON: Final = 3.0
    """Seconds that whoever waits for an answer waits for a name."""

    def __init__(
        self, client: discord.Client, servers: Servers, now: Callable[[], int], programs: Sequence[str] = ()
    ) -> None:
        self.programs = tuple(programs)
        """What other people's programs are called that may play here."""
        self._client = client
        self._servers = servers
        self._now = now
        self._known: OrderedDict[Key, str] = OrderedDict()
        self._gone_until: OrderedDict[Key, int] = OrderedDict()
        self._asking: dict[Key, asyncio.Task[str]] = {}
        """Names that somebody who is hurried has asked for."""
        self._fresh: set[asyncio.Task[str]] = set()
        """Those of these that are still waited for."""
        self._hurried = False

    def meet(self, guild_id: int, user: discord.abc.User) -> str:
        """Remember what somebody who just acted is called here; empty where nobody could read it."""
        self._gone_until.pop((guild_id, user.id), None)
        name = harmless(user.display_name)
        _keep(self._known, (guild_id, user.id), name, self.KEPT)
        return name

    def forget(self, user_id: int) -> None:
        """Somebody does not want to be known any more."""
        for book in (self._known, self._gone_until):
            for key in [key for key in book if key[1] == user_id]:
                del book[key]

    async def name(self, guild_id: int, user_id: int, words: Words) -> str:
        """What a person is called in a server."""
        if user_id == NOBODY:
            return words("name.somebody")
        known = self._known.get((guild_id, user_id))
        if known is not None:
            return known or words("name.somebody")
        if self._gone_until.get((guild_id, user_id), 0) > self._now():
            return words("name.somebody")
        asked = self._asked_soon if self._hurried else self._asked
        return await asked(guild_id, user_id) or words("name.somebody")

    def known(self, guild_id: int, user_id: int) -> str:
        """The same where nobody may be asked; empty where it is not known."""
        return self._known.get((guild_id, user_id), "")

    def hurried(self) -> "NameBook":
        """The same book for whoever waits for an answer: names that take Discord long are done without."""
        same = copy(self)
        same._hurried = True
        return same

    async def _asked(self, guild_id: int, user_id: int) -> str:
        """A name that Discord is asked for; empty where it does not know it."""
        try:
            return self.meet(guild_id, await self._found(guild_id, user_id))
        except discord.NotFound:
            _keep(self._gone_until, (guild_id, user_id), self._now() + self.GONE, self.KEPT)
        except FAILURES as error:
            log.info("a name could not be asked for", code=code_of(error))
        return ""

    async def _asked_soon(self, guild_id: int, user_id: int) -> str:
        """The same, empty where it takes long. It is learnt all the same: a request that waits for the end of a limit
        is not to be cut short.
        """
        asking = self._asking.get((guild_id, user_id))
        if asking is None:
            if any(task not in self._fresh for task in self._asking.values()):
                return ""  # the others take long already
            asking = self._asking[guild_id, user_id] = asyncio.create_task(self._asked(guild_id, user_id))
            self._fresh.add(asking)
            asking.add_done_callback(lambda _: self._asking.pop((guild_id, user_id), None))
        if asking in self._fresh:
            await asyncio.wait([asking], timeout=self.SOON)
            self._fresh.discard(asking)
        return asking.result() if asking.done() else ""

    async def _found(self, guild_id: int, user_id: int) -> discord.abc.User:
        """Somebody as they are on a server, by their nickname, whichever process hears of it. Raises HTTPException."""
        guild = await self._servers.find(guild_id)
        if guild is None:
            return await self._client.fetch_user(user_id)
        return guild.get_member(user_id) or await guild.fetch_member(user_id)

    async def at(self, table: Table, words: Words) -> Names:
        """The names of a table's seats."""
        plain, escaped, short = [], [], []
        computers = sum(row.computer is not None for row in table.seats)
        number = 0
        for row in table.seats:
            if row.computer is not None:
                number += 1
                told = number if computers > 1 else None
                plain.append(computer_name(row.computer, words, told))
                escaped.append(plain[-1])  # nobody but us has given it that name
                # Where the cards are narrow, the numbers tell them apart: the text beneath says how strong each is.
                wide = len(table.seats) < NARROW or program_named(row.computer) is not None
                short.append(plain[-1] if wide else computer_name("", words, told))
                continue
            if row.user_id is None:
                plain.append(words("name.somebody"))
            else:
                plain.append(await self.name(table.head.guild_id, row.user_id, words))
            escaped.append(safe(plain[-1]))
            short.append(plain[-1])
        return Names(tuple(plain), tuple(escaped), tuple(short))

    async def newcomer(self, table: Table, user_id: int | None, words: Words) -> str:
        """The escaped name of somebody who may come to sit at a table; empty where there is nobody."""
        return "" if user_id is None else safe(await self.name(table.head.guild_id, user_id, words))

    async def people(self, guild_id: int, user_ids: Sequence[int], words: Words) -> dict[int, str]:
        """The escaped names of several people."""
        return {user_id: safe(await self.name(guild_id, user_id, words)) for user_id in user_ids}


def _keep(book: OrderedDict[Key, T], key: Key, value: T, most: int) -> None:
    """Write down what was learnt last, and let go of what was learnt longest ago."""
    book[key] = value
    book.move_to_end(key)
    while len(book) > most:
        book.popitem(last=False)


def computer_name(level: str, words: Words, number: int | None = None) -> str:
    """What a computer is called; `number` tells it from others at its table. It says how strong it is where it sits by
    its level.
    """
    if (program := program_named(level)) is not None:
        return words("name.program", name=program if number is None else f"{program} {number}")
    name = words("name.computer") if number is None else words("name.computer_numbered", number=number)
    return words("name.of_level", name=name, level=words(f"level.{level}")) if level in LEVELS else name


def plain_name(user: discord.abc.User, words: Words) -> str:
    """What somebody is called who is there already, where there is no Markdown."""
    return harmless(user.display_name) or words("name.somebody")
