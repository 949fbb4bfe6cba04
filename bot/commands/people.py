"""People: `/tiles games leaderboard help`, the menus of the leaderboard and the records of a server."""

from typing import Final

from discord import app_commands, ui

from bot.commands.context import Context, Interaction, link, still_there
from bot.commands.lobby import GAMES, guide
from bot.commands.open_tables import open_tables
from bot.commands.registry import localized, serve, tiles
from bot.commands.sight import where_played
from bot.service.tables import Table
from bot.views import leaders
from bot.views import sentences as sentences
from bot.views.alerts import wanted_text
from bot.views.figures import FigureAsked
from bot.views.languages import at_once
from bot.views.lesson import GUIDE
from bot.views.messages import Content
from bot.views.parts import Press, button, primary
from bot.views.rules import whynot_view
from data.rulebook import games
from data.store import EVERYWHERE
from engine.errors import Why

LISTED: Final = 20
"""So many tables have a line and a button in the list; a server allows a person no more unless it is told to."""
LENGTH: Final = 3900
"""Characters of a message that the lines may fill, of the 4000 there are."""
NAMED: Final = 3
"""So many people of a table are named in its line."""


@tiles.command(name="games", description=localized("command.games"))
async def games_command(interaction: Interaction) -> None:
    """`/tiles games`."""
    await serve(interaction, "games", my_games)


async def my_games(ctx: Context) -> None:
    """The asker's tables on this server, those that wait for them first, and the open ones they could sit down at."""
    words = ctx.words
    tables = [table for table in await ctx.services.tables.of(ctx.user_id) if table.head.guild_id == ctx.guild_id]
    offers, joins = await open_tables(ctx)
    text = f"## {words('tables.title')}" if tables else words("tables.none")
    buttons: list[ui.Button[ui.LayoutView]] = []
    listed = 0
    for table in tables[:LISTED]:
        line, under = await _table_line(ctx, table)
        if ctx.services.announcer.is_closed(table.head.match_id) and await still_there(ctx, table):
            line += f"\n-# {words('trouble.listed', match=table.head.match_id)}"
        if len(text) + len(line) >= LENGTH - len(offers):
            break
        text += f"\n{line}"
        buttons += under
        listed += 1
    if listed < len(tables):
        text += f"\n{words('tables.more', n=len(tables) - listed)}"
    for aside in (await ctx.services.store.asides(guild_id=ctx.guild_id, user_id=ctx.user_id))[:NAMED]:
        text += f"\n-# {words('tables.aside', match=aside.match_id)}"
    text += f"\n{offers}" if offers else ""
    wanted = await ctx.services.store.alerts_wanted(ctx.user_id, ctx.guild_id)
    if wanted and not any(wanted.values()):
        text += f"\n{wanted_text(wanted, words)}"
    await ctx.say(text, *buttons, *joins, button(words("alerts.choose"), Press("alerts")))


async def _table_line(ctx: Context, table: Table) -> tuple[str, list[ui.Button[ui.LayoutView]]]:
    words, match_id = ctx.words, table.head.match_id
    names = (await ctx.messages.names(table)).safe
    others = [name for seat, name in enumerate(names) if seat != table.seat_of(ctx.user_id)]
    named = sentences.listed(words, others[:NAMED])
    if len(others) > NAMED:
        named = words("and.more", list=named, n=len(others) - NAMED)
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


@tiles.command(name="leaderboard", description=localized("command.leaderboard"))
@app_commands.describe(
    game=localized("parameter.leaderboard_game"),
    where=localized("parameter.leaderboard_where"),
    period=localized("parameter.leaderboard_period"),
)
@app_commands.choices(
    game=GAMES,
    where=[
        app_commands.Choice(name=localized("leaders.scope_server"), value="server"),
        app_commands.Choice(name=localized("leaders.scope_everywhere"), value="everywhere"),
    ],
    period=[
        app_commands.Choice(name=localized("leaders.period_all"), value="all"),
        app_commands.Choice(name=localized("leaders.period_month"), value="month"),
    ],
)
async def leaderboard_command(
    interaction: Interaction, game: str | None = None, where: str = "server", period: str = "all"
) -> None:
    """`/tiles leaderboard`."""

    async def first_page(ctx: Context) -> None:
        await leaderboard(ctx, leaders.Cut(game or await played_here(ctx), where == "server", period == "month", 0))

    await serve(interaction, "leaderboard", first_page)


async def turn_page(ctx: Context) -> None:
    """A button or menu of the leaderboard: everything it shows is in the argument."""
    cut = leaders.parse_cut(ctx.values[0] if ctx.values else ctx.press.argument)
    await leaderboard(ctx, cut or leaders.Cut(games()[0], True, False, 0))


async def leaderboard(ctx: Context, cut: leaders.Cut) -> None:
    """One page of a leaderboard, with the asker's own rank."""
    services = ctx.services
    guild = ctx.guild_id if cut.server else EVERYWHERE
    page = await services.store.leaderboard(guild, cut.game, lately=cut.month, page=cut.page)
    mine = await services.store.own_rank(guild, cut.game, ctx.user_id, lately=cut.month)
    people = [row.user_id for row in page.rows]
    names = await services.names.people(ctx.guild_id, [*people, ctx.user_id], ctx.words)
    await ctx.show(Content(leaders.leaders_view(cut, page, mine, names, ctx.words)))


async def show_records(ctx: Context) -> None:
    """The records of this server in a game, which is the argument, or was chosen; and where the asker finds each."""
    meant = ctx.values[0] if ctx.values else ctx.press.argument
    game = meant if meant in games() else await played_here(ctx)
    found = await ctx.services.store.records(ctx.guild_id, game)
    people = dict.fromkeys(record.user_id for listed in found.values() for record in listed)
    names = await ctx.services.names.people(ctx.guild_id, list(people), ctx.words)
    where = await where_played(ctx, {record.match_id for listed in found.values() for record in listed})
    await ctx.show(Content(leaders.records_view(game, found, names, where, ctx.words)))


async def played_here(ctx: Context) -> str:
    """The game that is played in this channel, or was last: most likely it is the one that is meant."""
    table = await ctx.services.tables.here(ctx.channel_id)
    return games()[0] if table is None else table.terms.game


@tiles.command(name="help", description=localized("command.help"))
@app_commands.describe(why=localized("parameter.help_why"), guided=localized("parameter.help_guided"))
async def help_command(interaction: Interaction, why: str | None = None, guided: bool = False) -> None:
    """`/tiles help`."""
    if guided:
        await serve(interaction, "guide", guide)
        return

    async def explain(ctx: Context) -> None:
        ctx.press = Press("why", argument=why or "")
        await why_not(ctx)

    await serve(interaction, "help", help_text if why is None else explain)


@help_command.autocomplete("why")
async def why_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The refusals there are."""
    said = at_once(interaction)
    named = ((said(f"whyname.{why}"), why.value) for why in Why)
    typed = current.strip().lower()
    found = [app_commands.Choice(name=name, value=value) for name, value in named if typed in f"{name} {value}".lower()]
    return found[:25]


async def why_not(ctx: Context) -> None:
    """The rule behind a refusal. The argument is its code, or words out of its name."""
    meant = ctx.press.argument.strip().lower()
    named = {why: ctx.words(f"whyname.{why}").lower() for why in Why}
    found = next((why for why, name in named.items() if meant and meant in (why.value.lower(), name)), None)
    if found is None:
        await help_text(ctx)
        return
    await ctx.show_aside(Content(whynot_view(found, ctx.words)))


async def help_text(ctx: Context) -> None:
    """Three steps, a guided game or a practice table to try them on, and what there is for one person."""
    words = ctx.words
    figure = Press("solo", argument=str(FigureAsked(await ctx.services.figures.last(ctx.user_id))))
    await ctx.say(
        words("help.text"),
        primary(words("help.guide"), GUIDE),
        button(words("help.practice"), Press("practice")),
        button(words("lobby.rules"), Press("rules")),
        button(words("help.daily"), Press("daily")),
        button(words("help.solo"), figure),
    )
