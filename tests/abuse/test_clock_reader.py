"""A villain with a stopwatch: a computer that thinks takes longer the more moves it has, which its hand decides."""

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from bot.computers.external_players import Programs
from bot.computers.service import UNHURRIED, Computers
from bot.computers.thinking import BUDGET, Chooser
from bot.computers.worker_pool import Workers
from bot.tables.lobbies import Invitation
from bot.tables.service import Table
from data.store.store import Store
from engine.match.actions import Action
from engine.match.player_view import PlayerView, view_for
from engine.players import greedy
from engine.table.commands import Act, Join
from tests.bot.desk import ADA, GRACE, Desk

LONGEST = round(BUDGET * 1000)
THOUGHTS = ((0, 0), (LONGEST, LONGEST), (3, LONGEST - 1), (900, 40), (250, 1_200))
TURNS = 12


class Slow(Chooser):
    def __init__(self, desk: Desk, thoughts: Iterator[int]) -> None:
        super().__init__(Random(1), Workers())
        self._desk = desk
        self._thoughts = thoughts

    async def choose(self, name: str | None, seen: PlayerView, *, whose: int) -> Action:
        self._desk.time += next(self._thoughts)
        return greedy.choose(seen, Random(seen.viewer))


class Patient(Computers):
    desk: Desk

    async def _wait(self, ms: int, most: int) -> None:
        self.desk.time += max(0, min(ms, most))


@pytest.mark.parametrize(
    ("levels", "alike"), [(("master", "master"), True), (("expert", "master"), True), (("medium", "master"), False)]
)
async def test_when_computer_moves_says_nothing_about_its_hand(
    store: Store, levels: tuple[str, str], alike: bool
) -> None:
    seen = {thoughts: await timed(store, number, levels, thoughts) for number, thoughts in enumerate(THOUGHTS)}
    moments = list(zip(*seen.values(), strict=True))
    assert all(len(set(one)) == 1 for one in moments) == alike
    assert max(map(max, moments)) <= UNHURRIED[1] + LONGEST, "nobody waits for long"


async def timed(store: Store, number: int, levels: tuple[str, str], thoughts: tuple[int, ...]) -> list[int]:
    desk = Desk(store)
    computers = Patient(
        desk.tables,
        desk.acts,
        Slow(desk, itertools.cycle(thoughts)),
        Programs(),
        lambda: desk.time,
        Random(1),
        pace=UNHURRIED,
    )
    computers.desk = desk
    asked = Invitation(guild_id=1, channel_id=2 + number, host_id=ADA, game="triominoes", computers=levels, seats=4)
    first = 1000 * number
    table = await desk.acts.open(asked, request=first + 1)
    table = await desk.act(table.head.match_id, Join(GRACE), request=first + 2)
    moments: list[int] = []

    async def shown(_: int) -> None:
        moments.append(desk.time - before[-1])
        before.append(desk.time)

    requests = itertools.count(first + 3)
    for _ in range(TURNS):
        table = await by_people(desk, table, requests)
        before = [desk.time]
        table = await computers.play(table.head.match_id, shown)
    await computers.end()
    return moments


async def by_people(desk: Desk, table: Table, requests: Iterator[int]) -> Table:
    while (user := table.turn_user()) is not None:
        action = greedy.choose(view_for(table.match, table.match.turn), Random(1))
        table = await desk.act(table.head.match_id, Act(user, lambda _, action=action: action), request=next(requests))
        table = await desk.stands(table)
    return table
