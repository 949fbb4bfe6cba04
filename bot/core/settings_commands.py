"""`/tiles settings`, `/tiles data`, and alerts about new tables."""

import json
import re
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any, Final, get_args
from zoneinfo import ZoneInfo, available_timezones

import discord
from discord import app_commands, ui

from bot.core.command_groups import BY_ITSELF, COLOURS, LANGUAGES, localized, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.formats import moment, span_words
from bot.core.languages import at_once
from bot.core.layout import CALM_COLOUR, Press, button, layout
from bot.sending.alerts import game_buttons, wanted_text
from bot.tables.messages import Content
from data.rulebook import games
from data.words import Words
from engine.table.preferences import LEAST_EVERY, VACATION_DAYS, Person, Pings, Preferences, Quiet, days_left, is_away
from engine.table.refusals import No, Refused
from engine.table.terms import DAY, HOUR, parse_pace

OFF: Final = "off"
HOURS: Final = re.compile(r"(\d{1,2})(?::(\d\d))?\s*[-–]\s*(\d{1,2})(?::(\d\d))?")
CALLS: Final[tuple[Pings, ...]] = get_args(Pings)
MOST_EVERY: Final = 7 * DAY


@tiles.command(name="settings", description=localized("command.settings"))
@app_commands.describe(
    call=localized("parameter.settings_call"),
    remind=localized("parameter.settings_remind"),
    every=localized("parameter.settings_every"),
    quiet=localized("parameter.settings_quiet"),
    zone=localized("parameter.settings_zone"),
    vacation=localized("parameter.settings_vacation"),
    automatic=localized("parameter.settings_automatic"),
    next_up=localized("parameter.settings_next"),
    leaderboard=localized("parameter.settings_leaderboard"),
    language=localized("parameter.settings_language"),
    colours=localized("parameter.settings_colours"),
)
@app_commands.rename(next_up="next")
@app_commands.choices(
    call=[app_commands.Choice(name=localized(f"settings.call_{call}"), value=call) for call in CALLS],
    language=[app_commands.Choice(name=localized("settings.language_discord"), value=BY_ITSELF), *LANGUAGES],
    colours=[app_commands.Choice(name=localized("settings.scheme_server"), value=BY_ITSELF), *COLOURS],
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
        chosen: dict[str, Any] = {}
        if zone is not None:
            chosen["zone"] = read_zone(zone)
        if quiet is not None:
            chosen["quiet"] = read_hours(quiet)
        if every is not None:
            chosen["every"] = read_interval(every)
        given = {
            "remind": remind,
            "automatic": automatic,
            "next_up": next_up,
            "listed": leaderboard,
            "language": "" if language == BY_ITSELF else language,
            "scheme": "" if colours == BY_ITSELF else colours,
        }
        chosen |= {name: value for name, value in given.items() if value is not None}
        pings = next((known for known in CALLS if known == call), None)
        preferences = await ctx.services.people.set(
            ctx.user_id, lambda preferences: replace(preferences, **chosen), pings=pings, days=vacation
        )
        ctx.services.personal.note(ctx.user_id, preferences)
        await ctx.attune()  # the answer uses a newly chosen language
        for table in await ctx.services.tables.of(ctx.user_id):
            ctx.services.announcer.refresh(table.head.match_id)
        await show_settings(ctx)

    await serve(interaction, "settings", change)


async def show_settings(ctx: Context) -> None:
    person = await ctx.services.store.users.person(ctx.user_id)
    preferences, now = await ctx.services.people.preferences(ctx.user_id), ctx.services.now()
    said = ctx.words
    away = is_away(preferences, now)
    buttons = [button(said("settings.end_vacation"), Press("home"))] if away else []
    buttons.append(button(said("alerts.choose"), Press("alerts")))
    wanted = await ctx.services.store.alerts.alerts_wanted(ctx.user_id, ctx.guild_id)
    text = "\n".join([settings_text(said, person, preferences, ctx.scheme, now), wanted_text(wanted, said)])
    await ctx.say(text, *buttons)


@handles("home")
async def come_home(ctx: Context) -> None:
    await ctx.services.people.leave(ctx.user_id, 0)
    for table in await ctx.services.tables.of(ctx.user_id):
        ctx.services.announcer.refresh(table.head.match_id)
    await show_settings(ctx)


def settings_text(said: Words, person: Person, preferences: Preferences, scheme: str, now: int) -> str:
    """Return the settings as text; `scheme` are the colours in effect here."""
    lines = [
        said("settings.title"),
        said("settings.call", call=said(f"settings.call_{person.pings}")),
        said("settings.remind_on" if preferences.remind else "settings.remind_off"),
    ]
    if preferences.every:
        lines.append(said("settings.every", span=span_words(said, preferences.every)))
    if preferences.quiet is not None:
        start, end = (
            f"{minute // 60:02}:{minute % 60:02}" for minute in (preferences.quiet.start, preferences.quiet.end)
        )
        lines.append(said("settings.quiet", start=start, end=end, zone=preferences.zone))
    else:
        lines.append(said("settings.quiet_off"))
    left = said("count.days", n=days_left(preferences, now))
    if is_away(preferences, now):
        lines.append(said("settings.away", until=moment(preferences.away_until, "f"), left=left))
    else:
        lines.append(said("settings.vacation", left=left))
    lines.append(said("settings.automatic_on" if preferences.automatic else "settings.automatic_off"))
    unheard = "none" if person.pings == "none" else "on"
    lines.append(said(f"settings.next_{unheard if preferences.next_up else 'off'}"))
    lines.append(said("settings.listed_on" if preferences.listed else "settings.listed_off"))
    spoken = said("admin.language_name")
    lines.append(said("settings.language" if preferences.language else "settings.language_by_itself", language=spoken))
    colours = said(f"scheme.{scheme}")
    lines.append(said("settings.scheme" if preferences.scheme else "settings.scheme_by_itself", scheme=colours))
    lines.append(said("settings.quick_is_on" if person.quick else "settings.quick_is_off"))
    return "\n".join(lines)


def read_zone(text: str) -> str:
    """Parse an IANA time zone, ignoring case and spaces. Raises Refused(BAD_ZONE)."""
    wanted = "_".join(text.split()).lower()
    found = next((name for name in zones() if name.lower() == wanted), None)
    if found is None:
        raise Refused(No.BAD_ZONE, text=_short(text))
    return str(ZoneInfo(found))


def read_hours(text: str) -> Quiet | None:
    """Parse `22:00-07:30`, `22-7`, or `off`. Raises Refused(BAD_HOURS)."""
    if text.strip().lower() == OFF:
        return None
    found = HOURS.fullmatch(text.strip())
    if found is None:
        raise Refused(No.BAD_HOURS, text=_short(text))
    start_hour, start_minute, end_hour, end_minute = (int(part or 0) for part in found.groups())
    start, end = start_hour * 60 + start_minute, end_hour * 60 + end_minute
    # 24:00 is allowed as the end of a day.
    possible = start < 24 * 60 and end <= 24 * 60 and start_minute < 60 and end_minute < 60
    end %= 24 * 60
    if not possible or start == end:
        raise Refused(No.BAD_HOURS, text=_short(text))
    return Quiet(start, end)


def read_interval(text: str) -> int:
    """Parse `6h`, `1d`, or `off` for 0; ms. Raises Refused(BAD_INTERVAL)."""
    if text.strip().lower() == OFF:
        return 0
    try:
        span = parse_pace(text).turn
    except ValueError:
        span = 0
    if not LEAST_EVERY <= span <= MOST_EVERY:
        raise Refused(No.BAD_INTERVAL, text=_short(text))
    return span


def _short(text: str) -> str:
    # The text is quoted in an answer: remove Markdown and mentions.
    return re.sub(r"[^\w:+/.,\- ]", "", text)[:40]


@settings_command.autocomplete("zone")
async def zone_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    typed = "_".join(current.split()).lower()
    found = sorted((name for name in zones() if typed in name.lower()), key=lambda name: (name.count("/") != 1, name))
    return [app_commands.Choice(name=name, value=name) for name in found[:25]]


@settings_command.autocomplete("every")
async def interval_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    usual = [OFF, *(f"{hours}h" for hours in (2, 4, 6, 12)), "1d", "2d"]
    said, typed = at_once(interaction), current.strip().lower()
    named = [(span_words(said, _usual(text)) if text != OFF else said("settings.every_off"), text) for text in usual]
    found = [(name, text) for name, text in named if typed in f"{name} {text}".lower()]
    return [app_commands.Choice(name=name, value=text) for name, text in found]


def _usual(text: str) -> int:
    return int(text[:-1]) * (DAY if text.endswith("d") else HOUR)


@cache
def zones() -> frozenset[str]:
    return frozenset(
        name for name in available_timezones() if not name.startswith(("posix", "right", "Etc/", "SystemV"))
    )


FILE: Final = "boneyard-data.json"
data = app_commands.Group(name="data", description=localized("command.data"), parent=tiles)


@data.command(name="export", description=localized("command.data_export"))
async def export_command(interaction: Interaction) -> None:
    await serve(interaction, "export", export)


async def export(ctx: Context) -> None:
    held = await ctx.services.privacy.export(ctx.user_id)
    text = json.dumps(held, indent=2, ensure_ascii=False)
    attached = discord.File(BytesIO(text.encode()), filename=FILE)
    view = layout(ui.TextDisplay(ctx.words("data.export")), ui.File(f"attachment://{FILE}"), colour=CALM_COLOUR)
    await ctx.show(Content(view, [attached]))


@data.command(name="delete", description=localized("command.data_delete"))
async def delete_command(interaction: Interaction) -> None:
    await serve(interaction, "forget", delete)


@handles("forget")
async def delete(ctx: Context) -> None:
    said, services = ctx.words, ctx.services
    match ctx.press.argument:
        case "yes":
            changed = await services.privacy.delete(ctx.user_id)
            services.names.forget(ctx.user_id)
            services.personal.forget(ctx.user_id)
            services.live_hands.forget(ctx.user_id)
            for match_id in changed:
                services.announcer.refresh(match_id)
                services.scheduler.soon(match_id)
            await ctx.say(said("data.deleted"))
        case "no":
            await ctx.say(said("data.kept"))
        case _:
            running = await services.tables.of(ctx.user_id)
            yes = button(said("data.yes"), Press("forget", argument="yes"), style=discord.ButtonStyle.danger)
            no = button(said("data.no"), Press("forget", argument="no"))
            await ctx.say(said("data.ask", tables=said("count.tables", n=len(running))), yes, no)


@handles("alerts")
async def choose_alerts(ctx: Context) -> None:
    """Show which games' alerts a user gets here; an argument such as `star.on` changes that first."""
    game, _, state = ctx.press.argument.rpartition(".")
    store = ctx.services.store
    if game in games() and state in ("on", "off"):
        if state == "on":
            await store.alerts.want_alerts(ctx.user_id, ctx.guild_id, game, now=ctx.services.now())
        else:
            await store.alerts.unwant_alerts(ctx.user_id, ctx.guild_id, game)
    wanted = await store.alerts.alerts_wanted(ctx.user_id, ctx.guild_id)
    text = "\n".join([wanted_text(wanted, ctx.words), ctx.words("alerts.about")])
    await ctx.say(text, *game_buttons(wanted, ctx.words))


@handles("unalert")
async def stop_alerts(ctx: Context) -> None:
    head = await ctx.services.store.matches.head(ctx.press.table)
    if head is None:
        raise Refused(No.NO_SUCH_TABLE)
    await ctx.services.store.alerts.unwant_alerts(ctx.user_id, head.guild_id)
    await ctx.say(ctx.words("alerts.stopped"))
