"""How much room a match takes on disk: played through the acts and the real store, what is said of it noted as sent,
pruned as the bot does, in a SQLite file without empty pages. `python -m tests.bench.disk` tells it by table and index.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

from bot.posting.cleanup import HOUR, KEEP, Cleanup
from bot.service.acts import Acts
from bot.service.invitations import Invitation
from bot.service.tables import Table, Tables
from data.store import Called, Cleared, Fate, Sent, Shown, Store
from data.store.posts import BOARD, RECALL, REMOVE, SHRINK, Batch, OutboxRow
from engine.actions import Play, Resign
from engine.players import greedy
from engine.seen import see
from engine.table.commands import Act, Join, Look
from engine.table.posts import TURN

MOVES: Final = 100
TARGET: Final = 2000
"""Points that nobody has by then: whoever is to move then resigns."""
SEATS: Final = 2
BEGAN: Final = 1_790_000_000_000
"""UTC epoch ms."""
IDS: Final = 1_400_000_000_000_000_000
"""Discord's numbers have so many digits."""


class Played:
    """A database with matches of so many moves."""

    def __init__(self, file: Path, store: Store) -> None:
        self.file = file
        self.store = store
        self.now = BEGAN
        self.matches: list[int] = []
        self._rng = Random(1)
        self._ids = count(IDS)
        self._tables = Tables(store)
        self._acts = Acts(store, self._tables, lambda: self.now, lambda: self._rng.randbytes(32))

    @classmethod
    async def begin(cls, file: Path) -> Played:
        """On a new file."""
        return cls(file, await Store.open(f"sqlite:///{file}"))

    async def match(self, moves: int = MOVES) -> None:
        """One more, from /tiles new to the last message that follows from its end."""
        people = [IDS // 2 + seat for seat in range(SEATS)]
        invitation = Invitation(
            guild_id=next(self._ids),
            channel_id=next(self._ids),
            host_id=people[0],
            game="triominoes",
            seats=SEATS,
            target=TARGET,
        )
        table = await self._acts.open(invitation, request=next(self._ids))
        for person in people[1:]:
            await self._said(table)
            table = (await self._acts.act(table.head.match_id, Join(person), request=next(self._ids))).table
        self.matches.append(table.head.match_id)
        played = 0
        while table.state.state == "open":
            await self._said(table)
            self.now += self._rng.randrange(20_000, 4_000_000)
            table = await self._moved(table, resigns=played == moves)
            played += 1
        await self._said(table)

    async def _moved(self, table: Table, *, resigns: bool) -> Table:
        """Whoever is to move looks at their hand, so that the move before stands, and plays their best tile."""
        user, match_id = table.turn_user(), table.head.match_id
        assert user is not None
        if table.state.unsettled is not None:
            table = (await self._acts.act(match_id, Look(user))).table
        action = greedy.choose(see(table.match, table.match.turn), self._rng)
        assert isinstance(action, Play), "all else is played by itself"
        command = Act(user, Resign if resigns else lambda _: action)
        return (await self._acts.act(match_id, command, request=next(self._ids))).table

    async def _said(self, table: Table) -> None:
        """Everything that waits stands in the channel."""
        became: list[Fate] = []
        while batch := await self.store.take_posts(
            table.head.match_id, became, nonce=f"{next(self._ids):x}", now=self.now
        ):
            became = [self._fate(row, batch) for row in batch.rows]

    def _fate(self, row: OutboxRow, batch: Batch) -> Fate:
        message = next(self._ids)
        if row.kind == BOARD:
            return Shown(row, batch.head, batch.head.board_message_id or message)
        if row.kind == TURN:
            return Called(row, message, message)
        return Cleared(row) if row.kind in (RECALL, REMOVE, SHRINK) else Sent(row, message)

    async def pruned(self) -> None:
        """As the bot prunes it, some hours after everything is old enough."""
        cleanup = Cleanup(self.store, lambda: self.now)
        self.now += KEEP
        for _ in range(10 + len(self.matches)):
            self.now += HOUR
            await cleanup.sweep()


def size(file: Path) -> int:
    """Bytes of a file without its empty pages."""
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(_dense(file, folder))) as base:
        return int(base.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0])


def by_name(file: Path) -> Counter[str]:
    """The same by table and index."""
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(_dense(file, folder))) as base:
        return Counter(dict(base.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name")))


def _dense(file: Path, folder: str) -> str:
    dense = f"{folder}/dense.db"
    with closing(sqlite3.connect(file)) as base:
        base.execute("VACUUM INTO ?", (dense,))
    return dense


async def _main(matches: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        played = await Played.begin(Path(folder) / "disk.db")
        empty = by_name(played.file)
        for _ in range(matches):
            await played.match()
        before, lines = by_name(played.file), await _reading(played)
        began = process_time()
        await played.pruned()
        pruning = (process_time() - began) / matches
        after, packed = by_name(played.file), await _reading(played)
        await played.store.close()
    print(f"bytes a match of {MOVES} moves, of {matches}: before and after pruning")
    for name, _ in (before | after).most_common():
        then, now = ((pages[name] - empty[name]) / matches for pages in (before, after))
        if then or now:
            print(f"{then:8,.0f} {now:8,.0f}  {name}")
    print(*(f"{(pages.total() - empty.total()) / matches:8,.0f}" for pages in (before, after)), " together")
    print(
        f"ms of CPU a match: pruning {1000 * pruning:.1f}, reading {1000 * lines:.1f} before, {1000 * packed:.1f} after"
    )


async def _reading(played: Played) -> float:
    """Seconds of CPU for a log."""
    began = process_time()
    for match in played.matches:
        await played.store.log(match)
    return (process_time() - began) / len(played.matches)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]) if sys.argv[1:] else 20))
