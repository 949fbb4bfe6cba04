"""What a match that is over is remembered for."""

from collections.abc import Sequence

import pytest

from data.rulebook import rules
from engine.decide import start
from engine.events import Event, MatchEnded, Passed, Placed, RoundEnded, Undone
from engine.highlights import highlight, totals
from engine.lattice import TRIANGLES
from engine.story import Story, Told, story_of


def placed(seat: int, points: int) -> Placed:
    """A placement that brought so much."""
    return Placed(seat, (1, 2, 3), TRIANGLES.first, 0, points, 0, False, 0, 0, points)


def story(*told: tuple[Event, Sequence[int]], places: tuple[int, ...] | None = (1, 2)) -> Story:
    """A match of two in which this happened, each with the totals after it."""
    seats = len(told[0][1])
    found = story_of(start(rules("triominoes"), seats=seats, computers=(), by_hand=False, secret=bytes(32)))
    found.told = [Told(event, 1, tuple(after), False) for event, after in told]
    if places is not None:
        found.match.ended = MatchEnded(tuple(told[-1][1]), places, "")
    return found


def test_a_placement_that_brought_more_than_the_winner_was_ahead_decided_it() -> None:
    found = highlight(
        story(
            (placed(0, 9), (9, 0)),
            (placed(1, 30), (9, 30)),
            (placed(0, 57), (66, 30)),
            (placed(1, 20), (66, 50)),
            (placed(0, 4), (70, 50)),
        )
    )
    assert found is not None
    assert (found.placed.points, found.before, found.after) == (57, 9, 66)
    assert found.leads
    assert found.decided


def test_in_a_match_that_was_not_close_it_is_the_one_that_took_the_lead_for_good() -> None:
    found = highlight(
        story(
            (placed(1, 10), (0, 10)),
            (placed(0, 12), (12, 10)),
            (placed(1, 5), (12, 15)),
            (placed(0, 6), (18, 15)),
            (placed(0, 20), (38, 15)),
            (placed(0, 20), (58, 15)),
        )
    )
    assert found is not None
    assert (found.placed.points, found.after, found.leads, found.decided) == (6, 18, True, True)


def test_where_no_placement_took_the_lead_the_best_one_is_told_and_decided_nothing() -> None:
    # Going out took the lead.
    found = highlight(
        story(
            (placed(1, 12), (0, 12)),
            (placed(0, 8), (8, 12)),
            (RoundEnded(1, 0, ((), ((5, 5, 5),)), (25, 0)), (33, 12)),
        )
    )
    assert found is not None
    assert (found.placed.points, found.leads, found.decided) == (8, False, False)


def test_who_led_from_the_first_points_on_is_remembered_for_the_best_placement() -> None:
    found = highlight(
        story(
            (placed(0, 8), (8, 0)),
            (placed(1, 5), (8, 5)),
            (placed(0, 17), (25, 5)),
            (placed(1, 6), (25, 11)),
            (placed(0, 15), (40, 11)),
        )
    )
    assert found is not None
    assert (found.placed.points, found.after, found.decided) == (17, 25, False)


def test_of_equal_placements_the_latest_is_told() -> None:
    found = highlight(story((placed(0, 9), (9, 0)), (placed(1, 15), (9, 15)), (placed(0, 9), (18, 15))))
    assert found is not None
    assert found.before == 9


def test_what_was_taken_back_has_not_happened() -> None:
    taken = story(
        (placed(0, 9), (9, 0)),
        (placed(1, 50), (9, 50)),
        (Undone(1), (9, 0)),
        (placed(1, 3), (9, 3)),
    )
    assert totals(taken) == [(0, 0), (9, 0), (9, 3)]
    found = highlight(taken)
    assert found is not None
    assert found.placed.points == 9


@pytest.mark.parametrize("places", [None, (1, 2)])
def test_without_an_end_or_a_tile_of_the_winner_there_is_none(places: tuple[int, ...] | None) -> None:
    assert highlight(story((Passed(0, 3, -25), (-25, 0)), (placed(1, 4), (-25, 4)), places=places)) is None


def test_where_tiles_score_nothing_no_move_is_told() -> None:
    blocked = RoundEnded(1, None, ((), ((5, 5, 5),)), (8, 0))
    assert highlight(story((placed(0, 0), (0, 0)), (placed(1, 0), (0, 0)), (blocked, (8, 0)))) is None
