"""View a table: `/tiles board scores rules`, their buttons, and the record of a finished match."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.core.choices import localize
from bot.core.command_groups import serve, tiles
from bot.core.context import Context, Interaction
from bot.core.discord_errors import REQUEST_ERRORS, format_error_code
from bot.core.dispatch import dispatch, register_form, register_handler
from bot.core.languages import choose_words
from bot.core.layout import CustomId, build_button, build_primary_button, build_text_view
from bot.core.logs import get_logger
from bot.tables import board_text, fairness_views
from bot.tables.end_views import RECORD_FILE, build_record_view
from bot.tables.lobby_commands import GAME_CHOICES, join_table
from bot.tables.messages import Content
from bot.tables.opening_commands import add_command
from bot.tables.service import Table
from bot.tables.visible_tables import can_see_match, check_seated, check_unsealed
from data.rulebook import DEFAULT_PRESET, list_games, load_rules
from data.words import Words
from engine.match.shuffle import MAX_WORD_LENGTH
from engine.record import Proof, prove, read, rerun, write
from engine.table.commands import AddWord
from engine.table.refusals import Refusal, RefusalError


async def show_board(ctx: Context) -> None:
    """Show the board as a picture, only to the user who asked."""
    table = await ctx.load_table()
    if table.event_log is None:
        why = Refusal.CLOSED if table.head.state == "void" else Refusal.NOT_STARTED
        raise RefusalError(why, host=table.head.host_id)
    check_seated(ctx, table)
    await ctx.show(await ctx.messages.build_board(table, is_player=table.find_seat(ctx.user_id) is not None))


@register_handler("text")
async def show_text_board(ctx: Context) -> None:
    table = await ctx.load_table()
    table.match  # noqa: B018 - raises for a table that has no match
    check_seated(ctx, table)
    seat = table.find_seat(ctx.user_id)
    content = await ctx.messages.build_text_board(table, seat, direct=ctx.is_direct)
    if seat is None:
        await ctx.show(content)
    else:
        await ctx.show_table(table, content, text=True)


@register_handler("scores")
async def show_scores(ctx: Context) -> None:
    """Show the entries of a round with their reasons. The argument is the round; empty means the latest."""
    table = await ctx.load_table()
    check_seated(ctx, table)
    latest = table.match.round  # fails without a match, even if the button names a round
    names = await ctx.messages.load_names(table)
    number = int(ctx.custom_id.argument) if ctx.custom_id.argument.isdigit() else latest
    view = board_text.build_ledger_view(table, names, ctx.words, number)
    await ctx.show(Content(view))


@register_handler("rules")
async def show_rules(ctx: Context) -> None:
    """Show the rules of this table, or of a game if there is no table. The argument may name a game."""
    words, messages = ctx.words, ctx.messages
    table, game = None, ctx.custom_id.argument
    if game not in list_games():
        with suppress(RefusalError):
            table = await ctx.load_table()
    if table is None:
        rules = load_rules(game if game in list_games() else list_games()[0])
        strategy = _build_strategy_buttons(rules.game, words)
        await ctx.show_separately(await messages.build_rules(rules, None, *strategy, at_table=False))
        return
    hand = build_primary_button(words("board.hand"), CustomId("hand", table.head.match_id))
    seated = table.head.state == "open" and table.find_seat(ctx.user_id) is not None
    seats = len(table.seats) if table.event_log else None
    buttons = [*([hand] if seated else []), *_build_strategy_buttons(table.rules.game, words)]
    by_hand, theme = table.terms.by_hand, table.terms.theme
    content = await messages.build_rules(table.rules, seats, *buttons, at_table=True, by_hand=by_hand, theme=theme)
    await ctx.show_separately(content)


def _build_strategy_buttons(game: str, words: Words) -> list[ui.Button[ui.LayoutView]]:
    has_page = f"strategy.{game}" in words
    return [build_button(words("strategy.title"), CustomId("strategy", argument=game))] if has_page else []


@register_handler("strategy")
async def show_strategy(ctx: Context) -> None:
    """Show how to play a game well. The argument is the game."""
    key = f"strategy.{ctx.custom_id.argument}"
    await ctx.show_separately(Content(build_text_view(ctx.words(key if key in ctx.words else "strategy.triominoes"))))


@register_handler("record")
async def send_record(ctx: Context) -> None:
    """Send the record of a finished match as a file. Earlier it would reveal hidden hands."""
    table = await ctx.load_table()
    if table.match.ended is None:
        await ctx.say(ctx.words("record.not_over"))
        return
    if not await can_see_match(ctx, table.head):
        raise RefusalError(Refusal.NO_SUCH_TABLE)
    check_unsealed(table)
    text = await load_record_text(ctx, table)
    # A view can refer only to a file that is sent with it.
    attached = discord.File(BytesIO(text.encode()), filename=RECORD_FILE)
    await ctx.show_separately(Content(build_record_view(ctx.words), [attached]))


async def load_record_text(ctx: Context, table: Table) -> str:
    terms = table.terms
    preset = "" if terms.preset == DEFAULT_PRESET else terms.preset
    day = datetime.fromtimestamp(table.head.created_at / 1000, UTC).date().isoformat()
    events = await ctx.services.store.matches.list_events(table.head.match_id)
    return write(events, load_rules(terms.game), preset=preset, date=day)


@tiles.command(name="board", description=localize("command.board"))
@app_commands.describe(text=localize("parameter.board_text"))
async def board_command(interaction: Interaction, text: bool = False) -> None:
    await serve(interaction, "board", show_text_board if text else show_board)


add_command(tiles, "scores", show_scores)


@tiles.command(name="rules", description=localize("command.rules"))
@app_commands.describe(game=localize("parameter.rules_game"))
@app_commands.choices(game=GAME_CHOICES)
async def rules_command(interaction: Interaction, game: str | None = None) -> None:
    async def explain(ctx: Context) -> None:
        ctx.custom_id = CustomId("rules", argument=game or "")
        await show_rules(ctx)

    await serve(interaction, "rules", explain)


log = get_logger(__name__)

FORM_TIMEOUT: Final = 900.0  # seconds a form waits for input: the lifetime of its interaction


@register_handler("print")
async def show_fingerprint(ctx: Context) -> None:
    table = await ctx.load_table()
    names = await ctx.messages.load_names(table)
    await ctx.show_separately(Content(fairness_views.build_fingerprint_view(table, names, ctx.words, ctx.user_id)))


async def add_word(ctx: Context) -> None:
    """Add the submitted word to the deals. A user without a seat joins the table with it."""
    table = await ctx.load_table()
    word = ctx.values[0] if ctx.values else ""
    if table.state.state == "lobby" and table.find_seat(ctx.user_id) is None:
        await join_table(ctx, word)
        return
    table = (await ctx.act(table, AddWord(ctx.user_id, word))).table
    names = await ctx.messages.load_names(table)
    await ctx.show(Content(fairness_views.build_fingerprint_view(table, names, ctx.words, ctx.user_id)))


@register_handler("verify")
async def verify_deals(ctx: Context) -> None:
    table = await ctx.load_table()
    match, words = table.match, ctx.words
    if match.ended is None or table.terms.guided:
        await ctx.say(words("fair.guided" if table.terms.guided else "fair.not_over"))
        return
    check_unsealed(table)
    text, noted_fingerprint = await load_record_text(ctx, table), fairness_views.compute_fingerprint(table)
    proof = await asyncio.to_thread(_verify_record, text, noted_fingerprint)
    names = await ctx.messages.load_names(table)
    lines = fairness_views.format_proof(words, proof, names.escaped, match.round, noted_fingerprint)
    lines += [words("deal.verify")] if table.terms.deal else []
    files = [discord.File(BytesIO(text.encode()), filename=RECORD_FILE), fairness_views.build_page_file()]
    await ctx.show(Content(fairness_views.build_verify_view(lines, words), files))


def _verify_record(text: str, noted_fingerprint: str) -> Proof:
    record = read(text, load_rules)
    return prove(record, rerun(record), noted_fingerprint)


class WordForm(ui.Modal):
    def __init__(self, press: CustomId, words: Words) -> None:
        super().__init__(title=words("fair.form"), custom_id=str(press), timeout=FORM_TIMEOUT)
        self._press = press
        self._word: ui.TextInput[Any] = ui.TextInput(custom_id="word", max_length=MAX_WORD_LENGTH)
        self.add_item(ui.Label(text=words("fair.form_label"), component=self._word))

    async def on_submit(self, interaction: Interaction) -> None:
        await dispatch(Context(interaction, self._press, [self._word.value]), add_word)


@register_form("word")
async def open_word_form(interaction: Interaction, press: CustomId) -> None:
    """Open the form. A form must be the first response to an interaction, so nothing is read before."""
    await open_form(interaction, press, WordForm(press, choose_words(interaction)))


async def open_form(interaction: Interaction, press: CustomId, form: ui.Modal) -> None:
    try:
        await interaction.response.send_modal(form)
    except REQUEST_ERRORS as error:
        log.warning("the form could not be opened", verb=press.verb, code=format_error_code(error))
