"""The use cases on a store, without Discord."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

import pytest

from bot.computers.external_players import ExternalPlayers
from bot.computers.service import ComputerPlayers
from bot.computers.thinking import MoveChooser
from bot.computers.worker_pool import WorkerPool
from bot.core.user_settings import UserSettings
from bot.sending.outage_credit import OutageCredit
from bot.tables.acts import TableActions
from bot.tables.lobbies import TableRequest
from bot.tables.service import Table, TableCache
from data.store.store import Store
from engine.match.actions import Resign
from engine.table.commands import Command, Join, TakeAction, ViewHand
from engine.table.refusals import Refusal, RefusalError
from engine.table.terms import GREEDY
from tests.bot.simulated_guild import derive_secret

GUILD, CHANNEL = 10, 20
ADA, GRACE, LINUS = 1, 2, 3


@dataclass
class UseCases:
    """The use cases on a store, with a clock that the test sets."""

    store: Store
    time: int = 1_000_000
    request_ids: itertools.count[int] = field(default_factory=lambda: itertools.count(100))
    programs: ExternalPlayers = field(default_factory=ExternalPlayers)

    def __post_init__(self) -> None:
        self.tables = TableCache(self.store)
        self.acts = TableActions(self.store, self.tables, lambda: self.time, lambda: derive_secret(1), presses=False)
        self.outage_credit = OutageCredit(self.store, self.tables, self.acts)
        self.user_settings = UserSettings(self.store, self.tables, self.acts, lambda: self.time)
        chance = Random(1)
        thinking = MoveChooser(chance, WorkerPool())
        self.computers = ComputerPlayers(self.tables, self.acts, thinking, self.programs, lambda: self.time, chance)

    async def act(self, table: Table | int, command: Command, *, request: int | None = None) -> Table:
        """Run a command at a table and return the new table."""
        return (await self.acts.act(get_match_id(table), command, request=request)).table

    async def interact(self, table: Table | int, command: Command) -> Table:
        """Run a command that a new interaction has sent."""
        return await self.act(table, command, request=self.create_request_id())

    async def settle_turn(self, table: Table) -> Table:
        user = table.find_turn_user()
        if table.state.tentative_turn is None or user is None:
            return table
        return await self.act(table, ViewHand(user))

    def create_request_id(self) -> int:
        return next(self.request_ids)

    async def open(self, *, computers: int = 0, **terms: int | bool | str) -> Table:
        """Let Ada open a table, by default of Triominoes."""
        terms = {"game": "triominoes", "channel_id": CHANNEL, **terms}
        invitation = TableRequest(guild_id=GUILD, host_id=ADA, computers=(GREEDY,) * computers, **terms)
        return await self.acts.open(invitation, request=self.create_request_id())

    async def start_match(self, *others: int) -> Table:
        table = await self.open(seats=len(others) + 1)
        for other in others:
            table = await self.interact(table, Join(other))
        return table

    async def play_computers(self, table: Table | int) -> Table:
        """Let computers move until it is a player's turn."""
        return await self.computers.play(get_match_id(table), ignore_moves)

    async def resign(self, table: Table, user_id: int) -> Table:
        return await self.interact(table, TakeAction(user_id, Resign))


def get_match_id(table: Table | int) -> int:
    return table if isinstance(table, int) else table.head.match_id


async def ignore_moves(_match_id: int) -> None:
    """Ignore the moves of computers."""


async def catch_refusal(action: Awaitable[object]) -> Refusal:
    """Return the reason of the expected refusal."""
    with pytest.raises(RefusalError) as refused:
        await action
    return refused.value.why


def interrupt_once(
    monkeypatch: pytest.MonkeyPatch,
    owner: object,
    name: str,
    interruption: Callable[[], Awaitable[object]],
    *,
    after: bool = False,
) -> None:
    """Run something once, before or after the next call of a method."""
    method = getattr(owner, name)

    async def call_and_interrupt(*arguments: object, **options: object) -> object:
        monkeypatch.setattr(owner, name, method)
        if not after:
            await interruption()
        result = await method(*arguments, **options)
        if after:
            await interruption()
        return result

    monkeypatch.setattr(owner, name, call_and_interrupt)
