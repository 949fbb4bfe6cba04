"""The table before the match: who sits where, and what the match will be."""

import discord
from discord import ui

from bot.service.tables import Table
from bot.views.ids import Press
from bot.views.names import Names
from bot.views.parts import CALM_COLOUR, GOLD, button, layout, primary, rows, said
from bot.views.sentences import target_text
from bot.views.times import clock_terms
from data.words import Words
from engine.table.terms import CLASSIC


def lobby_view(table: Table, names: Names, host: str, words: Words) -> ui.LayoutView:
    """The lobby message."""
    terms, rules = table.terms, table.rules
    ready = len(table.seats) >= rules.min_seats
    lines = [f"## {words('lobby.title', host=host)}", _terms(table, words)]
    if terms.by_hand:
        lines.append(words("lobby.by_hand"))
    if terms.theme != CLASSIC:
        lines.append(words("lobby.theme", theme=words(f"theme.{terms.theme}")))
    if clock := clock_terms(words, table):
        lines.append(clock)
    lines.append(words("lobby.rated" if terms.rated else "lobby.unrated"))
    for seat in range(terms.seats):
        if seat >= len(table.seats):
            lines.append(words("lobby.seat_free", number=seat + 1))
            continue
        key = "lobby.seat_host" if table.seats[seat].user_id == table.head.host_id else "lobby.seat"
        lines.append(words(key, number=seat + 1, name=names.safe[seat]))
    lines.append(words("lobby.ready" if ready else "lobby.waiting", host=host))
    match_id = table.head.match_id
    buttons = [
        button(words("lobby.join"), Press("join", match_id), style=discord.ButtonStyle.success),
        button(words("lobby.leave"), Press("leave", match_id)),
        button(words("lobby.add_computer"), Press("computer", match_id)),
        button(words("lobby.rules"), Press("rules", match_id)),
        primary(words("lobby.start"), Press("start", match_id), disabled=not ready),
    ]
    return layout(ui.TextDisplay("\n".join(lines)), *rows(buttons), colour=GOLD)


def closed_view(table: Table, reason: str, words: Words) -> ui.LayoutView:
    """What is left of a lobby in which no match began."""
    reopen = button(words("lobby.reopen"), Press("rematch", table.head.match_id))
    return said(f"{_terms(table, words)}\n{words('lobby.closed', reason=reason)}", reopen, colour=CALM_COLOUR)


def _terms(table: Table, words: Words) -> str:
    terms, rules = table.terms, table.rules
    game, preset = words(f"game.{terms.game}"), words(f"preset.{terms.preset}")
    if terms.options:
        preset = words("lobby.preset_changed", preset=preset)
    if terms.seats > rules.min_seats:
        return words(
            "lobby.terms_range",
            game=game,
            preset=preset,
            target=target_text(words, rules),
            least=rules.min_seats,
            most=terms.seats,
        )
    return words("lobby.terms", game=game, preset=preset, target=target_text(words, rules), seats=terms.seats)
