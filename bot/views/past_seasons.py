"""Seasons and tournaments that are over: among the titles on somebody's card, and all of a server."""

from collections.abc import Sequence
from typing import Final

from discord import ui

from bot.views.league import season_name
from bot.views.parts import CALM_COLOUR, Press, button, layout, rows
from data.words import Words
from engine.league.season import Conditions

MOST_LISTED: Final = 20
"""Seasons in the list of a server."""
LENGTH: Final = 3800
"""Characters that they may fill, of the 4000 there are."""


def named_season(conditions: Conditions, where: str, words: Words) -> str:
    """What a season is called, with the way there, if any."""
    name = f"**{season_name(conditions, words)}**"
    return f"[{name}]({where})" if where else name


def season_title(conditions: Conditions, where: str, words: Words) -> str:
    """A season that somebody has won, as one of their titles."""
    return words("profile.title_season", season=named_season(conditions, where, words))


def past_row(conditions: Conditions, where: str, winner: str, words: Words) -> str:
    """A line of the list; `winner` is empty where nobody has won."""
    facts = {"season": named_season(conditions, where, words), "game": words(f"game.{conditions.game}")}
    return words("league.past_row", winner=winner, **facts) if winner else words("league.past_nobody", **facts)


def past_view(listed: Sequence[str], season_id: int, words: Words) -> ui.LayoutView:
    """The list, and the way back to the season that it was asked for from."""
    lines, room = [f"## {words('league.past')}"], LENGTH
    for number, line in enumerate(listed):
        room -= len(line) + 1
        if number >= MOST_LISTED or room < 0:
            lines.append(words("history.more", n=len(listed) - number))
            break
        lines.append(line)
    if not listed:
        lines.append(words("league.past_none"))
    back = rows([button(words("league.table"), Press("season", season_id))])
    return layout(ui.TextDisplay("\n".join(lines)), *back, colour=CALM_COLOUR)
