from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text

from data.store.connection.schema import match_number, metadata

reviews = Table(
    "reviews",
    metadata,
    # A packed review, and its facts by seat for seats that one user played from beginning to end.
    match_number(primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("seats", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("shown_at", BigInteger),
)
