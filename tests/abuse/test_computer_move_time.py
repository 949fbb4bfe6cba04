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
THINK_TIMES = ((0, 0), (MAX_THINK_TIME, MAX_THINK_TIME), (3, MAX_THINK_TIME - 1), (900, 40), (250, 1_200))
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
    use_cases: UseCases

    async def _wait(self, ms: int, most: int) -> None:
        self.use_cases.time += max(0, min(ms, most))


@pytest.mark.parametrize(
    ("levels", "alike"), [(("master", "master"), True), (("expert", "master"), True), (("medium", "master"), False)]
)
async def test_computer_move_time_does_not_reveal_hand(store: Store, levels: tuple[str, str], alike: bool) -> None:
    move_times = {
        thoughts: await measure_move_times(store, number, levels, thoughts)
        for number, thoughts in enumerate(THINK_TIMES)
    }
    moments = list(zip(*move_times.values(), strict=True))
    assert all(len(set(one)) == 1 for one in moments) == alike
    assert max(map(max, moments)) <= MOVE_DELAY[1] + MAX_THINK_TIME, "nobody waits for long"


async def measure_move_times(
    store: Store, number: int, levels: tuple[str, str], think_times: tuple[int, ...]
) -> list[int]:
    use_cases = UseCases(store)
    computers = SimulatedTimeComputers(
        use_cases.tables,
        use_cases.acts,
        SlowMoveChooser(use_cases, itertools.cycle(think_times)),
        ExternalPlayers(),
        lambda: use_cases.time,
        Random(1),
        delay=MOVE_DELAY,
    )
    computers.use_cases = use_cases
    table_request = TableRequest(
        guild_id=1, channel_id=2 + number, host_id=ADA, game="triominoes", computers=levels, seats=4
    )
    first = 1000 * number
    table = await use_cases.acts.open(table_request, request=first + 1)
    table = await use_cases.act(table.head.match_id, Join(GRACE), request=first + 2)
    move_times: list[int] = []

    async def record_move_time(_: int) -> None:
        move_times.append(use_cases.time - before[-1])
        before.append(use_cases.time)

    requests = itertools.count(first + 3)
    for _ in range(TURNS):
        table = await play_users(use_cases, table, requests)
        before = [use_cases.time]
        table = await computers.play(table.head.match_id, record_move_time)
    await computers.end()
    return move_times


async def play_users(use_cases: UseCases, table: Table, requests: Iterator[int]) -> Table:
    while (user := table.find_turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.act(
            table.head.match_id, TakeAction(user, lambda _, action=action: action), request=next(requests)
        )
        table = await use_cases.settle_turn(table)
    return table
