"""An attacker measures computing time to infer hidden tiles."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.computers.thinking import FALLBACK_LEVELS, MOVE_BUDGET, MoveChooser
from bot.computers.worker_pool import WorkerPool
from data.weights import load_weights
from engine.match.player_view import PlayerView, view_for
from engine.match.simulation import Simulation
from engine.players.hint_reasons import build_hint
from engine.players.levels import LEVELS, build_player
from tests.depth import scale_count
from tests.engine.match_positions import match_positions, redeal_hidden_tiles, stop_after
from tests.engine.tables import Playout


def count_simulated_moves(function: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    original_play, moves = Simulation.play, 0

    def count_move(simulation: Simulation, move: Any) -> None:
        nonlocal moves
        moves += 1
        original_play(simulation, move)

    with monkeypatch.context() as patched:
        patched.setattr(Simulation, "play", count_move)
        function()
    return moves


@pytest.mark.parametrize("level", LEVELS)
def test_search_work_is_independent_of_hidden_tiles(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @settings(max_examples=scale_count(6), deadline=None)
    @given(playout=match_positions(), luck=st.integers(0, 99))
    def check_position(playout: Playout, luck: int) -> None:
        table = playout.match
        if table.ended or table.round_over is not None:
            return
        chooser = build_player(level, table.rules, load_weights(table.rules))

        def measure_work(view: PlayerView) -> int:
            def think() -> None:
                action = chooser.choose(view, Random(luck), stop_after(9))
                build_hint(view, action)

            return count_simulated_moves(think, monkeypatch)

        twins = [redeal_hidden_tiles(playout.log, table.turn, Random(luck + more)) for more in range(2)]
        assert {measure_work(view_for(twin, table.turn)) for twin in twins} == {
            measure_work(view_for(table, table.turn))
        }

    check_position()


def test_search_work_differs_between_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    work_counts = set()
    for seed in range(3):
        playout = Playout(Random(seed), 2, frozenset({0, 1}))
        for _ in playout.iterate_steps():
            table = playout.match
            if table.round_over is None and not table.ended and len(view_for(table, table.turn).moves) > 1:
                break
        chooser = build_player("master", table.rules, load_weights(table.rules))
        seen = view_for(table, table.turn)
        work_counts.add(
            count_simulated_moves(
                lambda seen=seen, chooser=chooser: chooser.choose(seen, Random(1), stop_after(9)), monkeypatch
            )
        )
    assert len(work_counts) > 1


async def test_search_time_limit_depends_on_level_only() -> None:
    chooser = MoveChooser(Random(1), WorkerPool(most_workers=1))
    assert {name for name in (*LEVELS, None) if chooser.get_time_limit(name)} == {*FALLBACK_LEVELS}
    assert {chooser.get_time_limit(name) for name in FALLBACK_LEVELS} == {round(MOVE_BUDGET * 1000)}
    await asyncio.sleep(0)
    await chooser.end()
