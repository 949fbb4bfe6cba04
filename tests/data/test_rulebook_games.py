"""The file of every game: its contents, and that every mistake in it is detected."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from data import rulebook
from data.rulebook import GAMES, RulebookError, list_games

TEXTS = {game: (GAMES / f"{game}.toml").read_text(encoding="utf-8") for game in list_games()}
FAMILIES = "triominoes, quads, dominoes, star, trioker"
KEYS = [(game, field.name) for game in list_games() for field in fields(rulebook.load_rules(game))]
READINGS = [(game, name) for game in list_games() for name in rulebook.load_rules(game).get_readings()]
INTEGER_KEYS = [(game, name) for game, name in KEYS if get_type_hints(type(rulebook.load_rules(game)))[name] is int]


def read_error(folder: Path, game: str, text: str) -> str:
    file = folder / f"{game}.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RulebookError) as refused:
        rulebook.read_game(file)
    return str(refused.value)


def replace_value(game: str, key: str, value: str) -> str:
    text, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", TEXTS[game], count=1, flags=re.MULTILINE)
    assert count == 1
    return text


DOMINO_PRESETS = {
    "default": {},
    "boss": {"boss": "in"},
    "advanced": {"tile_set": "td56", "boss": "in"},
    "open": {"layout": "open"},
    "evening": {"target": 100},
}
PRESETS = {
    "triominoes": {
        "default": {},
        "pressman": {
            "zero_opening": "holder_may_choose",
            "draw_limit": "unlimited",
            "blocked_bonus": "others_minus_own",
            "final_round": "at_round_end",
            "game_winner": "round_winner",
        },
        "goliath": {
            "opening_choice": "any_tile",
            "hexagon_scale": "stepped",
            "bridge_extension": "none",
            "voluntary_draw": "on",
            "empty_boneyard_penalty": 0,
            "blocked_bonus": "others_minus_own",
        },
        "app": {"opening_choice": "any_tile", "blocked_bonus": "lose_own"},
        "encyclopedia": {"bridge_extension": "none", "hexagon_scale": "flat"},
        "children": {"scoring": "children", "rounds": 3},
        "evening": {"target": 150},
    },
    "points": DOMINO_PRESETS,
    "muggins": DOMINO_PRESETS,
    "star": {
        "default": {},
        "advanced": {"tile_set": "td56"},
        "strict": {"star_corner_order": "collinear", "extra_turn": "forced"},
        "touching": {"star_sum": "all_touching", "star_out_bonus": "on"},
        "evening": {"target": 200},
    },
    "quad-ominos": {
        "default": {},
        "swedish": {"deal": "half"},
        "chain": {"bonus_chain": "on", "partial_bonus": "on"},
        "evening": {"deal": "half", "target": 300},
    },
    "trioker": {
        "default": {},
        "joker": {"trioker_joker": "on"},
        "bonuses": {"trioker_bonuses": "on"},
        "five": {"trioker_values": 5},
        "puzzle": {"trioker_board": "hexagon"},
        "evening": {"target": 100},
    },
}


@pytest.mark.parametrize("game", PRESETS)
def test_presets_have_option_values_of_their_names(game: str):
    usual = rulebook.load_rules(game)
    found = {
        preset: {
            field.name: getattr(other, field.name)
            for field in fields(other)
            if getattr(other, field.name) != getattr(usual, field.name)
        }
        for preset in rulebook.list_presets(game)
        for other in [rulebook.load_rules(game, preset)]
    }
    assert found == PRESETS[game]


@pytest.mark.parametrize("game", list_games())
def test_unknown_key_error_names_file_and_allowed_keys(game: str, tmp_path: Path):
    allowed = ", ".join(field.name for field in fields(rulebook.load_rules(game)))
    message = read_error(tmp_path, game, f'colour = "red"\n{TEXTS[game]}')
    assert message.startswith(f"{game}.toml: unknown key 'colour'")
    assert message.endswith(f" {allowed}, presets")


@pytest.mark.parametrize(("game", "key"), [(game, key) for game, key in KEYS if key != "family"])
def test_missing_key_is_named_with_its_file(game: str, key: str, tmp_path: Path):
    text = re.sub(rf"^({key} = )", r"# \1", TEXTS[game], count=1, flags=re.MULTILINE)
    assert read_error(tmp_path, game, text).startswith(f"{game}.toml: missing key {key};")


@pytest.mark.parametrize(("game", "name"), READINGS)
def test_unknown_option_value_error_names_file_key_and_values(game: str, name: str, tmp_path: Path):
    allowed = ", ".join(rulebook.load_rules(game).get_readings()[name])
    message = read_error(tmp_path, game, replace_value(game, name, '"nonsense"'))
    assert message.startswith(f"{game}.toml: {name} ")
    assert allowed in message


@pytest.mark.parametrize(("game", "name"), INTEGER_KEYS)
@pytest.mark.parametrize("wrong", ['"many"', "true", "4.5"])
def test_number_of_wrong_kind_is_named_with_file_and_key(game: str, name: str, wrong: str, tmp_path: Path):
    message = read_error(tmp_path, game, replace_value(game, name, wrong))
    assert message.startswith(f"{game}.toml: Expected `int")
    assert message.endswith(f"at `$.{name}`")


@pytest.mark.parametrize("family", ['"chess"', '""', "3", '["quads"]', "{ of = 'quads' }"])
@pytest.mark.parametrize("game", list_games())
def test_unknown_family_is_refused_with_available_families(game: str, family: str, tmp_path: Path):
    message = read_error(tmp_path, game, replace_value(game, "family", family))
    assert message.startswith(f"{game}.toml: family ")
    assert FAMILIES in message


def test_file_without_family_is_refused(tmp_path: Path):
    message = read_error(tmp_path, "points", TEXTS["points"].replace("family", "# family"))
    assert message.startswith("points.toml: family ")
    assert FAMILIES in message


def test_presets_that_are_not_toml_tables_are_refused(tmp_path: Path):
    text = TEXTS["points"].partition("[presets")[0]
    message = read_error(tmp_path, "points", f"presets = 3\n{text}")
    assert message.startswith("points.toml: presets must")


@pytest.mark.parametrize("game", list_games())
def test_preset_holds_options_only(game: str, tmp_path: Path):
    options = ", ".join(rulebook.load_rules(game).list_options())
    message = read_error(tmp_path, game, f"{TEXTS[game]}\n[presets.large]\nmax_seats = 20\n")
    assert message.startswith(f"{game}.toml: presets.large: unknown option 'max_seats'")
    assert message.endswith(f" {options}")
