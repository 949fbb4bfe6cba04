"""Users at the tables of a duplicate deal, written with the command that seats them: each sits at one table."""

from collections.abc import Collection

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.store_errors import DealAlreadyPlayed, DealClosed
from data.store.connection.tables import matches
from data.store.log.deal_tables import deal_matches, deal_sitters, deals
from data.store.log.match_values import Head


async def add_table(connection: AsyncConnection, head: Head, deal_id: int, now: int) -> None:
    """Add a table to a deal. Raises DealClosed if the deal accepts no more tables."""
    await _check_sealed(connection, deal_id, now)
    await connection.execute(insert(deal_matches).values(match_id=head.match_id, deal_id=deal_id))
    most = (await connection.execute(select(deals.c.tables).where(deals.c.deal_id == deal_id))).scalar_one()
    if most and await _count(connection, deal_id, ("lobby", "open", "done")) > most:
        raise DealClosed("full")


async def record_players(connection: AsyncConnection, head: Head, user_ids: Collection[int]) -> None:
    """Note users who see the hands of a duplicate deal. Raises DealAlreadyPlayed if one sat at another table.

    The caller holds the guild, so that no user sits down at two tables at the same time.
    """
    query = select(deal_matches.c.deal_id).where(deal_matches.c.match_id == head.match_id)
    deal_id = (await connection.execute(query)).scalar_one()
    known = select(deal_sitters).where(deal_sitters.c.deal_id == deal_id, deal_sitters.c.user_id.in_(user_ids))
    known_tables = {row.user_id: row.match_id for row in await connection.execute(known)}
    for user_id, match_id in sorted(known_tables.items()):
        if match_id != head.match_id:
            raise DealAlreadyPlayed(user_id)
    fresh = [user_id for user_id in sorted(user_ids) if user_id not in known_tables]
    rows = [{"deal_id": deal_id, "user_id": user_id, "match_id": head.match_id} for user_id in fresh]
    if rows:
        await connection.execute(insert(deal_sitters), rows)


async def check_start(connection: AsyncConnection, head: Head, now: int) -> None:
    """Check the deal of a match that begins. Raises DealClosed if it is open, so that its tiles are public."""
    query = select(deal_matches.c.deal_id).where(deal_matches.c.match_id == head.match_id)
    await _check_sealed(connection, (await connection.execute(query)).scalar_one(), now)


async def record_finish(connection: AsyncConnection, head: Head, now: int) -> None:
    """Count a finished match of a duplicate deal. When all its tables are finished, the deal is due to be opened."""
    query = select(deal_matches.c.deal_id).where(deal_matches.c.match_id == head.match_id)
    deal_id = (await connection.execute(query)).scalar()
    most = (await connection.execute(select(deals.c.tables).where(deals.c.deal_id == deal_id))).scalar()
    if deal_id is not None and most and await _count(connection, deal_id, ("done",)) >= most:
        early = (deals.c.deal_id == deal_id, deals.c.closes_at > now, deals.c.opened_at.is_(None))
        await connection.execute(update(deals).where(*early).values(closes_at=now))


async def _check_sealed(connection: AsyncConnection, deal_id: int, now: int) -> None:
    sealed = select(deals.c.deal_id).where(
        deals.c.deal_id == deal_id, deals.c.opened_at.is_(None), deals.c.closes_at > now
    )
    if (await connection.execute(sealed.with_for_update())).first() is None:
        raise DealClosed("over")


async def _count(connection: AsyncConnection, deal_id: int, states: Collection[str]) -> int:
    joined = deal_matches.join(matches, matches.c.match_id == deal_matches.c.match_id)
    query = select(func.count()).select_from(joined)
    found = await connection.execute(query.where(deal_matches.c.deal_id == deal_id, matches.c.state.in_(states)))
    return int(found.scalar_one())
