"""What people agree on: `/tiles undo abort substitute`, and the buttons under such a question."""

import discord
from discord import app_commands

from bot.commands.context import Context, Interaction
from bot.commands.play import seat_at, show_everybody, take_back
from bot.commands.refusals import rule_text
from bot.commands.registry import serve, tiles, told
from bot.service.agreements import Asked
from bot.service.proposals import has_begun
from bot.service.refusals import No, Refused
from bot.service.tables import Table
from bot.views.ids import Press
from bot.views.parts import button, primary
from engine.errors import RuleBroken, Why
from engine.tiles import tile_text


@tiles.command(name="undo", description=told("command.undo"))
async def undo_command(interaction: Interaction) -> None:
    """`/tiles undo`."""
    await serve(interaction, "undo", undo)


async def undo(ctx: Context) -> None:
    """Take one's last placement back; where that is no longer one's own to do, offer to ask the others."""
    table = await ctx.table()
    if ctx.press.argument == "ask":
        await _answer(
            ctx, await ctx.services.agreements.undo(table.head.match_id, ctx.user_id, request=ctx.interaction.id)
        )
        return
    try:
        await take_back(ctx, table)
    except RuleBroken as broken:
        if broken.why is not Why.TOO_LATE_TO_TAKE_BACK:
            raise
        words = ctx.words
        why = rule_text(words, broken, None, None)
        offer = Press("undo", table.head.match_id, argument="ask")
        await ctx.aside(words("agree.too_late", why=why), primary(words("agree.ask"), offer))


@tiles.command(name="abort", description=told("command.abort"))
async def abort_command(interaction: Interaction) -> None:
    """`/tiles abort`."""
    await serve(interaction, "abort", abort)


async def abort(ctx: Context) -> None:
    """Ask whether the match is really to end without a result, and see to it."""
    table = await ctx.table()
    words, match_id = ctx.words, table.head.match_id
    seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    match ctx.press.argument:
        case "yes":
            await _answer(ctx, await ctx.services.agreements.abort(match_id, ctx.user_id, request=ctx.interaction.id))
        case "no":
            await ctx.say(words("resign.kept"), button(words("board.hand"), Press("hand", match_id)))
        case _:
            yes, no = (Press("abort", match_id, argument=answer) for answer in ("yes", "no"))
            await ctx.say(
                words("agree.abort_ask_agreed" if has_begun(table) else "agree.abort_ask"),
                button(words("agree.abort_yes"), yes, style=discord.ButtonStyle.danger),
                button(words("agree.abort_no"), no),
            )


@tiles.command(name="substitute", description=told("command.substitute"))
@app_commands.describe(person=told("parameter.substitute_person"), seat=told("parameter.substitute_seat"))
async def substitute_command(interaction: Interaction, person: discord.User, seat: discord.User | None = None) -> None:
    """`/tiles substitute`."""

    async def substitute(ctx: Context) -> None:
        table = await ctx.table()
        if person.bot or not isinstance(person, discord.Member):
            raise Refused(No.NOT_A_PERSON)
        ctx.services.names.meet(ctx.guild_id, person)
        question = await ctx.services.agreements.substitute(
            table.head.match_id,
            ctx.user_id,
            person.id,
            owner=None if seat is None else seat.id,
            request=ctx.interaction.id,
        )
        await _answer(ctx, question)

    await serve(interaction, "substitute", substitute)


async def agree(ctx: Context) -> None:
    """Somebody answers the question under the board. The argument is yes or no."""
    if ctx.press.argument not in ("yes", "no"):
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ctx.table()
    answered = await ctx.services.agreements.answer(
        table.head.match_id,
        ctx.user_id,
        number=ctx.press.seq,
        yes=ctx.press.argument == "yes",
        request=ctx.interaction.id,
    )
    await _answer(ctx, answered)


async def _answer(ctx: Context, found: Asked) -> None:
    """Say where the question stands, and show everybody."""
    words, proposal, table = ctx.words, found.proposal, found.table
    show_everybody(ctx, table)
    if found.done:
        key = f"agree.done_{proposal.kind}"
    elif proposal.refused:
        key = "agree.withdrawn" if _asks(table, ctx) == proposal.by else "agree.declined"
    else:
        key = "agree.asked" if _asks(table, ctx) == proposal.by else "agree.agreed"
    person = "" if proposal.person is None else await ctx.name(proposal.person)
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    playing = table.head.state == "open" and _asks(table, ctx) is not None
    await ctx.say(
        words(key, person=person, tile="" if found.tile is None else tile_text(found.tile)),
        *([hand] if playing else []),
    )


def _asks(table: Table, ctx: Context) -> int | None:
    return table.seat_of(ctx.user_id)
