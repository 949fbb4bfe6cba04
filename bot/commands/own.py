"""What a player has for themselves at a match: the tiles they have not seen, and a note that nobody else reads."""

import asyncio
from typing import Any, Final

import discord
from discord import ui

from bot.base.discord_errors import FAILURES, code_of
from bot.base.logs import logger
from bot.commands.context import Context, Interaction
from bot.commands.dispatch import dispatch
from bot.commands.fairness import OPEN
from bot.commands.play import hand, seat_at
from bot.commands.services import Served
from bot.views import own
from bot.views.languages import at_once
from bot.views.messages import Content
from bot.views.parts import Press
from data.store.trouble import DatabaseTrouble
from data.words import Words
from engine.seen import see
from engine.table.refusals import No, Refused

log = logger(__name__)

SOON: Final = 1.5
"""Seconds for which a form waits for the note that is to stand in it: Discord waits for three."""


async def show_unseen(ctx: Context) -> None:
    """The tiles that the asker has not seen, in place of their hand."""
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    if table.match.ended:
        raise Refused(No.FINISHED)
    await ctx.show(Content(own.unseen_view(table, see(table.match, seat), ctx.words)))


async def take_note(ctx: Context) -> None:
    """Keep what was typed into the form, in place of what was there."""
    table = await ctx.table()
    seat = seat_at(table, ctx.user_id)
    services, note = ctx.services, own.tidied(ctx.values[0] if ctx.values else "")
    if not await services.store.keep_note(table.head.match_id, ctx.user_id, note, now=services.now()):
        raise Refused(No.FINISHED)
    table = await services.tables.load(table.head.match_id)
    told, quick = ctx.words("note.kept" if note else "note.gone"), table.person(ctx.user_id).quick
    await ctx.show_table(table, await ctx.messages.hand(table, seat, quick=quick, note=told, direct=ctx.direct))


class NoteForm(ui.Modal):
    """Asks for a note; the one before stands in it."""

    def __init__(self, press: Press, words: Words, before: str) -> None:
        super().__init__(title=words("note.form"), custom_id=str(press), timeout=OPEN)
        self._press = press
        self._note: ui.TextInput[Any] = ui.TextInput(
            custom_id="note",
            style=discord.TextStyle.paragraph,
            default=before,
            max_length=own.LONGEST_NOTE,
            required=False,
        )
        self.add_item(
            ui.Label(text=words("note.form_label"), description=words("note.form_more"), component=self._note)
        )

    async def on_submit(self, interaction: Interaction) -> None:
        """It was filled in."""
        await dispatch(Context(interaction, self._press, [self._note.value]), take_note)


async def ask_note(interaction: Interaction, press: Press) -> None:
    """Open the form with the asker's note. It is the first answer or none: where the note cannot be read at once they
    see their hand, and can ask again.
    """
    client: Any = interaction.client
    served: Served = client
    try:
        before = await asyncio.wait_for(served.services.store.own_note(press.table, interaction.user.id), SOON)
    except (TimeoutError, DatabaseTrouble):
        await dispatch(Context(interaction, press), hand)
        return
    try:
        await interaction.response.send_modal(NoteForm(press, at_once(interaction), before))
    except FAILURES as error:
        log.warning("the form could not be opened", verb=press.verb, code=code_of(error))
