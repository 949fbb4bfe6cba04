"""The invariants of RULES §9 that a match of Triominoes keeps, on whole matches from random shuffles and choices:

* board, hands and boneyard are exactly the set at every moment, 420 pips in all;
* a placement scores base 0 to 15, plus 0, 40, 50, 100 or 150, less 5 for each of 0 to 3 drawn; a failed turn -10,
  -15, -20 or -25; an opening 40, or 13, 16, 19, 22, 25 for a triple, or a sum of at most 14;
* nobody draws more than 3, nor more than the boneyard held; the hand changes by what was drawn, less one if a tile
  was placed; drawing is possible only when nothing in hand fits;
* the award of a blocked round is a sum of differences, 0 for all but the lowest, the same in whatever order they
  sit; going out earns 25 and what the opponents hold;
* a player's total is the sum of what was logged for him, and replaying any part of the log gives that moment again;
* once the target is reached no further round is dealt.

Those about layouts are in `test_layout_properties`.
"""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Draw, Pass
from engine.decide import decide
from engine.errors import RuleBroken, Why
from engine.events import Dealt, Drew, MatchEnded, Passed, Placed, RoundEnded
from engine.match import Match, replay
from engine.tiles import is_triple
from tests.depth import deep
from tests.engine.tables import RULES, Playout, state, totals

chances, tables = st.integers(0, 2**32).map(Random), st.integers(2, 6)
played_out = st.builds(Playout, rng=chances, seats=tables)
playouts = st.builds(Playout, rng=chances, seats=tables, resigning=st.sampled_from([0.0, 0.0, 0.01]))


def everything(table: Match) -> list[tuple[int, ...]]:
    held = [tile for seat in table.seats for tile in seat.hand]
    return sorted([lies.tile for lies in table.board.placed.values()] + held + table.boneyard)


@settings(max_examples=deep(20))
@given(playouts)
def test_tiles_are_neither_lost_nor_made(playout: Playout):
    everything_there_is = sorted(RULES.tiles)
    assert sum(map(sum, everything_there_is)) == 420

    for _ in playout.steps():
        assert everything(playout.match) == everything_there_is


@given(playouts)
def test_every_turn_scores_within_the_bounds_of_the_rules(playout: Playout):
    opening = True
    for _, happened in playout.steps():
        for event in happened:
            match event:
                case Placed() if opening:
                    assert (event.drawn, event.hexagons, event.bridge) == (0, 0, False)
                    if is_triple(event.tile):
                        assert event.points == {0: 40, 3: 13, 6: 16, 9: 19, 12: 22, 15: 25}[sum(event.tile)]
                    else:
                        assert event.points == sum(event.tile) <= 14
                case Placed():
                    assert event.base == sum(event.tile) in range(16)
                    assert event.bonus in (0, 40, 50, 100, 150)
                    assert event.drawn in range(4)
                    assert event.points == event.base + event.bonus - 5 * event.drawn
                case Passed():
                    assert event.points == -10 - 5 * event.drawn
                    assert event.points in (-10, -15, -20, -25)
            opening = isinstance(event, Dealt) or (opening and not isinstance(event, Placed))


def turn_begins(table: Match) -> tuple[int, int, int]:
    """Whose turn it is, what the boneyard has and what the seat holds."""
    return table.turn, len(table.boneyard), len(table.seats[table.turn].hand)


@given(played_out)
def test_draws_are_limited_and_the_hand_grows_by_them(playout: Playout):
    table = playout.match
    before = turn_begins(table)
    for _, (first, *rest) in playout.steps():
        if isinstance(first, Drew):
            continue
        seat, boneyard, held = before
        assert isinstance(first, Placed | Passed)
        assert first.seat == seat
        assert first.drawn <= min(3, boneyard)
        if isinstance(first, Passed):
            assert first.drawn == min(3, boneyard)
        if not rest:
            assert len(table.seats[seat].hand) == held + first.drawn - isinstance(first, Placed)
        before = turn_begins(table)


@settings(max_examples=deep(15))
@given(playouts)
def test_drawing_and_passing_are_possible_only_when_nothing_fits(playout: Playout):
    table = playout.match
    for _ in playout.steps():
        if table.ended:
            break
        if table.legal(table.turn):
            for action in (Draw(table.turn), Pass(table.turn)):
                with pytest.raises(RuleBroken) as refused:
                    decide(table, action, playout.secret)
                assert refused.value.why is Why.MUST_PLAY
        else:
            action = Draw(table.turn) if table.can_draw() else Pass(table.turn)
            assert decide(table, action, playout.secret)


@given(st.lists(st.integers(0, 200), min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_award_of_a_blocked_round_is_the_lowest_hands_and_the_same_in_any_seats(hands: list[int], rng: Random):
    awards = RULES.block_awards(hands)
    lowest = min(hands)

    assert all(award == 0 for hand, award in zip(hands, awards, strict=True) if hand > lowest)
    assert {award for hand, award in zip(hands, awards, strict=True) if hand == lowest} == {
        sum(hand - lowest for hand in hands)
    }
    seats = rng.sample(range(len(hands)), len(hands))
    assert RULES.block_awards([hands[seat] for seat in seats]) == [awards[seat] for seat in seats]


@given(playouts)
def test_a_round_ends_with_the_award_of_the_rules(playout: Playout):
    for _, happened in playout.steps():
        for event in happened:
            if not isinstance(event, RoundEnded):
                continue
            held = [sum(map(sum, hand)) for hand in event.hands]
            if event.out is None:
                playing = [seat for seat, hand in enumerate(event.hands) if hand]
                expected = [0] * len(held)
                for seat in playing:
                    if held[seat] == min(held[other] for other in playing):
                        expected[seat] = sum(held[other] - held[seat] for other in playing)
            else:
                assert not event.hands[event.out]
                expected = [25 + sum(held) if seat == event.out else 0 for seat in range(len(held))]
            assert list(event.awards) == expected


@given(playouts)
def test_a_total_is_the_sum_of_what_was_logged(playout: Playout):
    ledger = [0] * playout.seats
    for _, happened in playout.steps():
        for event in happened:
            match event:
                case Placed() | Passed():
                    ledger[event.seat] += event.points
                case RoundEnded(awards=awards):
                    ledger = [total + award for total, award in zip(ledger, awards, strict=True)]
                case MatchEnded(totals=final):
                    assert list(final) == ledger
        assert totals(playout.match) == ledger


@settings(max_examples=deep(15))
@given(playouts, st.data())
def test_replaying_any_part_of_the_log_gives_that_moment_again(playout: Playout, data: st.DataObject):
    moment = data.draw(st.integers(1, 120), label="steps")
    for count, _ in enumerate(playout.steps(), 1):
        if count == moment:
            break

    assert state(replay(playout.log)) == state(playout.match)


@given(playouts)
def test_no_round_is_dealt_once_the_target_is_reached(playout: Playout):
    reached = False
    for _, happened in playout.steps():
        for event in happened:
            assert not (reached and isinstance(event, Dealt))
        reached = reached or max(totals(playout.match)) >= RULES.target
        assert playout.match.latched == reached


def winners(places: Sequence[int]) -> list[int]:
    return [seat for seat, place in enumerate(places) if place == 1]


@given(playouts)
def test_the_most_points_win_among_those_who_stayed(playout: Playout):
    for _ in playout.steps():
        pass
    table = playout.match
    assert table.ended is not None
    stayed = {seat: table.ended.totals[seat] for seat in table.active}
    best = max(stayed.values())

    assert winners(table.ended.places) == [seat for seat, total in stayed.items() if total == best]
    if len(stayed) > 1:
        assert table.latched
