"""Open and set up tables, in this channel or in a new thread, for commands and buttons."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import discord
from discord import app_commands

from bot.core.choices import MAX_CHOICE_LENGTH, NamesByValue, filter_choices, localize
from bot.core.command_groups import serve
from bot.core.context import Context, Interaction, check_permissions, format_table_link
from bot.core.dispatch import Handler, register_handler
from bot.core.formats import format_pace, parse_typed_pace
from bot.core.layout import CustomId, build_button
from bot.core.names import format_plain_name
from bot.core.permissions import can_see_channel, list_missing_permissions
from bot.tables.lobbies import TableRequest, build_revised_terms
from bot.tables.lobby_views import COMPUTER_PREFIX, PAGES, RULE_PREFIX, build_setup_view, format_change_note
from bot.tables.messages import Content
from bot.tables.rules_text import OPTION_SEPARATOR, choose_rules, format_option, list_offered_values, parse_options
from bot.tables.service import Table
from data.rulebook import list_games, list_presets
from data.words import Words, capitalize_first, load_words
from engine.table.commands import (
    ChangeTerms,
    CloseTable,
    Command,
    DeclineSeat,
    OpenReservedSeats,
    RemovePlayer,
    ReserveSeats,
    VacateChannel,
)
from engine.table.hosting import check_lobby_of
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import DEFAULT_CLOCK, RELAXED, Terms, parse_pace

MAX_THREAD_NAME: Final = 100  # characters of a thread's name
SHOW_TIMEOUT: Final = 5.0  # seconds an answer waits for the table to be shown


async def open_table(ctx: Context, table_request: TableRequest, *, thread: bool, name: str = "lobby.thread") -> Table:
    table = await open_table_silently(ctx, table_request, thread=thread, name=name)
    await ctx.say(ctx.words("lobby.opened", link=format_table_link(table)))
    return table


async def open_table_silently(
    ctx: Context, table_request: TableRequest, *, thread: bool, name: str = "lobby.thread"
) -> Table:
    """Open a table here or in a new thread, and show it there.

    An unused table makes room for it. Raises RefusalError(NO_THREADS, CHANNEL_BUSY, CHANNEL_BUSY_OFFER, CHANNEL_TAKEN),
    and the refusals of permissions, server settings and terms.
    """
    services, parent = ctx.services, _find_thread_parent(ctx)
    if thread and parent is None:
        raise RefusalError(Refusal.NO_THREADS)
    check_permissions(ctx, thread=thread)
    new_thread: discord.Thread | None = None
    original_request, table_request = table_request, await services.guilds.apply_defaults(table_request)
    is_repeated = await services.store.matches.find_request(ctx.interaction.id) is not None
    if not is_repeated:
        services.programs.check(*table_request.computers)
        await services.guilds.check(table_request, {ctx.channel_id, find_parent_id(ctx) or ctx.channel_id})
    if thread and parent is not None and not is_repeated:
        # A refusal must come before the thread is created.
        await services.acts.deals.resolve_terms_and_deal(table_request)
        public = await services.languages.load_guild_words(ctx.guild_id)
        host = format_plain_name(ctx.interaction.user, public)
        title = public(name, game=public(f"game.{table_request.game}"), name=host)
        new_thread = await _create_thread(parent, title)
        table_request = replace(table_request, channel_id=new_thread.id)
    table: Table | None = None
    try:
        table = await _open_making_room(ctx, table_request)
    except RefusalError as refused:
        if refused.why is Refusal.CHANNEL_BUSY and parent is None:
            # The button of CHANNEL_BUSY offers a thread, and this already is one.
            raise RefusalError(Refusal.CHANNEL_TAKEN, **refused.facts) from None
        if refused.why is Refusal.CHANNEL_BUSY and _can_have_thread(ctx):
            offer = services.offers.keep(ctx.interaction.id, original_request)
            raise RefusalError(Refusal.CHANNEL_BUSY_OFFER, offer=offer, **refused.facts) from None
        raise
    finally:
        if new_thread is not None and (table is None or table.head.channel_id != new_thread.id):
            await _close_thread(new_thread)
    await show_table(ctx, table)
    return await services.tables.load(table.head.match_id)


async def show_table(ctx: Context, table: Table) -> None:
    """Update the public messages, then let the computers move."""
    # Discord may delay the board. The user is answered anyway, and the update is not cancelled.
    await asyncio.wait([ctx.services.announcer.refresh(table.head.match_id)], timeout=SHOW_TIMEOUT)
    ctx.services.scheduler.wake(table.head.match_id)


def has_threads(ctx: Context) -> bool:
    return _find_thread_parent(ctx) is not None


def find_parent_id(ctx: Context) -> int | None:
    channel = ctx.interaction.channel
    return channel.parent_id if isinstance(channel, discord.Thread) else None


def _find_thread_parent(ctx: Context) -> discord.TextChannel | None:
    """Return the channel for a new thread; None in voice channels and forum posts, which cannot have one."""
    channel = ctx.interaction.channel
    # A thread cannot contain threads, so the new one opens beside it.
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    return parent if isinstance(parent, discord.TextChannel) else None


async def _open_making_room(ctx: Context, table_request: TableRequest) -> Table:
    """Open a table, and move an unused one out of the way."""
    acts, request = ctx.services.acts, ctx.interaction.id
    try:
        return await acts.open(table_request, request=request)
    except RefusalError as refused:
        if refused.why is not Refusal.CHANNEL_BUSY:
            raise
        await _move_unused(ctx, await ctx.services.tables.load(int(str(refused.facts["table"]))))
    return await acts.open(table_request, request=request)


async def _move_unused(ctx: Context, busy: Table) -> None:
    """Move an unused table to a thread, or close it if there can be none. Raises RefusalError(CHANNEL_BUSY)."""
    match_id, parent, services = busy.head.match_id, _find_thread_parent(ctx), ctx.services
    if busy.event_log is None or not busy.state.can_vacate(busy.event_log.match):
        raise RefusalError(Refusal.CHANNEL_BUSY, table=match_id)
    thread: discord.Thread | None = None
    if parent is not None and _can_have_thread(ctx):
        public = await services.languages.load_guild_words(ctx.guild_id)
        host = await ctx.resolve_name(busy.head.host_id)
        title = public("lobby.thread", game=public(f"game.{busy.terms.game}"), name=host)
        thread = await _create_thread(parent, title)
    try:
        await services.acts.act(match_id, VacateChannel(None if thread is None else thread.id))
    except RefusalError:
        if thread is not None:
            await _close_thread(thread)
        raise
    services.announcer.refresh(match_id)


async def _create_thread(parent: discord.TextChannel, title: str) -> discord.Thread:
    # Announcement channels have only news threads, which are also public.
    kind = discord.ChannelType.news_thread if parent.is_news() else discord.ChannelType.public_thread
    used_names = {thread.name for thread in parent.threads}
    numbered = (f"{title[: MAX_THREAD_NAME - 5]} · {number}" for number in range(2, len(used_names) + 3))
    name = next(name for name in (title[:MAX_THREAD_NAME], *numbered) if name not in used_names)
    return await parent.create_thread(name=name, type=kind, auto_archive_duration=10080)


def _can_have_thread(ctx: Context) -> bool:
    in_thread = isinstance(ctx.interaction.channel, discord.Thread)
    lacking = list_missing_permissions(ctx.interaction.app_permissions, in_thread=in_thread, opens_thread=True)
    return _find_thread_parent(ctx) is not None and not lacking


async def _close_thread(thread: discord.Thread) -> None:
    """Archive an unused thread: the request was refused, or a duplicate of it was faster."""
    try:
        await thread.delete()
    except discord.Forbidden:
        # Deleting requires Manage Threads, which the bot does not ask for; it may archive its own threads.
        await thread.edit(archived=True)


# Offered clocks; others may be typed.
CLOCKS: Final = (DEFAULT_CLOCK, "days 1d", "days 3d", "days 7d", "bank 7d+12h", "live 5m", RELAXED)


async def suggest_presets(ctx: Context, typed: str, options: Mapping[str, str]) -> NamesByValue:
    return list_preset_choices(_parse_game(options), ctx.words, typed)


def list_preset_choices(game: str, words: Words, typed: str) -> NamesByValue:
    return filter_choices({preset: words(f"preset.{preset}") for preset in list_presets(game)}, typed)


async def suggest_clocks(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    return list_clock_choices(CLOCKS, ctx.words, typed)


def list_clock_choices(clocks: Iterable[str], words: Words, typed: str) -> NamesByValue:
    """Return the typed clock, if it is one, and the offered ones that match."""
    try:
        own = [str(parse_typed_pace(typed))] if typed.strip() else []
    except ValueError:
        own = []
    named = {text: capitalize_first(format_pace(words, parse_pace(text))) for text in (*own, *clocks)}
    return {**{text: named[text] for text in own}, **filter_choices(named, typed)}


async def suggest_options(ctx: Context, typed: str, options: Mapping[str, str]) -> NamesByValue:
    return list_option_choices(_parse_game(options), options.get("preset"), ctx.words, typed)


def list_option_choices(game: str, preset: str | None, words: Words, current: str) -> NamesByValue:
    """Complete the typed house rules of this game and reading, in words."""
    usual = choose_rules(game, preset)
    # Chosen rules stand there in words, separated by semicolons; typed ones are separated by spaces.
    separator = OPTION_SEPARATOR.strip()
    chosen, _, typed = current.rpartition(separator if separator in current else " ")
    before, typed = parse_options(chosen, game, preset, list_option_languages(words)), typed.strip().casefold()
    if not all("=" in option for option in before):
        before, typed = (), current.strip().casefold()
    named = dict(option.split("=", 1) for option in before)

    # The first value of every rule comes before the second of any, because Discord lists only the first choices.
    offered = [
        (place, name, value)
        for name, values in list_offered_values(usual).items()
        if name not in named
        for place, value in enumerate(one for one in values if one != str(getattr(usual, name)))
    ]
    found = {}
    for _, name, value in sorted(offered, key=lambda one: one[0]):
        typed_option, text = f"{name}={value}", format_option(words, usual, name, value)
        if typed in f"{typed_option} {text}".casefold():
            texts = [*(format_option(words, usual, *pair) for pair in named.items()), text]
            found[" ".join([*before, typed_option])] = shorten_start(OPTION_SEPARATOR.join(texts))
    return {value: name for value, name in found.items() if len(value) <= MAX_CHOICE_LENGTH}


def list_option_languages(user_words: Words) -> tuple[Words, ...]:
    """Return the languages in which a user may write an option: their own, and English."""
    return user_words, load_words()


def shorten_start(text: str) -> str:
    """Shorten a text to Discord's limit by removing its beginning: the last option distinguishes the choices."""
    return text if len(text) <= MAX_CHOICE_LENGTH else f"…{text[1 - MAX_CHOICE_LENGTH :]}"


def _parse_game(options: Mapping[str, str]) -> str:
    game = options.get("game")
    return game if game in list_games() else list_games()[0]


NUMBER_FIELDS: Final = ("target", "seats")
SWITCH_FIELDS: Final = {"rated": "rated", "hand": "by_hand"}  # yes/no menus and their names in `TableRequest`
FIELDS: Final = ("game", "preset", "clock", "absent", "theme", *NUMBER_FIELDS, *SWITCH_FIELDS)
FIELD_PAGES: Final = {"game": "game", "preset": "game", "target": "game", "seats": "game", "keep": "who", "off": "who"}
"""The page of a menu; all others are on the second."""


@register_handler("decline")
async def decline_seat(ctx: Context) -> None:
    table = (await ctx.act(await ctx.load_table(), DeclineSeat(ctx.user_id))).table
    await show_table(ctx, table)
    await ctx.say(ctx.words("lobby.declined"))


@register_handler("setup")
async def show_setup(ctx: Context) -> None:
    table = await ctx.load_table()
    check_lobby_of(table.state, ctx.user_id)
    await _show_panel(ctx, table, ctx.custom_id.argument if ctx.custom_id.argument in PAGES else PAGES[0])


@register_handler("rule")
async def pick_rule(ctx: Context) -> None:
    table = await ctx.load_table()
    check_lobby_of(table.state, ctx.user_id)
    await _show_panel(ctx, table, "rules", rule=ctx.values[0] if ctx.values else "")


@register_handler("set")
async def change_term(ctx: Context) -> None:
    field, value = ctx.custom_id.argument, ctx.values[0] if ctx.values else ""
    if field.startswith(RULE_PREFIX):
        rule = field.removeprefix(RULE_PREFIX)
        await revise_terms(ctx, await ctx.load_table(), {"rule": (rule, value)}, "rules", rule=rule)
        return
    if field not in FIELDS:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    await revise_terms(ctx, await ctx.load_table(), _parse_choice(field, value), FIELD_PAGES.get(field, "how"))


@register_handler("keep")
async def reserve_chosen_seats(ctx: Context) -> None:
    table = await ctx.load_table()
    check_lobby_of(table.state, ctx.user_id)  # before members are requested
    user_ids = [int(value) for value in ctx.values[:25] if value.isdecimal()]
    await reserve_seats(ctx, table, [await find_member(ctx, user_id) for user_id in user_ids])


@register_handler("off")
async def remove_player(ctx: Context) -> None:
    value = ctx.values[0] if ctx.values else ""
    if value.isdecimal():
        command = RemovePlayer(ctx.user_id, int(value))
    elif value.startswith(COMPUTER_PREFIX):
        command = RemovePlayer(ctx.user_id, None, value.removeprefix(COMPUTER_PREFIX))
    else:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    await change_players(ctx, await ctx.load_table(), command, "setup.removed")


@register_handler("open")
async def release_seats(ctx: Context) -> None:
    await change_players(ctx, await ctx.load_table(), OpenReservedSeats(ctx.user_id), "setup.opened")


@register_handler("close")
async def close_table(ctx: Context) -> None:
    table = await ctx.load_table()
    check_lobby_of(table.state, ctx.user_id)
    match_id, words = table.head.match_id, ctx.words
    if ctx.custom_id.argument != "yes":
        yes, no = CustomId("close", match_id, argument="yes"), CustomId("setup", match_id, argument="who")
        close = build_button(words("setup.close_yes"), yes, style=discord.ButtonStyle.danger)
        await ctx.say(words("setup.close_ask"), close, build_button(words("setup.close_no"), no))
        return
    await show_table(ctx, (await ctx.act(table, CloseTable(ctx.user_id))).table)
    await ctx.say(words("setup.closed"))


async def reserve_seats(ctx: Context, table: Table, members: Iterable[object]) -> None:
    check_lobby_of(table.state, ctx.user_id)
    command = ReserveSeats(ctx.user_id, resolve_guests(ctx, members, table.head.channel_id))
    await change_players(ctx, table, command, "setup.kept")


async def find_member(ctx: Context, user_id: int) -> discord.Member | None:
    guild = ctx.interaction.guild
    if guild is None:
        return None
    try:
        return guild.get_member(user_id) or await guild.fetch_member(user_id)
    except discord.NotFound:
        return None


def resolve_guests(ctx: Context, members: Iterable[object], channel_id: int) -> tuple[int, ...]:
    """Return the users with reserved seats. Raises RefusalError(NO_GUEST) for bots and users who cannot see the
    channel.
    """
    found = []
    for member in members:
        if not can_be_guest(ctx, member, channel_id):
            raise RefusalError(Refusal.NO_GUEST)
        assert isinstance(member, discord.Member)
        ctx.services.names.remember(ctx.guild_id, member)
        found.append(member.id)
    return tuple(dict.fromkeys(found))


def can_be_guest(ctx: Context, member: object, channel_id: int) -> bool:
    guild = ctx.interaction.guild
    if guild is None or not isinstance(member, discord.Member) or member.bot:
        return False
    return can_see_channel(guild, channel_id, member)


def _parse_choice(field: str, value: str) -> dict[str, Any]:
    """Return a menu's choice by its name and value in `TableRequest`."""
    if field in SWITCH_FIELDS:
        return {SWITCH_FIELDS[field]: value == "yes"}
    if field in NUMBER_FIELDS:
        if not (value.isascii() and value.isdecimal() and len(value) < 5):
            raise RefusalError(Refusal.UNKNOWN_BUTTON)
        return {field: int(value)}
    return {field: value}


async def revise_terms(ctx: Context, table: Table, chosen: Mapping[str, Any], page: str, *, rule: str = "") -> None:
    """Change terms by the names of `TableRequest`; update the public messages and show the host that page and rule."""
    themes = (await ctx.services.guilds.load_settings(ctx.guild_id)).themes

    def change(terms: Terms) -> Terms:
        after = build_revised_terms(terms, chosen)
        if after.theme != terms.theme and after.theme not in themes:
            raise RefusalError(Refusal.THEME_NOT_ALLOWED)
        return after

    updated = (await ctx.act(table, ChangeTerms(ctx.user_id, change))).table
    await show_table(ctx, updated)
    await _show_panel(ctx, updated, page, format_change_note(updated, table, ctx.words), rule=rule)


async def change_players(ctx: Context, table: Table, command: Command, key: str) -> None:
    """Apply a command about the players, update the public messages and show the host that page."""
    updated = (await ctx.act(table, command)).table
    await show_table(ctx, updated)
    await _show_panel(ctx, updated, "who", ctx.words(key))


async def _show_panel(ctx: Context, table: Table, page: str, note: str = "", *, rule: str = "") -> None:
    words, guild_id = ctx.words, table.head.guild_id
    reserved_names = {
        user: await ctx.services.names.resolve_name(guild_id, user, words) for user in table.guests.reserved_until
    }
    themes = (await ctx.services.guilds.load_settings(guild_id)).themes
    names = await ctx.messages.load_names(table)
    view = build_setup_view(table, names, reserved_names, themes, words, page=page, note=note, rule=rule)
    await ctx.show(Content(view))


def add_command(group: app_commands.Group, name: str, handler: Handler, *, text: str = "") -> None:
    """Add a command without parameters that `handler` serves. `text` is the key of its description, if not its name."""

    @group.command(name=name, description=localize(f"command.{text or name}"))
    async def command(interaction: Interaction) -> None:
        await serve(interaction, name, handler)
