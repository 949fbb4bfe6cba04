"""The click targets of private pictures."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.puzzles.service import DailyPuzzle, PuzzleStanding
from bot.puzzles.views import (
    PuzzleChoice,
    PuzzlePosition,
    build_open_view,
    build_position,
    build_solved_position,
    list_click_targets,
    render_puzzle,
)
from bot.tables.board_text import embed_move_targets, embed_targets
from bot.tables.hand_views import build_move_options
from bot.tables.move_labels import encode_tile, group_moves_by_tile
from data.store.log.match_values import Head
from data.store.puzzles.tries import PuzzleTry
from data.words import load_words
from engine.match.player_view import view_for
from engine.puzzles.puzzle import PuzzleKind
from render.table.hand import render_hand
from tests.bot.messages import Message, list_menus, read_button_ids
from tests.bot.puzzles.daily_puzzles import list_answers, list_wrong_answers, load_daily_puzzle
from tests.bot.puzzles.targets import read_targets
from tests.render.tables import CAPTIONS, GAMES, NAMES, build_running_round


def build_head() -> Head:
    return Head(**dict.fromkeys(Head.__dataclass_fields__, None) | {"match_id": 7, "seq": 12})


@pytest.mark.parametrize("game", GAMES)
def test_targets_match_choices_of_menu(game: str) -> None:
    match = build_running_round(game, 10)
    view = view_for(match, match.turn)
    assert view.is_own_turn
    picture = render_hand(view, NAMES, CAPTIONS)
    found = read_targets(embed_move_targets(picture, build_head(), view, view.moves, tiles_first=False, chosen=None))
    if not view.moves:
        assert found is None or found["targets"] == []
        return
    assert [value for value, *_ in found["targets"]] == [
        one.value for one in build_move_options(load_words(), view, view.moves, "classic")
    ]
    for (_, tile, place, rotation), move in zip(found["targets"], view.moves, strict=True):
        placement = move.placement
        assert isinstance(tile, int)
        assert isinstance(place, int)
        assert (view.own_seat.hand or ())[tile] == placement.tile if view.own_seat else False
        assert list(picture.click_areas.places)[place] == placement.cell
        corner_labels = {int(corner): label for corner, label in zip(str(rotation), placement.tile, strict=True)}
        assert tuple(corner_labels[corner] for corner in range(len(corner_labels))) == placement.shown_labels
    first = found["targets"][0]
    chosen = read_targets(embed_move_targets(picture, build_head(), view, [], tiles_first=False, chosen=view.moves[0]))
    assert chosen["targets"] == [[f"by:play:7:12|{first[0]}", *first[1:]]]
    tiles = read_targets(embed_move_targets(picture, build_head(), view, view.moves, tiles_first=True, chosen=None))
    assert [target[0] for target in tiles["targets"]] == [encode_tile(one.tile) for one in group_moves_by_tile(view)]


def test_waiting_player_gets_no_targets() -> None:
    match = build_running_round("triominoes", 10)
    view = view_for(match, (match.turn + 1) % 4)
    picture = render_hand(view, NAMES, CAPTIONS)
    assert (
        read_targets(embed_move_targets(picture, build_head(), view, view.moves, tiles_first=False, chosen=None))
        is None
    )


def build_open_message(puzzle: DailyPuzzle, chosen: PuzzlePosition) -> Message:
    puzzle_try = PuzzleTry(7, "triominoes", puzzle.day.isoformat(), True, False, (), None, None, None)
    view = build_open_view(puzzle, PuzzleStanding(puzzle_try, 0, None, None), chosen, load_words("en"), "")
    return cast(Message, SimpleNamespace(components=view.to_components(), content=""))


def read_click_targets(puzzle: DailyPuzzle, chosen: PuzzlePosition) -> list[list[Any]]:
    image = render_puzzle(puzzle, chosen, load_words("en"), "dark")
    found = read_targets(embed_targets(image, list_click_targets(puzzle, chosen)))
    return [] if found is None else found["targets"]


@pytest.mark.parametrize("kind", ["best", "hexagons", "out"])
def test_each_puzzle_option_has_tile_and_place_target(kind: PuzzleKind) -> None:
    puzzle = load_daily_puzzle(kind)
    line: tuple[str, ...] = ()
    for value in list_answers(puzzle):
        chosen = build_position(puzzle, PuzzleChoice("triominoes", puzzle.day, line))
        found = read_click_targets(puzzle, chosen)
        assert [one[0] for one in found] == [
            option.value for menu in list_menus(build_open_message(puzzle, chosen)) for option in menu.options
        ]
        assert all(isinstance(tile, int) and isinstance(place, int) and rotation for _, tile, place, rotation in found)
        line = (*line, value)
    chosen = build_position(puzzle, PuzzleChoice("triominoes", puzzle.day, line))

    ((value, _, place, _),) = read_click_targets(puzzle, chosen)

    assert value == read_button_ids(build_open_message(puzzle, chosen))["Answer"]
    assert place is not None


def test_targets_do_not_depend_on_correctness() -> None:
    puzzle = load_daily_puzzle("best")
    (right,), (wrong_choice, *_) = list_answers(puzzle), list_wrong_answers(puzzle)
    before = read_click_targets(puzzle, build_position(puzzle, PuzzleChoice("triominoes", puzzle.day)))
    assert {right, wrong_choice} <= {one[0] for one in before}
    assert {len(one) for one in before} == {4}
    chosen_positions = [
        read_click_targets(puzzle, build_position(puzzle, PuzzleChoice("triominoes", puzzle.day, (one,))))
        for one in (right, wrong_choice)
    ]
    assert [len(one) for one in chosen_positions] == [1, 1]
    assert [one[0][0].replace(right, "*").replace(wrong_choice, "*") for one in chosen_positions] == [
        chosen_positions[0][0][0].replace(right, "*")
    ] * 2


def test_points_puzzle_has_no_targets() -> None:
    puzzle = load_daily_puzzle("count")
    for line in ((), tuple(list_answers(puzzle))):
        assert list_click_targets(puzzle, build_position(puzzle, PuzzleChoice("triominoes", puzzle.day, line))) == []


def test_pictures_do_not_contain_answer_before_end() -> None:
    puzzle = load_daily_puzzle("bridge")
    open_position = build_position(puzzle, PuzzleChoice("triominoes", puzzle.day))
    assert open_position.ghost is None
    assert build_solved_position(puzzle).ghost is not None
    image = render_puzzle(puzzle, open_position, load_words("en"), "dark")
    values = [value for value, _ in list_click_targets(puzzle, open_position)]
    assert values == [str(move.placement) for move in open_position.view.moves], "in the order of tiles, not of points"
    assert read_targets(image.png) is None
