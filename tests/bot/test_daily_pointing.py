"""What the picture of a puzzle says of itself: what its menus offer, or its button, and nothing of the answer."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.service.daily import Daily, PuzzleStanding
from bot.views.daily import open_view, pointable
from bot.views.pointing import pointed_at
from bot.views.puzzle_position import Chosen, PuzzleChoice, chosen_of, daily_picture, solved_position
from data.store.puzzle_tries import PuzzleTry
from data.words import words
from engine.puzzles.puzzle import PuzzleKind
from tests.bot.dailies import answer_of, daily, wrong_answers
from tests.bot.pointing import read_targets
from tests.bot.reading import Message, button_ids, menus


def shown(puzzle: Daily, chosen: Chosen) -> Message:
    tried = PuzzleTry(7, "triominoes", puzzle.day.isoformat(), True, False, (), None, None, None)
    view = open_view(puzzle, PuzzleStanding(tried, 0, None, None), chosen, words("en"), "")
    return cast(Message, SimpleNamespace(components=view.to_components(), content=""))


def targets(puzzle: Daily, chosen: Chosen) -> list[list[Any]]:
    image = daily_picture(puzzle, chosen, words("en"), "dark")
    found = read_targets(pointed_at(image, pointable(puzzle, chosen)))
    return [] if found is None else found["targets"]


@pytest.mark.parametrize("kind", ["best", "hexagons", "out"])
def test_each_option_points_to_tile_and_place(
    kind: PuzzleKind,
) -> None:
    puzzle = daily(kind)
    line: tuple[str, ...] = ()
    for value in answer_of(puzzle):
        chosen = chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day, line))
        found = targets(puzzle, chosen)
        assert [one[0] for one in found] == [
            option.value for menu in menus(shown(puzzle, chosen)) for option in menu.options
        ]
        assert all(isinstance(tile, int) and isinstance(place, int) and turned for _, tile, place, turned in found)
        line = (*line, value)
    chosen = chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day, line))

    ((value, _, place, _),) = targets(puzzle, chosen)

    assert value == button_ids(shown(puzzle, chosen))["Answer"]
    assert place is not None


def test_it_is_the_same_for_what_is_right_and_what_is_not() -> None:
    """Whoever reads the file learns what the menus say: every choice in their order, none told from the others."""
    puzzle = daily("best")
    (right,), (wrong, *_) = answer_of(puzzle), wrong_answers(puzzle)
    before = targets(puzzle, chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day)))
    assert {right, wrong} <= {one[0] for one in before}
    assert {len(one) for one in before} == {4}
    picked = [
        targets(puzzle, chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day, (one,)))) for one in (right, wrong)
    ]
    assert [len(one) for one in picked] == [1, 1]
    assert [one[0][0].replace(right, "*").replace(wrong, "*") for one in picked] == [
        picked[0][0][0].replace(right, "*")
    ] * 2


def test_where_points_are_counted_there_is_nothing_to_point_at() -> None:
    puzzle = daily("count")
    for line in ((), tuple(answer_of(puzzle))):
        assert pointable(puzzle, chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day, line))) == []


def test_the_answer_is_in_no_picture_before_the_end() -> None:
    puzzle = daily("bridge")
    open_one = chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day))
    assert open_one.ghost is None
    assert solved_position(puzzle).ghost is not None
    image = daily_picture(puzzle, open_one, words("en"), "dark")
    values = [value for value, _ in pointable(puzzle, open_one)]
    assert values == [str(move.placement) for move in open_one.shown.moves], "in the order of tiles, not of points"
    assert read_targets(image.png) is None
