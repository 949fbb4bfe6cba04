"""`/tiles-admin`: server settings and moderation of matches. Discord's command permissions decide who may use it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import discord
from discord import app_commands

from bot.core.command_groups import BY_ITSELF, COLOURS, LANGUAGES, localized, serve
from bot.core.context import Context, Interaction, link
from bot.core.environment import Finding
from bot.core.formats import pace_text, tenths_text
from bot.core.guild_settings import GuildSettings
from bot.core.languages import at_once, known_scheme
from bot.core.logs import logger
from bot.core.permissions import IN_THREADS, NEEDED, TO_OPEN_THREADS
from bot.core.safe_text import safe
from bot.tables.move_labels import listed
from bot.tables.opening_commands import add_command, clock_choices
from bot.tables.service import Table
from data.rulebook import games, presets
from data.store.connection.faults import DatabaseUnavailable
from data.words import Words
from engine.players.levels import LEVELS
from engine.table.commands import Rule, Ruling
from engine.table.refusals import No, Refused
from engine.table.table_events import Stopped
from engine.table.terms import THEMES, parse_pace

SKEW: Final = 5_000  # largest accepted difference to Discord's clock, in ms
LATE: Final = 60_000  # ms after which a waiting post counts as stuck
NAMED: Final = 10  # closed channels listed by name; the others are only counted


async def examine(ctx: Context) -> list[Finding]:
    """Check the permissions in this channel, the database, the clock and the outbox of this server."""
    return [*_check_permissions(ctx), *await _check_store(ctx), _check_clock(ctx)]


def _check_permissions(ctx: Context) -> list[Finding]:
    words, have = ctx.words, ctx.interaction.app_permissions
    wanted: tuple[str, ...] = (*NEEDED, *IN_THREADS, *TO_OPEN_THREADS)
    if isinstance(ctx.interaction.channel, discord.Thread):
        wanted = tuple(flag for flag in wanted if flag not in ("send_messages", *TO_OPEN_THREADS))
    return [
        Finding(words("doctor.permission", name=name), getattr(have, flag), words(fix, name=name))
        for flag in wanted
        for name in [words(f"permission.{flag}")]
        for fix in ["doctor.threads" if flag in (*IN_THREADS, *TO_OPEN_THREADS) else "doctor.permission_fix"]
    ]


async def _check_store(ctx: Context) -> list[Finding]:
    words, store, now = ctx.words, ctx.services.store, ctx.services.now()
    try:
        await store.operations.pulse("doctor", now=now)
        read = (await store.operations.pulses()).get("doctor")
        backlog = await store.operations.backlog(now=now, guild_id=ctx.guild_id)
        quarantined = await store.quarantine.quarantined(guild_id=ctx.guild_id)
    except DatabaseUnavailable as trouble:
        return [Finding(words("doctor.database"), False, words(f"doctor.ail_{trouble.fault.value}"))]
    waiting = words("doctor.backlog", posts=backlog.posts, boards=backlog.boards)
    return [
        Finding(
            words("doctor.database"),
            read is not None and read >= now and store.fault is None,
            words("doctor.database_fix") if store.fault is None else words(f"doctor.ail_{store.fault.value}"),
        ),
        Finding(waiting, backlog.oldest < LATE, words("doctor.backlog_fix")),
        _check_channels(words, backlog.closed),
        _check_seasons(words, [(one.name, one.channel_id) for one in backlog.held]),
        _check_quarantine(words, [aside.match_id for aside in quarantined]),
        Finding(
            words("doctor.refused", posts=sum(backlog.refused.values())),
            not backlog.refused,
            words("doctor.refused_fix", codes=", ".join(map(str, sorted(backlog.refused)))),
        ),
    ]


def _check_channels(words: Words, closed: Mapping[int, int]) -> Finding:
    told = [words("doctor.closed_table", table=table, channel=f"<#{channel}>") for table, channel in closed.items()]
    tables = listed(words, told[:NAMED])
    if len(told) > NAMED:
        tables = words("and.more", list=words("and.comma").join(told[:NAMED]), n=len(told) - NAMED)
    return Finding(words("doctor.closed", n=len(told)), not told, words("doctor.closed_fix", tables=tables))


def _check_seasons(words: Words, held: Sequence[tuple[str, int]]) -> Finding:
    told = [words("doctor.closed_table", table=safe(name), channel=f"<#{channel}>") for name, channel in held]
    return Finding(
        words("doctor.seasons", n=len(told)), not told, words("doctor.seasons_fix", seasons=listed(words, told))
    )


def _check_quarantine(words: Words, numbers: Sequence[int]) -> Finding:
    told = listed(words, [str(number) for number in numbers[:NAMED]])
    if len(numbers) > NAMED:
        told = words("and.more", list=told, n=len(numbers) - NAMED)
    return Finding(words("doctor.aside", n=len(numbers)), not numbers, words("doctor.aside_fix", tables=told))


def _check_clock(ctx: Context) -> Finding:
    # An interaction's id contains its creation time; delivery takes some tenths of a second.
    off = ctx.services.now() - int(ctx.interaction.created_at.timestamp() * 1000)
    seconds = tenths_text(ctx.words, abs(off) / 1000)
    return Finding(ctx.words("doctor.clock", seconds=seconds), abs(off) <= SKEW, ctx.words("doctor.clock_fix"))


log = logger(__name__)

admin = app_commands.Group(
    name="tiles-admin",
    description=localized("command.admin"),
    guild_only=True,
    default_permissions=discord.Permissions(manage_guild=True),
)

SETTINGS: Final = [
    "allow",
    "disallow",
    "everywhere",
    "preset",
    "clock",
    "level",
    "tiles",
    "colours",
    "language",
    "person",
    "server",
]
PRESETS: Final = tuple(dict.fromkeys(preset for game in games() for preset in presets(game)))
ALL: Final = "all"

Reason = app_commands.Range[str, 1, 200]
Channel = discord.TextChannel | discord.VoiceChannel | discord.ForumChannel


@admin.command(name="settings", description=localized("command.admin_settings"))
@app_commands.describe(**{name: localized(f"parameter.admin_settings_{name}") for name in SETTINGS})
@app_commands.choices(
    level=[app_commands.Choice(name=localized(f"level.{level}"), value=level) for level in LEVELS],
    tiles=[
        app_commands.Choice(name=localized("admin.themes_all"), value=ALL),
        *(app_commands.Choice(name=localized(f"theme.{theme}"), value=theme) for theme in THEMES),
    ],
    language=[app_commands.Choice(name=localized("admin.language_discord"), value=BY_ITSELF), *LANGUAGES],
    colours=[*COLOURS],
)
async def admin_settings_command(
    interaction: Interaction,
    allow: Channel | None = None,
    disallow: Channel | None = None,
    everywhere: bool = False,
    preset: str | None = None,
    clock: str | None = None,
    level: str | None = None,
    tiles: str | None = None,
    colours: str | None = None,
    language: str | None = None,
    person: app_commands.Range[int, 1, 100] | None = None,
    server: app_commands.Range[int, 1, 1000] | None = None,
) -> None:
    async def change(ctx: Context) -> None:
        before = await ctx.services.guilds.settings(ctx.guild_id)
        chosen: dict[str, Any] = {
            "channels": _channels(() if everywhere else before.channels, allow, disallow),
            "preset": None if preset is None else _preset(preset),
            "clock": None if clock is None else _clock(clock),
            "level": None if level is None else _level(level),
            "themes": None if tiles is None else THEMES if tiles == ALL else (tiles,),
            "scheme": colours,
            "language": "" if language == BY_ITSELF else language,
            "person": person,
            "server": server,
        }
        settings = replace(before, **{name: value for name, value in chosen.items() if value is not None})
        if settings != before:
            await ctx.services.guilds.change(ctx.guild_id, settings)
        await show_guild_settings(ctx)

    await serve(interaction, "settings", change)


@admin_settings_command.autocomplete("preset")
async def all_preset_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    typed = current.strip().lower()
    said = at_once(interaction)
    named = ((said(f"preset.{preset}"), preset) for preset in PRESETS)
    found = [app_commands.Choice(name=name, value=value) for name, value in named if typed in f"{name} {value}".lower()]
    return found[:25]


admin_settings_command.autocomplete("clock")(clock_choices)


def _channels(listed: tuple[int, ...], allow: Channel | None, disallow: Channel | None) -> tuple[int, ...]:
    """Add and remove a channel. Raises Refused(ONLY_CHANNEL): an empty list would allow every channel."""
    channels = dict.fromkeys((*listed, allow.id) if allow is not None else listed)
    if disallow is not None and list(channels) == [disallow.id]:
        raise Refused(No.ONLY_CHANNEL, channel=f"<#{disallow.id}>")
    return tuple(channel for channel in channels if disallow is None or channel != disallow.id)


def _preset(text: str) -> str:
    if text not in PRESETS:
        raise Refused(No.NO_SUCH_PRESET, preset=text[:40], presets=", ".join(PRESETS))
    return text


def _clock(text: str) -> str:
    try:
        return str(parse_pace(text))
    except ValueError:
        raise Refused(No.BAD_CLOCK, text=text[:40]) from None


def _level(text: str) -> str:
    if text not in LEVELS:
        raise Refused(No.NO_SUCH_LEVEL, text=text[:40], levels=LEVELS)
    return text


async def show_guild_settings(ctx: Context) -> None:
    settings = await ctx.services.guilds.settings(ctx.guild_id)
    running = await ctx.services.store.guilds.running_in_guild(ctx.guild_id)
    public = await ctx.services.languages.at(ctx.guild_id)
    await ctx.say(guild_settings_text(ctx.words, settings, running, public))


add_command(admin, "show", show_guild_settings, text="admin_show")


def guild_settings_text(said: Words, settings: GuildSettings, running: int, public: Words) -> str:
    """Format the settings; `public` is the language of the server."""
    spoken = public("admin.language_name")
    everywhere = said("admin.everywhere")
    channels = " ".join(f"<#{channel}>" for channel in settings.channels) or everywhere
    return "\n".join(
        [
            said("admin.title"),
            said("admin.channels", channels=channels),
            said("admin.preset", preset=said(f"preset.{settings.preset}")),
            said("admin.clock", clock=pace_text(said, parse_pace(settings.clock))),
            said("admin.level", level=said(f"level.{settings.level}")),
            said("admin.themes", themes=", ".join(said(f"theme.{theme}") for theme in settings.themes)),
            said("admin.scheme", scheme=said(f"scheme.{known_scheme(settings.scheme)}")),
            said("admin.language" if settings.language else "admin.language_by_itself", language=spoken),
            said("admin.limits", person=settings.person, server=settings.server),
            said("admin.running", running=running),
        ]
    )


def _add_ruling(name: str, what: Ruling) -> None:
    @admin.command(name=name, description=localized(f"command.admin_{name}"))
    @app_commands.describe(reason=localized("parameter.admin_reason"), table=localized("parameter.admin_table"))
    async def command(interaction: Interaction, reason: Reason, table: int | None = None) -> None:
        await serve(interaction, name, partial(_rule, what=what, number=table, reason=reason))


_add_ruling("end", "stop")
_add_ruling("pause", "pause")
_add_ruling("resume", "resume")
_add_ruling("skip", "skip")


async def doctor(ctx: Context) -> None:
    said = ctx.words
    findings = await examine(ctx)
    lines = [
        said("doctor.good", what=one.what) if one.good else said("doctor.bad", what=one.what, fix=one.fix)
        for one in findings
    ]
    title = said("doctor.well" if all(one.good for one in findings) else "doctor.ill")
    await ctx.say("\n".join([title, *lines]))


add_command(admin, "doctor", doctor, text="admin_doctor")


async def _rule(ctx: Context, what: Ruling, number: int | None, reason: str) -> None:
    try:
        found = await _find_table(ctx, number)
    except Refused as refused:
        if what != "stop" or refused.why is not No.SET_ASIDE or refused.facts["server"] != ctx.guild_id:
            raise
        await _close_quarantined(ctx, int(str(refused.facts["match"])), reason)
        return
    ctx.press = replace(ctx.press, table=found.head.match_id)  # what is refused is refused about this one
    table = (await ctx.act(found, Rule(what, ctx.user_id, reason))).table
    ctx.services.announcer.refresh(table.head.match_id)
    ctx.services.scheduler.soon(table.head.match_id)
    await ctx.say(ctx.words(f"admin.{ctx.press.verb}", link=link(table)))


async def _close_quarantined(ctx: Context, match_id: int, reason: str) -> None:
    """Close a quarantined table. Its log cannot be read, so nothing is decided on it."""
    ruling = Stopped(ctx.user_id, reason)
    if await ctx.services.store.quarantine.close_quarantined(match_id, ruling, now=ctx.services.now()):
        ctx.services.announcer.refresh(match_id)
        log.info("a match that was set aside is closed by a moderator", match=match_id, server=ctx.guild_id)
    await ctx.say(ctx.words("admin.end_aside", match=match_id))


async def _find_table(ctx: Context, number: int | None) -> Table:
    """Return the table with this number on this server, or the one in this channel. Raises Refused."""
    if number is None:
        table = await ctx.services.tables.here(ctx.channel_id)
        await ctx.services.tables.check_quarantine(ctx.channel_id, table)
        if table is None:
            raise Refused(No.NO_TABLE_HERE)
        return table
    # Larger numbers are outside the range of the database.
    table = await ctx.services.tables.load(number if 0 < number < 2**53 else 0)
    if table.head.guild_id != ctx.guild_id:
        raise Refused(No.NO_SUCH_TABLE)
    return table
