"""Who meets whom: the tables of FIDE's handbook, and what they promise for every number of players."""

from collections import Counter
from itertools import combinations

import pytest

from engine.leagues.round_robin import list_all_rounds, list_berger_rounds

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
