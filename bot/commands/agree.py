"""What people agree on: `/tiles undo abort substitute`, and the buttons under such a question."""

import discord
from discord import app_commands

from bot.ask import Ask, Interaction
from bot.commands import asked, tiles
from bot.commands.play import seat_at, show_everybody, take_back
from bot.interpreter import told
from bot.replies import rule_text
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
    await asked(interaction, "undo", undo)


async def undo(ask: Ask) -> None:
    """Take one's last placement back; where that is no longer one's own to do, offer to ask the others."""
    table = await ask.table()
    if ask.press.argument == "ask":
        await _answer(ask, await ask.desk.agreements.undo(table.head.match_id, ask.user_id, request=ask.interaction.id))
        return
    try:
        await take_back(ask, table)
    except RuleBroken as broken:
        if broken.why is not Why.TOO_LATE_TO_TAKE_BACK:
            raise
        words = ask.words
        why = rule_text(words, broken, None, None)
        offer = Press("undo", table.head.match_id, argument="ask")
        await ask.aside(words("agree.too_late", why=why), primary(words("agree.ask"), offer))


@tiles.command(name="abort", description=told("command.abort"))
async def abort_command(interaction: Interaction) -> None:
    """`/tiles abort`."""
    await asked(interaction, "abort", abort)


async def abort(ask: Ask) -> None:
    """Ask whether the match is really to end without a result, and see to it."""
    table = await ask.table()
    words, match_id = ask.words, table.head.match_id
    seat_at(table, ask.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    match ask.press.argument:
        case "yes":
            await _answer(ask, await ask.desk.agreements.abort(match_id, ask.user_id, request=ask.interaction.id))
        case "no":
            await ask.say(words("resign.kept"), button(words("board.hand"), Press("hand", match_id)))
        case _:
            yes, no = (Press("abort", match_id, argument=answer) for answer in ("yes", "no"))
            await ask.say(
                words("agree.abort_ask_agreed" if has_begun(table) else "agree.abort_ask"),
                button(words("agree.abort_yes"), yes, style=discord.ButtonStyle.danger),
                button(words("agree.abort_no"), no),
            )


@tiles.command(name="substitute", description=told("command.substitute"))
@app_commands.describe(person=told("parameter.substitute_person"), seat=told("parameter.substitute_seat"))
async def substitute_command(interaction: Interaction, person: discord.User, seat: discord.User | None = None) -> None:
    """`/tiles substitute`."""

    async def substitute(ask: Ask) -> None:
        table = await ask.table()
        if person.bot or not isinstance(person, discord.Member):
            raise Refused(No.NOT_A_PERSON)
        ask.desk.names.meet(ask.guild_id, person)
        question = await ask.desk.agreements.substitute(
            table.head.match_id,
            ask.user_id,
            person.id,
            owner=None if seat is None else seat.id,
            request=ask.interaction.id,
        )
        await _answer(ask, question)

    await asked(interaction, "substitute", substitute)


async def agree(ask: Ask) -> None:
    """Somebody answers the question under the board. The argument is yes or no."""
    if ask.press.argument not in ("yes", "no"):
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ask.table()
    answered = await ask.desk.agreements.answer(
        table.head.match_id,
        ask.user_id,
        number=ask.press.seq,
        yes=ask.press.argument == "yes",
        request=ask.interaction.id,
    )
    await _answer(ask, answered)


async def _answer(ask: Ask, found: Asked) -> None:
    """Say where the question stands, and show everybody."""
    words, proposal, table = ask.words, found.proposal, found.table
    show_everybody(ask, table)
    if found.done:
        key = f"agree.done_{proposal.kind}"
    elif proposal.refused:
        key = "agree.withdrawn" if _asks(table, ask) == proposal.by else "agree.declined"
    else:
        key = "agree.asked" if _asks(table, ask) == proposal.by else "agree.agreed"
    person = "" if proposal.person is None else await ask.name(proposal.person)
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    playing = table.head.state == "open" and _asks(table, ask) is not None
    await ask.say(
        words(key, person=person, tile="" if found.tile is None else tile_text(found.tile)),
        *([hand] if playing else []),
    )


def _asks(table: Table, ask: Ask) -> int | None:
    return table.seat_of(ask.user_id)
