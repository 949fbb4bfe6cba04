"""The metadata of all SQL tables, and columns and indexes that many of them share.

Each folder of the store has its own `tables` module; the core's is `connection.tables`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import BigInteger, Column, ColumnElement, ForeignKey, Index, MetaData, text

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


def build_match_column(*, primary_key: bool = False) -> Column[int]:
    """Return a column with the match of a row; the row is deleted with its match."""
    return Column(
        "match_id",
        BigInteger,
        ForeignKey("matches.match_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        autoincrement=False,
    )


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
