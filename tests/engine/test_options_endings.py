"""Options for the end of rounds and matches of Triominoes: each option of RULES §3.1 on a table where its values
differ.
"""

from collections.abc import Sequence

import pytest

from engine.match.actions import Draw, Pass, Resign
from engine.match.decide import find_forced_action
from engine.match.events import Dealt, Drew, Event, MatchEnded, Passed, Placed, Resigned, RoundEnded
from engine.match.rules import Rules
from engine.match.state import Match
from tests.engine.option_differences import parametrize_option
from tests.engine.readings import CHOICE_OPTIONS, build_triominoes_rules
from tests.engine.tables import act, build_match, build_play, list_totals

FIVES = "U0,0=555"


def build_fives_match(hands: Sequence[str], options: str = "", **facts: object) -> Match:
    return build_match(hands, position=FIVES, rules=build_triominoes_rules(options), **facts)


def list_event_types(events: Sequence[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


@parametrize_option(
    "triominoes",
    "block_detection",
    {
        "full_circle": ([Placed, Passed, Passed, RoundEnded, Dealt], [12 - 10 + 2, -10]),
        "immediate": ([Placed, RoundEnded, Dealt], [12 + 2, 0]),
    },
)
def test_blocking_placement_ends_round_at_once_or_after_circle(rules: Rules) -> object:
    table = build_match(["2-5-5 0-0-1", "0-0-3"], position=FIVES, rules=rules)
    events = act(table, build_play(0, "D0,0=525"))
    while table.round == 1:
        events += act(table, Pass(table.turn))
    return list_event_types(events), list_totals(table)


def test_blocking_draw_costs_its_penalty_without_failed_turn_penalty():
    table = build_fives_match(["0-1-2", "0-0-3"], "block_detection=immediate", boneyard="0-0-1")

    drew, passed, over, _ = act(table, Draw(0))

    assert drew == Drew(0, (0, 0, 1))
    assert passed == Passed(0, 1, -5)
    assert over.awards == (0, 4 - 3)
    assert list_totals(table) == [-5, 1]


def test_immediate_block_detection_does_not_apply_with_tiles_in_boneyard():
    table = build_fives_match(["2-5-5 0-0-1", "0-0-3"], "block_detection=immediate", boneyard="0-0-2")

    assert list_event_types(act(table, build_play(0, "D0,0=525"))) == [Placed]


def test_seat_drawing_when_resignation_blocks_round_pays_penalty():
    table = build_fives_match(["0-1-2", "0-5-5", "0-0-3"], "block_detection=immediate", boneyard="0-0-1")
    assert list_event_types(act(table, Draw(0))) == [Drew]

    events = act(table, Resign(1))

    assert list_event_types(events) == [Resigned, Passed, RoundEnded, Dealt]
    assert events[1] == Passed(0, 1, -5)
    assert list_totals(table) == [-5, 0, 1]


HANDS = [([23, 15, 27], [2, 2, 3]), ([23, 15], [2, 2]), ([5, 9, 20], [3, 1, 2]), ([1, 15], [2, 1])]
TIES = [([12, 12, 20], [1, 2, 2]), ([12, 13, 20], [1, 1, 2]), ([9, 9], [1, 1])]


def compute_awards(rules: Rules, hands: Sequence[tuple[list[int], list[int]]]) -> list[list[int]]:
    return [rules.compute_block_awards(held, counts) for held, counts in hands]


@parametrize_option(
    "triominoes",
    "blocked_bonus",
    {
        "differences": [[0, 20, 0], [0, 8], [19, 0, 0], [14, 0]],
        "others_minus_own": [[0, 35, 0], [0, 8], [24, 0, 0], [14, 0]],
        "others_all": [[0, 50, 0], [0, 23], [29, 0, 0], [15, 0]],
        "lose_own": [[-23, -15, -27], [-23, -15], [-5, -9, -20], [-1, -15]],
        "none": [[0, 0, 0], [0, 0], [0, 0, 0], [0, 0]],
    },
)
def test_blocked_round_scores_lowest_hand_by_option(rules: Rules) -> object:
    return compute_awards(rules, HANDS)


@parametrize_option(
    "triominoes",
    "blocked_winner",
    {
        "lowest_total": [[[0, 20, 0], [0, 8], [19, 0, 0], [14, 0]], [[24, 0, 0], [14, 0]]],
        # Hands with equally few tiles tie. The smallest hand may have the most pips; the winner of a round never loses
        # points.
        "fewest_tiles": [[[4, 20, 0], [0, 8], [0, 11, 0], [0, 0]], [[0, 16, 0], [0, 0]]],
    },
)
def test_blocked_round_is_won_by_lowest_hand_or_fewest_tiles(rules: Rules) -> object:
    minus_own = rules.with_option("blocked_bonus", "others_minus_own")
    return [compute_awards(rules, HANDS), compute_awards(minus_own, HANDS[2:])]


@parametrize_option(
    "triominoes",
    "blocked_tie",
    {
        "each": [[[8, 8, 0], [9, 0, 0], [0, 0]], [[20, 20, 0]], [[8, 0, 0]], [[-12, -12, -20]]],
        "none": [[[0, 0, 0], [9, 0, 0], [0, 0]], [[0, 0, 0]], [[8, 0, 0]], [[-12, -12, -20]]],
    },
)
def test_equally_low_hands_each_win_or_none(rules: Rules) -> object:
    # One of two equal hands may have fewer tiles. If all hands lose points, there is no tie.
    others = [("blocked_bonus", "others_minus_own"), ("blocked_winner", "fewest_tiles"), ("blocked_bonus", "lose_own")]
    return [compute_awards(rules, TIES), *(compute_awards(rules.with_option(*other), TIES[:1]) for other in others)]


@pytest.mark.parametrize(("hand", "awards"), [("0-0-1 0-0-2", (0, 0)), ("3-4-4 0-0-2", (0, 1))])
def test_fewest_tiles_are_counted_in_hands_of_match(hand: str, awards: tuple[int, int]):
    table = build_fives_match([hand, "4-4-4"], "blocked_winner=fewest_tiles", turn=1, failed=[0])
    _, over, _ = act(table, Pass(1))
    assert over.awards == awards


@parametrize_option("triominoes", "final_round", {"latched": MatchEnded, "at_round_end": Dealt})
def test_target_reached_and_lost_counts_only_with_latched_option(rules: Rules) -> object:
    table = build_match(
        ["2-5-5 0-0-0", "0-5-5 0-0-1"], position=FIVES, boneyard="1-1-1 1-1-2 0-2-2", totals=[392, 380], rules=rules
    )
    *_, last = act(table, build_play(0, "D0,0=525"), build_play(1, "D-1,0=055"), *[Draw(0)] * 3, Pass(0), Pass(1))
    return type(last)


@parametrize_option("triominoes", "target", {"400": Dealt, "393": Dealt, "392": MatchEnded, "380": MatchEnded})
def test_match_ends_at_its_target(rules: Rules) -> object:
    table = build_match(["2-5-5 0-0-1", "0-0-4"], position=FIVES, totals=[380, 0], rules=rules)

    # 380 + 12 is the highest total. A failed turn then costs 10, and the award for the blocked round brings 3.
    *_, last = act(table, build_play(0, "D0,0=525"), Pass(1), Pass(0))

    assert list_totals(table) == [385, -10]
    return type(last)


def play_going_out(rules: Rules, totals_before: list[int]) -> Event:
    table = build_match(["2-5-5", "0-0-4"], position=FIVES, totals=totals_before, rules=rules)
    return act(table, build_play(0, "D0,0=525"))[-1]


@parametrize_option(
    "triominoes",
    "game_winner",
    # In the second match only one player has reached the target, so the winner of the round does not matter.
    {"most_points": [(2, 1), (2, 1), (1, 2)], "round_winner": [(1, 2), (2, 1), (1, 2)]},
)
def test_match_winner_above_target_is_highest_total_or_round_winner(rules: Rules) -> object:
    return [play_going_out(rules, before).places for before in ([380, 450], [300, 450], [380, 390])]


@pytest.mark.parametrize("bonus", CHOICE_OPTIONS["blocked_bonus"])
def test_blocked_round_has_winner_even_without_award(bonus: str):
    options = f"game_winner=round_winner blocked_bonus={bonus}"
    table = build_fives_match(["0-0-1", "0-0-4"], options, totals=[430, 480], turn=1, failed=[0])

    *_, last = act(table, Pass(1))

    assert last.places == (1, 2)


def test_loss_at_block_keeps_target_reached_in_same_turn():
    hands, options = ["2-5-5 0-0-4", "0-0-3"], "block_detection=immediate blocked_bonus=lose_own"
    latched = build_fives_match(hands, options, totals=[390, 0])
    tested = build_fives_match(hands, f"{options} final_round=at_round_end", totals=[390, 0])

    *_, end = act(latched, build_play(0, "D0,0=525"))
    *_, dealt = act(tested, build_play(0, "D0,0=525"))

    assert end.totals == (390 + 12 - 4, -3)
    assert isinstance(dealt, Dealt)


@pytest.mark.parametrize("final_round", CHOICE_OPTIONS["final_round"])
def test_tie_is_shared_or_played_off_whenever_target_counts(final_round: str):
    shared, played_off = (
        play_going_out(build_triominoes_rules(f"game_tie={tie} final_round={final_round}"), [400, 441])
        for tie in ("shared", "extra_round")
    )
    assert shared.places == (1, 1)
    assert isinstance(played_off, Dealt)


@parametrize_option("triominoes", "game_tie", {"shared": ([441, 441], True, 1), "extra_round": ([441, 441], False, 2)})
def test_tie_for_first_place_is_shared_or_played_off(rules: Rules) -> object:
    table = build_match(["2-5-5", "0-0-4"], position=FIVES, totals=[400, 441], rules=rules)
    act(table, build_play(0, "D0,0=525"))
    return list_totals(table), table.ended is not None, table.round


@pytest.mark.parametrize("final_round", CHOICE_OPTIONS["final_round"])
def test_tiebreak_round_is_last_unless_it_ties_again(final_round: str):
    options = f"game_tie=extra_round blocked_bonus=lose_own final_round={final_round}"
    table = build_fives_match(["2-5-5", "0-0-4"], options, totals=[400, 441])
    act(table, build_play(0, "D0,0=525"))
    assert table.round == 2
    # Penalties may take both below the target again.
    for seat in table.seats:
        seat.total -= 300
    while not table.ended and table.round == 2:
        act(table, find_forced_action(table) or build_play(table.turn, str(table.list_legal_moves(table.turn)[0])))

    assert table.ended.places in {(1, 2), (2, 1)}


def test_resigned_seat_above_target_does_not_end_match():
    table = build_fives_match(["2-5-5", "0-0-4", "0-0-3"], "final_round=at_round_end", totals=[0, 410, 0])

    act(table, Resign(1))
    *_, dealt = act(table, build_play(0, "D0,0=525"))

    assert isinstance(dealt, Dealt)
