"""Score attack: the rules of a round for one seat, and where it ends."""

import hashlib
from collections.abc import Iterator
from random import Random

import pytest

from data.rulebook import load_rules
from engine.match.errors import RuleError
from engine.match.events import Passed, Placed, RoundEnded
from engine.match.player_view import view_for
from engine.match.shuffle import compute_commitment, shuffle_tiles
from engine.solo.score_attack import DRAW_ACT, SEAT, ScoreAttack, ScoreAttackError
from tests.depth import scaled

TRIOMINOES = load_rules("triominoes")
WHOLE = 44


def secret(number: int) -> bytes:
    return hashlib.sha256(f"score attack {number}".encode()).digest()


def steps(number: int, chance: Random | None = None) -> Iterator[ScoreAttack]:
    attack = ScoreAttack(TRIOMINOES, secret(number))
    while not attack.is_over:
        yield attack
        if attack.must_draw:
            attack = attack.draw()
        elif attack.can_end:
            attack = attack.end()
        else:
            moves = view_for(attack.match, SEAT).moves
            attack = attack.place((moves[0] if chance is None else chance.choice(moves)).placement)
    yield attack


@pytest.mark.parametrize("number", range(scaled(2, least=2)))
def test_finished_score_attack_uses_all_tiles_and_sums_points(number: int) -> None:
    *_, over = steps(number, Random(number))
    match = over.match
    hand, board = match.seats[SEAT].hand, match.board

    assert sorted([*hand, *(lies.tile for lies in board.placed.values())]) == sorted(TRIOMINOES.tiles)
    scored = [event.points for event in match.history if isinstance(event, Placed | Passed)]
    assert over.points == sum(scored) + match.round_over.awards[SEAT]
    # Every draw is paid, in the turn in which it was made: 47 tiles are drawn.
    assert over.acts.count(DRAW_ACT) == 47


def test_hand_is_first_nine_tiles_of_shuffled_secret() -> None:
    match = ScoreAttack(TRIOMINOES, secret(1)).match
    order = shuffle_tiles(TRIOMINOES.tiles, secret(1), 1)

    lying = [lies.tile for lies in match.board.placed.values()]
    assert sorted([*match.seats[SEAT].hand, *lying]) == sorted(order[:9])
    assert match.boneyard == order[:8:-1]
    assert match.commitment == compute_commitment(secret(1)) == hashlib.sha256(secret(1)).hexdigest()


def test_draw_order_does_not_depend_on_play() -> None:
    def drawn(chance: Random | None) -> list[object]:
        return [step.match.seats[SEAT].hand[-1] for step in steps(2, chance) if step.has_just_drawn]

    assert drawn(None) == drawn(Random(7)) == list(shuffle_tiles(TRIOMINOES.tiles, secret(2), 1)[9:])


def test_third_failed_draw_costs_25_points_and_ends_turn() -> None:
    failed = next(
        (before, step)
        for number in range(20)
        for before, step in pairs(number)
        if step.has_just_drawn and isinstance(step.match.history[-1], Passed)
    )
    before, after = failed

    assert before.match.drawn == 2
    assert after.points == before.points - 25
    assert after.match.drawn == 0
    assert after.must_draw


def pairs(number: int) -> Iterator[tuple[ScoreAttack, ScoreAttack]]:
    before: ScoreAttack | None = None
    for step in steps(number, Random(number)):
        if before is not None:
            yield before, step
        before = step


def test_empty_hand_must_draw_while_boneyard_has_tiles() -> None:
    bare = next(step for number in range(20) for step in steps(number) if not step.match.seats[SEAT].hand)

    assert bare.must_draw
    assert not bare.is_over
    assert len(bare.draw().match.seats[SEAT].hand) == 1


def test_failed_last_turn_ends_without_penalty_for_remaining_tiles() -> None:
    before, over = list(pairs(3))[-1]

    assert before.match.seats[SEAT].hand
    assert over.points == before.points - 10 - 5 * before.match.drawn
    assert over.match.round_over == RoundEnded(1, None, (tuple(before.match.seats[SEAT].hand),), (0,))


def test_placing_all_tiles_earns_bonus_for_going_out() -> None:
    before, over = list(pairs(WHOLE))[-1]

    assert len(over.match.board.placed) == 56
    assert before.must_draw is False
    assert over.points == before.points + 25


def test_undo_of_tile_is_possible_only_before_next_draw() -> None:
    trail = list(steps(4))
    laid = [step for step in trail if step.acts and not step.has_just_drawn and not step.is_over]
    for step in laid[:10]:
        back = step.undo()
        assert back.acts == step.acts[:-1]
        assert back.points == next(one for one in trail if one.acts == back.acts).points
    drew = next(step for step in trail if step.has_just_drawn)
    for wrong in (drew, trail[-1], trail[0]):
        with pytest.raises(ScoreAttackError):
            wrong.undo()


def test_actions_at_wrong_time_are_refused() -> None:
    begin, *_, over = steps(5)
    move = view_for(begin.match, SEAT).moves[0].placement

    for wrong in (begin.draw, begin.end, over.draw, over.end, lambda: begin.place(move).place(move)):
        with pytest.raises((RuleError, ScoreAttackError)):
            wrong()
    drawing = next(step for step in steps(5) if step.must_draw)
    for wrong in (drawing.end, lambda: drawing.place(move)):
        with pytest.raises((RuleError, ScoreAttackError)):
            wrong()


def test_acts_are_parsed_back_and_forged_acts_are_refused() -> None:
    *_, over = steps(6)

    assert ScoreAttack.from_text(TRIOMINOES, over.secret, str(over)).points == over.points
    for forged in ("+", ".", "nonsense", "U0,0=000", f"{over} +", "+ " * 5000):
        with pytest.raises((RuleError, ValueError)):
            ScoreAttack.from_text(TRIOMINOES, over.secret, forged)


def test_player_view_does_not_depend_on_boneyard_order() -> None:
    attack = ScoreAttack(TRIOMINOES, secret(8))
    turned = attack.match.copy()
    turned.boneyard.reverse()

    assert view_for(attack.match, SEAT) == view_for(turned, SEAT)
