"""The rules of one table as text, with its own numbers and options; and the rule behind each refusal (RULES)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Final

from discord import ui

from bot.core.layout import CALM_COLOUR, Press, button, said
from bot.tables.move_labels import count_points, listed
from data.rulebook import DEFAULT, games, presets, rules
from data.rulebook import rules as game_rules
from data.words import Words
from engine.board.tiles import kind_of_set
from engine.families import DominoRules, QuadRules
from engine.match.bonuses import BonusRules
from engine.match.errors import Why
from engine.match.options import UNLIMITED
from engine.match.rules import Rules


def rules_text(rules: Rules, seats: int | None, *, by_hand: bool, words: Words, here: bool = True) -> str:
    """Format the rules, `here` at a table or of the game in general; `seats` is None while it is not full."""
    facts = _facts(rules, words)
    if here:
        facts["title"] = words("rules.here", title=facts["title"])
    if seats is None:
        sizes = dict.fromkeys(rules.hand_size(count) for count in range(rules.min_seats, rules.max_seats + 1))
        facts |= {"seats": f"{rules.min_seats}–{rules.max_seats}", "hand": "/".join(map(str, sizes))}
    else:
        facts |= {"seats": seats, "hand": rules.hand_size(seats)}
    lines = [words(_key(rules, words), **facts)]
    if told := differently(rules, words):
        lines += [f"**{words('rules.differently')}**", *(f"- {line}" for line in told)]
    return "\n".join([*lines, _automatic_text(rules, by_hand, words)])


def _automatic_text(rules: Rules, by_hand: bool, words: Words) -> str:
    """Say what the bot does for the players, or what they must do themselves."""
    draws = rules.has_boneyard and rules.most_draws > 0
    if by_hand:
        return words("rules.by_hand" if draws else "rules.by_hand_pass")
    parts = ["opening", *["draw"] * draws, "pass", *["bonus"] * isinstance(rules, QuadRules)]
    return words("rules.forced", what=listed(words, [words(f"rules.forced_{part}") for part in parts]))


def _key(rules: Rules, words: Words) -> str:
    own = f"rules.{rules.game}"
    return own if own in words else f"rules.{rules.family}"


def _facts(rules: Rules, words: Words) -> dict[str, object]:
    facts: dict[str, object] = {item.name: getattr(rules, item.name) for item in fields(rules)}
    target_points = count_points(words, rules.target)
    facts |= {
        "title": words(f"game.{rules.game}"),
        "tiles": len(rules.tiles),
        "highest": max(max(tile) for tile in rules.tiles),
        "most_draws": rules.most_draws,
        "target_points": target_points,
        "match": words("rules.deals", target_points=target_points) if rules.target else words("rules.one_deal"),
    }
    if isinstance(rules, BonusRules):
        facts |= {f"hexagon{count}": bonus for count, bonus in enumerate(rules.hexagon_bonuses, 1)}
    if isinstance(rules, DominoRules):
        facts["pairing_told"] = words(f"rules.pairing_{rules.pairing}")
    return facts


def differently(rules: Rules, words: Words) -> list[str]:
    """Format each difference from the game's default rules, a sentence each."""
    usual = game_rules(rules.game)
    differs = [name for name in rules.options() if name != "target" and getattr(rules, name) != getattr(usual, name)]
    return [_read(rules, name, words) for name in differs]


def read_differently(rules: Rules, name: str, value: str, words: Words) -> str:
    """Format one option that differs; empty if the value is the usual one."""
    try:
        read = rules.with_option(name, value)
    except ValueError:
        return ""
    usual = getattr(game_rules(rules.game), name)
    return _read(read, name, words) if getattr(read, name) != usual else ""


def _read(rules: Rules, name: str, words: Words) -> str:
    value = getattr(rules, name)
    of_value = f"reading.{name}_{value}"
    numbered = name in rules.numbers and value != UNLIMITED
    key = of_value if of_value in words and not numbered else f"reading.{name}"
    return words(key, **_facts(rules, words), value=value)


def whynot_view(why: Why, words: Words) -> ui.LayoutView:
    title = words("whynot.title", name=words(f"whyname.{why}"), rule=words(f"whyrule.{why}"))
    return said(f"{title}\n{words(f'whytext.{why}')}", button(words("lobby.rules"), Press("rules")), colour=CALM_COLOUR)


def whynot_button(why: Why, table: int, words: Words) -> ui.Button[ui.LayoutView]:
    return button(words("whynot.button"), Press("why", table, argument=why.value))


NUMBERED: Final = {
    "draw_limit": (UNLIMITED, "3"),
    "empty_boneyard_penalty": ("0", "10"),
    "trioker_values": ("4", "5", "6"),
}
"""Values offered for numeric options; any other number may be typed."""

RANGE: Final = re.compile(r"\d+-\d+")  # notation of a range of numbers
BETWEEN: Final = "; "  # separates options in words, which may contain commas


def rules_meant(game: str, preset: str | None) -> Rules:
    return rules(game, preset if preset is not None and preset in presets(game) else DEFAULT)


def offered(playing: Rules) -> dict[str, tuple[str, ...]]:
    """Return the offered values of each option, including its current one. The target is set elsewhere."""
    found = dict(playing.readings())
    found |= {name: NUMBERED[name] for name in playing.numbers if name in NUMBERED}
    for name, values in found.items():
        now = str(getattr(playing, name))
        found[name] = values if now in values else (now, *values)
    return found


def value_name(words: Words, playing: Rules, name: str, value: str) -> str:
    """Format an option's value: `in steps`, `up to 5`, `56 tiles, 0 to 5`."""
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
    """`Several hexagons at once: in steps; Who opens: by lot, with any tile`."""
    return BETWEEN.join(option_text(words, playing, name, value) for name, value in options.items())


def options_typed(text: str, game: str, preset: str | None, words: Iterable[Words]) -> tuple[str, ...]:
    """Parse options that a user typed or chose, in words or as `name=value`; return each as `name=value`.

    Unreadable text stays unchanged, so that the refusal can quote it.
    """
    found: list[str] = []
    for part in text.split(BETWEEN.strip()):
        known = next(
            (way for said in words if (way := _option_names(said, game, preset).get(part.strip().casefold()))), None
        )
        found += [known] if known else part.replace(",", " ").split()
    return tuple(found)


@lru_cache(maxsize=256)
def _option_names(words: Words, game: str, preset: str | None) -> dict[str, str]:
    if game not in games():
        return {}
    playing = rules_meant(game, preset)
    return {
        option_text(words, playing, name, value).casefold(): f"{name}={value}"
        for name, values in offered(playing).items()
        for value in values
    }


def refused_facts(words: Words, facts: Mapping[str, object]) -> dict[str, object]:
    """Format the choices in a refusal: the name of each, and what to type."""
    told = _option_facts(words, facts)
    keys = {"presets": "preset.{}", "themes": "theme.{}", "levels": "level.{}", "choices": "clock.absent_{}"}
    for fact, key in keys.items():
        if isinstance(named := facts.get(fact), tuple):
            told[fact] = words("and.comma").join(f"{words(key.format(one))} (`{one}`)" for one in named)
    return told


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
