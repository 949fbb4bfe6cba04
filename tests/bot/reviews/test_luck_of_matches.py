"""Luck and skill in reviews of whole matches (docs/explanation/review.md)."""

from statistics import mean, variance

import pytest

from engine.reviews.costs import Effort
from tests.bot.computers.duels import build_contest
from tests.depth import scale_count
from tests.tools.luck import review_matches

pytestmark = pytest.mark.deep
SMALL_EFFORT = Effort(search_moves=100, valuation_moves=300, orders=0.004)


def compute_z_score(values: list[float]) -> float:
    return mean(values) / (variance(values) / len(values)) ** 0.5


def test_stronger_player_has_skill_and_mean_luck_is_zero():
    contest_setup = build_contest("hard", "random", single=False)
    found = list(review_matches(contest_setup, scale_count(6, least=4), SMALL_EFFORT))

    assert all(adds_up for _, adds_up in found)
    assert compute_z_score([one.skill for one, _ in found]) > 1
    assert abs(compute_z_score([one.luck for one, _ in found])) < 3.5


def test_luck_and_skill_of_single_deal_sum_to_win():
    contest_setup = build_contest("greedy", "greedy", game="points", seats=3, single=False)
    found = list(review_matches(contest_setup, scale_count(3), SMALL_EFFORT))

    assert all(adds_up for _, adds_up in found)
    assert {round(one.result, 1) for one, _ in found} <= {50.0, -25.0, 25.0, -12.5, -50.0, 0.0}
