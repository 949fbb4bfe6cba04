"""What is offered to whoever types `/tiles new`: readings of the rules, clocks, and single rules read differently."""

from typing import Final

from discord import app_commands

from bot.commands.context import Interaction
from bot.views.languages import at_once
from bot.views.readings import BETWEEN, offered, option_text, options_typed, rules_meant
from bot.views.times import pace_text
from data.rulebook import games, presets
from data.words import Words, upper_first, words
from engine.table.pace import parse_pace
from engine.table.terms import RELAXED, USUAL_CLOCK

MOST: Final = 25
"""The choices that Discord lists."""
LONGEST: Final = 100
"""The characters of a choice."""

CLOCKS: Final = (USUAL_CLOCK, "days 1d", "days 3d", "days 7d", "bank 7d+12h", "live 5m", RELAXED)
"""What is offered; others may be typed."""


async def preset_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The readings of the chosen game."""
    return readings_of(_game(interaction), interaction, current)


def readings_of(game: str, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The readings of a game, as far as they fit what was typed."""
    said = at_once(interaction)
    names = ((said(f"preset.{preset}"), preset) for preset in presets(game))
    typed = current.strip().lower()
    return [app_commands.Choice(name=name, value=value) for name, value in names if typed in f"{name} {value}".lower()]


async def clock_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Clocks that people use, and the one that was typed."""
    typed = current.strip().lower()
    try:
        own = [str(parse_pace(typed))] if typed else []
    except ValueError:
        own = []
    said = at_once(interaction)
    named = {text: upper_first(pace_text(said, parse_pace(text))) for text in [*own, *CLOCKS]}
    found = [(name, text) for text, name in named.items() if text in own or typed in f"{name} {text}".lower()]
    return [app_commands.Choice(name=name, value=text) for name, text in found]


async def option_choices(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Ways to go on with the options typed so far."""
    return options_of(_game(interaction), getattr(interaction.namespace, "preset", None), interaction, current)


def options_of(game: str, preset: str | None, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Ways to go on with options typed so far, at a table of this game and reading: each in words."""
    said, usual = at_once(interaction), rules_meant(game, preset)
    # What was chosen stands there in words, with a semicolon behind it if one goes on; or it was typed, with spaces.
    chosen, _, last = current.rpartition(BETWEEN.strip()) if BETWEEN.strip() in current else current.rpartition(" ")
    before, last = options_typed(chosen, game, preset, spoken_with(said)), last.strip().casefold()
    if not all("=" in option for option in before):
        before, last = (), current.strip().casefold()
    named = dict(option.split("=", 1) for option in before)
    found = []
    for name, values in offered(usual).items():
        for value in values:
            way, text = f"{name}={value}", option_text(said, usual, name, value)
            if name not in named and value != str(getattr(usual, name)) and last in f"{way} {text}".casefold():
                told = BETWEEN.join([*(option_text(said, usual, *pair) for pair in named.items()), text])
                found.append(app_commands.Choice(name=shortened(told), value=" ".join([*before, way])))
    return [choice for choice in found if len(choice.value) <= LONGEST][:MOST]


def spoken_with(said: Words) -> tuple[Words, ...]:
    """The languages in which somebody may have written an option: their own, and English."""
    return said, words()


def shortened(text: str) -> str:
    """As much of a text as Discord lists; of several options the last one says what is chosen."""
    return text if len(text) <= LONGEST else f"…{text[1 - LONGEST :]}"


def _game(interaction: Interaction) -> str:
    game = getattr(interaction.namespace, "game", None)
    return game if game in games() else games()[0]
