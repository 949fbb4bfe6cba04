"""Damage the event log of a match and run commands on it."""

from sqlalchemy import text

from data.store.connection.engines import make_engine, parse_url
from tests.bot.local_bot import LocalBot

DAMAGES = {
    "half a row": "UPDATE events SET body = substr(body, 1, 9) WHERE match_id = 1 AND seq = 3",
    "another value": "UPDATE events SET body = replace(body, ':', ': \"no\"') WHERE match_id = 1 AND seq = 3",
    "no row": "DELETE FROM events WHERE match_id = 1 AND seq = 3",
    "no last row": "DELETE FROM events WHERE match_id = 1 AND seq = (SELECT seq FROM matches WHERE match_id = 1)",
    "another event": "UPDATE events SET kind = 'placed', body = '{}' WHERE match_id = 1 AND seq = 2",
    "no text": "UPDATE events SET body = CAST(x'7bff80' AS TEXT) WHERE match_id = 1 AND seq = 3",
}


async def execute_statements(url: str, *statements: str) -> None:
    """Run SQL statements on the database, as another program would."""
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def clear_cached_tables(sim: LocalBot) -> None:
    """Clear the cached tables of the process."""
    sim.client.services.tables._cached.clear()
