"""Swiss rounds: no repeated pairs, at most one bye per player, and balanced first seats."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from engine.leagues.season import LOSS, TIE, WIN
from engine.leagues.swiss import MAX_SEAT_IMBALANCE, SwissPlayer, order_seats, pair_swiss_round
from tests.depth import scale_count


def build_players(players: int) -> list[SwissPlayer]:
    return [SwissPlayer(number) for number in range(1, players + 1)]


def test_first_round_pairs_halves_and_alternates_first_seat() -> None:
    found = pair_swiss_round(build_players(8), set())
    assert (found.pairs, found.bye) == (((1, 5), (6, 2), (3, 7), (8, 4)), None)


def test_bye_goes_to_last_player_without_one() -> None:
    players = build_players(5)
    found = pair_swiss_round(players, set())
    assert (found.pairs, found.bye) == (((1, 3), (4, 2)), 5)
    second = pair_swiss_round([*players[:4], SwissPlayer(5, has_had_bye=True)], {frozenset((1, 3)), frozenset((2, 4))})
    assert second.bye == 4


def test_winners_meet_winners() -> None:
    players = [SwissPlayer(number, points) for number, points in ((1, 2), (2, 0), (3, 2), (4, 0))]
    found = pair_swiss_round(players, {frozenset((1, 2)), frozenset((3, 4))})
    assert {frozenset(pair) for pair in found.pairs} == {frozenset((1, 3)), frozenset((2, 4))}


def test_pairing_changes_to_avoid_repeat_in_last_match() -> None:
    # 1 would meet 2 by points, but 3 and 4 have met already.
    players = [SwissPlayer(1, 4), SwissPlayer(2, 4), SwissPlayer(3, 2), SwissPlayer(4, 0)]
    found = pair_swiss_round(players, {frozenset((3, 4))})
    assert {frozenset(pair) for pair in found.pairs} == {frozenset((1, 3)), frozenset((2, 4))}


def test_no_round_when_all_possible_pairs_have_met() -> None:
    all_pairs = {frozenset(pair) for pair in combinations(range(1, 5), 2)}
    assert pair_swiss_round(build_players(4), all_pairs) is None
    assert pair_swiss_round(build_players(1), set()) is None
    assert pair_swiss_round([], set()) is None
    assert pair_swiss_round([SwissPlayer(number, has_had_bye=True) for number in (1, 2, 3)], set()) is None


def test_player_with_fewer_first_seats_begins() -> None:
    frequent_starter, rare_starter = SwissPlayer(1, balance=1, last=1), SwissPlayer(2, balance=0, last=1)
    assert order_seats(frequent_starter, rare_starter) == order_seats(rare_starter, frequent_starter) == (2, 1)
    recent_starter, earlier_starter = SwissPlayer(1, balance=0, last=1), SwissPlayer(2, balance=0, last=-1)
    assert order_seats(recent_starter, earlier_starter) == (2, 1)


def test_pairing_check_agrees_with_exhaustive_search() -> None:
    for seed in range(scale_count(300, 30)):
        chance, size = Random(seed), 2 * Random(seed).randrange(1, 5)
        share = chance.random()
        met = {frozenset(pair) for pair in combinations(range(size), 2) if chance.random() < share}
        players = [SwissPlayer(number) for number in range(size)]
        assert (pair_swiss_round(players, met) is not None) == _has_pairing(list(range(size)), met)


def _has_pairing(remaining: list[int], met: set[frozenset[int]]) -> bool:
    if not remaining:
        return True
    first, *others = remaining
    return any(
        frozenset((first, other)) not in met and _has_pairing([one for one in others if one != other], met)
        for other in others
    )


def test_two_odd_groups_cannot_be_paired() -> None:
    size = 18
    met = {frozenset((one, other)) for one in range(9) for other in range(9, size)}
    assert pair_swiss_round([SwissPlayer(number) for number in range(size)], met) is None


@pytest.mark.parametrize(("first_seed", "most", "leaving"), [(0, 61, 0.0), (1000, 40, 0.05)])
def test_swiss_pairing_rules_hold_even_when_players_leave(first_seed: int, most: int, leaving: float) -> None:
    for seed in range(scale_count(120, 12)):
        chance = Random(first_seed + seed)
        _play_tournament(chance, chance.randrange(4, most), chance.randrange(1, 10), leaving)


@pytest.mark.parametrize("size", range(4, 13))
def test_all_planned_rounds_are_played(size: int) -> None:
    for rounds in range(size // 2, size):
        for seed in range(scale_count(50, 2)):
            played = _play_tournament(Random(seed), size, rounds, leaving=0.0)
            assert played == rounds


def test_six_players_meet_new_opponents_in_four_rounds() -> None:
    # https://github.com/lichess-org/lila/issues/7675: after these results no pairing was left for the fourth round.
    results = [["AD", "BE", "CF"], ["BA", "DC", "FE"], ["CB", "AF", "ED"]]
    players = {name: SwissPlayer(ord(name)) for name in "ABCDEF"}
    met: set[frozenset[int]] = set()
    for number, pairs in enumerate(results):
        if number:
            found = pair_swiss_round(list(players.values()), met, later_rounds=3 - number)
            assert found is not None
        for winner, loser in pairs:
            met.add(frozenset((ord(winner), ord(loser))))
            players[winner] = replace(players[winner], points=players[winner].points + WIN)
    assert len(met) == 9


def _play_tournament(chance: Random, size: int, rounds: int, leaving: float) -> int:
    """Play a tournament with random results and return the number of its rounds."""
    players = {number: SwissPlayer(number) for number in range(1, size + 1)}
    met: set[frozenset[int]] = set()
    past_byes: list[int] = []
    for number in range(rounds):
        found = pair_swiss_round(list(players.values()), met, rounds - number - 1)
        if found is None:
            assert leaving or 2 * number > size - 2
            return number
        paired = [player for pair in found.pairs for player in pair]
        byes = [] if found.bye is None else [found.bye]
        assert sorted([*paired, *byes]) == sorted(players), "everybody once"
        assert not met & {frozenset(pair) for pair in found.pairs}, "nobody meets twice"
        met |= {frozenset(pair) for pair in found.pairs}
        past_byes += byes
        assert len(past_byes) == len({*past_byes}), "nobody rests twice"
        if found.bye is not None and number == 0:
            assert found.bye == size, "the weakest"
        for pair in found.pairs:
            points = chance.choice([(WIN, LOSS), (LOSS, WIN), (TIE, TIE)])
            for seat, (player, points_won) in enumerate(zip(pair, points, strict=True)):
                side, before = 1 - 2 * seat, players[player]
                players[player] = SwissPlayer(
                    player, before.points + points_won, before.balance + side, side, before.has_had_bye
                )
        for player in byes:
            before = players[player]
            players[player] = SwissPlayer(player, before.points + WIN, before.balance, before.last, has_had_bye=True)
        # With many rounds there is little choice left.
        limit = MAX_SEAT_IMBALANCE + (2 * rounds > size)
        assert max(abs(one.balance) for one in players.values()) <= limit
        for player in [*players]:
            if chance.random() < leaving:
                del players[player]
    return rounds
