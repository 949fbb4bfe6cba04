"""Maximum-likelihood ratings and their intervals."""

from itertools import combinations
from math import log10

import pytest

from bot.tools.ladder import compute_ratings
from bot.tools.tally import compute_mean, compute_share_mean


def test_ratings_of_two_players_match_their_win_rate() -> None:
    found = compute_ratings(["one", "other"], {("one", "other"): [1.0, 1.0, 1.0, 0.0] * 500}, "other")

    assert [rating.player for rating in found] == ["one", "other"]
    assert found[0].rating == pytest.approx(400 * log10(3), abs=0.5)
    assert (found[1].rating, found[1].low, found[1].high) == (0, 0, 0)
    assert found[0].low < found[0].rating < found[0].high
    assert found[0].share == 0.75


def test_three_players_are_rated_by_all_their_matches() -> None:
    strength = {"a": 4.0, "b": 2.0, "c": 1.0}
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    met = {pair: [strength[pair[0]] / (strength[pair[0]] + strength[pair[1]])] * 400 for pair in pairs}

    found = {rating.player: rating.rating for rating in compute_ratings(["c", "a", "b"], met, "c")}

    assert found["b"] == pytest.approx(400 * log10(2), abs=2)
    assert found["a"] == pytest.approx(400 * log10(4), abs=2)


def test_rating_fit_converges_for_very_unequal_players() -> None:
    strength = {name: 6.0**number for number, name in enumerate("abcdefg")}
    pairs = combinations(strength, 2)
    met = {(one, other): [strength[one] / (strength[one] + strength[other])] * 400 for one, other in pairs}

    found = {rating.player: rating.rating for rating in compute_ratings(list(strength), met, "a")}

    assert found["g"] == pytest.approx(1844.8, abs=0.1), "as Newton's method finds it too"


def test_interval_narrows_with_deals_and_undefeated_player_is_rated() -> None:
    few, many = (compute_ratings(["x", "y"], {("x", "y"): [0.5, 1.0, 0.0, 1.0] * count}, "y")[0] for count in (5, 200))

    assert many.high - many.low < (few.high - few.low) / 4
    assert 400 < compute_ratings(["x", "y"], {("x", "y"): [1.0] * 50}, "y")[0].rating < 1200


def test_rating_interval_matches_interval_of_mean_over_deals() -> None:
    assert str(compute_mean([100.0, 0.0] * 50)) == "50.0 ± 9.8"
    assert str(compute_mean([50.0])) == "50.0"


def test_identical_results_still_have_a_wide_interval() -> None:
    assert str(compute_share_mean([100.0] * 11)) == "100.0 ± 23.8"
    assert str(compute_share_mean([100.0] * 300)) == "100.0 ± 1.0"
    assert str(compute_share_mean([100.0, 0.0] * 50)) == "50.0 ± 9.8"
