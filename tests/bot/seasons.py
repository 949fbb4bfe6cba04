"""Leagues and tournaments in a simulated server."""

import discord
from simcord import ChannelHandle, MemberActor

from bot.leagues.season_jobs import Seasons
from bot.leagues.service import LeagueBook, LeagueSeason
from data.store.leagues.store import SeasonStore
from engine.match.actions import Resign
from engine.table.commands import Act
from tests.bot.house import House

MEMBER = 1
"""The type of a permission overwrite that is for a member."""


async def season_of(house: House) -> LeagueSeason:
    (newest, *_) = await SeasonStore(house.store.transactions).seasons_of(house.guild.id)
    return await house.client.services[LeagueBook].season(newest.season_id)


async def settled(house: House) -> None:
    """Wait until everything that is due for the seasons is done and shown."""
    services = house.client.services
    for _ in range(12):
        await services[Seasons].idle()
        await services.announcer.idle()
        if not await SeasonStore(house.store.transactions).seasons_due(house.clock(), 1):
            return
        await services[Seasons].sweep()
    raise AssertionError("something is due for ever")


def message(house: House) -> discord.Message:
    """Return the message of the season: the bot's last one in the channel."""
    return house.public()[-1]


async def resigned(house: House, thread: ChannelHandle) -> None:
    """Let the player who is to move in a thread resign."""
    who = await house.turn(thread)
    await house.client.services.acts.act((await house.head(thread)).match_id, Act(who.id, Resign))
    await settled(house)


MINUTE = 1 / 60
"""In hours, as the house waits."""


async def announced(
    house: House, organizer: MemberActor, people: list[MemberActor], kind: str = "swiss", **options: object
) -> None:
    """A tournament has been announced, and these have signed up."""
    options = {"name": "Friday", "kind": kind, "target": 60, **options}
    await organizer.slash(house.channel, "tiles-league tournament", **options)
    for person in people:
        await person.click(message(house), label="Sign up")


async def begun(
    house: House, organizer: MemberActor, people: list[MemberActor], kind: str = "swiss", **options: object
) -> LeagueSeason:
    """A tournament that begins when half an hour of sign-up is over."""
    await announced(house, organizer, people, kind, **options)
    await house.wait(hours=30 * MINUTE)
    await settled(house)
    return await season_of(house)


async def round_over(house: House) -> LeagueSeason:
    for thread in list(house.channel.threads):
        if (await house.head(thread)).state == "open":
            await resigned(house, thread)
    await house.wait(hours=2.1 * MINUTE)
    await settled(house)
    return await season_of(house)
