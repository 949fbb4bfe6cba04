"""Results of finished matches, and the standings computed from them in the same transaction."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, delete, func, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_unless_there
from data.store.connection.schema import bypass_index, to_row, to_value
from data.store.connection.tables import matches, participants
from data.store.results import bests, rating_bands, recent
from data.store.results.scores import (
    EVERYWHERE,
    MIN_OPPONENTS,
    History,
    MatchResult,
    PlayerResult,
    Rating,
    RatingStep,
    Result,
    Tally,
)
from data.store.results.tables import bests as best_lines
from data.store.results.tables import build_board_condition, recents, results, standings
from data.store.users import store as users_store
from engine.table.table_state import RUNNING


def add_match(
    before: Mapping[int, Tally],
    players: Sequence[PlayerResult],
    rating_steps: Mapping[int, RatingStep],
    met: Mapping[int, Collection[int]],
) -> dict[int, Tally]:
    """Return the records of these users, by user id, after a match that changed some ratings.

    `met` has the users whom each met before; users who met very many are missing. Raises ValueError for a rating of a
    user who did not play.
    """
    if not rating_steps.keys() <= {player.user_id for player in players}:
        raise ValueError("rate() must answer with ratings of people who played, and of nobody else")
    after = {}
    for player in sorted(players, key=lambda player: player.user_id):
        user, mine = player.user_id, before.get(player.user_id, Tally())
        rating = rating_steps[user].rating if user in rating_steps else mine.rating
        new = set(rating_steps) - {user, *met[user]} if user in rating_steps and user in met else set()
        after[user] = mine.with_match(player, rating, mine.opponents + len(new))
    return after


REPEAT_PERIOD: Final = 30 * 24 * 3600 * 1000
"""Milliseconds for which a match counts as a repeated one with the same users."""
MAX_COUNTED_OPPONENTS: Final = 9
"""Number of opponents after which they are no longer counted."""
MAX_COUNTED_RANKED: Final = 1000
"""Number of ranked users after which they are no longer counted."""
_OTHER_RESULTS: Final = results.alias()


async def load_opponents(
    connection: AsyncConnection, guild_id: int, game: str, before: Mapping[int, Tally]
) -> dict[int, frozenset[int]]:
    """Return the opponents of each user in rated matches of a guild, except for users who met many."""
    fresh = [user for user, tally in before.items() if tally.opponents < MAX_COUNTED_OPPONENTS]
    here = () if guild_id == EVERYWHERE else (bypass_index(results.c.guild_id) == guild_id,)
    found: dict[int, set[int]] = {user: set() for user in fresh}
    if fresh:
        pairs = select(results.c.user_id, _OTHER_RESULTS.c.user_id.label("other")).distinct()
        for row in await connection.execute(pairs.where(*_build_shared_condition(game, fresh), *here)):
            found[row.user_id].add(row.other)
    return {user: frozenset(others) for user, others in found.items()}


async def load_history(
    connection: AsyncConnection, game: str, users: Collection[int], met: Mapping[int, frozenset[int]], now: int
) -> History:
    """Return what these users had to do with each other before; `met` is the result of `load_opponents` for
    everywhere.
    """
    mine, others = results.c, _OTHER_RESULTS.c
    since = mine.ended_at >= now - REPEAT_PERIOD
    pairs = select(mine.user_id, others.user_id.label("other"), func.count().label("matches"))
    among = (*_build_shared_condition(game, users), others.user_id.in_(users), mine.user_id < others.user_id, since)
    counted = await connection.execute(pairs.where(*among).group_by(mine.user_id, others.user_id))
    repeat_counts = {(row.user_id, row.other): row.matches for row in counted}
    unfinished = select(mine.user_id).where(mine.user_id.in_(users), since, mine.finished.is_(False))
    left = Counter(await connection.scalars(unfinished))
    return History(repeat_counts=repeat_counts, opponents=met, unfinished_counts=left)


async def is_established(connection: AsyncConnection, guild_id: int, game: str) -> bool:
    """Return whether more than three recent users of a leaderboard, and a third of all, have a rank."""
    recent_lines = (*build_board_condition(recents, guild_id, game), recents.c.rated > 0)
    mine = (standings.c.guild_id, standings.c.game, standings.c.user_id)
    same = and_(*(column == recents.c[column.name] for column in mine))
    # Ranked users have met several opponents; with both values of `hidden`, the index applies.
    known = select(literal(1)).select_from(recents.join(standings, same))
    has_rank = (recents.c.hidden.in_((False, True)), recents.c.met > 0, standings.c.ordinal.is_not(None))
    ranked = await _count(connection, known.where(*recent_lines, *has_rank))
    if ranked <= MIN_OPPONENTS:
        return False
    everybody = select(literal(1)).where(*recent_lines)
    return ranked >= MAX_COUNTED_RANKED or 3 * ranked >= await _count(connection, everybody)


async def _count(connection: AsyncConnection, rows: Select[int]) -> int:
    counted = select(func.count()).select_from(rows.limit(3 * MAX_COUNTED_RANKED).subquery())
    return await connection.scalar(counted) or 0


def _build_shared_condition(game: str, users: Collection[int]) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for lines of these users in rated matches, joined with those of other users."""
    mine, others = results.c, _OTHER_RESULTS.c
    same = (others.match_id == mine.match_id, others.user_id != mine.user_id, others.rated)
    return mine.user_id.in_(users), mine.game == game, mine.rated, *same


MIN_WIN_WEIGHT: Final = 1 / 3
"""Minimum weight of a match for a win in the recent leaderboard: the first three a month with the same users."""
_CHUNK: Final = 1000


async def record_result(
    connection: AsyncConnection, match_id: int, guild_id: int, game: str, result: MatchResult, now: int
) -> None:
    """Write the results of a match, once: the caller has updated its head."""
    players = result.players
    if not players:
        return
    users = [player.user_id for player in players]
    unlisted = await users_store.list_hidden_users(connection, users)
    hidden = unlisted
    history: History | None = None
    lines: dict[int, dict[str, Any]] = {}
    for board_id in dict.fromkeys((EVERYWHERE, guild_id)):
        hidden = unlisted | (await list_hidden_in_guild(connection, board_id, users) if board_id else set())
        before = await _lock_standings(connection, board_id, game, users, hidden, now)
        met: dict[int, frozenset[int]] = {}
        rating_steps: dict[int, RatingStep] = {}
        if result.rated and len(players) > 1:
            met = await load_opponents(connection, board_id, game, before)
            history = history or await load_history(connection, game, users, met, now)
            ratings = {user: tally.rating for user, tally in sorted(before.items()) if tally.rating is not None}
            known = await is_established(connection, board_id, game)
            ranked = frozenset(user for user, tally in before.items() if tally.rank_value is not None)
            rating_steps = dict(result.rate(ratings, players, replace(history, ranked=ranked if known else None)))
        after = add_match(before, players, rating_steps, met)
        for player in players:
            tally = after[player.user_id]
            line = lines.setdefault(player.user_id, {})
            if board_id == EVERYWHERE:
                is_counted = _is_counted(result, rating_steps.get(player.user_id))
                line |= {"opponents_everywhere": tally.opponents, "counts_everywhere": is_counted}
                line |= _build_rating_columns("_everywhere", tally.rating)
            # The last one is the match's own guild, whose rating change the results have.
            line |= {"match_id": match_id, "guild_id": guild_id, "game": game}
            line |= _build_line(result, player, before[player.user_id], tally, rating_steps.get(player.user_id), now)
        await _update_standings(connection, board_id, game, after, now)
        await rating_bands.apply_changes(connection, _compute_band_changes(board_id, game, before, after, hidden))
        await recent.add_results(connection, board_id, [lines[user] for user in users], hidden)
    await connection.execute(insert(results), [lines[user] for user in users])
    await bests.add_results(connection, [lines[user] for user in users], hidden)


def _is_counted(result: MatchResult, step: RatingStep | None) -> bool:
    return len(result.players) == 1 or (step is not None and step.weight >= MIN_WIN_WEIGHT)


def _build_line(
    result: MatchResult, player: PlayerResult, before: Tally, after: Tally, step: RatingStep | None, now: int
) -> dict[str, Any]:
    old, new = (before.rating, step.rating) if step else (None, None)
    return to_row(
        results,
        player,
        won=player.won,
        seats=result.seats,
        people=len(result.players),
        rated=step is not None,
        counts=_is_counted(result, step),
        opponents=after.opponents,
        moves=result.moves,
        ended_at=now,
        **_build_rating_columns("_before", old),
        **_build_rating_columns("_after", new),
    )


def to_result(row: Row[Any]) -> Result:
    after = to_rating(row.mu_after, row.sigma_after) if row.rated else None
    return to_value(Result, row, before=to_rating(row.mu_before, row.sigma_before), after=after)


def to_rating(mu: float | None, sigma: float | None) -> Rating | None:
    return None if mu is None or sigma is None else Rating(mu, sigma)


async def rebuild(connection: AsyncConnection) -> int:
    """Compute all standings again from the results, and return their number. Rating changes are read, not computed."""
    boards: dict[tuple[int, str, int], Tally] = {}
    updated: dict[tuple[int, str, int], int] = {}
    accumulator = bests.BestsAccumulator()
    ordered = select(results).order_by(results.c.ended_at, results.c.match_id, results.c.user_id)
    async with connection.stream(ordered) as rows:
        async for row in rows:
            accumulator.add(dict(row._mapping))
            for guild_id in dict.fromkeys((EVERYWHERE, row.guild_id)):
                key = (guild_id, row.game, row.user_id)
                before = boards.get(key, Tally())
                rating = to_rating(row.mu_after, row.sigma_after)
                opponents = row.opponents
                if guild_id == EVERYWHERE:
                    rating, opponents = to_rating(row.mu_everywhere, row.sigma_everywhere), row.opponents_everywhere
                boards[key] = before.with_match(
                    _to_player_result(row), rating or before.rating, max(opponents, before.opponents)
                )
                updated[key] = row.ended_at
    hidden = await users_store.list_hidden_users(connection, None)
    hidden_lines = select(standings.c.guild_id, standings.c.user_id).where(standings.c.hidden.is_(True)).distinct()
    departed = [row for row in await connection.execute(hidden_lines) if row.user_id not in hidden]
    await connection.execute(delete(standings))
    lines = [
        {
            "guild_id": guild_id,
            "game": game,
            "user_id": user,
            "hidden": user in hidden,
            "updated_at": updated[guild_id, game, user],
            **_build_columns(tally),
        }
        for (guild_id, game, user), tally in boards.items()
    ]
    for start in range(0, len(lines), _CHUNK):
        await connection.execute(insert(standings), lines[start : start + _CHUNK])
    shown = (line for line in lines if not line["hidden"])
    counts = Counter((line["guild_id"], line["game"], rating_bands.compute_band(line["ordinal"])) for line in shown)
    await rating_bands.rebuild_bands(connection, counts)
    await recent.rebuild_recent(connection, hidden)
    await bests.rebuild_bests(connection, accumulator, hidden)
    for row in departed:
        await set_hidden(connection, row.user_id, True, guild_id=row.guild_id)
    return len(lines)


async def list_hidden_in_guild(connection: AsyncConnection, guild_id: int, users: Collection[int]) -> set[int]:
    """Return the users with hidden lines in a guild: they are hidden everywhere, or have left this guild."""
    mine = (standings.c.guild_id == guild_id, standings.c.user_id.in_(users), standings.c.hidden.is_(True))
    return set(await connection.scalars(select(standings.c.user_id).where(*mine)))


async def set_departed(connection: AsyncConnection, guild_id: int, user_id: int, departed: bool) -> None:
    """Hide a user who has left a guild on its leaderboards, or show them again. The lines are the only record of it."""
    if departed or user_id not in await users_store.list_hidden_users(connection, [user_id]):
        await set_hidden(connection, user_id, departed, guild_id=guild_id)


async def set_hidden(connection: AsyncConnection, user_id: int, hidden: bool, *, guild_id: int | None = None) -> None:
    """Hide a user on the leaderboards of one guild or of all, or show them again. Nothing is deleted."""
    # A match that ends now has read the old preference, and would write it.
    linked = select(participants.c.match_id).where(participants.c.user_id == user_id)
    running = select(matches.c.match_id).where(matches.c.state.in_(RUNNING), matches.c.match_id.in_(linked))
    await connection.execute(running.order_by(matches.c.match_id).with_for_update())
    key = {"user_id": user_id} | ({} if guild_id is None else {"guild_id": guild_id})
    theirs = (*(standings.c[name] == value for name, value in key.items()), standings.c.hidden.is_(not hidden))
    for mine in await _list_standing_conditions(connection, *theirs):
        change = update(standings).where(mine, *theirs).values(hidden=hidden).returning(standings)
        row = (await connection.execute(change)).one_or_none()
        if row is not None:
            await rating_bands.apply_changes(connection, {_get_band(row): -1 if hidden else 1})
    for table in (recents, best_lines):
        await connection.execute(update(table).filter_by(**key).values(hidden=hidden))


async def delete_standings(connection: AsyncConnection, user_id: int) -> None:
    """Delete a user from all leaderboards. The ratings of their opponents stay."""
    theirs = standings.c.user_id == user_id
    for mine in await _list_standing_conditions(connection, theirs):
        row = (await connection.execute(delete(standings).where(mine, theirs).returning(standings))).one_or_none()
        if row is not None and not row.hidden:
            await rating_bands.apply_changes(connection, {_get_band(row): -1})


async def _list_standing_conditions(
    connection: AsyncConnection, *theirs: ColumnElement[bool]
) -> list[ColumnElement[bool]]:
    """Return a condition for each standing, in the order in which a match that ends locks them."""
    key = (standings.c.guild_id, standings.c.game)
    found = (await connection.execute(select(*key).where(*theirs).order_by(*key))).all()
    return [and_(*build_board_condition(standings, row.guild_id, row.game)) for row in found]


def _get_band(row: Row[Any]) -> tuple[int, str, int]:
    return row.guild_id, row.game, rating_bands.compute_band(row.ordinal)


def _compute_band_changes(
    guild_id: int, game: str, before: Mapping[int, Tally], after: Mapping[int, Tally], hidden: Collection[int]
) -> Counter[tuple[int, str, int]]:
    changes: Counter[tuple[int, str, int]] = Counter()
    for user, tally in after.items():
        if user in hidden:
            continue
        changes[guild_id, game, rating_bands.compute_band(tally.rank_value)] += 1
        if before[user].matches:
            changes[guild_id, game, rating_bands.compute_band(before[user].rank_value)] -= 1
    return changes


def _to_player_result(row: Row[Any]) -> PlayerResult:
    empty = row.place == 1 and row.finished and not row.won
    return to_value(PlayerResult, row, fair=True, weight=1.0, empty=empty)


async def _lock_standings(
    connection: AsyncConnection,
    guild_id: int,
    game: str,
    user_ids: Sequence[int],
    hidden: Collection[int],
    now: int,
) -> dict[int, Tally]:
    """Return and lock the standings of these users; insert missing ones.

    Two matches of one user may end at once. The second waits, so no rating is lost; both lock users in the same order.
    """
    users = sorted(user_ids)
    defaults = {"guild_id": guild_id, "game": game, "updated_at": now, **_build_columns(Tally())}
    rows = [{"user_id": user, "hidden": user in hidden, **defaults} for user in users]
    await connection.execute(insert_unless_there(standings, connection.dialect.name), rows)
    query = (
        select(standings)
        .where(*build_board_condition(standings, guild_id, game), standings.c.user_id.in_(users))
        .order_by(standings.c.user_id)
        .with_for_update()
    )
    found = await connection.execute(query)
    return {row.user_id: to_value(Tally, row, rating=to_rating(row.mu, row.sigma)) for row in found}


async def _update_standings(
    connection: AsyncConnection, guild_id: int, game: str, tallies: dict[int, Tally], now: int
) -> None:
    mine = (*build_board_condition(standings, guild_id, game), standings.c.user_id == bindparam("key"))
    rows = [{"key": user, "updated_at": now, **_build_columns(tally)} for user, tally in tallies.items()]
    await connection.execute(update(standings).where(*mine), rows)


def _build_columns(tally: Tally) -> dict[str, Any]:
    return to_row(standings, tally, ordinal=tally.rank_value, **_build_rating_columns("", tally.rating))


def _build_rating_columns(suffix: str, rating: Rating | None) -> dict[str, float | None]:
    return {f"mu{suffix}": rating.mu if rating else None, f"sigma{suffix}": rating.sigma if rating else None}
