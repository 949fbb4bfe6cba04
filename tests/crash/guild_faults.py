"""Guild events during a crash test: timeouts, lost permissions, closed channels, outages and refused sessions."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Final

from bot.playground.payloads import TEXT
from bot.playground.server import LocalDiscord
from tests.crash.discord_faults import DiscordFaults

LONG: Final = 3600.0  # Seconds of a timeout that a moderator ends early
PASSING: Final = (
    4000,
    4008,
    4009,
)  # Close codes after which a session may be resumed: unknown error, rate limited, timed out


@dataclass(frozen=True)
class GuildFaults:
    """The guilds of a local Discord and their moderators. Each fault ends with its block."""

    discord: LocalDiscord
    storm: DiscordFaults
    rng: Random

    @property
    def ways(self) -> Mapping[str, Callable[[], AbstractAsyncContextManager[None]]]:
        return {
            "silenced": self._silenced,
            "right lost": self._right_lost,
            "doors shut": self._doors_shut,
            "server away": self._server_away,
            "no session": self._no_session,
        }

    @asynccontextmanager
    async def _silenced(self) -> AsyncIterator[None]:
        world = self.discord.world
        for guild in world.guilds:
            world.members.time_out(guild, world.bot, LONG)
        try:
            yield
        finally:
            for guild in world.guilds:
                world.members.change(guild, world.bot, communication_disabled_until=None)

    @asynccontextmanager
    async def _right_lost(self) -> AsyncIterator[None]:
        world = self.discord.world
        places = [one["id"] for one in list(world.channels.values()) if one["type"] == TEXT]
        for place in places:
            world.set_permissions(place, world.channels[place]["guild_id"], send_messages=False)
        try:
            yield
        finally:
            for guild in world.guilds:
                role = world.members.add_role(guild, f"speakers {self.rng.random()}")
                for place in places:
                    if world.channels[place]["guild_id"] == guild:
                        world.set_permissions(place, role, send_messages=True)
                had = world.members.build_member(world.bot, guild)["roles"]
                world.members.change(guild, world.bot, roles=[*had, role])

    @asynccontextmanager
    async def _doors_shut(self) -> AsyncIterator[None]:
        world = self.discord.world
        world.closed_direct_messages |= world.users.keys()
        try:
            yield
        finally:
            world.closed_direct_messages.clear()

    @asynccontextmanager
    async def _server_away(self) -> AsyncIterator[None]:
        guild = self.rng.choice(sorted(self.discord.world.guilds))
        self.discord.gateway.start_outage(guild)
        try:
            yield
        finally:
            self.discord.gateway.end_outage(guild)

    @asynccontextmanager
    async def _no_session(self) -> AsyncIterator[None]:
        self.storm.close_sessions(self.rng.choice(PASSING), self.rng.randint(1, 3))
        yield
