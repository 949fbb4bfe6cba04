"""The settings of a guild: allowed channels, defaults for tables, and limits."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import msgspec

from bot.tables.lobbies import TableRequest
from data.rulebook import DEFAULT_PRESET, list_presets
from data.store.connection.bodies import BODY_ERRORS, read_body, register_body
from data.store.connection.schema import to_mapping
from data.store.connection.store_errors import TooManyMatches
from data.store.connection.tables import guilds
from data.store.log.match_values import Limits
from data.store.store import Store
from data.words import list_languages
from engine.players.levels import LEVELS
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import CLASSIC, DEFAULT_CLOCK, DEFAULT_LEVEL, THEMES, parse_pace
from render.canvas.theme import SCHEMES

MAX_USER_TABLES: Final = 20
MAX_GUILD_TABLES: Final = 100  # default limits of running tables


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildSettings:
    channels: tuple[int, ...] = ()  # with their threads; empty allows every channel
    preset: str = DEFAULT_PRESET  # default preset, in the games that have it
    clock: str = DEFAULT_CLOCK
    level: str = DEFAULT_LEVEL
    themes: tuple[str, ...] = THEMES
    scheme: str = "dark"  # colours of public pictures
    language: str = ""  # of public messages; empty is the language that Discord reports
    person: int = MAX_USER_TABLES  # most running tables of one user
    server: int = MAX_GUILD_TABLES  # most running tables of the guild

    @classmethod
    def from_stored(cls, settings: Mapping[str, Any]) -> Self:
        """Return stored settings, or the defaults if they are garbled; both doctors name them."""
        return read_body(cls.parse, settings, cls())

    @classmethod
    def parse(cls, settings: Mapping[str, Any]) -> Self:
        """Raises one of BODY_ERRORS."""
        fields = dict(settings)
        clock = fields.pop("usual_clock", DEFAULT_CLOCK)
        found = msgspec.convert({**fields, "clock": clock}, cls)
        parse_pace(found.clock)
        if found.level not in LEVELS or not found.themes or not set(found.themes) <= set(THEMES):
            raise ValueError("settings that this version does not know")
        return found

    def to_stored(self) -> Mapping[str, Any]:
        fields = asdict(self)
        return {**fields, "usual_clock": fields.pop("clock")}

    def allows(self, channel_ids: Collection[int]) -> bool:
        """Return whether a table may open here: `channel_ids` are the channel and, for a thread, its parent."""
        return not self.channels or not set(self.channels).isdisjoint(channel_ids)

    def apply_defaults(self, invitation: TableRequest) -> TableRequest:
        """Return the invitation with this guild's defaults where the host chose nothing."""
        preset = self.preset if self.preset in list_presets(invitation.game) else DEFAULT_PRESET
        theme = invitation.theme or (CLASSIC if CLASSIC in self.themes else self.themes[0])
        computers = tuple(player or self.level for player in invitation.computers)
        clock = invitation.clock or self.clock
        return replace(invitation, preset=invitation.preset or preset, clock=clock, theme=theme, computers=computers)


register_body(guilds.c.settings, lambda row: GuildSettings.parse(to_mapping(row.settings)))


class Guilds:
    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def load_settings(self, guild_id: int) -> GuildSettings:
        return GuildSettings.from_stored((await self._store.guilds.load_guild(guild_id)).settings)

    async def change(self, guild_id: int, settings: GuildSettings) -> None:
        """Store settings. Raises RefusalError(BAD_SETTING) for a value outside the lists of the command."""
        try:
            GuildSettings.parse(settings.to_stored())
            is_known = settings.scheme in SCHEMES and settings.language in ("", *list_languages())
        except BODY_ERRORS:
            is_known = False
        if not is_known:
            raise RefusalError(Refusal.BAD_SETTING)
        await self._store.guilds.set_guild(guild_id, settings.to_stored(), now=self._now())

    async def apply_defaults(self, invitation: TableRequest) -> TableRequest:
        return (await self.load_settings(invitation.guild_id)).apply_defaults(invitation)

    async def check(self, invitation: TableRequest, channel_ids: Collection[int]) -> None:
        """Check the limits before anything is created. `channel_ids` are the channel and, for a thread, its parent.

        Raises RefusalError(CHANNEL_NOT_ALLOWED, THEME_NOT_ALLOWED, TOO_MANY_TABLES_PERSON, or TOO_MANY_TABLES_SERVER).
        """
        await self.check_place(invitation.guild_id, channel_ids)
        guild_id, theme = invitation.guild_id, invitation.theme
        if theme in THEMES and theme not in (await self.load_settings(guild_id)).themes:
            raise RefusalError(Refusal.THEME_NOT_ALLOWED)
        try:
            limits = await self.load_limits(guild_id, invitation.host_id, new=True)
            await self._store.guilds.check_limits(guild_id, limits)
        except TooManyMatches as found:
            raise build_limit_refusal(found) from None

    async def check_place(self, guild_id: int, channel_ids: Collection[int]) -> None:
        """Check the channel, as `check` does. Raises RefusalError(CHANNEL_NOT_ALLOWED)."""
        settings = await self.load_settings(guild_id)
        if not settings.allows(channel_ids):
            allowed = " ".join(f"<#{channel}>" for channel in settings.channels)
            raise RefusalError(Refusal.CHANNEL_NOT_ALLOWED, channels=allowed)

    async def load_limits(self, guild_id: int, user_id: int, *, new: bool = False) -> Limits:
        settings = await self.load_settings(guild_id)
        return Limits(user_id=user_id, person=settings.person, server=settings.server if new else None)


def build_limit_refusal(found: TooManyMatches) -> RefusalError:
    why = Refusal.TOO_MANY_TABLES_PERSON if found.scope == "person" else Refusal.TOO_MANY_TABLES_SERVER
    return RefusalError(why, most=found.limit)
