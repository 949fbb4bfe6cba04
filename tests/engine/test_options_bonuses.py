"""Hexagons and bridges, in both games that have them: each option of RULES §3.1 on tables where its readings part."""

from engine.rules import Rules
from tests.engine.examples import TRIOMINOES
from tests.engine.partings import parts
from tests.engine.tables import board, placement

BOTH = {"triominoes": "", "trioker": "trioker_values=6 trioker_bonuses=on"}
"""The set of Trioker that has all tiles of Triominoes."""


def bonuses(rules: Rules, *examples: str) -> list[int]:
    """What the placements of these examples of RULES §8.1 earn beside their sum."""
    rows = [next(row for row in TRIOMINOES if row.id == example) for example in examples]
    return [rules.score(board(row.position, rules), placement(row.placed, rules)).bonus for row in rows]


@parts(BOTH, "hexagon_scale", {"per_hexagon": [50, 100, 150], "stepped": [50, 60, 70]})
def test_hexagons_score_each_or_in_steps(rules: Rules) -> object:
    return bonuses(rules, "T25", "T26", "T28")


@parts(
    BOTH,
    "bridge_extension",
    {
        "two_sides": [40, 40, 40],
        "opposite_point": [40, 40, 0],
        "any_side": [40, 40, 40],
        "none": [40, 0, 0],
    },
)
def test_a_bridge_is_made_over_one_side_and_may_be_added_to(rules: Rules) -> object:
    return bonuses(rules, "T30", "T31", "T62")


@parts(
    BOTH,
    "bridge_extension",
    {"two_sides": [0, 0, 0], "opposite_point": [0, 0, 0], "any_side": [40, 40, 0], "none": [0, 0, 0]},
)
def test_a_tile_is_added_to_a_bridge_by_any_side_only_where_the_letter_counts(rules: Rules) -> object:
    (arch,) = [row.position for row in TRIOMINOES if row.id == "T30"]
    bridged = f"{arch} D0,-1=151"
    # Beside the bridge; beside that tile, which is one by then; and beside a tile that is none.
    moves = [(bridged, "U0,-1=111"), (f"{bridged} U0,-1=111", "D-1,-1=211"), (bridged, "D-2,1=434")]
    return [rules.score(board(lying, rules), placement(move, rules)).bonus for lying, move in moves]


@parts(BOTH, "bonus_stacking", {"hexagon_only": [50, 50, 150], "sum": [50, 90, 150]})
def test_a_hexagon_may_score_a_bridge_to_a_tile_beyond_it(rules: Rules) -> object:
    return bonuses(rules, "T25", "T34", "T28")


@parts("trioker", "trioker_bonuses", {"off": [0, 0], "on": [50, 40]}, under="trioker_values=6")
def test_trioker_has_hexagons_and_bridges_or_not(rules: Rules) -> object:
    return bonuses(rules, "T25", "T30")
