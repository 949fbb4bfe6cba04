"""`/tiles games` and `/tiles help`, and the rule behind a refusal."""

from collections.abc import Mapping
from typing import Final

from discord import app_commands, ui

from bot.core.choices import NamesByValue, filter_choices, localize, suggest
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction, format_table_link, has_channel
from bot.core.dispatch import register_handler
from bot.core.layout import CustomId, build_button, build_primary_button
from bot.core.profile_sections import SECTIONS
from bot.sending.alerts import format_alerts
from bot.tables import move_labels
from bot.tables.fairness_views import GUIDE_ID
from bot.tables.lobby_commands import start_guided_game
from bot.tables.messages import Content
from bot.tables.rules_text import build_explanation_view
from bot.tables.service import Table
from bot.tables.visible_tables import list_joinable_tables
from data.rulebook import list_games
from engine.match.errors import Violation

MAX_TABLES: Final = 20
"""The most tables in the list; also the default limit of a server for one user."""
MAX_CHARACTERS: Final = 3900
"""Discord allows 4,000 characters in a message."""
MAX_NAMES: Final = 3
"""The most players that a line names, and the most quarantined matches in the list."""


@tiles.command(name="games", description=localize("command.games"))
async def games_command(interaction: Interaction) -> None:
    """Answer `/tiles games`."""
    await serve(interaction, "games", show_games)


async def show_games(ctx: Context) -> None:
    """Show the user's tables on this server, first those where it is their turn, and the tables they can join."""
    words = ctx.words
    tables = await ctx.list_own_tables()
    offers, joins = await list_joinable_tables(ctx)
    text = f"## {words('tables.title')}" if tables else words("tables.none")
    buttons: list[ui.Button[ui.LayoutView]] = []
    listed = 0
    for table in tables[:MAX_TABLES]:
        line, under = await _format_table(ctx, table)
        if ctx.services.announcer.is_closed(table.head.match_id) and await has_channel(ctx, table):
            line += f"\n-# {words('trouble.listed', match=table.head.match_id)}"
        if len(text) + len(line) >= MAX_CHARACTERS - len(offers):
            break
        text += f"\n{line}"
        buttons += under
        listed += 1
    if listed < len(tables):
        text += f"\n{words('tables.more', n=len(tables) - listed)}"
    quarantined = await ctx.services.store.quarantine.list_quarantined(guild_id=ctx.guild_id, user_id=ctx.user_id)
    for one in quarantined[:MAX_NAMES]:
        text += f"\n-# {words('tables.aside', match=one.match_id)}"
    text += f"\n{offers}" if offers else ""
    wanted = await ctx.services.store.alerts.load_subscriptions(ctx.user_id, ctx.guild_id)
    if wanted and not any(wanted.values()):
        text += f"\n{format_alerts(wanted, words)}"
    await ctx.say(text, *buttons, *joins, build_button(words("alerts.choose"), CustomId("alerts")))


async def _format_table(ctx: Context, table: Table) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    words, match_id = ctx.words, table.head.match_id
    names = (await ctx.messages.load_names(table)).escaped
    others = [name for seat, name in enumerate(names) if seat != table.find_seat(ctx.user_id)]
    named = move_labels.format_list(words, others[:MAX_NAMES])
    if len(others) > MAX_NAMES:
        named = words("and.more", list=named, n=len(others) - MAX_NAMES)
    facts = {"game": words(f"game.{table.terms.game}"), "names": named, "link": format_table_link(table)}
    if not await has_channel(ctx, table):
        bring = build_primary_button(words("tables.bring", match=match_id), CustomId("bring", match_id))
        return words("tables.gone", **facts), [bring]
    if table.head.state == "lobby":
        return words("tables.lobby", **facts), []
    hand = build_button(words("tables.hand", match=match_id), CustomId("hand", match_id))
    if table.find_turn_user() == ctx.user_id:
        return words("tables.mine", **facts), [hand]
    return words("tables.theirs", turn=names[table.match.turn], **facts), [hand]


async def choose_channel_game(ctx: Context) -> str:
    """Return the game of the channel's current or last match, else the default game."""
    table = await ctx.services.tables.find_in_channel(ctx.channel_id)
    return list_games()[0] if table is None else table.terms.game


@tiles.command(name="help", description=localize("command.help"))
@app_commands.describe(why=localize("parameter.help_why"), guided=localize("parameter.help_guided"))
async def help_command(interaction: Interaction, why: str | None = None, guided: bool = False) -> None:
    """Answer `/tiles help`."""
    if guided:
        await serve(interaction, "guide", start_guided_game)
        return

    async def explain(ctx: Context) -> None:
        ctx.custom_id = CustomId("why", argument=why or "")
        await explain_refusal(ctx)

    await serve(interaction, "help", show_help if why is None else explain)


@suggest(help_command, "why")
async def suggest_refusals(ctx: Context, typed: str, _: Mapping[str, str]) -> NamesByValue:
    """Suggest the refusals by a rule."""
    return filter_choices({why.value: ctx.words(f"whyname.{why}") for why in Violation}, typed)


@register_handler("why")
async def explain_refusal(ctx: Context) -> None:
    """Explain the rule behind a refusal. The argument is its code or its name."""
    typed = ctx.custom_id.argument.strip().lower()
    named = {why: ctx.words(f"whyname.{why}").lower() for why in Violation}
    found = next((why for why, name in named.items() if typed and typed in (why.value.lower(), name)), None)
    if found is None:
        await show_help(ctx)
        return
    await ctx.show_separately(Content(build_explanation_view(found, ctx.words)))


async def show_help(ctx: Context) -> None:
    """Show the help, with buttons for the guided game, a practice table, the rules, and what features add."""
    words = ctx.words
    guide = build_primary_button(words("help.guide"), GUIDE_ID)
    practice = build_button(words("help.practice"), CustomId("practice"))
    rules = build_button(words("lobby.rules"), CustomId("rules"))
    more = [one for section in SECTIONS for one in await section.build_help_buttons(ctx)]
    await ctx.say(words("help.text"), guide, practice, rules, *more)
