"""The further turn after a corner play in Star, and how it is left (RULES §5)."""

import pytest

from engine.actions import Action, Choose, Draw, Pass, Play
from engine.choosing import options
from engine.decide import forced
from engine.errors import Why
from engine.events import Chose, MatchEnded, RoundEnded
from engine.match import Match
from tests.engine.readings import read
from tests.engine.tables import act, match, play, refused_by

STAR, FORCED = read("star"), read("star", "extra_turn=forced")


def goes_on(hand: str = "344 333", rules=STAR) -> Match:
    """Seat 0 has played corner to corner in Star and may go on; this is what it still holds."""
    table = match([f"343 {hand}", "000 BOSS"], position="U0,0=233", rules=rules)
    act(table, play(0, "D1,-1=343", rules))
    assert table.further
    return table


@pytest.mark.parametrize("option", ["points", "tiles"])
def test_a_further_turn_is_left_by_stopping_and_by_nothing_else(option):
    refused = refused_by(goes_on(), Choose(0, option))

    assert (refused.why, refused.facts) == (Why.MUST_CHOOSE, {"options": ("stop",)})


def test_a_corner_play_gives_a_further_turn_which_may_be_left():
    table = goes_on()

    assert (table.turn, options(table), forced(table)) == (0, ("stop",), None)
    assert act(table, Choose(0, "stop")) == [Chose(0, "stop", 0, 0)]
    assert (table.turn, table.further) == (1, False)


@pytest.mark.parametrize(("lies", "points"), [("D-1,0=BOSS", 15), ("D-1,0=033", 0)])
@pytest.mark.parametrize("options", ["", "layout=open"])
def test_a_corner_play_is_one_also_beside_an_older_tile(options: str, lies: str, points: int):
    rules = read("star", options)
    table = match(["033 BOSS 344", "000"], position="U0,0=333 D0,0=003", rules=rules)

    (placed,) = act(table, play(0, lies, rules))

    assert (placed.points, placed.corner, placed.follows, table.turn) == (points, True, "further", 0)


def test_beside_an_older_tile_numbers_that_do_not_meet_make_no_corner_play():
    rules = read("star", "layout=open")
    table = match(["334 344", "000"], position="U0,0=333 D0,0=003", rules=rules)

    (placed,) = act(table, play(0, "D-1,0=433", rules))

    assert (placed.corner, placed.follows, table.turn) == (False, "next", 1)


def test_a_further_turn_builds_on_the_tile_just_placed_and_may_give_another():
    table = goes_on("344 333 000")

    corner = next(move for move in table.legal(0) if table.board.touch(move.cell) is not None)
    (placed,) = act(table, Play(0, corner.tile, corner.cell, corner.rotation))
    assert (placed.corner, placed.follows, table.turn) == (True, "further", 0)

    beside = next(move for move in table.legal(0) if table.board.touch(move.cell) is None)
    (placed,) = act(table, Play(0, beside.tile, beside.cell, beside.rotation))
    assert (placed.corner, placed.follows, table.turn) == (False, "next", 1)


@pytest.mark.parametrize("action", [Draw(0), Pass(0)])
def test_a_further_turn_is_never_passed_or_drawn_for(action: Action):
    refused = refused_by(goes_on(), action)
    assert (refused.why, refused.facts) == (Why.MUST_CHOOSE, {"options": ("stop",)})

    assert refused_by(goes_on(rules=FORCED), action).why is Why.MUST_PLAY


def test_a_further_turn_that_must_be_taken_is_not_left_while_anything_fits():
    table = goes_on(rules=FORCED)
    refused = refused_by(table, Choose(0, "stop"))
    assert (refused.why, refused.facts["moves"]) == (Why.MUST_PLAY, tuple(table.legal(0)))

    stuck = goes_on("000", rules=FORCED)
    assert forced(stuck) == Choose(0, "stop")
    act(stuck, Choose(0, "stop"))
    assert stuck.turn == 1


def test_a_corner_play_with_the_last_tile_goes_out_and_no_further():
    table = match(["343", "000"], position="U0,0=233", rules=STAR)

    placed, over, end = act(table, play(0, "D1,-1=343", STAR))

    assert (placed.corner, placed.follows, over.out) == (True, "next", 0)
    assert isinstance(end, MatchEnded)


def test_the_boss_played_to_a_corner_gives_a_further_turn_too():
    table = match(["BOSS 000", "111"], position="U0,0=233", rules=STAR)

    (placed,) = act(table, play(0, "D1,-1=BOSS", STAR))

    assert (placed.points, placed.follows, table.turn) == (10, "further", 0)


def test_a_stop_is_no_failed_turn_so_it_takes_a_whole_circle_to_block_the_deal():
    table = match(["343 222", "000", "111"], position="U0,0=233", rules=STAR, turn=0)
    act(table, play(0, "D1,-1=343", STAR), Choose(0, "stop"))
    assert (table.turn, table.failed) == (1, [])

    act(table, Pass(1), Pass(2))
    assert table.ended is None
    _, over, _ = act(table, Pass(0))

    assert isinstance(over, RoundEnded)
    assert over.out is None


def test_the_choice_is_only_for_the_seat_that_earned_it():
    assert refused_by(goes_on(), Choose(1, "stop")).why is Why.NOT_YOUR_TURN


def test_a_further_turn_in_which_nothing_fits_is_left_by_itself():
    assert forced(goes_on("000")) == Choose(0, "stop")
