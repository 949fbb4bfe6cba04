"""The recent leaderboard: sums that change as results are added and expire.

`spans` has the start of the period. The process that moves it subtracts the expired results in the same transaction.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    Double,
    Row,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_into
from data.store.connection.tables import RECENT, spans
from data.store.results.scores import EVERYWHERE, MIN_OPPONENTS
from data.store.results.tables import build_board_condition, build_listed_condition, recents, results, standings

_SUMS: Final = ("matches", "rated", "wins", "points")
_RANKED: Final = (recents.c.met, recents.c.wins, recents.c.average)


async def add_results(
    connection: AsyncConnection, guild_id: int, lines: Sequence[Mapping[str, Any]], hidden: Collection[int]
) -> None:
    if lines[0]["ended_at"] < await _load_period_start(connection):
        return
    opponents = "opponents_everywhere" if guild_id == EVERYWHERE else "opponents"
    rows = [
        _build_sum_row(guild_id, line, 1)
        | {"hidden": line["user_id"] in hidden, "met": int(line["rated"] and line[opponents] >= MIN_OPPONENTS)}
        for line in lines
    ]
    await _apply_sums(connection, rows)


async def subtract_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Subtract the results of a guild, which will be deleted, from the sums of all guilds."""
    since = await _load_period_start(connection, lock=True)
    query = select(results).where(results.c.guild_id == guild_id, results.c.ended_at >= since)
    await _apply_sums(connection, [_build_removal_row(EVERYWHERE, row) for row in await connection.execute(query)])


async def advance_period(connection: AsyncConnection, since: int, *, limit: int = 500) -> bool:
    """Let only results since this time count; False if more than about `limit` remain. It never moves back."""
    period_start = await _load_period_start(connection, lock=True)
    if since <= period_start:
        return True
    old = (results.c.ended_at >= period_start, results.c.ended_at < since)
    ends = select(results.c.ended_at).where(*old).order_by(results.c.ended_at)
    last = (await connection.execute(ends.offset(limit).limit(1))).scalar_one_or_none()
    until = since if last is None else last + 1  # never between two results of the same time
    gone = select(results).where(results.c.ended_at >= period_start, results.c.ended_at < until)
    rows = (await connection.execute(gone)).all()
    await _apply_sums(
        connection, [_build_removal_row(guild, row) for row in rows for guild in {EVERYWHERE, row.guild_id}]
    )
    await connection.execute(update(spans).where(spans.c.name == RECENT).values(since=until))
    return last is None


async def rebuild_recent(connection: AsyncConnection, hidden: Collection[int] = ()) -> None:
    """Compute all sums again; `hidden` users stay hidden."""
    since = await _load_period_start(connection)
    await connection.execute(delete(recents))
    own = (results.c.guild_id,)
    everywhere = (literal(EVERYWHERE), (), (), results.c.opponents_everywhere, results.c.counts_everywhere)
    here = (*own, own, (results.c.guild_id != EVERYWHERE,), results.c.opponents, results.c.counts)
    for guild, of, where, known, counts in (everywhere, here):
        matches, points = func.count(), func.sum(results.c.score)
        counting = and_(results.c.won, counts)
        rated, won = (func.sum(case((column, 1), else_=0)) for column in (results.c.rated, counting))
        met = func.max(case((and_(results.c.rated, known >= MIN_OPPONENTS), 1), else_=0))
        sums = (
            select(
                guild.label("guild_id"),
                *(results.c.game, results.c.user_id, matches, rated, won, points, met),
                cast(points, Double) / matches,
                literal(False),
            )
            .where(results.c.ended_at >= since, *where)
            .group_by(*of, results.c.game, results.c.user_id)
        )
        names = ["guild_id", "game", "user_id", "matches", "rated", "wins", "points", "met", "average", "hidden"]
        await connection.execute(insert(recents).from_select(names, sums))
    for user_id in hidden:
        await connection.execute(update(recents).where(recents.c.user_id == user_id).values(hidden=True))


async def count_lines(connection: AsyncConnection, guild_id: int, game: str) -> int:
    query = select(func.count()).select_from(recents).where(*build_listed_condition(recents, guild_id, game))
    return await connection.scalar(query) or 0


async def find_line(connection: AsyncConnection, guild_id: int, game: str, user_id: int) -> Row[Any] | None:
    return (await connection.execute(_build_rated_query(guild_id, game).where(recents.c.user_id == user_id))).first()


async def list_lines(connection: AsyncConnection, guild_id: int, game: str, offset: int, size: int) -> list[Row[Any]]:
    order = [column.desc() for column in (*_RANKED, recents.c.user_id)]
    # The page first, to look up only the ratings of its users.
    users = select(recents.c.user_id).where(*build_listed_condition(recents, guild_id, game)).order_by(*order)
    wanted = list(await connection.scalars(users.offset(offset).limit(size)))
    found = await connection.execute(_build_rated_query(guild_id, game).where(recents.c.user_id.in_(wanted)))
    # Sorted here: a database would walk through the whole index.
    rows = {row.user_id: row for row in found}
    return [rows[user] for user in wanted]


def get_rank_key(row: Row[Any]) -> tuple[float, ...]:
    """Return the values that determine the rank: equal values share a rank."""
    return (row.met, row.wins, row.average)


async def compute_rank(connection: AsyncConnection, row: Row[Any]) -> int:
    before = tuple_(*_RANKED) > tuple_(*(literal(value) for value in get_rank_key(row)))
    listed = build_listed_condition(recents, row.guild_id, row.game)
    return 1 + (await connection.scalar(select(func.count()).select_from(recents).where(*listed, before)) or 0)


def _build_rated_query(guild_id: int, game: str) -> Any:
    same = (*build_board_condition(standings, guild_id, game), standings.c.user_id == recents.c.user_id)
    joined = select(recents, standings.c.mu, standings.c.sigma, standings.c.opponents).outerjoin_from(
        recents, standings, and_(*same)
    )
    return joined.where(*build_board_condition(recents, guild_id, game))


async def _load_period_start(connection: AsyncConnection, *, lock: bool = False) -> int:
    """Return the start of the period; `lock` locks it."""
    query = select(spans.c.since).where(spans.c.name == RECENT)
    return int((await connection.execute(query.with_for_update() if lock else query)).scalar_one())


def _build_removal_row(guild_id: int, row: Row[Any]) -> dict[str, Any]:
    return _build_sum_row(guild_id, row._asdict(), -1) | {"hidden": False, "met": 0}


def _build_sum_row(guild_id: int, line: Mapping[str, Any], sign: int) -> dict[str, Any]:
    return {
        "guild_id": guild_id,
        "game": line["game"],
        "user_id": line["user_id"],
        "matches": sign,
        "rated": sign * line["rated"],
        "wins": sign * (line["won"] and line["counts_everywhere" if guild_id == EVERYWHERE else "counts"]),
        "points": sign * line["score"],
        "average": float(line["score"]),
    }


async def _apply_sums(connection: AsyncConnection, changes: Iterable[dict[str, Any]]) -> None:
    rows = sorted(changes, key=lambda row: (row["guild_id"], row["game"], row["user_id"]))
    if not rows:
        return
    await connection.execute(_build_upsert(connection), rows)
    removals = [
        {"guild": row["guild_id"], "cut": row["game"], "user": row["user_id"]} for row in rows if row["matches"] < 0
    ]
    if removals:
        mine = (recents.c.game == bindparam("cut"), recents.c.user_id == bindparam("user"))
        # An erased user or guild had no line to subtract from.
        empty = (recents.c.guild_id == bindparam("guild"), *mine, recents.c.matches <= 0)
        await connection.execute(delete(recents).where(*empty), removals)


def _build_upsert(connection: AsyncConnection) -> sqlite.Insert | postgresql.Insert:
    new = insert_into(recents, connection.dialect.name)
    sums = {name: recents.c[name] + new.excluded[name] for name in _SUMS}
    changed = {
        **sums,
        "met": case((and_(sums["rated"] > 0, or_(recents.c.met > 0, new.excluded.met > 0)), 1), else_=0),
        "average": func.coalesce(cast(sums["points"], Double) / func.nullif(sums["matches"], 0), 0.0),
    }
    return new.on_conflict_do_update(index_elements=["guild_id", "game", "user_id"], set_=changed)
