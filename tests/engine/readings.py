"""Rules that the tests use: any game with options, and for Triominoes all presets, tile sets and rare options."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rulebook import list_presets, load_rules
from engine.families import TriominoRules
from engine.match.events import Dealt
from engine.match.rules import Rules
from engine.record.writing import RecordWriter
from tests.depth import scale_count

PRESETS: Final = list_presets("triominoes")
CHOICE_OPTIONS: Final = TriominoRules.get_readings()
rngs = st.integers(0, 2**32).map(Random)


def build_rules(game: str, text: str = "", preset: str = "default") -> Rules:
    """Return a preset of a game with options such as `bonus_chain=on target=300`."""
    found = load_rules(game, preset)
    for option in text.split():
        found = found.with_option(*option.split("=", 1))
    return found


def build_triominoes_rules(text: str = "", preset: str = "default") -> TriominoRules:
    found = build_rules("triominoes", text, preset)
    assert isinstance(found, TriominoRules)
    return found


def given_rules(named_rules: Mapping[str, Rules], examples: int, **strategies: st.SearchStrategy) -> Callable:
    """Run a test under each of these rules, with this many examples of Hypothesis."""

    def decorate(test: Callable) -> object:
        with_examples = settings(max_examples=scale_count(examples))(given(**strategies)(test))
        return pytest.mark.parametrize("rules", named_rules.values(), ids=named_rules)(with_examples)

    return decorate


def format_deal(rules: Rules) -> list[str]:
    """Return the lines of a record that deal two tiles to each of two seats."""
    tiles = rules.tiles
    return RecordWriter([0, 0]).format_event(Dealt(1, (tiles[:2], tiles[2:4]), tiles[4:], 1, tiles[2:3]))


RARE_OPTIONS: Final = {
    "trio84": "tile_set=trio84",
    "mac76": "tile_set=mac76",
    # Option values that no preset has.
    "rare": (
        "tile_set=trio84 bonus_stacking=sum bridge_extension=opposite_point opening_tie=next_unique_sum "
        "block_detection=immediate blocked_winner=fewest_tiles blocked_tie=none game_tie=extra_round target=100 "
        "blocked_bonus=none draws_spent_penalty=additional"
    ),
    "rarest": (
        "bonus_stacking=sum bridge_extension=any_side block_detection=immediate draw_limit=unlimited voluntary_draw=on "
        "blocked_bonus=lose_own game_winner=round_winner final_round=at_round_end target=100"
    ),
    "sheets": (
        "hexagon_scale=flat blocked_bonus=others_all blocked_winner=fewest_tiles opening_no_triple=draw_until_triple "
        "hand_size=5 zero_opening_score=30 head_start=30/0/20 rounds=2"
    ),
}
RULES_BY_NAME: Final[dict[str, Rules]] = {
    **{name: build_triominoes_rules(preset=name) for name in PRESETS},
    **{name: build_triominoes_rules(options) for name, options in RARE_OPTIONS.items()},
}
"""Rules of Triominoes by name. Together they contain every value of every option."""
