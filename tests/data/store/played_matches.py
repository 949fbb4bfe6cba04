"""Matches played through the services of the bot in a database file, to measure how much of the disk they use."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from bot.sending.cleanup import HOUR, RETENTION, Cleanup
from bot.tables.acts import TableActions
from bot.tables.lobbies import TableRequest
from bot.tables.service import Table, TableCache
from data.store.outbox.outbox_values import (
    BOARD,
    RECALL,
    REMOVE,
    SHRINK,
    Batch,
    BoardShown,
    CallSent,
    DeliveryStatus,
    OutboxRow,
    PostSent,
    RowCleared,
)
from data.store.store import Store
from engine.match.actions import Resign
from engine.match.player_view import view_for
from engine.players import greedy
from engine.table.commands import Join, TakeAction, ViewHand
from engine.table.table_posts import TURN

NOW: Final = 1_790_000_000_000
FIRST_ID: Final = 1_400_000_000_000_000_000
"""The ids have as many digits as Discord's."""


class PlayedMatches:
    """A database with finished two-player matches whose messages were all sent."""

    def __init__(self, file: Path, store: Store) -> None:
        self.file, self.store, self.now = file, store, NOW
        self.ids: list[int] = []
        self._rng, self._numbers = Random(1), count(FIRST_ID)
        self._acts = TableActions(store, TableCache(store), lambda: self.now, lambda: self._rng.randbytes(32))

    @classmethod
    async def create(cls, file: Path) -> PlayedMatches:
        return cls(file, await Store.open(f"sqlite:///{file}"))

    async def play_match(self, moves: int = 100) -> None:
        host, guest = FIRST_ID // 2, FIRST_ID // 2 + 1
        guild_id, channel_id = next(self._numbers), next(self._numbers)
        invitation = TableRequest(
            guild_id=guild_id, channel_id=channel_id, host_id=host, game="triominoes", seats=2, target=2000
        )
        table = await self._acts.open(invitation, request=next(self._numbers))
        await self._send_posts(table)
        match_id = table.head.match_id
        table = (await self._acts.act(match_id, Join(guest), request=next(self._numbers))).table
        self.ids.append(match_id)
        played = 0
        while table.state.state == "open":
            await self._send_posts(table)
            self.now += self._rng.randrange(20_000, 4_000_000)
            table = await self._move(table, resigns=played == moves)
            played += 1
        await self._send_posts(table)

    async def _move(self, table: Table, *, resigns: bool) -> Table:
        user, match_id = table.find_turn_user(), table.head.match_id
        assert user is not None
        if table.state.tentative_turn is not None:
            table = (await self._acts.act(match_id, ViewHand(user))).table
        action = greedy.choose(view_for(table.match, table.match.turn), self._rng)
        command = TakeAction(user, Resign if resigns else lambda _: action)
        return (await self._acts.act(match_id, command, request=next(self._numbers))).table

    async def _send_posts(self, table: Table) -> None:
        """Lease all posts of the outbox and record them as sent."""
        done: list[DeliveryStatus] = []
        match_id = table.head.match_id
        while batch := await self.store.outbox.lease_due_posts(
            match_id, done, nonce=f"{next(self._numbers):x}", now=self.now
        ):
            done = [self._build_status(row, batch) for row in batch.rows]

    def _build_status(self, row: OutboxRow, batch: Batch) -> DeliveryStatus:
        message = next(self._numbers)
        if row.kind == BOARD:
            return BoardShown(row, batch.head, batch.head.board_message_id or message)
        if row.kind == TURN:
            return CallSent(row, message, message)
        return RowCleared(row) if row.kind in (RECALL, REMOVE, SHRINK) else PostSent(row, message)

    async def prune(self) -> None:
        """Run the hourly cleanup until everything is old enough and pruned."""
        cleanup = Cleanup(self.store, lambda: self.now)
        self.now += RETENTION
        for _ in range(10 + len(self.ids)):
            self.now += HOUR
            await cleanup.sweep()

    def compute_size(self) -> int:
        """Return the bytes of the database file without its empty pages."""
        with tempfile.TemporaryDirectory() as folder:
            dense = Path(folder) / "dense.db"
            with closing(sqlite3.connect(self.file)) as database:
                database.execute("VACUUM INTO ?", (str(dense),))
            return dense.stat().st_size
