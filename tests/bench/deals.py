"""What it takes of the database to compare the tables of a sealed deal, which is folded each time somebody asks.

Counted, so that no machine plays a part; the tables are opened and played by the use cases themselves.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, event

from bot.service.acts import Acts
from bot.service.deals import DuplicateDeals, Wanted
from bot.service.invitations import Invitation
from bot.service.tables import Tables
from data.store import Store
from engine.table.commands import Join
from tests.bench.measure import FULL, Effort
from tests.bench.rows import row

MANY: Final = 100
"""Tables of the deal."""
SOME: Final = 20
"""The same in a short run."""
GUILD: Final = 10
HOURS: Final = 3_600_000
OVER_AT_ONCE: Final = sha256(b"3").digest()
"""The secret of a deal in which nobody can play after the opening."""


@cache
def statements(tables: int) -> float:
    """Statements a table that one look at the field of a deal of so many takes, with nothing kept in memory."""
    return asyncio.run(_statements(tables)) / tables


async def _statements(tables: int) -> int:
    now = [HOURS]
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(f"sqlite:///{Path(folder)}/deals.db")
        try:
            known = Tables(store, lambda: now[0])
            acts = Acts(store, known, lambda: now[0], lambda: OVER_AT_ONCE, presses=False)
            deals = DuplicateDeals(store, known, lambda: now[0], lambda: OVER_AT_ONCE)
            deal = await deals.make(GUILD, 1, Wanted(game="triominoes", seats=2, target=10))
            for number in range(tables):
                asked = Invitation(
                    guild_id=GUILD, channel_id=1000 + number, host_id=2 * number + 1, game="triominoes", deal=deal.name
                )
                opened = await acts.open(asked, request=2 * number + 1)
                await acts.act(opened.head.match_id, Join(2 * number + 2), request=2 * number + 2)
            now[0] = deal.closes_at
            await deals.open_due()
            asking = DuplicateDeals(store, Tables(store, lambda: now[0]), lambda: now[0], lambda: b"")
            counted = [0]

            def count(*_: Any) -> None:
                counted[0] += 1

            event.listen(Engine, "before_cursor_execute", count)
            field = await asking.field(replace(deal, opened_at=now[0]))
            event.remove(Engine, "before_cursor_execute", count)
            assert (field.tables, len(field.placed)) == (tables, 2 * tables)
            return counted[0]
        finally:
            await store.close()


@row("statements a table for the field of a deal of 100 tables", goal=4.1, better="less", unit="")
def field_statements(effort: Effort) -> float:
    """Its head is read with the others: what is left is its log, who sat there, and what frames a transaction."""
    return statements(MANY if effort == FULL else SOME)
