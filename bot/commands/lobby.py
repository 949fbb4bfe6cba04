"""Opening tables, sitting down, starting: `/tiles new join leave start` and the buttons of the lobby."""

from dataclasses import replace
from typing import Final, get_args

import discord
from discord import app_commands

from bot.ask import Ask, Interaction, check_permissions, link, still_there
from bot.commands import asked, offers, tiles
from bot.interpreter import told
from bot.service.invitations import Invitation, agreed
from bot.service.refusals import No, Refused
from bot.service.tables import THEMES, Absent, Table
from bot.views.ids import Press
from bot.views.parts import primary
from data.rulebook import games, rules

MOST_SEATS: Final = max(rules(game).max_seats for game in games())

GAMES = [app_commands.Choice(name=told(f"game.{game}"), value=game) for game in games()]


@tiles.command(name="new", description=told("command.new"))
@app_commands.describe(
    game=told("parameter.new_game"),
    seats=told("parameter.new_seats"),
    computers=told("parameter.new_computers"),
    target=told("parameter.new_target"),
    preset=told("parameter.new_preset"),
    options=told("parameter.new_options"),
    theme=told("parameter.new_theme"),
    clock=told("parameter.new_clock"),
    absent=told("parameter.new_absent"),
    thread=told("parameter.new_thread"),
    by_hand=told("parameter.new_by_hand"),
)
@app_commands.choices(
    game=GAMES,
    theme=[app_commands.Choice(name=told(f"theme.{theme}"), value=theme) for theme in THEMES],
    absent=[app_commands.Choice(name=told(f"clock.absent_{absent}"), value=absent) for absent in get_args(Absent)],
)
async def new_command(
    interaction: Interaction,
    game: str | None = None,
    seats: app_commands.Range[int, 2, MOST_SEATS] | None = None,
    computers: app_commands.Range[int, 0, MOST_SEATS - 1] = 0,
    target: app_commands.Range[int, 10, 5000] | None = None,
    preset: str = "",
    options: str = "",
    theme: str = "",
    clock: str = "",
    absent: str = "turn",
    thread: bool = False,
    by_hand: bool = False,
) -> None:
    """`/tiles new`."""

    async def new(ask: Ask) -> None:
        invitation = Invitation(
            guild_id=ask.guild_id,
            channel_id=ask.channel_id,
            host_id=ask.user_id,
            game=game or games()[0],
            seats=seats,
            computers=computers,
            target=target,
            by_hand=by_hand,
            preset=preset,
            options=tuple(options.replace(",", " ").split()),
            theme=theme,
            clock=clock,
            absent=absent,
        )
        await open_table(ask, invitation, thread=thread)

    await asked(interaction, "new", new)


new_command.autocomplete("preset")(offers.preset_choices)
new_command.autocomplete("clock")(offers.clock_choices)
new_command.autocomplete("options")(offers.option_choices)


async def open_table(ask: Ask, invitation: Invitation, *, thread: bool, name: str = "lobby.thread") -> Table:
    """Open a table here or in a new thread, and say where it is."""
    words, desk = ask.words, ask.desk
    check_permissions(ask, thread=thread)
    channel = ask.interaction.channel
    # A thread has no threads of its own: another one opens beside it.
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    opened: discord.Thread | None = None
    invitation = await desk.house.usual(invitation)
    again = await desk.store.seen_request(ask.interaction.id) is not None
    if not again:
        above = parent.id if parent is not None else ask.channel_id
        await desk.house.check(invitation, {ask.channel_id, above})
    if thread and isinstance(parent, discord.TextChannel) and not again:
        agreed(invitation)  # a refusal must come before the thread, not leave an empty one
        public = await desk.tongues.at(ask.guild_id)
        title = public(name, game=public(f"game.{invitation.game}"), name=ask.interaction.user.display_name)
        opened = await parent.create_thread(
            name=title[:100], type=discord.ChannelType.public_thread, auto_archive_duration=10080
        )
        invitation = replace(invitation, channel_id=opened.id)
    table: Table | None = None
    try:
        table = await desk.lobby.open(invitation, request=ask.interaction.id)
    finally:
        if opened is not None and (table is None or table.head.channel_id != opened.id):
            await _put_away(opened)
    await shown(ask, table)
    table = await desk.tables.load(table.head.match_id)
    await ask.say(words("lobby.opened", link=link(table)))
    return table


async def _put_away(thread: discord.Thread) -> None:
    """A thread that no table came to: the request was refused, or another delivery of it was quicker."""
    try:
        await thread.delete()
    except discord.Forbidden:
        # Deleting takes Manage Threads, which the bot does not ask for; its own threads it may archive.
        await thread.edit(archived=True)


async def shown(ask: Ask, table: Table) -> None:
    """Bring the public messages up to date, then let the computers move."""
    await ask.desk.announcer.refresh(table.head.match_id)
    ask.desk.clockwork.soon(table.head.match_id)


async def join(ask: Ask) -> None:
    """Sit down at a table."""
    table = await ask.table()
    table = await ask.desk.lobby.join(table.head.match_id, ask.user_id, request=ask.interaction.id)
    await _changed(ask, table, "lobby.joined")


async def leave(ask: Ask) -> None:
    """Get up from a table that has not started."""
    table = await ask.table()
    table = await ask.desk.lobby.leave(table.head.match_id, ask.user_id, request=ask.interaction.id)
    await _changed(ask, table, "lobby.left")


async def add_computer(ask: Ask) -> None:
    """Put a computer on the next seat."""
    table = await ask.table()
    table = await ask.desk.lobby.add_computer(table.head.match_id, ask.user_id, request=ask.interaction.id)
    await _changed(ask, table, "lobby.joined")


async def start(ask: Ask) -> None:
    """Begin with those who sit there."""
    table = await ask.table()
    table = await ask.desk.lobby.start(table.head.match_id, ask.user_id, request=ask.interaction.id)
    await _changed(ask, table, "lobby.started")


async def rematch(ask: Ask) -> None:
    """A new table with the same terms; whoever comes second sits down at it."""
    over = await ask.table()
    here = await ask.desk.tables.here(ask.channel_id)
    if here is not None and here.head.state == "lobby":
        ask.press = Press("join", here.head.match_id)
        await join(ask)
        return
    terms = over.terms
    computers = sum(row.computer is not None for row in over.seats)
    invitation = Invitation(
        guild_id=ask.guild_id,
        channel_id=ask.channel_id,
        host_id=ask.user_id,
        game=terms.game,
        seats=len(over.seats) if over.head.state == "done" else terms.seats,
        computers=computers,
        target=terms.target,
        by_hand=terms.by_hand,
        preset=terms.preset,
        options=tuple(f"{name}={value}" for name, value in terms.options.items()),
        theme=terms.theme,
        clock=terms.clock,
        absent=terms.absent,
    )
    await open_table(ask, invitation, thread=False)


async def practice(ask: Ask) -> None:
    """A table against one computer: here if the channel is free, else in a thread."""
    here = await ask.desk.tables.here(ask.channel_id)
    busy = here is not None and here.head.state in ("lobby", "open")
    invitation = Invitation(
        guild_id=ask.guild_id,
        channel_id=ask.channel_id,
        host_id=ask.user_id,
        game=games()[0],
        computers=1,
        preset="",
        theme="",
    )
    await open_table(ask, invitation, thread=busy, name="lobby.practice_thread")


async def bring(ask: Ask) -> None:
    """Go on in this channel with a table whose own is gone."""
    check_permissions(ask, thread=False)
    table = await ask.table()
    if await still_there(ask, table):
        raise Refused(No.CHANNEL_THERE, link=link(table))
    table = await ask.desk.lobby.bring(table.head.match_id, ask.user_id, ask.channel_id, request=ask.interaction.id)
    await shown(ask, table)
    await ask.say(ask.words("lobby.moved", link=link(await ask.desk.tables.load(table.head.match_id))))


async def _changed(ask: Ask, table: Table, key: str) -> None:
    """Show everybody how the table stands now; a command is answered too, a button's answer is the table itself."""
    await shown(ask, table)
    if not ask.quiet:
        host = await ask.name(table.head.host_id)
        hand = primary(ask.words("board.hand"), Press("hand", table.head.match_id))
        buttons = [hand] if table.head.state == "open" and table.seat_of(ask.user_id) is not None else []
        await ask.say(ask.words(key, link=link(table), host=host), *buttons)


@tiles.command(name="join", description=told("command.join"))
async def join_command(interaction: Interaction) -> None:
    """`/tiles join`."""
    await asked(interaction, "join", join)


@tiles.command(name="leave", description=told("command.leave"))
async def leave_command(interaction: Interaction) -> None:
    """`/tiles leave`."""
    await asked(interaction, "leave", leave)


@tiles.command(name="start", description=told("command.start"))
async def start_command(interaction: Interaction) -> None:
    """`/tiles start`."""
    await asked(interaction, "start", start)
