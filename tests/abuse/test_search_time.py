"""An attacker measures computing time to infer hidden tiles."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.computers.service import MOVE_DELAY
from bot.computers.thinking import FALLBACK_LEVELS, MOVE_BUDGET, MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.tables.lobbies import TableRequest
from data.weights import load_weights
from engine.match.actions import Action
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players import greedy
from engine.players.hint_reasons import build_hint
from engine.players.levels import LEVELS, build_player
from engine.table.commands import Join
from tests.abuse.timed_computers import SimulatedTimeComputers, play_users
from tests.bot.use_cases import ADA, GRACE, UseCases
from tests.depth import scale_count
from tests.engine.moments import match_positions, redeal_hidden_tiles, stop_after
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


class SlowPlayer:
    def __init__(self, use_cases: UseCases, ms: int) -> None:
        self._use_cases, self._ms = use_cases, ms

    def choose(self, view: PlayerView, rng: greedy.Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        self._use_cases.time += self._ms
        return greedy.choose(view, rng)


async def measure_move_time(
    use_cases: UseCases, ms: int, monkeypatch: pytest.MonkeyPatch, *, has_search_time: bool
) -> int:
    place = {"guild_id": 1, "channel_id": use_cases.create_request_id()}
    table_request = TableRequest(**place, host_id=ADA, game="triominoes", computers=("medium",), seats=3)
    table = await use_cases.acts.open(table_request, request=use_cases.create_request_id())
    table = await use_cases.interact(table, Join(GRACE))
    table = await play_users(use_cases, table)

    def build_slow_player(_name: str, _rules: Rules) -> SlowPlayer:
        return SlowPlayer(use_cases, ms)

    chooser = MoveChooser(Random(1), WorkerPool(most_workers=1), build_slow_player)
    monkeypatch.setattr(chooser, "get_time_limit", lambda _: round(MOVE_BUDGET * 1000) if has_search_time else 0)
    computers = SimulatedTimeComputers(use_cases, chooser, seed=7)
    began, move_times = table.clock.watch.began, list[int]()

    async def record_move_time(_match_id: int) -> None:
        move_times.append(use_cases.time)

    await computers.play(table.head.match_id, record_move_time)
    await computers.end()
    return move_times[0] - began


async def test_move_time_is_independent_of_search_time(use_cases: UseCases, monkeypatch: pytest.MonkeyPatch) -> None:
    instant_times = [
        await measure_move_time(use_cases, ms, monkeypatch, has_search_time=False) for ms in (0, 250, MOVE_DELAY[0])
    ]
    assert len({*instant_times}) == 1
    assert MOVE_DELAY[0] <= instant_times[0] <= MOVE_DELAY[1]

    search_times = [
        await measure_move_time(use_cases, ms, monkeypatch, has_search_time=True)
        for ms in (0, 250, round(MOVE_BUDGET * 1000))
    ]
    assert len({*search_times}) == 1, "a master comes later, and as late with two moves as with twenty"
    assert MOVE_BUDGET * 1000 <= search_times[0] <= MOVE_BUDGET * 1000 + MOVE_DELAY[1] - MOVE_DELAY[0]


async def test_search_time_limit_depends_on_level_only() -> None:
    chooser = MoveChooser(Random(1), WorkerPool(most_workers=1))
    assert {name for name in (*LEVELS, None) if chooser.get_time_limit(name)} == {*FALLBACK_LEVELS}
    assert {chooser.get_time_limit(name) for name in FALLBACK_LEVELS} == {round(MOVE_BUDGET * 1000)}
    await asyncio.sleep(0)
    await chooser.end()
