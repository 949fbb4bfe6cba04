"""The table of reviews."""

from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text

from data.store.connection.schema import match_number, metadata

reviews = Table(
    "reviews",
    metadata,
    # What somebody who looked back on a match was told, packed, and what each seat has of it that one person played
    # from beginning to end: seats and numbers, never people. Who sits there `seats` says.
    match_number(primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("seats", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("shown_at", BigInteger),  # when it was last shown to all
)
