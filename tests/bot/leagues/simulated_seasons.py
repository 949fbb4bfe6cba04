"""Leagues and tournaments in a simulated server."""

import discord
import pytest
from simcord import ChannelHandle
from simcord.backend.models import Overwrite

from bot.leagues.season_jobs import SeasonRunner
from bot.leagues.service import LeagueSeason, LeagueService
from data.store.connection.store_errors import StoreClosed
from data.store.leagues.store import SeasonStore
from engine.match.actions import Resign
from engine.table.commands import TakeAction
from tests.bot.member import Member
from tests.bot.messages import read_text
from tests.bot.simulated_guild import SimGuild


async def load_season(sim: SimGuild) -> LeagueSeason:
    (newest, *_) = await SeasonStore(sim.store.transactions).list_seasons(sim.guild.id)
    return await sim.client.services[LeagueService].load(newest.season_id)


async def wait_until_seasons_idle(sim: SimGuild) -> None:
    """Wait until all due work of the seasons is done and shown."""
    services = sim.client.services
    for _ in range(12):
        await services[SeasonRunner].wait_until_idle()
        await services.announcer.wait_until_idle()
        if not await SeasonStore(sim.store.transactions).list_due_seasons(sim.clock(), 1):
            return
        await services[SeasonRunner].sweep()
    raise AssertionError("something is due for ever")


async def run_seasons(sim: SimGuild, hours: float) -> None:
    """Let time pass, and wait until the due work of the seasons was tried."""
    await sim.wait(hours=hours)
    await sim.client.services[SeasonRunner].wait_until_idle()


async def pass_hours(sim: SimGuild, hours: float) -> None:
    """Let time pass, until all due work of the seasons is done and shown."""
    await sim.wait(hours=hours)
    await wait_until_seasons_idle(sim)


def set_thread_permission(sim: SimGuild, *, allowed: bool) -> None:
    """Allow or forbid the bot to create threads in the channel."""
    threads = discord.Permissions(create_public_threads=True).value
    bits = {"allow" if allowed else "deny": threads}
    sim.env.backend.set_overwrite(sim.channel.id, Overwrite(sim.env.backend.bot_user.id, 1, **bits))


async def kill_while_opening(sim: SimGuild, monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Let time pass, kill the bot after it opened a match of a season, and start it again."""
    league_service = sim.client.services[LeagueService]
    open_match = league_service.open

    async def open_then_fail(*args: object) -> object:
        await open_match(*args)
        raise StoreClosed

    monkeypatch.setattr(league_service, "open", open_then_fail)
    await run_seasons(sim, hours)
    await sim.restart()


def get_season_message(sim: SimGuild) -> discord.Message:
    """Return the message of the season: the bot's last one in the channel."""
    return sim.list_public_messages()[-1]


def read_season(sim: SimGuild) -> str:
    return read_text(get_season_message(sim))


async def resign_in_thread(sim: SimGuild, thread: ChannelHandle) -> None:
    """Let the player who is to move in a thread resign."""
    mover = await sim.load_turn_player(thread)
    await sim.client.services.acts.act((await sim.load_head(thread)).match_id, TakeAction(mover.id, Resign))
    await wait_until_seasons_idle(sim)


MINUTE_IN_HOURS = 1 / 60
"""Delay in hours of simulated time."""


async def announce_tournament(
    sim: SimGuild, organizer: Member, people: list[Member], kind: str = "swiss", **options: object
) -> None:
    """Announce a tournament and sign up these players."""
    options = {"name": "Friday", "kind": kind, "target": 60, **options}
    await organizer.use_command("tiles-league tournament", **options)
    for person in people:
        await person.click(get_season_message(sim), label="Sign up")


async def start_tournament(
    sim: SimGuild, organizer: Member, people: list[Member], kind: str = "swiss", **options: object
) -> LeagueSeason:
    """Start a tournament after half an hour of sign-up."""
    await announce_tournament(sim, organizer, people, kind, **options)
    await pass_hours(sim, 30 * MINUTE_IN_HOURS)
    return await load_season(sim)


async def finish_round(sim: SimGuild) -> LeagueSeason:
    for thread in list(sim.channel.threads):
        if (await sim.load_head(thread)).state == "open":
            await resign_in_thread(sim, thread)
    await pass_hours(sim, 2.1 * MINUTE_IN_HOURS)
    return await load_season(sim)
