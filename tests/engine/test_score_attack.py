"""Score attack: the rules of a round for one seat, and where it ends."""

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest

from data.rulebook import load_rules
from engine.match.errors import RuleError
from engine.match.events import Passed, Placed, RoundEnded
from engine.match.player_view import view_for
from engine.match.shuffle import compute_commitment, shuffle_tiles
from engine.solo.score_attack import DRAW_ACT, SEAT, ScoreAttack, ScoreAttackError
from tests.depth import scale_count

TRIOMINOES = load_rules("triominoes")
ALL_PLACED_SEED = 44


def build_secret(number: int) -> bytes:
    return hashlib.sha256(f"score attack {number}".encode()).digest()


def iterate_steps(number: int, rng: Random | None = None) -> Iterator[ScoreAttack]:
    attack = ScoreAttack(TRIOMINOES, build_secret(number))
    while not attack.is_over:
        yield attack
        if attack.must_draw:
            attack = attack.draw()
        elif attack.can_end:
            attack = attack.end()
        else:
            moves = view_for(attack.match, SEAT).moves
            attack = attack.place((moves[0] if rng is None else rng.choice(moves)).placement)
    yield attack


@pytest.mark.parametrize("number", range(scale_count(2, least=2)))
def test_finished_score_attack_uses_all_tiles_and_sums_points(number: int) -> None:
    *_, over = iterate_steps(number, Random(number))
    match = over.match
    hand, board = match.seats[SEAT].hand, match.board

    assert sorted([*hand, *(placement.tile for placement in board.placed.values())]) == sorted(TRIOMINOES.tiles)
    scored = [event.points for event in match.history if isinstance(event, Placed | Passed)]
    assert over.points == sum(scored) + match.round_over.awards[SEAT]
    # Each of the 47 draws costs points in its own turn.
    assert over.acts.count(DRAW_ACT) == 47


def test_hand_is_first_nine_tiles_of_shuffled_secret() -> None:
    match = ScoreAttack(TRIOMINOES, build_secret(1)).match
    order = shuffle_tiles(TRIOMINOES.tiles, build_secret(1), 1)

    placed_tiles = [placement.tile for placement in match.board.placed.values()]
    assert sorted([*match.seats[SEAT].hand, *placed_tiles]) == sorted(order[:9])
    assert match.boneyard == order[:8:-1]
    assert match.commitment == compute_commitment(build_secret(1)) == hashlib.sha256(build_secret(1)).hexdigest()


def test_draw_order_does_not_depend_on_play() -> None:
    def list_drawn_tiles(rng: Random | None) -> list[object]:
        return [step.match.seats[SEAT].hand[-1] for step in iterate_steps(2, rng) if step.has_just_drawn]

    order = shuffle_tiles(TRIOMINOES.tiles, build_secret(2), 1)
    assert list_drawn_tiles(None) == list_drawn_tiles(Random(7)) == list(order[9:])


def test_third_failed_draw_costs_25_points_and_ends_turn() -> None:
    before, after = next(
        (before, step)
        for number in range(20)
        for before, step in pairwise(iterate_steps(number, Random(number)))
        if step.has_just_drawn and isinstance(step.match.history[-1], Passed)
    )

    assert before.match.drawn == 2
    assert after.points == before.points - 25
    assert after.match.drawn == 0
    assert after.must_draw


def test_empty_hand_must_draw_while_boneyard_has_tiles() -> None:
    steps = (step for number in range(20) for step in iterate_steps(number))
    empty_handed = next(step for step in steps if not step.match.seats[SEAT].hand)

    assert empty_handed.must_draw
    assert not empty_handed.is_over
    assert len(empty_handed.draw().match.seats[SEAT].hand) == 1


def test_failed_last_turn_ends_without_penalty_for_remaining_tiles() -> None:
    before, over = list(pairwise(iterate_steps(3, Random(3))))[-1]

    assert before.match.seats[SEAT].hand
    assert over.points == before.points - 10 - 5 * before.match.drawn
    assert over.match.round_over == RoundEnded(1, None, (tuple(before.match.seats[SEAT].hand),), (0,))


def test_placing_all_tiles_earns_bonus_for_going_out() -> None:
    before, over = list(pairwise(iterate_steps(ALL_PLACED_SEED, Random(ALL_PLACED_SEED))))[-1]

    assert len(over.match.board.placed) == 56
    assert before.must_draw is False
    assert over.points == before.points + 25


def test_undo_of_tile_is_possible_only_before_next_draw() -> None:
    states = list(iterate_steps(4))
    placements = [step for step in states if step.acts and not step.has_just_drawn and not step.is_over]
    for step in placements[:10]:
        undone = step.undo()
        assert undone.acts == step.acts[:-1]
        assert undone.points == next(one for one in states if one.acts == undone.acts).points
    drew = next(step for step in states if step.has_just_drawn)
    for state in (drew, states[-1], states[0]):
        with pytest.raises(ScoreAttackError):
            state.undo()


def test_actions_at_wrong_time_are_refused() -> None:
    first, *_, last = iterate_steps(5)
    move = view_for(first.match, SEAT).moves[0].placement

    drawing = next(step for step in iterate_steps(5) if step.must_draw)
    repeated = [lambda: first.place(move).place(move), lambda: drawing.place(move)]
    for action in (first.draw, first.end, last.draw, last.end, drawing.end, *repeated):
        with pytest.raises((RuleError, ScoreAttackError)):
            action()


def test_acts_are_parsed_back_and_forged_acts_are_refused() -> None:
    *_, over = iterate_steps(6)

    assert ScoreAttack.from_text(TRIOMINOES, over.secret, str(over)).points == over.points
    for forged in ("+", ".", "nonsense", "U0,0=000", f"{over} +", "+ " * 5000):
        with pytest.raises((RuleError, ValueError)):
            ScoreAttack.from_text(TRIOMINOES, over.secret, forged)


def test_player_view_does_not_depend_on_boneyard_order() -> None:
    attack = ScoreAttack(TRIOMINOES, build_secret(8))
    reversed_match = attack.match.copy()
    reversed_match.boneyard.reverse()

    assert view_for(attack.match, SEAT) == view_for(reversed_match, SEAT)
