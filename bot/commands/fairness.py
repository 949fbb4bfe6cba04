"""What the deals of a table come from: the fingerprint, a word of one's own, and the check when the match is over."""

import asyncio
from io import BytesIO
from typing import Any, Final

import discord
from discord import ui

from bot.base.discord_errors import FAILURES, code_of
from bot.base.logs import logger
from bot.commands.context import Context, Interaction
from bot.commands.dispatch import dispatch
from bot.commands.lobby import join
from bot.commands.look import record_text
from bot.commands.sight import check_unsealed
from bot.views import fairness
from bot.views.ending import RECORD_FILE
from bot.views.languages import at_once
from bot.views.messages import Content
from bot.views.parts import Press
from data.rulebook import rules
from data.words import Words
from engine.record import Proof, prove, read, rerun
from engine.shuffle import LONGEST_WORD
from engine.table.commands import AddWord

log = logger(__name__)

OPEN: Final = 900.0
"""Seconds for which a form is waited for: as long as its interaction can be answered."""


async def show_fingerprint(ctx: Context) -> None:
    """The fingerprint of the deals, for the asker alone."""
    table = await ctx.table()
    names = await ctx.messages.names(table)
    await ctx.show_aside(Content(fairness.fingerprint_view(table, names, ctx.words, ctx.user_id)))


async def take_word(ctx: Context) -> None:
    """The word that was typed into the form goes into the deals; who does not sit there yet sits down with it."""
    table = await ctx.table()
    word = ctx.values[0] if ctx.values else ""
    if table.state.state == "lobby" and table.seat_of(ctx.user_id) is None:
        await join(ctx, word)
        return
    table = (await ctx.act(table, AddWord(ctx.user_id, word))).table
    names = await ctx.messages.names(table)
    await ctx.show(Content(fairness.fingerprint_view(table, names, ctx.words, ctx.user_id)))


async def verify_deals(ctx: Context) -> None:
    """Check the deals of a match that is over, and say what was found."""
    table = await ctx.table()
    match, words = table.match, ctx.words
    if match.ended is None or table.terms.guided:
        await ctx.say(words("fair.guided" if table.terms.guided else "fair.not_over"))
        return
    check_unsealed(table)
    text, noted = await record_text(ctx, table), fairness.announced(table)
    proof = await asyncio.to_thread(_proof, text, noted)
    names = await ctx.messages.names(table)
    lines = fairness.proof_lines(words, proof, names.safe, match.round, noted)
    lines += [words("deal.verify")] if table.terms.deal else []
    files = [discord.File(BytesIO(text.encode()), filename=RECORD_FILE), fairness.page_file()]
    await ctx.show(Content(fairness.verify_view(lines, words), files))


def _proof(text: str, noted: str) -> Proof:
    record = read(text, rules)
    return prove(record, rerun(record), noted)


class WordForm(ui.Modal):
    """Asks for a word."""

    def __init__(self, press: Press, words: Words) -> None:
        super().__init__(title=words("fair.form"), custom_id=str(press), timeout=OPEN)
        self._press = press
        self._word: ui.TextInput[Any] = ui.TextInput(custom_id="word", max_length=LONGEST_WORD)
        self.add_item(ui.Label(text=words("fair.form_label"), component=self._word))

    async def on_submit(self, interaction: Interaction) -> None:
        """It was filled in."""
        await dispatch(Context(interaction, self._press, [self._word.value]), take_word)


async def ask_word(interaction: Interaction, press: Press) -> None:
    """Open the form. A form is the first answer to a press or none, so nothing is read before it."""
    try:
        await interaction.response.send_modal(WordForm(press, at_once(interaction)))
    except FAILURES as error:
        log.warning("the form could not be opened", verb=press.verb, code=code_of(error))
