"""Agreements between players: `/tiles undo`, the `/tiles match` subcommands and the buttons under such a question."""

from typing import Final

import discord
from discord import app_commands, ui

from bot.core.command_groups import localized, serve, tiles, whole_match
from bot.core.context import Context, Interaction
from bot.core.dispatch import handles
from bot.core.formats import IN_QUESTION, absence_view
from bot.core.layout import CALM_COLOUR, Press, button, primary, said
from bot.core.refusal_text import rule_text
from bot.tables.hand_commands import check_plays, seat_at, show_everybody, take_back
from bot.tables.move_labels import tile_name
from bot.tables.opening_commands import add_command
from bot.tables.service import Acted, Table
from engine.match.errors import RuleBroken, Why
from engine.match.events import Undone
from engine.table.absence import CHOICES
from engine.table.commands import Answer, Ask, ChooseAbsence, ComeBack, GoOn
from engine.table.refusals import No, Refused
from engine.table.table_events import Closed, PauseAgreed, Replaced, is_sealed
from engine.table.table_state import QuestionKind

DONE: Final = (Closed, Undone, Replaced, PauseAgreed)  # events after all players have agreed


@handles("undo")
async def undo(ctx: Context) -> None:
    """Take back the user's last placement, or offer to ask the others if they must agree."""
    table = await ctx.table()
    if ctx.press.argument == "ask":
        await _report_question(ctx, "undo", await ctx.act(table, Ask(ctx.user_id, "undo")))
        return
    try:
        await take_back(ctx, table)
    except RuleBroken as broken:
        if broken.why is not Why.TOO_LATE_TO_TAKE_BACK:
            raise
        mine = table.seat_of(ctx.user_id)
        if is_sealed(table.state):
            raise Refused(No.DEAL_NO_UNDO) from None
        if all(seat == mine for seat in table.state.people(table.match, ctx.services.now())):
            raise Refused(No.NOBODY_TO_AGREE) from None
        words = ctx.words
        why = rule_text(words, broken, None, None, table.terms.theme)
        offer = Press("undo", table.head.match_id, argument="ask")
        await ctx.aside(words("agree.too_late", why=why), primary(words("agree.ask"), offer))


@handles("abort")
async def abort(ctx: Context) -> None:
    table = await ctx.table()
    words, match_id = ctx.words, table.head.match_id
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    match ctx.press.argument:
        case "yes":
            await _report_question(ctx, "abort", await ctx.act(table, Ask(ctx.user_id, "abort")))
        case "no":
            await ctx.say(words("resign.kept"), button(words("board.hand"), Press("hand", match_id)))
        case _:
            check_plays(table, seat)
            yes, no = (Press("abort", match_id, argument=answer) for answer in ("yes", "no"))
            others = [other for other in table.state.people(table.match, ctx.services.now()) if other != seat]
            await ctx.say(
                words("agree.abort_ask_agreed" if others else "agree.abort_ask"),
                button(words("agree.abort_yes"), yes, style=discord.ButtonStyle.danger),
                button(words("agree.abort_no"), no),
            )


async def ask_pause(ctx: Context) -> None:
    await _report_question(ctx, "pause", await ctx.act(await ctx.table(), Ask(ctx.user_id, "pause")))


@handles("resume")
async def end_pause(ctx: Context) -> None:
    acted = await ctx.act(await ctx.table(), GoOn(ctx.user_id))
    ctx.services.scheduler.soon(acted.table.head.match_id)
    await _reply(ctx, acted.table, "agree.goes_on", None)


add_command(tiles, "undo", undo)
add_command(whole_match, "abort", abort)
add_command(whole_match, "pause", ask_pause)
add_command(whole_match, "resume", end_pause)


@whole_match.command(name="substitute", description=localized("command.substitute"))
@app_commands.describe(person=localized("parameter.substitute_person"), seat=localized("parameter.substitute_seat"))
async def substitute_command(interaction: Interaction, person: discord.User, seat: discord.User | None = None) -> None:
    async def substitute(ctx: Context) -> None:
        table = await ctx.table()
        if person.bot or not isinstance(person, discord.Member):
            raise Refused(No.NOT_A_PERSON)
        ctx.services.names.meet(ctx.guild_id, person)
        command = Ask(ctx.user_id, "substitute", person.id, None if seat is None else seat.id)
        await _report_question(ctx, "substitute", await ctx.act(table, command), person.id)

    await serve(interaction, "substitute", substitute)


@handles("agree")
async def agree(ctx: Context) -> None:
    """Answer the question under the board. The button's argument is yes or no."""
    if ctx.press.argument not in ("yes", "no"):
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    asked = table.question
    acted = await ctx.act(table, Answer(ctx.user_id, ctx.press.seq, ctx.press.argument == "yes"))
    if asked is None:
        raise Refused(No.PROPOSAL_OVER)
    if any(isinstance(event, DONE) for event in acted.events):
        await _report_done(ctx, asked.kind, acted, asked.person)
    elif ctx.press.argument == "no":
        mine = table.seat_of(ctx.user_id) == asked.by
        await _reply(ctx, acted.table, "agree.withdrawn" if mine else "agree.declined", asked.person)
    else:
        await _reply(ctx, acted.table, "agree.agreed", asked.person)


async def _report_question(ctx: Context, kind: QuestionKind, acted: Acted, person: int | None = None) -> None:
    if any(isinstance(event, DONE) for event in acted.events):
        await _report_done(ctx, kind, acted, person)
    else:
        await _reply(ctx, acted.table, "agree.asked", person)


async def _report_done(ctx: Context, kind: QuestionKind, acted: Acted, person: int | None) -> None:
    tile = next((localized.tile for localized in acted.told if localized.tile is not None), None)
    named = "" if tile is None else tile_name(tile, acted.table.terms.theme)
    await _reply(ctx, acted.table, f"agree.done_{kind}", person, named)


async def _reply(ctx: Context, table: Table, key: str, person: int | None, tile: str = "") -> None:
    words, seat = ctx.words, table.seat_of(ctx.user_id)
    show_everybody(ctx, table)
    name = "" if person is None else await ctx.name(person)
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    playing = table.head.state == "open" and seat is not None
    await ctx.say(words(key, person=name, tile=tile), *([hand] if playing else []))


@handles("absent", quiet=True)
async def choose_absence(ctx: Context) -> None:
    """Answer the question about a silent player. The button's argument is the choice."""
    choice = next((choice for choice in CHOICES if choice == ctx.press.argument), None)
    if choice is None:
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    table = (await ctx.act(table, ChooseAbsence(ctx.user_id, choice, ctx.press.seq))).table
    show_everybody(ctx, table)
    watch = table.clock.watch
    if choice == "end" and table.state.state == "open" and watch.asking is not None:
        # The other players can still answer with the same buttons.
        names = await ctx.messages.names(table)
        await _replace_question(ctx, absence_view(table, names, ctx.words))
        return
    await _show_choice(ctx, ctx.words(f"absence.chosen_{choice}", name=await ctx.name(ctx.user_id)))


@handles("back", quiet=True)
async def back(ctx: Context) -> None:
    """Return to a seat that a computer plays, or answer the question about the own absence."""
    table = await ctx.table()
    table = (await ctx.act(table, ComeBack(ctx.user_id))).table
    show_everybody(ctx, table)
    words = ctx.words
    if ctx.press.argument == IN_QUESTION:
        await _show_choice(ctx, words("absence.chosen_back", name=await ctx.name(ctx.user_id)))
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    await ctx.aside(words("absence.welcome"), hand)


@handles("mute")
async def mute(ctx: Context) -> None:
    table = await ctx.table()
    await ctx.services.people.mute(table.head.match_id, ctx.user_id)
    await ctx.say(ctx.words("settings.muted"))


async def _show_choice(ctx: Context, text: str) -> None:
    await _replace_question(ctx, said(f"-# {text}", colour=CALM_COLOUR))


async def _replace_question(ctx: Context, view: ui.LayoutView) -> None:
    """Replace the question. No other message is overwritten."""
    message = ctx.interaction.message
    if message is None:
        return
    asked = f"{Press('absent', ctx.press.table)}:"
    ids = [getattr(item, "custom_id", None) or "" for item in ui.LayoutView.from_message(message).walk_children()]
    if any(custom_id.startswith(asked) for custom_id in ids):
        await ctx.interaction.edit_original_response(view=view)
