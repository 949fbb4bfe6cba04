"""Functions that fit the weights of computer players."""

from random import Random

import pytest

from data.rulebook import load_rules
from data.weights import load_weights
from engine.players.evaluation_weights import PlacementWeights
from tests.tools.fit import held_tiles, leaf, move_weights, rollout_weights
from tests.tools.fit.__main__ import to_text
from tests.tools.fit.least_squares import LeastSquares


def test_least_squares_finds_weights_of_linear_sum():
    rng, squares = Random(1), LeastSquares(2)
    for _ in range(200):
        one, other = rng.randrange(10), rng.random()
        squares.add([one, other], 3 * one - 2 * other + 5)
    found = squares.solve_weights(ridge=0)

    assert found == pytest.approx([3, -2, 5])
    assert squares.compute_explained_share(found) == pytest.approx(1)


def test_leaf_fit_covers_every_phase_and_is_zero_sum():
    found, report = leaf.fit(load_rules("triominoes"), 2, 20, "a seed")

    assert len(found.phases) == len(found.fewest) + 1
    mine, theirs = [3, 20, 2, 0.7, 14, 0, 6, 0, 0], [5, 30, 3, 0.6, 11, 40, 10, 0, 0]
    assert found.evaluate([3, *mine, *theirs], True) == pytest.approx(
        -found.evaluate([3, *theirs, *mine], False), abs=0.1
    )
    assert "phase 2 on turn" in report


def test_held_tile_factor_is_lower_for_tiles_that_score_more():
    found = held_tiles.fit(load_rules("triominoes"), load_weights(load_rules("triominoes")), 30, "a seed")

    assert [least for least, _ in found] == sorted(least for least, _ in found)
    assert all(factor < 0.7 for _, factor in found)


def test_weights_file_is_readable():
    assert to_text({"a": {"b": 1, "c": None}, "d": [[1, 2], [3, 4]]}) == (
        '{\n  "a": {\n    "b": 1\n  },\n  "d": [\n    [1, 2],\n    [3, 4]\n  ]\n}'
    )


def test_fit_values_shutting_out_opponents_in_points_game():
    medium, hard, report = move_weights.fit(load_rules("points"), 2, 12, "a seed")

    assert min(medium.shut_out, hard.shut_out) > 5
    assert (medium.unseen_fit, medium.own_fit) == (0, 0)
    assert report.startswith("regret on ")


def test_better_rollout_weights_have_higher_measured_lead():
    reading = load_rules("triominoes")
    for seats, apart in ((2, 10), (4, 2)):
        by_points, by_worst = (
            rollout_weights.measure_lead(reading, seats, weights, 30, 1)
            for weights in (PlacementWeights(), PlacementWeights(points=-1.0))
        )

        assert by_points > by_worst + apart
        assert rollout_weights.measure_lead(reading, seats, PlacementWeights(), 30, 1) == by_points


def test_rollout_weights_fit_varies_only_weights_in_spread():
    start = PlacementWeights(pips=-0.5, unseen_fit=-34.0)
    found, report = rollout_weights.fit(load_rules("triominoes"), 2, start, 1, "a seed", generations=2)

    assert found.points == start.points
    assert found.reply == start.reply
    assert all(getattr(found, name) != getattr(start, name) for name in rollout_weights.SPREAD)
    assert report.endswith(" before")
