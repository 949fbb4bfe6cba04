"""What somebody has played: their matches that are over, newest first, in pages.

All of it is read from the results, by the index of their person: nothing is kept for it, and nothing can differ from
them. A match that runs has no results, so nothing here tells of one.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.heads import to_head
from data.store.score_tables import results
from data.store.scores import Result
from data.store.standings import to_result
from data.store.tables import matches, seats
from data.store.values import Head

_THEIRS: Final = results.alias()


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Which matches of somebody on a server are meant."""

    user_id: int
    guild_id: int
    game: str | None = None
    """Of this game alone."""
    other: int | None = None
    """Those alone in which this person has a result too."""
    since: int | None = None
    until: int | None = None
    """Those alone that ended from `since` on and before `until`, UTC epoch ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMatch:
    """A match that is over, as one of its people looks back on it."""

    mine: Result
    others: tuple[Result, ...]
    """Best place first; whoever was forgotten has none."""
    computers: int
    head: Head | None
    """Where the match stands; None where nothing else is kept of it."""

    @property
    def strangers(self) -> int:
        """Those at the table who have no result: they were forgotten, or went on with somebody's seat."""
        return max(0, self.mine.seats - 1 - len(self.others) - self.computers)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """Some matches of somebody: page `page` of `pages`, counted from 0, of `total` matches."""

    rows: tuple[PastMatch, ...]
    total: int
    page: int
    pages: int


async def history_page(connection: AsyncConnection, search: Search, number: int, size: int) -> HistoryPage:
    """Page `number`, from 0; a page past the end is the last one."""
    counted = _wanted(search).with_only_columns(func.count(), maintain_column_froms=True)
    total = int((await connection.execute(counted)).scalar_one())
    pages = max(1, -(-total // size))
    number = min(max(number, 0), pages - 1)
    newest = _wanted(search).order_by(results.c.ended_at.desc(), results.c.match_id.desc())
    found = (await connection.execute(newest.offset(number * size).limit(size))).all()
    mine = [to_result(row) for row in found]
    return HistoryPage(rows=await _around(connection, mine), total=total, page=number, pages=pages)


async def played(connection: AsyncConnection, user_id: int, match_id: int) -> PastMatch | None:
    """A match that somebody has a result of; None where they have none."""
    query = select(results).where(results.c.match_id == match_id, results.c.user_id == user_id)
    row = (await connection.execute(query)).first()
    return None if row is None else (await _around(connection, [to_result(row)]))[0]


async def last_played(connection: AsyncConnection, search: Search, limit: int) -> tuple[Result, ...]:
    """The last of these matches, `limit` at most, in the order in which they ended."""
    newest = _wanted(search).order_by(results.c.ended_at.desc(), results.c.match_id.desc()).limit(limit)
    return tuple(to_result(row) for row in reversed((await connection.execute(newest)).all()))


async def months(connection: AsyncConnection, user_id: int, guild_id: int, limit: int) -> list[int]:
    """The months, by UTC, in which somebody has finished matches on a server, `limit` at most: the moment of the last
    one in each, newest first.
    """
    newest = select(func.max(results.c.ended_at)).where(results.c.user_id == user_id, results.c.guild_id == guild_id)
    found: list[int] = []
    query = newest
    while len(found) < limit:
        # One after the other by the index: a person may have thousands of matches, and few months.
        at = (await connection.execute(query)).scalar_one()
        if at is None:
            break
        found.append(at)
        query = newest.where(results.c.ended_at < month_of(at))
    return found


async def heads_of(connection: AsyncConnection, numbers: Collection[int]) -> list[Head]:
    """Where these matches stand."""
    query = select(matches).where(matches.c.match_id.in_(numbers))
    return [to_head(row) for row in await connection.execute(query)]


def month_of(at: int) -> int:
    """When the month of a moment began, in UTC."""
    first = datetime.fromtimestamp(at / 1000, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return int(first.timestamp()) * 1000


def _wanted(search: Search) -> Select[Any]:
    query = select(results).where(results.c.user_id == search.user_id, results.c.guild_id == search.guild_id)
    if search.game is not None:
        query = query.where(results.c.game == search.game)
    if search.since is not None:
        query = query.where(results.c.ended_at >= search.since)
    if search.until is not None:
        query = query.where(results.c.ended_at < search.until)
    if search.other is not None:
        both = (_THEIRS.c.match_id == results.c.match_id, _THEIRS.c.user_id == search.other)
        query = query.where(select(_THEIRS.c.match_id).where(*both).exists())
    return query


async def _around(connection: AsyncConnection, mine: Collection[Result]) -> tuple[PastMatch, ...]:
    """These results with what there is of their matches."""
    numbers = [result.match_id for result in mine]
    others: dict[int, list[Result]] = defaultdict(list)
    ordered = select(results).where(results.c.match_id.in_(numbers)).order_by(results.c.place, results.c.user_id)
    for row in await connection.execute(ordered):
        others[row.match_id].append(to_result(row))
    heads = {head.match_id: head for head in await heads_of(connection, numbers)}
    counted = select(seats.c.match_id, func.count().label("computers")).where(
        seats.c.match_id.in_(numbers), seats.c.computer.is_not(None)
    )
    computers = {row.match_id: row.computers for row in await connection.execute(counted.group_by(seats.c.match_id))}
    return tuple(
        PastMatch(
            mine=result,
            others=tuple(one for one in others[result.match_id] if one.user_id != result.user_id),
            computers=computers.get(result.match_id, 0),
            head=heads.get(result.match_id),
        )
        for result in mine
    )
