"""`boneyard smoke`: checks permissions and limits on a real guild, and plays one match on a temporary database.

It cannot click buttons, so it starts each move at the point where a click has been acknowledged.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import discord

from bot.app import build
from bot.client import Boneyard
from bot.core import logs
from bot.core.admission import Admission, Unlimited
from bot.core.discord_errors import FAILURES, code_of
from bot.core.environment import Finding, now, this_version
from bot.core.metrics import INVALID, RATE_LIMITED, REQUESTS
from bot.core.permissions import TO_OPEN_THREADS, missing
from bot.playground.launch import point_at
from bot.tables.lobbies import Invitation
from data.store.store import Store
from engine.match.actions import Action, Resign
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import Act
from engine.table.terms import USUAL_LEVEL

READY: Final = 60.0  # seconds to connect and receive the guild
SHOWN: Final = 60.0  # seconds for a board, with rate limits
PLAYED: Final = 900.0  # seconds for the match
PAUSE: Final = 0.2  # seconds between two polls
GAME: Final = "trioker"  # the shortest: all tiles are dealt, and there is one round
CLOCK: Final = "live 5m"  # the clock with the shortest undo time
GREETING: Final = "Boneyard is running a self-test: it plays one match against itself and then deletes its messages."


class BrokenOff(Exception):  # noqa: N818 - what was found
    """The test cannot continue, for the reason in the finding."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.finding = Finding(what, False, fix)


@dataclass(frozen=True, slots=True)
class Errand:
    server: int
    channel: int | None = None  # None: the first one with all permissions
    among_others: bool = False  # whether other guilds are allowed, which get the commands too


def _count_refusals() -> Counter[str]:
    """Count the requests of this process that Discord refused, by scope of a 429, `invalid` and `lost`."""
    found: Counter[str] = Counter()
    for sample in (one for metric in (RATE_LIMITED, INVALID, REQUESTS) for one in next(iter(metric.collect())).samples):
        what = sample.labels.get("scope", sample.labels.get("status", "invalid"))
        if sample.name.endswith("_total") and not what.isdecimal():
            found[what] += int(sample.value)
    return found


def _limit_findings(met: Counter[str]) -> Iterator[Finding]:
    told = ", ".join(f"{scope} {met[scope]}" for scope in ("global", "none", "shared", "user") if met[scope]) or "none"
    fix = "Another program uses this token or this IP address."
    yield Finding(f"429: {told}", not met["global"] and not met["none"], fix)
    fix = "Discord bans an IP address after 10,000 of these in ten minutes. The log has their error codes."
    yield Finding(f"invalid requests: {met['invalid']}, without an answer: {met['lost']}", met["invalid"] == 0, fix)


async def try_out(token: str, errand: Errand, say: Callable[[Finding], None], clock: Callable[[], int] = now) -> bool:
    good = True

    def found(finding: Finding) -> None:
        nonlocal good
        good = good and finding.good
        say(finding)

    before = _count_refusals()
    try:
        had_commands = await _check_application(token, errand, found)
        with TemporaryDirectory(prefix="boneyard-smoke-") as folder:
            async with _bot(token, Path(folder), clock) as client:
                await _check_guild(client, errand, found, had_commands=had_commands)
    except BrokenOff as unfit:
        found(unfit.finding)
    except (*FAILURES, discord.DiscordException) as error:
        found(Finding(f"stopped: {code_of(error)}", False, "The log above shows where."))
    for finding in _limit_findings(_count_refusals() - before):
        found(finding)
    return good


async def _check_application(token: str, errand: Errand, found: Callable[[Finding], None]) -> bool:
    """Check what needs no change; return whether Discord shows commands of this application already."""
    async with discord.Client(intents=discord.Intents(guilds=True)) as looker:
        try:
            await looker.login(token)
        except discord.LoginFailure:
            raise BrokenOff("token: Discord rejects it", "Copy it again from the page Bot.") from None
        application = looker.application
        assert application is not None
        found(Finding(f"token: of the application {application.id}; this is version {this_version()}", True))
        servers = application.approximate_guild_count
        if servers > 1 and not errand.among_others:
            raise BrokenOff(
                f"servers: the bot is on {servers}",
                "Use a separate application, or add --among-others; the bot then registers its commands again.",
            )
        _, __, starts = await looker.http.get_bot_gateway()
        left, total = starts["remaining"], starts["total"]
        fix = f"This is Discord's daily limit. It resets in {starts['reset_after'] // 60_000} minutes."
        found(Finding(f"sessions: {left} of {total} left, {starts['max_concurrency']} at once", left > 10, fix))
        return bool(await looker.http.get_global_commands(application.id))


@asynccontextmanager
async def _bot(token: str, folder: Path, clock: Callable[[], int]) -> AsyncIterator[Boneyard]:
    admission = Admission(Unlimited(), Unlimited())
    await admission.close()
    store = await Store.open(f"sqlite:///{folder}/smoke.db")
    try:
        client = build(store, clock=clock, admission=admission)
        async with client:
            working = asyncio.create_task(client.start(token))
            ready = asyncio.create_task(client.wait_until_ready())
            done, _ = await asyncio.wait({working, ready}, timeout=READY, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            if working in done:
                working.result()
            try:
                if not done:
                    raise BrokenOff("gateway: no answer", "Check that this machine can reach gateway.discord.gg.")
                yield client
            finally:
                await client.drain()
                await client.close()
                await asyncio.gather(working, return_exceptions=True)
    finally:
        await store.close()


async def _check_guild(
    client: Boneyard, errand: Errand, found: Callable[[Finding], None], *, had_commands: bool
) -> None:
    found(Finding(f"gateway: connected, a heartbeat takes {1000 * client.latency:.0f} ms", True))
    try:
        guild = client.get_guild(errand.server)
        if guild is None:
            fix = "Invite it (README, Add it to your server), or choose another server with --server."
            raise BrokenOff(f"server: the bot is not on {errand.server}", fix)
        shown = {command.name for command in await client.tree.fetch_commands()}
        wanted = {command.name for command in client.tree.get_commands()}
        fix = "See the log for `the commands cannot be registered now`."
        found(Finding(f"commands: Discord shows {len(shown & wanted)} of {len(wanted)}", shown >= wanted, fix))
        channel = _choose_channel(guild, errand, found)
        await _check_match(client, channel, found)
    finally:
        if not had_commands:
            client.tree.clear_commands(guild=None)
            await client.tree.sync()
            found(Finding("cleanup: commands removed, as before", True))


def _choose_channel(guild: discord.Guild, errand: Errand, found: Callable[[Finding], None]) -> discord.TextChannel:
    lacking = {
        channel: missing(channel.permissions_for(guild.me), in_thread=False, opens_thread=True)
        for channel in guild.text_channels
        if errand.channel in (None, channel.id)
    }
    if not lacking:
        raise BrokenOff("channel: not found", "Choose a text channel of that server with --channel.")
    channel, lacks = min(lacking.items(), key=lambda one: len(one[1]))
    fix = "Give the bot's role these permissions, on the server or in that channel (README, Add it to your server)."
    found(
        Finding(f"permissions in {channel.id}: {'all' if not lacks else 'without ' + ', '.join(lacks)}", not lacks, fix)
    )
    if set(lacks) - {*TO_OPEN_THREADS, "send_messages_in_threads"}:
        raise BrokenOff("match: not played", "Give the bot the missing permissions first.")
    return channel


async def _check_match(client: Boneyard, channel: discord.TextChannel, found: Callable[[Finding], None]) -> None:
    greeting = await channel.send(GREETING)
    try:
        took, length = await _play_match(client, channel)
        mine = [one async for one in channel.history(limit=100, after=greeting) if one.author == client.user]
        pictures = [file for one in mine for file in one.attachments]
        fix = "See the log for `the table cannot be shown now`."
        slow = f"{sum(took) / len(took):.1f} s a board, {max(took):.1f} s at most"
        found(Finding(f"match: played, {length} entries in its log; {slow}", True))
        found(Finding(f"messages: {len(mine)}, with {len(pictures)} pictures", bool(mine and pictures), fix))
        told = all(file.description for file in pictures)
        found(Finding("pictures: each has an alt text", told, "Discord dropped the alt texts."))
    finally:
        await _end_match(client, channel)
        found(await _delete_messages(client, channel, greeting))


async def _end_match(client: Boneyard, channel: discord.TextChannel) -> None:
    assert client.user is not None
    for head in await client.services.store.matches.heads_in_channel(channel.id):
        await client.services.acts.act(head.match_id, Act(client.user.id, Resign))
        await client.services.announcer.refresh(head.match_id)


async def _delete_messages(client: Boneyard, channel: discord.TextChannel, greeting: discord.Message) -> Finding:
    gone = 0
    try:
        async for message in channel.history(limit=200, after=discord.Object(greeting.id - 1)):
            if message.author == client.user:
                with suppress(discord.NotFound):
                    await message.delete()
                gone += 1
    except FAILURES as error:
        fix = f"Delete the messages of the bot in channel {channel.id} yourself."
        return Finding(f"cleanup: {gone} messages deleted, then it failed ({code_of(error)})", False, fix)
    return Finding(f"cleanup: {gone} messages deleted", True)


async def _play_match(client: Boneyard, channel: discord.TextChannel) -> tuple[list[float], int]:
    """Play; return the seconds until each board was shown, and the length of the log. Raises `BrokenOff`."""
    services, me = client.services, client.user
    assert me is not None
    rng, took = Random(), []  # noqa: S311 - chooses among equally good moves
    asked = Invitation(
        guild_id=channel.guild.id,
        channel_id=channel.id,
        host_id=me.id,
        game=GAME,
        seats=2,
        computers=(USUAL_LEVEL,),
        clock=CLOCK,
    )
    table = await services.acts.open(asked, request=channel.id)
    number, ends = table.head.match_id, time.monotonic() + PLAYED
    while table.head.state == "open":
        if time.monotonic() > ends:
            raise BrokenOff("match: it did not end in time", "Check the log above.")
        if table.turn_user() != me.id:
            await asyncio.sleep(PAUSE)
        else:
            chosen = greedy.choose(view_for(table.match, table.match.turn), rng)
            await services.acts.act(number, Act(me.id, partial(_choose_action, chosen)))
        services.scheduler.soon(number)
        took.append(await _wait_until_shown(client, number))
        table = await services.tables.load(number)
    return took, table.head.seq


def _choose_action(action: Action, _: int) -> Action:
    return action


async def _wait_until_shown(client: Boneyard, number: int) -> float:
    began = time.monotonic()
    while time.monotonic() < began + SHOWN:
        await client.services.announcer.refresh(number)
        head = await client.services.store.matches.head(number)
        if head is not None and not head.dirty:
            return time.monotonic() - began
        await asyncio.sleep(PAUSE)
    raise BrokenOff(f"board: not shown within {SHOWN:.0f} s", "See the log for `the table cannot be shown now`.")


def run_smoke(token: str | None, errand: Errand, say: Callable[[object], None], *, local: str | None = None) -> int:
    """Run the test; return the exit status. `local` is the address of a local Discord."""
    logs.begin(level=logging.WARNING, secrets=(token or "",))
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    if token is None:
        say("There is no token. Set DISCORD_TOKEN to the token of an application for tests.")
        return 1
    if local is not None:
        point_at(local)
    return 0 if asyncio.run(try_out(token, errand, say)) else 1
