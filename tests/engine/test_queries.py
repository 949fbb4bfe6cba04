"""Queries do not change a match, so several threads may query one match at the same time."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
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
from tests.depth import scale_count
from tests.engine.random_play import MAX_ACTIONS, WITH_BONUSES, list_accepted_actions, randomize_options
from tests.engine.readings import build_rules
from tests.engine.tables import SECRET, Playout
from tests.engine.tables import build_match as table

IMMEDIATE_BLOCK = build_rules("triominoes", "block_detection=immediate target=50")


class ReadOnlyMixin:
    def place(self, _cell: int, _way: int) -> NoReturn:
        raise AssertionError("a query placed a tile")

    def undo(self) -> NoReturn:
        raise AssertionError("a query undid a tile")

    def restore(self, _snapshot: object) -> NoReturn:
        raise AssertionError("a query laid the tiles anew")


class ReadOnlyTableau(ReadOnlyMixin, Tableau):
    __slots__ = ("copy",)


class ReadOnlyTrailTableau(ReadOnlyMixin, TrailTableau):
    __slots__ = ("copy",)


def make_read_only(match: Match) -> Match:
    copy, board = match.copy(), match.board
    original, kind = board.tableau, ReadOnlyTrailTableau if isinstance(board.tableau, TrailTableau) else ReadOnlyTableau
    tableau = kind(original.grid, original.table, original.within)
    for name in ("placed_ways", "demands", "masks"):
        setattr(tableau, name, MappingProxyType(getattr(original, name)))
    tableau.played_mask, tableau.history, tableau.copy = original.played_mask, original.history, original.copy  # type: ignore[method-assign]
    copy.board.tableau = tableau
    copy.board.placed = MappingProxyType(board.placed)  # type: ignore[assignment]
    return copy


def run_all_queries(match: Match, secret: bytes) -> list[object]:
    """Return the answers that can be compared."""
    found: list[object] = [view_for(match, viewer) for viewer in (None, *range(len(match.seats)))]
    found += [list_accepted_actions(match), list_options(match), find_forced_action(match)]
    for seat in match.active:
        found += [match.list_legal_moves(seat), match.ended or decide(match, Resign(seat), secret)]
    if match.choosing:
        found.append(compute_reward(match))
    if match.ended or match.round_over:
        return found
    found.append(end_dead_round(match, secret))
    Simulation.from_match(match)
    PositionEvaluator(match, load_weights(match.rules))
    view = view_for(match, match.turn)
    following = FollowUpProbe(view)
    for move in view.moves:
        following.can_take_tiles(move)
        following.can_move_again(move)
    return [*found, build_hint(view, list_legal_actions(view)[0])]


@pytest.mark.parametrize("game", list_games())
def test_query_leaves_table_of_its_match_unchanged(game: str) -> None:
    coverage = set[str]()
    for seed in range(scale_count(3, 3)):
        rng, usual = Random(f"{game} {seed}"), WITH_BONUSES.get(game, load_rules(game))
        rules = randomize_options(usual, rng) if seed else usual
        playout = Playout(rng, rng.randint(rules.min_seats, rules.max_seats), rules=rules)
        for number, _ in enumerate(playout.iterate_steps()):
            match = playout.match
            kinds = {"bonus": match.choosing, "tiles": match.bonus_tiles > 1, "further": match.further}
            current_kinds = {kind for kind, is_so in kinds.items() if is_so}
            if current_kinds - coverage or number % 8 == 0 or (not match.boneyard and number % 2):
                coverage |= current_kinds
                before = repr(match.board.tableau.take_snapshot())
                run_all_queries(make_read_only(match), playout.secret)
                assert repr(match.board.tableau.take_snapshot()) == before
            if number > MAX_ACTIONS:
                break
    assert coverage >= {"quad-ominos": {"bonus", "tiles"}, "star": {"further"}}.get(game, set())


@pytest.mark.parametrize(
    "asked",
    [
        table(["0-0-0-0 1-1-1-2 3-3-3-4", "3-3-3-5"], choices="0-0-0-0", rules=load_rules("quad-ominos")),
        table(["1-3-3 4-4-4", "2-2-2"], position="U0,0=135", rules=IMMEDIATE_BLOCK),
    ],
    ids=["a bonus of points and tiles", "a round that a placement may block"],
)
def test_query_leaves_immediate_block_table_unchanged(asked: Match) -> None:
    run_all_queries(make_read_only(asked), SECRET)


@pytest.mark.deep
@pytest.mark.parametrize("game", list_games())
def test_two_threads_get_same_answers_as_one(game: str) -> None:
    """Ten seconds for each game: `uv run pytest --deep tests/engine/test_queries.py -k two_threads`."""
    rng, usual, end = Random(game), WITH_BONUSES.get(game, load_rules(game)), time.monotonic() + scale_count(10)
    interval, positions = sys.getswitchinterval(), 0
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(2) as pool:
            while time.monotonic() < end:
                rules = randomize_options(usual, rng)
                playout = Playout(rng, rng.randint(rules.min_seats, rules.max_seats), rules=rules)
                for number, _ in enumerate(playout.iterate_steps()):
                    match, query = playout.match, partial(run_all_queries, secret=playout.secret)
                    alone = query(match.copy())
                    assert list(pool.map(query, (match, match))) == [alone, alone]
                    positions += 1
                    if number > MAX_ACTIONS or time.monotonic() > end:
                        break
    finally:
        sys.setswitchinterval(interval)
    assert positions > 0
