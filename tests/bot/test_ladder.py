"""Ratings of people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.service.ladder import NEWCOMER, Shown, careful, change, rate, shown
from data.store import Rating

ADA, GRACE, LINUS, EDSGER = 1, 2, 3, 4

RATINGS = st.builds(Rating, st.floats(0, 50), st.floats(0.5, 10))
PLACES = st.dictionaries(st.integers(1, 10**18), st.integers(1, 6), min_size=2, max_size=6)


def test_a_newcomer_has_1500_points_and_a_wide_margin():
    assert shown(NEWCOMER) == Shown(points=1500, uncertainty=700)
    assert careful(NEWCOMER) == 450


def test_the_first_place_gains_what_the_last_loses_among_equals():
    after = rate({}, {ADA: 1, GRACE: 2})
    assert {user: shown(rating) for user, rating in after.items()} == {
        ADA: Shown(points=1611, uncertainty=678),
        GRACE: Shown(points=1389, uncertainty=678),
    }
    assert [change(None, after[user]) for user in (ADA, GRACE)] == [111, -111]


def test_every_place_counts_and_not_only_the_first():
    after = rate({}, {ADA: 3, GRACE: 1, LINUS: 4, EDSGER: 2})
    assert [shown(after[user]).points for user in (GRACE, EDSGER, ADA, LINUS)] == [1832, 1611, 1389, 1168]


def test_a_tie_among_equals_changes_no_rating_but_makes_it_surer():
    after = rate({}, {ADA: 1, GRACE: 1})
    assert after[ADA] == after[GRACE]
    assert shown(after[ADA]) == Shown(points=1500, uncertainty=678)


def test_those_who_share_the_first_place_gain_the_same_and_more_than_the_third():
    after = rate({}, {ADA: 1, GRACE: 1, LINUS: 3, EDSGER: 4})
    assert [change(None, after[user]) for user in (ADA, GRACE, LINUS, EDSGER)] == [221, 221, -111, -332]


def test_a_surprise_moves_ratings_more_than_what_was_expected():
    before = {ADA: Rating(30.0, 3.0), GRACE: Rating(20.0, 3.0)}
    expected, surprise = rate(before, {ADA: 1, GRACE: 2}), rate(before, {ADA: 2, GRACE: 1})
    assert change(before[ADA], expected[ADA]) == 10
    assert change(before[GRACE], surprise[GRACE]) == 42


def test_places_that_computers_took_in_between_do_not_matter():
    before = {ADA: Rating(28.0, 4.0)}
    assert rate(before, {ADA: 2, GRACE: 5, LINUS: 5}) == rate(before, {ADA: 1, GRACE: 2, LINUS: 2})


@pytest.mark.parametrize("places", [{}, {ADA: 1}])
def test_fewer_than_two_people_rate_nothing(places: dict[int, int]):
    assert rate({ADA: NEWCOMER}, places) == {}


@given(PLACES, st.data())
def test_a_rating_depends_on_who_and_where_and_not_on_the_order_they_are_named_in(
    places: dict[int, int], data: st.DataObject
):
    before = {user: data.draw(RATINGS) for user in places if data.draw(st.booleans())}
    shuffled = {user: places[user] for user in data.draw(st.permutations(list(places)))}
    after = rate(before, places)
    assert rate(dict(reversed(before.items())), shuffled) == after
    assert after.keys() == places.keys()


@given(PLACES)
def test_among_newcomers_a_better_place_is_a_better_rating_and_a_shared_one_the_same(places: dict[int, int]):
    after = rate({}, places)
    for user, place in places.items():
        for other, its in places.items():
            if place < its:
                assert after[user].mu > after[other].mu
            elif place == its:
                assert shown(after[user]) == shown(after[other])


def test_somebody_who_keeps_winning_becomes_sure_and_leads_the_careful_order():
    ratings: dict[int, Rating] = {}
    for _ in range(60):
        ratings |= rate(ratings, {ADA: 1, GRACE: 2, LINUS: 3})
    order = sorted(ratings, key=lambda user: careful(ratings[user]), reverse=True)
    assert order == [ADA, GRACE, LINUS]
    assert shown(ratings[ADA]).uncertainty < 450
    assert careful(ratings[ADA]) > careful(NEWCOMER)
