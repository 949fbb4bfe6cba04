"""Open, join, leave and start tables: `/tiles new join leave start`, `/tiles-host` and the buttons of the lobby."""

from functools import partial
from typing import Any, Final, get_args

import discord
from discord import app_commands

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction, check_permissions, link, still_there
from bot.core.dispatch import handles
from bot.core.layout import Press, primary
from bot.tables import opening_commands
from bot.tables.lobbies import Invitation, agreed, invitation_again
from bot.tables.lobby_views import PAGES
from bot.tables.rules_text import options_typed
from bot.tables.service import Table, is_running, lesson_for
from bot.tables.visible_tables import may_see, visible
from data.rulebook import games, rules
from engine.match.shuffle import LONGEST_WORD
from engine.players.levels import LEVELS
from engine.table.commands import AddComputer, Join, Leave, MoveTable, OpenKept, Remove, Start
from engine.table.refusals import No, Refused
from engine.table.terms import RELAXED, THEMES, Absent

MOST_SEATS: Final = max(rules(game).max_seats for game in games())

TERMS: Final = ("game", "seats", "target", "preset", "options", "theme", "clock", "absent", "by_hand", "rated")
GAMES = [app_commands.Choice(name=localized(f"game.{game}"), value=game) for game in games()]
LOOKS = [app_commands.Choice(name=localized(f"theme.{theme}"), value=theme) for theme in THEMES]
ABSENCES = [app_commands.Choice(name=localized(f"clock.absent_{absent}"), value=absent) for absent in get_args(Absent)]


@tiles.command(name="new", description=localized("command.new"))
@app_commands.describe(
    **{name: localized(f"parameter.new_{name}") for name in (*TERMS, "computers", "level", "thread", "deal")},
    guest=localized("parameter.new_with"),
    guest2=localized("parameter.new_with_more"),
    guest3=localized("parameter.new_with_more"),
    word=localized("parameter.word"),
)
@app_commands.rename(guest="with", guest2="with2", guest3="with3")
@app_commands.choices(
    game=GAMES,
    level=[app_commands.Choice(name=localized(f"level.{level}"), value=level) for level in LEVELS],
    theme=LOOKS,
    absent=ABSENCES,
)
async def new_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MOST_SEATS] | None = None,
    computers: app_commands.Range[int, 0, MOST_SEATS - 1] = 0,
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
    word: app_commands.Range[str, 1, LONGEST_WORD] | None = None,
    deal: str = "",
) -> None:
    named = [one for one in (guest, guest2, guest3) if one is not None]

    async def new(ctx: Context) -> None:
        await _check_deal_visible(ctx, deal)
        invitation = Invitation(
            guild_id=ctx.guild_id,
            channel_id=ctx.channel_id,
            host_id=ctx.user_id,
            game=game or games()[0],
            seats=seats,
            computers=(level,) * computers,
            guests=opening_commands.guests_of(ctx, named, ctx.channel_id),
            target=target,
            by_hand=by_hand,
            preset=preset,
            options=options_typed(options, game or games()[0], preset or None, opening_commands.spoken_with(ctx.words)),
            theme=theme,
            clock=clock,
            absent=absent,
            rated=rated,
            word=word or "",
            deal=deal,
        )
        await opening_commands.open_table(ctx, invitation, thread=thread)

    await serve(interaction, "new", new)


new_command.autocomplete("preset")(opening_commands.preset_choices)
new_command.autocomplete("clock")(opening_commands.clock_choices)
new_command.autocomplete("options")(opening_commands.option_choices)


async def _check_deal_visible(ctx: Context, deal: str) -> None:
    """Raise Refused(DEAL_MATCH) for the deal of a match in a channel that the user cannot see."""
    number = deal.strip().removeprefix("#")
    if number.isdecimal():
        head = await ctx.services.store.matches.head(int(number) if len(number) <= 12 else 0)
        if head is None or head.guild_id != ctx.guild_id or not await may_see(ctx, head):
            raise Refused(No.DEAL_MATCH)


@handles("sit")
@handles("join", quiet=True)
async def join(ctx: Context, word: str = "") -> None:
    """Join a table: this channel's, or another that the user sees. A `word` goes into its deals."""
    table = await ctx.table()
    elsewhere = table.head.channel_id != ctx.channel_id and ctx.user_id not in table.guests.called
    if elsewhere and not visible(ctx, table.head.channel_id):
        raise Refused(No.NO_SUCH_TABLE)
    table = (await ctx.act(table, Join(ctx.user_id, ctx.press.seq, word))).table
    await _report_change(ctx, table, "lobby.joined")


@handles("leave", quiet=True)
async def leave(ctx: Context) -> None:
    """Leave a table that has not started, or decline the reserved seat."""
    table = await ctx.table()
    invited = ctx.user_id in table.guests.kept
    table = (await ctx.act(table, Leave(ctx.user_id))).table
    await _report_change(ctx, table, "lobby.declined" if invited else "lobby.left")


@handles("computer", quiet=True)
async def add_computer(ctx: Context) -> None:
    """Add a computer of the chosen level; buttons of earlier versions have no choice."""
    table = await ctx.table()
    level = ctx.values[0] if ctx.values else (await ctx.services.guilds.settings(table.head.guild_id)).level
    ctx.services.programs.check(level)
    table = (await ctx.act(table, AddComputer(ctx.user_id, level))).table
    await _report_change(ctx, table, "lobby.joined")


@handles("start", quiet=True)
async def start(ctx: Context) -> None:
    table = await ctx.table()
    table = (await ctx.act(table, Start(ctx.user_id))).table
    await _report_change(ctx, table, "lobby.started")


@handles("rematch")
async def rematch(ctx: Context) -> None:
    """Open a table with the same terms and reserve seats for the other players; if one is open already, join it.

    Raises Refused(REMATCH_OF_OTHERS).
    """
    over = await ctx.table()
    if over.event_log is not None and over.seat_of(ctx.user_id) is None:
        raise Refused(No.REMATCH_OF_OTHERS)
    if over.terms.guided:
        await guide(ctx)
        return
    invitation = invitation_again(
        over.terms,
        guild_id=ctx.guild_id,
        channel_id=ctx.channel_id,
        host_id=ctx.user_id,
        seats=len(over.seats) if over.event_log is not None else over.terms.seats,
        guests=await _other_players(ctx, over),
        computers=ctx.services.programs.there(row.computer for row in over.seats if row.computer is not None),
    )
    here = await ctx.services.tables.here(ctx.channel_id)
    # The other player may have opened the same table first.
    if here is not None and here.head.state == "lobby" and here.terms == agreed(invitation):
        ctx.press = Press("join", here.head.match_id)
        await join(ctx)
        return
    await opening_commands.open_table(ctx, invitation, thread=False)


async def _other_players(ctx: Context, over: Table) -> tuple[int, ...]:
    """Return the other players who could join here; none if the user did not play."""
    if over.seat_of(ctx.user_id) is None:
        return ()
    people = [row.user_id for row in over.seats if row.user_id is not None and row.user_id != ctx.user_id]
    members = [await opening_commands.member_of(ctx, user_id) for user_id in people]
    return opening_commands.guests_of(
        ctx, [one for one in members if opening_commands.may_come(ctx, one, ctx.channel_id)], ctx.channel_id
    )


@handles("practice")
async def practice(ctx: Context) -> None:
    """Open a table against one easy computer: here if the channel is free, else in a thread if possible."""
    invitation = Invitation(
        guild_id=ctx.guild_id,
        channel_id=ctx.channel_id,
        host_id=ctx.user_id,
        game=games()[0],
        computers=LEVELS[:1],
        preset="",
        theme="",
        clock=RELAXED,
        rated=False,
    )
    await opening_commands.open_table(ctx, invitation, thread=await _needs_thread(ctx), name="lobby.practice_thread")


async def _needs_thread(ctx: Context) -> bool:
    here = await ctx.services.tables.here(ctx.channel_id)
    return here is not None and here.head.state in ("lobby", "open") and opening_commands.has_threads(ctx)


@handles("guide")
async def guide(ctx: Context) -> None:
    """Start a guided game where a practice table would be, or continue the running one."""
    mine = [table for table in await ctx.services.tables.of(ctx.user_id) if is_running(table)]
    table = next((one for one in mine if one.head.guild_id == ctx.guild_id), None)
    if table is None:
        lesson = lesson_for(ctx.guild_id, ctx.channel_id, ctx.user_id)
        table = await opening_commands.open_quietly(ctx, lesson, thread=await _needs_thread(ctx), name="lesson.thread")
    seat = table.seat_of(ctx.user_id)
    assert seat is not None
    note = ctx.words("lobby.opened", link=link(table)) if table.head.channel_id != ctx.channel_id else ""
    quick = table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, note=note, quick=quick))


@handles("inthread")
async def in_thread(ctx: Context) -> None:
    """Open the requested table in a thread, because the channel was busy. Raises Refused(OFFER_GONE)."""
    await opening_commands.open_table(ctx, ctx.services.offers.take(ctx.press.argument, ctx.user_id), thread=True)


@handles("bring")
async def bring(ctx: Context) -> None:
    """Continue a table in this channel after its own was deleted."""
    check_permissions(ctx, thread=False)
    table = await ctx.table()
    if await still_there(ctx, table):
        raise Refused(No.CHANNEL_THERE, link=link(table))
    if table.seat_of(ctx.user_id) is None:
        raise Refused(No.NOT_SEATED)
    await ctx.services.guilds.check_place(
        table.head.guild_id, {ctx.channel_id, opening_commands.parent_id(ctx) or ctx.channel_id}
    )
    table = (await ctx.act(table, MoveTable(ctx.user_id, ctx.channel_id))).table
    await opening_commands.show_table(ctx, table)
    await ctx.say(ctx.words("lobby.moved", link=link(await ctx.services.tables.load(table.head.match_id))))


async def _report_change(ctx: Context, table: Table, key: str) -> None:
    """Update the public messages. A command also gets an answer; for a button the table above is the answer."""
    await opening_commands.show_table(ctx, table)
    if not ctx.quiet or ctx.direct:
        host = await ctx.name(table.head.host_id)
        hand = primary(ctx.words("board.hand"), Press("hand", table.head.match_id))
        buttons = [hand] if table.head.state == "open" and table.seat_of(ctx.user_id) is not None else []
        await ctx.say(ctx.words(key, link=link(table), host=host), *buttons)


@tiles.command(name="join", description=localized("command.join"))
@app_commands.describe(word=localized("parameter.word"))
async def join_command(interaction: Interaction, word: app_commands.Range[str, 1, LONGEST_WORD] | None = None) -> None:
    await serve(interaction, "join", partial(join, word=word or ""))


opening_commands.add_command(tiles, "leave", leave)
opening_commands.add_command(tiles, "start", start)


hosts: Final = app_commands.Group(name="tiles-host", description=localized("command.host"), guild_only=True)


@hosts.command(name="setup", description=localized("command.host_setup"))
@app_commands.describe(**{name: localized(f"parameter.new_{name}") for name in TERMS})
@app_commands.choices(game=GAMES, theme=LOOKS, absent=ABSENCES)
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
    given = {"game": game, "seats": seats, "target": target, "preset": preset, "theme": theme, "clock": clock}
    given |= {"absent": absent, "by_hand": by_hand, "rated": rated}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}

    async def setup(ctx: Context) -> None:
        if options is not None:
            terms = (await ctx.table()).terms
            meant = game or terms.game, preset or (terms.preset if game is None else None)
            chosen["options"] = options_typed(options, *meant, opening_commands.spoken_with(ctx.words))
        if chosen:
            await opening_commands.revise_terms(ctx, await ctx.table(), chosen, PAGES[0])
        else:
            await opening_commands.show_setup(ctx)

    await serve(interaction, "setup", setup)


setup_command.autocomplete("clock")(opening_commands.clock_choices)


@setup_command.autocomplete("preset")
async def presets_here(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    game, _ = await _typed_game(interaction)
    return opening_commands.readings_of(game, interaction, current)


@setup_command.autocomplete("options")
async def options_here(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    game, preset = await _typed_game(interaction)
    return opening_commands.options_of(game, preset, interaction, current)


async def _typed_game(interaction: Interaction) -> tuple[str, str | None]:
    """Return the typed game and reading, or those of the table here."""
    typed = interaction.namespace
    game, preset = getattr(typed, "game", None), getattr(typed, "preset", None)
    if game in games():
        return game, preset
    try:
        terms = (await Context(interaction, Press("setup")).table(over=False)).terms
    except Refused:
        return games()[0], preset
    return terms.game, preset or terms.preset


@hosts.command(name="keep", description=localized("command.host_keep"))
@app_commands.describe(
    person=localized("parameter.host_keep"),
    person2=localized("parameter.new_with_more"),
    person3=localized("parameter.new_with_more"),
)
async def keep_command(
    interaction: Interaction,
    person: discord.User,
    person2: discord.User | None = None,
    person3: discord.User | None = None,
) -> None:
    named = [one for one in (person, person2, person3) if one is not None]

    async def keep(ctx: Context) -> None:
        await opening_commands.seats_for(ctx, await ctx.table(), named)

    await serve(interaction, "keep", keep)


@hosts.command(name="remove", description=localized("command.host_remove"))
@app_commands.describe(person=localized("parameter.host_remove"))
async def remove_command(interaction: Interaction, person: discord.User | None = None) -> None:
    async def remove(ctx: Context) -> None:
        command = Remove(ctx.user_id, None if person is None else person.id)
        await opening_commands.decide_who(ctx, await ctx.table(), command, "setup.removed")

    await serve(interaction, "off", remove)


@hosts.command(name="open", description=localized("command.host_open"))
@app_commands.describe(person=localized("parameter.host_open"))
async def open_command(interaction: Interaction, person: discord.User | None = None) -> None:
    async def open_seats(ctx: Context) -> None:
        command = OpenKept(ctx.user_id, None if person is None else person.id)
        await opening_commands.decide_who(ctx, await ctx.table(), command, "setup.opened")

    await serve(interaction, "open", open_seats)


opening_commands.add_command(hosts, "close", opening_commands.close_table, text="host_close")
