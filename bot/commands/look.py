"""Looking at a table: `/tiles board scores rules`, the buttons for them, and the record of a match that is over."""

from datetime import UTC, datetime
from io import BytesIO

import discord
from discord import app_commands

from bot.commands.context import Context, Interaction
from bot.commands.lobby import GAMES
from bot.commands.registry import localized, serve, tiles
from bot.commands.sight import check_seated, check_unsealed, may_see
from bot.service.tables import Table
from bot.views import ledger
from bot.views.ending import RECORD_FILE, record_view
from bot.views.messages import Content
from bot.views.parts import Press, primary
from data.rulebook import DEFAULT, games, rules
from engine.record import write
from engine.table.refusals import No, Refused


async def board(ctx: Context) -> None:
    """The board as a picture, for the asker only."""
    table = await ctx.table()
    if table.story is None:
        raise Refused(No.CLOSED if table.head.state == "void" else No.NOT_STARTED, host=table.head.host_id)
    check_seated(ctx, table)
    await ctx.show(await ctx.messages.board(table, plays=table.seat_of(ctx.user_id) is not None))


async def show_text_board(ctx: Context) -> None:
    """The table in words."""
    table = await ctx.table()
    table.match  # noqa: B018 - raises for a table that has no match
    check_seated(ctx, table)
    seat = table.seat_of(ctx.user_id)
    content = await ctx.messages.text(table, seat, direct=ctx.direct)
    if seat is None:
        await ctx.show(content)
    else:
        await ctx.show_table(table, content, text=True)


async def scores(ctx: Context) -> None:
    """The ledger: every entry of a round with its reason. The argument is the round; none is the latest."""
    table = await ctx.table()
    check_seated(ctx, table)
    latest = table.match.round  # a table without a match has no scores, whatever round a press names
    names = await ctx.messages.names(table)
    number = int(ctx.press.argument) if ctx.press.argument.isdigit() else latest
    view = ledger.ledger_view(table, names, ctx.words, number)
    await ctx.show(ctx.messages.plain(view))


async def table_rules(ctx: Context) -> None:
    """The rules of this table, or of the game where there is none. The argument names a game that is meant instead."""
    words, messages = ctx.words, ctx.messages
    if ctx.press.argument in games():
        await ctx.show_aside(await messages.rules(rules(ctx.press.argument), None, here=False))
        return
    try:
        table = await ctx.table()
    except Refused:
        await ctx.show_aside(await messages.rules(rules(games()[0]), None, here=False))
        return
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    seated = table.head.state == "open" and table.seat_of(ctx.user_id) is not None
    seats = len(table.seats) if table.story else None
    buttons = [hand] if seated else []
    terms, told = table.terms, messages.rules
    by_hand, theme = terms.by_hand, terms.theme
    await ctx.show_aside(await told(table.rules, seats, *buttons, here=True, by_hand=by_hand, theme=theme))


async def record(ctx: Context) -> None:
    """The record of a match that is over, as a file. Before that it would tell what everybody holds."""
    table = await ctx.table()
    if table.match.ended is None:
        await ctx.say(ctx.words("record.not_over"))
        return
    if not await may_see(ctx, table.head):
        raise Refused(No.NO_SUCH_TABLE)
    check_unsealed(table)
    text = await record_text(ctx, table)
    # A view can be sent only with the file that it names.
    attached = discord.File(BytesIO(text.encode()), filename=RECORD_FILE)
    await ctx.show_aside(Content(record_view(ctx.words), [attached]))


async def record_text(ctx: Context, table: Table) -> str:
    """The record of a match, every hand in it."""
    terms = table.terms
    preset = "" if terms.preset == DEFAULT else terms.preset
    day = datetime.fromtimestamp(table.head.created_at / 1000, UTC).date().isoformat()
    events = await ctx.services.store.events(table.head.match_id)
    return write(events, rules(terms.game), preset=preset, date=day)


@tiles.command(name="board", description=localized("command.board"))
@app_commands.describe(text=localized("parameter.board_text"))
async def board_command(interaction: Interaction, text: bool = False) -> None:
    """`/tiles board`."""
    await serve(interaction, "board", show_text_board if text else board)


@tiles.command(name="scores", description=localized("command.scores"))
async def scores_command(interaction: Interaction) -> None:
    """`/tiles scores`."""
    await serve(interaction, "scores", scores)


@tiles.command(name="rules", description=localized("command.rules"))
@app_commands.describe(game=localized("parameter.rules_game"))
@app_commands.choices(game=GAMES)
async def rules_command(interaction: Interaction, game: str | None = None) -> None:
    """`/tiles rules`."""

    async def explain(ctx: Context) -> None:
        ctx.press = Press("rules", argument=game or "")
        await table_rules(ctx)

    await serve(interaction, "rules", explain)
