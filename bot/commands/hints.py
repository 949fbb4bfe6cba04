"""Hints: first where to look, then the move and why. Whoever asks must be to move where no rating is at stake."""

from typing import Final

from bot.commands.context import Context
from bot.commands.play import current, seat_at
from bot.views import hints as views
from engine.table.refusals import No, Refused

PARTS: Final = frozenset({"", views.MOVE, views.AS_TEXT, f"{views.MOVE}.{views.AS_TEXT}"})
"""What the argument can be: whether the move is asked for, and in words."""


async def give(ctx: Context) -> None:
    """Where to look; with `move` the move with its reasons; with `text` without a picture."""
    argument = ctx.press.argument
    if argument not in PARTS:
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    if not table.hints:
        raise Refused(No.DEAL_NO_HINTS if table.terms.deal else No.NO_HINTS)
    table = current(ctx, table)
    if table.turn_user() != ctx.user_id or table.clock.time.paused:
        raise Refused(No.STALE)
    advice = await ctx.services.hints.of(table, seat, ctx.user_id)
    asked = argument.split(".")
    show = ctx.messages.hint_text if views.AS_TEXT in asked else ctx.messages.hint
    content = await show(table, seat, advice, move=views.MOVE in asked, direct=ctx.direct)
    await ctx.show_table(table, content, text=views.AS_TEXT in asked)
