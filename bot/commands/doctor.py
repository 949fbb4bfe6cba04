"""Whether the bot has all it needs where somebody asks, one by one, with what to do about each lack."""

from collections.abc import Mapping, Sequence
from typing import Final

import discord

from bot.base.environment import Finding
from bot.base.permissions import IN_THREADS, NEEDED, TO_OPEN_THREADS
from bot.commands.context import Context
from bot.views.harmless import safe
from bot.views.numbers import tenths_text
from bot.views.sentences import listed
from data.store import DatabaseTrouble
from data.words import Words

SKEW: Final = 5_000
"""The most by which the clocks of this machine and of Discord may differ, in ms."""
LATE: Final = 60_000
"""A post that waits longer than this, in ms, is stuck."""
NAMED: Final = 10
"""So many closed channels are named, the others are counted: a message is soon too long."""


async def examine(ctx: Context) -> list[Finding]:
    """Permissions in this channel, the database, the clock, and what waits to be said on this server."""
    return [*_permissions(ctx), *await _database(ctx), _clock(ctx)]


def _permissions(ctx: Context) -> list[Finding]:
    words, have = ctx.words, ctx.interaction.app_permissions
    wanted: tuple[str, ...] = (*NEEDED, *IN_THREADS, *TO_OPEN_THREADS)
    if isinstance(ctx.interaction.channel, discord.Thread):
        wanted = tuple(flag for flag in wanted if flag not in ("send_messages", *TO_OPEN_THREADS))
    return [
        Finding(words("doctor.permission", name=name), getattr(have, flag), words(_fix(flag), name=name))
        for flag in wanted
        for name in [words(f"permission.{flag}")]
    ]


def _fix(flag: str) -> str:
    return "doctor.threads" if flag in (*IN_THREADS, *TO_OPEN_THREADS) else "doctor.permission_fix"


async def _database(ctx: Context) -> list[Finding]:
    words, store, now = ctx.words, ctx.services.store, ctx.services.now()
    try:
        await store.pulse("doctor", now=now)
        read = (await store.pulses()).get("doctor")
        backlog = await store.backlog(now=now, guild_id=ctx.guild_id)
        asides = await store.asides(guild_id=ctx.guild_id)
        names = await store.league_names([one.season_id for one in backlog.held])
    except DatabaseTrouble as trouble:
        return [Finding(words("doctor.database"), False, words(f"doctor.ail_{trouble.ail.value}"))]
    waiting = words("doctor.backlog", posts=backlog.posts, boards=backlog.boards)
    return [
        Finding(
            words("doctor.database"),
            read is not None and read >= now and store.ail is None,
            words("doctor.database_fix") if store.ail is None else words(f"doctor.ail_{store.ail.value}"),
        ),
        Finding(waiting, backlog.oldest < LATE, words("doctor.backlog_fix")),
        _closed(words, backlog.closed),
        _seasons(words, [(names.get(one.season_id, str(one.season_id)), one.channel_id) for one in backlog.held]),
        _aside(words, [aside.match_id for aside in asides]),
        Finding(
            words("doctor.refused", posts=sum(backlog.refused.values())),
            not backlog.refused,
            words("doctor.refused_fix", codes=", ".join(map(str, sorted(backlog.refused)))),
        ),
    ]


def _closed(words: Words, closed: Mapping[int, int]) -> Finding:
    told = [words("doctor.closed_table", table=table, channel=f"<#{channel}>") for table, channel in closed.items()]
    tables = listed(words, told[:NAMED])
    if len(told) > NAMED:
        tables = words("and.more", list=words("and.comma").join(told[:NAMED]), n=len(told) - NAMED)
    return Finding(words("doctor.closed", n=len(told)), not told, words("doctor.closed_fix", tables=tables))


def _seasons(words: Words, held: Sequence[tuple[str, int]]) -> Finding:
    told = [words("doctor.closed_table", table=safe(name), channel=f"<#{channel}>") for name, channel in held]
    return Finding(
        words("doctor.seasons", n=len(told)), not told, words("doctor.seasons_fix", seasons=listed(words, told))
    )


def _aside(words: Words, numbers: Sequence[int]) -> Finding:
    told = listed(words, [str(number) for number in numbers[:NAMED]])
    if len(numbers) > NAMED:
        told = words("and.more", list=told, n=len(numbers) - NAMED)
    return Finding(words("doctor.aside", n=len(numbers)), not numbers, words("doctor.aside_fix", tables=told))


def _clock(ctx: Context) -> Finding:
    # An interaction's id tells when Discord made it. The way here takes some tenths of a second.
    made = int(ctx.interaction.created_at.timestamp() * 1000)
    off = ctx.services.now() - made
    seconds = tenths_text(ctx.words, abs(off) / 1000)
    return Finding(ctx.words("doctor.clock", seconds=seconds), abs(off) <= SKEW, ctx.words("doctor.clock_fix"))
