"""Resignation: the other seats continue, the tiles stay out of play, and the last open place is taken."""

import pytest

from engine.match.actions import Draw, Pass, Resign
from engine.match.decide import start
from engine.match.events import Dealt, MatchEnded, Resigned, RoundEnded
from engine.match.rules import Rules
from engine.match.state import Match, replay
from engine.match.turns import compute_places
from tests.engine.readings import build_rules
from tests.engine.tables import RULES, SECRET, act, build_match, build_play, build_tiles, list_totals

FIVES = "U0,0=555"


def build_stuck_match(seats: int, **more: object) -> Match:
    hands = ["0-0-1 0-0-2", "0-1-1 0-1-2", "1-1-2 1-1-3", "2-2-3 2-2-4", "0-3-3 0-3-4"]
    return build_match(hands[:seats], position=FIVES, **more)


def test_other_seat_wins_when_one_of_two_resigns():
    table = build_stuck_match(2, totals=[10, 399])

    assert act(table, Resign(1)) == [Resigned(1), MatchEnded((10, 399), (1, 2), SECRET.hex())]


def test_resignation_passes_turn_to_next_active_seat():
    table = build_stuck_match(3, turn=1, drawn=2)

    assert act(table, Resign(1)) == [Resigned(1)]
    assert (table.turn, table.drawn, table.active) == (2, 0, [0, 2])


def test_resignation_out_of_turn_does_not_change_turn():
    table = build_stuck_match(3, turn=0, drawn=2)

    act(table, Resign(2))

    assert (table.turn, table.drawn) == (0, 2)


def test_turn_skips_resigned_seat():
    table = build_stuck_match(4, turn=0)
    act(table, Resign(1))

    act(table, Pass(0))

    assert table.turn == 2


def test_going_out_earns_nothing_for_tiles_of_resigned_seat():
    table = build_match(["0-5-5", "4-4-4 4-4-5", "0-0-1"], position=FIVES)
    act(table, Resign(1))

    _, over, _ = act(table, build_play(0, "D-1,0=055"))

    assert over.awards == (25 + 1, 0, 0)
    assert over.hands == ((), (), ((0, 0, 1),))


def test_blocked_round_considers_only_remaining_seats():
    table = build_stuck_match(3, turn=0)
    act(table, Resign(1), Pass(0))

    _, over, _ = act(table, Pass(2))

    assert over.hands == (build_tiles("0-0-1 0-0-2"), (), build_tiles("1-1-2 1-1-3"))
    assert over.awards == (9 - 3, 0, 0)


def test_resignation_of_failed_seat_still_leaves_others_their_turn():
    table = build_stuck_match(4, turn=0)
    act(table, Pass(0), Pass(1), Resign(1))

    assert len(act(table, Pass(2))) == 1
    assert table.turn == 3
    _, over, _ = act(table, Pass(3))
    assert isinstance(over, RoundEnded)


def test_round_is_blocked_when_only_unfailed_seat_resigns():
    table = build_stuck_match(3, turn=0)
    act(table, Pass(0), Pass(1))

    left, over, dealt = act(table, Resign(2))

    assert left == Resigned(2)
    assert over.awards == (5 - 3, 0, 0)
    assert isinstance(dealt, Dealt)
    assert list_totals(table) == [-10 + 2, -10, 0]


def test_next_round_deals_hand_size_for_remaining_seats():
    table = build_match(["0-5-5", "4-4-4", "0-0-1"], position=FIVES)
    act(table, Resign(1))

    *_, dealt = act(table, build_play(0, "D-1,0=055"))

    assert [len(hand) for hand in dealt.hands] == [9, 0, 9]
    assert len(dealt.boneyard) == 38
    assert dealt.round == 2
    assert dealt.opener != 1


def start_match(seats: int, rules: Rules = RULES) -> tuple[Match, int]:
    table = replay(start(rules, seats=seats, computers=(), by_hand=False, secret=SECRET))
    return table, table.turn


@pytest.mark.parametrize(("game", "size"), [("triominoes", 7), ("points", 11)])
def test_resignation_of_opener_before_opening_redeals_round(game: str, size: int):
    table, opener = start_match(4, build_rules(game))

    left, dealt = act(table, Resign(opener))

    assert left == Resigned(opener)
    assert [len(hand) for hand in dealt.hands] == [0 if seat == opener else size for seat in range(4)]
    assert len(dealt.boneyard) + len(dealt.aside) == len(table.rules.tiles) - 3 * size
    assert table.round == 2
    assert table.turn == dealt.opener != opener
    assert list_totals(table) == [0, 0, 0, 0]


def test_resignation_of_another_seat_keeps_opener():
    table, opener = start_match(4)
    choices = table.choices

    act(table, Resign((opener + 1) % 4))

    assert (table.turn, table.choices, table.round) == (opener, choices, 1)


def test_match_with_only_computers_left_ends_with_current_totals():
    table = build_stuck_match(3, computers=[1, 2], totals=[300, 20, 10])

    assert act(table, Resign(0)) == [Resigned(0), MatchEnded((300, 20, 10), (3, 1, 2), SECRET.hex())]


def test_resignation_of_computer_does_not_end_match():
    table = build_stuck_match(3, computers=[2])

    assert act(table, Resign(2)) == [Resigned(2)]
    assert table.ended is None


def test_first_to_leave_is_last_and_next_takes_place_before():
    table = build_stuck_match(4, totals=[50, 300, 200, 10])

    *_, end = act(table, Resign(1), Resign(2), Resign(3))

    assert end == MatchEnded((50, 300, 200, 10), (1, 4, 3, 2), SECRET.hex())


@pytest.mark.parametrize(
    ("scores", "left", "expected"),
    [
        ([10, 20, 30], [], (3, 2, 1)),
        ([30, 30, 10], [], (1, 1, 3)),
        ([10, 30, 30, 5], [], (3, 1, 1, 4)),
        ([7, 7, 7], [], (1, 1, 1)),
        ([-5, -20], [], (1, 2)),
        ([10, 400, 20], [1], (2, 3, 1)),
        ([10, 400, 400, 10], [1, 2], (1, 4, 3, 1)),
    ],
)
def test_places_follow_points_with_ties_shared_and_resigned_last(
    scores: list[int], left: list[int], expected: tuple[int, ...]
):
    assert compute_places(scores, left) == expected


def test_seat_that_left_may_not_win_although_it_reached_target():
    table = build_match(["0-5-5 0-0-0", "0-0-1", "0-0-2 0-0-3"], position=FIVES, totals=[395, 0, 0])
    act(table, build_play(0, "D-1,0=055"))
    assert table.latched

    act(table, Resign(0), Pass(1))
    *_, end = act(table, Pass(2))

    assert end.totals == (405, -10 + 4, -10)
    assert end.places == (3, 1, 2)


def test_resigning_seat_does_not_pay_for_its_draws():
    table = build_match(["0-0-1", "0-0-2", "0-0-3"], position=FIVES, boneyard="0-1-1 0-1-2")

    act(table, Draw(0), Resign(0))

    assert list_totals(table) == [0, 0, 0]
    assert len(table.boneyard) == 1


POINTS = build_rules("points")


def test_resigned_seat_of_single_deal_is_last_without_award():
    table = build_match(["013", "012", "444"], position="U0,0=333", rules=POINTS)
    act(table, Resign(2))

    *_, over, end = act(table, build_play(0, "D0,0=013", POINTS))

    assert over.awards == (3, 0, 0)
    assert end == MatchEnded((3, 0, 0), (1, 2, 3), end.secret)


def test_single_deal_is_blocked_when_only_unpassed_seat_resigns():
    table = build_match(["124", "444", "334"], position="U0,0=000", rules=POINTS)
    act(table, Pass(0), Pass(1))

    left, over, end = act(table, Resign(2))

    assert left == Resigned(2)
    assert over.awards == (12 - 7, 0, 0)
    assert end == MatchEnded((5, 0, 0), (1, 2, 3), end.secret)
