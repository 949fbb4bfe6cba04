"""Where the sources differ on Quad-Ominos: each option of RULES §4.1 on a table where its readings part."""

from engine.board.tiles import format_labels
from engine.match.actions import Choose, Draw, Pass
from engine.match.decide import list_options, start
from engine.match.rules import Rules
from tests.engine.partings import parametrize_option
from tests.engine.tables import SECRET, act, build_board, build_match, build_play, build_tiles

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


@parametrize_option("quad-ominos", "partial_bonus", {"off": ("points",), "on": ("points", "tiles")})
def test_bonus_tiles_may_be_chosen_when_only_one_fits(rules: Rules) -> object:
    table = build_match(["1244 4444 0000", "3333"], position=THREE, rules=rules)
    act(table, build_play(0, "0,1=1244", rules))
    return list_options(table)


@parametrize_option("quad-ominos", "partial_bonus", {"off": ("points",), "on": ("points",)})
def test_bonus_tiles_cannot_be_chosen_when_none_fits(rules: Rules) -> object:
    table = build_match(["1244 0000 0001", "3333"], position=THREE, rules=rules)
    act(table, build_play(0, "0,1=1244", rules))
    return list_options(table)


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
        # The other goes out: 11 for the tile and what is held.
        act(table, build_play(1, "0,1=1244", rules))
    return table.ended.places[:2]


@parametrize_option("quad-ominos", "target", {"807": "MatchEnded", "808": "Placed"})
def test_match_ends_at_its_target(rules: Rules) -> object:
    table = build_match(["4445 0000", "3333"], position=START, totals=[790, 640], rules=rules)
    return type(act(table, build_play(0, "1,0=4445", rules))[-1]).__name__
