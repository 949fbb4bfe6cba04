"""What is offered to whoever types `/tiles new`: readings of the rules, clocks, and single rules read differently."""

from typing import Final

from discord import app_commands

from bot.commands.context import Interaction
from bot.views.languages import at_once
from bot.views.times import pace_text
from data.rulebook import DEFAULT, games, presets, rules
from data.words import upper_first
from engine.options import UNLIMITED
from engine.table.pace import parse_pace
from engine.table.terms import RELAXED, USUAL_CLOCK

NUMBERED: Final = {
    "draw_limit": (UNLIMITED, "3"),
    "empty_boneyard_penalty": ("0", "10"),
    "trioker_values": ("4", "5", "6"),
}
"""What is offered for options that are a number; any other number may be typed."""

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
    return options_of(_game(interaction), getattr(interaction.namespace, "preset", None), current)


def options_of(game: str, preset: str | None, current: str) -> list[app_commands.Choice[str]]:
    """Ways to go on with options typed so far, at a table of this game and reading."""
    *before, last = current.replace(",", " ").split(" ")
    usual = rules(game, preset if preset is not None and preset in presets(game) else DEFAULT)
    readings = usual.readings() | {name: NUMBERED[name] for name in usual.numbers if name in NUMBERED}
    named = {option.partition("=")[0] for option in before}
    ways = [
        f"{name}={value}"
        for name, values in readings.items()
        for value in values
        if name not in named and value != str(getattr(usual, name))
    ]
    found = [" ".join([*before, way]) for way in ways if last in way]
    return [app_commands.Choice(name=text, value=text) for text in found if len(text) <= 100][:25]


def _game(interaction: Interaction) -> str:
    game = getattr(interaction.namespace, "game", None)
    return game if game in games() else games()[0]
