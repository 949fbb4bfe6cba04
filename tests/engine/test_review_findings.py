"""What a review is made of: how a cost is called, what a seat's choices come to, and how all of it is kept."""

import json
from dataclasses import replace

import pytest

from data.rulebook import rules
from engine.actions import Action, Choose, Draw, Pass, Play
from engine.review.findings import ChoiceReview, Expected, Luck, LuckyDraw, Review, luckiest, seat_review
from engine.review.kept import ReviewDamaged, as_plain, from_plain
from engine.rules import Rules

TRIOMINOES = rules("triominoes")


def placed(text: str, by: Rules = TRIOMINOES) -> Play:
    cell, _, labels = text.partition("=")
    lies = by.lay(by.plane.parse_cell(cell), tuple(map(int, labels)))
    return Play(0, lies.tile, lies.cell, lies.rotation)


OPENING, REPLY = placed("U0,0=555"), placed("D0,0=355")


def choice(cost: float, *, seat: int = 0, made: Action = OPENING, best: Action = REPLY, at: int = 2) -> ChoiceReview:
    return ChoiceReview(at=at, round=1, seat=seat, made=made, best=best, cost=cost, error=0.5, worlds=400, options=3)


def review(*choices: ChoiceReview) -> Review:
    luck = Luck(deal=1.25, draws=-30.1, skill=12.0, rest=0.1 + 0.2, error=2.5)
    return Review(
        version=1,
        wins=False,
        seats=(seat_review(0, choices, luck), seat_review(1, choices)),
        rounds=(2, 1),
        choices=choices,
        curve=(Expected(at=1, round=1, ahead=(1.5, -1.5), error=2.0),),
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
def test_a_cost_is_called_by_the_scale(cost: float, label: str):
    assert choice(cost).label == label


def test_a_choice_that_costs_ten_points_is_half_as_accurate_and_none_is_more_than_fully():
    assert [choice(cost).accuracy for cost in (-3, 0, 10, 30)] == [100, 100, 50, 25]


def test_a_seat_is_told_of_its_own_choices_only():
    found = seat_review(1, [choice(40), *(choice(cost, seat=1) for cost in (0.2, 3, 7, 20, 16))])

    assert (found.choices, found.good, found.inaccuracies, found.mistakes, found.blunders) == (5, 1, 1, 1, 2)
    assert found.lost == pytest.approx(46.2)
    assert found.error == pytest.approx(0.5 * 5**0.5)
    assert seat_review(2, [choice(40)]).accuracy is None


def test_the_costliest_choices_come_first_and_good_ones_are_none_of_them():
    found = review(choice(3, at=2), choice(30, at=4, seat=1), choice(12, at=6), choice(0.5, at=8), choice(8, at=10))

    assert [one.at for one in found.costliest()] == [4, 6, 10]
    assert [one.at for one in found.costliest(0, 9)] == [6, 10, 2]


@pytest.mark.parametrize(
    "made", [OPENING, Draw(0), Pass(0), Choose(0, "points"), Choose(0, "tiles"), Choose(0, "stop")]
)
def test_what_is_kept_as_json_is_the_review_to_the_last_digit(made: Action):
    found = review(choice(10 / 3, made=made), replace(choice(2.5, at=4), missed_hexagons=2, missed_bridge=True))

    assert from_plain(json.loads(json.dumps(as_plain(found))), TRIOMINOES) == found


def test_what_is_kept_can_be_read_by_those_who_know_records():
    kept = as_plain(review(choice(6.5)))["choices"][0]

    assert kept["made"] == {"do": "place", "placement": "U0,0=555"}
    assert kept["label"] == "mistake"


def test_a_review_that_was_kept_before_a_field_came_and_one_with_more_fields_are_read():
    found = review(choice(6.5))
    kept = as_plain(found)
    del kept["choices"][0]["missed_hexagons"], kept["seats"][1]["luck"]
    kept["choices"][0]["mood"] = kept["mood"] = "later"

    assert from_plain(kept, TRIOMINOES) == found

    del kept["draws"]
    assert from_plain(kept, TRIOMINOES) == replace(found, draws=())


@pytest.mark.parametrize("spoilt", [{}, [], None, {"version": 99}, {"version": "1"}, {"version": 1, "seats": 3}])
def test_what_is_no_review_is_refused(spoilt: object):
    with pytest.raises(ReviewDamaged):
        from_plain(spoilt, TRIOMINOES)


def test_of_every_seat_the_luckiest_draw_is_told_the_luckiest_first_and_none_that_may_have_been_no_luck():
    def draw(seat: int, ahead: float, *, error: float = 1.0, at: int = 2) -> LuckyDraw:
        return LuckyDraw(at=at, round=1, seat=seat, tiles=1, ahead=ahead, error=error)

    drawn = [
        draw(0, 5.0, at=2),
        draw(0, 9.0, at=4),
        draw(1, 30.0, at=6),
        draw(2, 9.0, error=4.6),
        draw(3, 0.9, error=0.1),
    ]

    assert [(one.seat, one.ahead) for one in luckiest(drawn)] == [(1, 30.0), (0, 9.0)]
    assert luckiest([draw(0, -30.0)]) == ()
