"""Divisions of four to six players, promotion and relegation, and pairings by the tables of FIDE's handbook."""

from collections import Counter
from itertools import combinations

import pytest

from engine.leagues.divisions import compute_division_sizes, seed_next_season, seed_players, split_divisions
from engine.leagues.round_robin import list_all_rounds, list_berger_rounds


@pytest.mark.parametrize(
    ("players", "wanted", "sizes"),
    [
        (4, 6, [4]),
        (6, 4, [6]),
        (7, 6, [7]),
        (8, 6, [4, 4]),
        (11, 4, [5, 6]),
        (13, 6, [4, 4, 5]),
        (40, 6, [5, 5, 6, 6, 6, 6, 6]),
        (40, 4, [4] * 10),
    ],
)
def test_division_sizes_are_even_and_lowest_are_largest(players: int, wanted: int, sizes: list[int]) -> None:
    assert compute_division_sizes(players, wanted) == sizes


@pytest.mark.parametrize("wanted", [4, 5, 6])
def test_all_counts_except_seven_split_into_four_to_six_players(wanted: int) -> None:
    for players in range(4, 61):
        sizes = compute_division_sizes(players, wanted)
        assert sum(sizes) == players
        assert {*sizes} <= {4, 5, 6} or players == 7


def test_three_players_are_too_few_for_division() -> None:
    with pytest.raises(ValueError, match="3 are too few"):
        compute_division_sizes(3, 6)


def test_returning_players_keep_order_before_newcomers_by_rating() -> None:
    entrants = {1: None, 2: 5, 3: None, 4: 0, 5: None}
    assert seed_players(entrants, {1: 1400.0, 3: 1700.0}) == [4, 2, 3, 1, 5]


def test_last_of_division_change_places_with_first_of_next() -> None:
    ranked = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]

    order = seed_next_season(ranked, [4, 4, 4])

    assert split_divisions(order, 4) == ((1, 2, 3, 5), (4, 6, 7, 9), (8, 10, 11, 12))


def test_in_large_divisions_two_go_up_and_two_go_down() -> None:
    ranked = [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]
    assert split_divisions(seed_next_season(ranked, [6, 6]), 6) == ((1, 2, 3, 4, 7, 8), (5, 6, 9, 10, 11, 12))


def test_each_player_is_kept_once_when_most_left_division() -> None:
    ranked = [[1, 2, 3, 4], [5], [], [9, 10]]
    assert sorted(seed_next_season(ranked, [4, 4, 4, 4])) == [1, 2, 3, 4, 5, 9, 10]


HANDBOOK_ROUNDS = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ],
}


@pytest.mark.parametrize("players", HANDBOOK_ROUNDS)
def test_berger_rounds_match_handbook(players: int) -> None:
    rounds = [" ".join(f"{one + 1}-{other + 1}" for one, other in pairs) for pairs in list_berger_rounds(players)]
    assert rounds == HANDBOOK_ROUNDS[players]


@pytest.mark.parametrize("players", range(2, 16))
@pytest.mark.parametrize("legs", [1, 2])
def test_each_pair_meets_once_per_leg_and_once_per_round(players: int, legs: int) -> None:
    rounds = list_all_rounds(players, legs)

    pair_counts = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert pair_counts == {frozenset(pair): legs for pair in combinations(range(players), 2)}
    for pairs in rounds:
        playing = [player for pair in pairs for player in pair]
        assert len(playing) == len({*playing})
        assert len(playing) >= players - 1


@pytest.mark.parametrize("players", range(2, 16))
def test_first_seats_are_shared_as_evenly_as_possible(players: int) -> None:
    for legs in (1, 2):
        first = Counter(pair[0] for pairs in list_all_rounds(players, legs) for pair in pairs)
        matches = (players - 1) * legs
        assert {first[player] for player in range(players)} <= {matches // 2, matches - matches // 2}
