"""The invariants of RULES §9 that a match of Quad-Ominos keeps, on whole matches from random shuffles and choices:

* points come as sums 0 to 20 and as 25, and are lost in twenties;
* with `bonus_chain` off a turn has two bonus tiles at most; the tiles are offered exactly when they can be placed, and
  the first may be placed exactly where it leaves a place for the second;
* nobody has the target when a turn begins.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.choosing import options
from engine.events import Chose, Dealt, Drew, Passed, Placed
from engine.families import QuadRules
from engine.turns import leaves_another
from tests.depth import deep
from tests.engine import naive_squares
from tests.engine.growing import as_naive, grown, laid, plain
from tests.engine.others import QUADS, playout
from tests.engine.tables import totals

every_quads = pytest.mark.parametrize("rules", QUADS.values(), ids=QUADS)
some, few = settings(max_examples=deep(6)), settings(max_examples=deep(3))
chances = st.integers(0, 2**32).map(Random)


@every_quads
@some
@given(rng=chances)
def test_points_of_quads_come_as_sums_and_bonuses_and_go_in_twenties(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    for _, happened in played.steps():
        for event in happened:
            match event:
                case Placed():
                    assert event.base == sum(event.tile) in range(21)
                    assert (event.bonus, event.points) == (0, event.base - 20 * event.drawn)
                case Chose(option="points" | "both"):
                    assert event.points == 25
                case Chose():
                    assert event.points == 0
                case Passed():
                    over = 20 if not event.drawn or rules.well_exhausted_penalty == "additional" else 0
                    assert event.points == -20 * event.drawn - over


@every_quads
@some
@given(rng=chances)
def test_a_bonus_is_two_tiles_that_start_no_other_unless_bonuses_chain(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    in_turn, seat, began = 0, None, True
    for _, happened in played.steps():
        for event in happened:
            if isinstance(event, Dealt):
                seat, began = None, True
            if not isinstance(event, Placed | Chose | Drew | Passed):
                continue
            if event.seat != seat:
                in_turn, seat = 0, event.seat
            if isinstance(event, Chose):
                assert event.tiles in (0, 2)
            if isinstance(event, Placed):
                in_turn += 1
                quad = began and len(set(event.tile)) == 1
                earns = quad or event.matched >= 3
                assert (event.follows == "choice") == (earns and (in_turn == 1 or rules.bonus_chain == "on"))
                assert in_turn <= 3 or rules.bonus_chain == "on"
                began = False
            # What comes next is another seat's turn, also where the same seat begins anew.
            if isinstance(event, Passed) or (isinstance(event, Placed) and event.follows == "next"):
                seat = None


@every_quads
@few
@given(rng=chances)
def test_bonus_tiles_are_offered_exactly_when_they_can_be_placed(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    table, least = played.match, 1 if rules.partial_bonus == "on" else 2
    for _ in played.steps():
        if table.ended:
            break
        hand = [tuple(sorted(tile)) for tile in table.seats[table.turn].hand]
        if table.choosing and rng.random() < 0.5:
            can = naive_squares.bonus_tiles_possible(plain(table.board), hand, rules.quad_arrangement, least)
            assert options(table) == (("points", "tiles") if can else ("points",))
        if table.bonus_tiles == 2:
            layout = plain(table.board)
            first = {
                move
                for move in naive_squares.moves(layout, rules.quad_arrangement)
                if (tile := naive_squares.tile_of(move[1], rules.quad_arrangement)) in hand
                and naive_squares.bonus_tiles_possible(
                    [*layout, move], [one for one in hand if one != tile], rules.quad_arrangement, least - 1
                )
            }
            if first or rules.bonus_chain == "off":
                assert {as_naive(move) for move in table.legal(table.turn)} == first
            else:
                assert table.legal(table.turn) == table.board.legal(table.seats[table.turn].hand)


@every_quads
@some
@given(rng=chances)
def test_nobody_has_the_target_when_a_turn_begins(rules: QuadRules, rng: Random):
    played = playout(rng, rules)
    table, seat = played.match, None
    for _ in played.steps():
        if table.ended or rules.target_check == "round_end":
            continue
        free = not (table.choosing or table.bonus_tiles or table.drawn)
        if free and seat != table.turn:
            assert max(totals(table)) < rules.target
        seat = table.turn
    assert table.ended is not None
    assert max(table.ended.totals) >= rules.target


@every_quads
def test_a_small_hand_can_place_two_tiles_exactly_when_the_second_opinion_says_so(rules: QuadRules):
    rng, how, met = Random(4), rules.quad_arrangement, set()
    for _ in range(60):
        table = laid(rules, grown(rng, rng.randrange(1, 25), rules))
        layout = plain(table)
        left = [tile for tile in rules.tiles if all(lies.tile != tile for lies in table.placed.values())]
        hand = rng.sample(left, rng.choice([2, 2, 3]))
        after = {
            first: leaves_another(table.tableau, table.plies[first], table.hand(hand)) for first in table.legal(hand)
        }
        for first, leaves in after.items():
            rest = [tuple(sorted(tile)) for tile in hand if tile != first.tile]
            assert leaves == naive_squares.bonus_tiles_possible([*layout, as_naive(first)], rest, how, 1)
        numbers = [tuple(sorted(tile)) for tile in hand]
        assert any(after.values()) == naive_squares.bonus_tiles_possible(layout, numbers, how)
        met |= {*after.values()}
    assert met == {True, False}
