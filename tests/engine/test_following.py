"""The predicted consequences of a move occur when the move is made."""

from collections import Counter
from random import Random

import pytest

from data.rulebook import load_rules
from engine.match.actions import Play
from engine.match.decide import decide, list_options
from engine.match.following import FollowUpProbe
from engine.match.player_view import Move, view_for
from engine.match.state import Match, apply_event, replay
from tests.depth import list_required_cases, scale_count
from tests.engine.tables import Playout

MOVES = scale_count(150)


def apply_move(playout: Playout, move: Move) -> Match:
    match, placement = replay(playout.log), move.placement
    for event in decide(match, Play(match.turn, placement.tile, placement.cell, placement.rotation), playout.secret):
        apply_event(match, event)
    return match


@pytest.mark.parametrize("game", ["quad-ominos", "star"])
def test_further_tiles_and_turns_follow_where_they_are_said_to(game: str) -> None:
    rules, rng, coverage = load_rules(game), Random(3), Counter[tuple[str, bool]]()
    while coverage.total() < MOVES:
        playout = Playout(rng, 2, rules=rules)
        for _ in playout.iterate_steps():
            match = playout.match
            seat, probe = match.turn, FollowUpProbe(view_for(match, match.turn))
            for move in view_for(match, seat).moves if not match.choosing else ():
                if move.reward is not None and not move.reward.both:
                    prediction = probe.can_take_tiles(move)
                    assert prediction == ("tiles" in list_options(apply_move(playout, move)))
                    coverage["tiles", prediction] += 1
                elif move.corner:
                    after = apply_move(playout, move)
                    prediction = probe.can_move_again(move)
                    assert prediction == (after.turn == seat and after.further and bool(after.list_legal_moves(seat)))
                    coverage["turn", prediction] += 1
    kind = "turn" if game == "star" else "tiles"
    assert list_required_cases({(kind, True), (kind, False)}) <= set(coverage)
