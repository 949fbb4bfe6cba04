"""Who opens, beyond the examples of RULES 8.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tiles import Tile, is_triple
from tests.engine.tables import RULES, act, match, play, tile, tiles

deals = st.permutations(RULES.tiles).flatmap(
    lambda order: st.integers(2, 6).map(
        lambda seats: [
            list(order[seat * RULES.hand_size(seats) : (seat + 1) * RULES.hand_size(seats)]) for seat in range(seats)
        ]
    )
)


@given(deals)
def test_the_opener_holds_the_highest_triple_or_the_highest_sum(hands: list[list[Tile]]):
    found = RULES.opening(hands)
    held = [tile for hand in hands for tile in hand]
    triples = [tile for tile in held if is_triple(tile)]

    assert set(found.tiles) <= set(hands[found.seat])
    if triples:
        assert found.tiles == (max(triples),)
    else:
        highest = max(map(sum, held))
        assert set(found.tiles) == {tile for tile in hands[found.seat] if sum(tile) == highest}


@given(deals, st.randoms(use_true_random=False))
def test_the_order_of_tiles_in_a_hand_does_not_matter(hands: list[list[Tile]], rng):
    assert RULES.opening([rng.sample(hand, len(hand)) for hand in hands]) == RULES.opening(hands)


def test_seats_without_tiles_do_not_open():
    assert RULES.opening([(), tiles("0-0-1"), ()]) == (1, ((0, 0, 1),))
    with pytest.raises(ValueError, match="nobody holds a tile"):
        RULES.opening([(), ()])


@pytest.mark.parametrize(
    ("text", "points"),
    [("0-0-0", 40), ("1-1-1", 13), ("2-2-2", 16), ("3-3-3", 19), ("4-4-4", 22), ("5-5-5", 25), ("4-5-5", 14)],
)
def test_an_opening_scores_its_sum_and_ten_for_a_triple_and_forty_for_zeros(text: str, points: int):
    assert RULES.opening_score(tile(text)).points == points


def test_an_opening_is_scored_the_same_wherever_it_is_asked():
    for move in RULES.board().legal(RULES.tiles):
        assert RULES.score(RULES.board(), move) == RULES.opening_score(move.tile)


def test_the_opening_is_the_whole_turn():
    table = match(["5-5-5 0-5-5", "0-0-1"], choices="5-5-5")

    (placed,) = act(table, play(0, "U0,0=555"))

    assert (placed.points, placed.bonus, placed.drawn) == (25, 10, 0)
    assert (table.turn, table.seats[0].total) == (1, 25)


def test_the_opener_of_two_equal_tiles_may_choose_either():
    for text in ("U0,0=355", "U0,0=445"):
        table = match(["3-5-5 4-4-5", "0-0-1"], choices="3-5-5 4-4-5")
        act(table, play(0, text))
        assert table.seats[0].total == 13
