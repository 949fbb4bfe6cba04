"""What reviews say of one person over time: month by month, and what kinds of mistakes are theirs."""

import json
from dataclasses import asdict, replace

import pytest

from data.rulebook import rules
from engine.actions import Action, Choose, Draw, Play
from engine.review.findings import ChoiceReview, Luck, SeatReview, seat_review
from engine.review.habits import HabitCount, habit_of
from engine.review.kept import seat_from_plain
from engine.review.over_time import by_month, summed_up
from tests.engine.tables import tile


def laid(text: str, cell: str = "U0,0") -> Play:
    known = rules("triominoes")
    return Play(0, tile(text), known.plane.parse_cell(cell), 0)


def choice(cost: float, made: Action, best: Action, *, hexagons: int = 0, bridge: bool = False) -> ChoiceReview:
    missed = {"missed_hexagons": hexagons, "missed_bridge": bridge}
    return ChoiceReview(
        at=2, round=1, seat=0, made=made, best=best, cost=cost, error=1.0, worlds=64, options=3, **missed
    )


@pytest.mark.parametrize(
    ("made", "best", "habit"),
    [
        (laid("0-4-5"), laid("0-4-5", "D0,0"), "place"),
        (laid("0-4-5"), laid("2-2-2"), "triple"),
        (laid("0-0-0"), laid("2-2-2"), "heavy"),
        (laid("0-4-5"), laid("3-5-5"), "heavy"),
        (laid("3-5-5"), laid("0-4-5"), "light"),
        (laid("0-4-5"), laid("2-2-5"), "tile"),
        (Draw(0), laid("0-4-5"), "draw"),
        (laid("0-4-5"), Draw(0), "draw"),
        (Choose(0, "points"), Choose(0, "tiles"), "option"),
        (laid("0-4-5"), Choose(0, "stop"), "option"),
    ],
)
def test_a_mistake_is_told_by_what_was_done_and_what_was_best(made: Action, best: Action, habit: str):
    assert habit_of(made, best) == habit


def test_a_missed_hexagon_or_bridge_is_what_the_mistake_is_called():
    assert habit_of(laid("0-4-5"), laid("3-5-5"), hexagon=True, bridge=True) == "hexagon"
    assert habit_of(laid("0-4-5"), laid("3-5-5"), bridge=True) == "bridge"


def test_what_was_good_is_no_mistake():
    assert choice(0.9, laid("0-4-5"), laid("3-5-5")).habit is None
    assert choice(1.0, laid("0-4-5"), laid("3-5-5")).habit == "heavy"


MISSED = choice(40, laid("0-4-5"), laid("3-5-5"), hexagons=1)
KEPT_HEAVY = choice(3, laid("0-4-5"), laid("3-5-5"))
GOOD = choice(0, laid("0-4-5"), laid("0-4-5"))


def seat(*choices: ChoiceReview, luck: float | None = None) -> SeatReview:
    parts = None if luck is None else Luck(deal=luck, draws=-2.0, skill=5.0, rest=1.0, error=3.0, skill_error=4.0)
    return seat_review(0, choices, parts)


def test_favourite_mistakes_are_those_that_cost_most_together():
    found = summed_up([seat(KEPT_HEAVY, MISSED), seat(KEPT_HEAVY, GOOD)])

    assert found.habits == (HabitCount("hexagon", 1, 40), HabitCount("heavy", 2, 6))


def test_accuracy_over_time_counts_every_choice_once_and_losses_are_those_of_a_match():
    found = summed_up([seat(MISSED), seat(GOOD, GOOD, GOOD), seat()])

    assert (found.matches, found.choices) == (3, 4)
    assert found.accuracy == pytest.approx((20 + 3 * 100) / 4)
    assert found.lost == pytest.approx(40 / 3)


def test_luck_over_time_is_that_of_the_matches_in_which_it_was_found_and_still_adds_up():
    found = summed_up([seat(luck=30.0), seat(luck=-10.0), seat()]).luck

    assert found is not None
    assert (found.deal, found.draws, found.skill, found.rest) == (10, -2, 5, 1)
    assert found.result == 14
    assert found.error == pytest.approx((3**2 + 3**2) ** 0.5 / 2)
    assert summed_up([seat(GOOD)]).luck is None


def test_points_and_parts_of_the_win_are_not_added_up():
    points, parts = seat(MISSED, luck=30.0), replace(seat(KEPT_HEAVY, luck=8.0), wins=True)

    for reviews, wins, lost, deal in (([points, parts, parts], True, 3, 8), ([points, points, parts], False, 40, 30)):
        found = summed_up(reviews)
        assert (found.wins, found.lost, found.luck and found.luck.deal) == (wins, lost, deal)
        assert found.choices == 3


def test_months_come_newest_first_and_each_has_what_is_its_own():
    found = by_month([("2026-10", seat(MISSED)), ("2026-11", seat(GOOD)), ("2026-10", seat(GOOD))])

    assert list(found) == ["2026-11", "2026-10"]
    assert found["2026-10"] == summed_up([seat(GOOD), seat(MISSED)])
    assert found["2026-11"].habits == ()


def test_nobody_without_a_review_has_a_summary():
    assert by_month([]) == {}
    with pytest.raises(ValueError, match="no review"):
        summed_up([])


def test_a_seat_of_a_review_is_kept_with_its_mistakes_and_an_older_one_without():
    mine = seat(KEPT_HEAVY, MISSED, luck=30.0)
    kept = json.loads(json.dumps(asdict(mine)))

    assert seat_from_plain(kept) == mine
    del kept["habits"]
    assert seat_from_plain(kept).habits == ()
    assert seat_from_plain(kept | {"habits": [{"habit": "of tomorrow", "times": 1, "lost": 2.0}]}).habits == ()
