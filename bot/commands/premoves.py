"""Premoves: what somebody decides on while others play, chosen in their own hand and known to nobody else."""

from contextlib import suppress
from typing import cast

from bot.commands.context import Context
from bot.commands.play import current, seat_at
from bot.service.acts import TRIES
from bot.service.tables import Table
from bot.views import moves
from bot.views import premoves as views
from data.store import Stale
from engine.seen import Move, see
from engine.table.premove import Premove, Then, decided
from engine.table.refusals import No, Refused


async def decide_ahead(ctx: Context) -> None:
    """A move was chosen for one's next turn, a tile whose places are wanted, or which bonus is taken."""
    table = current(ctx, await ctx.table())
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    if not views.may_decide(table, seat):
        raise Refused(No.STALE)
    wanted = ctx.values[0] if ctx.values else ctx.press.argument
    if wanted == views.IF_AWAY:
        if not views.offers_most(table):
            raise Refused(No.NO_HINTS)
        await _arm(ctx, table, seat, decided(table.match, seat, None))
        return
    seen = see(table.match, seat)
    tile = next((one.tile for one in moves.by_tile(seen) if moves.tile_token(one.tile) == wanted), None)
    if tile is not None:
        await ctx.show_table(table, await ctx.messages.hand(table, seat, tile=tile, direct=ctx.direct))
        return
    named, then = _taken_apart(wanted)
    move = moves.find_move(seen, named)
    if move is None:
        raise Refused(No.STALE)
    if then is None and asks(move):
        await ctx.show_table(table, await ctx.messages.hand(table, seat, chosen=move, direct=ctx.direct))
        return
    chosen = then if then is not None and asks(move) else ""
    try:
        premove = decided(table.match, seat, move.placement, chosen)
    except ValueError:
        raise Refused(No.STALE) from None
    await _arm(ctx, table, seat, premove)


async def take_away(ctx: Context) -> None:
    """They want to be asked after all."""
    table = await ctx.table()
    seat, match_id = seat_at(table, ctx.user_id), table.head.match_id
    if ctx.user_id not in table.premoves:
        raise Refused(No.STALE)
    await _disarm(ctx, match_id)
    table = await ctx.services.tables.load(match_id)
    note, quick = ctx.words("premove.cancelled"), table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, note=note, quick=quick, direct=ctx.direct))


def asks(move: Move) -> bool:
    """Whether there is a bonus to choose from."""
    return move.reward is not None and not move.reward.both


def _taken_apart(text: str) -> tuple[str, Then | None]:
    """A move, and which bonus is taken where a button says that."""
    named, _, then = text.rpartition(".")
    if then in ("points", "tiles"):
        return named, cast(Then, then)
    return (named, "") if then == views.ASK else (text, None)


async def _arm(ctx: Context, table: Table, seat: int, premove: Premove) -> None:
    try:
        await ctx.services.store.arm(table.head, ctx.user_id, premove)
    except Stale:
        raise Refused(No.STALE) from None
    table = await ctx.services.tables.load(table.head.match_id)
    quick = table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, direct=ctx.direct))


async def _disarm(ctx: Context, match_id: int) -> None:
    for _ in range(TRIES):
        now = await ctx.services.tables.load(match_id)
        if ctx.user_id not in now.premoves:
            return
        with suppress(Stale):
            await ctx.services.store.arm(now.head, ctx.user_id, None)
            return
    raise Refused(No.STALE)
