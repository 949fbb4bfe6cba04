"""Setting up a table before its match: the host's menus, and the answer of those who are invited."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import discord

from bot.base.permissions import sees
from bot.commands.context import Context
from bot.commands.opening import show_table
from bot.service.invitations import revised
from bot.service.tables import Table
from bot.views.parts import Press, button
from bot.views.setup import COMPUTER, PAGES, RULE, change_note, setup_view
from engine.table.commands import ChangeTerms, CloseTable, Command, Decline, KeepSeats, OpenKept, Remove
from engine.table.hosting import check_lobby_of
from engine.table.refusals import No, Refused
from engine.table.terms import Terms

NUMBERS: Final = ("target", "seats")
SWITCHES: Final = {"rated": "rated", "hand": "by_hand"}
"""What the menus say with yes and no, by their names for it."""
FIELDS: Final = ("game", "preset", "clock", "absent", "theme", *NUMBERS, *SWITCHES)
"""What the menus change."""
ON: Final = {**dict.fromkeys(("game", "preset", "target", "seats"), "game"), **dict.fromkeys(("keep", "off"), "who")}
"""The page that a menu stands on; all others are on the second."""


async def decline_seat(ctx: Context) -> None:
    """Let others have the seat that is kept for whoever asks."""
    table = (await ctx.act(await ctx.table(), Decline(ctx.user_id))).table
    await show_table(ctx, table)
    await ctx.say(ctx.words("lobby.declined"))


async def show_setup(ctx: Context) -> None:
    """The host's menus. The argument is the page."""
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)
    await _panel(ctx, table, ctx.press.argument if ctx.press.argument in PAGES else PAGES[0])


async def pick_rule(ctx: Context) -> None:
    """A single rule was chosen from the menu: show what it can be."""
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)
    await _panel(ctx, table, "rules", rule=ctx.values[0] if ctx.values else "")


async def change_term(ctx: Context) -> None:
    """One term, as it was chosen in a menu. The argument is which."""
    field, value = ctx.press.argument, ctx.values[0] if ctx.values else ""
    if field.startswith(RULE):
        rule = field.removeprefix(RULE)
        await revise_terms(ctx, await ctx.table(), {"rule": (rule, value)}, "rules", rule=rule)
        return
    if field not in FIELDS:
        raise Refused(No.UNKNOWN_BUTTON)
    await revise_terms(ctx, await ctx.table(), _chosen(field, value), ON.get(field, "how"))


async def keep_for_chosen(ctx: Context) -> None:
    """Seats for those who were chosen in a menu."""
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)  # before anybody is asked for
    await seats_for(ctx, table, [await member_of(ctx, int(value)) for value in ctx.values[:25] if value.isdecimal()])


async def take_off(ctx: Context) -> None:
    """Somebody who was chosen in a menu, or a computer, sits there no longer."""
    value = ctx.values[0] if ctx.values else ""
    if value.isdecimal():
        gets_up = Remove(ctx.user_id, int(value))
    elif value.startswith(COMPUTER):
        gets_up = Remove(ctx.user_id, None, value.removeprefix(COMPUTER))
    else:
        raise Refused(No.UNKNOWN_BUTTON)
    await decide_who(ctx, await ctx.table(), gets_up, "setup.removed")


async def free_kept(ctx: Context) -> None:
    """Anybody may have the seats that are kept."""
    await decide_who(ctx, await ctx.table(), OpenKept(ctx.user_id), "setup.opened")


async def close_table(ctx: Context) -> None:
    """Ask whether there is to be no match, and see to it."""
    table = await ctx.table()
    check_lobby_of(table.state, ctx.user_id)
    match_id, words = table.head.match_id, ctx.words
    if ctx.press.argument != "yes":
        yes = button(
            words("setup.close_yes"), Press("close", match_id, argument="yes"), style=discord.ButtonStyle.danger
        )
        await ctx.say(
            words("setup.close_ask"), yes, button(words("setup.close_no"), Press("setup", match_id, argument="who"))
        )
        return
    await show_table(ctx, (await ctx.act(table, CloseTable(ctx.user_id))).table)
    await ctx.say(words("setup.closed"))


async def seats_for(ctx: Context, table: Table, named: Iterable[object]) -> None:
    """Keep seats for these people, if they can come."""
    check_lobby_of(table.state, ctx.user_id)
    command = KeepSeats(ctx.user_id, guests_of(ctx, named, table.head.channel_id))
    await decide_who(ctx, table, command, "setup.kept")


async def member_of(ctx: Context, user_id: int) -> discord.Member | None:
    """Somebody on this server; None where they are not."""
    guild = ctx.interaction.guild
    if guild is None:
        return None
    try:
        return guild.get_member(user_id) or await guild.fetch_member(user_id)
    except discord.NotFound:
        return None


def guests_of(ctx: Context, named: Iterable[object], channel_id: int) -> tuple[int, ...]:
    """Whom seats can be kept for. Raises Refused(NO_GUEST) for bots and for whoever does not see the channel."""
    found = []
    for member in named:
        if not may_come(ctx, member, channel_id):
            raise Refused(No.NO_GUEST)
        assert isinstance(member, discord.Member)
        ctx.services.names.meet(ctx.guild_id, member)
        found.append(member.id)
    return tuple(dict.fromkeys(found))


def may_come(ctx: Context, member: object, channel_id: int) -> bool:
    """Whether somebody could sit down in a channel."""
    guild = ctx.interaction.guild
    return (
        guild is not None and isinstance(member, discord.Member) and not member.bot and sees(guild, channel_id, member)
    )


def _chosen(field: str, value: str) -> dict[str, Any]:
    """What was chosen, by the name and as the value that `Invitation` has for it."""
    if field in SWITCHES:
        return {SWITCHES[field]: value == "yes"}
    if field in NUMBERS:
        if not (value.isascii() and value.isdecimal() and len(value) < 5):
            raise Refused(No.UNKNOWN_BUTTON)
        return {field: int(value)}
    return {field: value}


async def revise_terms(ctx: Context, table: Table, chosen: Mapping[str, Any], page: str, *, rule: str = "") -> None:
    """Change some terms, by the names of `Invitation`; show everybody, and the host that page with that rule."""
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
    """Do something about who plays, show everybody, and the host the page for that."""
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
