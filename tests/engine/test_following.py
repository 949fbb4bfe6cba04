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
from tests.depth import comes_up, scaled
from tests.engine.tables import Playout

MOVES = scaled(150)


def made(playout: Playout, move: Move) -> Match:
    match, lies = replay(playout.log), move.placement
    for event in decide(match, Play(match.turn, lies.tile, lies.cell, lies.rotation), playout.secret):
        apply_event(match, event)
    return match


@pytest.mark.parametrize("game", ["quad-ominos", "star"])
def test_further_tiles_and_turns_follow_where_they_are_said_to(game: str) -> None:
    playing, rng, met = load_rules(game), Random(3), Counter[tuple[str, bool]]()
    while met.total() < MOVES:
        playout = Playout(rng, 2, rules=playing)
        for _ in playout.steps():
            match = playout.match
            seat, following = match.turn, FollowUpProbe(view_for(match, match.turn))
            for move in view_for(match, seat).moves if not match.choosing else ():
                if move.reward is not None and not move.reward.both:
                    told = following.can_take_tiles(move)
                    assert told == ("tiles" in list_options(made(playout, move)))
                    met["tiles", told] += 1
                elif move.corner:
                    after = made(playout, move)
                    told = following.can_move_again(move)
                    assert told == (after.turn == seat and after.further and bool(after.list_legal_moves(seat)))
                    met["turn", told] += 1
    kind = "turn" if game == "star" else "tiles"
    assert comes_up({(kind, True), (kind, False)}) <= set(met)
