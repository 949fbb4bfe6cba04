"""The buttons about absence: what to do about a silent player, being back, muting a turn."""

from discord import ui

from bot.ask import Ask
from bot.commands.play import show_everybody
from bot.service.absence import CHOICES
from bot.service.refusals import No, Refused
from bot.views.absence import IN_QUESTION
from bot.views.ids import Press
from bot.views.parts import CALM, primary, said


async def choose(ask: Ask) -> None:
    """Somebody at the table says what is to be done; the argument is the choice."""
    choice = next((choice for choice in CHOICES if choice == ask.press.argument), None)
    if choice is None:
        raise Refused(No.UNKNOWN_BUTTON)
    table = await ask.table()
    await ask.desk.absence.choose(table.head.match_id, ask.user_id, choice, ask.press.seq, request=ask.interaction.id)
    show_everybody(ask, table)
    await _answered(ask, ask.words(f"absence.chosen_{choice}", name=await ask.name(ask.user_id)))


async def back(ask: Ask) -> None:
    """Somebody the computer plays for takes their seat again, or answers the question about them."""
    table = await ask.table()
    table = await ask.desk.absence.back(table.head.match_id, ask.user_id, request=ask.interaction.id)
    show_everybody(ask, table)
    words = ask.words
    if ask.press.argument == IN_QUESTION:
        await _answered(ask, words("absence.chosen_back", name=await ask.name(ask.user_id)))
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    await ask.aside(words("absence.welcome"), hand)


async def mute(ask: Ask) -> None:
    """No more reminders in this turn."""
    table = await ask.table()
    await ask.desk.absence.personal.mute(table.head.match_id, ask.user_id)
    await ask.say(ask.words("settings.muted"))


async def _answered(ask: Ask, text: str) -> None:
    """The question says what was chosen, and has no buttons any more. Nothing else is ever written over."""
    message = ask.interaction.message
    if message is None:
        return
    asked = f"{Press('absent', ask.press.table)}:"
    ids = [getattr(item, "custom_id", None) or "" for item in ui.LayoutView.from_message(message).walk_children()]
    if any(custom_id.startswith(asked) for custom_id in ids):
        await ask.interaction.edit_original_response(view=said(f"-# {text}", colour=CALM))
