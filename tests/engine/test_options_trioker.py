"""Options of Trioker, and of hexagons and bridges in both games that have them, on tables where their readings part."""

from engine.match.decide import start
from engine.match.errors import Violation
from engine.match.rules import Rules
from tests.engine.examples import TRIOMINOES
from tests.engine.partings import find_violation, parametrize_option
from tests.engine.tables import SECRET, act, build_board, build_match, build_placement, build_play

BOTH_GAMES = {"triominoes": "", "trioker": "trioker_values=6 trioker_bonuses=on"}


def compute_bonuses(rules: Rules, *examples: str) -> list[int]:
    rows = [next(row for row in TRIOMINOES if row.id == example) for example in examples]
    return [
        rules.score_placement(build_board(row.position, rules), build_placement(row.placement, rules)).bonus
        for row in rows
    ]


@parametrize_option(BOTH_GAMES, "hexagon_scale", {"per_hexagon": [50, 100, 150], "stepped": [50, 60, 70]})
def test_hexagons_score_each_or_in_steps(rules: Rules) -> object:
    return compute_bonuses(rules, "T25", "T26", "T28")


@parametrize_option(
    BOTH_GAMES,
    "bridge_extension",
    {"two_sides": [40, 40, 40], "opposite_point": [40, 40, 0], "any_side": [40, 40, 40], "none": [40, 0, 0]},
)
def test_bridge_over_one_side_and_its_extension_score_by_option(rules: Rules) -> object:
    return compute_bonuses(rules, "T30", "T31", "T62")


@parametrize_option(
    BOTH_GAMES,
    "bridge_extension",
    {"two_sides": [0, 0, 0], "opposite_point": [0, 0, 0], "any_side": [40, 40, 0], "none": [0, 0, 0]},
)
def test_bridge_extension_by_any_side_scores_by_option(rules: Rules) -> object:
    (arch,) = [row.position for row in TRIOMINOES if row.id == "T30"]
    bridged = f"{arch} D0,-1=151"
    moves = [(bridged, "U0,-1=111"), (f"{bridged} U0,-1=111", "D-1,-1=211"), (bridged, "D-2,1=434")]
    return [
        rules.score_placement(build_board(position, rules), build_placement(move, rules)).bonus
        for position, move in moves
    ]


@parametrize_option(BOTH_GAMES, "bonus_stacking", {"hexagon_only": [50, 50, 150], "sum": [50, 90, 150]})
def test_hexagon_may_score_bridge_to_tile_beyond_it(rules: Rules) -> object:
    return compute_bonuses(rules, "T25", "T34", "T28")


@parametrize_option("trioker", "trioker_bonuses", {"off": [0, 0], "on": [50, 40]}, other_options="trioker_values=6")
def test_trioker_has_hexagons_and_bridges_or_not(rules: Rules) -> object:
    return compute_bonuses(rules, "T25", "T30")


@parametrize_option("trioker", "trioker_values", {"4": (24, 108), "5": (45, 270), "6": (76, 570)})
def test_numbers_run_to_three_four_or_five(rules: Rules) -> object:
    return len(rules.tiles), sum(map(sum, rules.tiles))


@parametrize_option("trioker", "trioker_values", {"4": [12, 8, 6], "5": [22, 15, 11], "6": [38, 25, 19]})
def test_all_tiles_are_dealt_evenly_and_nothing_can_be_drawn(rules: Rules) -> object:
    sizes = []
    for seats in (2, 3, 4):
        _, dealt = start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET)
        assert dealt.boneyard == ()
        assert len(dealt.aside) == len(rules.tiles) - sum(map(len, dealt.hands))
        sizes.append(len(dealt.hands[0]))
    return sizes


@parametrize_option("trioker", "trioker_joker", {"off": (24, Violation.NO_SUCH_TILE), "on": (25, None)})
def test_joker_plays_or_not(rules: Rules) -> object:
    # Its wild corner meets the 3.
    return len(rules.tiles), find_violation(rules, "U0,0=003", "D0,0=00J")


@parametrize_option("trioker", "trioker_bonuses", {"off": (1, 2), "on": (2, 1)}, other_options="trioker_values=6")
def test_going_out_wins_unless_other_points_are_scored(rules: Rules) -> object:
    table = build_match(["333", "012"], position="U0,0=033", totals=[0, 100], rules=rules)
    act(table, build_play(0, "D0,0=333", rules))
    return table.ended.places


@parametrize_option("trioker", "trioker_board", {"unbounded": None, "hexagon": Violation.OFF_THE_BOARD})
def test_table_has_edge_or_not(rules: Rules) -> object:
    return find_violation(rules, "U0,0=000 D0,0=010 U1,0=012", "D1,0=132")


@parametrize_option("trioker", "target", {"0": "MatchEnded", "100": "Dealt"})
def test_one_deal_decides_unless_points_are_played_to(rules: Rules) -> object:
    table = build_match(["333", "012"], position="U0,0=033", rules=rules)
    return type(act(table, build_play(0, "D0,0=333", rules))[-1]).__name__
