"""The tile sets and their text (RULES §1)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tiles import (
    Tile,
    canonical,
    fitting,
    is_triple,
    mirrored,
    parse_labels,
    rotated,
    rotations,
    tile_set,
    tile_text,
    turned,
)

TRIO56 = tile_set("trio56")
labels = st.tuples(*[st.integers(0, 5)] * 3)


@pytest.mark.parametrize(
    ("name", "count", "kinds", "pips"),
    [("trio56", 56, {1: 6, 2: 30, 3: 20}, 420), ("trio84", 84, {1: 7, 2: 42, 3: 35}, 756)],
)
def test_a_set_has_the_tiles_that_the_rules_count(name: str, count: int, kinds: dict[int, int], pips: int):
    tiles = tile_set(name)

    assert len(tiles) == len(set(tiles)) == count
    assert Counter(len(set(tile)) for tile in tiles) == kinds
    assert sum(map(sum, tiles)) == pips


def test_the_sums_of_the_set_are_those_of_the_rules():
    sums = Counter(map(sum, TRIO56))

    assert [sums[total] for total in range(16)] == [1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 5, 4, 3, 2, 1, 1]


def test_each_number_is_on_21_tiles_and_4_and_5_meet_on_6():
    assert [sum(number in tile for tile in TRIO56) for number in range(6)] == [21] * 6
    assert sum(4 in tile and 5 in tile for tile in TRIO56) == 6


def test_the_mirror_of_a_single_is_no_tile_and_every_other_mirror_is_itself():
    for tile in TRIO56:
        mirror = canonical(mirrored(tile))
        assert (mirror in TRIO56) == (len(set(tile)) < 3)
        assert mirror == tile or len(set(tile)) == 3


def test_a_triple_has_one_rotation_and_any_other_tile_three():
    assert {len(rotations(tile)) for tile in TRIO56 if is_triple(tile)} == {1}
    assert {len(rotations(tile)) for tile in TRIO56 if not is_triple(tile)} == {3}


@given(labels, st.integers(0, 2))
def test_turning_a_tile_does_not_make_another_one(tile: Tile, turn: int):
    assert canonical(rotated(tile, turn)) == canonical(tile)


@given(labels)
def test_a_tile_is_turned_back_to_what_it_showed(shown: Tile):
    turn = turned(canonical(shown), shown)

    assert turn is not None
    assert rotated(canonical(shown), turn) == shown


def test_a_tile_never_shows_what_another_tile_shows():
    assert turned((0, 1, 3), (0, 3, 1)) is None


@given(labels, st.tuples(*[st.none() | st.integers(0, 5)] * 3))
def test_the_fitting_rotations_are_all_that_meet_every_demand(tile: Tile, needs: tuple[int | None, ...]):
    shown = {rotated(tile, turn) for turn in fitting(tile, needs)}

    expected = set()
    for a, b, c in [tile, tile[1:] + tile[:1], tile[2:] + tile[:2]]:
        if needs[0] in (None, a) and needs[1] in (None, b) and needs[2] in (None, c):
            expected.add((a, b, c))
    assert shown == expected


@given(labels)
def test_a_tile_is_read_back_from_its_text(tile: Tile):
    assert parse_labels(tile_text(tile), 3) == tile


@pytest.mark.parametrize("text", ["1-3-5", "135", " 1 3 5 ", "1,3,5", "1/3/5"])
def test_a_tile_may_be_written_in_several_ways(text: str):
    assert parse_labels(text, 3) == (1, 3, 5)


@pytest.mark.parametrize("text", ["", "13", "1355", "1-3-x", "１３５", "a b c", "1-3-55"])
def test_text_that_is_no_tile_is_refused_with_an_example(text: str):
    with pytest.raises(ValueError, match="is no tile; write it like 1-3-5"):
        parse_labels(text, 3)
