"""What the moderators of a server have set: where tables may stand, what is usual here, and how many there may be."""

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
MOST_SERVER: Final = 100
"""Tables that run at the same time, where a server has set nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuildSettings:
    """The settings of one server."""

    channels: tuple[int, ...] = ()
    """Where tables may stand, threads of these channels included; none named is everywhere."""
    preset: str = DEFAULT
    """The reading of the rules where the host names none, in the games that have it."""
    clock: str = USUAL_CLOCK
    """How long people have to move, where the host says nothing."""
    level: str = USUAL_LEVEL
    """How strong a computer is, where the host says nothing."""
    themes: tuple[str, ...] = THEMES
    scheme: str = "dark"
    """The colours of the pictures that everybody sees."""
    language: str = ""
    """What is said in public here; empty is what Discord says the server speaks."""
    person: int = MOST_PERSON
    """The most running tables one person may sit at here."""
    server: int = MOST_SERVER
    """The most running tables of the whole server."""

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Self:
        """Out of the store."""
        known = dict(settings)
        clock = known.pop("usual_clock", USUAL_CLOCK)
        return msgspec.convert({**known, "clock": clock}, cls)

    def stored(self) -> Mapping[str, Any]:
        """As the store keeps it."""
        kept = asdict(self)
        return {**kept, "usual_clock": kept.pop("clock")}

    def allows(self, channel_ids: Collection[int]) -> bool:
        """Whether a table may stand here: `channel_ids` are the channel and, for a thread, the one it belongs to."""
        return not self.channels or not set(self.channels).isdisjoint(channel_ids)

    def usual(self, asked: Invitation) -> Invitation:
        """The invitation with what is usual here where the host said nothing."""
        preset = self.preset if self.preset in presets(asked.game) else DEFAULT
        theme = asked.theme or (CLASSIC if CLASSIC in self.themes else self.themes[0])
        computers = tuple(player or self.level for player in asked.computers)
        clock = asked.clock or self.clock
        return replace(asked, preset=asked.preset or preset, clock=clock, theme=theme, computers=computers)


class Guilds:
    """Knows what is usual and allowed on each server."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def settings(self, guild_id: int) -> GuildSettings:
        """What a server has set."""
        return GuildSettings.read((await self._store.guilds.guild(guild_id)).settings)

    async def change(self, guild_id: int, settings: GuildSettings) -> None:
        """Set all of it."""
        await self._store.guilds.set_guild(guild_id, settings.stored(), now=self._now())

    async def usual(self, asked: Invitation) -> Invitation:
        """The invitation with what is usual on its server where the host said nothing."""
        return (await self.settings(asked.guild_id)).usual(asked)

    async def check(self, asked: Invitation, channel_ids: Collection[int]) -> None:
        """Whether such a table may be opened, before anything is made for it.

        `channel_ids` are its channel and, for a thread, the one above it. Limits are looked at again later on.
        Raises Refused(CHANNEL_NOT_ALLOWED, THEME_NOT_ALLOWED, TOO_MANY_TABLES_PERSON, TOO_MANY_TABLES_SERVER).
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
        """Whether a table may stand here, as `check` has it. Raises Refused(CHANNEL_NOT_ALLOWED)."""
        settings = await self.settings(guild_id)
        if not settings.allows(channel_ids):
            raise Refused(No.CHANNEL_NOT_ALLOWED, channels=" ".join(f"<#{channel}>" for channel in settings.channels))

    async def limits(self, guild_id: int, user_id: int, *, new: bool = False) -> Limits:
        """How many tables there may be when somebody sits down, at a `new` one or at one that is there."""
        settings = await self.settings(guild_id)
        return Limits(user_id=user_id, person=settings.person, server=settings.server if new else None)


def too_many(found: TooMany) -> Refused:
    """What somebody is told who would have sat down at a table too many."""
    why = No.TOO_MANY_TABLES_PERSON if found.whose == "person" else No.TOO_MANY_TABLES_SERVER
    return Refused(why, most=found.most)
