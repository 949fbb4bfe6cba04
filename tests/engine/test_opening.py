"""The start of a match: number of players, hand sizes and opener (RULES §§3-6)."""

from random import Random

import pytest
from hypothesis import strategies as st

from engine.board.tiles import WILD, Tile, count_pips
from engine.match.decide import start
from engine.match.errors import RuleError, Violation
from engine.match.rules import Rules
from tests.engine.readings import build_rules, given_rules
from tests.engine.tables import RULES, SECRET, act, build_match, build_play, build_tile, build_tiles

READINGS = {
    "triominoes": RULES,
    "mac76": build_rules("triominoes", "tile_set=mac76"),
    "quad-ominos": build_rules("quad-ominos", "zero_opening=off"),
    "counter_clockwise": build_rules("quad-ominos", "zero_opening=off quad_arrangement=counter_clockwise"),
    "points": build_rules("points", "boss=in"),
    "star": build_rules("star", "tile_set=td56"),
    "trioker": build_rules("trioker", "trioker_joker=on"),
}


def deal_hands(rules: Rules, data: st.DataObject) -> list[list[Tile]]:
    order = data.draw(st.permutations(rules.tiles))
    seats = data.draw(st.integers(rules.min_seats, rules.max_seats))
    size = rules.compute_hand_size(seats)
    return [list(order[seat * size : (seat + 1) * size]) for seat in range(seats)]


@given_rules(READINGS, 8, data=st.data())
def test_opener_holds_highest_triple_or_highest_sum(rules: Rules, data: st.DataObject):
    hands = deal_hands(rules, data)

    found = rules.find_opening(hands)

    held = [tile for hand in hands for tile in hand]
    triples = [tile for tile in held if len(set(tile)) == 1 and WILD not in tile]
    assert set(found.tiles) <= set(hands[found.seat])
    if triples:
        assert found.tiles == (max(triples),)
    else:
        highest = max(map(count_pips, held))
        assert set(found.tiles) == {tile for tile in hands[found.seat] if count_pips(tile) == highest}


@given_rules(READINGS, 8, data=st.data(), rng=st.randoms(use_true_random=False))
def test_order_of_tiles_in_hand_does_not_matter(rules: Rules, data: st.DataObject, rng: Random):
    hands = deal_hands(rules, data)

    assert rules.find_opening([rng.sample(hand, len(hand)) for hand in hands]) == rules.find_opening(hands)


@pytest.mark.parametrize(
    ("game", "hands", "opener", "tile"),
    [
        ("star", ["BOSS 001", "000"], 1, "000"),
        ("star", ["BOSS 001", "BOSS"], 0, "001"),
        ("trioker", ["J00", "001"], 1, "001"),
        ("star", ["BOSS", ""], 0, "BOSS"),
    ],
)
def test_boss_and_joker_open_only_without_other_tiles(game: str, hands: list[str], opener: int, tile: str):
    rules = READINGS[game]

    found = rules.find_opening([build_tiles(hand, rules) for hand in hands])

    assert found == (opener, build_tiles(tile, rules))


def test_seats_without_tiles_do_not_open():
    assert RULES.find_opening([(), build_tiles("0-0-1"), ()]) == (1, ((0, 0, 1),))
    with pytest.raises(ValueError, match="nobody holds"):
        RULES.find_opening([(), ()])


@pytest.mark.parametrize(
    ("text", "points"),
    [("0-0-0", 40), ("1-1-1", 13), ("2-2-2", 16), ("3-3-3", 19), ("4-4-4", 22), ("5-5-5", 25), ("4-5-5", 14)],
)
def test_opening_score_is_sum_plus_bonus_for_triple_or_zeros(text: str, points: int):
    assert RULES.compute_opening_score(build_tile(text)).points == points


def test_opening_score_equals_score_on_empty_board():
    for move in RULES.build_board().list_legal_moves(RULES.tiles):
        assert RULES.score_placement(RULES.build_board(), move) == RULES.compute_opening_score(move.tile)


def test_opener_of_two_equal_tiles_may_choose_either():
    for text in ("U0,0=355", "U0,0=445"):
        table = build_match(["3-5-5 4-4-5", "0-0-1"], choices="3-5-5 4-4-5")
        act(table, build_play(0, text))
        assert table.seats[0].total == 13


@pytest.mark.parametrize("seats", [-1, 0, 1, 13, 100])
@pytest.mark.parametrize(
    ("game", "most"),
    [("triominoes", 6), ("quad-ominos", 12), ("points", 6), ("muggins", 6), ("star", 6), ("trioker", 4)],
)
def test_match_of_too_few_or_too_many_players_is_refused(game: str, most: int, seats: int):
    with pytest.raises(RuleError) as excinfo:
        start(build_rules(game), seats=seats, computers=(), by_hand=False, secret=SECRET)

    assert excinfo.value.why is Violation.SEAT_COUNT
    assert excinfo.value.facts == {"seats": seats, "least": 2, "most": most}


@pytest.mark.parametrize(
    ("options", "sizes", "left"),
    [
        ("star boss=out", [17, 11, 8, 7, 5], [1, 2, 3, 0, 5]),
        ("star", [18, 12, 9, 7, 6], [0, 0, 0, 1, 0]),
        ("muggins tile_set=td56", [28, 18, 14, 11, 9], [0, 2, 0, 1, 2]),
        ("points tile_set=td56 boss=in", [28, 19, 14, 11, 9], [1, 0, 1, 2, 3]),
        ("points tile_set=mac24", [12, 8, 6, 4, 4], [0, 0, 0, 4, 0]),
        ("points tile_set=mac45", [22, 15, 11, 9, 7], [1, 0, 1, 0, 3]),
        ("points tile_set=mac76", [38, 25, 19, 15, 12], [0, 1, 0, 1, 4]),
        ("trioker", [12, 8, 6], [0, 0, 0]),
        ("trioker trioker_joker=on", [12, 8, 6], [1, 1, 1]),
    ],
)
def test_game_without_boneyard_deals_evenly_and_sets_rest_aside(options: str, sizes: list[int], left: list[int]):
    game, _, others = options.partition(" ")
    for seats, (size, rest) in enumerate(zip(sizes, left, strict=True), 2):
        _, dealt = start(build_rules(game, others), seats=seats, computers=(), by_hand=False, secret=SECRET)

        assert [len(hand) for hand in dealt.hands] == [size] * seats
        assert (len(dealt.aside), dealt.boneyard) == (rest, ())


@pytest.mark.parametrize("tiles", [56, 84])
def test_match_starts_with_hand_sizes_of_rules(tiles: int):
    rules = RULES.with_option("tile_set", f"trio{tiles}")
    for seats, hand in [(2, 9), (3, 7), (4, 7), (5, 6), (6, 6)]:
        started, dealt = start(rules, seats=seats, computers=[1], by_hand=False, secret=SECRET)

        assert [len(held) for held in dealt.hands] == [hand] * seats
        assert len(dealt.boneyard) == tiles - seats * hand
        assert started.computers == (1,)
