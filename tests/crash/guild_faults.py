"""Guild events during a crash test: timeouts, lost permissions, closed channels, outages and refused sessions."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Final

from bot.playground.payloads import TEXT
from bot.playground.server import LocalDiscord
from tests.crash.discord_faults import DiscordFaults

TIMEOUT_SECONDS: Final = 3600.0  # Seconds of a timeout that a moderator ends early
RESUMABLE_CODES: Final = (4000, 4008, 4009)
"""Close codes after which a session may be resumed: unknown error, rate limited, timed out."""


@dataclass(frozen=True)
class GuildFaults:
    """The guilds of a local Discord and their moderators. Each fault ends with its block."""

    discord: LocalDiscord
    discord_faults: DiscordFaults
    rng: Random

    @property
    def faults_by_kind(self) -> Mapping[str, Callable[[], AbstractAsyncContextManager[None]]]:
        return {
            "silenced": self._time_out_bot,
            "right lost": self._remove_permission,
            "doors shut": self._close_direct_messages,
            "server away": self._run_outage,
            "no session": self._close_sessions,
        }

    @asynccontextmanager
    async def _time_out_bot(self) -> AsyncIterator[None]:
        world = self.discord.world
        for guild in world.guilds:
            world.members.time_out(guild, world.bot, TIMEOUT_SECONDS)
        try:
            yield
        finally:
            for guild in world.guilds:
                world.members.change(guild, world.bot, communication_disabled_until=None)

    @asynccontextmanager
    async def _remove_permission(self) -> AsyncIterator[None]:
        world = self.discord.world
        channel_ids = [one["id"] for one in list(world.channels.values()) if one["type"] == TEXT]
        for channel_id in channel_ids:
            world.set_permissions(channel_id, world.channels[channel_id]["guild_id"], send_messages=False)
        try:
            yield
        finally:
            for guild in world.guilds:
                role = world.members.add_role(guild, f"speakers {self.rng.random()}")
                for channel_id in channel_ids:
                    if world.channels[channel_id]["guild_id"] == guild:
                        world.set_permissions(channel_id, role, send_messages=True)
                roles = world.members.build_member(world.bot, guild)["roles"]
                world.members.change(guild, world.bot, roles=[*roles, role])

    @asynccontextmanager
    async def _close_direct_messages(self) -> AsyncIterator[None]:
        world = self.discord.world
        world.closed_direct_messages |= world.users.keys()
        try:
            yield
        finally:
            world.closed_direct_messages.clear()

    @asynccontextmanager
    async def _run_outage(self) -> AsyncIterator[None]:
        guild = self.rng.choice(sorted(self.discord.world.guilds))
        self.discord.gateway.start_outage(guild)
        try:
            yield
        finally:
            self.discord.gateway.end_outage(guild)

    @asynccontextmanager
    async def _close_sessions(self) -> AsyncIterator[None]:
        self.discord_faults.close_sessions(self.rng.choice(RESUMABLE_CODES), self.rng.randint(1, 3))
        yield
