"""Display names of users, and names of computers. Names are in memory only; the store has ids."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final, TypeVar

import discord

from bot.core.discord_errors import DEPARTED_CODES, REQUEST_ERRORS, format_error_code
from bot.core.logs import get_logger
from bot.core.safe_text import escape_text, sanitize_text, shorten_text
from bot.tables.service import Table
from data.store.operations.erasure import ERASED_HOST
from data.words import Words
from engine.players.levels import LEVELS
from engine.table.terms import find_program_name
from engine.typed_text import normalize_text
from render.canvas.lettering import clean_text


class GuildCache:
    """Finds guilds. Guilds that this process does not get events of are fetched and cached."""

    MAX_GUILDS: Final = 1000
    MAX_AGE: Final = 10 * 60_000  # ms in the cache; the language of a guild hardly ever changes

    def __init__(self, client: discord.Client, now: Callable[[], int]) -> None:
        self._client = client
        self._now = now
        self._fetched: OrderedDict[int, tuple[int, discord.Guild | None]] = OrderedDict()

    def find_available(self, guild_id: int) -> discord.Guild | None:
        """Return a guild from the gateway, with channels and roles; None if this process gets no events of it."""
        guild = self._client.get_guild(guild_id)
        # discord.py reports English for a guild that is not available yet.
        return None if guild is None or guild.unavailable else guild

    async def find(self, guild_id: int) -> discord.Guild | None:
        """Return a guild, with its language; None if the bot is no member. Raises discord.HTTPException."""
        guild = self.find_available(guild_id)
        if guild is not None:
            return guild
        until, guild_or_none = self._fetched.get(guild_id, (0, None))
        if self._now() < until <= self._now() + self.MAX_AGE:
            return guild_or_none
        try:
            guild_or_none = await self._client.fetch_guild(guild_id, with_counts=False)
        except (discord.NotFound, discord.Forbidden):
            guild_or_none = None
        put_bounded(self._fetched, guild_id, (self._now() + self.MAX_AGE, guild_or_none), self.MAX_GUILDS)
        return guild_or_none


Key = tuple[int, int]  # guild id, user id
K = TypeVar("K")
T = TypeVar("T")
SHORT_LENGTH: Final = 10  # letters of a name that every picture shows
NARROW_FROM_SEATS: Final = 3  # from this number of seats the cards of a picture are too narrow for full computer names
log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SeatNames:
    """The names of a table's seats: `plain` for alt texts, `escaped` for messages, `picture_names` for pictures."""

    plain: tuple[str, ...]
    escaped: tuple[str, ...]
    short: tuple[str, ...] = ()  # for pictures with many seats, where shorter

    @property
    def picture_names(self) -> tuple[str, ...]:
        return self.short or self.plain

    def explain_numbers(self, words: Words) -> list[str]:
        """Explain the numbers in a picture that replace names which no font can show."""
        seats = [seat for seat, name in enumerate(self.picture_names) if clean_text(name, "#") == "#"]
        entries = [f"#{seat + 1} {self.escaped[seat]}" for seat in seats]
        return [words("board.numbered", list=words("and.comma").join(entries))] if entries else []


class NameCache:
    """Caches display names, and fetches missing ones; unknown users again after `RETRY_AFTER`."""

    MAX_NAMES: Final = 10_000
    RETRY_AFTER: Final = 10 * 60_000  # ms until a missing name is fetched again
    MAX_WAIT: Final = 3.0  # seconds that an answer waits for a name

    def __init__(
        self, client: discord.Client, servers: GuildCache, now: Callable[[], int], programs: Sequence[str] = ()
    ) -> None:
        self.programs = tuple(programs)  # names of external players
        self._client = client
        self._servers = servers
        self._now = now
        self._known: OrderedDict[Key, str] = OrderedDict()
        self._usernames: OrderedDict[int, str] = OrderedDict()  # distinguish users with the same display name
        self._gone_until: OrderedDict[Key, int] = OrderedDict()
        self._seen_at: OrderedDict[Key, int] = OrderedDict()  # when Discord last showed that a user is a member
        self.arrived: OrderedDict[Key, None] = OrderedDict()  # members seen for the first time, or again
        self.departed: OrderedDict[Key, None] = OrderedDict()  # users found to have left, to be noted
        self._asking: dict[Key, asyncio.Task[str]] = {}  # fetches that an answer waits for or waited for
        self._fresh: set[asyncio.Task[str]] = set()  # fetches that an answer still waits for
        self._has_short_wait = False

    def remember(self, guild_id: int, user: discord.abc.User) -> str:
        """Cache the name of an active user; empty if it has no visible character."""
        key = guild_id, user.id
        if self._gone_until.pop(key, None) is not None or key not in self._seen_at:
            put_bounded(self.arrived, key, None, self.MAX_NAMES)
        put_bounded(self._seen_at, key, self._now(), self.MAX_NAMES)
        name = sanitize_text(user.display_name)
        put_bounded(self._known, key, name, self.MAX_NAMES)
        put_bounded(self._usernames, user.id, sanitize_text(user.name), self.MAX_NAMES)
        return name

    def forget(self, user_id: int) -> None:
        self._usernames.pop(user_id, None)
        for book in (self._known, self._gone_until, self._seen_at, self.arrived, self.departed):
            for key in [key for key in book if key[1] == user_id]:
                del book[key]

    async def resolve_name(self, guild_id: int, user_id: int, words: Words) -> str:
        if user_id == ERASED_HOST:
            return words("name.somebody")
        cached = self._known.get((guild_id, user_id))
        if cached is not None:
            return cached or words("name.somebody")
        if self._gone_until.get((guild_id, user_id), 0) > self._now():
            return words("name.somebody")
        fetch = self._fetch_soon if self._has_short_wait else self._fetch_name
        return await fetch(guild_id, user_id) or words("name.somebody")

    def has_left(self, guild_id: int, user_id: int) -> bool:
        """Return whether a user is known to have left a server; without a request."""
        return (guild_id, user_id) in self._gone_until

    def find_last_seen(self, guild_id: int, user_id: int) -> int:
        return self._seen_at.get((guild_id, user_id), 0)

    async def check_member(self, guild_id: int, user_id: int) -> None:
        """Ask Discord whether a user is a member of a server, and remember the answer."""
        await self._fetch_name(guild_id, user_id)

    def get_cached(self, guild_id: int, user_id: int) -> str:
        return self._known.get((guild_id, user_id), "")

    def with_short_wait(self) -> "NameCache":
        """Return a view of this cache for answers, which do not wait for slow fetches."""
        same = copy(self)
        same._has_short_wait = True
        return same

    async def _fetch_name(self, guild_id: int, user_id: int) -> str:
        try:
            return self.remember(guild_id, await self._fetch_user(guild_id, user_id))
        except discord.NotFound as error:
            put_bounded(self._gone_until, (guild_id, user_id), self._now() + self.RETRY_AFTER, self.MAX_NAMES)
            if error.code in DEPARTED_CODES:
                put_bounded(self.departed, (guild_id, user_id), None, self.MAX_NAMES)
        except REQUEST_ERRORS as error:
            log.info("a name could not be asked for", code=format_error_code(error))
        return ""

    async def _fetch_soon(self, guild_id: int, user_id: int) -> str:
        """Fetch a name; empty if it takes long. The fetch continues: it may be waiting for a rate limit."""
        asking = self._asking.get((guild_id, user_id))
        if asking is None:
            if any(task not in self._fresh for task in self._asking.values()):
                return ""  # other fetches take long already
            asking = self._asking[guild_id, user_id] = asyncio.create_task(self._fetch_name(guild_id, user_id))
            self._fresh.add(asking)
            asking.add_done_callback(lambda _: self._asking.pop((guild_id, user_id), None))
        if asking in self._fresh:
            await asyncio.wait([asking], timeout=self.MAX_WAIT)
            self._fresh.discard(asking)
        return asking.result() if asking.done() else ""

    async def _fetch_user(self, guild_id: int, user_id: int) -> discord.abc.User:
        guild = await self._servers.find(guild_id)
        if guild is None:
            return await self._client.fetch_user(user_id)
        return guild.get_member(user_id) or await guild.fetch_member(user_id)

    async def resolve_seat_names(self, table: Table, words: Words) -> SeatNames:
        plain, escaped, short = [], [], []
        levels = [row.computer for row in table.seats if row.computer is not None]
        numbers = range(1, len(levels) + 1) if len(levels) > 1 else [None]
        computers = [format_computer_name(level, words, number) for level, number in zip(levels, numbers, strict=False)]
        user_ids = [ERASED_HOST if row.user_id is None else row.user_id for row in table.seats if row.computer is None]
        names = await self.resolve_plain_names(table.head.guild_id, user_ids, words, taken=computers)
        similar = {user_id for group in _group_similar(names, SHORT_LENGTH) for user_id in group}
        number = 0
        for seat, row in enumerate(table.seats):
            if row.computer is not None:
                number += 1
                plain.append(computers[number - 1])
                escaped.append(plain[-1])  # the bot chose that name
                # On narrow cards numbers distinguish computers; the text beneath names their levels.
                wide = len(table.seats) < NARROW_FROM_SEATS or find_program_name(row.computer) is not None
                short.append(
                    plain[-1] if wide else format_computer_name("", words, number if len(levels) > 1 else None)
                )
                continue
            user_id = ERASED_HOST if row.user_id is None else row.user_id
            plain.append(names[user_id])
            escaped.append(escape_text(plain[-1]))
            # Pictures cut long names.
            username = self._usernames.get(user_id)
            unique = f"@{username}" if username else f"{seat + 1} {plain[-1]}"
            short.append(unique if user_id in similar else plain[-1])
        return SeatNames(tuple(plain), tuple(escaped), tuple(short))

    async def resolve_newcomer_name(self, table: Table, user_id: int | None, words: Words) -> str:
        """Return the escaped name of a user who may join a table; empty for None."""
        return "" if user_id is None else escape_text(await self.resolve_name(table.head.guild_id, user_id, words))

    async def resolve_names(self, guild_id: int, user_ids: Iterable[int], words: Words) -> dict[int, str]:
        """Return the escaped names; users with the same name get their user name or a number too."""
        names = await self.resolve_plain_names(guild_id, user_ids, words)
        return {user_id: escape_text(name) for user_id, name in names.items()}

    async def resolve_plain_names(
        self, guild_id: int, user_ids: Iterable[int], words: Words, *, taken: Iterable[str] = ()
    ) -> dict[int, str]:
        """Return the names as `resolve_names` does, not escaped. `taken` are names that belong to no user."""
        names = {user_id: await self.resolve_name(guild_id, user_id, words) for user_id in dict.fromkeys(user_ids)}
        known = {user_id: name for user_id, name in names.items() if name != words("name.somebody")}
        others = {-number: name for number, name in enumerate(taken, 1)}
        for group in _group_similar(known | others):
            for number, user_id in enumerate(sorted(set(group) & known.keys()), 1):
                username = self._usernames.get(user_id)
                names[user_id] += f" (@{username})" if username else f" ({number})"
        return names


def _group_similar(names: Mapping[int, str], length: int | None = None) -> list[list[int]]:
    """Return the groups of users whose names have the same `length` letters at the start, or are the same."""
    groups: dict[str, list[int]] = {}
    for user_id, name in names.items():
        groups.setdefault(normalize_text(name).casefold()[:length], []).append(user_id)
    return [group for group in groups.values() if len(group) > 1]


def shorten_names(names: Sequence[str], columns: int) -> list[str]:
    """Return the names as code of at most this width; those that would look the same end with their number."""
    short = {number: shorten_text(name, columns) for number, name in enumerate(names, 1)}
    for group in _group_similar(short):
        for number in group:
            short[number] = shorten_text(names[number - 1], columns, f"#{number}")
    return [*short.values()]


def put_bounded(cache: OrderedDict[K, T], key: K, value: T, limit: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > limit:
        cache.popitem(last=False)


def format_computer_name(level: str, words: Words, number: int | None = None) -> str:
    """Return a computer's name, with its level if any; `number` distinguishes the computers at a table."""
    if (program := find_program_name(level)) is not None:
        return words("name.program", name=program if number is None else f"{program} {number}")
    name = words("name.computer") if number is None else words("name.computer_numbered", number=number)
    return words("name.of_level", name=name, level=words(f"level.{level}")) if level in LEVELS else name


def format_plain_name(user: discord.abc.User, words: Words) -> str:
    return sanitize_text(user.display_name) or words("name.somebody")
