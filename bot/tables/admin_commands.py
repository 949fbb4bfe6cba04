"""`/tiles-admin`: server settings and moderation of matches. Discord's command permissions decide who may use it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import discord
from discord import app_commands

from bot.core.choices import NamesByValue, filter_choices, list_choices, localize, suggest
from bot.core.command_groups import AUTOMATIC_CHOICE, LANGUAGES, serve
from bot.core.context import Context, Interaction, format_table_link
from bot.core.environment import Finding
from bot.core.formats import format_pace, format_tenths, parse_typed_pace
from bot.core.guild_settings import GuildSettings
from bot.core.languages import choose_known_scheme
from bot.core.logs import get_logger
from bot.core.permissions import REQUIRED, REQUIRED_IN_THREADS, REQUIRED_TO_OPEN_THREADS
from bot.core.safe_text import escape_text
from bot.tables.move_labels import format_list
from bot.tables.opening_commands import add_command, suggest_clocks
from bot.tables.service import Table
from data.rulebook import list_games, list_presets
from data.store.connection.bodies import DamagedRow
from data.store.connection.faults import OPENING_FAULTS, DatabaseFault, DatabaseUnavailable
from data.words import Words
from engine.players.levels import LEVELS
from engine.table.commands import Moderate, Ruling
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Stopped
from engine.table.terms import THEMES, parse_pace
from render.canvas.theme import SCHEMES

MAX_CLOCK_SKEW: Final = 5_000  # largest accepted difference to Discord's clock, in ms
STUCK_AFTER: Final = 60_000  # ms after which a waiting post counts as stuck
MAX_LISTED: Final = 10  # closed channels listed by name; the others are only counted


async def check_health(ctx: Context) -> list[Finding]:
    """Check the permissions in this channel, the database, the clock and the outbox of this server."""
    return [*_check_permissions(ctx), *await _check_store(ctx), _check_clock(ctx)]


def _check_permissions(ctx: Context) -> list[Finding]:
    words, have = ctx.words, ctx.interaction.app_permissions
    of_threads = (*REQUIRED_IN_THREADS, *REQUIRED_TO_OPEN_THREADS)
    wanted: tuple[str, ...] = (*REQUIRED, *of_threads)
    if isinstance(ctx.interaction.channel, discord.Thread):
        wanted = tuple(flag for flag in wanted if flag not in ("send_messages", *REQUIRED_TO_OPEN_THREADS))
    findings = []
    for flag in wanted:
        name, fix = words(f"permission.{flag}"), "doctor.threads" if flag in of_threads else "doctor.permission_fix"
        findings.append(Finding(words("doctor.permission", name=name), getattr(have, flag), words(fix, name=name)))
    return findings


async def _check_store(ctx: Context) -> list[Finding]:
    words, store, now = ctx.words, ctx.services.store, ctx.services.now()
    try:
        await store.operations.record_pulse("doctor", now=now)
        read = (await store.operations.load_pulses()).get("doctor")
        backlog = await store.operations.load_backlog(now=now, guild_id=ctx.guild_id)
        quarantined = await store.quarantine.list_quarantined(guild_id=ctx.guild_id)
        damaged = await store.operations.list_damaged_rows(ctx.guild_id)
    except DatabaseUnavailable as trouble:
        return [Finding(words("doctor.database"), False, _explain_fault(words, trouble.fault))]
    is_current, fault = read is not None and read >= now and store.fault is None, store.fault
    database_fix = _explain_fault(words, fault)
    waiting = words("doctor.backlog", posts=backlog.posts, boards=backlog.boards)
    refused = words("doctor.refused", posts=sum(backlog.refused.values()))
    refused_fix = words("doctor.refused_fix", codes=", ".join(map(str, sorted(backlog.refused))))
    return [
        Finding(words("doctor.database"), is_current, database_fix),
        Finding(waiting, backlog.oldest < STUCK_AFTER, words("doctor.backlog_fix")),
        _check_channels(words, backlog.closed),
        _check_seasons(words, [(one.name, one.channel_id) for one in backlog.stalled]),
        _check_quarantine(words, [item.match_id for item in quarantined]),
        _check_rows(words, damaged),
        Finding(refused, not backlog.refused, refused_fix),
    ]


def _explain_fault(words: Words, fault: DatabaseFault | None) -> str:
    return words("doctor.database_fix" if fault in (None, *OPENING_FAULTS) else f"doctor.ail_{fault}")


def _check_channels(words: Words, closed: Mapping[int, int]) -> Finding:
    texts = [words("doctor.closed_table", table=table, channel=f"<#{channel}>") for table, channel in closed.items()]
    tables = format_list(words, texts[:MAX_LISTED])
    if len(texts) > MAX_LISTED:
        tables = words("and.more", list=words("and.comma").join(texts[:MAX_LISTED]), n=len(texts) - MAX_LISTED)
    return Finding(words("doctor.closed", n=len(texts)), not texts, words("doctor.closed_fix", tables=tables))


def _check_seasons(words: Words, held_seasons: Sequence[tuple[str, int]]) -> Finding:
    named = [(escape_text(name), f"<#{channel}>") for name, channel in held_seasons]
    texts = [words("doctor.closed_table", table=name, channel=channel) for name, channel in named]
    fix = words("doctor.seasons_fix", seasons=format_list(words, texts))
    return Finding(words("doctor.seasons", n=len(texts)), not texts, fix)


def _check_quarantine(words: Words, numbers: Sequence[int]) -> Finding:
    match_list = format_list(words, [str(number) for number in numbers[:MAX_LISTED]])
    if len(numbers) > MAX_LISTED:
        match_list = words("and.more", list=match_list, n=len(numbers) - MAX_LISTED)
    return Finding(words("doctor.aside", n=len(numbers)), not numbers, words("doctor.aside_fix", tables=match_list))


def _check_rows(words: Words, damaged: Sequence[DamagedRow]) -> Finding:
    # Rows of no server belong to users, who stay unnamed.
    texts = [one.format(hidden=("user_id",)) for one in damaged]
    rows = format_list(words, [f"`{text}`" for text in texts[:MAX_LISTED]])
    if len(texts) > MAX_LISTED:
        rows = words("and.more", list=rows, n=len(texts) - MAX_LISTED)
    return Finding(words("doctor.damaged", n=len(texts)), not texts, words("doctor.damaged_fix", rows=rows))


def _check_clock(ctx: Context) -> Finding:
    # An interaction's id contains its creation time; delivery takes some tenths of a second.
    skew = ctx.services.now() - int(ctx.interaction.created_at.timestamp() * 1000)
    summary = ctx.words("doctor.clock", seconds=format_tenths(ctx.words, abs(skew) / 1000))
    return Finding(summary, abs(skew) <= MAX_CLOCK_SKEW, ctx.words("doctor.clock_fix"))


log = get_logger(__name__)

admin = app_commands.Group(
    name="tiles-admin",
    description=localize("command.admin"),
    guild_only=True,
    default_permissions=discord.Permissions(manage_guild=True),
)

SETTINGS: Final = ("allow", "disallow", "everywhere", "preset", "clock", "level", "tiles", "colours", "language")
LIMITS: Final = ("person", "server")
PRESETS: Final = tuple(dict.fromkeys(preset for game in list_games() for preset in list_presets(game)))
ALL_THEMES: Final = "all"

Reason = app_commands.Range[str, 1, 200]
Channel = discord.TextChannel | discord.VoiceChannel | discord.ForumChannel


@admin.command(name="settings", description=localize("command.admin_settings"))
@app_commands.describe(**{name: localize(f"parameter.admin_settings_{name}") for name in (*SETTINGS, *LIMITS)})
@app_commands.choices(
    level=list_choices("level.{}", LEVELS),
    tiles=[app_commands.Choice(name=localize("admin.themes_all"), value=ALL_THEMES), *list_choices("theme.{}", THEMES)],
    language=[app_commands.Choice(name=localize("admin.language_discord"), value=AUTOMATIC_CHOICE), *LANGUAGES],
    colours=list_choices("scheme.{}", SCHEMES),
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
        before = await ctx.services.guilds.load_settings(ctx.guild_id)
        chosen: dict[str, Any] = {
            "channels": _change_channels(() if everywhere else before.channels, allow, disallow),
            "preset": None if preset is None else _parse_preset(preset),
            "clock": None if clock is None else _parse_clock(clock),
            "level": None if level is None else _parse_level(level),
            "themes": None if tiles is None else THEMES if tiles == ALL_THEMES else (tiles,),
            "scheme": colours,
            "language": "" if language == AUTOMATIC_CHOICE else language,
            "person": person,
            "server": server,
        }
        settings = replace(before, **{name: value for name, value in chosen.items() if value is not None})
        if settings != before:
            await ctx.services.guilds.change(ctx.guild_id, settings)
        await show_guild_settings(ctx)

    await serve(interaction, "settings", change)


@suggest(admin_settings_command, "preset")
async def suggest_all_presets(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    return filter_choices({preset: ctx.words(f"preset.{preset}") for preset in PRESETS}, typed)


suggest(admin_settings_command, "clock")(suggest_clocks)


def _change_channels(listed: tuple[int, ...], allow: Channel | None, disallow: Channel | None) -> tuple[int, ...]:
    """Add and remove a channel. Raises RefusalError(ONLY_CHANNEL): an empty list would allow every channel."""
    channels = dict.fromkeys((*listed, allow.id) if allow is not None else listed)
    if disallow is not None and list(channels) == [disallow.id]:
        raise RefusalError(Refusal.ONLY_CHANNEL, channel=f"<#{disallow.id}>")
    return tuple(channel for channel in channels if disallow is None or channel != disallow.id)


def _parse_preset(text: str) -> str:
    if text not in PRESETS:
        raise RefusalError(Refusal.NO_SUCH_PRESET, preset=text[:40], presets=", ".join(PRESETS))
    return text


def _parse_clock(text: str) -> str:
    try:
        return str(parse_typed_pace(text))
    except ValueError:
        raise RefusalError(Refusal.BAD_CLOCK, text=text[:40]) from None


def _parse_level(text: str) -> str:
    if text not in LEVELS:
        raise RefusalError(Refusal.NO_SUCH_LEVEL, text=text[:40], levels=LEVELS)
    return text


async def show_guild_settings(ctx: Context) -> None:
    settings = await ctx.services.guilds.load_settings(ctx.guild_id)
    running = await ctx.services.store.guilds.count_running(ctx.guild_id)
    public = await ctx.services.languages.load_guild_words(ctx.guild_id)
    await ctx.say(format_guild_settings(ctx.words, settings, running, public))


add_command(admin, "show", show_guild_settings, text="admin_show")


def format_guild_settings(words: Words, settings: GuildSettings, running: int, public: Words) -> str:
    """Format the settings; `public` is the language of the server."""
    language_name = public("admin.language_name")
    everywhere = words("admin.everywhere")
    channels = " ".join(f"<#{channel}>" for channel in settings.channels) or everywhere
    return "\n".join(
        [
            words("admin.title"),
            words("admin.channels", channels=channels),
            words("admin.preset", preset=words(f"preset.{settings.preset}")),
            words("admin.clock", clock=format_pace(words, parse_pace(settings.clock))),
            words("admin.level", level=words(f"level.{settings.level}")),
            words("admin.themes", themes=", ".join(words(f"theme.{theme}") for theme in settings.themes)),
            words("admin.scheme", scheme=words(f"scheme.{choose_known_scheme(settings.scheme)}")),
            words("admin.language" if settings.language else "admin.language_by_itself", language=language_name),
            words("admin.limits", person=settings.person, server=settings.server),
            words("admin.running", running=running),
        ]
    )


def _add_ruling(name: str, what: Ruling) -> None:
    @admin.command(name=name, description=localize(f"command.admin_{name}"))
    @app_commands.describe(reason=localize("parameter.admin_reason"), table=localize("parameter.admin_table"))
    async def command(interaction: Interaction, reason: Reason, table: int | None = None) -> None:
        await serve(interaction, name, partial(_apply_ruling, what=what, number=table, reason=reason))


_add_ruling("end", "stop")
_add_ruling("pause", "pause")
_add_ruling("resume", "resume")
_add_ruling("skip", "skip")


async def show_diagnosis(ctx: Context) -> None:
    words = ctx.words
    findings = await check_health(ctx)
    title = words("doctor.well" if all(one.is_ok for one in findings) else "doctor.ill")
    lines = [words("doctor.good" if one.is_ok else "doctor.bad", what=one.summary, fix=one.fix) for one in findings]
    await ctx.say("\n".join([title, *lines]))


add_command(admin, "doctor", show_diagnosis, text="admin_doctor")


async def _apply_ruling(ctx: Context, what: Ruling, number: int | None, reason: str) -> None:
    try:
        found = await _load_table(ctx, number)
    except RefusalError as refused:
        if what != "stop" or refused.why is not Refusal.SET_ASIDE or refused.facts["server"] != ctx.guild_id:
            raise
        await _close_quarantined(ctx, int(str(refused.facts["match"])), reason)
        return
    ctx.custom_id = replace(ctx.custom_id, table=found.head.match_id)  # what is refused is refused about this one
    table = (await ctx.act(found, Moderate(what, ctx.user_id, reason))).table
    ctx.refresh(table)
    await ctx.say(ctx.words(f"admin.{ctx.custom_id.verb}", link=format_table_link(table)))


async def _close_quarantined(ctx: Context, match_id: int, reason: str) -> None:
    """Close a quarantined table. Its log cannot be read, so nothing is decided on it."""
    ruling = Stopped(ctx.user_id, reason)
    if await ctx.services.store.quarantine.close_quarantined(match_id, ruling, now=ctx.services.now()):
        ctx.services.announcer.refresh(match_id)
        log.info("a moderator closed a match in quarantine", match=match_id, server=ctx.guild_id)
    await ctx.say(ctx.words("admin.end_aside", match=match_id))


async def _load_table(ctx: Context, number: int | None) -> Table:
    """Return the table with this number on this server, or the one in this channel. Raises RefusalError."""
    if number is None:
        table = await ctx.services.tables.find_in_channel(ctx.channel_id)
        await ctx.services.tables.check_quarantine(ctx.channel_id, table)
        if table is None:
            raise RefusalError(Refusal.NO_TABLE_HERE)
        return table
    # Larger numbers are outside the range of the database.
    table = await ctx.services.tables.load(number if 0 < number < 2**53 else 0)
    if table.head.guild_id != ctx.guild_id:
        raise RefusalError(Refusal.NO_SUCH_TABLE)
    return table
