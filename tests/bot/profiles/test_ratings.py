"""Ratings of people, and how much a match says about them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tables.ratings import NEW, NEWCOMER, certainty, change, points, rate, weight
from data.store.results.scores import History, PlayerResult, Rating

ADA, GRACE, LINUS, EDSGER = 1, 2, 3, 4

RATINGS = st.builds(Rating, st.floats(0, 50), st.floats(0.5, 10))
PLACES = st.dictionaries(st.integers(1, 10**18), st.integers(1, 6), min_size=2, max_size=6)
WELL_KNOWN = History()


def rated(before: dict[int, Rating], places: dict[int, int]) -> dict[int, Rating]:
    results = [PlayerResult(user_id=user, place=place, score=0) for user, place in places.items()]
    return {user: found.rating for user, found in rate(before, results).items()}


def one(user: int, place: int = 1, *, fair: bool = True, finished: bool = True, weight: float = 1.0) -> PlayerResult:
    return PlayerResult(user_id=user, place=place, score=0, fair=fair, finished=finished, weight=weight)


def test_newcomer_has_1500_points_and_nobody_knows_yet():
    assert points(NEWCOMER) == 1500
    assert points(None) == 1500
    assert certainty(NEWCOMER) == "finding_out"
    certainties = [certainty(Rating(25, sigma)) for sigma in (7.01, 7.0, 5.01, 5.0)]
    assert certainties == ["finding_out", "fairly_sure", "fairly_sure", "sure"]


def test_first_place_gains_what_last_loses_among_equals():
    after = rated({}, {ADA: 1, GRACE: 2})
    assert {user: points(rating) for user, rating in after.items()} == {ADA: 1611, GRACE: 1389}
    assert after[ADA].sigma == pytest.approx(after[GRACE].sigma)
    assert [change(None, after[user]) for user in (ADA, GRACE)] == [111, -111]


def test_every_place_counts_and_not_only_first():
    after = rated({}, {ADA: 3, GRACE: 1, LINUS: 4, EDSGER: 2})
    assert [points(after[user]) for user in (GRACE, EDSGER, ADA, LINUS)] == [1832, 1611, 1389, 1168]


def test_tie_among_equals_changes_no_rating_but_makes_it_surer():
    after = rated({}, {ADA: 1, GRACE: 1})
    assert after[ADA] == after[GRACE]
    assert points(after[ADA]) == 1500
    assert after[ADA].sigma < NEWCOMER.sigma


def test_those_who_share_first_place_gain_same_and_more_than_third():
    after = rated({}, {ADA: 1, GRACE: 1, LINUS: 3, EDSGER: 4})
    assert [change(None, after[user]) for user in (ADA, GRACE, LINUS, EDSGER)] == [221, 221, -111, -332]


def test_surprise_moves_ratings_more_than_what_was_expected():
    before = {ADA: Rating(30.0, 3.0), GRACE: Rating(20.0, 3.0)}
    expected, surprise = rated(before, {ADA: 1, GRACE: 2}), rated(before, {ADA: 2, GRACE: 1})
    assert change(before[ADA], expected[ADA]) == 10
    assert change(before[GRACE], surprise[GRACE]) == 42


def test_places_that_computers_took_in_between_do_not_matter():
    before = {ADA: Rating(28.0, 4.0)}
    assert rated(before, {ADA: 2, GRACE: 5, LINUS: 5}) == rated(before, {ADA: 1, GRACE: 2, LINUS: 2})


def test_fewer_than_two_players_are_not_rated():
    assert rated({ADA: NEWCOMER}, {}) == rated({ADA: NEWCOMER}, {ADA: 1}) == {}


@given(PLACES, st.data())
def test_rating_is_independent_of_player_order(places: dict[int, int], data: st.DataObject):
    before = {user: data.draw(RATINGS) for user in places if data.draw(st.booleans())}
    shuffled = {user: places[user] for user in data.draw(st.permutations(list(places)))}
    after = rated(before, places)
    assert rated(dict(reversed(before.items())), shuffled) == after
    assert after.keys() == places.keys()


@given(PLACES)
def test_among_newcomers_better_place_is_better_rating_and_shared_one_same(places: dict[int, int]):
    after = rated({}, places)
    for user, place in places.items():
        for other, its in places.items():
            if place < its:
                assert after[user].mu > after[other].mu
            elif place == its:
                assert points(after[user]) == points(after[other])


def test_somebody_who_keeps_winning_becomes_sure_and_leads():
    ratings: dict[int, Rating] = {}
    for _ in range(60):
        ratings |= rated(ratings, {ADA: 1, GRACE: 2, LINUS: 3})
    assert sorted(ratings, key=lambda user: points(ratings[user]), reverse=True) == [ADA, GRACE, LINUS]
    assert certainty(ratings[LINUS]) != "finding_out"


def test_each_match_of_same_two_in_month_says_less():
    weights = [weight(one(ADA), one(GRACE, 2), History(again={(ADA, GRACE): before})) for before in range(4)]
    assert weights == [1, 1 / 2, 1 / 3, 1 / 4]


def test_somebody_who_has_met_nobody_else_says_nothing_about_anybody():
    met = {GRACE: frozenset({ADA})}
    assert weight(one(ADA), one(GRACE, 2), History(met=met)) == 0
    for others, share in (({ADA, 8}, 1 / 3), ({8, 9}, 2 / 3), ({7, 8, 9}, 1), ({6, 7, 8, 9}, 1)):
        assert weight(one(ADA), one(GRACE, 2), History(met={GRACE: frozenset(others)})) == share
    assert weight(one(GRACE, 2), one(ADA), History(met=met)) == 1, "but of a newcomer those who are known do"


def test_where_people_have_ranks_only_results_against_those_who_have_one_count():
    known = History(ranked=frozenset({ADA}))
    assert weight(one(ADA), one(GRACE, 2), known) == 0
    assert weight(one(GRACE, 2), one(ADA), known) == 1
    assert weight(one(GRACE, 2), one(LINUS, 3), known) == 0, "two whom nobody knows do not know each other either"
    both = History(ranked=frozenset({ADA, GRACE}), again={(ADA, GRACE): 1})
    assert weight(one(ADA), one(GRACE, 2), both) == 1 / 2, "and all else holds as well"


@given(st.lists(st.sampled_from([(ADA, GRACE), (ADA, LINUS), (GRACE, LINUS), (GRACE, ADA)]), max_size=60))
def test_on_new_leaderboard_nobody_gets_far_from_newcomer(wins: list[tuple[int, int]]):
    ratings: dict[int, Rating] = {}
    for winner, loser in wins:
        ratings |= {user: step.rating for user, step in rate(ratings, [one(winner), one(loser, 2)], History()).items()}
    assert all(abs(rating.mu - NEWCOMER.mu) <= NEW for rating in ratings.values())
    far = Rating(NEWCOMER.mu + NEW + 2, 4.0)
    after = rate({ADA: far}, [one(ADA), one(GRACE, 2)], History())
    assert after[ADA].rating.mu == far.mu, "who got further while people had ranks keeps it"
    assert rate({ADA: far}, [one(ADA, 2), one(GRACE)], History())[ADA].rating.mu < far.mu


def test_whoever_leaves_loses_as_much_as_it_stood_badly_and_others_win_no_more():
    left = one(GRACE, 2, finished=False, weight=0.4)
    assert weight(left, one(ADA), WELL_KNOWN) == 0.4
    assert weight(one(ADA), left, WELL_KNOWN) == 0.4
    after = {user: found.rating for user, found in rate({}, [one(ADA), left], WELL_KNOWN).items()}
    assert [change(None, after[user]) for user in (ADA, GRACE)] == [44, -44]


def test_substitute_wins_nothing_for_who_left_and_costs_nobody_anything():
    left = one(GRACE, 1, finished=False, weight=0.4)
    after = {user: found.rating for user, found in rate({}, [one(ADA, 2), left], WELL_KNOWN).items()}
    assert [change(None, after[user]) for user in (ADA, GRACE)] == [0, -44]


def test_who_leaves_second_time_in_month_loses_in_full_however_early():
    left = one(GRACE, 2, fair=False, finished=False, weight=0.0)
    assert rate({}, [one(ADA, fair=False), left], WELL_KNOWN) == {}
    after = rate({}, [one(ADA, fair=False), left], History(left={GRACE: 1}))
    assert {user: change(None, found.rating) for user, found in after.items()} == {GRACE: -111}


def test_who_has_hardly_played_is_not_rated_and_others_are():
    after = rate({}, [one(ADA), one(GRACE, 2), one(LINUS, 3, fair=False)], WELL_KNOWN)
    assert {user: change(None, found.rating) for user, found in after.items()} == {ADA: 111, GRACE: -111}


@given(PLACES, st.data())
def test_nobody_gains_by_leaving(places: dict[int, int], data: st.DataObject):
    leaver = data.draw(st.sampled_from(sorted(places)))
    history = History(left={leaver: data.draw(st.integers(0, 4))})
    before = {user: data.draw(RATINGS) for user in places}
    players = [
        one(user, place, finished=user != leaver, weight=data.draw(st.floats(0, 1)) if user == leaver else 1.0)
        for user, place in places.items()
    ]
    after = rate(before, players, history)
    assert after[leaver].rating.mu <= before[leaver].mu
