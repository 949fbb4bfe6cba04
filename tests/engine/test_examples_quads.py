"""The worked examples of RULES §8.2 (Quad-Ominos), played by real decisions."""

import re
from functools import partial

import pytest

from engine.board.tiles import format_labels
from engine.match.actions import Choose, Draw, Pass, Play
from engine.match.decide import decide, find_forced_action, list_options, start
from engine.match.errors import RuleError, Violation
from engine.match.events import Chose, Dealt, MatchEnded, Passed, Placed
from engine.match.state import Match
from tests.engine.examples import QUAD_OPENINGS, QUAD_PLACEMENTS, QUADS, Example, covers_all, covers_examples
from tests.engine.readings import build_rules
from tests.engine.tables import (
    SECRET,
    act,
    build_match,
    build_play,
    build_tile,
    build_tiles,
    expect_refusal,
    list_totals,
)

QUAD = build_rules("quad-ominos")
CHAIN = build_rules("quad-ominos", "bonus_chain=on")

THREE = "0,0=4455 1,0=4445 1,1=2244"


build_table = partial(build_match, rules=QUAD)


def build_quad_play(seat: int, text: str):
    return build_play(seat, text, QUAD)


def test_table_has_these_openings_and_placements_and_one_option():
    assert [example.id for example in QUAD_OPENINGS] == ["Q03", "Q05", "Q06", "Q08"]
    assert [example.id for example in QUAD_PLACEMENTS] == [f"Q{number:02}" for number in range(9, 20)]
    assert {example.id: example.option for example in QUADS if example.option} == {"Q22": "bonus_chain=on"}
    assert [example.id for example in QUAD_PLACEMENTS if example.has_bonus_choice] == ["Q15", "Q16", "Q17"]


@covers_all(QUAD_OPENINGS)
@pytest.mark.parametrize("example", QUAD_OPENINGS, ids=lambda example: example.id)
def test_opening_matches_example(example: Example):
    opening = QUAD.find_opening([build_tiles(hand, QUAD) for hand in example.hands])
    assert len(opening.tiles) == 1, "no row of these has a choice"
    found = build_table(example.hands, turn=opening.seat, choices=format_labels(opening.tiles[0]))

    placed, *followers = act(found, build_quad_play(opening.seat, f"0,0={format_labels(opening.tiles[0])}"))

    opening_text = f"{'AB'[opening.seat]} opens {format_labels(placed.tile)}"
    scored = re.search(r"\+(\d+)", example.expected)
    assert example.expected.startswith(opening_text)
    assert scored is None or placed.points == int(scored[1])
    chosen = [event.option for event in followers if isinstance(event, Chose)]
    assert ("both" in chosen) == ("both rewards" in example.expected)


@covers_all(QUAD_PLACEMENTS)
@pytest.mark.parametrize("example", QUAD_PLACEMENTS, ids=lambda example: example.id)
def test_placement_verdict_matches_example(example: Example):
    move = build_quad_play(0, example.placement)
    found = build_table([f"{format_labels(move.tile)} 0000 1111", "2222"], position=example.position)

    try:
        (placed,) = act(found, move)
        verdict = placed.points, found.choosing, None
    except RuleError as broken:
        verdict = None, False, broken.why.value

    assert verdict == (example.points, example.has_bonus_choice, example.violation)


@covers_examples("Q01")
def test_quad_that_opens_may_take_25():
    found = build_table(["5555 0012", "4444"], choices="5555")

    (placed,) = act(found, build_quad_play(0, "0,0=5555"))
    (chose,) = act(found, Choose(0, "points"))

    assert (placed.points, chose) == (20, Chose(0, "points", 25, 0))
    assert (list_totals(found), found.turn) == ([45, 0], 1)


@covers_examples("Q02")
def test_quad_that_opens_may_take_two_more_tiles_instead():
    found = build_table(["5555 4455 4555 0012", "4444"], choices="5555")

    act(found, build_quad_play(0, "0,0=5555"))
    assert list_options(found) == ("points", "tiles")
    act(found, Choose(0, "tiles"), build_quad_play(0, "1,0=5445"))
    assert found.turn == 0
    act(found, build_quad_play(0, "0,1=4555"))

    assert (list_totals(found), found.turn) == ([20 + 18 + 19, 0], 1)
    assert found.seats[0].hand == [build_tile("0012", QUAD)]


@covers_examples("Q04")
def test_highest_quad_holder_opening_with_zeros_earns_both_rewards():
    hands = ["3333 0000 0001 0002", "2222"]
    opening = QUAD.find_opening([build_tiles(hand, QUAD) for hand in hands])
    assert opening == (0, build_tiles("0000 3333", QUAD))
    found = build_table(hands, choices="0000 3333")
    assert find_forced_action(found) is None

    placed, chose = act(found, build_quad_play(0, "0,0=0000"))
    act(found, build_quad_play(0, "1,0=0100"), build_quad_play(0, "0,1=2000"))

    assert (placed.follows, chose) == ("choice", Chose(0, "both", 25, 2))
    assert (list_totals(found), found.turn) == ([0 + 25 + 1 + 2, 0], 1)


@covers_examples("Q07")
def test_opening_zeros_earn_25_when_bonus_tiles_do_not_fit():
    found = build_table(["0000 1112 3334", "3335"], choices="0000")

    _, chose = act(found, build_quad_play(0, "0,0=0000"))

    assert chose == Chose(0, "both", 25, 0)
    assert (list_totals(found), found.turn) == ([25, 0], 1)


@covers_examples("Q20")
def test_choosing_bonus_tiles_that_do_not_fit_is_refused():
    found = build_table(["1244 0000 0001", "3333"], position=THREE)
    act(found, build_quad_play(0, "0,1=1244"))

    assert expect_refusal(found, Choose(0, "tiles")).why is Violation.BONUS_TILES_IMPOSSIBLE
    assert list_options(found) == ("points",)
    act(found, Choose(0, "points"))
    assert (list_totals(found), found.turn) == ([36, 0], 1)


@covers_examples("Q21")
def test_bonus_tile_that_matches_three_starts_no_new_bonus():
    found = build_table(["1244 4444 2444 0000", "3333"], position=THREE)

    act(found, build_quad_play(0, "0,1=1244"), Choose(0, "tiles"), build_quad_play(0, "2,0=4444"))
    (second,) = act(found, build_quad_play(0, "2,1=2444"))

    assert (second.matched, second.follows) == (3, "next")
    assert (list_totals(found), found.turn) == ([11 + 16 + 14, 0], 1)


@covers_examples("Q22")
def test_bonus_tile_matching_three_starts_new_bonus_with_chain():
    found = build_table(["1244 4444 2444 0000", "3333"], position=THREE, rules=CHAIN)

    act(found, build_quad_play(0, "0,1=1244"), Choose(0, "tiles"), build_quad_play(0, "2,0=4444"))
    (second,) = act(found, build_quad_play(0, "2,1=2444"))
    assert (second.follows, found.turn) == ("choice", 0)
    act(found, Choose(0, "points"))

    assert (list_totals(found), found.turn) == ([41 + 25, 0], 1)


def build_stuck_match(well: str, seats: int = 2, **more) -> Match:
    hands = ["0022 0023", "1111 1112", "2222 2223"]
    return build_table(hands[:seats], position="0,0=4455", boneyard=well, **more)


@covers_examples("Q23")
def test_tile_drawn_third_is_placed_for_its_sum_less_60():
    others = [format_labels(one) for one in QUAD.tiles if format_labels(one) not in ("0000", "0001", "4445", "4455")]
    found = build_stuck_match(f"0000 0001 4445 {' '.join(others[:37])}")
    assert len(found.boneyard) == 40

    act(found, Draw(0), Draw(0), Draw(0))
    assert expect_refusal(found, Draw(0)).why is Violation.MUST_PLAY
    (placed,) = act(found, build_quad_play(0, "1,0=4445"))

    assert (placed.drawn, placed.points, list_totals(found)) == (3, 17 - 60, [-43, 0])


@covers_examples("Q24")
def test_failed_turn_that_empties_well_costs_another_20():
    found = build_stuck_match("0000 0001")

    *_, passed = act(found, Draw(0), Draw(0), Pass(0))

    assert passed == Passed(0, 2, -60)
    assert (found.turn, len(found.seats[0].hand)) == (1, 4)


@covers_examples("Q25")
def test_empty_well_costs_20():
    found = build_stuck_match("")

    assert act(found, Pass(0)) == [Passed(0, 0, -20)]


@covers_examples("Q26")
def test_going_out_earns_what_all_others_hold_and_nothing_fixed():
    found = build_table(["4445", "3333", "5555 2333"], position="0,0=4455")

    placed, over, dealt = act(found, build_quad_play(0, "1,0=4445"))

    assert [sum(map(sum, hand)) for hand in over.hands] == [0, 12, 31]
    assert (placed.points, over.out, over.awards) == (17, 0, (43, 0, 0))
    assert list_totals(found) == [60, 0, 0]
    assert isinstance(dealt, Dealt)


@covers_examples("Q27")
def test_bonus_of_last_tile_in_hand_is_its_points():
    found = build_table(["1244", "1233"], position=THREE)

    placed, chose, over, _ = act(found, build_quad_play(0, "0,1=1244"))

    assert (placed.points, chose) == (11, Chose(0, "points", 25, 0))
    assert (over.out, over.awards) == (0, (9, 0))
    assert list_totals(found) == [45, 0]


@covers_examples("Q28")
def test_first_to_reach_target_after_turn_wins_at_once():
    found = build_table(["4445 0000", "3333"], position="0,0=4455", totals=[790, 640])

    placed, end = act(found, build_quad_play(0, "1,0=4445"))

    assert isinstance(placed, Placed)
    assert end == MatchEnded((807, 640), (1, 2), end.secret)


@covers_examples("Q29")
def test_circle_of_failed_turns_ends_round_without_award():
    found = build_stuck_match("", seats=3)

    *passed, over, _ = act(found, Pass(0), Pass(1), Pass(2))

    assert passed == [Passed(seat, 0, -20) for seat in range(3)]
    assert (over.out, over.awards) == (None, (0, 0, 0))
    assert list_totals(found) == [-20, -20, -20]


@covers_examples("Q30")
def test_twelve_players_get_ten_tiles_each_and_leave_five():
    _, dealt = start(QUAD, seats=12, computers=(), by_hand=False, secret=SECRET)

    assert [len(hand) for hand in dealt.hands] == [10] * 12
    assert (len(dealt.boneyard), dealt.aside) == (5, ())


@covers_examples("Q31")
def test_thirteen_players_are_refused():
    with pytest.raises(RuleError) as excinfo:
        start(QUAD, seats=13, computers=(), by_hand=False, secret=SECRET)

    assert excinfo.value.why is Violation.SEAT_COUNT
    assert excinfo.value.facts == {"seats": 13, "least": 2, "most": 12}


@covers_examples("Q32")
def test_quad_as_bonus_tile_gives_same_events_in_every_rotation():
    found = build_table(["3333 3334", "1111"], position="0,0=0033")
    found.bonus_tiles = 2
    move = next(move for move in found.list_legal_moves(0) if move.tile == (3, 3, 3, 3))

    answers = [decide(found, Play(0, move.tile, move.cell, rotation), SECRET) for rotation in range(4)]

    assert isinstance(answers[0][0], Placed)
    assert all(events == answers[0] for events in answers)
