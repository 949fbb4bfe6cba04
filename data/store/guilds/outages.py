"""Outages that have not been given back yet, and the clocks that ran through them."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.shards import Owed, Shard, Shards
from data.store.connection.store_errors import Stale, UnknownMatch
from data.store.log import journal
from data.store.log.match_values import Change, Head
from data.store.log.tables import matches, outages, pulses
from engine.table.table_state import Outage


async def note_outage(connection: AsyncConnection, shard: Shard, outage: Outage, pulse: int | None) -> bool:
    """Keep an outage of a shard, and note that it is heard since the end of that. False, and nothing happens, where
    another process has done so: its pulse is not this one any more.
    """
    if pulse is None:
        first = insert_unless_there(pulses, connection.dialect.name)
        done = await connection.execute(first, {"name": shard.pulse, "at": outage.end})
    else:
        stopped = update(pulses).where(pulses.c.name == shard.pulse, pulses.c.at == pulse)
        done = await connection.execute(stopped.values(at=outage.end))
    if done.rowcount != 1:
        return False
    row = {"began": outage.start, "shard": shard.number, "shards": shard.count, "ended": outage.end}
    await connection.execute(insert(outages), row)
    return True


async def owed_outages(connection: AsyncConnection) -> tuple[Owed, ...]:
    """Those to be given back, oldest first."""
    rows = await connection.execute(select(outages).order_by(outages.c.began, outages.c.shards, outages.c.shard))
    return tuple(Owed(Outage(start=row.began, end=row.ended), Shard(row.shard, row.shards)) for row in rows)


async def given_back(connection: AsyncConnection, given: Sequence[Owed]) -> None:
    """These have been given back."""
    for owed in given:
        where = (outages.c.shard == owed.shard.number, outages.c.shards == owed.shard.count)
        await connection.execute(delete(outages).where(outages.c.began == owed.outage.start, *where))


async def ticking(connection: AsyncConnection, of: Iterable[Shard]) -> list[int]:
    """The matches of any of these shards that wait for somebody until a certain time, the most urgent first."""
    here = [Shards(shard.count, frozenset({shard.number})).hold(matches.c.guild_id) for shard in of]
    query = select(matches.c.match_id).where(
        matches.c.due_at.is_not(None), matches.c.due_kind != "computer", matches.c.state == "open", or_(*here)
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
