"""The parts of a review: labels of costs, sums for each seat over time, and the stored format."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from data.rulebook import load_rules
from engine.match.actions import Action, Choose, Draw, Pass, Play
from engine.reviews.findings import (
    ChoiceReview,
    DamagedReviewError,
    Expectation,
    HabitCount,
    Luck,
    LuckyDraw,
    Review,
    SeatReview,
    build_seat_review,
    classify_habit,
    from_plain,
    from_plain_seat,
    list_luckiest,
    to_plain,
)
from engine.reviews.over_time import summarize, summarize_by_month
from tests.engine.tables import build_play as build_record_play
from tests.engine.tables import build_tile

TRIOMINOES = load_rules("triominoes")


OPENING, REPLY = build_record_play(0, "U0,0=555"), build_record_play(0, "D0,0=355")


def build_choice(
    cost: float,
    made: Action = OPENING,
    best: Action = REPLY,
    *,
    seat: int = 0,
    at: int = 2,
    **changes: Any,
) -> ChoiceReview:
    review = ChoiceReview(at=at, round=1, seat=seat, made=made, best=best, cost=cost, error=0.5, worlds=400, options=3)
    return replace(review, **changes)


def build_review(*choices: ChoiceReview) -> Review:
    luck = Luck(deal=1.25, draws=-30.1, skill=12.0, rest=0.1 + 0.2, error=2.5)
    return Review(
        version=1,
        wins=False,
        seats=(build_seat_review(0, choices, luck), build_seat_review(1, choices)),
        rounds=(2, 1),
        choices=choices,
        curve=(Expectation(at=1, round=1, ahead=(1.5, -1.5), error=2.0),),
        moments=(2, 5, 9),
        draws=(LuckyDraw(at=8, round=1, seat=1, tiles=2, ahead=12.5, error=1.5),),
    )


@pytest.mark.parametrize(
    ("cost", "label"),
    [
        (-2, "good"),
        (0.9, "good"),
        (1, "inaccuracy"),
        (4.9, "inaccuracy"),
        (5, "mistake"),
        (14, "mistake"),
        (15, "blunder"),
    ],
)
def test_cost_label_follows_scale(cost: float, label: str):
    assert build_choice(cost).label == label


def test_accuracy_halves_at_ten_points_and_is_at_most_100():
    assert [build_choice(cost).accuracy for cost in (-3, 0, 10, 30)] == [100, 100, 50, 25]


def test_seat_review_counts_only_choices_of_that_seat():
    found = build_seat_review(1, [build_choice(40), *(build_choice(cost, seat=1) for cost in (0.2, 3, 7, 20, 16))])

    assert (found.choices, found.good_choices, found.inaccuracies, found.mistakes, found.blunders) == (5, 1, 1, 1, 2)
    assert found.lost == pytest.approx(46.2)
    assert found.error == pytest.approx(0.5 * 5**0.5)
    assert build_seat_review(2, [build_choice(40)]).accuracy is None


def test_costliest_choices_are_sorted_without_good_choices():
    costs = {2: (3, 0), 4: (30, 1), 6: (12, 0), 8: (0.5, 0), 10: (8, 0)}
    found = build_review(*(build_choice(cost, at=at, seat=seat) for at, (cost, seat) in costs.items()))

    assert [one.at for one in found.list_costliest()] == [4, 6, 10]
    assert [one.at for one in found.list_costliest(0, 9)] == [6, 10, 2]


@pytest.mark.parametrize(
    "made", [OPENING, Draw(0), Pass(0), Choose(0, "points"), Choose(0, "tiles"), Choose(0, "stop")]
)
def test_review_is_restored_exactly_from_json(made: Action):
    found = build_review(
        build_choice(10 / 3, made=made), build_choice(2.5, at=4, missed_hexagons=2, missed_bridge=True)
    )

    assert from_plain(json.loads(json.dumps(to_plain(found))), TRIOMINOES) == found


def test_stored_choice_uses_record_notation():
    stored = to_plain(build_review(build_choice(6.5)))["choices"][0]

    assert stored["made"] == {"do": "place", "placement": "U0,0=555"}
    assert stored["label"] == "mistake"


def test_stored_review_with_missing_or_unknown_fields_is_read():
    found = build_review(build_choice(6.5))
    stored = to_plain(found)
    del stored["choices"][0]["missed_hexagons"], stored["seats"][1]["luck"]
    stored["choices"][0]["mood"] = stored["mood"] = "later"

    assert from_plain(stored, TRIOMINOES) == found

    del stored["draws"]
    assert from_plain(stored, TRIOMINOES) == replace(found, draws=())


@pytest.mark.parametrize("spoilt", [{}, [], None, {"version": 99}, {"version": "1"}, {"version": 1, "seats": 3}])
def test_damaged_stored_review_is_refused(spoilt: object):
    with pytest.raises(DamagedReviewError):
        from_plain(spoilt, TRIOMINOES)


def test_luckiest_draws_list_one_certain_draw_per_seat_sorted():
    def build_draw(seat: int, ahead: float, *, error: float = 1.0, at: int = 2) -> LuckyDraw:
        return LuckyDraw(at=at, round=1, seat=seat, tiles=1, ahead=ahead, error=error)

    drawn = [
        build_draw(0, 5.0, at=2),
        build_draw(0, 9.0, at=4),
        build_draw(1, 30.0, at=6),
        build_draw(2, 9.0, error=4.6),
        build_draw(3, 0.9, error=0.1),
    ]

    assert [(one.seat, one.ahead) for one in list_luckiest(drawn)] == [(1, 30.0), (0, 9.0)]
    assert list_luckiest([build_draw(0, -30.0)]) == ()


def build_play(text: str, cell: str = "U0,0") -> Play:
    return Play(0, build_tile(text), TRIOMINOES.plane.parse_cell(cell), 0)


@pytest.mark.parametrize(
    ("made", "best", "habit"),
    [
        (build_play("0-4-5"), build_play("0-4-5", "D0,0"), "place"),
        (build_play("0-4-5"), build_play("2-2-2"), "triple"),
        (build_play("0-0-0"), build_play("2-2-2"), "heavy"),
        (build_play("0-4-5"), build_play("3-5-5"), "heavy"),
        (build_play("3-5-5"), build_play("0-4-5"), "light"),
        (build_play("0-4-5"), build_play("2-2-5"), "tile"),
        (Draw(0), build_play("0-4-5"), "draw"),
        (build_play("0-4-5"), Draw(0), "draw"),
        (Choose(0, "points"), Choose(0, "tiles"), "option"),
        (build_play("0-4-5"), Choose(0, "stop"), "option"),
    ],
)
def test_habit_depends_on_action_made_and_best_action(made: Action, best: Action, habit: str):
    assert classify_habit(made, best) == habit


def test_missed_hexagon_or_bridge_determines_habit():
    assert classify_habit(build_play("0-4-5"), build_play("3-5-5"), hexagon=True, bridge=True) == "hexagon"
    assert classify_habit(build_play("0-4-5"), build_play("3-5-5"), bridge=True) == "bridge"


def test_good_choice_has_no_habit():
    assert build_choice(0.9, build_play("0-4-5"), build_play("3-5-5")).habit is None
    assert build_choice(1.0, build_play("0-4-5"), build_play("3-5-5")).habit == "heavy"


MISSED = build_choice(40, build_play("0-4-5"), build_play("3-5-5"), missed_hexagons=1)
KEPT_HEAVY_TILE = build_choice(3, build_play("0-4-5"), build_play("3-5-5"))
GOOD = build_choice(0, build_play("0-4-5"), build_play("0-4-5"))


def build_seat(*choices: ChoiceReview, luck: float | None = None) -> SeatReview:
    parts = None if luck is None else Luck(deal=luck, draws=-2.0, skill=5.0, rest=1.0, error=3.0, skill_error=4.0)
    return build_seat_review(0, choices, parts)


def test_habits_are_sorted_by_total_cost():
    found = summarize([build_seat(KEPT_HEAVY_TILE, MISSED), build_seat(KEPT_HEAVY_TILE, GOOD)])

    assert found.habits == (HabitCount("hexagon", 1, 40), HabitCount("heavy", 2, 6))


def test_summary_averages_accuracy_by_choice_and_loss_by_match():
    found = summarize([build_seat(MISSED), build_seat(GOOD, GOOD, GOOD), build_seat()])

    assert found.matches == 3
    assert found.accuracy == pytest.approx((20 + 3 * 100) / 4)
    assert found.lost == pytest.approx(40 / 3)


def test_summary_averages_luck_over_matches_with_luck():
    found = summarize([build_seat(luck=30.0), build_seat(luck=-10.0), build_seat()]).luck

    assert (found.deal, found.draws, found.skill, found.rest) == (10, -2, 5, 1)
    assert found.result == 14
    assert found.error == pytest.approx((3**2 + 3**2) ** 0.5 / 2)
    assert summarize([build_seat(GOOD)]).luck is None


def test_points_and_parts_of_win_are_not_added_up():
    points, parts = build_seat(MISSED, luck=30.0), replace(build_seat(KEPT_HEAVY_TILE, luck=8.0), wins=True)

    for reviews, wins, lost, deal in (([points, parts, parts], True, 3, 8), ([points, points, parts], False, 40, 30)):
        found = summarize(reviews)
        assert (found.wins, found.lost, found.luck and found.luck.deal) == (wins, lost, deal)
        assert found.matches == 3


def test_months_are_sorted_newest_first_with_separate_summaries():
    months = (("2026-10", MISSED), ("2026-11", GOOD), ("2026-10", GOOD))
    found = summarize_by_month([(month, build_seat(choice)) for month, choice in months])

    assert list(found) == ["2026-11", "2026-10"]
    assert found["2026-10"] == summarize([build_seat(GOOD), build_seat(MISSED)])
    assert found["2026-11"].habits == ()


def test_summary_without_reviews_is_refused():
    assert summarize_by_month([]) == {}
    with pytest.raises(ValueError, match="no review"):
        summarize([])


def test_stored_seat_review_with_missing_or_unknown_habits_is_read():
    mine = build_seat(KEPT_HEAVY_TILE, MISSED, luck=30.0)
    stored = json.loads(json.dumps(asdict(mine)))

    assert from_plain_seat(stored) == mine
    del stored["habits"]
    assert from_plain_seat(stored).habits == ()
    assert from_plain_seat(stored | {"habits": [{"habit": "of tomorrow", "times": 1, "lost": 2.0}]}).habits == ()
