"""Agreements between players: `/tiles undo`, the `/tiles match` subcommands and the buttons under such a question."""

from typing import Final

import discord
from discord import app_commands, ui

from bot.core.choices import localize
from bot.core.command_groups import match_group, serve, tiles
from bot.core.context import Context, Interaction
from bot.core.dispatch import register_handler
from bot.core.formats import ABSENCE_ANSWER, build_absence_view
from bot.core.layout import CALM_COLOUR, CustomId, build_button, build_primary_button, build_text_view
from bot.core.refusal_text import format_broken_rule
from bot.tables.hand_commands import check_plays, require_seat, undo_placement
from bot.tables.move_labels import format_tile
from bot.tables.opening_commands import add_command
from bot.tables.service import CommandResult, Table
from engine.match.errors import RuleError, Violation
from engine.match.events import Undone
from engine.table.absence import CHOICES
from engine.table.commands import AnswerQuestion, AskPlayers, ChooseAbsence, EndPause, ReturnToSeat
from engine.table.refusals import Refusal, RefusalError
from engine.table.table_events import Closed, PauseAgreed, Replaced, is_sealed
from engine.table.table_state import QuestionKind

AGREED_EVENTS: Final = (Closed, Undone, Replaced, PauseAgreed)  # events after all players have agreed


@register_handler("undo")
async def undo(ctx: Context) -> None:
    """Take back the user's last placement, or offer to ask the others if they must agree."""
    table = await ctx.load_table()
    if ctx.custom_id.argument == "ask":
        await _report_question(ctx, "undo", await ctx.act(table, AskPlayers(ctx.user_id, "undo")))
        return
    try:
        await undo_placement(ctx, table)
    except RuleError as broken:
        if broken.why is not Violation.TOO_LATE_TO_TAKE_BACK:
            raise
        own_seat = table.find_seat(ctx.user_id)
        if is_sealed(table.state):
            raise RefusalError(Refusal.DEAL_NO_UNDO) from None
        if all(seat == own_seat for seat in table.state.list_present_seats(table.match, ctx.services.now())):
            raise RefusalError(Refusal.NOBODY_TO_AGREE) from None
        words = ctx.words
        why = format_broken_rule(words, broken, None, None, table.terms.theme)
        offer = CustomId("undo", table.head.match_id, argument="ask")
        await ctx.say_separately(words("agree.too_late", why=why), build_primary_button(words("agree.ask"), offer))


@register_handler("abort")
async def abort(ctx: Context) -> None:
    table = await ctx.load_table()
    words, match_id = ctx.words, table.head.match_id
    seat = require_seat(table, ctx.user_id)
    if table.match.ended:
        raise RefusalError(Refusal.FINISHED)
    match ctx.custom_id.argument:
        case "yes":
            await _report_question(ctx, "abort", await ctx.act(table, AskPlayers(ctx.user_id, "abort")))
        case "no":
            await ctx.say(words("resign.kept"), build_button(words("board.hand"), CustomId("hand", match_id)))
        case _:
            check_plays(table, seat)
            yes, no = (CustomId("abort", match_id, argument=answer) for answer in ("yes", "no"))
            present = table.state.list_present_seats(table.match, ctx.services.now())
            text = words("agree.abort_ask" if set(present) <= {seat} else "agree.abort_ask_agreed")
            agree = build_button(words("agree.abort_yes"), yes, style=discord.ButtonStyle.danger)
            await ctx.say(text, agree, build_button(words("agree.abort_no"), no))


async def ask_pause(ctx: Context) -> None:
    await _report_question(ctx, "pause", await ctx.act(await ctx.load_table(), AskPlayers(ctx.user_id, "pause")))


@register_handler("resume")
async def end_pause(ctx: Context) -> None:
    acted = await ctx.act(await ctx.load_table(), EndPause(ctx.user_id))
    ctx.services.scheduler.wake(acted.table.head.match_id)
    await _reply(ctx, acted.table, "agree.goes_on", None)


add_command(tiles, "undo", undo)
add_command(match_group, "abort", abort)
add_command(match_group, "pause", ask_pause)
add_command(match_group, "resume", end_pause)


@match_group.command(name="substitute", description=localize("command.substitute"))
@app_commands.describe(person=localize("parameter.substitute_person"), seat=localize("parameter.substitute_seat"))
async def substitute_command(interaction: Interaction, person: discord.User, seat: discord.User | None = None) -> None:
    async def substitute(ctx: Context) -> None:
        table = await ctx.load_table()
        if person.bot or not isinstance(person, discord.Member):
            raise RefusalError(Refusal.NOT_A_PERSON)
        ctx.services.names.remember(ctx.guild_id, person)
        command = AskPlayers(ctx.user_id, "substitute", person.id, None if seat is None else seat.id)
        await _report_question(ctx, "substitute", await ctx.act(table, command), person.id)

    await serve(interaction, "substitute", substitute)


@register_handler("agree")
async def answer_question(ctx: Context) -> None:
    """Answer the question under the board. The button's argument is yes or no."""
    if ctx.custom_id.argument not in ("yes", "no"):
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    table = await ctx.load_table()
    open_question = table.question
    acted = await ctx.act(table, AnswerQuestion(ctx.user_id, ctx.custom_id.seq, ctx.custom_id.argument == "yes"))
    if open_question is None:
        raise RefusalError(Refusal.PROPOSAL_OVER)
    if any(isinstance(event, AGREED_EVENTS) for event in acted.events):
        await _report_done(ctx, open_question.kind, acted, open_question.person)
    elif ctx.custom_id.argument == "no":
        is_asker = table.find_seat(ctx.user_id) == open_question.by
        await _reply(ctx, acted.table, "agree.withdrawn" if is_asker else "agree.declined", open_question.person)
    else:
        await _reply(ctx, acted.table, "agree.agreed", open_question.person)


async def _report_question(ctx: Context, kind: QuestionKind, acted: CommandResult, person: int | None = None) -> None:
    if any(isinstance(event, AGREED_EVENTS) for event in acted.events):
        await _report_done(ctx, kind, acted, person)
    else:
        await _reply(ctx, acted.table, "agree.asked", person)


async def _report_done(ctx: Context, kind: QuestionKind, acted: CommandResult, person: int | None) -> None:
    tile = next((entry.tile for entry in acted.public_events if entry.tile is not None), None)
    tile_text = "" if tile is None else format_tile(tile, acted.table.terms.theme)
    await _reply(ctx, acted.table, f"agree.done_{kind}", person, tile_text)


async def _reply(ctx: Context, table: Table, key: str, person: int | None, tile: str = "") -> None:
    words, seat = ctx.words, table.find_seat(ctx.user_id)
    ctx.refresh(table)
    name = "" if person is None else await ctx.resolve_name(person)
    hand = build_primary_button(words("board.hand"), CustomId("hand", table.head.match_id))
    playing = table.head.state == "open" and seat is not None
    await ctx.say(words(key, person=name, tile=tile), *([hand] if playing else []))


@register_handler("absent", quiet=True)
async def choose_absence(ctx: Context) -> None:
    """Answer the question about a silent player. The button's argument is the choice."""
    choice = next((choice for choice in CHOICES if choice == ctx.custom_id.argument), None)
    if choice is None:
        raise RefusalError(Refusal.UNKNOWN_BUTTON)
    table = await ctx.load_table()
    table = (await ctx.act(table, ChooseAbsence(ctx.user_id, choice, ctx.custom_id.seq))).table
    ctx.refresh(table)
    watch = table.clock.watch
    if choice == "end" and table.state.state == "open" and watch.absence_question is not None:
        # The other players can still answer with the same buttons.
        names = await ctx.messages.load_names(table)
        await _replace_question(ctx, build_absence_view(table, names, ctx.words))
        return
    await _show_choice(ctx, ctx.words(f"absence.chosen_{choice}", name=await ctx.resolve_name(ctx.user_id)))


@register_handler("back", quiet=True)
async def come_back(ctx: Context) -> None:
    """Return to a seat that a computer plays, or answer the question about the own absence."""
    table = await ctx.load_table()
    table = (await ctx.act(table, ReturnToSeat(ctx.user_id))).table
    ctx.refresh(table)
    words = ctx.words
    if ctx.custom_id.argument == ABSENCE_ANSWER:
        await _show_choice(ctx, words("absence.chosen_back", name=await ctx.resolve_name(ctx.user_id)))
    hand = build_primary_button(words("board.hand"), CustomId("hand", table.head.match_id))
    await ctx.say_separately(words("absence.welcome"), hand)


@register_handler("mute")
async def mute_table(ctx: Context) -> None:
    table = await ctx.load_table()
    await ctx.services.user_settings.mute(table.head.match_id, ctx.user_id)
    await ctx.say(ctx.words("settings.muted"))


async def _show_choice(ctx: Context, text: str) -> None:
    await _replace_question(ctx, build_text_view(f"-# {text}", colour=CALM_COLOUR))


async def _replace_question(ctx: Context, view: ui.LayoutView) -> None:
    """Replace the question. No other message is overwritten."""
    message = ctx.interaction.message
    if message is None:
        return
    id_prefix = f"{CustomId('absent', ctx.custom_id.table)}:"
    ids = [getattr(item, "custom_id", None) or "" for item in ui.LayoutView.from_message(message).walk_children()]
    if any(custom_id.startswith(id_prefix) for custom_id in ids):
        await ctx.interaction.edit_original_response(view=view)
