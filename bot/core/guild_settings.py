"""The settings of a guild: allowed channels, defaults for tables, and limits."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import msgspec

from bot.tables.lobbies import Invitation
from data.rulebook import DEFAULT, presets
from data.store.connection.store_errors import TooMany
from data.store.log.match_values import Limits
from data.store.store import Store
from engine.table.refusals import No, Refused
from engine.table.terms import CLASSIC, THEMES, USUAL_CLOCK, USUAL_LEVEL

MOST_PERSON: Final = 20
MOST_SERVER: Final = 100  # default limits of running tables


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildSettings:
    channels: tuple[int, ...] = ()  # with their threads; empty allows every channel
    preset: str = DEFAULT  # default preset, in the games that have it
    clock: str = USUAL_CLOCK
    level: str = USUAL_LEVEL
    themes: tuple[str, ...] = THEMES
    scheme: str = "dark"  # colours of public pictures
    language: str = ""  # of public messages; empty is the language that Discord reports
    person: int = MOST_PERSON  # most running tables of one user
    server: int = MOST_SERVER  # most running tables of the guild

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Self:
        known = dict(settings)
        clock = known.pop("usual_clock", USUAL_CLOCK)
        return msgspec.convert({**known, "clock": clock}, cls)

    def stored(self) -> Mapping[str, Any]:
        kept = asdict(self)
        return {**kept, "usual_clock": kept.pop("clock")}

    def allows(self, channel_ids: Collection[int]) -> bool:
        """Return whether a table may open here: `channel_ids` are the channel and, for a thread, its parent."""
        return not self.channels or not set(self.channels).isdisjoint(channel_ids)

    def usual(self, asked: Invitation) -> Invitation:
        """Return the invitation with this guild's defaults where the host chose nothing."""
        preset = self.preset if self.preset in presets(asked.game) else DEFAULT
        theme = asked.theme or (CLASSIC if CLASSIC in self.themes else self.themes[0])
        computers = tuple(player or self.level for player in asked.computers)
        clock = asked.clock or self.clock
        return replace(asked, preset=asked.preset or preset, clock=clock, theme=theme, computers=computers)


class Guilds:
    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def settings(self, guild_id: int) -> GuildSettings:
        return GuildSettings.read((await self._store.guilds.guild(guild_id)).settings)

    async def change(self, guild_id: int, settings: GuildSettings) -> None:
        await self._store.guilds.set_guild(guild_id, settings.stored(), now=self._now())

    async def usual(self, asked: Invitation) -> Invitation:
        return (await self.settings(asked.guild_id)).usual(asked)

    async def check(self, asked: Invitation, channel_ids: Collection[int]) -> None:
        """Check the limits before anything is created. `channel_ids` are the channel and, for a thread, its parent.

        Raises Refused(CHANNEL_NOT_ALLOWED, THEME_NOT_ALLOWED, TOO_MANY_TABLES_PERSON, or TOO_MANY_TABLES_SERVER).
        """
        await self.check_place(asked.guild_id, channel_ids)
        if asked.theme in THEMES and asked.theme not in (await self.settings(asked.guild_id)).themes:
            raise Refused(No.THEME_NOT_ALLOWED)
        try:
            await self._store.guilds.check_limits(
                asked.guild_id, await self.limits(asked.guild_id, asked.host_id, new=True)
            )
        except TooMany as found:
            raise too_many(found) from None

    async def check_place(self, guild_id: int, channel_ids: Collection[int]) -> None:
        """Check the channel, as `check` does. Raises Refused(CHANNEL_NOT_ALLOWED)."""
        settings = await self.settings(guild_id)
        if not settings.allows(channel_ids):
            raise Refused(No.CHANNEL_NOT_ALLOWED, channels=" ".join(f"<#{channel}>" for channel in settings.channels))

    async def limits(self, guild_id: int, user_id: int, *, new: bool = False) -> Limits:
        settings = await self.settings(guild_id)
        return Limits(user_id=user_id, person=settings.person, server=settings.server if new else None)


def too_many(found: TooMany) -> Refused:
    why = No.TOO_MANY_TABLES_PERSON if found.whose == "person" else No.TOO_MANY_TABLES_SERVER
    return Refused(why, most=found.most)
