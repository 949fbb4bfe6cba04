"""The finished matches of a user, newest first, in pages.

Read from the results by the index of their user, so nothing can differ from them. Running matches have no results. A
substitute has none either: their matches are those with results in which they sat at the end.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.repository import Repository, read_transaction
from data.store.connection.schema import bypass_index
from data.store.connection.tables import matches, seats
from data.store.log.heads import list_heads
from data.store.log.match_values import Head
from data.store.results.player_standings import to_result
from data.store.results.scores import Page, Result, limit_page
from data.store.results.tables import results

_OTHER_RESULTS: Final = results.alias()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuery:
    user_id: int
    guild_id: int
    game: str | None = None
    other: int | None = None
    """Only matches in which this user has a result too."""
    since: int | None = None
    until: int | None = None
    """Only matches that ended from `since` and before `until`, in epoch ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMatch:
    """A finished match from the view of one of its users."""

    own_result: Result | None
    """None for a substitute: the result belongs to the first player of the seat."""
    other_results: tuple[Result, ...]
    """Best place first, without erased users. A substitute has at least one."""
    computers: int
    head: Head | None
    """None if the match was deleted."""

    @property
    def any_result(self) -> Result:
        return self.own_result or self.other_results[0]

    @property
    def unknown_player_count(self) -> int:
        """The number of players without a result: erased users and substitutes."""
        return max(0, self.any_result.seats - (self.own_result is not None) - len(self.other_results) - self.computers)


class HistoryPage(Page[PastMatch]):
    """A page of a user's finished matches."""


def compute_month_start(at: int) -> int:
    first = datetime.fromtimestamp(at / 1000, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return int(first.timestamp()) * 1000


def _build_results_query(search: HistoryQuery) -> Select[Any]:
    query = select(results).where(
        results.c.user_id == search.user_id, bypass_index(results.c.guild_id) == search.guild_id
    )
    if search.other is not None:
        both = (_OTHER_RESULTS.c.match_id == results.c.match_id, _OTHER_RESULTS.c.user_id == search.other)
        query = query.where(select(_OTHER_RESULTS.c.match_id).where(*both).exists())
    return query.where(*_build_criteria(search, results.c))


def _build_criteria(search: HistoryQuery, columns: Any) -> list[ColumnElement[bool]]:
    found = [] if search.game is None else [columns.game == search.game]
    found += [] if search.since is None else [columns.ended_at >= search.since]
    return found + ([] if search.until is None else [columns.ended_at < search.until])


async def _list_substituted_matches(connection: AsyncConnection, search: HistoryQuery) -> list[tuple[int, int]]:
    own = select(results.c.match_id).where(results.c.match_id == seats.c.match_id, results.c.user_id == search.user_id)
    # A separate query: most users have none, and a join would read all results of a guild.
    sat = select(seats.c.match_id).where(seats.c.user_id == search.user_id, ~own.exists())
    numbers = (await connection.execute(sat)).scalars().all()
    if not numbers:
        return []
    query = (
        select(_OTHER_RESULTS.c.match_id, func.max(_OTHER_RESULTS.c.ended_at))
        .join(matches, matches.c.match_id == _OTHER_RESULTS.c.match_id)
        # In a match that was closed early, only users who left have results; the others are no substitutes.
        .where(_OTHER_RESULTS.c.match_id.in_(numbers), matches.c.state == "done")
        .where(bypass_index(_OTHER_RESULTS.c.guild_id) == search.guild_id)
        .group_by(_OTHER_RESULTS.c.match_id)
    )
    if search.other is not None:
        query = query.where(_OTHER_RESULTS.c.user_id == search.other)
    found = await connection.execute(query.where(*_build_criteria(search, _OTHER_RESULTS.c)))
    return [(match_id, ended_at) for match_id, ended_at in found]


async def _load_past_matches(
    connection: AsyncConnection, user_id: int, numbers: Sequence[int]
) -> tuple[PastMatch, ...]:
    """Return these matches from a user's view, in this order, without matches that have no results."""
    results_by_match: dict[int, list[Result]] = defaultdict(list)
    ordered = select(results).where(results.c.match_id.in_(numbers)).order_by(results.c.place, results.c.user_id)
    for row in await connection.execute(ordered):
        results_by_match[row.match_id].append(to_result(row))
    heads = {head.match_id: head for head in await list_heads(connection, numbers)}
    counted = select(seats.c.match_id, func.count().label("computers")).where(
        seats.c.match_id.in_(numbers), seats.c.computer.is_not(None)
    )
    computers = {row.match_id: row.computers for row in await connection.execute(counted.group_by(seats.c.match_id))}
    return tuple(
        PastMatch(
            own_result=next((one for one in results_by_match[number] if one.user_id == user_id), None),
            other_results=tuple(one for one in results_by_match[number] if one.user_id != user_id),
            computers=computers.get(number, 0),
            head=heads.get(number),
        )
        for number in numbers
        if results_by_match[number]
    )


class HistoryStore(Repository):
    @read_transaction
    async def load_page(
        self, connection: AsyncConnection, search: HistoryQuery, *, page: int = 0, size: int = 8
    ) -> HistoryPage:
        """Return a page of a user's finished matches, newest first; a page past the end is the last one."""
        counted = _build_results_query(search).with_only_columns(func.count(), maintain_column_froms=True)
        substituted = await _list_substituted_matches(connection, search)
        total = int((await connection.execute(counted)).scalar_one()) + len(substituted)
        page, pages = limit_page(page, size, total)
        mine = _build_results_query(search).with_only_columns(
            results.c.match_id, results.c.ended_at, maintain_column_froms=True
        )
        both = [select(literal(match).label("match_id"), literal(at).label("ended_at")) for match, at in substituted]
        all_of_them = union_all(mine, *both).subquery() if both else mine.subquery()
        newest = select(all_of_them.c.match_id).order_by(all_of_them.c.ended_at.desc(), all_of_them.c.match_id.desc())
        shown = (await connection.execute(newest.offset(page * size).limit(size))).scalars().all()
        rows = await _load_past_matches(connection, search.user_id, shown)
        return HistoryPage(rows=rows, total=total, page=page, pages=pages)

    @read_transaction
    async def find_match(self, connection: AsyncConnection, user_id: int, match_id: int) -> PastMatch | None:
        """Return a match that a user has a result of or ended as a substitute; None for all other matches."""
        (found,) = await _load_past_matches(connection, user_id, [match_id]) or (None,)
        if found is None or found.own_result is not None:
            return found
        substituted = await _list_substituted_matches(
            connection, HistoryQuery(user_id=user_id, guild_id=found.any_result.guild_id)
        )
        return found if match_id in dict(substituted) else None

    @read_transaction
    async def list_months(
        self, connection: AsyncConnection, user_id: int, guild_id: int, *, limit: int = 24
    ) -> list[int]:
        """Return the time of a user's last match in each month (UTC) in a guild, newest first, at most `limit`."""
        newest = select(func.max(results.c.ended_at)).where(
            results.c.user_id == user_id, bypass_index(results.c.guild_id) == guild_id
        )
        found: list[int] = []
        query = newest
        substituted = await _list_substituted_matches(connection, HistoryQuery(user_id=user_id, guild_id=guild_id))
        while len(found) < limit:
            # One index lookup per month: a user may have thousands of matches.
            before = compute_month_start(found[-1]) if found else None
            ends = [(await connection.execute(query)).scalar_one()]
            ends += [ended for _, ended in substituted if before is None or ended < before]
            known = [at for at in ends if at is not None]
            if not known:
                break
            found.append(max(known))
            query = newest.where(results.c.ended_at < compute_month_start(found[-1]))
        return found
