"""The buttons about absence: what to do about a silent player, being back, muting a turn."""

from discord import ui

from bot.commands.context import Context
from bot.commands.play import show_everybody
from bot.views.parts import CALM_COLOUR, Press, primary, said
from bot.views.times import IN_QUESTION, absence_view
from engine.table.absence import CHOICES
from engine.table.commands import ChooseAbsence, ComeBack
from engine.table.refusals import No, Refused


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
