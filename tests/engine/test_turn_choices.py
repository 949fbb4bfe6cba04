"""Choices inside a turn: a bonus or further tiles in Quad-Ominos, a further turn in Star (RULES §4, §5)."""

from dataclasses import replace
from functools import partial

import pytest

from engine.match.actions import Action, Choose, Draw, Pass, Play, Resign
from engine.match.decide import compute_reward, find_forced_action, list_options
from engine.match.errors import Violation
from engine.match.events import Chose, Dealt, MatchEnded, Placed, Resigned
from engine.match.rules import Reward
from engine.match.state import Match
from tests.engine.readings import build_rules
from tests.engine.tables import act, build_match, build_play, build_tile, build_tiles, expect_refusal, list_totals

QUAD = build_rules("quad-ominos")
CHAIN = build_rules("quad-ominos", "bonus_chain=on")
PARTIAL = build_rules("quad-ominos", "partial_bonus=on")

THREE = "0,0=4455 1,0=4445 1,1=2244"


build_quad_play = partial(build_play, 0, rules=QUAD)


def build_choosing_match(hand: str = "4444 2444 0000", *, rules=QUAD, **more) -> Match:
    table = build_match([f"1244 {hand}", "3333 0011"], position=THREE, rules=rules, **more)
    act(table, build_quad_play("0,1=1244"))
    assert table.choosing
    return table


def build_bonus_tiles_match(hand: str = "4444 2444 0000", **more) -> Match:
    table = build_choosing_match(hand, **more)
    act(table, Choose(0, "tiles"))
    return table


def test_bonus_can_be_chosen_as_points_or_tiles():
    table = build_choosing_match()

    assert list_options(table) == ("points", "tiles")
    assert compute_reward(table) == Reward(25, 2)
    points_match = table.copy()
    assert act(points_match, Choose(0, "points")) == [Chose(0, "points", 25, 0)]
    assert (list_totals(points_match), points_match.turn, points_match.choosing) == ([11 + 25, 0], 1, False)
    assert act(table, Choose(0, "tiles")) == [Chose(0, "tiles", 0, 2)]
    assert (table.turn, table.bonus_tiles, table.choosing) == (0, 2, False)


def test_choice_is_only_for_seat_that_earned_it():
    for table in (build_choosing_match(), build_bonus_tiles_match()):
        for option in ("points", "tiles", "stop"):
            assert expect_refusal(table, Choose(1, option)).why is Violation.NOT_YOUR_TURN


@pytest.mark.parametrize("action", [build_quad_play("2,0=4444"), Draw(0), Pass(0), Choose(0, "stop")])
def test_other_actions_are_refused_while_bonus_choice_is_pending(action: Action):
    error = expect_refusal(build_choosing_match(boneyard="0001"), action)

    assert (error.why, error.facts) == (Violation.MUST_CHOOSE, {"options": ("points", "tiles")})


@pytest.mark.parametrize("option", ["points", "tiles", "stop"])
def test_choice_without_pending_bonus_is_refused(option):
    plain = build_match(["4445 0000", "3333"], position="0,0=4455", rules=QUAD)
    opening = build_match(["5555 0000", "3333"], choices="5555", rules=QUAD)
    other_game = build_match(["1-3-3", "4-4-4"], position="U0,0=135")

    for table in (plain, opening, other_game):
        assert list_options(table) == ()
        assert expect_refusal(table, Choose(0, option)).why is Violation.NOTHING_TO_CHOOSE


def test_first_tile_must_leave_place_for_second():
    table = build_bonus_tiles_match("4444 2444 0000")
    all_moves = {str(move) for move in table.board.list_legal_moves(table.seats[0].hand)}

    # With its 2 on (3,0), the 2-4-4-4 takes the last two fours that lie side by side.
    assert all_moves - {str(move) for move in table.list_legal_moves(0)} == {"2,0=4424"}
    error = expect_refusal(table, build_quad_play("2,0=4424"))
    assert error.why is Violation.BONUS_TILES_IMPOSSIBLE
    assert error.facts == {"tile": build_tile("2444", QUAD), "tiles": 2}


def test_first_bonus_tile_may_block_second_under_partial_option():
    table = build_bonus_tiles_match("4444 2444 0000", rules=PARTIAL)

    act(table, build_quad_play("2,0=4424"))

    assert (table.turn, list_options(table)) == (0, ("stop",))


@pytest.mark.parametrize("action", [Draw(0), Pass(0)])
def test_draw_or_pass_is_refused_while_bonus_tile_fits(action: Action):
    error = expect_refusal(build_bonus_tiles_match(boneyard="0001"), action)

    assert error.why is Violation.MUST_PLAY
    assert len(error.facts["moves"]) > 1


def test_unplaceable_second_bonus_tile_lapses_under_partial_option():
    table = build_bonus_tiles_match("4444 0000", rules=PARTIAL, boneyard="0001")
    act(table, build_quad_play("2,0=4444"))

    assert (table.turn, table.bonus_tiles, list_options(table)) == (0, 1, ("stop",))
    assert find_forced_action(table) == Choose(0, "stop")
    assert expect_refusal(table, Draw(0)).why is Violation.MUST_CHOOSE
    assert act(table, Choose(0, "stop")) == [Chose(0, "stop", 0, 0)]
    assert (list_totals(table), table.turn, table.failed) == ([11 + 16, 0], 1, [])


def test_placeable_second_bonus_tile_is_mandatory():
    table = build_bonus_tiles_match(rules=PARTIAL)
    act(table, build_quad_play("2,0=4444"))

    assert expect_refusal(table, Choose(0, "stop")).why is Violation.MUST_PLAY


def test_bonus_on_first_bonus_tile_keeps_second_tile_pending():
    table = build_match(["1244 2444 0444 0000", "3333"], position=f"{THREE} 2,0=4444", rules=CHAIN)
    act(table, build_quad_play("0,1=1244"), Choose(0, "tiles"))
    (first,) = act(table, build_quad_play("2,1=2444"))
    assert (first.follows, table.choosing, table.bonus_tiles) == ("choice", True, 1)

    act(table, Choose(0, "points"))

    assert (table.turn, table.choosing, table.bonus_tiles) == (0, False, 1)
    (second,) = act(table, build_quad_play("3,0=4044"))
    assert (second.follows, list_totals(table), table.turn) == ("next", [11 + 14 + 25 + 12, 0], 1)


def test_bonus_tiles_that_fit_are_placed_and_rest_lapse():
    table = build_match(["4444 0000", "3333"], position=f"{THREE} 0,1=1244", rules=CHAIN)
    # After the bonus on the first of three tiles, the third need not fit anywhere.
    table.bonus_tiles = 2

    assert table.list_legal_moves(0) == table.board.list_legal_moves(table.seats[0].hand) != []
    assert find_forced_action(table) is None
    act(table, build_quad_play(str(table.list_legal_moves(0)[0])))
    assert (table.turn, table.bonus_tiles, list_options(table)) == (0, 1, ("stop",))


def test_opening_earns_a_choice_only_with_a_quad():
    quad = build_match(["5555 4455 4555", "3333"], choices="5555", rules=QUAD)
    plain = build_match(["4555 0011", "3555"], choices="4555", rules=QUAD)

    act(quad, build_quad_play("0,0=5555"))
    act(plain, build_quad_play("0,0=4555"))

    assert (quad.turn, list_options(quad)) == (0, ("points", "tiles"))
    assert (plain.turn, list_options(plain)) == (1, ())


def test_second_bonus_tile_after_zeros_may_lapse_under_partial_option():
    table = build_match(["0000 0001 3334", "3335"], choices="0000", rules=PARTIAL)
    _, chose = act(table, build_quad_play("0,0=0000"))
    assert chose == Chose(0, "both", 25, 2)

    act(table, build_quad_play("1,0=0100"))

    assert list_options(table) == ("stop",)


def test_zeros_as_only_tile_goes_out_with_bonus_points():
    table = build_match(["0000", "3335"], choices="0000", rules=QUAD)

    _, chose, over, _ = act(table, build_quad_play("0,0=0000"))

    assert (chose, over.awards) == (Chose(0, "points", 25, 0), (14, 0))


def test_tile_of_bonus_may_empty_hand_and_ends_round():
    table = build_bonus_tiles_match("4444 2444")

    _, last, over, dealt = act(table, build_quad_play("2,0=4444"), build_quad_play("2,1=2444"))

    assert isinstance(last, Placed)
    assert (over.out, over.awards) == (0, (12 + 2, 0))
    assert list_totals(table) == [11 + 16 + 14 + 14, 0]
    assert isinstance(dealt, Dealt)
    assert (table.choosing, table.bonus_tiles, table.further) == (False, 0, False)


def test_target_that_first_tile_reaches_does_not_cut_turn_short():
    table = build_choosing_match(totals=[795, 0])
    assert (list_totals(table), table.ended) == ([806, 0], None)

    act(table, Choose(0, "tiles"))
    act(table, build_quad_play("2,0=4444"))
    assert table.ended is None
    *_, end = act(table, build_quad_play("2,1=2444"))

    assert end.totals == (795 + 11 + 16 + 14, 0)


def test_bonus_that_reaches_target_wins_at_once():
    table = build_choosing_match(totals=[765, 0])

    chose, end = act(table, Choose(0, "points"))

    assert chose == Chose(0, "points", 25, 0)
    assert end == MatchEnded((801, 0), (1, 2), end.secret)
    assert list_options(table) == ()


def test_resigning_while_choosing_forfeits_bonus_and_passes_turn():
    for make in (build_choosing_match, build_bonus_tiles_match):
        table = make()
        table.seats.append(replace(table.seats[1], hand=list(build_tiles("3334", QUAD))))

        assert act(table, Resign(0)) == [Resigned(0)]

        assert (table.turn, table.choosing, table.bonus_tiles) == (1, False, 0)
        assert (list_totals(table), list_options(table)) == ([11, 0, 0], ())


def test_pending_choice_remains_when_another_seat_resigns():
    table = build_choosing_match()
    table.seats.append(replace(table.seats[1], hand=list(build_tiles("3334", QUAD))))

    act(table, Resign(1))

    assert (table.turn, list_options(table)) == (0, ("points", "tiles"))
    act(table, Choose(0, "points"))
    assert table.turn == 2


def test_bonus_is_taken_automatically_only_without_a_choice():
    assert find_forced_action(build_choosing_match("0000 0001")) == Choose(0, "points")
    assert find_forced_action(build_choosing_match()) is None
    assert find_forced_action(build_bonus_tiles_match()) is None


STAR, FORCED = build_rules("star"), build_rules("star", "extra_turn=forced")


def build_further_turn_match(hand: str = "344 333", rules=STAR) -> Match:
    table = build_match([f"343 {hand}", "000 BOSS"], position="U0,0=233", rules=rules)
    act(table, build_play(0, "D1,-1=343", rules))
    assert table.further
    return table


@pytest.mark.parametrize("action", [Choose(0, "points"), Choose(0, "tiles"), Draw(0), Pass(0)])
def test_further_turn_can_be_left_only_by_stopping(action: Action):
    error = expect_refusal(build_further_turn_match(), action)

    assert (error.why, error.facts) == (Violation.MUST_CHOOSE, {"options": ("stop",)})


def test_corner_play_gives_optional_further_turn():
    table = build_further_turn_match()

    assert (table.turn, list_options(table), find_forced_action(table)) == (0, ("stop",), None)
    assert act(table, Choose(0, "stop")) == [Chose(0, "stop", 0, 0)]
    assert (table.turn, table.further) == (1, False)


@pytest.mark.parametrize(("lies", "points"), [("D-1,0=BOSS", 15), ("D-1,0=033", 0)])
@pytest.mark.parametrize("options", ["", "layout=open"])
def test_corner_play_beside_older_tile_gives_further_turn(options: str, lies: str, points: int):
    rules = build_rules("star", options)
    table = build_match(["033 BOSS 344", "000"], position="U0,0=333 D0,0=003", rules=rules)

    (placed,) = act(table, build_play(0, lies, rules))

    assert (placed.points, placed.corner, placed.follows, table.turn) == (points, True, "further", 0)


def test_mismatched_numbers_beside_older_tile_make_no_corner_play():
    rules = build_rules("star", "layout=open")
    table = build_match(["334 344", "000"], position="U0,0=333 D0,0=003", rules=rules)

    (placed,) = act(table, build_play(0, "D-1,0=433", rules))

    assert (placed.corner, placed.follows, table.turn) == (False, "next", 1)


def test_further_turn_starts_at_last_tile_and_can_repeat():
    table = build_further_turn_match("344 333 000")

    corner = next(move for move in table.list_legal_moves(0) if table.board.get_touch(move.cell) is not None)
    (placed,) = act(table, Play(0, *corner))
    assert (placed.corner, placed.follows, table.turn) == (True, "further", 0)

    beside = next(move for move in table.list_legal_moves(0) if table.board.get_touch(move.cell) is None)
    (placed,) = act(table, Play(0, *beside))
    assert (placed.corner, placed.follows, table.turn) == (False, "next", 1)


@pytest.mark.parametrize("action", [Draw(0), Pass(0)])
def test_mandatory_further_turn_is_never_passed_or_drawn_for(action: Action):
    assert expect_refusal(build_further_turn_match(rules=FORCED), action).why is Violation.MUST_PLAY


def test_mandatory_further_turn_can_stop_only_when_nothing_fits():
    table = build_further_turn_match(rules=FORCED)
    error = expect_refusal(table, Choose(0, "stop"))
    assert (error.why, error.facts["moves"]) == (Violation.MUST_PLAY, tuple(table.list_legal_moves(0)))

    stuck = build_further_turn_match("000", rules=FORCED)
    assert find_forced_action(stuck) == Choose(0, "stop")
    act(stuck, Choose(0, "stop"))
    assert stuck.turn == 1


def test_corner_play_with_last_tile_ends_round():
    table = build_match(["343", "000"], position="U0,0=233", rules=STAR)

    placed, over, end = act(table, build_play(0, "D1,-1=343", STAR))

    assert (placed.corner, placed.follows, over.out) == (True, "next", 0)
    assert isinstance(end, MatchEnded)


def test_boss_played_to_corner_gives_further_turn_too():
    table = build_match(["BOSS 000", "111"], position="U0,0=233", rules=STAR)

    (placed,) = act(table, build_play(0, "D1,-1=BOSS", STAR))

    assert (placed.points, placed.follows, table.turn) == (10, "further", 0)


def test_stop_does_not_count_as_failed_turn_for_block():
    table = build_match(["343 222", "000", "111"], position="U0,0=233", rules=STAR, turn=0)
    act(table, build_play(0, "D1,-1=343", STAR), Choose(0, "stop"))
    assert (table.turn, table.failed) == (1, [])

    act(table, Pass(1), Pass(2))
    assert table.ended is None
    _, over, _ = act(table, Pass(0))

    assert over.out is None
