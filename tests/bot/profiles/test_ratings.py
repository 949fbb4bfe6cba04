"""Ratings of players, and the weight of each match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tables.ratings import (
    NEW_BOARD_DISTANCE,
    NEWCOMER,
    classify_certainty,
    compute_change,
    compute_points,
    compute_weight,
    rate,
)
from data.store.results.scores import History, PlayerResult, Rating

ADA, GRACE, LINUS, EDSGER = 1, 2, 3, 4

RATINGS = st.builds(Rating, st.floats(0, 50), st.floats(0.5, 10))
PLACES = st.dictionaries(st.integers(1, 10**18), st.integers(1, 6), min_size=2, max_size=6)
WELL_KNOWN = History()


def rate_places(before: dict[int, Rating], places: dict[int, int]) -> dict[int, Rating]:
    results = [PlayerResult(user_id=user, place=place, score=0) for user, place in places.items()]
    return {user: found.rating for user, found in rate(before, results).items()}


def build_result(
    user: int, place: int = 1, *, fair: bool = True, finished: bool = True, weight: float = 1.0
) -> PlayerResult:
    return PlayerResult(user_id=user, place=place, score=0, fair=fair, finished=finished, weight=weight)


def test_new_player_has_1500_points_and_high_uncertainty():
    assert compute_points(NEWCOMER) == 1500
    assert compute_points(None) == 1500
    assert classify_certainty(NEWCOMER) == "finding_out"
    levels = [classify_certainty(Rating(25, sigma)) for sigma in (7.01, 7.0, 5.01, 5.0)]
    assert levels == ["finding_out", "fairly_sure", "fairly_sure", "sure"]


def test_first_gains_what_last_loses_among_equal_players():
    after = rate_places({}, {ADA: 1, GRACE: 2})
    assert {user: compute_points(rating) for user, rating in after.items()} == {ADA: 1611, GRACE: 1389}
    assert after[ADA].sigma == pytest.approx(after[GRACE].sigma)
    assert [compute_change(None, after[user]) for user in (ADA, GRACE)] == [111, -111]


def test_every_place_affects_rating():
    after = rate_places({}, {ADA: 3, GRACE: 1, LINUS: 4, EDSGER: 2})
    assert [compute_points(after[user]) for user in (GRACE, EDSGER, ADA, LINUS)] == [1832, 1611, 1389, 1168]


def test_tie_of_equal_players_keeps_rating_and_reduces_uncertainty():
    after = rate_places({}, {ADA: 1, GRACE: 1})
    assert after[ADA] == after[GRACE]
    assert compute_points(after[ADA]) == 1500
    assert after[ADA].sigma < NEWCOMER.sigma


def test_shared_first_place_gains_equally_and_more_than_third():
    after = rate_places({}, {ADA: 1, GRACE: 1, LINUS: 3, EDSGER: 4})
    assert [compute_change(None, after[user]) for user in (ADA, GRACE, LINUS, EDSGER)] == [221, 221, -111, -332]


def test_unexpected_result_changes_ratings_more_than_expected_one():
    before = {ADA: Rating(30.0, 3.0), GRACE: Rating(20.0, 3.0)}
    expected, unexpected = rate_places(before, {ADA: 1, GRACE: 2}), rate_places(before, {ADA: 2, GRACE: 1})
    assert compute_change(before[ADA], expected[ADA]) == 10
    assert compute_change(before[GRACE], unexpected[GRACE]) == 42


def test_places_of_computers_are_ignored():
    before = {ADA: Rating(28.0, 4.0)}
    assert rate_places(before, {ADA: 2, GRACE: 5, LINUS: 5}) == rate_places(before, {ADA: 1, GRACE: 2, LINUS: 2})


def test_fewer_than_two_players_are_not_rated():
    assert rate_places({ADA: NEWCOMER}, {}) == rate_places({ADA: NEWCOMER}, {ADA: 1}) == {}


@given(PLACES, st.data())
def test_rating_is_independent_of_player_order(places: dict[int, int], data: st.DataObject):
    before = {user: data.draw(RATINGS) for user in places if data.draw(st.booleans())}
    shuffled = {user: places[user] for user in data.draw(st.permutations(list(places)))}
    after = rate_places(before, places)
    assert rate_places(dict(reversed(before.items())), shuffled) == after
    assert after.keys() == places.keys()


@given(PLACES)
def test_rating_order_of_new_players_follows_places(places: dict[int, int]):
    after = rate_places({}, places)
    for user, place in places.items():
        for other, other_place in places.items():
            if place < other_place:
                assert after[user].mu > after[other].mu
            elif place == other_place:
                assert compute_points(after[user]) == compute_points(after[other])


def test_frequent_winner_gets_low_uncertainty_and_leads():
    ratings: dict[int, Rating] = {}
    for _ in range(60):
        ratings |= rate_places(ratings, {ADA: 1, GRACE: 2, LINUS: 3})
    assert sorted(ratings, key=lambda user: compute_points(ratings[user]), reverse=True) == [ADA, GRACE, LINUS]
    assert classify_certainty(ratings[LINUS]) != "finding_out"


def test_repeated_matches_of_same_pair_lose_weight():
    weights = [
        compute_weight(build_result(ADA), build_result(GRACE, 2), History(repeat_counts={(ADA, GRACE): before}))
        for before in range(4)
    ]
    assert weights == [1, 1 / 2, 1 / 3, 1 / 4]


def test_player_with_single_opponent_gives_no_information():
    opponents = {GRACE: frozenset({ADA})}
    assert compute_weight(build_result(ADA), build_result(GRACE, 2), History(opponents=opponents)) == 0
    for others, expected_weight in (({ADA, 8}, 1 / 3), ({8, 9}, 2 / 3), ({7, 8, 9}, 1), ({6, 7, 8, 9}, 1)):
        assert (
            compute_weight(build_result(ADA), build_result(GRACE, 2), History(opponents={GRACE: frozenset(others)}))
            == expected_weight
        )
    assert compute_weight(build_result(GRACE, 2), build_result(ADA), History(opponents=opponents)) == 1, (
        "but of a newcomer those who are known do"
    )


def test_only_results_against_ranked_players_count():
    history = History(ranked=frozenset({ADA}))
    assert compute_weight(build_result(ADA), build_result(GRACE, 2), history) == 0
    assert compute_weight(build_result(GRACE, 2), build_result(ADA), history) == 1
    assert compute_weight(build_result(GRACE, 2), build_result(LINUS, 3), history) == 0, (
        "two whom nobody knows do not know each other either"
    )
    both = History(ranked=frozenset({ADA, GRACE}), repeat_counts={(ADA, GRACE): 1})
    assert compute_weight(build_result(ADA), build_result(GRACE, 2), both) == 1 / 2, "and all else holds as well"


@given(st.lists(st.sampled_from([(ADA, GRACE), (ADA, LINUS), (GRACE, LINUS), (GRACE, ADA)]), max_size=60))
def test_ratings_on_new_leaderboard_stay_near_start_value(wins: list[tuple[int, int]]):
    ratings: dict[int, Rating] = {}
    for winner, loser in wins:
        ratings |= {
            user: step.rating
            for user, step in rate(ratings, [build_result(winner), build_result(loser, 2)], History()).items()
        }
    assert all(abs(rating.mu - NEWCOMER.mu) <= NEW_BOARD_DISTANCE for rating in ratings.values())
    distant_rating = Rating(NEWCOMER.mu + NEW_BOARD_DISTANCE + 2, 4.0)
    after = rate({ADA: distant_rating}, [build_result(ADA), build_result(GRACE, 2)], History())
    assert after[ADA].rating.mu == distant_rating.mu, "who got further while people had ranks keeps it"
    assert (
        rate({ADA: distant_rating}, [build_result(ADA, 2), build_result(GRACE)], History())[ADA].rating.mu
        < distant_rating.mu
    )


def test_leaver_loses_by_position_and_others_gain_nothing_extra():
    leaver = build_result(GRACE, 2, finished=False, weight=0.4)
    assert compute_weight(leaver, build_result(ADA), WELL_KNOWN) == 0.4
    assert compute_weight(build_result(ADA), leaver, WELL_KNOWN) == 0.4
    after = {user: found.rating for user, found in rate({}, [build_result(ADA), leaver], WELL_KNOWN).items()}
    assert [compute_change(None, after[user]) for user in (ADA, GRACE)] == [44, -44]


def test_leaver_loses_rating_although_substitute_places_first():
    leaver = build_result(GRACE, 1, finished=False, weight=0.4)
    after = {user: found.rating for user, found in rate({}, [build_result(ADA, 2), leaver], WELL_KNOWN).items()}
    assert [compute_change(None, after[user]) for user in (ADA, GRACE)] == [0, -44]


def test_second_early_leave_in_month_counts_as_full_loss():
    leaver = build_result(GRACE, 2, fair=False, finished=False, weight=0.0)
    assert rate({}, [build_result(ADA, fair=False), leaver], WELL_KNOWN) == {}
    after = rate({}, [build_result(ADA, fair=False), leaver], History(unfinished_counts={GRACE: 1}))
    assert {user: compute_change(None, found.rating) for user, found in after.items()} == {GRACE: -111}


def test_player_with_few_moves_is_not_rated():
    after = rate({}, [build_result(ADA), build_result(GRACE, 2), build_result(LINUS, 3, fair=False)], WELL_KNOWN)
    assert {user: compute_change(None, found.rating) for user, found in after.items()} == {ADA: 111, GRACE: -111}


@given(PLACES, st.data())
def test_leaving_never_improves_rating(places: dict[int, int], data: st.DataObject):
    leaver = data.draw(st.sampled_from(sorted(places)))
    history = History(unfinished_counts={leaver: data.draw(st.integers(0, 4))})
    before = {user: data.draw(RATINGS) for user in places}
    players = [
        build_result(user, place, finished=user != leaver, weight=data.draw(st.floats(0, 1)) if user == leaver else 1.0)
        for user, place in places.items()
    ]
    after = rate(before, players, history)
    assert after[leaver].rating.mu <= before[leaver].mu
