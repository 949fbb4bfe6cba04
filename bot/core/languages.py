"""Which language is spoken where, and which colours pictures have: a server's own in public, a person's own where
nobody else looks.

A person's own language is what they have chosen, else what Discord says they speak; their own colours are what they
have chosen, else those of the server.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Protocol, cast

import discord

from bot.core.guild_settings import Guilds, GuildSettings
from bot.core.names import NameBook, Servers
from bot.core.pictures import LastPictures
from bot.tables.messages import MessageBuilder
from data.store.log.match_values import Guild
from data.store.store import Store
from data.words import Words, spoken, words
from engine.table.preferences import Person, Preferences
from render.canvas.theme import SCHEMES

FRESH: Final = 10 * 60_000
"""So many ms after it was read it is read again: another process may have heard of something else."""


class PersonalSettings:
    """Knows people's preferences as they were set here, or last read."""

    KEPT: Final = 10_000

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._known: OrderedDict[int, tuple[Preferences, int]] = OrderedDict()
        """By person, with when it was read."""

    async def of(self, user_id: int) -> Preferences:
        """What somebody has set, read where that is unknown or long ago."""
        known = self._known.get(user_id)
        if known is None or not 0 <= self._now() - known[1] < FRESH:
            self.note(user_id, (await self._store.users.person(user_id)).preferences)
        return self.known(user_id)

    def known(self, user_id: int) -> Preferences:
        """The same as far as it is known, for whoever cannot wait; the defaults where nothing is."""
        return self._known[user_id][0] if user_id in self._known else Preferences()

    def note(self, user_id: int, preferences: Preferences) -> None:
        """Somebody has just set this, or it was just read."""
        self._known[user_id] = preferences, self._now()
        self._known.move_to_end(user_id)
        while len(self._known) > self.KEPT:
            self._known.popitem(last=False)

    def forget(self, user_id: int) -> None:
        """Somebody does not want to be known any more."""
        self._known.pop(user_id, None)


USUAL: Final = "dark"


class Languages:
    """Finds the words for a server or a person, and the builder of messages that speaks with them."""

    def __init__(
        self, servers: Servers, store: Store, guilds: Guilds, personal: PersonalSettings, names: NameBook
    ) -> None:
        self._servers = servers
        self._guilds = guilds
        self._personal = personal
        self._met: dict[int, str] = {}
        self._schemes: dict[int, str] = {}
        """The colours of servers, as they were last read."""
        hurried, boards = names.hurried(), LastPictures()
        self.messages = cache(lambda said, scheme=USUAL: MessageBuilder(store, hurried, said, scheme, boards))
        """What builds messages with these words and colours for somebody who waits for an answer."""
        self._public = cache(lambda said, scheme: MessageBuilder(store, names, said, scheme, boards))

    def meet(self, interaction: discord.Interaction[Any]) -> None:
        """Remember what language Discord says a server has: it is not told of servers before they are heard of."""
        if interaction.guild_id is not None and interaction.guild_locale is not None:
            self._met[interaction.guild_id] = str(interaction.guild_locale)

    async def at(self, guild_id: int) -> Words:
        """The words of a server: the language that was set there, else the one Discord says it has, else English."""
        return await self._said(guild_id, await self._guilds.settings(guild_id))

    async def messages_at(self, guild_id: int) -> MessageBuilder:
        """What builds messages with the words and colours of a server."""
        return await self._messages(guild_id, await self._guilds.settings(guild_id))

    async def messages_for(self, guild: Guild) -> MessageBuilder:
        """The same for a server of which is known what it has set."""
        return await self._messages(guild.guild_id, GuildSettings.read(guild.settings))

    async def _messages(self, guild_id: int, settings: GuildSettings) -> MessageBuilder:
        self._schemes[guild_id] = settings.scheme
        return self._public(await self._said(guild_id, settings), known_scheme(settings.scheme))

    def messages_alone(self, person: Person, public: MessageBuilder) -> MessageBuilder:
        """What builds direct messages for somebody, where `public` builds what their server reads."""
        return self._public(alone(person, public.words), public.scheme)

    async def _said(self, guild_id: int, settings: GuildSettings) -> Words:
        return words(spoken(settings.language) or spoken(await self._locale(guild_id)))

    async def of(self, interaction: discord.Interaction[Any]) -> Words:
        """The words for one person: their own language, else that of the server."""
        chosen = await self._personal.of(interaction.user.id)
        if not chosen.scheme and interaction.guild_id is not None and interaction.guild_id not in self._schemes:
            self._schemes[interaction.guild_id] = (await self._guilds.settings(interaction.guild_id)).scheme
        own = _own(chosen.language, interaction)
        if own is not None or interaction.guild_id is None:
            return words(own)
        return await self.at(interaction.guild_id)

    def at_once(self, interaction: discord.Interaction[Any]) -> Words:
        """The words for one person as far as they are known without asking the store or Discord."""
        chosen = self._personal.known(interaction.user.id).language
        return words(_own(chosen, interaction) or spoken(str(interaction.guild_locale)))

    def scheme(self, interaction: discord.Interaction[Any]) -> str:
        """The colours of pictures for one person: those they have chosen, else those of the server."""
        chosen = self._personal.known(interaction.user.id).scheme
        return known_scheme(chosen or self._schemes.get(interaction.guild_id or 0, USUAL))

    async def _locale(self, guild_id: int) -> str | None:
        guild = self._servers.arrived(guild_id)
        if guild is None and guild_id in self._met:
            return self._met[guild_id]
        try:
            guild = guild or await self._servers.find(guild_id)
        except discord.HTTPException:
            return None
        return None if guild is None else str(guild.preferred_locale)


def known_scheme(name: str) -> str:
    """The colours of this name; another version may have known others."""
    return name if name in SCHEMES else USUAL


def _own(chosen: str, interaction: discord.Interaction[Any]) -> str | None:
    return spoken(chosen) or spoken(str(interaction.locale))


def alone(person: Person, public: Words) -> Words:
    """The words for a direct message: Discord does not say what language somebody has whom it only delivers to."""
    chosen = spoken(person.preferences.language)
    return public if chosen is None else words(chosen)


class _Serves(Protocol):
    languages: Languages


class _Client(Protocol):
    services: _Serves


def at_once(interaction: discord.Interaction[Any]) -> Words:
    """The words for one person where there is no time to ask, such as for what Discord completes while they type."""
    return cast(_Client, interaction.client).services.languages.at_once(interaction)
