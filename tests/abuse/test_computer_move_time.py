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

LONGEST = round(MOVE_BUDGET * 1000)
THOUGHTS = ((0, 0), (LONGEST, LONGEST), (3, LONGEST - 1), (900, 40), (250, 1_200))
TURNS = 12


class Slow(MoveChooser):
    def __init__(self, use_cases: UseCases, thoughts: Iterator[int]) -> None:
        super().__init__(Random(1), WorkerPool())
        self._desk = use_cases
        self._thoughts = thoughts

    async def choose(self, name: str | None, view: PlayerView, *, owner_id: int) -> Action:
        self._desk.time += next(self._thoughts)
        return greedy.choose(view, Random(view.viewer))


class Patient(ComputerPlayers):
    use_cases: UseCases

    async def _wait(self, ms: int, most: int) -> None:
        self.use_cases.time += max(0, min(ms, most))


@pytest.mark.parametrize(
    ("levels", "alike"), [(("master", "master"), True), (("expert", "master"), True), (("medium", "master"), False)]
)
async def test_computer_move_time_does_not_reveal_hand(store: Store, levels: tuple[str, str], alike: bool) -> None:
    seen = {thoughts: await timed(store, number, levels, thoughts) for number, thoughts in enumerate(THOUGHTS)}
    moments = list(zip(*seen.values(), strict=True))
    assert all(len(set(one)) == 1 for one in moments) == alike
    assert max(map(max, moments)) <= MOVE_DELAY[1] + LONGEST, "nobody waits for long"


async def timed(store: Store, number: int, levels: tuple[str, str], thoughts: tuple[int, ...]) -> list[int]:
    use_cases = UseCases(store)
    computers = Patient(
        use_cases.tables,
        use_cases.acts,
        Slow(use_cases, itertools.cycle(thoughts)),
        ExternalPlayers(),
        lambda: use_cases.time,
        Random(1),
        delay=MOVE_DELAY,
    )
    computers.use_cases = use_cases
    asked = TableRequest(guild_id=1, channel_id=2 + number, host_id=ADA, game="triominoes", computers=levels, seats=4)
    first = 1000 * number
    table = await use_cases.acts.open(asked, request=first + 1)
    table = await use_cases.act(table.head.match_id, Join(GRACE), request=first + 2)
    moments: list[int] = []

    async def shown(_: int) -> None:
        moments.append(use_cases.time - before[-1])
        before.append(use_cases.time)

    requests = itertools.count(first + 3)
    for _ in range(TURNS):
        table = await by_people(use_cases, table, requests)
        before = [use_cases.time]
        table = await computers.play(table.head.match_id, shown)
    await computers.end()
    return moments


async def by_people(use_cases: UseCases, table: Table, requests: Iterator[int]) -> Table:
    while (user := table.find_turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await use_cases.act(
            table.head.match_id, TakeAction(user, lambda _, action=action: action), request=next(requests)
        )
        table = await use_cases.stands(table)
    return table
