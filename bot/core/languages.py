"""Languages and picture colours: of a guild in public, of a user in private."""

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

import discord

from bot.core.guild_settings import Guilds, GuildSettings
from bot.core.names import NameBook, Servers, keep
from bot.core.pictures import LastPictures
from bot.tables.messages import MessageBuilder
from data.store.log.match_values import Guild
from data.store.store import Store
from data.words import Words, spoken, words
from engine.table.preferences import Person, Preferences
from render.canvas.theme import SCHEMES

FRESH: Final = 10 * 60_000  # ms until cached settings are read again: another process may have changed them


class PersonalSettings:
    KEPT: Final = 10_000

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._known: OrderedDict[int, tuple[Preferences, int]] = OrderedDict()  # by user, with the time of reading

    async def of(self, user_id: int) -> Preferences:
        """Return a user's preferences; read them if they are missing or outdated."""
        known = self._known.get(user_id)
        if known is None or not 0 <= self._now() - known[1] < FRESH:
            self.note(user_id, (await self._store.users.person(user_id)).preferences)
        return self.known(user_id)

    def known(self, user_id: int) -> Preferences:
        return self._known[user_id][0] if user_id in self._known else Preferences()

    def note(self, user_id: int, preferences: Preferences) -> None:
        keep(self._known, user_id, (preferences, self._now()), self.KEPT)

    def forget(self, user_id: int) -> None:
        self._known.pop(user_id, None)


USUAL: Final = "dark"


class Languages:
    def __init__(
        self, servers: Servers, store: Store, guilds: Guilds, personal: PersonalSettings, names: NameBook
    ) -> None:
        self._servers = servers
        self._guilds = guilds
        self._personal = personal
        self._met: dict[int, str] = {}
        self._schemes: dict[int, str] = {}  # colours of guilds, as last read
        hurried, boards = names.hurried(), LastPictures()
        # Builders of answers, which do not wait long for names.
        self.messages = cache(lambda said, scheme=USUAL: MessageBuilder(store, hurried, said, scheme, boards))
        self._public = cache(lambda said, scheme: MessageBuilder(store, names, said, scheme, boards))

    def meet(self, interaction: discord.Interaction[Any]) -> None:
        """Remember the guild's language from an interaction, for guilds that the gateway has not reported yet."""
        if interaction.guild_id is not None and interaction.guild_locale is not None:
            self._met[interaction.guild_id] = str(interaction.guild_locale)

    async def at(self, guild_id: int) -> Words:
        """Return the words of a guild: its setting, else the language that Discord reports, else English."""
        return await self._said(guild_id, await self._guilds.settings(guild_id))

    async def messages_at(self, guild_id: int) -> MessageBuilder:
        return await self._messages(guild_id, await self._guilds.settings(guild_id))

    async def messages_for(self, guild: Guild) -> MessageBuilder:
        return await self._messages(guild.guild_id, GuildSettings.read(guild.settings))

    async def _messages(self, guild_id: int, settings: GuildSettings) -> MessageBuilder:
        self._schemes[guild_id] = settings.scheme
        return self._public(await self._said(guild_id, settings), known_scheme(settings.scheme))

    def messages_alone(self, person: Person, public: MessageBuilder) -> MessageBuilder:
        """Return the builder of direct messages to a user; `public` is the guild's builder."""
        return self._public(alone(person, public.words), public.scheme)

    async def _said(self, guild_id: int, settings: GuildSettings) -> Words:
        return words(spoken(settings.language) or spoken(await self._locale(guild_id)))

    async def of(self, interaction: discord.Interaction[Any]) -> Words:
        """Return the words of a user: their own language, else the guild's."""
        chosen = await self._personal.of(interaction.user.id)
        if not chosen.scheme and interaction.guild_id is not None and interaction.guild_id not in self._schemes:
            self._schemes[interaction.guild_id] = (await self._guilds.settings(interaction.guild_id)).scheme
        own = _own(chosen.language, interaction)
        if own is not None or interaction.guild_id is None:
            return words(own)
        return await self.at(interaction.guild_id)

    def at_once(self, interaction: discord.Interaction[Any]) -> Words:
        chosen = self._personal.known(interaction.user.id).language
        return words(_own(chosen, interaction) or spoken(str(interaction.guild_locale)))

    def scheme(self, interaction: discord.Interaction[Any]) -> str:
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
    """Return the colours, or the default for a name that this version does not know."""
    return name if name in SCHEMES else USUAL


def _own(chosen: str, interaction: discord.Interaction[Any]) -> str | None:
    return spoken(chosen) or spoken(str(interaction.locale))


def alone(person: Person, public: Words) -> Words:
    """Return the words of a direct message: outside interactions Discord does not report the user's language."""
    chosen = spoken(person.preferences.language)
    return public if chosen is None else words(chosen)


def at_once(interaction: discord.Interaction[Any]) -> Words:
    languages: Languages = cast(Any, interaction.client).services.languages
    return languages.at_once(interaction)
