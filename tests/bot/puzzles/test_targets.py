"""The click targets of private pictures."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.puzzles.service import Daily, PuzzleStanding
from bot.puzzles.views import Chosen, PuzzleChoice, chosen_of, daily_picture, open_view, pointable, solved_position
from bot.tables.board_text import pointed, pointed_at
from bot.tables.hand_views import move_options
from bot.tables.move_labels import by_tile, tile_token
from data.store.log.match_values import Head
from data.store.puzzles.tries import PuzzleTry
from data.words import words
from engine.match.player_view import view_for
from engine.puzzles.puzzle import PuzzleKind
from render.table.hand import hand_picture
from tests.bot.messages import Message, button_ids, menus
from tests.bot.puzzles.daily_puzzles import answer_of, daily, wrong_answers
from tests.bot.puzzles.targets import read_targets
from tests.render.tables import CAPTIONS, GAMES, NAMES, of


def head() -> Head:
    return Head(**dict.fromkeys(Head.__dataclass_fields__, None) | {"match_id": 7, "seq": 12})  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
def test_targets_match_choices_of_menu(game: str) -> None:
    match = of(game, 10)
    seen = view_for(match, match.turn)
    assert seen.my_turn
    picture = hand_picture(seen, NAMES, CAPTIONS)
    found = read_targets(pointed(picture, head(), seen, seen.moves, tiles_first=False, chosen=None))
    if not seen.moves:
        assert found is None or found["targets"] == []
        return
    assert [value for value, *_ in found["targets"]] == [
        one.value for one in move_options(words(), seen, seen.moves, "classic")
    ]
    for (_, tile, place, turned), move in zip(found["targets"], seen.moves, strict=True):
        lies = move.placement
        assert isinstance(tile, int)
        assert isinstance(place, int)
        assert (seen.mine.hand or ())[tile] == lies.tile if seen.mine else False
        assert list(picture.spots.places)[place] == lies.cell
        shown = {int(corner): label for corner, label in zip(str(turned), lies.tile, strict=True)}
        assert tuple(shown[corner] for corner in range(len(shown))) == lies.shown
    first = found["targets"][0]
    chosen = read_targets(pointed(picture, head(), seen, [], tiles_first=False, chosen=seen.moves[0]))
    assert chosen["targets"] == [[f"by:play:7:12|{first[0]}", *first[1:]]]
    tiles = read_targets(pointed(picture, head(), seen, seen.moves, tiles_first=True, chosen=None))
    assert [target[0] for target in tiles["targets"]] == [tile_token(one.tile) for one in by_tile(seen)]


def test_waiting_player_gets_no_targets() -> None:
    match = of("triominoes", 10)
    seen = view_for(match, (match.turn + 1) % 4)
    picture = hand_picture(seen, NAMES, CAPTIONS)
    assert read_targets(pointed(picture, head(), seen, seen.moves, tiles_first=False, chosen=None)) is None


def shown(puzzle: Daily, chosen: Chosen) -> Message:
    tried = PuzzleTry(7, "triominoes", puzzle.day.isoformat(), True, False, (), None, None, None)
    view = open_view(puzzle, PuzzleStanding(tried, 0, None, None), chosen, words("en"), "")
    return cast(Message, SimpleNamespace(components=view.to_components(), content=""))


def targets(puzzle: Daily, chosen: Chosen) -> list[list[Any]]:
    image = daily_picture(puzzle, chosen, words("en"), "dark")
    found = read_targets(pointed_at(image, pointable(puzzle, chosen)))
    return [] if found is None else found["targets"]


@pytest.mark.parametrize("kind", ["best", "hexagons", "out"])
def test_each_puzzle_option_has_tile_and_place_target(kind: PuzzleKind) -> None:
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


def test_targets_do_not_depend_on_correctness() -> None:
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


def test_points_puzzle_has_no_targets() -> None:
    puzzle = daily("count")
    for line in ((), tuple(answer_of(puzzle))):
        assert pointable(puzzle, chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day, line))) == []


def test_pictures_do_not_contain_answer_before_end() -> None:
    puzzle = daily("bridge")
    open_one = chosen_of(puzzle, PuzzleChoice("triominoes", puzzle.day))
    assert open_one.ghost is None
    assert solved_position(puzzle).ghost is not None
    image = daily_picture(puzzle, open_one, words("en"), "dark")
    values = [value for value, _ in pointable(puzzle, open_one)]
    assert values == [str(move.placement) for move in open_one.shown.moves], "in the order of tiles, not of points"
    assert read_targets(image.png) is None
