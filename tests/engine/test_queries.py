"""A query does not change what it reads: several threads may ask about one match at the same time."""

from random import Random
from types import MappingProxyType
from typing import NoReturn

import pytest

from data.rulebook import list_games, load_rules
from data.weights import load_weights
from engine.board.tableau import Tableau, TrailTableau
from engine.match.actions import Resign
from engine.match.decide import compute_reward, decide, find_forced_action, list_options
from engine.match.following import FollowUpProbe
from engine.match.player_view import list_legal_actions, view_for
from engine.match.rounds import end_dead_round
from engine.match.simulation import Simulation
from engine.match.state import Match
from engine.players.hint_reasons import build_hint
from engine.reviews.futures import PositionEvaluator
from tests.depth import scaled
from tests.engine.random_play import MOST_ACTIONS, WITH_BONUSES, accepted_actions, any_options
from tests.engine.readings import read
from tests.engine.tables import SECRET, Playout
from tests.engine.tables import match as table


class Locked:
    def place(self, _cell: int, _way: int) -> NoReturn:
        raise AssertionError("a query placed a tile")

    def undo(self) -> NoReturn:
        raise AssertionError("a query undid a tile")

    def restore(self, _kept: object) -> NoReturn:
        raise AssertionError("a query laid the tiles anew")


class LockedTableau(Locked, Tableau):
    __slots__ = ("copy",)


class LockedTrail(Locked, TrailTableau):
    __slots__ = ("copy",)


def lock(match: Match) -> Match:
    locked, board = match.copy(), match.board
    open_, kind = board.tableau, LockedTrail if isinstance(board.tableau, TrailTableau) else LockedTableau
    tableau = kind(open_.grid, open_.table, open_.within)
    for name in ("placed_ways", "demands", "masks"):
        setattr(tableau, name, MappingProxyType(getattr(open_, name)))
    tableau.played_mask, tableau.history, tableau.copy = open_.played_mask, open_.history, open_.copy  # type: ignore[method-assign]
    locked.board.tableau = tableau
    locked.board.placed = MappingProxyType(board.placed)  # type: ignore[assignment]
    return locked


def ask_everything(match: Match, secret: bytes) -> None:
    for viewer in (None, *range(len(match.seats))):
        view_for(match, viewer)
    accepted_actions(match)
    list_options(match)
    for seat in match.active:
        match.list_legal_moves(seat)
        if not match.ended:
            decide(match, Resign(seat), secret)
    if match.choosing:
        compute_reward(match)
    find_forced_action(match)
    if match.ended or match.round_over:
        return
    end_dead_round(match, secret)
    Simulation.from_match(match)
    PositionEvaluator(match, load_weights(match.rules))
    seen = view_for(match, match.turn)
    following = FollowUpProbe(seen)
    for move in seen.moves:
        following.can_take_tiles(move)
        following.can_move_again(move)
    build_hint(seen, list_legal_actions(seen)[0])


@pytest.mark.parametrize("game", list_games())
def test_query_leaves_table_of_its_match_unchanged(game: str) -> None:
    met = set[str]()
    for seed in range(scaled(3, 3)):
        rng, usual = Random(f"{game} {seed}"), WITH_BONUSES.get(game, load_rules(game))
        playing = any_options(usual, rng) if seed else usual
        playout = Playout(rng, rng.randint(playing.min_seats, playing.max_seats), rules=playing)
        for number, _ in enumerate(playout.steps()):
            match = playout.match
            kinds = {"bonus": match.choosing, "tiles": match.bonus_tiles > 1, "further": match.further}
            now = {kind for kind, is_so in kinds.items() if is_so}
            if now - met or number % 8 == 0 or (not match.boneyard and number % 2):
                met |= now
                before = repr(match.board.tableau.take_snapshot())
                ask_everything(lock(match), playout.secret)
                assert repr(match.board.tableau.take_snapshot()) == before
            if number > MOST_ACTIONS:
                break
    assert met >= {"quad-ominos": {"bonus", "tiles"}, "star": {"further"}}.get(game, set())


@pytest.mark.parametrize(
    "asked",
    [
        table(["0-0-0-0 1-1-1-2 3-3-3-4", "3-3-3-5"], choices="0-0-0-0", rules=load_rules("quad-ominos")),
        table(
            ["1-3-3 4-4-4", "2-2-2"],
            position="U0,0=135",
            rules=read("triominoes", "block_detection=immediate target=50"),
        ),
    ],
    ids=["a bonus of points and tiles", "a round that a placement may block"],
)
def test_query_leaves_rare_table_unchanged(asked: Match) -> None:
    ask_everything(lock(asked), SECRET)
