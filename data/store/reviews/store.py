"""Reviews of finished matches, stored for the next request, and their facts about users over time."""

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import BigInteger, Column, LargeBinary, Text, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import read_body, read_mapping, register_body
from data.store.connection.engines import upsert
from data.store.connection.hooks import register_user_exporters
from data.store.connection.repository import Repository, build_read_method, read_transaction, write_transaction
from data.store.connection.schema import build_match_column, build_table, bypass_index, to_mapping, to_text
from data.store.connection.tables import matches, seats
from data.store.results.tables import results

reviews = build_table(
    "reviews",
    # A compressed review, and its facts for each seat that one user played from beginning to end.
    build_match_column(primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("seats", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("shown_at", BigInteger),
)


MAX_BYTES: Final = 4 * 2**20


@dataclass(frozen=True, slots=True)
class StoredReview:
    text: str
    """JSON of `engine.reviews`."""
    made_at: int
    shown_at: int | None
    """When it was last shown in public; None for never."""


@dataclass(frozen=True, slots=True)
class UserReview:
    """A review's facts about a user who played a seat from beginning to end."""

    match_id: int
    ended_at: int
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SharedReview:
    """A review's facts about two users who both played from beginning to end."""

    match_id: int
    seats: int
    facts: tuple[Mapping[str, Any], Mapping[str, Any]]
    """In the order of the request."""


def _decompress(body: bytes) -> str:
    """Raises one of BODY_ERRORS."""
    decompressor = zlib.decompressobj()
    text = decompressor.decompress(bytes(body), MAX_BYTES).decode()
    if not decompressor.eof:
        raise ValueError("it has no end")
    return text


register_body(reviews.c.body, lambda row: _decompress(row.body))
register_body(reviews.c.seats, lambda row: to_mapping(row.seats))

_OTHER_SEATS: Final = seats.alias()
_OTHER_RESULTS: Final = results.alias()


async def export_reviews(connection: AsyncConnection, user_id: int) -> list[dict[str, Any]]:
    return [asdict(one) for one in await list_own_reviews(connection, user_id)]


register_user_exporters(reviews=export_reviews)


async def list_own_reviews(
    connection: AsyncConnection, user_id: int, game: str | None = None, *, limit: int | None = None
) -> list[UserReview]:
    """Return reviews' facts about a user, of one game or of all, newest match first."""
    query = (
        select(seats.c.seat, reviews.c.match_id, reviews.c.seats, matches.c.updated_at)
        .join(reviews, reviews.c.match_id == seats.c.match_id)
        .join(matches, matches.c.match_id == seats.c.match_id)
        .where(seats.c.user_id == user_id)
        .order_by(matches.c.updated_at.desc(), matches.c.match_id.desc())
    )
    if game is not None:
        query = query.where(matches.c.game == game)
    found = []
    for row in await connection.execute(query if limit is None else query.limit(limit)):
        facts = read_mapping(row.seats).get(str(row.seat))
        if facts is not None:
            found.append(UserReview(row.match_id, row.updated_at, facts))
    return found


class ReviewStore(Repository):
    list_own_reviews = build_read_method(list_own_reviews)

    @read_transaction
    async def find_review(self, connection: AsyncConnection, match_id: int) -> StoredReview | None:
        row = (await connection.execute(select(reviews).where(reviews.c.match_id == match_id))).first()
        if row is None:
            return None
        text = read_body(_decompress, row.body, None)
        return None if text is None else StoredReview(text, row.made_at, row.shown_at)

    @write_transaction
    async def save_review(
        self, connection: AsyncConnection, match_id: int, text: str, facts: Mapping[int, Mapping[str, Any]], *, now: int
    ) -> bool:
        """Store a review, with facts by seat for seats of one user; False if its match was deleted."""
        there = select(matches.c.match_id).where(matches.c.match_id == match_id)
        if (await connection.execute(there.with_for_update())).first() is None:
            return False
        seat_facts = to_text({str(seat): dict(told) for seat, told in facts.items()})
        row = {"body": zlib.compress(text.encode(), 9), "seats": seat_facts, "made_at": now}
        await upsert(connection, reviews, {"match_id": match_id}, {}, row)
        return True

    @write_transaction
    async def begin_showing(self, connection: AsyncConnection, match_id: int, *, again: int, now: int) -> bool:
        """Reserve showing a review in public; False if it was shown since `again`."""
        quiet = (reviews.c.shown_at.is_(None)) | (reviews.c.shown_at < again)
        mine = update(reviews).where(reviews.c.match_id == match_id, quiet).values(shown_at=now)
        return (await connection.execute(mine)).rowcount == 1

    @write_transaction
    async def cancel_showing(self, connection: AsyncConnection, match_id: int, *, at: int, before: int | None) -> None:
        """Undo the reservation `at`: the review was last shown `before`, None for never."""
        mine = reviews.c.match_id == match_id, reviews.c.shown_at == at
        await connection.execute(update(reviews).where(*mine).values(shown_at=before))

    @read_transaction
    async def list_shared_reviews(
        self,
        connection: AsyncConnection,
        guild_id: int,
        first: int,
        second: int,
        *,
        game: str | None = None,
        limit: int,
    ) -> list[SharedReview]:
        """Return reviews' facts about two users in a guild, in one game or in all, newest match first."""
        mine, theirs = results, _OTHER_RESULTS
        query = (
            select(
                mine.c.match_id,
                mine.c.seats.label("many"),
                reviews.c.seats,
                seats.c.seat,
                _OTHER_SEATS.c.seat.label("other"),
            )
            .join(theirs, (theirs.c.match_id == mine.c.match_id) & (theirs.c.user_id == second))
            .join(reviews, reviews.c.match_id == mine.c.match_id)
            .join(seats, (seats.c.match_id == mine.c.match_id) & (seats.c.user_id == first))
            .join(_OTHER_SEATS, (_OTHER_SEATS.c.match_id == mine.c.match_id) & (_OTHER_SEATS.c.user_id == second))
            .where(mine.c.user_id == first, bypass_index(mine.c.guild_id) == guild_id)
            .order_by(mine.c.ended_at.desc(), mine.c.match_id.desc())
        )
        if game is not None:
            query = query.where(mine.c.game == game)
        found = []
        for row in await connection.execute(query.limit(limit)):
            facts_by_seat = read_mapping(row.seats)
            both = facts_by_seat.get(str(row.seat)), facts_by_seat.get(str(row.other))
            if both[0] is not None and both[1] is not None:
                found.append(SharedReview(row.match_id, row.many, (both[0], both[1])))
        return found
