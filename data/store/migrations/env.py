"""Alembic's way in: on the store's own connection at run time, on one of its own from Alembic's command line.

A new migration: `alembic -x url=sqlite:///FILE revision --autogenerate -m "what changes"`.
"""

import asyncio

from alembic import context
from sqlalchemy import Connection

from data.store.connection.engines import make_engine, parse_url
from data.store.connection.hooks import registered
from data.store.connection.schema import metadata


def run(connection: Connection) -> None:
    """Migrate on this connection; its owner commits."""
    registered()  # the tables of the features, too
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,  # SQLite changes a table by rebuilding it
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


async def run_alone(url: str) -> None:
    """Migrate the database of this URL."""
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


given = context.config.attributes.get("connection")
if given is None:
    asyncio.run(run_alone(context.get_x_argument(as_dictionary=True)["url"]))
else:
    run(given)
