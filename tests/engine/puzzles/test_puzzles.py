"""A puzzle has one clear answer from the rules or sampled deals, and its position does not reveal it."""

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
from tests.depth import scaled
from tests.tools.puzzle_maker.best_moves import MARGIN, best, choices_of_round, lead
from tests.tools.puzzle_maker.unique_answers import exact, only_answer, ways_of

TRIOMINOES = load_rules("triominoes")
DEAL = "955b287bf9dcf0a77a4a4742cd14142c"


@cache
def first_of(kind: PuzzleKind) -> Puzzle:
    return next(puzzle for _, puzzle in sorted(load_puzzles("triominoes").items()) if puzzle.kind == kind)


def test_position_is_restored_from_deal_and_moves() -> None:
    for number, stand in enumerate(
        choices_of_round(
            TRIOMINOES, build_player("easy", TRIOMINOES, load_weights(TRIOMINOES)), bytes.fromhex(DEAL), Random(1)
        )
    ):
        again = build_match(TRIOMINOES, stand.position)
        assert view_for(again, again.turn) == view_for(stand.match, stand.match.turn)
        assert again.boneyard == stand.match.boneyard
        assert len(stand.position.moves) == number


def test_composed_hand_keeps_all_tiles_and_public_view() -> None:
    *_, stand = choices_of_round(
        TRIOMINOES, build_player("easy", TRIOMINOES, load_weights(TRIOMINOES)), bytes.fromhex(DEAL), Random(1)
    )
    held = len(stand.match.seats[stand.match.turn].hand)
    hand = list_hidden_tiles(stand.match)[-held:]
    given = replace(stand.position, hand=tuple("-".join(map(str, tile)) for tile in hand))

    match = build_match(TRIOMINOES, given)

    assert match.seats[match.turn].hand == hand
    tiles = [tile for seat in match.seats for tile in seat.hand] + match.boneyard + list(match.board.tiles)
    assert sorted(tiles) == sorted(TRIOMINOES.tiles)
    assert [len(seat.hand) for seat in match.seats] == [len(seat.hand) for seat in stand.match.seats]
    assert view_for(match, None) == view_for(stand.match, None)


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
    puzzle = first_of(kind)
    match = build_start(puzzle, TRIOMINOES)
    wanted = parse_solution(puzzle, TRIOMINOES)

    assert build_proposal(puzzle, match, wanted).solved
    assert not build_proposal(puzzle, match, ()).solved
    seat = match.seats[match.turn]
    for way in ways_of(match.board.copy(), seat.hand):
        tried = way[: puzzle.steps]
        found = build_proposal(puzzle, match, tried)
        if kind != "out":
            assert found.solved == ({*wanted} <= {*tried}), f"{kind} is solved by {tried}"
        assert found.solved or found.complete or len(way) < puzzle.steps


def test_solution_is_not_revealed_before_last_tile() -> None:
    puzzle = first_of("hexagons")
    match = build_start(puzzle, TRIOMINOES)
    for placement in match.list_legal_moves(match.turn):
        begun = build_proposal(puzzle, match, (placement,))
        assert begun.complete == (not begun.match.list_legal_moves(begun.match.turn))


def test_tile_that_does_not_fit_is_refused() -> None:
    puzzle = first_of("bridge")
    match = build_start(puzzle, TRIOMINOES)
    wanted = parse_solution(puzzle, TRIOMINOES)[0]
    with pytest.raises(RuleError):
        build_proposal(puzzle, match, (wanted._replace(rotation=(wanted.rotation + 1) % 3),))
    with pytest.raises(RuleError):
        build_proposal(replace(puzzle, kind="hexagons"), match, (wanted, wanted))


def test_highest_points_have_no_fixed_place_among_answers() -> None:
    at = set()
    for _, puzzle in sorted(load_puzzles("triominoes").items()):
        if puzzle.kind == "count":
            match = build_start(puzzle, TRIOMINOES)
            offered, most = list_offered_numbers(match), compute_max_points(match)
            assert len({*offered}) == OFFERED_COUNT
            assert list(offered) == sorted(offered)
            assert max(view_for(match, match.turn).moves, key=lambda move: move.points).points == most
            at.add(offered.index(most))
    assert len(at) > 1, "whoever always takes the same one would be right"


@pytest.mark.parametrize("kind", ["bridge", "hexagons", "out", "best", "count"])
def test_puzzle_view_hides_points_of_moves(kind: PuzzleKind) -> None:
    puzzle = first_of(kind)
    match = build_start(puzzle, TRIOMINOES)
    seat, before = match.turn, view_for(match, match.turn)
    for line in [(), parse_solution(puzzle, TRIOMINOES)[:1]]:
        stands = match
        for placement in line:
            stands = play_tile(stands, placement)
        shown = hide_scores(view_for(stands, seat), before)
        assert {(move.points, move.hexagons, move.bridge, move.reward) for move in shown.moves} <= {(0, 0, False, None)}
        tiles = [move.placement.tile for move in shown.moves]
        assert tiles == sorted(tiles)
        assert [one.total for one in shown.seats] == [one.total for one in before.seats]
        assert (shown.hexagons, shown.bridges, shown.newest) == (before.hexagons, before.bridges, before.newest)
        assert {move.placement for move in shown.moves} == {*stands.list_legal_moves(seat)}


def test_best_move_leads_in_new_sampled_deals() -> None:
    puzzle = max((one for one in load_puzzles("triominoes").values() if one.kind == "best"), key=lambda one: one.margin)
    match = build_start(puzzle, TRIOMINOES)
    seen = view_for(match, match.turn)

    led = lead(seen, load_weights(TRIOMINOES), Random("another"), scaled(300, 300))

    assert str(led.move) == puzzle.line[0]
    assert led.margin >= MARGIN


def test_position_without_clear_best_move_is_no_puzzle() -> None:
    weighed = load_weights(TRIOMINOES)
    stands = [*choices_of_round(TRIOMINOES, build_player("easy", TRIOMINOES, weighed), bytes.fromhex(DEAL), Random(1))]
    few = [stand for stand in stands if len(view_for(stand.match, stand.match.turn).moves) < 4]
    assert few
    assert all(best(stand, weighed, Random(1), 30) is None for stand in few)
    assert all(exact(stand.match, stand.position, "out", Random(1)) is None for stand in stands[:2])


def test_every_game_has_puzzle_kind_for_each_weekday() -> None:
    for game in list_games():
        week = [choose_kind(load_rules(game), weekday) for weekday in range(7)]
        assert {"best", "out"} <= {*week}
        if game == "triominoes":
            assert week == ["bridge", "count", "best", "hexagons", "out", "hexagons", "best"]
        else:
            assert not {"bridge", "hexagons"} & {*week}


def test_exact_answer_is_only_one() -> None:
    for kind in ("bridge", "hexagons", "count"):
        puzzle = first_of(kind)
        match = build_start(puzzle, TRIOMINOES)
        found = only_answer(match, puzzle.kind)
        assert {*found} == {*parse_solution(puzzle, TRIOMINOES)}
