"""Leagues and tournaments in a simulated server."""

import discord
from simcord import ChannelHandle, MemberActor

from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueSeason, LeagueService
from data.store.leagues.store import SeasonStore
from engine.match.actions import Resign
from engine.table.commands import TakeAction
from tests.bot.simulated_guild import SimGuild

MEMBER = 1
"""The type number of a permission overwrite for a member."""


async def season_of(sim: SimGuild) -> LeagueSeason:
    (newest, *_) = await SeasonStore(sim.store.transactions).list_seasons(sim.guild.id)
    return await sim.client.services[LeagueService].load(newest.season_id)


async def settled(sim: SimGuild) -> None:
    """Wait until all due work of the seasons is done and shown."""
    services = sim.client.services
    for _ in range(12):
        await services[SeasonRunner].wait_until_idle()
        await services.announcer.wait_until_idle()
        if not await SeasonStore(sim.store.transactions).list_due_seasons(sim.clock(), 1):
            return
        await services[SeasonRunner].sweep()
    raise AssertionError("something is due for ever")


def message(sim: SimGuild) -> discord.Message:
    """Return the message of the season: the bot's last one in the channel."""
    return sim.public()[-1]


async def resigned(sim: SimGuild, thread: ChannelHandle) -> None:
    """Let the player who is to move in a thread resign."""
    who = await sim.turn(thread)
    await sim.client.services.acts.act((await sim.head(thread)).match_id, TakeAction(who.id, Resign))
    await settled(sim)


MINUTE = 1 / 60
"""Delay in hours of simulated time."""


async def announced(
    sim: SimGuild, organizer: MemberActor, people: list[MemberActor], kind: str = "swiss", **options: object
) -> None:
    """Announce a tournament and sign up these players."""
    options = {"name": "Friday", "kind": kind, "target": 60, **options}
    await organizer.slash(sim.channel, "tiles-league tournament", **options)
    for person in people:
        await person.click(message(sim), label="Sign up")


async def begun(
    sim: SimGuild, organizer: MemberActor, people: list[MemberActor], kind: str = "swiss", **options: object
) -> LeagueSeason:
    """Start a tournament after half an hour of sign-up."""
    await announced(sim, organizer, people, kind, **options)
    await sim.wait(hours=30 * MINUTE)
    await settled(sim)
    return await season_of(sim)


async def round_over(sim: SimGuild) -> LeagueSeason:
    for thread in list(sim.channel.threads):
        if (await sim.head(thread)).state == "open":
            await resigned(sim, thread)
    await sim.wait(hours=2.1 * MINUTE)
    await settled(sim)
    return await season_of(sim)
