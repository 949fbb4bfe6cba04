"""Languages and picture colours: of a guild in public, of a user in private."""

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

import discord

from bot.core.guild_settings import Guilds, GuildSettings
from bot.core.names import GuildCache, NameCache, put_bounded
from bot.core.pictures import PictureCache
from bot.tables.messages import MessageBuilder
from data.store.log.match_values import Guild
from data.store.store import Store
from data.words import Words, find_language, load_words
from engine.table.preferences import Person, Preferences
from render.canvas.theme import SCHEMES

MAX_CACHE_AGE: Final = 10 * 60_000  # ms until cached settings are read again: another process may have changed them


class PersonalSettings:
    MAX_USERS: Final = 10_000

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._known: OrderedDict[int, tuple[Preferences, int]] = OrderedDict()  # by user, with the time of reading

    async def load(self, user_id: int) -> Preferences:
        """Return a user's preferences; read them if they are missing or outdated."""
        cached = self._known.get(user_id)
        if cached is None or not 0 <= self._now() - cached[1] < MAX_CACHE_AGE:
            self.note(user_id, (await self._store.users.load_person(user_id)).preferences)
        return self.get_cached(user_id)

    def get_cached(self, user_id: int) -> Preferences:
        return self._known[user_id][0] if user_id in self._known else Preferences()

    def note(self, user_id: int, preferences: Preferences) -> None:
        put_bounded(self._known, user_id, (preferences, self._now()), self.MAX_USERS)

    def forget(self, user_id: int) -> None:
        self._known.pop(user_id, None)


DEFAULT_SCHEME: Final = "dark"


class Languages:
    def __init__(
        self, servers: GuildCache, store: Store, guilds: Guilds, personal: PersonalSettings, names: NameCache
    ) -> None:
        self._servers = servers
        self._guilds = guilds
        self._personal = personal
        self._locales: dict[int, str] = {}
        self._schemes: dict[int, str] = {}  # colours of guilds, as last read
        quick_names, boards = names.with_short_wait(), PictureCache()
        # Builders of answers, which do not wait long for names.
        self.build_messages = cache(
            lambda words, scheme=DEFAULT_SCHEME: MessageBuilder(store, quick_names, words, scheme, boards)
        )
        self._build_public = cache(lambda said, scheme: MessageBuilder(store, names, said, scheme, boards))

    def note_guild_language(self, interaction: discord.Interaction[Any]) -> None:
        """Remember the guild's language from an interaction, for guilds that the gateway has not reported yet."""
        if interaction.guild_id is not None and interaction.guild_locale is not None:
            self._locales[interaction.guild_id] = str(interaction.guild_locale)

    async def load_guild_words(self, guild_id: int) -> Words:
        """Return the words of a guild: its setting, else the language that Discord reports, else English."""
        return await self._load_words(guild_id, await self._guilds.load_settings(guild_id))

    async def load_guild_messages(self, guild_id: int) -> MessageBuilder:
        return await self._build_guild_messages(guild_id, await self._guilds.load_settings(guild_id))

    async def build_guild_messages(self, guild: Guild) -> MessageBuilder:
        return await self._build_guild_messages(guild.guild_id, GuildSettings.from_stored(guild.settings))

    async def _build_guild_messages(self, guild_id: int, settings: GuildSettings) -> MessageBuilder:
        self._schemes[guild_id] = settings.scheme
        return self._build_public(await self._load_words(guild_id, settings), choose_known_scheme(settings.scheme))

    def build_direct_messages(self, person: Person, public: MessageBuilder) -> MessageBuilder:
        """Return the builder of direct messages to a user; `public` is the guild's builder."""
        return self._build_public(choose_direct_words(person, public.words), public.scheme)

    async def _load_words(self, guild_id: int, settings: GuildSettings) -> Words:
        return load_words(find_language(settings.language) or find_language(await self._find_locale(guild_id)))

    async def load_user_words(self, interaction: discord.Interaction[Any]) -> Words:
        """Return the words of a user: their own language, else the guild's."""
        preferences = await self._personal.load(interaction.user.id)
        if not preferences.scheme and interaction.guild_id is not None and interaction.guild_id not in self._schemes:
            self._schemes[interaction.guild_id] = (await self._guilds.load_settings(interaction.guild_id)).scheme
        own_language = _find_own_language(preferences.language, interaction)
        if own_language is not None or interaction.guild_id is None:
            return load_words(own_language)
        return await self.load_guild_words(interaction.guild_id)

    def choose_words(self, interaction: discord.Interaction[Any]) -> Words:
        chosen = self._personal.get_cached(interaction.user.id).language
        return load_words(_find_own_language(chosen, interaction) or find_language(str(interaction.guild_locale)))

    def choose_scheme(self, interaction: discord.Interaction[Any]) -> str:
        chosen = self._personal.get_cached(interaction.user.id).scheme
        return choose_known_scheme(chosen or self._schemes.get(interaction.guild_id or 0, DEFAULT_SCHEME))

    async def _find_locale(self, guild_id: int) -> str | None:
        guild = self._servers.find_available(guild_id)
        if guild is None and guild_id in self._locales:
            return self._locales[guild_id]
        try:
            guild = guild or await self._servers.find(guild_id)
        except discord.HTTPException:
            return None
        return None if guild is None else str(guild.preferred_locale)


def choose_known_scheme(name: str) -> str:
    """Return the colours, or the default for a name that this version does not know."""
    return name if name in SCHEMES else DEFAULT_SCHEME


def _find_own_language(chosen: str, interaction: discord.Interaction[Any]) -> str | None:
    return find_language(chosen) or find_language(str(interaction.locale))


def choose_direct_words(person: Person, public: Words) -> Words:
    """Return the words of a direct message: outside interactions Discord does not report the user's language."""
    chosen = find_language(person.preferences.language)
    return public if chosen is None else load_words(chosen)


def choose_words(interaction: discord.Interaction[Any]) -> Words:
    languages: Languages = cast(Any, interaction.client).services.languages
    return languages.choose_words(interaction)
