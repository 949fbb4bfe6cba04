"""Stored bodies: texts and JSON of SQL columns that may be garbled, as by a failing disk.

Each is read with a fallback, so that a garbled row affects nothing else, and checked for `boneyard doctor`,
`/tiles-admin doctor`, backup and restore. Modules register their columns at import.
"""

import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Column, ColumnElement, FromClause, Row, null, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.hooks import load_hooks
from data.store.connection.schema import to_mapping
from data.store.connection.store_errors import DamagedLog
from data.store.connection.tables import aside

T = TypeVar("T")
Check = Callable[[Row[Any]], object]
"""Reads a row; raises one of `BODY_ERRORS` if it cannot."""
BODY_ERRORS: Final = (
    msgspec.MsgspecError,
    DamagedLog,
    zlib.error,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
GARBLED: Final = "\ufffd"
"""The character that stands for bytes that are no text."""
_CHECKS: Final[dict[Column[Any], Check]] = {}
_CONDITIONS: Final[dict[Column[Any], ColumnElement[bool]]] = {}


@dataclass(frozen=True, slots=True)
class DamagedRow:
    column: str
    """Like `guilds.settings`."""
    key: Mapping[str, Any]
    guild_id: int | None
    """The guild it belongs to; None if it belongs to no single one."""

    def format(self, *, hidden: Collection[str] = ()) -> str:
        key = ", ".join(f"{name} {value}" for name, value in self.key.items() if name not in hidden)
        return f"{self.column} ({key})" if key else self.column


def register_body(column: Column[Any], check: Check, *, in_guild: ColumnElement[bool] | None = None) -> None:
    """Register how to read a column; `in_guild` limits the rows that are checked for one guild.

    Logs of quarantined matches are not checked again.
    """
    _CHECKS[column] = check
    if in_guild is not None:
        _CONDITIONS[column] = in_guild


def list_bodies() -> frozenset[str]:
    """Return the registered columns, like `guilds.settings`."""
    load_hooks()
    return frozenset(f"{column.table.name}.{column.name}" for column in _CHECKS)


def read_body(read: Callable[[Any], T], stored: Any, fallback: T) -> T:
    """Read a stored body, or return the fallback if it is garbled."""
    try:
        return read(stored)
    except BODY_ERRORS:
        return fallback


def read_mapping(stored: Any) -> Mapping[str, Any]:
    """Read stored JSON; return an empty mapping if it is garbled."""
    nothing: Mapping[str, Any] = {}
    return read_body(to_mapping, stored, nothing)


def check_text(text: object) -> str:
    """Return a stored text. Raises ValueError if it is garbled."""
    if not isinstance(text, str) or GARBLED in text:
        raise ValueError("it is no text")
    return text


async def list_damaged_rows(connection: AsyncConnection, guild_id: int | None = None) -> list[DamagedRow]:
    """Return the rows with garbled bodies; with a guild, its own and those that belong to no guild."""
    load_hooks()
    found = []
    for column, check in _CHECKS.items():
        table = column.table
        source, guild = _find_guild_column(column)
        query = select(table, guild.label("guild_of_row")).select_from(source)
        if guild_id is not None and isinstance(guild, Column):
            query = query.where(guild == guild_id, _CONDITIONS.get(column, true()))
        if column in _CONDITIONS:
            query = query.where(table.c.match_id.not_in(select(aside.c.match_id)))
        async with connection.stream(query) as rows:
            async for row in rows:
                try:
                    check(row)
                except BODY_ERRORS:
                    key = {part.name: row._mapping[part.name] for part in table.primary_key}
                    found.append(DamagedRow(f"{table.name}.{column.name}", key, row.guild_of_row))
    return found


def _find_guild_column(column: Column[Any]) -> tuple[FromClause, ColumnElement[Any]]:
    """Return what to select from, and the column with the guild of a row, in its table or its parent; NULL if none."""
    table = column.table
    if "guild_id" in table.c:
        return table, table.c.guild_id
    for parent in sorted({key.column.table for key in column.table.foreign_keys}, key=lambda one: one.name):
        if "guild_id" in parent.c:
            return table.join(parent), parent.c.guild_id
    return table, null()
