"""Open, join, leave and start tables: `/tiles new join leave start`, `/tiles-host` and the buttons of the lobby."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, get_args

import discord
from discord import app_commands

from bot.core.choices import NamesByValue, list_choices, localize, suggest
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction, check_permissions, format_table_link, has_channel
from bot.core.dispatch import register_handler
from bot.core.formats import normalize_clock
from bot.core.layout import CustomId, build_primary_button
from bot.tables import opening_commands
from bot.tables.lobbies import TableRequest, build_same_request, resolve_terms
from bot.tables.lobby_views import PAGES
from bot.tables.opening_commands import list_option_languages
from bot.tables.rules_text import parse_options
from bot.tables.service import Table, build_lesson_request, is_lesson_running
from bot.tables.visible_tables import can_see_match, is_visible
from data.rulebook import list_games, load_rules
from engine.match.shuffle import MAX_WORD_LENGTH
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, Join, LeaveTable, MoveTable, OpenReservedSeats, RemovePlayer, StartMatch
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import RELAXED, THEMES, AbsenceRule

MAX_SEATS: Final = max(load_rules(game).max_seats for game in list_games())

TERM_NAMES: Final = ("game", "seats", "target", "preset", "options", "theme", "clock", "absent", "by_hand", "rated")
GAME_CHOICES = list_choices("game.{}", list_games())
THEME_CHOICES = list_choices("theme.{}", THEMES)
ABSENCE_CHOICES = list_choices("clock.absent_{}", get_args(AbsenceRule))


@tiles.command(name="new", description=localize("command.new"))
@app_commands.describe(
    **{name: localize(f"parameter.new_{name}") for name in (*TERM_NAMES, "computers", "level", "thread", "deal")},
    guest=localize("parameter.new_with"),
    guest2=localize("parameter.new_with_more"),
    guest3=localize("parameter.new_with_more"),
    word=localize("parameter.word"),
)
@app_commands.rename(guest="with", guest2="with2", guest3="with3")
@app_commands.choices(
    game=GAME_CHOICES, level=list_choices("level.{}", LEVELS), theme=THEME_CHOICES, absent=ABSENCE_CHOICES
)
async def new_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MAX_SEATS] | None = None,
    computers: app_commands.Range[int, 0, MAX_SEATS - 1] = 0,
    level: str = "",
    target: app_commands.Range[int, 10, 5000] | None = None,
    preset: str = "",
    options: str = "",
    theme: str = "",
    clock: str = "",
    absent: str = "turn",
    thread: bool = False,
    by_hand: bool = False,
    rated: bool = True,
    guest: discord.User | None = None,
    guest2: discord.User | None = None,
    guest3: discord.User | None = None,
    word: app_commands.Range[str, 1, MAX_WORD_LENGTH] | None = None,
    deal: str = "",
) -> None:
    named = [one for one in (guest, guest2, guest3) if one is not None]
    chosen_game = game or list_games()[0]

    async def new(ctx: Context) -> None:
        await _check_deal_visible(ctx, deal)
        invitation = TableRequest(
            guild_id=ctx.guild_id,
            channel_id=ctx.channel_id,
            host_id=ctx.user_id,
            game=chosen_game,
            seats=seats,
            computers=(level,) * computers,
            guests=opening_commands.resolve_guests(ctx, named, ctx.channel_id),
            target=target,
            by_hand=by_hand,
            preset=preset,
            options=parse_options(options, chosen_game, preset or None, list_option_languages(ctx.words)),
            theme=theme,
            clock=normalize_clock(clock),
            absent=absent,
            rated=rated,
            word=word or "",
            deal=deal,
        )
        await opening_commands.open_table(ctx, invitation, thread=thread)

    await serve(interaction, "new", new)


suggest(new_command, "preset")(opening_commands.suggest_presets)
suggest(new_command, "clock")(opening_commands.suggest_clocks)
suggest(new_command, "options")(opening_commands.suggest_options)


async def _check_deal_visible(ctx: Context, deal: str) -> None:
    """Raise RefusalError(DEAL_MATCH) for the deal of a match in a channel that the user cannot see."""
    number = deal.strip().removeprefix("#")
    if number.isdecimal():
        head = await ctx.services.store.matches.find_head(int(number) if len(number) <= 12 else 0)
        if head is None or head.guild_id != ctx.guild_id or not await can_see_match(ctx, head):
            raise RefusalError(Refusal.DEAL_MATCH)


@register_handler("sit")
@register_handler("join", quiet=True)
async def join_table(ctx: Context, word: str = "") -> None:
    """Join a table: this channel's, or another that the user sees. A `word` goes into its deals."""
    table = await ctx.load_table()
    elsewhere = table.head.channel_id != ctx.channel_id and ctx.user_id not in table.guests.invited
    if elsewhere and not is_visible(ctx, table.head.channel_id):
        raise RefusalError(Refusal.NO_SUCH_TABLE)
    table = (await ctx.act(table, Join(ctx.user_id, ctx.custom_id.seq, word))).table
    await _report_change(ctx, table, "lobby.joined")


@register_handler("leave", quiet=True)
async def leave_table(ctx: Context) -> None:
    """Leave a table that has not started, or decline the reserved seat."""
    table = await ctx.load_table()
    invited = ctx.user_id in table.guests.reserved_until
    table = (await ctx.act(table, LeaveTable(ctx.user_id))).table
    await _report_change(ctx, table, "lobby.declined" if invited else "lobby.left")


@register_handler("computer", quiet=True)
async def add_computer(ctx: Context) -> None:
    """Add a computer of the chosen level; buttons of earlier versions have no choice."""
    table = await ctx.load_table()
    level = ctx.values[0] if ctx.values else (await ctx.services.guilds.load_settings(table.head.guild_id)).level
    ctx.services.programs.check(level)
    table = (await ctx.act(table, AddComputer(ctx.user_id, level))).table
    await _report_change(ctx, table, "lobby.joined")


@register_handler("start", quiet=True)
async def start_match(ctx: Context) -> None:
    table = await ctx.load_table()
    table = (await ctx.act(table, StartMatch(ctx.user_id))).table
    await _report_change(ctx, table, "lobby.started")


@register_handler("rematch")
async def open_rematch(ctx: Context) -> None:
    """Open a table with the same terms and reserve seats for the other players; if one is open already, join it.

    Raises RefusalError(REMATCH_OF_OTHERS).
    """
    finished_table = await ctx.load_table()
    if finished_table.event_log is not None and finished_table.find_seat(ctx.user_id) is None:
        raise RefusalError(Refusal.REMATCH_OF_OTHERS)
    if finished_table.terms.guided:
        await open_practice_table(ctx)
        return
    computers = [row.computer for row in finished_table.seats if row.computer is not None]
    table_request = build_same_request(
        finished_table.terms,
        guild_id=ctx.guild_id,
        channel_id=ctx.channel_id,
        host_id=ctx.user_id,
        seats=len(finished_table.seats) if finished_table.event_log is not None else finished_table.terms.seats,
        guests=await _list_other_players(ctx, finished_table),
        computers=ctx.services.programs.replace_missing(computers),
    )
    channel_table = await ctx.services.tables.find_in_channel(ctx.channel_id)
    # The other player may have opened the same table first.
    if (
        channel_table is not None
        and channel_table.head.state == "lobby"
        and channel_table.terms == resolve_terms(table_request)
    ):
        ctx.custom_id = CustomId("join", channel_table.head.match_id)
        await join_table(ctx)
        return
    await opening_commands.open_table(ctx, table_request, thread=False)


async def _list_other_players(ctx: Context, finished_table: Table) -> tuple[int, ...]:
    """Return the other players who could join here; none if the user did not play."""
    if finished_table.find_seat(ctx.user_id) is None:
        return ()
    people = [row.user_id for row in finished_table.seats if row.user_id is not None and row.user_id != ctx.user_id]
    members = [await opening_commands.find_member(ctx, user_id) for user_id in people]
    guests = [one for one in members if opening_commands.can_be_guest(ctx, one, ctx.channel_id)]
    return opening_commands.resolve_guests(ctx, guests, ctx.channel_id)


@register_handler("practice")
async def open_practice_table(ctx: Context) -> None:
    """Open a table against one easy computer: here if the channel is free, else in a thread if possible."""
    table_request = TableRequest(
        guild_id=ctx.guild_id,
        channel_id=ctx.channel_id,
        host_id=ctx.user_id,
        game=list_games()[0],
        computers=LEVELS[:1],
        preset="",
        theme="",
        clock=RELAXED,
        rated=False,
    )
    await opening_commands.open_table(ctx, table_request, thread=await _needs_thread(ctx), name="lobby.practice_thread")


async def _needs_thread(ctx: Context) -> bool:
    table = await ctx.services.tables.find_in_channel(ctx.channel_id)
    return table is not None and table.head.state in ("lobby", "open") and opening_commands.has_threads(ctx)


@register_handler("guide")
async def start_guided_game(ctx: Context) -> None:
    """Start a guided game where a practice table would be, or continue the running one."""
    table = next((one for one in await ctx.list_own_tables() if is_lesson_running(one)), None)
    if table is None:
        lesson, thread = build_lesson_request(ctx.guild_id, ctx.channel_id, ctx.user_id), await _needs_thread(ctx)
        table = await opening_commands.open_table_silently(ctx, lesson, thread=thread, name="lesson.thread")
    seat = table.find_seat(ctx.user_id)
    assert seat is not None
    note = ctx.words("lobby.opened", link=format_table_link(table)) if table.head.channel_id != ctx.channel_id else ""
    await ctx.show_hand(table, seat, note)


@register_handler("inthread")
async def open_in_thread(ctx: Context) -> None:
    """Open the requested table in a thread, because the channel was busy. Raises RefusalError(OFFER_GONE)."""
    await opening_commands.open_table(ctx, ctx.services.offers.take(ctx.custom_id.argument, ctx.user_id), thread=True)


@register_handler("bring")
async def bring_table_here(ctx: Context) -> None:
    """Continue a table in this channel after its own was deleted."""
    check_permissions(ctx, thread=False)
    table = await ctx.load_table()
    if await has_channel(ctx, table):
        raise RefusalError(Refusal.CHANNEL_THERE, link=format_table_link(table))
    if table.find_seat(ctx.user_id) is None:
        raise RefusalError(Refusal.NOT_SEATED)
    channel_ids = {ctx.channel_id, opening_commands.find_parent_id(ctx) or ctx.channel_id}
    await ctx.services.guilds.check_place(table.head.guild_id, channel_ids)
    table = (await ctx.act(table, MoveTable(ctx.user_id, ctx.channel_id))).table
    await opening_commands.show_table(ctx, table)
    await ctx.say(ctx.words("lobby.moved", link=format_table_link(await ctx.services.tables.load(table.head.match_id))))


async def _report_change(ctx: Context, table: Table, key: str) -> None:
    """Update the public messages. A command also gets an answer; for a button the table above is the answer."""
    await opening_commands.show_table(ctx, table)
    if not ctx.quiet or ctx.is_direct:
        host = await ctx.resolve_name(table.head.host_id)
        hand = build_primary_button(ctx.words("board.hand"), CustomId("hand", table.head.match_id))
        buttons = [hand] if table.head.state == "open" and table.find_seat(ctx.user_id) is not None else []
        await ctx.say(ctx.words(key, link=format_table_link(table), host=host), *buttons)


@tiles.command(name="join", description=localize("command.join"))
@app_commands.describe(word=localize("parameter.word"))
async def join_command(
    interaction: Interaction, word: app_commands.Range[str, 1, MAX_WORD_LENGTH] | None = None
) -> None:
    await serve(interaction, "join", partial(join_table, word=word or ""))


opening_commands.add_command(tiles, "leave", leave_table)
opening_commands.add_command(tiles, "start", start_match)


hosts: Final = app_commands.Group(name="tiles-host", description=localize("command.host"), guild_only=True)


@hosts.command(name="setup", description=localize("command.host_setup"))
@app_commands.describe(**{name: localize(f"parameter.new_{name}") for name in TERM_NAMES})
@app_commands.choices(game=GAME_CHOICES, theme=THEME_CHOICES, absent=ABSENCE_CHOICES)
async def setup_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, 99] | None = None,
    target: app_commands.Range[int, 10, 5000] | None = None,
    preset: str | None = None,
    options: str | None = None,
    theme: str | None = None,
    clock: str | None = None,
    absent: str | None = None,
    by_hand: bool | None = None,
    rated: bool | None = None,
) -> None:
    given = {
        "game": game,
        "seats": seats,
        "target": target,
        "preset": preset,
        "theme": theme,
        "clock": None if clock is None else normalize_clock(clock),
    }
    given |= {"absent": absent, "by_hand": by_hand, "rated": rated}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}

    async def setup(ctx: Context) -> None:
        if options is not None:
            terms = (await ctx.load_table()).terms
            game_and_preset = game or terms.game, preset or (terms.preset if game is None else None)
            chosen["options"] = parse_options(options, *game_and_preset, list_option_languages(ctx.words))
        if chosen:
            await opening_commands.revise_terms(ctx, await ctx.load_table(), chosen, PAGES[0])
        else:
            await opening_commands.show_setup(ctx)

    await serve(interaction, "setup", setup)


suggest(setup_command, "clock")(opening_commands.suggest_clocks)


@suggest(setup_command, "preset")
async def suggest_setup_presets(ctx: Context, typed: str, options: Mapping[str, str]) -> NamesByValue:
    game, _ = await _choose_game(ctx, options)
    return opening_commands.list_preset_choices(game, ctx.words, typed)


@suggest(setup_command, "options")
async def suggest_setup_options(ctx: Context, typed: str, options: Mapping[str, str]) -> NamesByValue:
    game, preset = await _choose_game(ctx, options)
    return opening_commands.list_option_choices(game, preset, ctx.words, typed)


async def _choose_game(ctx: Context, options: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the typed game and reading, or those of the table here."""
    game, preset = options.get("game"), options.get("preset")
    if game in list_games():
        return game, preset
    try:
        terms = (await ctx.load_table(include_finished=False)).terms
    except RefusalError:
        return list_games()[0], preset
    return terms.game, preset or terms.preset


@hosts.command(name="keep", description=localize("command.host_keep"))
@app_commands.describe(
    person=localize("parameter.host_keep"),
    person2=localize("parameter.new_with_more"),
    person3=localize("parameter.new_with_more"),
)
async def keep_command(
    interaction: Interaction,
    person: discord.User,
    person2: discord.User | None = None,
    person3: discord.User | None = None,
) -> None:
    named = [one for one in (person, person2, person3) if one is not None]

    async def keep(ctx: Context) -> None:
        await opening_commands.reserve_seats(ctx, await ctx.load_table(), named)

    await serve(interaction, "keep", keep)


@hosts.command(name="remove", description=localize("command.host_remove"))
@app_commands.describe(person=localize("parameter.host_remove"))
async def remove_command(interaction: Interaction, person: discord.User | None = None) -> None:
    async def remove(ctx: Context) -> None:
        command = RemovePlayer(ctx.user_id, None if person is None else person.id)
        await opening_commands.change_players(ctx, await ctx.load_table(), command, "setup.removed")

    await serve(interaction, "off", remove)


@hosts.command(name="open", description=localize("command.host_open"))
@app_commands.describe(person=localize("parameter.host_open"))
async def open_command(interaction: Interaction, person: discord.User | None = None) -> None:
    async def open_seats(ctx: Context) -> None:
        command = OpenReservedSeats(ctx.user_id, None if person is None else person.id)
        await opening_commands.change_players(ctx, await ctx.load_table(), command, "setup.opened")

    await serve(interaction, "open", open_seats)


opening_commands.add_command(hosts, "close", opening_commands.close_table, text="host_close")
