"""What somebody reads who wants to know when a table opens: the message itself, and what they are told of."""

from collections.abc import Mapping

import discord
from discord import ui

from bot.service.tables import Table
from bot.views import sentences as sentences
from bot.views.harmless import safe
from bot.views.lobby import reading_text
from bot.views.parts import Press, address, button
from bot.views.times import pace_text
from data.rulebook import games
from data.words import Words


def lobby_facts(table: Table, words: Words) -> str:
    """What is worth knowing of a table that waits: what is played, who is there, the clock, whether it is rated."""
    terms = table.terms
    notes = [reading_text(terms, words), sentences.target_text(words, table.rules)]
    notes += [words("tables.open_seats", taken=len(table.seats), seats=terms.seats), pace_text(words, terms.pace)]
    notes += [] if table.state.rated else [words("board.unrated")]
    return " · ".join(notes)


def alert(table: Table, server: str, host: str, words: Words) -> tuple[ui.View, str]:
    """The message to one person; `host` is an escaped name."""
    content = words(
        "alerts.opened",
        server=safe(server),
        game=words(f"game.{table.terms.game}"),
        name=host,
        terms=lobby_facts(table, words),
        link=address(table.head),
    )
    view = ui.View(timeout=None)
    view.add_item(button(words("alerts.stop"), Press("unalert", table.head.match_id)))
    view.stop()
    return view, content


def wanted_text(wanted: Mapping[str, bool], words: Words) -> str:
    """Of which games somebody is told on this server, and what keeps them from being told."""
    names = [words(f"game.{game}") for game, reached in wanted.items() if reached]
    if wanted and not names:
        return words("alerts.unreached")
    return words("alerts.on", games=sentences.listed(words, names)) if names else words("alerts.off")


def game_buttons(wanted: Mapping[str, bool], words: Words) -> list[ui.Button[ui.LayoutView]]:
    """One for each game, lit where they are told of it. It says what pressing it does."""
    lit, unlit = discord.ButtonStyle.success, discord.ButtonStyle.secondary
    return [
        button(
            words("alerts.drop" if wanted.get(game) else "alerts.add", game=words(f"game.{game}")),
            Press("alerts", argument=f"{game}.{'off' if wanted.get(game) else 'on'}"),
            style=lit if wanted.get(game) else unlit,
        )
        for game in games()
    ]
