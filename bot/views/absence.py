"""What is said and asked about somebody who is silent or away, with its buttons."""

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import ui

from bot.service.tables import Table
from bot.views import sentences as sentences
from bot.views.ids import Press
from bot.views.names import Names
from bot.views.parts import CALM_COLOUR, GOLD, button, layout, primary, rows, said
from bot.views.times import ends_before, moment, span_words
from data.words import Words
from engine.table.absence import CHOICES
from engine.table.clock import deadline

STYLES: Final = {"wait": discord.ButtonStyle.primary, "end": discord.ButtonStyle.danger}
IN_QUESTION: Final = "asked"
"""The argument of the button by which a silent player answers the question about them."""


def mute_button(words: Words, table: Table) -> ui.Button[ui.View]:
    """Under a call: no reminders in this turn."""
    return button(words("clock.mute"), Press("mute", table.head.match_id))


def returns(words: Words, table: Table) -> list[ui.Button[ui.LayoutView]]:
    """The button for those the computer plays for."""
    return [primary(words("absence.back"), Press("back", table.head.match_id))] if table.clock.standins else []


def resumes(words: Words, table: Table) -> list[ui.Button[Any]]:
    """The button that ends a pause on which people agreed."""
    ends = table.state.paused_until is not None
    return [primary(words("agree.resume"), Press("resume", table.head.match_id))] if ends else []


def absence_view(table: Table, names: Names, words: Words) -> ui.LayoutView:
    """The question to everybody else when somebody's time has run out."""
    seat, match_id = table.match.turn, table.head.match_id
    asked, until = table.clock.watch.asking or 0, table.clock.watch.until or 0
    usual = words(f"clock.absent_{table.terms.absent}")
    span = span_words(words, table.terms.pace.another)
    text = words("absence.asked", name=names.safe[seat], until=moment(until, "f"), usual=usual)
    ending = table.clock.watch.ending
    if ending:
        waiting = [other for other in table.state.people(table.match) if other not in (seat, *ending)]
        listed = (sentences.listed(words, [names.safe[other] for other in some]) for some in (ending, waiting))
        text += "\n" + words("absence.ending", names=next(listed), waiting=next(listed))
    buttons = [
        button(
            words(f"absence.{choice}", span=span),
            Press("absent", match_id, asked, choice),
            style=STYLES.get(choice, discord.ButtonStyle.secondary),
        )
        for choice in CHOICES
    ]
    here = button(words("absence.here"), Press("back", match_id, argument=IN_QUESTION))
    return layout(ui.TextDisplay(text), *rows([*buttons, here]), colour=GOLD)


def settled_view(words: Words, name: str, outcome: str) -> ui.LayoutView:
    """What stands in the place of that question once nobody is asked any more, though nobody has answered it."""
    told = words("absence.over", name=name, outcome=words(f"absence.over_{outcome}"))
    return said(f"-# {told}", colour=CALM_COLOUR)


def notice_text(words: Words, names: Names, body: Mapping[str, Any]) -> str:
    """A line about who is there and who is not."""
    seat, silent = body.get("seat"), body.get("silent")
    return words(
        f"notice.{body['key']}",
        name="" if seat is None else names.safe[int(seat)],
        until=moment(int(body.get("until", 0)), "D"),
        silent="" if silent is None else names.safe[int(silent)],
        waiting=sentences.listed(words, [names.safe[int(other)] for other in body.get("waiting", ())]),
    )


def reminder_text(words: Words, table: Table, mention: str, link: str) -> str:
    """The reminder of a turn."""
    end = deadline(table.clock.time)
    game = words(f"game.{table.terms.game}")
    if end is None or ends_before(table):
        return words("remind.turn", mention=mention, game=game, link=link)
    if table.terms.pace.kind == "relaxed":
        return words("remind.silent", mention=mention, game=game, link=link, date=moment(end, "f"))
    return words("remind.deadline", mention=mention, game=game, link=link, date=moment(end, "f"), end=moment(end))


def reminder_view(table: Table, words: Words) -> ui.View:
    """The buttons under a reminder."""
    view = ui.View(timeout=None)
    view.add_item(primary(words("board.hand"), Press("hand", table.head.match_id)))
    view.add_item(mute_button(words, table))
    view.stop()
    return view
