"""The rules of one table as text, with its own numbers and options; and the rule behind each refusal (RULES)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Final

from discord import ui

from bot.core.layout import CALM_COLOUR, CustomId, build_button, build_text_view
from bot.tables.move_labels import ALT_LIMIT, format_list, format_point_count
from data.rulebook import DEFAULT_PRESET, list_games, list_presets, load_rules
from data.words import Words
from engine.board.tiles import format_tile_notation, parse_set_kind
from engine.families import DominoRules, QuadRules, TriominoRules
from engine.match.bonuses import BonusRules
from engine.match.errors import Violation
from engine.match.options import NO_HEAD_START, SEAT_POINTS, UNLIMITED
from engine.match.rules import Rules
from render.table.set_chart import count_tiles_by_value, group_tiles


def format_rules(rules: Rules, seats: int | None, *, by_hand: bool, words: Words, at_table: bool = True) -> str:
    """Format the rules, `at_table` at a table or of the game in general; `seats` is None while it is not full."""
    facts = _build_facts(rules, words)
    if at_table:
        facts["title"] = words("rules.here", title=facts["title"])
    if seats is None:
        sizes = dict.fromkeys(rules.compute_hand_size(count) for count in range(rules.min_seats, rules.max_seats + 1))
        facts |= {"seats": f"{rules.min_seats}–{rules.max_seats}", "hand": "/".join(map(str, sizes))}
    else:
        facts |= {"seats": seats, "hand": rules.compute_hand_size(seats)}
    lines = [words(_choose_key(rules, words), **facts)]
    if differences := format_differences(rules, words):
        lines += [f"**{words('rules.differently')}**", *(f"- {line}" for line in differences)]
    return "\n".join([*lines, _format_automation(rules, by_hand, words)])


def _format_automation(rules: Rules, by_hand: bool, words: Words) -> str:
    """Say what the bot does for the players, or what they must do themselves."""
    draws = rules.has_boneyard and rules.max_draws > 0
    if by_hand:
        return words("rules.by_hand" if draws else "rules.by_hand_pass")
    parts = ["opening", *["draw"] * draws, "pass", *["bonus"] * isinstance(rules, QuadRules)]
    return words("rules.forced", what=format_list(words, [words(f"rules.forced_{part}") for part in parts]))


def _choose_key(rules: Rules, words: Words) -> str:
    own = f"rules.{rules.game}"
    return own if own in words else f"rules.{rules.family}"


def _build_facts(rules: Rules, words: Words) -> dict[str, object]:
    facts: dict[str, object] = {item.name: getattr(rules, item.name) for item in fields(rules)}
    target_points, rounds = format_point_count(words, rules.target), words("count.rounds", n=rules.rounds)
    facts |= {
        "title": words(f"game.{rules.game}"),
        "tiles": len(rules.tiles),
        "highest": max(max(tile) for tile in rules.tiles),
        "most_draws": rules.max_draws,
        "target_points": target_points,
        "rounds": rounds,
        "head_start": format_head_start(words, rules.head_start),
        "match": words("rules.one_deal" if rules.is_one_deal else "rules.deals", target_points=target_points),
    }
    if rules.rounds:
        facts["match"] = words("reading.rounds", rounds=rounds)
    if isinstance(rules, BonusRules):
        facts["bridge"] = rules.bridge_bonus
        facts |= {f"hexagon{count}": bonus for count, bonus in enumerate(rules.hexagon_bonuses, 1)}
    if isinstance(rules, TriominoRules):
        facts |= {"tile": rules.children_points[0], "out": rules.out_bonus}
    if isinstance(rules, DominoRules):
        facts["pairing_told"] = words(f"rules.pairing_{rules.pairing}")
    return facts


def format_differences(rules: Rules, words: Words) -> list[str]:
    """Format each difference from the game's default rules, a sentence each."""
    usual, names = load_rules(rules.game), [name for name in rules.list_options() if name != "target"]
    differs = [name for name in names if getattr(rules, name) != getattr(usual, name)]
    return [_format_reading(rules, name, words) for name in differs]


def format_difference(rules: Rules, name: str, value: str, words: Words) -> str:
    """Format one option that differs; empty if the value is the usual one."""
    try:
        changed_rules = rules.with_option(name, value)
    except ValueError:
        return ""
    usual = getattr(load_rules(rules.game), name)
    return _format_reading(changed_rules, name, words) if getattr(changed_rules, name) != usual else ""


def _format_reading(rules: Rules, name: str, words: Words) -> str:
    value = getattr(rules, name)
    of_value = f"reading.{name}_{value}"
    numbered = name in rules.numbers and value != UNLIMITED
    key = of_value if of_value in words and not numbered else f"reading.{name}"
    facts = _build_facts(rules, words)
    if isinstance(value, int):
        facts["points"] = format_point_count(words, value)
    return words(key, **facts, value=value)


def format_set_chart(rules: Rules, words: Words) -> tuple[str, dict[str, str], str]:
    """Format the title, the headings and the alt text of the chart of the tile set."""
    title, groups = words("chart.title", n=len(rules.tiles)), group_tiles(rules.tiles)
    captions = {kind: words(f"chart.kind_{kind}", n=len(tiles)) for kind, tiles in groups.items()}
    captions["numbers"] = words("chart.numbers")
    counts = ", ".join(f"{value} × {count}" for value, count in count_tiles_by_value(rules.tiles).items())

    def format_alt(listed: Mapping[str, str]) -> str:
        text = " ".join(listed.values())
        return words("chart.alt", title=title, groups=text, numbers=captions["numbers"], counts=counts)

    tiles_by_kind = {kind: ", ".join(map(format_tile_notation, tiles)) for kind, tiles in groups.items()}
    full = {k: words("chart.group", heading=captions[k], tiles=tiles) for k, tiles in tiles_by_kind.items()}
    alt = format_alt(full)
    return (
        title,
        captions,
        alt if len(alt) <= ALT_LIMIT else format_alt({kind: f"{captions[kind]}." for kind in groups}),
    )


def build_explanation_view(why: Violation, words: Words) -> ui.LayoutView:
    title = words("whynot.title", name=words(f"whyname.{why}"), rule=words(f"whyrule.{why}"))
    rules = build_button(words("lobby.rules"), CustomId("rules"))
    return build_text_view(f"{title}\n{words(f'whytext.{why}')}", rules, colour=CALM_COLOUR)


def build_explanation_button(why: Violation, table: int, words: Words) -> ui.Button[ui.LayoutView]:
    return build_button(words("whynot.button"), CustomId("why", table, argument=why.value))


OFFERED_NUMBERS: Final = {
    "draw_limit": (UNLIMITED, "3"),
    "empty_boneyard_penalty": ("0", "10"),
    "trioker_values": ("4", "5", "6"),
    "rounds": ("0", "1", "2", "3", "4", "5", "6", "8", "10"),
    "hand_size": ("0", "5", "6", "7", "8", "9"),
    "zero_opening_score": ("30", "40"),
}
"""Values offered for numeric options; any other number may be typed."""

RANGE_PATTERN: Final = re.compile(r"\d+-\d+")  # notation of a range of numbers
HEAD_STARTS: Final = (50, 100)  # offered points for one player
MAX_HEAD_START_SEATS: Final = 6
OPTION_SEPARATOR: Final = "; "  # separates options in words, which may contain commas


def choose_rules(game: str, preset: str | None) -> Rules:
    return load_rules(game, preset if preset is not None and preset in list_presets(game) else DEFAULT_PRESET)


def list_offered_values(playing: Rules, seats: int = MAX_HEAD_START_SEATS) -> dict[str, tuple[str, ...]]:
    """Return the offered values of each option, including its current one, common options first. The target is set
    elsewhere. `seats` is the number of seats of the table.
    """
    found = dict(playing.get_readings())
    found |= {name: OFFERED_NUMBERS[name] for name in playing.numbers if name in OFFERED_NUMBERS}
    most = min(playing.max_seats, seats, MAX_HEAD_START_SEATS)
    starts = ["0/" * seat + str(points) for seat in range(most) for points in HEAD_STARTS]
    found["head_start"] = (NO_HEAD_START, *starts)
    found = {name: found[name] for name in playing.list_options() if name in found}
    for name, values in found.items():
        now = str(getattr(playing, name))
        found[name] = values if now in values else (now, *values)
    return found


def format_value(words: Words, playing: Rules, name: str, value: str) -> str:
    """Format an option's value: `in steps`, `up to 5`, `56 tiles, 0 to 5`."""
    key = f"value.{name}_{value}"
    if key in words:
        return words(key)
    if name == "head_start":
        return format_head_start(words, value)
    if RANGE_PATTERN.fullmatch(value):
        return value
    facts: dict[str, object] = {"value": value}
    if value.isdigit():
        facts |= {"points": format_point_count(words, int(value)), "rounds": words("count.rounds", n=int(value))}
    if name in ("tile_set", "trioker_values"):
        try:
            tiles = playing.with_option(name, value).tiles
        except ValueError:
            return value
        facts |= {"tiles": len(tiles), "highest": max(map(max, tiles))}
        key = f"value.{name}_{parse_set_kind(value)}" if name == "tile_set" else key
    for found in (key, f"value.{name}", f"value.{value}"):
        if found in words:
            return words(found, **facts)
    return value


def format_head_start(words: Words, points: str) -> str:
    """`50 points for player 1, 20 points for player 3`; the text itself if it is none."""
    if SEAT_POINTS.fullmatch(points) is None:
        return points
    counts = [int(one) for one in points.split("/")]
    given = [
        words("value.head_start", points=format_point_count(words, count), seat=seat)
        for seat, count in enumerate(counts, 1)
        if count
    ]
    return words("and.comma").join(given)


def format_option(words: Words, playing: Rules, name: str, value: str) -> str:
    """`Several hexagons at once: in steps`."""
    return words("setup.rule", rule=words(f"rule.{name}"), value=format_value(words, playing, name, value))


def format_options(words: Words, playing: Rules, options: Mapping[str, str]) -> str:
    """`Several hexagons at once: in steps; Who opens: by lot, with any tile`."""
    return OPTION_SEPARATOR.join(format_option(words, playing, name, value) for name, value in options.items())


def parse_options(text: str, game: str, preset: str | None, words: Iterable[Words]) -> tuple[str, ...]:
    """Parse options that a user typed or chose, in words or as `name=value`; return each as `name=value`.

    Unreadable text stays unchanged, so that the refusal can quote it.
    """
    found: list[str] = []
    languages = [_map_option_names(user_words, game, preset) for user_words in words]
    for part in text.split(OPTION_SEPARATOR.strip()):
        known = [names[part.strip().casefold()] for names in languages if part.strip().casefold() in names]
        found += known[:1] or part.replace(",", " ").split()
    return tuple(found)


@lru_cache(maxsize=256)
def _map_option_names(words: Words, game: str, preset: str | None) -> dict[str, str]:
    if game not in list_games():
        return {}
    playing = choose_rules(game, preset)
    return {
        format_option(words, playing, name, value).casefold(): f"{name}={value}"
        for name, values in list_offered_values(playing).items()
        for value in values
    }


def format_refusal_facts(words: Words, facts: Mapping[str, object]) -> dict[str, object]:
    """Format the choices in a refusal: the name of each, and what to type."""
    formatted = _format_option_facts(words, facts)
    keys = {"presets": "preset.{}", "themes": "theme.{}", "levels": "level.{}", "choices": "clock.absent_{}"}
    for fact, key in keys.items():
        if isinstance(named := facts.get(fact), tuple):
            formatted[fact] = words("and.comma").join(f"{words(key.format(one))} (`{one}`)" for one in named)
    return formatted


def _format_option_facts(words: Words, facts: Mapping[str, object]) -> dict[str, object]:
    game, name, allowed = facts.get("game"), str(facts.get("name")), facts.get("allowed")
    if not isinstance(game, str) or not isinstance(allowed, tuple):
        return {}
    playing = load_rules(game)
    if name not in playing.list_options():
        formatted = [f"{words(f'rule.{one}')} (`{one}`)" for one in allowed]
        return {"allowed": words("and.comma").join(formatted)}
    values = [(value, format_value(words, playing, name, value)) for value in allowed]
    formatted = [f"`{value}`" if value_text == value else f"{value_text} (`{value}`)" for value, value_text in values]
    return {"name": f"**{words(f'rule.{name}')}** (`{name}`)", "allowed": words("and.comma").join(formatted)}
