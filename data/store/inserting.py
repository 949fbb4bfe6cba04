"""Inserting rows that may be there already, which SQLite and PostgreSQL have dialects of their own for."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


def insert_into(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """New rows, of which can be said what happens where one is there: SQLAlchemy's `on_conflict_...`.

    `dialect` is the name that a connection's dialect has.
    """
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def insert_unless_there(table: Table, dialect: str) -> sqlite.Insert | postgresql.Insert:
    """New rows, but for those whose key, or whatever else is unique about them, is there."""
    return insert_into(table, dialect).on_conflict_do_nothing()


async def upsert(
    connection: AsyncConnection,
    table: Table,
    key: Mapping[str, Any],
    new: Mapping[str, Any],
    changed: Mapping[str, Any],
) -> None:
    """Change the row with this key by `changed`; where there is none, make one of `new` changed so."""
    added = insert_into(table, connection.dialect.name).values({**key, **new, **changed})
    await connection.execute(added.on_conflict_do_update(index_elements=list(key), set_=dict(changed)))
