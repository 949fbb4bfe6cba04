"""A puzzle has one clear answer from the rules or sampled deals, and its position does not reveal it."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from data.puzzle_book import load_puzzles
from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.match.errors import RuleError
from engine.match.player_view import view_for
from engine.players.levels import build_player
from engine.puzzles.position import (
    DamagedPositionError,
    Position,
    build_match,
    hide_scores,
    list_hidden_tiles,
    play_tile,
)
from engine.puzzles.puzzle import (
    OFFERED_COUNT,
    Puzzle,
    PuzzleKind,
    build_proposal,
    build_start,
    choose_kind,
    compute_max_points,
    list_offered_numbers,
    parse_solution,
)
from tests.depth import scale_count
from tests.tools.puzzle_maker.best_moves import MARGIN, Situation, find_best_move_puzzle, find_lead, iterate_choices
from tests.tools.puzzle_maker.unique_answers import find_only_answer, find_unique_puzzle, iterate_ways

TRIOMINOES = load_rules("triominoes")
DEAL = "955b287bf9dcf0a77a4a4742cd14142c"


def iterate_deal_choices() -> Iterator[Situation]:
    player = build_player("easy", TRIOMINOES, load_weights(TRIOMINOES))
    return iterate_choices(TRIOMINOES, player, bytes.fromhex(DEAL), Random(1))


@cache
def find_first_puzzle(kind: PuzzleKind) -> Puzzle:
    return next(puzzle for _, puzzle in sorted(load_puzzles("triominoes").items()) if puzzle.kind == kind)


def test_position_is_restored_from_deal_and_moves() -> None:
    for number, choice in enumerate(iterate_deal_choices()):
        rebuilt = build_match(TRIOMINOES, choice.position)
        assert view_for(rebuilt, rebuilt.turn) == view_for(choice.match, choice.match.turn)
        assert rebuilt.boneyard == choice.match.boneyard
        assert len(choice.position.moves) == number


def test_composed_hand_keeps_all_tiles_and_public_view() -> None:
    *_, choice = iterate_deal_choices()
    hand_size = len(choice.match.seats[choice.match.turn].hand)
    hand = list_hidden_tiles(choice.match)[-hand_size:]
    position = replace(choice.position, hand=tuple("-".join(map(str, tile)) for tile in hand))

    match = build_match(TRIOMINOES, position)

    assert match.seats[match.turn].hand == hand
    tiles = [tile for seat in match.seats for tile in seat.hand] + match.boneyard + list(match.board.tiles)
    assert sorted(tiles) == sorted(TRIOMINOES.tiles)
    assert [len(seat.hand) for seat in match.seats] == [len(seat.hand) for seat in choice.match.seats]
    assert view_for(match, None) == view_for(choice.match, None)


@pytest.mark.parametrize(
    ("position", "why"),
    [
        (Position("zz", ()), "is no secret"),
        (Position("00", ()), "shorter than 8 bytes"),
        (Position(DEAL, ("U9,9=555",)), "not allowed there"),
        (Position(DEAL, ("U0,0=9",)), "1"),
        (Position(DEAL, ("pass",)), "not allowed there"),
        (Position(DEAL, (), ("0-0-0",)), "no such hand"),
        (Position(DEAL, (), ("0-0-9",)), "the set has no tile"),
    ],
)
def test_impossible_position_is_refused_with_reason(position: Position, why: str) -> None:
    with pytest.raises(DamagedPositionError, match=why):
        build_match(TRIOMINOES, position)


@pytest.mark.parametrize("kind", ["bridge", "hexagons", "out"])
def test_puzzle_is_solved_by_its_answer_only(kind: PuzzleKind) -> None:
    puzzle = find_first_puzzle(kind)
    match = build_start(puzzle, TRIOMINOES)
    solution = parse_solution(puzzle, TRIOMINOES)

    assert build_proposal(puzzle, match, solution).solved
    assert not build_proposal(puzzle, match, ()).solved
    seat = match.seats[match.turn]
    for line in iterate_ways(match.board.copy(), seat.hand):
        attempt = line[: puzzle.steps]
        found = build_proposal(puzzle, match, attempt)
        if kind != "out":
            assert found.solved == ({*solution} <= {*attempt}), f"{kind} is solved by {attempt}"
        assert found.solved or found.complete or len(line) < puzzle.steps


def test_solution_is_not_revealed_before_last_tile() -> None:
    puzzle = find_first_puzzle("hexagons")
    match = build_start(puzzle, TRIOMINOES)
    for placement in match.list_legal_moves(match.turn):
        proposal = build_proposal(puzzle, match, (placement,))
        assert proposal.complete == (not proposal.match.list_legal_moves(proposal.match.turn))


def test_tile_that_does_not_fit_is_refused() -> None:
    puzzle = find_first_puzzle("bridge")
    match = build_start(puzzle, TRIOMINOES)
    solution = parse_solution(puzzle, TRIOMINOES)[0]
    with pytest.raises(RuleError):
        build_proposal(puzzle, match, (solution._replace(rotation=(solution.rotation + 1) % 3),))
    with pytest.raises(RuleError):
        build_proposal(replace(puzzle, kind="hexagons"), match, (solution, solution))


def test_right_number_has_no_fixed_position_among_offered_numbers() -> None:
    places = set()
    for _, puzzle in sorted(load_puzzles("triominoes").items()):
        if puzzle.kind == "count":
            match = build_start(puzzle, TRIOMINOES)
            offered, most = list_offered_numbers(match), compute_max_points(match)
            assert len({*offered}) == OFFERED_COUNT
            assert list(offered) == sorted(offered)
            assert max(view_for(match, match.turn).moves, key=lambda move: move.points).points == most
            places.add(offered.index(most))
    assert len(places) > 1, "whoever always takes the same one would be right"


@pytest.mark.parametrize("kind", ["bridge", "hexagons", "out", "best", "count"])
def test_puzzle_view_hides_points_of_moves(kind: PuzzleKind) -> None:
    puzzle = find_first_puzzle(kind)
    match = build_start(puzzle, TRIOMINOES)
    seat, before = match.turn, view_for(match, match.turn)
    for line in [(), parse_solution(puzzle, TRIOMINOES)[:1]]:
        position = match
        for placement in line:
            position = play_tile(position, placement)
        hidden_view = hide_scores(view_for(position, seat), before)
        shown = {(move.points, move.hexagons, move.bridge, move.reward) for move in hidden_view.moves}
        assert shown <= {(0, 0, False, None)}
        tiles = [move.placement.tile for move in hidden_view.moves]
        assert tiles == sorted(tiles)
        assert [one.total for one in hidden_view.seats] == [one.total for one in before.seats]
        for fact in ("hexagons", "bridges", "newest"):
            assert getattr(hidden_view, fact) == getattr(before, fact)
        assert {move.placement for move in hidden_view.moves} == {*position.list_legal_moves(seat)}


def test_best_move_leads_in_new_sampled_deals() -> None:
    puzzle = max((one for one in load_puzzles("triominoes").values() if one.kind == "best"), key=lambda one: one.margin)
    match = build_start(puzzle, TRIOMINOES)
    view = view_for(match, match.turn)

    leader = find_lead(view, load_weights(TRIOMINOES), Random("another"), scale_count(300, 300))

    assert str(leader.move) == puzzle.line[0]
    assert leader.margin >= MARGIN


def test_position_without_clear_best_move_is_no_puzzle() -> None:
    weights = load_weights(TRIOMINOES)
    choices = [*iterate_deal_choices()]
    few = [choice for choice in choices if len(view_for(choice.match, choice.match.turn).moves) < 4]
    assert few
    assert all(find_best_move_puzzle(stand, weights, Random(1), 30) is None for stand in few)
    assert all(find_unique_puzzle(stand.match, stand.position, "out", Random(1)) is None for stand in choices[:2])


def test_every_game_has_puzzle_kind_for_each_weekday() -> None:
    for game in list_games():
        week = [choose_kind(load_rules(game), weekday) for weekday in range(7)]
        assert {"best", "out"} <= {*week}
        if game == "triominoes":
            assert week == ["bridge", "count", "best", "hexagons", "out", "hexagons", "best"]
        else:
            assert not {"bridge", "hexagons"} & {*week}


def test_exact_puzzle_has_one_answer() -> None:
    for kind in ("bridge", "hexagons", "count"):
        puzzle = find_first_puzzle(kind)
        match = build_start(puzzle, TRIOMINOES)
        found = find_only_answer(match, puzzle.kind)
        assert {*found} == {*parse_solution(puzzle, TRIOMINOES)}
