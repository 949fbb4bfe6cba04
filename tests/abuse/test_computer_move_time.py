"""An attacker measures the time that computers need for a move, to infer their hands."""

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from bot.computers.external_players import ExternalPlayers
from bot.computers.service import MOVE_DELAY, ComputerPlayers
from bot.computers.thinking import MOVE_BUDGET, MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.tables.lobbies import TableRequest
from bot.tables.service import Table
from data.store.store import Store
from engine.match.actions import Action
from engine.match.player_view import PlayerView, view_for
from engine.players import greedy
from engine.table.commands import Join, TakeAction
from tests.bot.use_cases import ADA, GRACE, UseCases

MAX_THINK_TIME = round(MOVE_BUDGET * 1000)
SHORT_TIMES = ((0,), (250,), (MOVE_DELAY[0],))
LONG_TIMES = ((0, 0), (MAX_THINK_TIME, MAX_THINK_TIME), (3, MAX_THINK_TIME - 1), (900, 40), (250, 1_200))
"""Milliseconds that computers think, in turn."""
TURNS = 12


class SlowMoveChooser(MoveChooser):
    def __init__(self, use_cases: UseCases, think_times: Iterator[int]) -> None:
        super().__init__(Random(1), WorkerPool())
        self._use_cases = use_cases
        self._think_times = think_times

    async def choose(self, name: str | None, view: PlayerView, *, owner_id: int) -> Action:
        self._use_cases.time += next(self._think_times)
        return greedy.choose(view, Random(view.viewer))


class SimulatedTimeComputers(ComputerPlayers):
    """Computer players who think and wait in simulated time."""

    def __init__(self, use_cases: UseCases, think_times: Iterator[int]) -> None:
        self.use_cases = use_cases
        chooser = SlowMoveChooser(use_cases, think_times)
        services = (use_cases.tables, use_cases.acts, chooser, ExternalPlayers(), lambda: use_cases.time, Random(1))
        super().__init__(*services, delay=MOVE_DELAY)

    async def _wait(self, ms: int, most: int) -> None:
        self.use_cases.time += max(0, min(ms, most))


@pytest.mark.parametrize(
    ("levels", "think_times", "time_limit", "alike"),
    [
        (("medium",), SHORT_TIMES, 0, True),
        (("master",), (*SHORT_TIMES, (MAX_THINK_TIME,)), MAX_THINK_TIME, True),
        (("master", "master"), LONG_TIMES, MAX_THINK_TIME, True),
        (("expert", "master"), LONG_TIMES, MAX_THINK_TIME, True),
        (("medium", "master"), LONG_TIMES, 0, False),
    ],
)
async def test_computer_move_time_does_not_reveal_hand(
    store: Store, levels: tuple[str, ...], think_times: tuple[tuple[int, ...], ...], time_limit: int, alike: bool
) -> None:
    runs = [await measure_move_times(store, number, levels, one) for number, one in enumerate(think_times)]
    moments = list(zip(*runs, strict=True))
    assert all(len(set(one)) == 1 for one in moments) == alike
    assert min(map(min, moments)) >= max(time_limit, MOVE_DELAY[0])
    extra = max(0, time_limit - MOVE_DELAY[0]) if alike else MAX_THINK_TIME
    assert max(map(max, moments)) <= MOVE_DELAY[1] + extra, "nobody waits for long"


async def measure_move_times(
    store: Store, number: int, levels: tuple[str, ...], think_times: tuple[int, ...]
) -> list[int]:
    use_cases = UseCases(store, request_ids=itertools.count(1000 * number))
    computers = SimulatedTimeComputers(use_cases, itertools.cycle(think_times))
    table_request = TableRequest(
        guild_id=1, channel_id=2 + number, host_id=ADA, game="triominoes", computers=levels, seats=2 + len(levels)
    )
    table = await use_cases.acts.open(table_request, request=use_cases.create_request_id())
    table = await use_cases.interact(table, Join(GRACE))
    move_times: list[int] = []

    async def record_move_time(_: int) -> None:
        move_times.append(use_cases.time - before[-1])
        before.append(use_cases.time)

    for _ in range(TURNS):
        table = await play_users(use_cases, table)
        before = [use_cases.time]
        table = await computers.play(table.head.match_id, record_move_time)
    await computers.end()
    return move_times


async def play_users(use_cases: UseCases, table: Table) -> Table:
    """Let users move until it is the turn of a computer."""
    while (user := table.find_turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.interact(table, TakeAction(user, lambda _, action=action: action))
        table = await use_cases.settle_turn(table)
    return table
