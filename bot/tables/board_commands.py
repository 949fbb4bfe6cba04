"""View a table: `/tiles board scores rules`, their buttons, and the record of a finished match."""

import asyncio
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.core.command_groups import localized, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.discord_errors import FAILURES, code_of
from bot.core.dispatch import dispatch, handles, opens_form
from bot.core.languages import at_once
from bot.core.layout import Press, primary
from bot.core.logs import logger
from bot.tables import board_text, fairness_views
from bot.tables.end_views import RECORD_FILE, record_view
from bot.tables.lobby_commands import GAMES, join
from bot.tables.messages import Content
from bot.tables.opening_commands import add_command
from bot.tables.service import Table
from bot.tables.visible_tables import check_seated, check_unsealed, may_see
from data.rulebook import DEFAULT, games, rules
from data.words import Words
from engine.match.shuffle import LONGEST_WORD
from engine.record import Proof, prove, read, rerun, write
from engine.table.commands import AddWord
from engine.table.refusals import No, Refused


async def board(ctx: Context) -> None:
    """Show the board as a picture, only to the user who asked."""
    table = await ctx.table()
    if table.event_log is None:
        raise Refused(No.CLOSED if table.head.state == "void" else No.NOT_STARTED, host=table.head.host_id)
    check_seated(ctx, table)
    await ctx.show(await ctx.messages.board(table, plays=table.seat_of(ctx.user_id) is not None))


@handles("text")
async def show_text_board(ctx: Context) -> None:
    table = await ctx.table()
    table.match  # noqa: B018 - raises for a table that has no match
    check_seated(ctx, table)
    seat = table.seat_of(ctx.user_id)
    content = await ctx.messages.text(table, seat, direct=ctx.direct)
    if seat is None:
        await ctx.show(content)
    else:
        await ctx.show_table(table, content, text=True)


@handles("scores")
async def scores(ctx: Context) -> None:
    """Show the entries of a round with their reasons. The argument is the round; empty means the latest."""
    table = await ctx.table()
    check_seated(ctx, table)
    latest = table.match.round  # fails without a match, even if the button names a round
    names = await ctx.messages.names(table)
    number = int(ctx.press.argument) if ctx.press.argument.isdigit() else latest
    view = board_text.ledger_view(table, names, ctx.words, number)
    await ctx.show(ctx.messages.plain(view))


@handles("rules")
async def table_rules(ctx: Context) -> None:
    """Show the rules of this table, or of a game if there is no table. The argument may name a game."""
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
    seats = len(table.seats) if table.event_log else None
    buttons = [hand] if seated else []
    terms, told = table.terms, messages.rules
    by_hand, theme = terms.by_hand, terms.theme
    await ctx.show_aside(await told(table.rules, seats, *buttons, here=True, by_hand=by_hand, theme=theme))


@handles("record")
async def record(ctx: Context) -> None:
    """Send the record of a finished match as a file. Earlier it would reveal hidden hands."""
    table = await ctx.table()
    if table.match.ended is None:
        await ctx.say(ctx.words("record.not_over"))
        return
    if not await may_see(ctx, table.head):
        raise Refused(No.NO_SUCH_TABLE)
    check_unsealed(table)
    text = await record_text(ctx, table)
    # A view can refer only to a file that is sent with it.
    attached = discord.File(BytesIO(text.encode()), filename=RECORD_FILE)
    await ctx.show_aside(Content(record_view(ctx.words), [attached]))


async def record_text(ctx: Context, table: Table) -> str:
    terms = table.terms
    preset = "" if terms.preset == DEFAULT else terms.preset
    day = datetime.fromtimestamp(table.head.created_at / 1000, UTC).date().isoformat()
    events = await ctx.services.store.matches.events(table.head.match_id)
    return write(events, rules(terms.game), preset=preset, date=day)


@tiles.command(name="board", description=localized("command.board"))
@app_commands.describe(text=localized("parameter.board_text"))
async def board_command(interaction: Interaction, text: bool = False) -> None:
    await serve(interaction, "board", show_text_board if text else board)


add_command(tiles, "scores", scores)


@tiles.command(name="rules", description=localized("command.rules"))
@app_commands.describe(game=localized("parameter.rules_game"))
@app_commands.choices(game=GAMES)
async def rules_command(interaction: Interaction, game: str | None = None) -> None:
    async def explain(ctx: Context) -> None:
        ctx.press = Press("rules", argument=game or "")
        await table_rules(ctx)

    await serve(interaction, "rules", explain)


log = logger(__name__)

OPEN: Final = 900.0  # seconds a form waits for input: the lifetime of its interaction


@handles("print")
async def show_fingerprint(ctx: Context) -> None:
    table = await ctx.table()
    names = await ctx.messages.names(table)
    await ctx.show_aside(Content(fairness_views.fingerprint_view(table, names, ctx.words, ctx.user_id)))


async def take_word(ctx: Context) -> None:
    """Add the submitted word to the deals. A user without a seat joins the table with it."""
    table = await ctx.table()
    word = ctx.values[0] if ctx.values else ""
    if table.state.state == "lobby" and table.seat_of(ctx.user_id) is None:
        await join(ctx, word)
        return
    table = (await ctx.act(table, AddWord(ctx.user_id, word))).table
    names = await ctx.messages.names(table)
    await ctx.show(Content(fairness_views.fingerprint_view(table, names, ctx.words, ctx.user_id)))


@handles("verify")
async def verify_deals(ctx: Context) -> None:
    table = await ctx.table()
    match, words = table.match, ctx.words
    if match.ended is None or table.terms.guided:
        await ctx.say(words("fair.guided" if table.terms.guided else "fair.not_over"))
        return
    check_unsealed(table)
    text, noted = await record_text(ctx, table), fairness_views.announced(table)
    proof = await asyncio.to_thread(_proof, text, noted)
    names = await ctx.messages.names(table)
    lines = fairness_views.proof_lines(words, proof, names.safe, match.round, noted)
    lines += [words("deal.verify")] if table.terms.deal else []
    files = [discord.File(BytesIO(text.encode()), filename=RECORD_FILE), fairness_views.page_file()]
    await ctx.show(Content(fairness_views.verify_view(lines, words), files))


def _proof(text: str, noted: str) -> Proof:
    record = read(text, rules)
    return prove(record, rerun(record), noted)


class WordForm(ui.Modal):
    def __init__(self, press: Press, words: Words) -> None:
        super().__init__(title=words("fair.form"), custom_id=str(press), timeout=OPEN)
        self._press = press
        self._word: ui.TextInput[Any] = ui.TextInput(custom_id="word", max_length=LONGEST_WORD)
        self.add_item(ui.Label(text=words("fair.form_label"), component=self._word))

    async def on_submit(self, interaction: Interaction) -> None:
        await dispatch(Context(interaction, self._press, [self._word.value]), take_word)


@opens_form("word")
async def ask_word(interaction: Interaction, press: Press) -> None:
    """Open the form. A form must be the first response to an interaction, so nothing is read before."""
    await open_form(interaction, press, WordForm(press, at_once(interaction)))


async def open_form(interaction: Interaction, press: Press, form: ui.Modal) -> None:
    try:
        await interaction.response.send_modal(form)
    except FAILURES as error:
        log.warning("the form could not be opened", verb=press.verb, code=code_of(error))
