"""Why not? Every refusal by a rule explained, with its section of the rulebook."""

from discord import ui

from bot.views.ids import Press
from bot.views.parts import CALM, button, said
from data.words import Words
from engine.errors import Why


def whynot_view(why: Why, words: Words) -> ui.LayoutView:
    """The rule behind a refusal."""
    title = words("whynot.title", name=words(f"whyname.{why}"), rule=words(f"whyrule.{why}"))
    return said(f"{title}\n{words(f'whytext.{why}')}", button(words("lobby.rules"), Press("rules")), colour=CALM)


def whynot_button(why: Why, table: int, words: Words) -> ui.Button[ui.LayoutView]:
    """The button under a refusal that leads here."""
    return button(words("whynot.button"), Press("why", table, argument=why.value))
