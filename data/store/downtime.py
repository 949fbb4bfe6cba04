"""Outages that have not been given back yet, and the clocks that ran through them."""

from collections.abc import Collection, Sequence

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import journal
from data.store.errors import Stale, UnknownMatch
from data.store.heads import to_head
from data.store.people import to_person
from data.store.tables import matches, outages, people, pulses
from data.store.values import Change, Head, Outage, Person, Ticking


async def note(connection: AsyncConnection, name: str, outage: Outage) -> bool:
    """Keep an outage, and note that the process of this name is alive since its end. False, and nothing happens, where
    another process is: its pulse is not the one that the outage began with.
    """
    stopped = update(pulses).where(pulses.c.name == name, pulses.c.at == outage.start)
    if (await connection.execute(stopped.values(at=outage.end))).rowcount != 1:
        return False
    await connection.execute(insert(outages).values(began=outage.start, ended=outage.end))
    return True


async def noted(connection: AsyncConnection) -> tuple[Outage, ...]:
    """Those to be given back, oldest first."""
    rows = await connection.execute(select(outages).order_by(outages.c.began))
    return tuple(Outage(start=row.began, end=row.ended) for row in rows)


async def over(connection: AsyncConnection, given: Sequence[Outage]) -> None:
    """These have been given back."""
    await connection.execute(delete(outages).where(outages.c.began.in_([outage.start for outage in given])))


async def ticking(connection: AsyncConnection) -> list[int]:
    """The matches that wait for somebody until a certain time, the most urgent first."""
    query = select(matches.c.match_id).where(
        matches.c.due_at.is_not(None), matches.c.due_kind != "computer", matches.c.state == "open"
    )
    return list(await connection.scalars(query.order_by(matches.c.due_at, matches.c.match_id)))


async def clocks(connection: AsyncConnection, match_ids: Collection[int]) -> list[Ticking]:
    """Where these matches stand, and what whoever is to move has set, of the same instant."""
    rows = await connection.execute(select(matches).where(matches.c.match_id.in_(match_ids)))
    heads = [to_head(row) for row in rows]
    users = {head.turn.user for head in heads if head.turn is not None and head.turn.user is not None}
    rows = await connection.execute(select(people).where(people.c.user_id.in_(users)))
    known = {row.user_id: to_person(row) for row in rows}
    return [
        Ticking(head=head, person=known.get(head.turn.user) or Person(user_id=head.turn.user))
        for head in heads
        if head.turn is not None and head.turn.user is not None
    ]


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
