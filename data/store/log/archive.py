"""Archived logs, each compressed into one row. This takes a sixth of the space.

Events that are queried by their kind, in many logs or in a damaged one, stay rows of their own.
"""

import zlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Integer, Row, bindparam, delete, exists, false, not_, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.bodies import GARBLED, register_body
from data.store.connection.engines import insert_if_missing, upsert
from data.store.connection.store_errors import DamagedLog
from data.store.connection.tables import OVER, RULINGS, archives, aside, events, matches, spans

MAX_LOG_BYTES: Final = 16_000_000
"""Maximum size of a compressed log, in bytes. Longer logs keep their rows, and no archive is decompressed further."""
UNCOMPRESSED: Final = b""
"""The body for a log that keeps its rows."""
_SPAN_NAME: Final = "archives"
"""The name of the span of matches whose logs are not compressed yet; they ended since then."""
_SINCE: Final = select(spans.c.since).where(spans.c.name == _SPAN_NAME)

_ENDED: Final = (
    select(matches.c.match_id, matches.c.updated_at)
    .where(
        text(OVER),
        matches.c.updated_at >= bindparam("since"),
        matches.c.updated_at < bindparam("before"),
        ~exists().where(archives.c.match_id == matches.c.match_id),
        ~exists().where(aside.c.match_id == matches.c.match_id),
    )
    .order_by(matches.c.updated_at, matches.c.match_id)
    .limit(bindparam("most", type_=Integer))
)

_COMPRESSIBLE: Final = (events.c.match_id == bindparam("match"), not_(or_(text(RULINGS), events.c.kind == "moved")))
_LINES: Final = (
    select(events.c.seq, events.c.kind, events.c.body, events.c.at).where(*_COMPRESSIBLE).order_by(events.c.seq)
)
_DELETE_ROWS: Final = delete(events).where(*_COMPRESSIBLE, events.c.seq <= bindparam("last"))
_BODY: Final = select(archives.c.body).where(archives.c.match_id == bindparam("match"))


class LogRow(NamedTuple):
    seq: int
    kind: str
    body: str
    at: int


register_body(archives.c.body, lambda row: decompress_rows(bytes(row.body), row.match_id), in_guild=false())
_ROWS: Final = msgspec.json.Decoder(list[LogRow])


async def compress_logs(connection: AsyncConnection, before: int, *, limit: int = 4) -> int:
    """Compress the logs of at most `limit` matches that ended before this time, the oldest first; return how many.

    Returns 0 also if another process is compressing. Quarantined matches are left alone. Logs are read as before.
    """
    since = (await connection.execute(_SINCE)).scalar_one_or_none() or 0
    ended = (await connection.execute(_ENDED, {"since": since, "before": before, "most": limit})).all()
    done = [await _compress_log(connection, match_id) for match_id, _ in ended]
    if ended:
        await upsert(connection, spans, {"name": _SPAN_NAME}, {}, {"since": ended[-1].updated_at})
    return sum(done)


async def _compress_log(connection: AsyncConnection, match_id: int) -> bool:
    lines = [LogRow(*row) for row in await connection.execute(_LINES, {"match": match_id})]
    if any(not isinstance(line.body, str) or GARBLED in line.body for line in lines):
        lines = []  # garbled text stays unchanged
    body = compress_rows(lines)
    is_added = await insert_if_missing(connection, archives, {"match_id": match_id, "body": body})
    if is_added and body != UNCOMPRESSED:
        await connection.execute(_DELETE_ROWS, {"match": match_id, "last": lines[-1].seq})
    return is_added


async def merge_archived(
    connection: AsyncConnection, match_id: int, rows: Sequence[Row[Any]], upto: int | None
) -> Sequence[Row[Any] | LogRow]:
    """Return a log up to this seq from its compressed rows and the rows that are `rows`. Raises DamagedLog."""
    body = (await connection.execute(_BODY, {"match": match_id})).scalar_one_or_none()
    if body is None:
        return rows
    lines = [line for line in decompress_rows(bytes(body), match_id) if upto is None or line.seq <= upto]
    return sorted([*lines, *rows], key=lambda row: row.seq)


def compress_rows(lines: Sequence[LogRow]) -> bytes:
    """Compress rows; `UNCOMPRESSED` if there are none or they are too long."""
    encoded = msgspec.json.encode(lines)
    return zlib.compress(encoded, 9) if lines and len(encoded) <= MAX_LOG_BYTES else UNCOMPRESSED


def decompress_rows(body: bytes, match_id: int) -> list[LogRow]:
    """Decompress the rows of a match's log. Raises DamagedLog."""
    if body == UNCOMPRESSED:
        return []
    decompressor = zlib.decompressobj()
    try:
        decompressed = decompressor.decompress(body, MAX_LOG_BYTES)
        if not decompressor.eof:
            raise DamagedLog(match_id, 0, "the compressed log has no end")
        return _ROWS.decode(decompressed)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise DamagedLog(match_id, 0, f"the compressed log is damaged: {error}") from error
