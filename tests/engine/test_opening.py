"""Who opens, beyond the examples of RULES 8.1."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules import Rules
from engine.tiles import WILD, Tile, pips
from tests.depth import deep
from tests.engine.readings import read
from tests.engine.tables import RULES, act, match, play, tile, tiles

READINGS = {
    "triominoes": RULES,
    "mac76": read("triominoes", "tile_set=mac76"),
    "quad-ominos": read("quad-ominos", "zero_opening=off"),
    "counter_clockwise": read("quad-ominos", "zero_opening=off quad_arrangement=counter_clockwise"),
    "points": read("points", "boss=in"),
    "star": read("star", "tile_set=td56"),
    "trioker": read("trioker", "trioker_joker=on"),
}
every_reading = pytest.mark.parametrize("rules", READINGS.values(), ids=READINGS)
some = settings(max_examples=deep(20))


def dealt(rules: Rules, data: st.DataObject) -> list[list[Tile]]:
    """Hands as the game deals them."""
    order = data.draw(st.permutations(rules.tiles))
    seats = data.draw(st.integers(rules.min_seats, rules.max_seats))
    size = rules.hand_size(seats)
    return [list(order[seat * size : (seat + 1) * size]) for seat in range(seats)]


@every_reading
@some
@given(data=st.data())
def test_the_opener_holds_the_highest_triple_or_the_highest_sum(rules: Rules, data: st.DataObject):
    hands = dealt(rules, data)

    found = rules.opening(hands)

    held = [tile for hand in hands for tile in hand]
    triples = [tile for tile in held if len(set(tile)) == 1 and WILD not in tile]
    assert set(found.tiles) <= set(hands[found.seat])
    if triples:
        assert found.tiles == (max(triples),)
    else:
        highest = max(map(pips, held))
        assert set(found.tiles) == {tile for tile in hands[found.seat] if pips(tile) == highest}


@every_reading
@some
@given(data=st.data(), rng=st.randoms(use_true_random=False))
def test_the_order_of_tiles_in_a_hand_does_not_matter(rules: Rules, data: st.DataObject, rng: Random):
    hands = dealt(rules, data)

    assert rules.opening([rng.sample(hand, len(hand)) for hand in hands]) == rules.opening(hands)


def test_the_boss_and_the_joker_open_only_for_want_of_anything_else():
    star, trioker = READINGS["star"], READINGS["trioker"]

    assert star.opening([tiles("BOSS 001", star), tiles("000", star)]) == (1, tiles("000", star))
    assert star.opening([tiles("BOSS 001", star), tiles("BOSS", star)]) == (0, tiles("001", star))
    assert trioker.opening([tiles("J00", trioker), tiles("001", trioker)]) == (1, tiles("001", trioker))
    assert star.opening([tiles("BOSS", star), ()]) == (0, tiles("BOSS", star))


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
