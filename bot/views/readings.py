"""Single rules that a table may read differently, in words: what each is called, what it is about, what it can be."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from bot.views.sentences import count_points
from data.rulebook import DEFAULT, games, presets, rules
from data.words import Words
from engine.options import UNLIMITED
from engine.rules import Rules
from engine.tiles import kind_of_set

NUMBERED: Final = {
    "draw_limit": (UNLIMITED, "3"),
    "empty_boneyard_penalty": ("0", "10"),
    "trioker_values": ("4", "5", "6"),
}
"""What is offered for options that are a number; any other number may be typed."""

RANGE: Final = re.compile(r"\d+-\d+")
"""How the least and the most of a number are written."""

BETWEEN: Final = "; "
"""Between single rules that are written in words; their own commas stay."""


def rules_meant(game: str, preset: str | None) -> Rules:
    """The rules of a game under a reading, or its usual one."""
    return rules(game, preset if preset is not None and preset in presets(game) else DEFAULT)


def offered(playing: Rules) -> dict[str, tuple[str, ...]]:
    """What is offered of each single rule, its present value among it. The target has a place of its own."""
    found = dict(playing.readings())
    found |= {name: NUMBERED[name] for name in playing.numbers if name in NUMBERED}
    for name, values in found.items():
        now = str(getattr(playing, name))
        found[name] = values if now in values else (now, *values)
    return found


def value_name(words: Words, playing: Rules, name: str, value: str) -> str:
    """What an option can be, in a few words: `in steps`, `up to 5`, `56 tiles, 0 to 5`."""
    key = f"value.{name}_{value}"
    if key in words:
        return words(key)
    if RANGE.fullmatch(value):
        return value
    facts: dict[str, object] = {"value": value}
    if value.isdigit():
        facts["points"] = count_points(words, int(value))
    if name in ("tile_set", "trioker_values"):
        try:
            tiles = playing.with_option(name, value).tiles
        except ValueError:
            return value
        facts |= {"tiles": len(tiles), "highest": max(map(max, tiles))}
        key = f"value.{name}_{kind_of_set(value)}" if name == "tile_set" else key
    for found in (key, f"value.{name}", f"value.{value}"):
        if found in words:
            return words(found, **facts)
    return value


def option_text(words: Words, playing: Rules, name: str, value: str) -> str:
    """`Several hexagons at once: in steps`."""
    return words("setup.rule", rule=words(f"rule.{name}"), value=value_name(words, playing, name, value))


def options_text(words: Words, playing: Rules, options: Mapping[str, str]) -> str:
    """All that is read differently: `Several hexagons at once: in steps; Who opens: by lot, with any tile`."""
    return BETWEEN.join(option_text(words, playing, name, value) for name, value in options.items())


def options_typed(text: str, game: str, preset: str | None, words: Iterable[Words]) -> tuple[str, ...]:
    """The options in what somebody typed or chose, each as `name=value`: written so, or in words as they are offered.

    What cannot be read stays as it is, to be refused as it was written.
    """
    found: list[str] = []
    for part in text.split(BETWEEN.strip()):
        known = next((way for said in words if (way := _ways(said, game, preset).get(part.strip().casefold()))), None)
        found += [known] if known else part.replace(",", " ").split()
    return tuple(found)


@lru_cache(maxsize=256)
def _ways(words: Words, game: str, preset: str | None) -> dict[str, str]:
    """Every single rule that is offered, in words, and as it is written."""
    if game not in games():
        return {}
    playing = rules_meant(game, preset)
    return {
        option_text(words, playing, name, value).casefold(): f"{name}={value}"
        for name, values in offered(playing).items()
        for value in values
    }


def refused_facts(words: Words, facts: Mapping[str, object]) -> dict[str, object]:
    """What a refusal says in words of what can be typed instead: the name of each, and how it is typed."""
    told = _option_facts(words, facts)
    for fact, named in facts.items():
        if fact in ("presets", "themes", "levels", "choices") and isinstance(named, tuple):
            told[fact] = words("and.comma").join(f"{_choice(words, fact, one)} (`{one}`)" for one in named)
    return told


def _choice(words: Words, fact: str, one: str) -> str:
    """What a reading, a look of tiles, a computer's level, or what is done about somebody absent is called."""
    match fact:
        case "presets":
            return words(f"preset.{one}")
        case "themes":
            return words(f"theme.{one}")
        case "levels":
            return words(f"level.{one}")
        case _:
            return words(f"clock.absent_{one}")


def _option_facts(words: Words, facts: Mapping[str, object]) -> dict[str, object]:
    game, name, allowed = facts.get("game"), str(facts.get("name")), facts.get("allowed")
    if not isinstance(game, str) or not isinstance(allowed, tuple):
        return {}
    playing = rules(game)
    if name not in playing.options():
        told = [f"{words(f'rule.{one}')} (`{one}`)" for one in allowed]
        return {"allowed": words("and.comma").join(told)}
    values = [(value, value_name(words, playing, name, value)) for value in allowed]
    told = [f"`{value}`" if said == value else f"{said} (`{value}`)" for value, said in values]
    return {"name": f"**{words(f'rule.{name}')}** (`{name}`)", "allowed": words("and.comma").join(told)}
