"""Outages that have not been given back yet, and the clocks that ran through them."""

from collections.abc import Sequence

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import journal
from data.store.errors import Stale, UnknownMatch
from data.store.tables import matches, outages, pulses
from data.store.values import Change, Head
from engine.table.state import Outage


async def note_outage(connection: AsyncConnection, name: str, outage: Outage) -> bool:
    """Keep an outage, and note that the process of this name is alive since its end. False, and nothing happens, where
    another process is: its pulse is not the one that the outage began with.
    """
    stopped = update(pulses).where(pulses.c.name == name, pulses.c.at == outage.start)
    if (await connection.execute(stopped.values(at=outage.end))).rowcount != 1:
        return False
    await connection.execute(insert(outages).values(began=outage.start, ended=outage.end))
    return True


async def owed_outages(connection: AsyncConnection) -> tuple[Outage, ...]:
    """Those to be given back, oldest first."""
    rows = await connection.execute(select(outages).order_by(outages.c.began))
    return tuple(Outage(start=row.began, end=row.ended) for row in rows)


async def given_back(connection: AsyncConnection, given: Sequence[Outage]) -> None:
    """These have been given back."""
    await connection.execute(delete(outages).where(outages.c.began.in_([outage.start for outage in given])))


async def ticking(connection: AsyncConnection) -> list[int]:
    """The matches that wait for somebody until a certain time, the most urgent first."""
    query = select(matches.c.match_id).where(
        matches.c.due_at.is_not(None), matches.c.due_kind != "computer", matches.c.state == "open"
    )
    return list(await connection.scalars(query.order_by(matches.c.due_at, matches.c.match_id)))


async def commit_each(connection: AsyncConnection, changes: Sequence[Change], now: int) -> list[Head]:
    """Do each change whose match is still where it expects it; returns the new heads of those."""
    done = []
    # In order, so that two processes at the same tables do not wait for each other.
    for change in sorted(changes, key=lambda change: change.match_id):
        try:
            done.append(await journal.commit(connection, change, now))
        except (Stale, UnknownMatch):
            continue
    return done
