"""The tile sets and their text (RULES §1)."""

from collections import Counter
from itertools import combinations_with_replacement, permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.tiles import (
    BOSS,
    WILD,
    Tile,
    count_pips,
    find_rotation,
    format_labels,
    format_tile_notation,
    get_tile_set,
    is_triple,
    list_fitting_rotations,
    list_rotations,
    meets,
    mirror_tile,
    parse_labels,
    rotate_tile,
    to_canonical,
)
from tests.engine.readings import build_rules

TRIO56 = get_tile_set("trio56")
labels = st.tuples(*[st.integers(0, 5)] * 3)
four = st.tuples(*[st.integers(0, 5)] * 4)


@pytest.mark.parametrize(
    ("name", "count", "kinds", "total"),
    [
        ("trio56", 56, {1: 6, 2: 30, 3: 20}, 420),
        ("trio84", 84, {1: 7, 2: 42, 3: 35}, 756),
        ("trio120", 120, {1: 8, 2: 56, 3: 56}, 1260),
        ("td35", 35, {1: 5, 2: 20, 3: 10}, 210),
        ("td56", 56, {1: 6, 2: 30, 3: 20}, 420),
        ("mac24", 24, {1: 4, 2: 12, 3: 8}, 108),
        ("mac45", 45, {1: 5, 2: 20, 3: 20}, 270),
        ("mac76", 76, {1: 6, 2: 30, 3: 40}, 570),
        ("mac119", 119, {1: 7, 2: 42, 3: 70}, 1071),
        # 30 with three equal numbers, 15 with two pairs, 60 with one pair, 14 with four different numbers.
        ("quad125", 125, {1: 6, 2: 45, 3: 60, 4: 14}, 1249),
    ],
)
def test_set_has_tile_count_of_rules(name: str, count: int, kinds: dict[int, int], total: int):
    tiles = get_tile_set(name)

    assert len(tiles) == len(set(tiles)) == count
    assert Counter(len(set(tile)) for tile in tiles) == kinds
    assert sum(map(count_pips, tiles)) == total
    assert tiles == tuple(sorted(tiles))
    assert all(tile == to_canonical(tile) for tile in tiles)


def test_quad_ominos_set_lacks_only_tile_0_2_4_5():
    written = {tuple(sorted(tile)) for tile in get_tile_set("quad125")}

    assert set(combinations_with_replacement(range(6), 4)) - written == {(0, 2, 4, 5)}
    assert Counter(tuple(sorted(Counter(tile).values())) for tile in get_tile_set("quad125")) == {
        (4,): 6,
        (1, 3): 30,
        (2, 2): 15,
        (1, 1, 2): 60,
        (1, 1, 1, 1): 14,
    }


@pytest.mark.parametrize(("values", "ascending_set", "complete_set"), [(5, "td35", "mac45"), (6, "trio56", "mac76")])
def test_complete_set_adds_mirror_image_of_every_single(values: int, ascending_set: str, complete_set: str):
    missing = set(get_tile_set(complete_set)) - set(get_tile_set(ascending_set))

    assert missing == {to_canonical(mirror_tile(tile)) for tile in get_tile_set(ascending_set) if len(set(tile)) == 3}
    assert len(missing) == comb(values, 3)


@pytest.mark.parametrize("name", ["trio57", "trio", "56", "", "mac25", "quad126", "hex19", "trio056", "quad6"])
def test_set_that_no_range_of_numbers_makes_is_refused(name: str):
    with pytest.raises(ValueError, match="trio56, td35, mac24, quad125"):
        get_tile_set(name)


@pytest.mark.parametrize(
    ("game", "options", "count", "total"),
    [
        ("points", "boss=in", 36, 210),
        ("star", "tile_set=td56", 57, 420),
        ("trioker", "trioker_joker=on", 25, 108),
        ("quad-ominos", "quad_arrangement=counter_clockwise", 125, 1249),
        ("quad-ominos", "quad_arrangement=free", 125, 1249),
    ],
)
def test_wild_tile_is_added_to_set_without_pips(game: str, options: str, count: int, total: int):
    tiles = build_rules(game, options).tiles

    assert len(set(tiles)) == len(tiles) == count
    assert sum(map(count_pips, tiles)) == total


def test_set_has_sums_of_rules():
    sums = Counter(map(sum, TRIO56))

    assert [sums[total] for total in range(16)] == [1, 1, 2, 3, 4, 5, 6, 6, 6, 6, 5, 4, 3, 2, 1, 1]


def test_each_number_is_on_21_tiles_of_trio56():
    assert [sum(number in tile for tile in TRIO56) for number in range(6)] == [21] * 6
    assert sum(4 in tile and 5 in tile for tile in TRIO56) == 6


@pytest.mark.parametrize("name", ["trio56", "trio84"])
def test_mirrored_tile_is_in_set_only_with_repeated_numbers(name: str):
    for tile in get_tile_set(name):
        mirror = to_canonical(mirror_tile(tile))
        assert (mirror in get_tile_set(name)) == (len(set(tile)) < 3)
        assert mirror == tile or len(set(tile)) == 3


def test_triple_has_one_rotation_and_any_other_tile_three():
    assert {len(list_rotations(tile)) for tile in TRIO56 if is_triple(tile)} == {1}
    assert {len(list_rotations(tile)) for tile in TRIO56 if not is_triple(tile)} == {3}


@given(labels, st.integers(0, 2))
def test_rotated_tile_is_same_tile(tile: Tile, turn: int):
    assert to_canonical(rotate_tile(tile, turn)) == to_canonical(tile)


@given(labels)
def test_rotation_is_found_from_shown_labels(shown: Tile):
    turn = find_rotation(to_canonical(shown), shown)

    assert rotate_tile(to_canonical(shown), turn) == shown


def test_tile_never_shows_what_another_tile_shows():
    assert find_rotation((0, 1, 3), (0, 3, 1)) is None


@given(labels, st.tuples(*[st.none() | st.integers(0, 5)] * 3))
def test_fitting_rotations_are_all_that_meet_every_demand(tile: Tile, needs: tuple[int | None, ...]):
    shown = {rotate_tile(tile, turn) for turn in list_fitting_rotations(tile, needs)}

    assert shown == {
        (a, b, c)
        for a, b, c in [tile, tile[1:] + tile[:1], tile[2:] + tile[:2]]
        if needs[0] in (None, a) and needs[1] in (None, b) and needs[2] in (None, c)
    }


@given(four, four)
def test_numbers_of_free_tile_may_lie_in_every_order(tile: Tile, other: Tile):
    tile = tuple(sorted(tile))

    shown = [rotate_tile(tile, turn) for turn in list_rotations(tile, free=True)]

    assert sorted(shown) == sorted(set(permutations(tile)))
    for one in shown:
        assert rotate_tile(tile, find_rotation(tile, one, free=True)) == one
    assert (find_rotation(tile, other, free=True) is not None) == (sorted(other) == list(tile))


@given(four, st.tuples(*[st.none() | st.integers(0, 5)] * 4), st.booleans())
def test_fitting_rotations_of_square_are_all_that_meet_every_demand(
    tile: Tile, needs: tuple[int | None, ...], free: bool
):
    tile = tuple(sorted(tile))
    orders = set(permutations(tile)) if free else {tile[turn:] + tile[:turn] for turn in range(4)}

    turns = list_fitting_rotations(tile, needs, free=free)

    shown = [rotate_tile(tile, turn) for turn in turns]
    assert len(shown) == len(set(shown))
    assert set(shown) == {
        order
        for order in orders
        if all(need is None or need == label for need, label in zip(needs, order, strict=True))
    }


@pytest.mark.parametrize(
    ("need", "label", "equal", "fives"),
    [
        (4, 4, True, False),
        (4, 1, False, True),
        (0, 0, True, True),
        (5, 0, False, True),
        (0, 5, False, True),
        (5, 5, True, True),
        (2, 2, True, False),
        (2, 3, False, True),
        (None, 3, True, True),
        (3, WILD, True, True),
        (None, WILD, True, True),
    ],
)
def test_numbers_match_by_equality_or_fives_and_wild_matches_any(
    need: int | None, label: int, equal: bool, fives: bool
):
    assert (meets(need, label), meets(need, label, fives=True)) == (equal, fives)


def test_boss_and_joker_text_and_pips_are_correct():
    joker = parse_labels("j-0-0", 3)

    assert joker == (WILD, 0, 0)
    assert parse_labels("boss", 3) == BOSS
    assert not is_triple(BOSS)
    assert not is_triple(joker)
    assert (format_tile_notation(BOSS), format_labels(BOSS)) == ("BOSS", "BOSS")
    assert (format_tile_notation(joker), format_labels(joker)) == ("J-0-0", "J00")
    assert (count_pips(BOSS), count_pips((WILD, 2, 3))) == (0, 5)
    assert len(list_rotations(BOSS)) == 1
    with pytest.raises(ValueError, match="like 1-3-5-5"):
        parse_labels("BOSS", 4)


@given(st.one_of(labels, four))
def test_tile_is_read_back_from_its_text(tile: Tile):
    assert parse_labels(format_tile_notation(tile), len(tile)) == tile
    assert parse_labels(format_labels(tile), len(tile)) == tile


@pytest.mark.parametrize("text", ["1-3-5", "135", " 1 3 5 ", "1,3,5", "1/3/5", "(1–3–5)", "[1−3−5]", "１３５", "1‑3—5"])
def test_tile_may_be_written_in_several_ways(text: str):
    assert parse_labels(text, 3) == (1, 3, 5)


@pytest.mark.parametrize("text", ["", "13", "1355", "1-3-x", "a b c", "1-3-55"])
def test_text_that_is_no_tile_is_refused_with_example(text: str):
    with pytest.raises(ValueError, match="like 1-3-5"):
        parse_labels(text, 3)
