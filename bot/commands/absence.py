"""The buttons about absence: what to do about a silent player, being back, muting a turn."""

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
    name = await ask.name(ask.user_id)
    chosen = ask.desk.words(f"absence.chosen_{choice}", name=name)
    await ask.interaction.edit_original_response(view=said(f"-# {chosen}", colour=CALM))


async def back(ask: Ask) -> None:
    """Somebody the computer plays for takes their seat again, or answers the question about them."""
    table = await ask.table()
    table = await ask.desk.absence.back(table.head.match_id, ask.user_id, request=ask.interaction.id)
    show_everybody(ask, table)
    words = ask.desk.words
    if ask.press.argument == IN_QUESTION:
        name = await ask.name(ask.user_id)
        answered = said(f"-# {words('absence.chosen_back', name=name)}", colour=CALM)
        await ask.interaction.edit_original_response(view=answered)
    hand = primary(words("board.hand"), Press("hand", table.head.match_id))
    await ask.aside(words("absence.welcome"), hand)


async def mute(ask: Ask) -> None:
    """No more reminders in this turn."""
    table = await ask.table()
    await ask.desk.absence.personal.mute(table.head.match_id, ask.user_id)
    await ask.say(ask.desk.words("settings.muted"))
