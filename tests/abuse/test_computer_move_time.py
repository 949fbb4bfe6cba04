"""An attacker measures the time that computers need for a move, to infer their hands."""

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from bot.computers.service import MOVE_DELAY
from bot.computers.thinking import MOVE_BUDGET, MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.tables.lobbies import TableRequest
from data.store.store import Store
from engine.match.actions import Action
from engine.match.player_view import PlayerView
from engine.players import greedy
from engine.table.commands import Join
from tests.abuse.timed_computers import SimulatedTimeComputers, play_users
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
    use_cases = UseCases(store, request_ids=itertools.count(1000 * number))
    computers = SimulatedTimeComputers(use_cases, SlowMoveChooser(use_cases, itertools.cycle(think_times)), seed=1)
    table_request = TableRequest(
        guild_id=1, channel_id=2 + number, host_id=ADA, game="triominoes", computers=levels, seats=4
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
