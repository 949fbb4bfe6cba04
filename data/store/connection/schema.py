"""What all tables of the store have in common: one schema, and the columns and indexes that many have alike.

Each folder of the store has the tables of its own in `tables`; those of the core are in `connection.tables`.
"""

from sqlalchemy import BigInteger, Column, ColumnElement, ForeignKey, Index, MetaData, text

# Names of constraints are part of the schema: migrations refer to them.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def match_number(*, primary_key: bool = False) -> Column[int]:
    """The match that a row is of: it goes with that."""
    return Column(
        "match_id",
        BigInteger,
        ForeignKey("matches.match_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
        autoincrement=False,
    )


def partial(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of some rows alone."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def unindexed(column: Column[int]) -> ColumnElement[int]:
    """A column by which rows are chosen, and not looked for. Of two ways to a row SQLite takes the index that names
    more of what is asked, however many rows that leaves: it would go through all that a server has ever played, where
    one person's are asked for.
    """
    return column + 0
