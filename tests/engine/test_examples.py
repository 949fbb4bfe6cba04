"""The worked examples of RULES §8.1, each with the options that it names."""

from importlib import import_module

import pytest

from engine.board.tiles import format_tile_notation
from engine.match.actions import Draw, Pass
from engine.match.errors import RuleError, Violation
from engine.match.events import Dealt, MatchEnded, RoundEnded
from engine.match.rules import Rules, judge_placement
from engine.match.state import Match
from tests.engine.examples import (
    COVERING_TESTS,
    EXAMPLES,
    OPENINGS,
    PLACEMENTS,
    TRIOMINOES,
    Example,
    covers_all,
    covers_examples,
)
from tests.engine.tables import (
    RULES,
    act,
    build_board,
    build_match,
    build_placement,
    build_play,
    build_tiles,
    expect_refusal,
    list_totals,
)

FILES = ("test_examples", "test_examples_quads", "test_examples_dominoes")


def test_every_example_is_covered_by_exactly_one_test():
    for file in FILES:
        import_module(f"tests.engine.{file}")

    assert len(EXAMPLES) == 66 + 32 + 35
    assert {example.id for example in EXAMPLES} == set(COVERING_TESTS)
    assert {example: tests for example, tests in COVERING_TESTS.items() if len(tests) > 1} == {}


def test_exactly_these_examples_name_option():
    assert {example.id: example.option for example in TRIOMINOES if example.option} == {
        "T05": "zero_opening=holder_may_choose",
        "T27": "hexagon_scale=stepped",
        "T29": "hexagon_scale=stepped",
        "T32": "bridge_extension=none",
        "T33": "bridge_extension=none",
        "T35": "bonus_stacking=sum",
        "T36": "bonus_stacking=sum",
        "T46": "empty_boneyard_penalty=0",
        "T52": "blocked_bonus=others_minus_own",
        "T54": "blocked_tie=none",
        "T61": "tile_set=trio84",
        "T63": "bridge_extension=opposite_point",
        "T65": "blocked_bonus=none",
        "T66": "blocked_bonus=lose_own",
    }
    assert (len(OPENINGS), len(PLACEMENTS)) == (12, 32)


@covers_all(OPENINGS)
@pytest.mark.parametrize("example", OPENINGS, ids=lambda example: example.id)
def test_opening_matches_example(example: Example):
    found = example.rules.find_opening([build_tiles(hand) for hand in example.hands])

    # If the choice is between different scores, the table lists the higher tile first.
    best_first = found.tiles[::-1] if example.id == "T05" else found.tiles
    choices = " or ".join(map(format_tile_notation, best_first))
    points = " / ".join(dict.fromkeys(f"+{example.rules.compute_opening_score(tile).points}" for tile in best_first))
    assert f"{'ABC'[found.seat]} opens {choices}, {points}" == example.expected


@covers_all(PLACEMENTS)
@pytest.mark.parametrize("example", PLACEMENTS, ids=lambda example: example.id)
def test_placement_verdict_matches_example(example: Example):
    board, placement = build_board(example.position), build_placement(example.placement)
    try:
        points = judge_placement(board, placement, example.rules).points
        verdict = (points - RULES.draw_penalty * example.draw_count, None)
    except RuleError as broken:
        verdict = (None, broken.why.value)

    assert verdict == (example.points, example.violation)


# On this table only 5-5-x fits, and after 5-5-x only tiles with a 5.
FIVES = "U0,0=555"
NO_FIVES = ["0-0-1", "0-0-2", "0-0-3", "0-0-4", "1-1-2", "1-1-3", "1-1-4", "2-2-3", "2-2-4", "3-3-4"]


def build_stuck_match(boneyard: int, rules: Rules = RULES) -> Match:
    return build_match(["0-1-2 0-1-3", "4-4-4"], position=FIVES, boneyard=" ".join(NO_FIVES[:boneyard]), rules=rules)


@covers_examples("T41", "T42", "T43", "T44", "T45", "T46")
@pytest.mark.parametrize(
    ("boneyard", "draws", "penalty", "total", "held"),
    [
        (10, 3, 10, -25, 5),
        (2, 2, 10, -20, 4),
        (1, 1, 10, -15, 3),
        (0, 0, 10, -10, 2),
        (3, 3, 10, -25, 5),
        (0, 0, 0, 0, 2),
    ],
    ids=["T41", "T42", "T43", "T44", "T45", "T46"],
)
def test_failed_turn_costs_its_draws_and_one_penalty(boneyard: int, draws: int, penalty: int, total: int, held: int):
    table = build_stuck_match(boneyard, RULES.with_option("empty_boneyard_penalty", str(penalty)))

    act(table, *[Draw(0)] * draws, Pass(0))

    assert (table.seats[0].total, len(table.seats[0].hand), table.turn) == (total, held, 1)
    assert len(table.boneyard) == boneyard - draws


@covers_examples("T47")
def test_draw_with_legal_placement_is_refused():
    table = build_match(["1-2-3 0-0-0", "4-4-4"], position="U0,0=135", boneyard="5-5-5")

    error = expect_refusal(table, Draw(0))

    assert error.why is Violation.MUST_PLAY
    assert [str(move) for move in error.facts["moves"]] == ["D-1,0=231"]


@covers_examples("T48")
def test_pass_before_draw_limit_is_refused():
    table = build_stuck_match(boneyard=6)
    act(table, Draw(0))

    error = expect_refusal(table, Pass(0))

    assert (error.why, error.facts) == (Violation.MUST_DRAW, {"drawn": 1, "limit": 3})
    assert len(table.boneyard) == 5


@covers_examples("T49")
def test_going_out_earns_25_and_what_opponents_hold():
    table = build_match(["1-3-3", "1-3-4", "5-5-5"], position="U0,0=135")

    placed, over, dealt = act(table, build_play(0, "D-1,0=331"))

    assert list_totals(table) == [55, 0, 0]
    assert placed.points == 7
    assert (over.out, over.awards) == (0, (48, 0, 0))
    assert isinstance(dealt, Dealt)


@covers_examples("T50")
def test_going_out_with_hexagon_earns_both():
    position = "D0,-1=134 U0,-1=514 D-1,-1=515 U-1,0=511 D-1,0=111"
    table = build_match(["1-1-3", "0-0-4"], position=position)

    act(table, build_play(0, "U0,0=113"))

    assert list_totals(table) == [84, 0]


def play_blocked_round(
    hands: list[str], totals_before: list[int] | None = None, rules: Rules = RULES
) -> tuple[Match, RoundEnded]:
    count = len(hands)
    *others, last = totals_before or [0] * count
    totals = [*others, last + 10]
    table = build_match(hands, position=FIVES, totals=totals, turn=count - 1, failed=range(count - 1), rules=rules)
    _, over, _ = act(table, Pass(count - 1))
    return table, over


@covers_examples("T51")
def test_lowest_hand_of_blocked_round_earns_differences():
    table, over = play_blocked_round(["3-4-4 3-4-5", "4-4-5 0-0-2", "2-4-5 1-3-4 2-3-3"])

    assert [sum(map(sum, hand)) for hand in over.hands] == [23, 15, 27]
    assert over.out is None
    assert over.awards == (0, 20, 0)
    assert list_totals(table) == [0, 20, 0]
    assert RULES.compute_block_awards([23, 15, 27]) == [0, 20, 0]


@covers_examples("T52", "T65", "T66", "T53", "T54", "T55")
@pytest.mark.parametrize(
    ("hands", "option", "awards"),
    [
        (["3-4-4 3-4-5", "4-4-5 0-0-2", "2-4-5 1-3-4 2-3-3"], "blocked_bonus=others_minus_own", (0, 35, 0)),
        (["2-4-4", "4-4-4 2-2-4"], "blocked_bonus=none", (0, 0)),
        (["2-4-4", "4-4-4 2-2-4"], "blocked_bonus=lose_own", (-10, -20)),
        (["3-4-5", "4-4-4", "2-4-5 1-4-4"], "blocked_tie=each", (8, 8, 0)),
        (["3-4-5", "4-4-4", "2-4-5 1-4-4"], "blocked_tie=none", (0, 0, 0)),
        (["0-4-5", "1-3-5"], "blocked_tie=each", (0, 0)),
    ],
    ids=["T52", "T65", "T66", "T53", "T54", "T55"],
)
def test_blocked_round_award_follows_option(hands: list[str], option: str, awards: tuple[int, ...]):
    _, over = play_blocked_round(hands, rules=RULES.with_option(*option.split("=")))

    assert over.awards == awards


@covers_examples("T56")
def test_total_that_reached_target_and_fell_still_makes_round_last():
    table = build_match(["2-5-5 0-0-0", "0-5-5 0-0-1"], position=FIVES, boneyard="1-1-1 1-1-2 0-2-2", totals=[392, 380])

    act(table, build_play(0, "D0,0=525"))
    assert (list_totals(table), table.latched) == ([404, 380], True)
    act(table, build_play(1, "D-1,0=055"), Draw(0), Draw(0), Draw(0), Pass(0))
    assert list_totals(table) == [379, 390]
    *_, end = act(table, Pass(1))

    assert end == MatchEnded((379, 390), (2, 1), end.secret)
    assert list_totals(table) == [379, 390]


@covers_examples("T57")
def test_first_to_reach_target_need_not_win():
    table = build_match(["0-5-5 4-4-5 3-4-5 4-4-4 3-3-5 0-1-4", "2-5-5"], position=FIVES, totals=[395, 350])

    act(table, build_play(0, "D-1,0=055"))
    assert list_totals(table) == [405, 350]
    *_, end = act(table, build_play(1, "D0,0=525"))

    assert end == MatchEnded((405, 440), (2, 1), end.secret)


@covers_examples("T58")
def test_equal_totals_share_win():
    # A is seat 0 and B seat 2; seat 1 goes out and so ends the round.
    table = build_match(["2-5-5 1-2-5 0-0-0", "0-5-5 2-2-5", "1-5-5 0-0-1"], position=FIVES, totals=[390, 0, 399])

    for seat, text in ((0, "D0,0=525"), (1, "D0,-1=550"), (2, "D-1,0=155"), (0, "U0,1=512")):
        act(table, build_play(seat, text))
    assert list_totals(table) == [410, 10, 410]
    *_, end = act(table, build_play(1, "U1,0=522"))

    assert end == MatchEnded((410, 10 + 9 + 25 + 1, 410), (1, 3, 1), end.secret)


@covers_examples("T59")
def test_award_at_end_of_round_may_reach_target():
    table, over = play_blocked_round(["0-0-1", "2-4-5"], totals_before=[390, 370])

    assert over.awards == (10, 0)
    assert list_totals(table) == [400, 370]
    assert table.ended == MatchEnded((400, 370), (1, 2), table.ended.secret)


@covers_examples("T60")
def test_next_round_follows_when_no_seat_reaches_target():
    # A is seat 1, so that the turn of B fails first.
    table, over = play_blocked_round(["1-4-4 3-4-4", "0-1-4"], totals_before=[399, 380])

    assert over.awards == (0, 15)
    assert list_totals(table) == [399, 395]
    assert table.ended is None
    assert (table.round, table.latched) == (2, False)
