"""`/tiles settings`, `/tiles data`, and alerts about new tables."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any, Final, get_args
from zoneinfo import ZoneInfo, available_timezones

import discord
from discord import app_commands, ui

from bot.core.choices import NamesByValue, filter_choices, list_choices, localize, suggest
from bot.core.command_groups import AUTOMATIC_CHOICE, LANGUAGES, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import register_handler
from bot.core.formats import format_duration, shorten_spans
from bot.core.layout import CALM_COLOUR, CustomId, Item, build_button, build_layout, format_timestamp
from bot.sending.alerts import build_game_buttons, format_alerts
from bot.tables.messages import Content
from data.rulebook import list_games
from data.words import Words
from engine.table.preferences import (
    MIN_REMINDER_INTERVAL,
    VACATION_DAYS,
    Person,
    Pings,
    Preferences,
    QuietHours,
    compute_days_left,
    is_away,
)
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import DAY, parse_pace
from engine.typed_text import normalize_text
from render.canvas.theme import SCHEMES

OFF: Final = "off"
_TIME: Final = r"(\d{1,2})(?:[:.h](\d\d))? ?([ap]\.?m\.?)?"
HOURS_PATTERN: Final = re.compile(f"{_TIME} ?(?:-|to|until) ?{_TIME}")
OFFSET_PATTERN: Final = re.compile(r"(?:utc|gmt)_?(?:([+-])_?(\d{1,2}))?")
PING_CHOICES: Final[tuple[Pings, ...]] = get_args(Pings)
MAX_INTERVAL: Final = 7 * DAY


@tiles.command(name="settings", description=localize("command.settings"))
@app_commands.describe(
    call=localize("parameter.settings_call"),
    remind=localize("parameter.settings_remind"),
    every=localize("parameter.settings_every"),
    quiet=localize("parameter.settings_quiet"),
    zone=localize("parameter.settings_zone"),
    vacation=localize("parameter.settings_vacation"),
    automatic=localize("parameter.settings_automatic"),
    next_up=localize("parameter.settings_next"),
    leaderboard=localize("parameter.settings_leaderboard"),
    language=localize("parameter.settings_language"),
    colours=localize("parameter.settings_colours"),
)
@app_commands.rename(next_up="next")
@app_commands.choices(
    call=list_choices("settings.call_{}", PING_CHOICES),
    language=[app_commands.Choice(name=localize("settings.language_discord"), value=AUTOMATIC_CHOICE), *LANGUAGES],
    colours=[
        app_commands.Choice(name=localize("settings.scheme_server"), value=AUTOMATIC_CHOICE),
        *list_choices("scheme.{}", SCHEMES),
    ],
)
async def settings_command(
    interaction: Interaction,
    call: str | None = None,
    remind: bool | None = None,
    every: str | None = None,
    quiet: str | None = None,
    zone: str | None = None,
    vacation: app_commands.Range[int, 0, VACATION_DAYS] | None = None,
    automatic: bool | None = None,
    next_up: bool | None = None,
    leaderboard: bool | None = None,
    language: str | None = None,
    colours: str | None = None,
) -> None:
    async def change(ctx: Context) -> None:
        changes: dict[str, Any] = {}
        if zone is not None:
            changes["zone"] = parse_zone(zone)
        if quiet is not None:
            changes["quiet"] = parse_quiet_hours(quiet)
        if every is not None:
            changes["every"] = parse_interval(every)
        options = {
            "remind": remind,
            "automatic": automatic,
            "next_up": next_up,
            "listed": leaderboard,
            "language": "" if language == AUTOMATIC_CHOICE else language,
            "scheme": "" if colours == AUTOMATIC_CHOICE else colours,
        }
        changes |= {name: value for name, value in options.items() if value is not None}
        pings = next((known for known in PING_CHOICES if known == call), None)
        preferences = await ctx.services.user_settings.set(
            ctx.user_id, lambda preferences: replace(preferences, **changes), pings=pings, days=vacation
        )
        ctx.services.personal.note(ctx.user_id, preferences)
        await ctx.load_words()  # the answer uses a newly chosen language
        for table in await ctx.services.tables.list_of_user(ctx.user_id):
            ctx.services.announcer.refresh(table.head.match_id)
        await show_settings(ctx)

    await serve(interaction, "settings", change)


async def show_settings(ctx: Context) -> None:
    person = await ctx.services.store.users.load_person(ctx.user_id)
    preferences, now = await ctx.services.user_settings.load_preferences(ctx.user_id), ctx.services.now()
    words = ctx.words
    away = is_away(preferences, now)
    buttons = [build_button(words("settings.end_vacation"), CustomId("home"))] if away else []
    buttons.append(build_button(words("alerts.choose"), CustomId("alerts")))
    wanted = await ctx.services.store.alerts.load_subscriptions(ctx.user_id, ctx.guild_id)
    text = "\n".join([format_settings(words, person, preferences, ctx.scheme, now), format_alerts(wanted, words)])
    await ctx.say(text, *buttons)


@register_handler("home")
async def end_vacation(ctx: Context) -> None:
    await ctx.services.user_settings.set_vacation(ctx.user_id, 0)
    for table in await ctx.services.tables.list_of_user(ctx.user_id):
        ctx.services.announcer.refresh(table.head.match_id)
    await show_settings(ctx)


def format_settings(words: Words, person: Person, preferences: Preferences, scheme: str, now: int) -> str:
    """Return the settings as text; `scheme` are the colours in effect here."""
    lines = [
        words("settings.title"),
        words("settings.call", call=words(f"settings.call_{person.pings}")),
        words("settings.remind_on" if preferences.remind else "settings.remind_off"),
    ]
    if preferences.every:
        lines.append(words("settings.every", span=format_duration(words, preferences.every)))
    if preferences.quiet is not None:
        quiet = preferences.quiet
        start, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in (quiet.start, quiet.end))
        lines.append(words("settings.quiet", start=start, end=end, zone=format_zone(preferences.zone)))
    else:
        lines.append(words("settings.quiet_off"))
    remaining = words("count.days", n=compute_days_left(preferences, now))
    if is_away(preferences, now):
        lines.append(words("settings.away", until=format_timestamp(preferences.away_until, "f"), left=remaining))
    else:
        lines.append(words("settings.vacation", left=remaining))
    lines.append(words("settings.automatic_on" if preferences.automatic else "settings.automatic_off"))
    suffix = "none" if person.pings == "none" else "on"
    lines.append(words(f"settings.next_{suffix if preferences.next_up else 'off'}"))
    lines.append(words("settings.listed_on" if preferences.listed else "settings.listed_off"))
    key = "settings.language" if preferences.language else "settings.language_by_itself"
    lines.append(words(key, language=words("admin.language_name")))
    key = "settings.scheme" if preferences.scheme else "settings.scheme_by_itself"
    lines.append(words(key, scheme=words(f"scheme.{scheme}")))
    lines.append(words("settings.quick_is_on" if person.quick else "settings.quick_is_off"))
    return "\n".join(lines)


def parse_zone(text: str) -> str:
    """Parse an IANA time zone, the only one that contains the text, or `UTC+2`. Raises RefusalError(BAD_ZONE)."""
    normalized = "_".join(normalize_text(text).split()).casefold()
    if found := OFFSET_PATTERN.fullmatch(normalized):
        hours = int(found[2] or 0)
        # The names of these zones count west as positive.
        name = "UTC" if hours == 0 else f"Etc/GMT{'-' if found[1] == '+' else '+'}{hours}"
        if name in available_timezones():
            return name
    named = {name.casefold(): name for name in list_zones()}
    cities = [name for name in named if name.rpartition("/")[2] == normalized]
    matches = [normalized] if normalized in named else cities or [name for name in named if normalized in name]
    if len(matches) != 1:
        raise RefusalError(Refusal.BAD_ZONE, text=_shorten_quote(text))
    return str(ZoneInfo(named[matches[0]]))


def format_zone(zone: str) -> str:
    """Return a zone as users write it: `UTC+2` for `Etc/GMT-2`."""
    name = zone.removeprefix("Etc/GMT")
    return zone if name == zone else f"UTC{name.translate({ord('+'): '-', ord('-'): '+'})}"


def parse_quiet_hours(text: str) -> QuietHours | None:
    """Parse `22:00-07:30`, `22-7`, `10pm-7am`, or `off`. Raises RefusalError(BAD_HOURS)."""
    typed = normalize_text(text).casefold()
    if typed == OFF:
        return None
    found = HOURS_PATTERN.fullmatch(typed)
    if found is None:
        raise RefusalError(Refusal.BAD_HOURS, text=_shorten_quote(text))
    start, end = _parse_minute(*found.group(1, 2, 3)), _parse_minute(*found.group(4, 5, 6))
    # 24:00 is allowed as the end of a day.
    if start is None or end is None or start == 24 * 60 or start == end % (24 * 60):
        raise RefusalError(Refusal.BAD_HOURS, text=_shorten_quote(text))
    return QuietHours(start, end % (24 * 60))


def _parse_minute(hour_typed: str, minute_typed: str | None, half: str | None) -> int | None:
    """Return the minute of the day, to 24:00; `half` is `am`, `pm` or None for 24 hours."""
    hour, minute = int(hour_typed), int(minute_typed or 0)
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    total = hour * 60 + minute
    return total if minute < 60 and total <= 24 * 60 else None


def parse_interval(text: str) -> int:
    """Parse `6h`, `2 hours`, `1d`, or `off` for 0; ms. Raises RefusalError(BAD_INTERVAL)."""
    if normalize_text(text).casefold() == OFF:
        return 0
    try:
        span = parse_pace(shorten_spans(text)).turn
    except ValueError:
        span = 0
    if not MIN_REMINDER_INTERVAL <= span <= MAX_INTERVAL:
        raise RefusalError(Refusal.BAD_INTERVAL, text=_shorten_quote(text))
    return span


def _shorten_quote(text: str) -> str:
    # The text is quoted in an answer: remove Markdown and mentions.
    return re.sub(r"[^\w:+/.,\- ]", "", text)[:40]


@suggest(settings_command, "zone")
async def suggest_zones(_: Context, current: str, __: Mapping[str, str]) -> NamesByValue:
    typed = "_".join(current.split()).lower()
    matches = [name for name in list_zones() if typed in name.lower()]
    return {name: name for name in sorted(matches, key=lambda name: (name.count("/") != 1, name))}


@suggest(settings_command, "every")
async def suggest_intervals(ctx: Context, current: str, _: Mapping[str, str]) -> NamesByValue:
    usual = (*(f"{hours}h" for hours in (2, 4, 6, 12)), "1d", "2d")
    named = {text: format_duration(ctx.words, parse_pace(text).turn) for text in usual}
    return filter_choices({OFF: ctx.words("settings.every_off"), **named}, current)


@cache
def list_zones() -> frozenset[str]:
    technical = ("posix", "right", "Etc/", "SystemV")
    return frozenset(name for name in available_timezones() if not name.startswith(technical))


EXPORT_FILE: Final = "boneyard-data.json"
data_group = app_commands.Group(name="data", description=localize("command.data"), parent=tiles)


@data_group.command(name="export", description=localize("command.data_export"))
async def export_command(interaction: Interaction) -> None:
    await serve(interaction, "export", export)


async def export(ctx: Context) -> None:
    user_data = await ctx.services.privacy.export(ctx.user_id)
    text = json.dumps(user_data, indent=2, ensure_ascii=False)
    attached = discord.File(BytesIO(text.encode()), filename=EXPORT_FILE)
    about: Item = ui.TextDisplay(ctx.words("data.export"))
    view = build_layout(about, ui.File(f"attachment://{EXPORT_FILE}"), colour=CALM_COLOUR)
    await ctx.show(Content(view, [attached]))


@data_group.command(name="delete", description=localize("command.data_delete"))
async def delete_command(interaction: Interaction) -> None:
    await serve(interaction, "forget", delete)


@register_handler("forget")
async def delete(ctx: Context) -> None:
    words, services = ctx.words, ctx.services
    match ctx.custom_id.argument:
        case "yes":
            changed = await services.privacy.delete(ctx.user_id)
            services.names.forget(ctx.user_id)
            services.personal.forget(ctx.user_id)
            services.live_hands.forget(ctx.user_id)
            for match_id in changed:
                services.announcer.refresh(match_id)
                services.scheduler.wake(match_id)
            await ctx.say(words("data.deleted"))
        case "no":
            await ctx.say(words("data.kept"))
        case _:
            running = await services.tables.list_of_user(ctx.user_id)
            yes = build_button(words("data.yes"), CustomId("forget", argument="yes"), style=discord.ButtonStyle.danger)
            no = build_button(words("data.no"), CustomId("forget", argument="no"))
            await ctx.say(words("data.ask", tables=words("count.tables", n=len(running))), yes, no)


@register_handler("alerts")
async def choose_alerts(ctx: Context) -> None:
    """Show which games' alerts a user gets here; an argument such as `star.on` changes that first."""
    game, _, state = ctx.custom_id.argument.rpartition(".")
    store = ctx.services.store
    if game in list_games() and state in ("on", "off"):
        if state == "on":
            await store.alerts.subscribe(ctx.user_id, ctx.guild_id, game, now=ctx.services.now())
        else:
            await store.alerts.unsubscribe(ctx.user_id, ctx.guild_id, game)
    wanted = await store.alerts.load_subscriptions(ctx.user_id, ctx.guild_id)
    text = "\n".join([format_alerts(wanted, ctx.words), ctx.words("alerts.about")])
    await ctx.say(text, *build_game_buttons(wanted, ctx.words))


@register_handler("unalert")
async def stop_alerts(ctx: Context) -> None:
    head = await ctx.services.store.matches.find_head(ctx.custom_id.table)
    if head is None:
        raise RefusalError(Refusal.NO_SUCH_TABLE)
    await ctx.services.store.alerts.unsubscribe(ctx.user_id, head.guild_id)
    await ctx.say(ctx.words("alerts.stopped"))
