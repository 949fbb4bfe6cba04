"""Open and set up tables, in this channel or in a new thread, for commands and buttons."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import discord
from discord import app_commands

from bot.core.command_groups import localized, serve
from bot.core.context import Context, Interaction, check_permissions, link
from bot.core.dispatch import Handler, handles
from bot.core.formats import pace_text
from bot.core.languages import at_once
from bot.core.layout import Press, button
from bot.core.names import plain_name
from bot.core.permissions import missing, sees
from bot.tables.lobbies import Invitation, revised
from bot.tables.lobby_views import COMPUTER, PAGES, RULE, change_note, setup_view
from bot.tables.rules_text import BETWEEN, offered, option_text, options_typed, rules_meant
from bot.tables.service import Table
from data.rulebook import games, presets
from data.words import Words, upper_first, words
from engine.table.commands import ChangeTerms, CloseTable, Command, Decline, GiveWay, KeepSeats, OpenKept, Remove
from engine.table.hosting import check_lobby_of
from engine.table.refusals import No, Refused
from engine.table.terms import RELAXED, USUAL_CLOCK, Terms, parse_pace

THREAD_NAME: Final = 100  # characters of a thread's name
SHOWN: Final = 5.0  # seconds an answer waits for the table to be shown


async def open_table(ctx: Context, invitation: Invitation, *, thread: bool, name: str = "lobby.thread") -> Table:
    table = await open_quietly(ctx, invitation, thread=thread, name=name)
    await ctx.say(ctx.words("lobby.opened", link=link(table)))
    return table


async def open_quietly(ctx: Context, invitation: Invitation, *, thread: bool, name: str = "lobby.thread") -> Table:
    """Open a table here or in a new thread, and show it there.

    An unused table makes room for it. Raises Refused(NO_THREADS, CHANNEL_BUSY, CHANNEL_BUSY_OFFER, CHANNEL_TAKEN), and
    the refusals of permissions, server settings and terms.
    """
    services, parent = ctx.services, _parent(ctx)
    if thread and parent is None:
        raise Refused(No.NO_THREADS)
    check_permissions(ctx, thread=thread)
    opened: discord.Thread | None = None
    asked, invitation = invitation, await services.guilds.usual(invitation)
    again = await services.store.matches.seen_request(ctx.interaction.id) is not None
    if not again:
        services.programs.check(*invitation.computers)
        await services.guilds.check(invitation, {ctx.channel_id, parent_id(ctx) or ctx.channel_id})
    if thread and parent is not None and not again:
        await services.acts.deals.agreed(invitation)  # a refusal must come before the thread is created
        public = await services.languages.at(ctx.guild_id)
        title = public(name, game=public(f"game.{invitation.game}"), name=plain_name(ctx.interaction.user, public))
        opened = await _new_thread(parent, title)
        invitation = replace(invitation, channel_id=opened.id)
    table: Table | None = None
    try:
        table = await _open(ctx, invitation)
    except Refused as refused:
        if refused.why is No.CHANNEL_BUSY and parent is None:
            # The button of CHANNEL_BUSY offers a thread, and this already is one.
            raise Refused(No.CHANNEL_TAKEN, **refused.facts) from None
        if refused.why is No.CHANNEL_BUSY and _can_have_thread(ctx):
            offer = services.offers.keep(ctx.interaction.id, asked)
            raise Refused(No.CHANNEL_BUSY_OFFER, offer=offer, **refused.facts) from None
        raise
    finally:
        if opened is not None and (table is None or table.head.channel_id != opened.id):
            await _close_thread(opened)
    await show_table(ctx, table)
    return await services.tables.load(table.head.match_id)


async def show_table(ctx: Context, table: Table) -> None:
    """Update the public messages, then let the computers move."""
    # Discord may delay the board. The user is answered anyway, and the update is not cancelled.
    await asyncio.wait([ctx.services.announcer.refresh(table.head.match_id)], timeout=SHOWN)
    ctx.services.scheduler.soon(table.head.match_id)


def has_threads(ctx: Context) -> bool:
    return _parent(ctx) is not None


def parent_id(ctx: Context) -> int | None:
    channel = ctx.interaction.channel
    return channel.parent_id if isinstance(channel, discord.Thread) else None


def _parent(ctx: Context) -> discord.TextChannel | None:
    """Return the channel for a new thread; None in voice channels and forum posts, which cannot have one."""
    channel = ctx.interaction.channel
    # A thread cannot contain threads, so the new one opens beside it.
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    return parent if isinstance(parent, discord.TextChannel) else None


async def _open(ctx: Context, invitation: Invitation) -> Table:
    """Open a table, and move an unused one out of the way."""
    acts, request = ctx.services.acts, ctx.interaction.id
    try:
        return await acts.open(invitation, request=request)
    except Refused as refused:
        if refused.why is not No.CHANNEL_BUSY:
            raise
        await _move_unused(ctx, await ctx.services.tables.load(int(str(refused.facts["table"]))))
    return await acts.open(invitation, request=request)


async def _move_unused(ctx: Context, busy: Table) -> None:
    """Move an unused table to a thread, or close it if there can be none. Raises Refused(CHANNEL_BUSY)."""
    match_id, parent, services = busy.head.match_id, _parent(ctx), ctx.services
    if busy.event_log is None or not busy.state.gives_way(busy.event_log.match):
        raise Refused(No.CHANNEL_BUSY, table=match_id)
    thread: discord.Thread | None = None
    if parent is not None and _can_have_thread(ctx):
        public, host = await services.languages.at(ctx.guild_id), await ctx.name(busy.head.host_id)
        title = public("lobby.thread", game=public(f"game.{busy.terms.game}"), name=host)
        thread = await _new_thread(parent, title)
    try:
        await services.acts.act(match_id, GiveWay(None if thread is None else thread.id))
    except Refused:
        if thread is not None:
            await _close_thread(thread)
        raise
    services.announcer.refresh(match_id)


async def _new_thread(parent: discord.TextChannel, title: str) -> discord.Thread:
    # Announcement channels have only news threads, which are also public.
    kind = discord.ChannelType.news_thread if parent.is_news() else discord.ChannelType.public_thread
    taken = {thread.name for thread in parent.threads}
    numbered = (f"{title[: THREAD_NAME - 5]} · {number}" for number in range(2, len(taken) + 3))
    name = next(name for name in (title[:THREAD_NAME], *numbered) if name not in taken)
    return await parent.create_thread(name=name, type=kind, auto_archive_duration=10080)


def _can_have_thread(ctx: Context) -> bool:
    in_thread = isinstance(ctx.interaction.channel, discord.Thread)
    lacking = missing(ctx.interaction.app_permissions, in_thread=in_thread, opens_thread=True)
    return _parent(ctx) is not None and not lacking


async def _close_thread(thread: discord.Thread) -> None:
    """Archive an unused thread: the request was refused, or a duplicate of it was faster."""
    try:
        await thread.delete()
    except discord.Forbidden:
        # Deleting requires Manage Threads, which the bot does not ask for; it may archive its own threads.
        await thread.edit(archived=True)


MOST: Final = 25  # choices that Discord lists
LONGEST: Final = 100  # characters of a choice
# Offered clocks; others may be typed.
CLOCKS: Final = (USUAL_CLOCK, "days 1d", "days 3d", "days 7d", "bank 7d+12h", "live 5m", RELAXED)


async def preset_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    return readings_of(_game(interaction), interaction, current)


def readings_of(game: str, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    said = at_once(interaction)
    names = ((said(f"preset.{preset}"), preset) for preset in presets(game))
    typed = current.strip().lower()
    return [app_commands.Choice(name=name, value=value) for name, value in names if typed in f"{name} {value}".lower()]


async def clock_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    typed = current.strip().lower()
    try:
        own = [str(parse_pace(typed))] if typed else []
    except ValueError:
        own = []
    said = at_once(interaction)
    named = {text: upper_first(pace_text(said, parse_pace(text))) for text in [*own, *CLOCKS]}
    found = [(name, text) for text, name in named.items() if text in own or typed in f"{name} {text}".lower()]
    return [app_commands.Choice(name=name, value=text) for name, text in found]


async def option_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    return options_of(_game(interaction), getattr(interaction.namespace, "preset", None), interaction, current)


def options_of(game: str, preset: str | None, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Complete the typed house rules of this game and reading, in words."""
    said, usual = at_once(interaction), rules_meant(game, preset)
    # Chosen rules stand there in words, separated by semicolons; typed ones are separated by spaces.
    chosen, _, last = current.rpartition(BETWEEN.strip()) if BETWEEN.strip() in current else current.rpartition(" ")
    before, last = options_typed(chosen, game, preset, spoken_with(said)), last.strip().casefold()
    if not all("=" in option for option in before):
        before, last = (), current.strip().casefold()
    named = dict(option.split("=", 1) for option in before)
    found = []
    for name, values in offered(usual).items():
        for value in values:
            way, text = f"{name}={value}", option_text(said, usual, name, value)
            if name not in named and value != str(getattr(usual, name)) and last in f"{way} {text}".casefold():
                told = BETWEEN.join([*(option_text(said, usual, *pair) for pair in named.items()), text])
                found.append(app_commands.Choice(name=shortened(told), value=" ".join([*before, way])))
    return [choice for choice in found if len(choice.value) <= LONGEST][:MOST]


def spoken_with(said: Words) -> tuple[Words, ...]:
    """Return the languages in which a user may write an option: their own, and English."""
    return said, words()


def shortened(text: str) -> str:
    """Shorten a text to Discord's limit by removing its beginning: the last option distinguishes the choices."""
    return text if len(text) <= LONGEST else f"…{text[1 - LONGEST :]}"


def _game(interaction: Interaction) -> str:
    game = getattr(interaction.namespace, "game", None)
    return game if game in games() else games()[0]


NUMBERS: Final = ("target", "seats")
SWITCHES: Final = {"rated": "rated", "hand": "by_hand"}  # yes/no menus and their names in `Invitation`
FIELDS: Final = ("game", "preset", "clock", "absent", "theme", *NUMBERS, *SWITCHES)
ON: Final = {**dict.fromkeys(("game", "preset", "target", "seats"), "game"), **dict.fromkeys(("keep", "off"), "who")}
"""The page of a menu; all others are on the second."""


@handles("decline")
async def decline_seat(ctx: Context) -> None:
    table = (await ctx.act(await ctx.table(), Decline(ctx.user_id))).table
    await show_table(ctx, table)
    await ctx.say(ctx.words("lobby.declined"))


@handles("setup")
async def show_setup(ctx: Context) -> None:
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)
    await _panel(ctx, table, ctx.press.argument if ctx.press.argument in PAGES else PAGES[0])


@handles("rule")
async def pick_rule(ctx: Context) -> None:
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)
    await _panel(ctx, table, "rules", rule=ctx.values[0] if ctx.values else "")


@handles("set")
async def change_term(ctx: Context) -> None:
    field, value = ctx.press.argument, ctx.values[0] if ctx.values else ""
    if field.startswith(RULE):
        rule = field.removeprefix(RULE)
        await revise_terms(ctx, await ctx.table(), {"rule": (rule, value)}, "rules", rule=rule)
        return
    if field not in FIELDS:
        raise Refused(No.UNKNOWN_BUTTON)
    await revise_terms(ctx, await ctx.table(), _parse_choice(field, value), ON.get(field, "how"))


@handles("keep")
async def keep_for_chosen(ctx: Context) -> None:
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)  # before members are requested
    await seats_for(ctx, table, [await member_of(ctx, int(value)) for value in ctx.values[:25] if value.isdecimal()])


@handles("off")
async def take_off(ctx: Context) -> None:
    value = ctx.values[0] if ctx.values else ""
    if value.isdecimal():
        gets_up = Remove(ctx.user_id, int(value))
    elif value.startswith(COMPUTER):
        gets_up = Remove(ctx.user_id, None, value.removeprefix(COMPUTER))
    else:
        raise Refused(No.UNKNOWN_BUTTON)
    await decide_who(ctx, await ctx.table(), gets_up, "setup.removed")


@handles("open")
async def free_kept(ctx: Context) -> None:
    await decide_who(ctx, await ctx.table(), OpenKept(ctx.user_id), "setup.opened")


@handles("close")
async def close_table(ctx: Context) -> None:
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)
    match_id, words = table.head.match_id, ctx.words
    if ctx.press.argument != "yes":
        yes, no = Press("close", match_id, argument="yes"), Press("setup", match_id, argument="who")
        close = button(words("setup.close_yes"), yes, style=discord.ButtonStyle.danger)
        await ctx.say(words("setup.close_ask"), close, button(words("setup.close_no"), no))
        return
    await show_table(ctx, (await ctx.act(table, CloseTable(ctx.user_id))).table)
    await ctx.say(words("setup.closed"))


async def seats_for(ctx: Context, table: Table, named: Iterable[object]) -> None:
    check_lobby_of(table.state, ctx.user_id)
    command = KeepSeats(ctx.user_id, guests_of(ctx, named, table.head.channel_id))
    await decide_who(ctx, table, command, "setup.kept")


async def member_of(ctx: Context, user_id: int) -> discord.Member | None:
    guild = ctx.interaction.guild
    if guild is None:
        return None
    try:
        return guild.get_member(user_id) or await guild.fetch_member(user_id)
    except discord.NotFound:
        return None


def guests_of(ctx: Context, named: Iterable[object], channel_id: int) -> tuple[int, ...]:
    """Return the users with reserved seats. Raises Refused(NO_GUEST) for bots and users who cannot see the channel."""
    found = []
    for member in named:
        if not may_come(ctx, member, channel_id):
            raise Refused(No.NO_GUEST)
        assert isinstance(member, discord.Member)
        ctx.services.names.meet(ctx.guild_id, member)
        found.append(member.id)
    return tuple(dict.fromkeys(found))


def may_come(ctx: Context, member: object, channel_id: int) -> bool:
    guild = ctx.interaction.guild
    return (
        guild is not None and isinstance(member, discord.Member) and not member.bot and sees(guild, channel_id, member)
    )


def _parse_choice(field: str, value: str) -> dict[str, Any]:
    """Return a menu's choice by its name and value in `Invitation`."""
    if field in SWITCHES:
        return {SWITCHES[field]: value == "yes"}
    if field in NUMBERS:
        if not (value.isascii() and value.isdecimal() and len(value) < 5):
            raise Refused(No.UNKNOWN_BUTTON)
        return {field: int(value)}
    return {field: value}


async def revise_terms(ctx: Context, table: Table, chosen: Mapping[str, Any], page: str, *, rule: str = "") -> None:
    """Change terms by the names of `Invitation`; update the public messages and show the host that page and rule."""
    themes = (await ctx.services.guilds.settings(ctx.guild_id)).themes

    def change(terms: Terms) -> Terms:
        after = revised(terms, chosen)
        if after.theme != terms.theme and after.theme not in themes:
            raise Refused(No.THEME_NOT_ALLOWED)
        return after

    now = (await ctx.act(table, ChangeTerms(ctx.user_id, change))).table
    await show_table(ctx, now)
    await _panel(ctx, now, page, change_note(now, table, ctx.words), rule=rule)


async def decide_who(ctx: Context, table: Table, command: Command, key: str) -> None:
    """Apply a command about the players, update the public messages and show the host that page."""
    now = (await ctx.act(table, command)).table
    await show_table(ctx, now)
    await _panel(ctx, now, "who", ctx.words(key))


async def _panel(ctx: Context, table: Table, page: str, note: str = "", *, rule: str = "") -> None:
    words, guild_id = ctx.words, table.head.guild_id
    kept = {user: await ctx.services.names.name(guild_id, user, words) for user in table.guests.kept}
    themes = (await ctx.services.guilds.settings(guild_id)).themes
    names = await ctx.messages.names(table)
    view = setup_view(table, names, kept, themes, words, page=page, note=note, rule=rule)
    await ctx.show(ctx.messages.plain(view))


def add_command(group: app_commands.Group, name: str, handler: Handler, *, text: str = "") -> None:
    """Add a command without parameters that `handler` serves. `text` is the key of its description, if not its name."""

    @group.command(name=name, description=localized(f"command.{text or name}"))
    async def command(interaction: Interaction) -> None:
        await serve(interaction, name, handler)
