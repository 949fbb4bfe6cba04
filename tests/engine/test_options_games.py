"""Options of all games except Triominoes, and of hexagons and bridges: each on a table where its values differ."""

import pytest

from engine.board.tiles import format_labels, format_tile_notation
from engine.match.actions import Choose, Draw, Pass
from engine.match.decide import list_options, start
from engine.match.errors import Violation
from engine.match.rules import Rules
from tests.engine.examples import TRIOMINOES
from tests.engine.option_differences import find_violation, parametrize_option
from tests.engine.readings import build_rules
from tests.engine.tables import (
    SECRET,
    act,
    build_board,
    build_match,
    build_placement,
    build_play,
    build_tile,
    build_tiles,
)

ALL = "points muggins star"
NO_TILE = Violation.NO_SUCH_TILE

RING = "U0,0=123 D0,0=022 U1,0=255 D1,-1=505 U1,-1=455"
FIVES_RING = "U0,0=123 D0,0=303 U1,0=551 D1,-1=455 U1,-1=200"


@parametrize_option(
    ALL,
    "tile_set",
    {
        "td35": [NO_TILE, NO_TILE, NO_TILE, None, NO_TILE],
        "td56": [NO_TILE, NO_TILE, NO_TILE, None, None],
        "mac24": [None, NO_TILE, NO_TILE, NO_TILE, NO_TILE],
        "mac45": [None, None, NO_TILE, None, NO_TILE],
        "mac76": [None, None, None, None, None],
    },
)
def test_set_determines_highest_number_and_mirror_images(rules: Rules) -> object:
    return [find_violation(rules, "", f"U0,0={shown}") for shown in ("132", "142", "152", "124", "555")]


@parametrize_option(ALL, "boss", {"out": Violation.NO_SUCH_TILE, "in": None})
def test_boss_is_in_set_or_not(rules: Rules) -> object:
    return find_violation(rules, "U0,0=444", "D0,0=BOSS")


@parametrize_option(ALL, "boss_after", {"zero": Violation.SIDE_MISMATCH, "wild": None}, other_options="boss=in")
def test_side_of_boss_counts_as_zero_or_fits_anything(rules: Rules) -> object:
    assert find_violation(rules, "U0,0=444 D0,0=BOSS", "U1,0=033") is None
    return find_violation(rules, "U0,0=444 D0,0=BOSS", "U1,0=333")


@parametrize_option("star", "boss_after", {"zero": Violation.CORNER_MISMATCH, "wild": None})
def test_corner_of_boss_counts_as_zeros_or_fits_anything(rules: Rules) -> object:
    assert find_violation(rules, "U0,0=BOSS", "D1,-1=010") is None
    return find_violation(rules, "U0,0=BOSS", "D1,-1=343")


@parametrize_option(
    ALL, "lead", {"tile": [(0, "4-4-4"), (1, "3-4-4")], "holder": [(0, "0-1-2 4-4-4"), (1, "0-1-1 3-4-4")]}
)
def test_opener_must_play_highest_tile_or_any_tile(rules: Rules) -> object:
    hands = ("0-1-2 4-4-4", "3-3-3 3-4-4"), ("0-1-2 0-4-4", "0-1-1 3-4-4")
    openings = [rules.find_opening([build_tiles(hand, rules) for hand in pair]) for pair in hands]
    return [(found.seat, " ".join(map(format_tile_notation, found.tiles))) for found in openings]


@parametrize_option(
    ALL, "pairing", {"equal": (None, Violation.SIDE_MISMATCH), "fives": (Violation.SIDE_MISMATCH, None)}
)
def test_numbers_that_meet_are_equal_or_make_multiple_of_five(rules: Rules) -> object:
    return find_violation(rules, "U0,0=444", "D0,0=134"), find_violation(rules, "U0,0=444", "D0,0=111")


@parametrize_option(
    ALL,
    "layout",
    {
        "last_tile": (Violation.NOT_NEXT_TO_LAST, Violation.NOT_NEXT_TO_LAST),
        "open": (None, Violation.NO_SIDE_CONTACT),
    },
)
def test_tile_must_touch_last_tile_or_any_tile(rules: Rules) -> object:
    distant = find_violation(rules, "U0,0=444", "U7,7=000")
    if rules.fit.sums_of_five:
        return find_violation(rules, "U0,0=444 D0,0=111 U1,0=400", "D-1,0=012"), distant
    return find_violation(rules, "U0,0=444 D0,0=134 U1,0=333", "D-1,0=344"), distant


@parametrize_option(
    ALL, "side_contact", {"all": Violation.SIDE_MISMATCH, "last_only": None}, other_options="tile_set=td56"
)
def test_side_against_older_tile_must_match_too_or_need_not(rules: Rules) -> object:
    if rules.fit.sums_of_five:
        return find_violation(rules, FIVES_RING, "D0,-1=030")
    return find_violation(rules, RING, "D0,-1=144")


@parametrize_option(ALL, "remainder", {"set_aside": (1, 0), "boneyard": (0, 1)}, other_options="tile_set=td35 boss=out")
def test_remainder_of_deal_is_set_aside_or_forms_boneyard(rules: Rules) -> object:
    _, dealt = start(rules, seats=2, computers=(), by_hand=False, secret=SECRET)
    return len(dealt.aside), len(dealt.boneyard)


@parametrize_option(ALL, "remainder", {"set_aside": (0, 0), "boneyard": (2, 0)})
def test_placement_after_draws_has_no_draw_penalty(rules: Rules) -> object:
    fits = "011" if rules.fit.sums_of_five else "044"
    table = build_match(["333", "222"], position="U0,0=444", rules=rules)
    if rules.has_boneyard:
        table.boneyard = [build_tile(fits, rules), build_tile("000", rules)]
        act(table, Draw(0), Draw(0))
    else:
        table.seats[0].hand.append(build_tile(fits, rules))
    (placed,) = act(table, build_play(0, f"D0,0={fits}", rules))
    return placed.drawn, placed.base - placed.points


@parametrize_option(ALL, "target", {"0": "MatchEnded", "100": "Dealt"}, other_options="boss=in")
def test_one_deal_decides_unless_points_are_played_to(rules: Rules) -> object:
    text = "D0,0=011" if rules.fit.sums_of_five else "D0,0=014"
    table = build_match(["011" if rules.fit.sums_of_five else "014", "012"], position="U0,0=444", rules=rules)
    return type(act(table, build_play(0, text, rules))[-1]).__name__


@parametrize_option(
    "star",
    "star_corner_order",
    {
        "any": ["D1,-1=344", "D1,-1=443", "U1,0=344", "U1,0=443"],
        "collinear": ["D1,-1=443"],
        "mirror": ["D1,-1=344", "U1,0=344"],
    },
)
def test_corner_numbers_match_in_any_order_straight_or_mirrored(rules: Rules) -> object:
    # The point (1,0) of U0,0 lies between 3 and 4. D1,-1 is opposite at that point, U1,0 is not.
    moves = build_board("U0,0=234", rules).list_legal_moves([build_tile("344", rules)])
    return sorted(str(move) for move in moves if str(move.cell) in ("D1,-1", "U1,0"))


@parametrize_option("star", "extra_turn", {"optional": [("stop",), ("stop",)], "forced": [(), ("stop",)]})
def test_further_turn_after_corner_play_is_mandatory_only_when_tile_fits(rules: Rules) -> object:
    options = []
    for hands in (["334 333", "000"], ["334 000", "111"]):
        table = build_match(hands, position="U0,0=233", rules=rules)
        act(table, build_play(0, "D1,-1=343", rules))
        assert (table.turn, table.further) == (0, True)
        options.append(list_options(table))
    return options


@parametrize_option("star", "boss_value", {"round_up": (10, 8), "none": (0, None)})
def test_boss_rounds_up_or_scores_nothing(rules: Rules) -> object:
    earned = rules.score_placement(build_board("U0,0=233", rules), build_placement("D0,0=BOSS", rules))
    return earned.points, earned.beside


@parametrize_option(
    "star", "star_sum", {"last_tile": [11 + 14, 20], "all_touching": [0, 20]}, other_options="tile_set=td56"
)
def test_score_counts_last_tile_or_all_touching_tiles(rules: Rules) -> object:
    # 3-4-4 on D0,-1 touches U1,-1=455, the last tile, and U0,0=123: 25 or 31. The boss always counts both.
    board = build_board(RING, rules)
    return [rules.score_placement(board, build_placement(f"D0,-1={shown}", rules)).points for shown in ("344", "BOSS")]


@pytest.mark.parametrize(
    ("position", "move", "counted"),
    [
        ("U0,0=233 D0,0=343", "D-1,0=124", (15, 8)),  # D33: it lies beside 2-3-3, not beside the last tile
        (f"{RING} D1,0=345", "D0,-1=344", (25, 14)),  # beside 1-2-3 and the later 4-5-5, far from the last tile
        ("U0,0=233 D0,0=443", "U1,0=412", (0, 11)),  # beside the last tile
        ("U0,0=444 D0,0=434", "U1,1=BOSS", (15, 11)),  # at a point of the last tile
    ],
)
def test_in_open_layout_tile_counts_with_latest_that_it_touches(position: str, move: str, counted: tuple[int, int]):
    rules = build_rules("star", "layout=open tile_set=td56")
    earned = rules.score_placement(build_board(position, rules), build_placement(move, rules))
    assert (earned.points, earned.beside) == counted


@parametrize_option("star", "star_out_bonus", {"off": (0, 0), "on": (15, 0)})
def test_going_out_wins_what_other_holds_or_nothing(rules: Rules) -> object:
    table = build_match(["343", "012 444 BOSS"], position="U0,0=233", rules=rules)
    _, over, _ = act(table, build_play(0, "D0,0=343", rules))
    return over.awards


START = "0,0=4455"
THREE = "0,0=4455 1,0=4445 1,1=2244"


@parametrize_option(
    "quad-ominos", "quad_arrangement", {"clockwise": [], "counter_clockwise": ["4425"], "free": ["4245", "4425"]}
)
def test_tile_numbers_rise_clockwise_or_counterclockwise_or_are_free(rules: Rules) -> object:
    beside = [move for move in build_board(START, rules).list_legal_moves(rules.tiles) if str(move.cell) == "1,0"]
    return sorted(format_labels(move.shown_labels) for move in beside if sorted(move.tile) == [2, 4, 4, 5])


@parametrize_option(
    "quad-ominos",
    "deal",
    {"seed": [30, 20, 15, 12, 10, 10, 10, 10, 10, 10, 10], "half": [15, 10, 8, 7, 6, 6, 6, 6, 6, 6, 6]},
)
def test_hands_are_whole_or_half(rules: Rules) -> object:
    sizes = []
    for seats in range(2, 13):
        _, dealt = start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET)
        hands = {len(hand) for hand in dealt.hands}
        assert len(dealt.boneyard) == 125 - seats * min(hands)
        sizes += hands
    return sizes


@parametrize_option("quad-ominos", "zero_opening", {"may_choose": (0, ["0000", "3333"]), "off": (0, ["3333"])})
def test_holder_of_highest_quad_may_open_with_zeros(rules: Rules) -> object:
    found = rules.find_opening([build_tiles(hand, rules) for hand in ("3333 0000 5554", "2222")])
    return found.seat, [format_labels(tile) for tile in found.tiles]


@parametrize_option("quad-ominos", "zero_opening", {"may_choose": ["both"], "off": ["both"]})
def test_zeros_that_are_highest_quad_earn_both_under_either_reading(rules: Rules) -> object:
    table = build_match(["0000 0001 0002 0003", "3335"], choices="0000", rules=rules)
    _, chose = act(table, build_play(0, "0,0=0000", rules))
    return [chose.option]


@parametrize_option("quad-ominos", "bonus_chain", {"off": (41, 1, ()), "on": (41, 0, ("points",))})
def test_bonus_tile_that_matches_three_corners_may_earn_bonus_again(rules: Rules) -> object:
    table = build_match(["1244 4444 2444 0000", "3333"], position=THREE, rules=rules)
    act(table, build_play(0, "0,1=1244", rules), Choose(0, "tiles"))
    act(table, build_play(0, "2,0=4444", rules), build_play(0, "2,1=2444", rules))
    return table.seats[0].total, table.turn, list_options(table)


@parametrize_option(
    "quad-ominos", "partial_bonus", {"off": [("points",), ("points",)], "on": [("points", "tiles"), ("points",)]}
)
def test_bonus_tiles_may_be_chosen_when_only_one_fits_but_not_none(rules: Rules) -> object:
    options = []
    for hand in ("1244 4444 0000", "1244 0000 0001"):
        table = build_match([hand, "3333"], position=THREE, rules=rules)
        act(table, build_play(0, "0,1=1244", rules))
        options.append(list_options(table))
    return options


@parametrize_option("quad-ominos", "well_exhausted_penalty", {"additional": [-20, -40, -60], "none": [-20, -20, -40]})
def test_failed_turn_that_empties_well_has_penalty_by_option(rules: Rules) -> object:
    points = []
    for draws, well in enumerate(("", "0000", "0000 0001")):
        table = build_match(["0022 0023", "1111"], position=START, boneyard=well, rules=rules)
        *_, passed = act(table, *[Draw(0)] * draws, Pass(0))
        points.append(passed.points)
    return points


@parametrize_option(
    "quad-ominos",
    "blocked_award",
    {"none": (0, 0, 0), "differences": (0, 18, 0), "others_minus_own": (0, 12 + 20 - 7, 0)},
)
def test_blocked_round_pays_nothing_or_lowest_hand(rules: Rules) -> object:
    table = build_match(["3333", "0133", "1333 2233"], position=START, rules=rules)
    *_, over, _ = act(table, Pass(0), Pass(1), Pass(2))
    assert [sum(map(sum, hand)) for hand in over.hands] == [12, 7, 20]
    return over.awards


@parametrize_option("quad-ominos", "target_check", {"immediate": ["Placed", "MatchEnded"], "round_end": ["Placed"]})
def test_target_ends_match_at_once_or_when_round_is_over(rules: Rules) -> object:
    table = build_match(["4445 0000", "3333"], position=START, totals=[790, 640], rules=rules)
    return [type(event).__name__ for event in act(table, build_play(0, "1,0=4445", rules))]


@parametrize_option("quad-ominos", "target_check", {"immediate": (1, 2), "round_end": (2, 1)})
def test_most_points_at_round_end_win_despite_earlier_target(rules: Rules) -> object:
    table = build_match(["4445 0000", "1244", "3333"], position=START, totals=[790, 790, 0], rules=rules)
    act(table, build_play(0, "1,0=4445", rules))
    if not table.ended:
        # The other seat goes out: 11 for the tile, and the pips of the other hand.
        act(table, build_play(1, "0,1=1244", rules))
    return table.ended.places[:2]


@parametrize_option("quad-ominos", "target", {"807": "MatchEnded", "808": "Placed"})
def test_match_ends_at_its_target(rules: Rules) -> object:
    table = build_match(["4445 0000", "3333"], position=START, totals=[790, 640], rules=rules)
    return type(act(table, build_play(0, "1,0=4445", rules))[-1]).__name__


BOTH_GAMES = {"triominoes": "", "trioker": "trioker_values=6 trioker_bonuses=on"}


def compute_bonuses(rules: Rules, *examples: str) -> list[int]:
    rows = [next(row for row in TRIOMINOES if row.id == example) for example in examples]
    return [
        rules.score_placement(build_board(row.position, rules), build_placement(row.placement, rules)).bonus
        for row in rows
    ]


@parametrize_option(
    BOTH_GAMES, "hexagon_scale", {"per_hexagon": [50, 100, 150], "stepped": [50, 60, 70], "flat": [50, 50, 50]}
)
def test_hexagons_score_each_or_in_steps(rules: Rules) -> object:
    return compute_bonuses(rules, "T25", "T26", "T28")


@parametrize_option(
    BOTH_GAMES,
    "bridge_extension",
    {
        "two_sides": [40, 40, 40, 0, 0, 0],
        "opposite_point": [40, 40, 0, 0, 0, 0],
        "any_side": [40, 40, 40, 40, 40, 0],
        "none": [40, 0, 0, 0, 0, 0],
    },
)
def test_bridge_over_one_side_and_its_extension_score_by_option(rules: Rules) -> object:
    (arch,) = [row.position for row in TRIOMINOES if row.id == "T30"]
    bridged = f"{arch} D0,-1=151"
    moves = [(bridged, "U0,-1=111"), (f"{bridged} U0,-1=111", "D-1,-1=211"), (bridged, "D-2,1=434")]
    return compute_bonuses(rules, "T30", "T31", "T62") + [
        rules.score_placement(build_board(position, rules), build_placement(move, rules)).bonus
        for position, move in moves
    ]


@parametrize_option(BOTH_GAMES, "bonus_stacking", {"hexagon_only": [50, 50, 150], "sum": [50, 90, 150]})
def test_hexagon_may_score_bridge_to_tile_beyond_it(rules: Rules) -> object:
    return compute_bonuses(rules, "T25", "T34", "T28")


@parametrize_option("trioker", "trioker_bonuses", {"off": [0, 0], "on": [50, 40]}, other_options="trioker_values=6")
def test_trioker_scores_hexagons_and_bridges_or_not(rules: Rules) -> object:
    return compute_bonuses(rules, "T25", "T30")


@parametrize_option("trioker", "trioker_values", {"4": (24, 108), "5": (45, 270), "6": (76, 570)})
def test_highest_number_is_three_four_or_five(rules: Rules) -> object:
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
def test_joker_is_in_set_or_not(rules: Rules) -> object:
    # Its wild corner meets the 3.
    return len(rules.tiles), find_violation(rules, "U0,0=003", "D0,0=00J")


@parametrize_option("trioker", "trioker_bonuses", {"off": (1, 2), "on": (2, 1)}, other_options="trioker_values=6")
def test_going_out_wins_unless_other_points_are_scored(rules: Rules) -> object:
    table = build_match(["333", "012"], position="U0,0=033", totals=[0, 100], rules=rules)
    act(table, build_play(0, "D0,0=333", rules))
    return table.ended.places


@parametrize_option("trioker", "trioker_board", {"unbounded": None, "hexagon": Violation.OFF_THE_BOARD})
def test_board_has_edge_or_not(rules: Rules) -> object:
    return find_violation(rules, "U0,0=000 D0,0=010 U1,0=012", "D1,0=132")


@parametrize_option("trioker", "target", {"0": "MatchEnded", "100": "Dealt"})
def test_one_trioker_deal_decides_unless_points_are_played_to(rules: Rules) -> object:
    table = build_match(["333", "012"], position="U0,0=033", rules=rules)
    return type(act(table, build_play(0, "D0,0=333", rules))[-1]).__name__
