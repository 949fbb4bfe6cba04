"""`/tiles-admin`: what a server allows, and stepping in at a match. Who may use it is Discord's to say."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

import discord
from discord import app_commands

from bot.ask import Ask, Interaction, link
from bot.commands import asked
from bot.commands.lobby import clock_choices
from bot.desk import Desk
from bot.health import examine
from bot.service.clocks import parse_pace
from bot.service.house import HouseRules
from bot.service.refusals import No, Refused
from bot.service.tables import THEMES, Table
from bot.views.absence import pace_text
from data.rulebook import games, presets
from data.words import Words, words

admin = app_commands.Group(
    name="tiles-admin",
    description="For moderators: what is allowed here, and stepping in at a match",
    guild_only=True,
    default_permissions=discord.Permissions(manage_guild=True),
)

PRESETS: Final = tuple(dict.fromkeys(preset for game in games() for preset in presets(game)))
ALL: Final = "all"

Reason = app_commands.Range[str, 1, 200]
Channel = discord.TextChannel | discord.VoiceChannel | discord.ForumChannel


@admin.command(name="settings", description="Where tables may stand, what is usual here, and how many there may be")
@app_commands.describe(
    allow="A channel where tables may stand, with its threads; until one is named they may everywhere",
    disallow="A channel to take off that list again",
    everywhere="Forget the list: tables may stand everywhere again",
    preset="Whose reading of the rules, where the host names none",
    clock="How long people have to move, where the host says nothing",
    tiles="How tiles may be drawn",
    person="The most tables one person may sit at here at the same time",
    server="The most tables on the whole server at the same time",
)
@app_commands.choices(
    tiles=[
        app_commands.Choice(name=words()("admin.themes_all"), value=ALL),
        *(app_commands.Choice(name=words()(f"theme.{theme}"), value=theme) for theme in THEMES),
    ]
)
async def settings_command(
    interaction: Interaction,
    allow: Channel | None = None,
    disallow: Channel | None = None,
    everywhere: bool = False,
    preset: str | None = None,
    clock: str | None = None,
    tiles: str | None = None,
    person: app_commands.Range[int, 1, 100] | None = None,
    server: app_commands.Range[int, 1, 1000] | None = None,
) -> None:
    """`/tiles-admin settings`."""

    async def change(ask: Ask) -> None:
        rules = before = await ask.desk.house.rules(ask.guild_id)
        channels = {} if everywhere else dict.fromkeys(rules.channels)
        if allow is not None:
            channels[allow.id] = None
        if disallow is not None:
            channels.pop(disallow.id, None)
        rules = replace(rules, channels=tuple(channels))
        if preset is not None:
            rules = replace(rules, preset=_preset(preset))
        if clock is not None:
            rules = replace(rules, clock=_clock(clock))
        if tiles is not None:
            rules = replace(rules, themes=THEMES if tiles == ALL else (tiles,))
        if person is not None:
            rules = replace(rules, person=person)
        if server is not None:
            rules = replace(rules, server=server)
        if rules != before:
            await ask.desk.house.change(ask.guild_id, rules)
        await show(ask)

    await asked(interaction, "settings", change)


@settings_command.autocomplete("preset")
async def preset_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The readings of all games."""
    typed = current.strip().lower()
    named = ((words()(f"preset.{preset}"), preset) for preset in PRESETS)
    found = [app_commands.Choice(name=name, value=value) for name, value in named if typed in f"{name} {value}".lower()]
    return found[:25]


settings_command.autocomplete("clock")(clock_choices)


def _preset(text: str) -> str:
    if text not in PRESETS:
        raise Refused(No.NO_SUCH_PRESET, preset=text[:40], presets=", ".join(PRESETS))
    return text


def _clock(text: str) -> str:
    try:
        return str(parse_pace(text))
    except ValueError:
        raise Refused(No.BAD_CLOCK, text=text[:40]) from None


@admin.command(name="show", description="What is set on this server")
async def show_command(interaction: Interaction) -> None:
    """`/tiles-admin show`."""
    await asked(interaction, "show", show)


async def show(ask: Ask) -> None:
    """The settings of the server, and how many tables it has."""
    rules = await ask.desk.house.rules(ask.guild_id)
    running = await ask.desk.store.running_in_guild(ask.guild_id)
    await ask.say(settings_text(ask.desk.words, rules, running))


def settings_text(said: Words, rules: HouseRules, running: int) -> str:
    """The settings in words."""
    everywhere = said("admin.everywhere")
    channels = " ".join(f"<#{channel}>" for channel in rules.channels) or everywhere
    return "\n".join(
        [
            said("admin.title"),
            said("admin.channels", channels=channels),
            said("admin.preset", preset=said(f"preset.{rules.preset}")),
            said("admin.clock", clock=pace_text(said, parse_pace(rules.clock))),
            said("admin.themes", themes=", ".join(said(f"theme.{theme}") for theme in rules.themes)),
            said("admin.limits", person=rules.person, server=rules.server),
            said("admin.running", running=running),
        ]
    )


@admin.command(name="end", description="End a match without a result, or close a lobby")
@app_commands.describe(reason="Why: the table is told", table="The number under its board; this channel's if left out")
async def end_command(interaction: Interaction, reason: Reason, table: int | None = None) -> None:
    """`/tiles-admin end`."""
    await _step_in(interaction, "end", table, reason, lambda desk: desk.moderation.stop)


@admin.command(name="pause", description="Stop a match: no time runs and nobody can act")
@app_commands.describe(reason="Why: the table is told", table="The number under its board; this channel's if left out")
async def pause_command(interaction: Interaction, reason: Reason, table: int | None = None) -> None:
    """`/tiles-admin pause`."""
    await _step_in(interaction, "pause", table, reason, lambda desk: desk.absence.pause)


@admin.command(name="resume", description="Let a match go on that was paused")
@app_commands.describe(reason="Why: the table is told", table="The number under its board; this channel's if left out")
async def resume_command(interaction: Interaction, reason: Reason, table: int | None = None) -> None:
    """`/tiles-admin resume`."""
    await _step_in(interaction, "resume", table, reason, lambda desk: desk.absence.resume)


@admin.command(name="skip", description="Let the computer take the turn of whoever is to move")
@app_commands.describe(reason="Why: the table is told", table="The number under its board; this channel's if left out")
async def skip_command(interaction: Interaction, reason: Reason, table: int | None = None) -> None:
    """`/tiles-admin skip`."""
    await _step_in(interaction, "skip", table, reason, lambda desk: desk.absence.skip)


@admin.command(name="doctor", description="Whether the bot has all it needs in this channel, and what to fix")
async def doctor_command(interaction: Interaction) -> None:
    """`/tiles-admin doctor`."""
    await asked(interaction, "doctor", doctor)


async def doctor(ask: Ask) -> None:
    """Permissions, database, clock and backlog, one by one."""
    said = ask.desk.words
    findings = await examine(ask)
    lines = [
        said("doctor.good", what=one.what) if one.good else said("doctor.bad", what=one.what, fix=one.fix)
        for one in findings
    ]
    title = said("doctor.well" if all(one.good for one in findings) else "doctor.ill")
    await ask.say("\n".join([title, *lines]))


class Act(Protocol):
    """What a moderator does to a match, with the reason that the table is told."""

    async def __call__(self, match_id: int, *, reason: str, moderator: int, request: int) -> Table:
        """Do it; returns the table after it."""


async def _step_in(
    interaction: Interaction, verb: str, number: int | None, reason: str, act: Callable[[Desk], Act]
) -> None:
    async def step_in(ask: Ask) -> None:
        found = await _meant(ask, number)
        table = await act(ask.desk)(
            found.head.match_id, reason=reason, moderator=ask.user_id, request=ask.interaction.id
        )
        ask.desk.announcer.refresh(table.head.match_id)
        ask.desk.clockwork.soon(table.head.match_id)
        await ask.say(ask.desk.words(f"admin.{verb}", link=link(table)))

    await asked(interaction, verb, step_in)


async def _meant(ask: Ask, number: int | None) -> Table:
    """The table of this number on this server, or the one in this channel. Raises Refused."""
    if number is None:
        table = await ask.desk.tables.here(ask.channel_id)
        if table is None:
            raise Refused(No.NO_TABLE_HERE)
        return table
    # What the store can count to; everything else is the number of no table.
    table = await ask.desk.tables.load(number if 0 < number < 2**53 else 0)
    if table.head.guild_id != ask.guild_id:
        raise Refused(No.NO_SUCH_TABLE)
    return table
