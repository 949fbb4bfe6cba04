"""Insert a row, or change the one that is there: the same on SQLite and PostgreSQL."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


async def upsert(
    connection: AsyncConnection,
    table: Table,
    key: Mapping[str, Any],
    new: Mapping[str, Any],
    changed: Mapping[str, Any],
) -> None:
    """Change the row with this key by `changed`; where there is none, make one of `new` changed so."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    added = dialect.insert(table).values({**key, **new, **changed})
    await connection.execute(added.on_conflict_do_update(index_elements=list(key), set_=dict(changed)))
