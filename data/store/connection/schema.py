"""The metadata of all SQL tables, columns and indexes that many of them share, and their rows as values.

Each folder of the store has its own `tables` module; the core's is `connection.tables`.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import BigInteger, Column, ColumnElement, ForeignKey, Index, Integer, MetaData, Table, text
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

T = TypeVar("T")
# Migrations refer to the names of constraints.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)
SERIAL: Final = BigInteger().with_variant(Integer, "sqlite")
"""The type of numbers that the database gives to rows: SQLite numbers rows only in an INTEGER key."""


def build_table(name: str, *parts: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *parts, **options)


def build_key(**types: TypeEngine[Any] | type[TypeEngine[Any]]) -> list[Column[Any]]:
    """Return the columns of a primary key, in order."""
    return [Column(name, kind, primary_key=True, autoincrement=False) for name, kind in types.items()]


def build_columns(kind: TypeEngine[T] | type[TypeEngine[T]], *names: str, nullable: bool = False) -> list[Column[T]]:
    """Return columns of one type, by default without NULL."""
    return [Column(name, kind, nullable=nullable) for name in names]


def build_parent_column(parent: str, kind: TypeEngine[int] = SERIAL, *, primary_key: bool = False) -> Column[int]:
    """Return a column with the parent of a row, such as `deals.deal_id`; the row is deleted with it."""
    reference = ForeignKey(parent, ondelete="CASCADE")
    name = parent.partition(".")[2]
    return Column(name, kind, reference, primary_key=primary_key, nullable=False, autoincrement=False)


build_match_column = partial(build_parent_column, "matches.match_id", BigInteger())


def build_partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def bypass_index(column: Column[int]) -> ColumnElement[int]:
    """Return a column in a form for which SQLite uses no index.

    SQLite prefers the index with more of the conditions, and would read all matches of a guild to find one user's.
    """
    return column + 0


def to_text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def to_mapping(text: str) -> Mapping[str, Any]:
    return msgspec.json.decode(text, type=dict[str, Any])


def to_value(kind: type[T], row: Any, **others: Any) -> T:
    """Make a dataclass from the columns of a row that have the names of its fields; `others` are its other fields."""
    columns, names = row._mapping, kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**others, **{name: columns[name] for name in names if name not in others})


def to_row(table: Table, value: Any, **others: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that have the names of columns; `others` are other columns."""
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name in table.c} | others
