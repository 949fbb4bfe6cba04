"""What people agree on: `/tiles undo`, `/tiles match` with what is in it, and the buttons under such a question."""

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
from bot.tables.service import Acted, Table
from engine.match.errors import RuleBroken, Why
from engine.match.events import Undone
from engine.table.absence import CHOICES
from engine.table.commands import Answer, Ask, ChooseAbsence, ComeBack, GoOn
from engine.table.refusals import No, Refused
from engine.table.table_events import Closed, PauseAgreed, Replaced, is_sealed
from engine.table.table_state import QuestionKind

DONE: Final = (Closed, Undone, Replaced, PauseAgreed)
"""What happens once everybody has agreed."""


@tiles.command(name="undo", description=localized("command.undo"))
async def undo_command(interaction: Interaction) -> None:
    """`/tiles undo`."""
    await serve(interaction, "undo", undo)


@handles("undo")
async def undo(ctx: Context) -> None:
    """Take one's last placement back; where that is no longer one's own to do, offer to ask the others."""
    table = await ctx.table()
    if ctx.press.argument == "ask":
        await _asked(ctx, "undo", await ctx.act(table, Ask(ctx.user_id, "undo")))
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


@whole_match.command(name="abort", description=localized("command.abort"))
async def abort_command(interaction: Interaction) -> None:
    """`/tiles match abort`."""
    await serve(interaction, "abort", abort)


@handles("abort")
async def abort(ctx: Context) -> None:
    """Ask whether the match is really to end without a result, and see to it."""
    table = await ctx.table()
    words, match_id = ctx.words, table.head.match_id
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    match ctx.press.argument:
        case "yes":
            await _asked(ctx, "abort", await ctx.act(table, Ask(ctx.user_id, "abort")))
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


@whole_match.command(name="pause", description=localized("command.pause"))
async def ask_pause_command(interaction: Interaction) -> None:
    """`/tiles match pause`."""
    await serve(interaction, "pause", ask_pause)


async def ask_pause(ctx: Context) -> None:
    """Ask the others whether the match is to pause."""
    await _asked(ctx, "pause", await ctx.act(await ctx.table(), Ask(ctx.user_id, "pause")))


@whole_match.command(name="resume", description=localized("command.resume"))
async def end_pause_command(interaction: Interaction) -> None:
    """`/tiles match resume`."""
    await serve(interaction, "resume", end_pause)


@handles("resume")
async def end_pause(ctx: Context) -> None:
    """The match that its people have paused goes on."""
    acted = await ctx.act(await ctx.table(), GoOn(ctx.user_id))
    ctx.services.scheduler.soon(acted.table.head.match_id)
    await _say(ctx, acted.table, "agree.goes_on", None)


@whole_match.command(name="substitute", description=localized("command.substitute"))
@app_commands.describe(person=localized("parameter.substitute_person"), seat=localized("parameter.substitute_seat"))
async def substitute_command(interaction: Interaction, person: discord.User, seat: discord.User | None = None) -> None:
    """`/tiles match substitute`."""

    async def substitute(ctx: Context) -> None:
        table = await ctx.table()
        if person.bot or not isinstance(person, discord.Member):
            raise Refused(No.NOT_A_PERSON)
        ctx.services.names.meet(ctx.guild_id, person)
        command = Ask(ctx.user_id, "substitute", person.id, None if seat is None else seat.id)
        await _asked(ctx, "substitute", await ctx.act(table, command), person.id)

    await serve(interaction, "substitute", substitute)


@handles("agree")
async def agree(ctx: Context) -> None:
    """Somebody answers the question under the board. The argument is yes or no."""
    if ctx.press.argument not in ("yes", "no"):
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    asked = table.question
    acted = await ctx.act(table, Answer(ctx.user_id, ctx.press.seq, ctx.press.argument == "yes"))
    if asked is None:
        raise Refused(No.PROPOSAL_OVER)
    if any(isinstance(event, DONE) for event in acted.events):
        await _done(ctx, asked.kind, acted, asked.person)
    elif ctx.press.argument == "no":
        mine = table.seat_of(ctx.user_id) == asked.by
        await _say(ctx, acted.table, "agree.withdrawn" if mine else "agree.declined", asked.person)
    else:
        await _say(ctx, acted.table, "agree.agreed", asked.person)


async def _asked(ctx: Context, kind: QuestionKind, acted: Acted, person: int | None = None) -> None:
    """Say that the others are asked, or that it is done where nobody had to be."""
    if any(isinstance(event, DONE) for event in acted.events):
        await _done(ctx, kind, acted, person)
    else:
        await _say(ctx, acted.table, "agree.asked", person)


async def _done(ctx: Context, kind: QuestionKind, acted: Acted, person: int | None) -> None:
    """Say what everybody had agreed to, and what has been done."""
    tile = next((localized.tile for localized in acted.told if localized.tile is not None), None)
    named = "" if tile is None else tile_name(tile, acted.table.terms.theme)
    await _say(ctx, acted.table, f"agree.done_{kind}", person, named)


async def _say(ctx: Context, table: Table, key: str, person: int | None, tile: str = "") -> None:
    """Say where the question stands, and show everybody."""
    words, seat = ctx.words, table.seat_of(ctx.user_id)
    show_everybody(ctx, table)
    name = "" if person is None else await ctx.name(person)
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    playing = table.head.state == "open" and seat is not None
    await ctx.say(words(key, person=name, tile=tile), *([hand] if playing else []))


@handles("absent", quiet=True)
async def choose_absence(ctx: Context) -> None:
    """Somebody at the table says what is to be done; the argument is the choice."""
    choice = next((choice for choice in CHOICES if choice == ctx.press.argument), None)
    if choice is None:
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    table = (await ctx.act(table, ChooseAbsence(ctx.user_id, choice, ctx.press.seq))).table
    show_everybody(ctx, table)
    watch = table.clock.watch
    if choice == "end" and table.state.state == "open" and watch.asking is not None:
        # Those who are there have yet to say so, by the same buttons.
        names = await ctx.messages.names(table)
        await _rewritten(ctx, absence_view(table, names, ctx.words))
        return
    await _answered(ctx, ctx.words(f"absence.chosen_{choice}", name=await ctx.name(ctx.user_id)))


@handles("back", quiet=True)
async def back(ctx: Context) -> None:
    """Somebody the computer plays for takes their seat again, or answers the question about them."""
    table = await ctx.table()
    table = (await ctx.act(table, ComeBack(ctx.user_id))).table
    show_everybody(ctx, table)
    words = ctx.words
    if ctx.press.argument == IN_QUESTION:
        await _answered(ctx, words("absence.chosen_back", name=await ctx.name(ctx.user_id)))
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    await ctx.aside(words("absence.welcome"), hand)


@handles("mute")
async def mute(ctx: Context) -> None:
    """No more reminders in this turn."""
    table = await ctx.table()
    await ctx.services.people.mute(table.head.match_id, ctx.user_id)
    await ctx.say(ctx.words("settings.muted"))


async def _answered(ctx: Context, text: str) -> None:
    """The question says what was chosen, and has no buttons any more."""
    await _rewritten(ctx, said(f"-# {text}", colour=CALM_COLOUR))


async def _rewritten(ctx: Context, view: ui.LayoutView) -> None:
    """The question becomes this. Nothing else is ever written over."""
    message = ctx.interaction.message
    if message is None:
        return
    asked = f"{Press('absent', ctx.press.table)}:"
    ids = [getattr(item, "custom_id", None) or "" for item in ui.LayoutView.from_message(message).walk_children()]
    if any(custom_id.startswith(asked) for custom_id in ids):
        await ctx.interaction.edit_original_response(view=view)
