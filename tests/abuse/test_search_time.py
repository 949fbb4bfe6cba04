"""An attacker measures computing time to infer hidden tiles."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.computers.external_players import ExternalPlayers
from bot.computers.service import MOVE_DELAY, ComputerPlayers
from bot.computers.thinking import FALLBACK_LEVELS, MOVE_BUDGET, MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.tables.lobbies import TableRequest
from data.store.store import Store
from data.weights import load_weights
from engine.match.actions import Action
from engine.match.player_view import PlayerView, view_for
from engine.match.rules import Rules
from engine.match.simulation import Simulation
from engine.players import greedy
from engine.players.hint_reasons import build_hint
from engine.players.levels import LEVELS, build_player
from engine.table.commands import Join, TakeAction
from tests.bot.use_cases import ADA, GRACE, UseCases
from tests.depth import scaled
from tests.engine.moments import after_some, moments, rearranged
from tests.engine.tables import Playout


@pytest.fixture
def use_cases(store: Store) -> UseCases:
    return UseCases(store)


def work(of: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    played, tried = Simulation.play, 0

    def counted(simulation: Simulation, move: Any) -> None:
        nonlocal tried
        tried += 1
        played(simulation, move)

    with monkeypatch.context() as patched:
        patched.setattr(Simulation, "play", counted)
        of()
    return tried


@pytest.mark.parametrize("level", LEVELS)
def test_search_work_is_independent_of_hidden_tiles(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    @settings(max_examples=scaled(6), deadline=None)
    @given(playout=moments(), luck=st.integers(0, 99))
    def holds(playout: Playout, luck: int) -> None:
        table = playout.match
        if table.ended or table.round_over is not None:
            return
        chooser = build_player(level, table.rules, load_weights(table.rules))

        def taken(seen: PlayerView) -> int:
            def think() -> None:
                action = chooser.choose(seen, Random(luck), after_some(9))
                build_hint(seen, action)

            return work(think, monkeypatch)

        twins = [rearranged(playout.log, table.turn, Random(luck + more)) for more in range(2)]
        assert {taken(view_for(twin, table.turn)) for twin in twins} == {taken(view_for(table, table.turn))}

    holds()


def test_search_work_differs_between_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = set()
    for seed in range(3):
        playout = Playout(Random(seed), 2, frozenset({0, 1}))
        for _ in playout.steps():
            table = playout.match
            if table.round_over is None and not table.ended and len(view_for(table, table.turn).moves) > 1:
                break
        chooser = build_player("master", table.rules, load_weights(table.rules))
        seen = view_for(table, table.turn)
        taken.add(work(lambda seen=seen, chooser=chooser: chooser.choose(seen, Random(1), after_some(9)), monkeypatch))
    assert len(taken) > 1


class Slow:
    def __init__(self, use_cases: UseCases, ms: int) -> None:
        self._desk, self._ms = use_cases, ms

    def choose(self, view: PlayerView, rng: greedy.Rng, should_stop: Callable[[], bool] | None = None) -> Action:
        self._desk.time += self._ms
        return greedy.choose(view, rng)


class Watched(ComputerPlayers):
    use_cases: UseCases

    async def _wait(self, ms: int, most: int) -> None:
        self.use_cases.time += max(0, min(ms, most))


async def moved_at(use_cases: UseCases, ms: int, monkeypatch: pytest.MonkeyPatch, *, thinks: bool) -> int:
    place = {"guild_id": 1, "channel_id": use_cases.request()}
    asked = TableRequest(**place, host_id=ADA, game="triominoes", computers=("medium",), seats=3)
    table = await use_cases.acts.open(asked, request=use_cases.request())
    table = await use_cases.act(table.head.match_id, Join(GRACE), request=use_cases.request())
    while (user := table.find_turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.act(
            table.head.match_id, TakeAction(user, lambda _, action=action: action), request=use_cases.request()
        )
        table = await use_cases.stands(table)

    def slow(_name: str, _rules: Rules) -> Slow:
        return Slow(use_cases, ms)

    thinking = MoveChooser(Random(1), WorkerPool(most_workers=1), slow)
    monkeypatch.setattr(thinking, "get_time_limit", lambda _: round(MOVE_BUDGET * 1000) if thinks else 0)
    computers = Watched(
        use_cases.tables,
        use_cases.acts,
        thinking,
        ExternalPlayers(),
        lambda: use_cases.time,
        Random(7),
        delay=MOVE_DELAY,
    )
    computers.use_cases = use_cases
    began, moved = table.clock.watch.began, list[int]()

    async def shown(_match_id: int) -> None:
        moved.append(use_cases.time)

    await computers.play(table.head.match_id, shown)
    await computers.end()
    return moved[0] - began


async def test_move_time_is_independent_of_search_time(use_cases: UseCases, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = [await moved_at(use_cases, ms, monkeypatch, thinks=False) for ms in (0, 250, MOVE_DELAY[0])]
    assert len({*at_once}) == 1
    assert MOVE_DELAY[0] <= at_once[0] <= MOVE_DELAY[1]

    thought = [await moved_at(use_cases, ms, monkeypatch, thinks=True) for ms in (0, 250, round(MOVE_BUDGET * 1000))]
    assert len({*thought}) == 1, "a master comes later, and as late with two moves as with twenty"
    assert MOVE_BUDGET * 1000 <= thought[0] <= MOVE_BUDGET * 1000 + MOVE_DELAY[1] - MOVE_DELAY[0]


async def test_search_time_limit_depends_on_level_only() -> None:
    chooser = MoveChooser(Random(1), WorkerPool(most_workers=1))
    assert {name for name in (*LEVELS, None) if chooser.get_time_limit(name)} == {*FALLBACK_LEVELS}
    assert {chooser.get_time_limit(name) for name in FALLBACK_LEVELS} == {round(MOVE_BUDGET * 1000)}
    await asyncio.sleep(0)
    await chooser.end()
