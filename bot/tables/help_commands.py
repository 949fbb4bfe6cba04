"""`/tiles games` and `/tiles help`, and the rule behind a refusal."""

from typing import Final

from discord import app_commands, ui

from bot.core.command_groups import localized, serve, suggest, tiles
from bot.core.context import Context, Interaction, link, still_there
from bot.core.dispatch import handles
from bot.core.languages import at_once
from bot.core.layout import Press, button, primary
from bot.core.profile_sections import SECTIONS
from bot.sending.alerts import wanted_text
from bot.tables import move_labels
from bot.tables.fairness_views import GUIDE
from bot.tables.lobby_commands import guide
from bot.tables.messages import Content
from bot.tables.rules_text import whynot_view
from bot.tables.service import Table
from bot.tables.visible_tables import open_tables
from data.rulebook import games
from engine.match.errors import Why

MOST_TABLES: Final = 20
"""The most tables in the list; also the default limit of a server for one user."""
MOST_CHARACTERS: Final = 3900
"""Discord allows 4,000 characters in a message."""
MOST_NAMES: Final = 3
"""The most players that a line names, and the most quarantined matches in the list."""


@tiles.command(name="games", description=localized("command.games"))
async def games_command(interaction: Interaction) -> None:
    """Answer `/tiles games`."""
    await serve(interaction, "games", show_games)


async def show_games(ctx: Context) -> None:
    """Show the user's tables on this server, first those where it is their turn, and the tables they can join."""
    words = ctx.words
    tables = [table for table in await ctx.services.tables.of(ctx.user_id) if table.head.guild_id == ctx.guild_id]
    offers, joins = await open_tables(ctx)
    text = f"## {words('tables.title')}" if tables else words("tables.none")
    buttons: list[ui.Button[ui.LayoutView]] = []
    listed = 0
    for table in tables[:MOST_TABLES]:
        line, under = await _table_line(ctx, table)
        if ctx.services.announcer.is_closed(table.head.match_id) and await still_there(ctx, table):
            line += f"\n-# {words('trouble.listed', match=table.head.match_id)}"
        if len(text) + len(line) >= MOST_CHARACTERS - len(offers):
            break
        text += f"\n{line}"
        buttons += under
        listed += 1
    if listed < len(tables):
        text += f"\n{words('tables.more', n=len(tables) - listed)}"
    quarantined = await ctx.services.store.quarantine.quarantined(guild_id=ctx.guild_id, user_id=ctx.user_id)
    for one in quarantined[:MOST_NAMES]:
        text += f"\n-# {words('tables.aside', match=one.match_id)}"
    text += f"\n{offers}" if offers else ""
    wanted = await ctx.services.store.alerts.alerts_wanted(ctx.user_id, ctx.guild_id)
    if wanted and not any(wanted.values()):
        text += f"\n{wanted_text(wanted, words)}"
    await ctx.say(text, *buttons, *joins, button(words("alerts.choose"), Press("alerts")))


async def _table_line(ctx: Context, table: Table) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    words, match_id = ctx.words, table.head.match_id
    names = (await ctx.messages.names(table)).safe
    others = [name for seat, name in enumerate(names) if seat != table.seat_of(ctx.user_id)]
    named = move_labels.listed(words, others[:MOST_NAMES])
    if len(others) > MOST_NAMES:
        named = words("and.more", list=named, n=len(others) - MOST_NAMES)
    facts = {"game": words(f"game.{table.terms.game}"), "names": named, "link": link(table)}
    if not await still_there(ctx, table):
        bring = primary(words("tables.bring", match=match_id), Press("bring", match_id))
        return words("tables.gone", **facts), [bring]
    if table.head.state == "lobby":
        return words("tables.lobby", **facts), []
    hand = button(words("tables.hand", match=match_id), Press("hand", match_id))
    if table.turn_user() == ctx.user_id:
        return words("tables.mine", **facts), [hand]
    return words("tables.theirs", turn=names[table.match.turn], **facts), [hand]


async def played_here(ctx: Context) -> str:
    """Return the game of the channel's current or last match, else the default game."""
    table = await ctx.services.tables.here(ctx.channel_id)
    return games()[0] if table is None else table.terms.game


@tiles.command(name="help", description=localized("command.help"))
@app_commands.describe(why=localized("parameter.help_why"), guided=localized("parameter.help_guided"))
async def help_command(interaction: Interaction, why: str | None = None, guided: bool = False) -> None:
    """Answer `/tiles help`."""
    if guided:
        await serve(interaction, "guide", guide)
        return

    async def explain(ctx: Context) -> None:
        ctx.press = Press("why", argument=why or "")
        await why_not(ctx)

    await serve(interaction, "help", help_text if why is None else explain)


@help_command.autocomplete("why")
async def why_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Suggest the refusals by a rule."""
    said = at_once(interaction)
    return suggest({why.value: said(f"whyname.{why}") for why in Why}, current)


@handles("why")
async def why_not(ctx: Context) -> None:
    """Explain the rule behind a refusal. The argument is its code or its name."""
    meant = ctx.press.argument.strip().lower()
    named = {why: ctx.words(f"whyname.{why}").lower() for why in Why}
    found = next((why for why, name in named.items() if meant and meant in (why.value.lower(), name)), None)
    if found is None:
        await help_text(ctx)
        return
    await ctx.show_aside(Content(whynot_view(found, ctx.words)))


async def help_text(ctx: Context) -> None:
    """Show the help, with buttons for the guided game, a practice table, the rules, and what features add."""
    words = ctx.words
    more = [one for section in SECTIONS for one in await section.help_buttons(ctx)]
    await ctx.say(
        words("help.text"),
        primary(words("help.guide"), GUIDE),
        button(words("help.practice"), Press("practice")),
        button(words("lobby.rules"), Press("rules")),
        *more,
    )
