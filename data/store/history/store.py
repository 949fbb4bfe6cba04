"""What somebody has played: their matches that are over, newest first, in pages.

All of it is read from the results, by the index of their person: nothing is kept for it, and nothing can differ from
them. A match that runs has no results, so nothing here tells of one. Substitutes have none either: theirs are the
matches with results at whose end they sat.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Select, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, reads
from data.store.connection.schema import unindexed
from data.store.connection.tables import matches, seats
from data.store.log.heads import to_head
from data.store.log.match_values import Head
from data.store.results.player_standings import to_result
from data.store.results.scores import Result
from data.store.results.tables import results

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

    mine: Result | None
    """None for a substitute: the result is of whoever placed first on their seat."""
    others: tuple[Result, ...]
    """Best place first; whoever was forgotten has none. A substitute has some, or there is nothing to tell."""
    computers: int
    head: Head | None
    """Where the match stands; None where nothing else is kept of it."""

    @property
    def any(self) -> Result:
        """A result that tells of the match itself: where, when and what was played."""
        return self.mine or self.others[0]

    @property
    def strangers(self) -> int:
        """Those at the table who have no result: they were forgotten, or went on with somebody's seat."""
        return max(0, self.any.seats - (self.mine is not None) - len(self.others) - self.computers)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """Some matches of somebody: page `page` of `pages`, counted from 0, of `total` matches."""

    rows: tuple[PastMatch, ...]
    total: int
    page: int
    pages: int


async def heads_of(connection: AsyncConnection, numbers: Collection[int]) -> list[Head]:
    """Where these matches stand."""
    query = select(matches).where(matches.c.match_id.in_(numbers))
    return [to_head(row) for row in await connection.execute(query)]


def month_of(at: int) -> int:
    """When the month of a moment began, in UTC."""
    first = datetime.fromtimestamp(at / 1000, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return int(first.timestamp()) * 1000


def _wanted(search: Search) -> Select[Any]:
    query = select(results).where(results.c.user_id == search.user_id, unindexed(results.c.guild_id) == search.guild_id)
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


async def _substituted(connection: AsyncConnection, search: Search) -> list[tuple[int, int]]:
    """The matches that somebody ended as a substitute, and when they ended: they sat there at the end, and the result
    is another's.
    """
    own = select(results.c.match_id).where(results.c.match_id == seats.c.match_id, results.c.user_id == search.user_id)
    # Asked first, and by itself: nearly nobody has any, and together with the rest of it the results of a whole server
    # would be looked through for them.
    sat = select(seats.c.match_id).where(seats.c.user_id == search.user_id, ~own.exists())
    numbers = (await connection.execute(sat)).scalars().all()
    if not numbers:
        return []
    query = (
        select(_THEIRS.c.match_id, func.max(_THEIRS.c.ended_at))
        .join(matches, matches.c.match_id == _THEIRS.c.match_id)
        # Of a match that was closed before its end only those have a result who left: the others are no substitutes.
        .where(_THEIRS.c.match_id.in_(numbers), matches.c.state == "done")
        .where(unindexed(_THEIRS.c.guild_id) == search.guild_id)
        .group_by(_THEIRS.c.match_id)
    )
    if search.game is not None:
        query = query.where(_THEIRS.c.game == search.game)
    if search.since is not None:
        query = query.where(_THEIRS.c.ended_at >= search.since)
    if search.until is not None:
        query = query.where(_THEIRS.c.ended_at < search.until)
    if search.other is not None:
        query = query.where(_THEIRS.c.user_id == search.other)
    return [(match_id, ended_at) for match_id, ended_at in await connection.execute(query)]


async def _looked_at(connection: AsyncConnection, user_id: int, numbers: Sequence[int]) -> tuple[PastMatch, ...]:
    """These matches as somebody looks back on them, in this order, with what there is of each; those that have no
    result of anybody are left out.
    """
    told: dict[int, list[Result]] = defaultdict(list)
    ordered = select(results).where(results.c.match_id.in_(numbers)).order_by(results.c.place, results.c.user_id)
    for row in await connection.execute(ordered):
        told[row.match_id].append(to_result(row))
    heads = {head.match_id: head for head in await heads_of(connection, numbers)}
    counted = select(seats.c.match_id, func.count().label("computers")).where(
        seats.c.match_id.in_(numbers), seats.c.computer.is_not(None)
    )
    computers = {row.match_id: row.computers for row in await connection.execute(counted.group_by(seats.c.match_id))}
    return tuple(
        PastMatch(
            mine=next((one for one in told[number] if one.user_id == user_id), None),
            others=tuple(one for one in told[number] if one.user_id != user_id),
            computers=computers.get(number, 0),
            head=heads.get(number),
        )
        for number in numbers
        if told[number]
    )


class HistoryStore(Repository):
    """What somebody has played."""

    @reads
    async def history(
        self, connection: AsyncConnection, search: Search, *, page: int = 0, size: int = 8
    ) -> HistoryPage:
        """Page `page`, from 0, of somebody's matches that are over, newest first, with who else has a result of each;
        a page past the end is the last one.
        """
        counted = _wanted(search).with_only_columns(func.count(), maintain_column_froms=True)
        lent = await _substituted(connection, search)
        total = int((await connection.execute(counted)).scalar_one()) + len(lent)
        pages = max(1, -(-total // size))
        page = min(max(page, 0), pages - 1)
        mine = _wanted(search).with_only_columns(results.c.match_id, results.c.ended_at, maintain_column_froms=True)
        both = [select(literal(match).label("match_id"), literal(at).label("ended_at")) for match, at in lent]
        all_of_them = union_all(mine, *both).subquery() if both else mine.subquery()
        newest = select(all_of_them.c.match_id).order_by(all_of_them.c.ended_at.desc(), all_of_them.c.match_id.desc())
        shown = (await connection.execute(newest.offset(page * size).limit(size))).scalars().all()
        rows = await _looked_at(connection, search.user_id, shown)
        return HistoryPage(rows=rows, total=total, page=page, pages=pages)

    @reads
    async def played(self, connection: AsyncConnection, user_id: int, match_id: int) -> PastMatch | None:
        """A match that somebody has a result of, or ended as a substitute; None where there is none, be it that it runs
        yet, that it came to nothing, or that it is none of theirs.
        """
        (found,) = await _looked_at(connection, user_id, [match_id]) or (None,)
        if found is None or found.mine is not None:
            return found
        lent = await _substituted(connection, Search(user_id=user_id, guild_id=found.any.guild_id))
        return found if match_id in dict(lent) else None

    @reads
    async def months_played(
        self, connection: AsyncConnection, user_id: int, guild_id: int, *, limit: int = 24
    ) -> list[int]:
        """The moment of somebody's last match in each month, by UTC, on a server:
        newest first, `limit` at most.
        """
        newest = select(func.max(results.c.ended_at)).where(
            results.c.user_id == user_id, unindexed(results.c.guild_id) == guild_id
        )
        found: list[int] = []
        query = newest
        lent = await _substituted(connection, Search(user_id=user_id, guild_id=guild_id))
        while len(found) < limit:
            # One after the other by the index: a person may have thousands of matches, and few months.
            before = month_of(found[-1]) if found else None
            ends = [(await connection.execute(query)).scalar_one()]
            ends += [ended for _, ended in lent if before is None or ended < before]
            known = [at for at in ends if at is not None]
            if not known:
                break
            found.append(max(known))
            query = newest.where(results.c.ended_at < month_of(found[-1]))
        return found
