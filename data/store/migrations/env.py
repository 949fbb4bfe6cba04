"""Alembic's entry: on the store's connection at run time, on its own from Alembic's command line.

A new migration: `alembic -x url=sqlite:///FILE revision --autogenerate -m "what changes"`.
"""

import asyncio

from alembic import context
from sqlalchemy import Connection

from data.store.connection.engines import make_engine, parse_url
from data.store.connection.hooks import load_hooks
from data.store.connection.schema import metadata


def run(connection: Connection) -> None:
    load_hooks()  # include the tables of the features
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,  # SQLite changes a table by rebuilding it
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


async def run_alone(url: str) -> None:
    engine = make_engine(parse_url(url))
    async with engine.begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


given = context.config.attributes.get("connection")
if given is None:
    asyncio.run(run_alone(context.get_x_argument(as_dictionary=True)["url"]))
else:
    run(given)
