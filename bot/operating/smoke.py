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
from bot.core.admission import Admission, NoRateLimit
from bot.core.discord_errors import REQUEST_ERRORS, format_error_code
from bot.core.environment import Finding, read_clock, read_version
from bot.core.metrics import INVALID_REQUESTS, RATE_LIMITED, REQUESTS
from bot.core.permissions import REQUIRED_TO_OPEN_THREADS, list_missing_permissions
from bot.playground.launch import redirect_clients
from bot.tables.lobbies import TableRequest
from data.store.store import Store
from engine.match.actions import Action, Resign
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import TakeAction
from engine.table.terms import DEFAULT_LEVEL

READY_TIMEOUT: Final = 60.0  # seconds to connect and receive the guild
BOARD_TIMEOUT: Final = 60.0  # seconds for a board, with rate limits
MATCH_TIMEOUT: Final = 900.0  # seconds for the match
POLL_SECONDS: Final = 0.2  # seconds between two polls
GAME: Final = "trioker"  # the shortest: all tiles are dealt, and there is one round
CLOCK: Final = "live 5m"  # the clock with the shortest undo time
Report = Callable[[Finding], None]
GREETING: Final = "Boneyard is running a self-test: it plays one match against itself and then deletes its messages."


class SmokeTestAborted(Exception):  # noqa: N818 - what was found
    """The test cannot continue, for the reason in the finding."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.finding = Finding(what, False, fix)


@dataclass(frozen=True, slots=True)
class SmokeTestOptions:
    server: int
    channel: int | None = None  # None: the first one with all permissions
    allow_other_guilds: bool = False  # whether other guilds are allowed, which get the commands too


def _count_refusals() -> Counter[str]:
    """Count the requests of this process that Discord refused, by scope of a 429, `invalid` and `lost`."""
    found: Counter[str] = Counter()
    for sample in (
        one for metric in (RATE_LIMITED, INVALID_REQUESTS, REQUESTS) for one in next(iter(metric.collect())).samples
    ):
        what = sample.labels.get("scope", sample.labels.get("status", "invalid"))
        if sample.name.endswith("_total") and not what.isdecimal():
            found[what] += int(sample.value)
    return found


def _iterate_limit_findings(counts: Counter[str]) -> Iterator[Finding]:
    text = (
        ", ".join(f"{scope} {counts[scope]}" for scope in ("global", "none", "shared", "user") if counts[scope])
        or "none"
    )
    fix = "Another program uses this token or this IP address."
    yield Finding(f"429: {text}", not counts["global"] and not counts["none"], fix)
    fix = "Discord bans an IP address after 10,000 of these in ten minutes. The log has their error codes."
    yield Finding(
        f"invalid requests: {counts['invalid']}, without an answer: {counts['lost']}", counts["invalid"] == 0, fix
    )


async def run_smoke_checks(
    token: str, options: SmokeTestOptions, say: Report, clock: Callable[[], int] = read_clock
) -> bool:
    findings: list[Finding] = []

    def report(finding: Finding) -> None:
        findings.append(finding)
        say(finding)

    before = _count_refusals()
    try:
        had_commands = await _check_application(token, options, report)
        with TemporaryDirectory(prefix="boneyard-smoke-") as folder:
            async with _open_bot(token, Path(folder), clock) as client:
                await _check_guild(client, options, report, had_commands=had_commands)
    except SmokeTestAborted as unfit:
        report(unfit.finding)
    except (*REQUEST_ERRORS, discord.DiscordException) as error:
        report(Finding(f"stopped: {format_error_code(error)}", False, "The log above shows where."))
    for finding in _iterate_limit_findings(_count_refusals() - before):
        report(finding)
    return all(finding.is_ok for finding in findings)


async def _check_application(token: str, options: SmokeTestOptions, report: Report) -> bool:
    """Check what needs no change; return whether Discord shows commands of this application already."""
    async with discord.Client(intents=discord.Intents(guilds=True)) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            raise SmokeTestAborted("token: Discord rejects it", "Copy it again from the page Bot.") from None
        application = client.application
        assert application is not None
        report(Finding(f"token: of the application {application.id}; this is version {read_version()}", True))
        servers = application.approximate_guild_count
        if servers > 1 and not options.allow_other_guilds:
            raise SmokeTestAborted(
                f"servers: the bot is on {servers}",
                "Use a separate application, or add --among-others; the bot then registers its commands again.",
            )
        _, __, starts = await client.http.get_bot_gateway()
        remaining, total = starts["remaining"], starts["total"]
        fix = f"This is Discord's daily limit. It resets in {starts['reset_after'] // 60_000} minutes."
        left = f"sessions: {remaining} of {total} left, {starts['max_concurrency']} at once"
        report(Finding(left, remaining > 10, fix))
        return bool(await client.http.get_global_commands(application.id))


@asynccontextmanager
async def _open_bot(token: str, folder: Path, clock: Callable[[], int]) -> AsyncIterator[Boneyard]:
    admission = Admission(NoRateLimit(), NoRateLimit())
    await admission.close()
    store = await Store.open(f"sqlite:///{folder}/smoke.db")
    try:
        client = build(store, clock=clock, admission=admission)
        async with client:
            working = asyncio.create_task(client.start(token))
            ready = asyncio.create_task(client.wait_until_ready())
            done, _ = await asyncio.wait({working, ready}, timeout=READY_TIMEOUT, return_when=asyncio.FIRST_COMPLETED)
            ready.cancel()
            if working in done:
                working.result()
            try:
                if not done:
                    fix = "Check that this machine can reach gateway.discord.gg."
                    raise SmokeTestAborted("gateway: no answer", fix)
                yield client
            finally:
                await client.drain()
                await client.close()
                await asyncio.gather(working, return_exceptions=True)
    finally:
        await store.close()


async def _check_guild(client: Boneyard, options: SmokeTestOptions, report: Report, *, had_commands: bool) -> None:
    report(Finding(f"gateway: connected, a heartbeat takes {1000 * client.latency:.0f} ms", True))
    try:
        guild = client.get_guild(options.server)
        if guild is None:
            fix = "Invite it (README, Add it to your server), or choose another server with --server."
            raise SmokeTestAborted(f"server: the bot is not on {options.server}", fix)
        shown = {command.name for command in await client.tree.fetch_commands()}
        wanted = {command.name for command in client.tree.get_commands()}
        fix = "See the log for `the commands cannot be registered now`."
        report(Finding(f"commands: Discord shows {len(shown & wanted)} of {len(wanted)}", shown >= wanted, fix))
        channel = _choose_channel(guild, options, report)
        await _check_match(client, channel, report)
    finally:
        if not had_commands:
            client.tree.clear_commands(guild=None)
            await client.tree.sync()
            report(Finding("cleanup: commands removed, as before", True))


def _choose_channel(guild: discord.Guild, options: SmokeTestOptions, report: Report) -> discord.TextChannel:
    lacking = {
        channel: list_missing_permissions(channel.permissions_for(guild.me), in_thread=False, opens_thread=True)
        for channel in guild.text_channels
        if options.channel in (None, channel.id)
    }
    if not lacking:
        raise SmokeTestAborted("channel: not found", "Choose a text channel of that server with --channel.")
    channel, lacks = min(lacking.items(), key=lambda one: len(one[1]))
    fix = "Give the bot's role these permissions, on the server or in that channel (README, Add it to your server)."
    held = f"without {', '.join(lacks)}" if lacks else "all"
    report(Finding(f"permissions in {channel.id}: {held}", not lacks, fix))
    if set(lacks) - {*REQUIRED_TO_OPEN_THREADS, "send_messages_in_threads"}:
        raise SmokeTestAborted("match: not played", "Give the bot the missing permissions first.")
    return channel


async def _check_match(client: Boneyard, channel: discord.TextChannel, report: Report) -> None:
    greeting = await channel.send(GREETING)
    try:
        seconds, length = await _play_match(client, channel)
        messages = [one async for one in channel.history(limit=100, after=greeting) if one.author == client.user]
        pictures = [file for one in messages for file in one.attachments]
        fix = "See the log for `the table cannot be shown now`."
        slow = f"{sum(seconds) / len(seconds):.1f} s a board, {max(seconds):.1f} s at most"
        report(Finding(f"match: played, {length} entries in its log; {slow}", True))
        report(Finding(f"messages: {len(messages)}, with {len(pictures)} pictures", bool(messages and pictures), fix))
        has_alt_texts = all(file.description for file in pictures)
        report(Finding("pictures: each has an alt text", has_alt_texts, "Discord dropped the alt texts."))
    finally:
        await _end_match(client, channel)
        report(await _delete_messages(client, channel, greeting))


async def _end_match(client: Boneyard, channel: discord.TextChannel) -> None:
    assert client.user is not None
    for head in await client.services.store.matches.list_heads_in_channel(channel.id):
        await client.services.acts.act(head.match_id, TakeAction(client.user.id, Resign))
        await client.services.announcer.refresh(head.match_id)


async def _delete_messages(client: Boneyard, channel: discord.TextChannel, greeting: discord.Message) -> Finding:
    deleted = 0
    try:
        async for message in channel.history(limit=200, after=discord.Object(greeting.id - 1)):
            if message.author == client.user:
                with suppress(discord.NotFound):
                    await message.delete()
                deleted += 1
    except REQUEST_ERRORS as error:
        fix = f"Delete the messages of the bot in channel {channel.id} yourself."
        return Finding(f"cleanup: {deleted} messages deleted, then it failed ({format_error_code(error)})", False, fix)
    return Finding(f"cleanup: {deleted} messages deleted", True)


async def _play_match(client: Boneyard, channel: discord.TextChannel) -> tuple[list[float], int]:
    """Play; return the seconds until each board was shown, and the length of the log. Raises `SmokeTestAborted`."""
    services, me = client.services, client.user
    assert me is not None
    rng, seconds = Random(), []  # noqa: S311 - chooses among equally good moves
    invitation = TableRequest(
        guild_id=channel.guild.id,
        channel_id=channel.id,
        host_id=me.id,
        game=GAME,
        seats=2,
        computers=(DEFAULT_LEVEL,),
        clock=CLOCK,
    )
    table = await services.acts.open(invitation, request=channel.id)
    number, ends = table.head.match_id, time.monotonic() + MATCH_TIMEOUT
    while table.head.state == "open":
        if time.monotonic() > ends:
            raise SmokeTestAborted("match: it did not end in time", "Check the log above.")
        if table.find_turn_user() != me.id:
            await asyncio.sleep(POLL_SECONDS)
        else:
            chosen = greedy.choose(view_for(table.match, table.match.turn), rng)
            await services.acts.act(number, TakeAction(me.id, partial(_choose_action, chosen)))
        services.scheduler.wake(number)
        seconds.append(await _wait_until_shown(client, number))
        table = await services.tables.load(number)
    return seconds, table.head.seq


def _choose_action(action: Action, _: int) -> Action:
    return action


async def _wait_until_shown(client: Boneyard, number: int) -> float:
    began = time.monotonic()
    while time.monotonic() < began + BOARD_TIMEOUT:
        await client.services.announcer.refresh(number)
        head = await client.services.store.matches.find_head(number)
        if head is not None and not head.is_board_outdated:
            return time.monotonic() - began
        await asyncio.sleep(POLL_SECONDS)
    raise SmokeTestAborted(
        f"board: not shown within {BOARD_TIMEOUT:.0f} s", "See the log for `the table cannot be shown now`."
    )


def run_smoke(
    token: str | None, options: SmokeTestOptions, say: Callable[[object], None], *, local: str | None = None
) -> int:
    """Run the test; return the exit status. `local` is the address of a local Discord."""
    logs.configure_logging(level=logging.WARNING, secrets=(token or "",))
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    if token is None:
        say("There is no token. Set DISCORD_TOKEN to the token of an application for tests.")
        return 1
    if local is not None:
        redirect_clients(local)
    return 0 if asyncio.run(run_smoke_checks(token, options, say)) else 1
