"""Results of finished matches, and the standings folded from them in the same transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, bindparam, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store import bands, recent
from data.store.inserting import insert_unless_there
from data.store.scores import EVERYWHERE, MatchResult, PlayerResult, Rate, Rating, Result
from data.store.tables import results, standings
from data.store.tally import Tally, add_match
from data.store.values import Head

_CHUNK: Final = 1000


async def record_result(connection: AsyncConnection, head: Head, result: MatchResult, now: int) -> None:
    """Write what everybody did, once: the caller has won the head of this match."""
    if not result.players:
        return
    rated = result.rated and len(result.players) > 1
    # The last one is the match's own server, whose rating change the results tell.
    for guild_id in dict.fromkeys((EVERYWHERE, head.guild_id)):
        before = await _locked(connection, guild_id, head.game, result.players, now)
        after = add_match(before, result.players, result.rate, rated=rated)
        await _update(connection, guild_id, head.game, after, now)
        await bands.move_people(connection, _moved(guild_id, head.game, before, after))
        await recent.count_in(connection, guild_id, head.game, result.players, now, rated=rated)
    rows = []
    for player in result.players:
        old = before[player.user_id].rating if rated else None
        new = after[player.user_id].rating if rated else None
        rows.append(
            {
                "match_id": head.match_id,
                "user_id": player.user_id,
                "guild_id": head.guild_id,
                "game": head.game,
                "place": player.place,
                "seats": result.seats,
                "people": len(result.players),
                "score": player.score,
                "best_move": player.best_move,
                "hexagons": player.hexagons,
                "bridges": player.bridges,
                "rated": rated,
                "won": player.place == 1,
                "mu_before": old.mu if old else None,
                "sigma_before": old.sigma if old else None,
                "mu_after": new.mu if new else None,
                "sigma_after": new.sigma if new else None,
                "ended_at": now,
            }
        )
    await connection.execute(insert(results), rows)


async def results_of(connection: AsyncConnection, match_id: int) -> tuple[Result, ...]:
    """Everybody's line of a finished match, best place first."""
    query = select(results).where(results.c.match_id == match_id).order_by(results.c.place, results.c.user_id)
    return tuple(
        Result(
            match_id=row.match_id,
            user_id=row.user_id,
            guild_id=row.guild_id,
            game=row.game,
            place=row.place,
            seats=row.seats,
            people=row.people,
            score=row.score,
            best_move=row.best_move,
            hexagons=row.hexagons,
            bridges=row.bridges,
            rated=row.rated,
            won=row.won,
            before=rating_of(row.mu_before, row.sigma_before),
            after=rating_of(row.mu_after, row.sigma_after),
            ended_at=row.ended_at,
        )
        for row in await connection.execute(query)
    )


def rating_of(mu: float | None, sigma: float | None) -> Rating | None:
    """A rating from two columns that are both there or both empty."""
    return None if mu is None or sigma is None else Rating(mu, sigma)


async def rebuild(connection: AsyncConnection, rate: Rate) -> int:
    """Fold all results anew, in the order they ended: standings hold nothing that results do not. Their number."""
    boards: dict[tuple[int, str], dict[int, Tally]] = {}
    match: list[Row[Any]] = []
    updated: dict[tuple[int, str, int], int] = {}

    def fold() -> None:
        players = [_player(row) for row in match]
        for guild_id in dict.fromkeys((EVERYWHERE, match[0].guild_id)):
            board = boards.setdefault((guild_id, match[0].game), {})
            known = {player.user_id: board[player.user_id] for player in players if player.user_id in board}
            board.update(add_match(known, players, rate, rated=match[0].rated))
            updated.update(((guild_id, match[0].game, player.user_id), match[0].ended_at) for player in players)

    ordered = select(results).order_by(results.c.ended_at, results.c.match_id, results.c.user_id)
    async with connection.stream(ordered) as rows:
        async for row in rows:
            if match and match[0].match_id != row.match_id:
                fold()
                match.clear()
            match.append(row)
    if match:
        fold()
    await connection.execute(delete(standings))
    lines = [
        {
            "guild_id": guild_id,
            "game": game,
            "user_id": user,
            "updated_at": updated[guild_id, game, user],
            **_columns(tally),
        }
        for (guild_id, game), board in boards.items()
        for user, tally in board.items()
    ]
    for start in range(0, len(lines), _CHUNK):
        await connection.execute(insert(standings), lines[start : start + _CHUNK])
    counts = Counter((line["guild_id"], line["game"], bands.band_of(line["ordinal"])) for line in lines)
    await bands.rebuild_bands(connection, counts)
    await recent.rebuild_recent(connection)
    return len(lines)


async def strike_off(connection: AsyncConnection, user_id: int) -> None:
    """Take somebody off every leaderboard. The ratings of whoever played them stand."""
    theirs = standings.c.user_id == user_id
    query = select(standings).where(theirs).order_by(standings.c.guild_id, standings.c.game)
    for row in (await connection.execute(query)).all():
        # One after the other, in the order in which a match that ends takes them: nobody waits in a ring.
        mine = (standings.c.guild_id == row.guild_id, standings.c.game == row.game, theirs)
        gone = (await connection.execute(delete(standings).where(*mine).returning(standings.c.ordinal))).one()
        await bands.move_people(connection, {(row.guild_id, row.game, bands.band_of(gone.ordinal)): -1})


def _moved(
    guild_id: int, game: str, before: Mapping[int, Tally], after: Mapping[int, Tally]
) -> Counter[tuple[int, str, int]]:
    """The people who came into each band, and those who left it as a negative number."""
    changes: Counter[tuple[int, str, int]] = Counter()
    for user, tally in after.items():
        changes[guild_id, game, _band(tally)] += 1
        if before[user].matches:
            changes[guild_id, game, _band(before[user])] -= 1
    return changes


def _band(tally: Tally) -> int:
    return bands.band_of(tally.rating.ordinal if tally.rating else None)


def _player(row: Row[Any]) -> PlayerResult:
    return PlayerResult(
        user_id=row.user_id,
        place=row.place,
        score=row.score,
        best_move=row.best_move,
        hexagons=row.hexagons,
        bridges=row.bridges,
    )


async def _locked(
    connection: AsyncConnection, guild_id: int, game: str, players: Sequence[PlayerResult], now: int
) -> dict[int, Tally]:
    """The standings of these people, made where missing, and held until the transaction ends.

    Two matches of one person may end at once. The second waits here for the first, so no rating is lost; both take
    people in the same order, so they cannot wait for each other.
    """
    users = sorted(player.user_id for player in players)
    rows = [
        {"guild_id": guild_id, "game": game, "user_id": user, "updated_at": now, **_columns(Tally())} for user in users
    ]
    await connection.execute(insert_unless_there(standings, connection.dialect.name), rows)
    query = (
        select(standings)
        .where(standings.c.guild_id == guild_id, standings.c.game == game, standings.c.user_id.in_(users))
        .order_by(standings.c.user_id)
        .with_for_update()
    )
    return {row.user_id: _tally(row) for row in await connection.execute(query)}


async def _update(connection: AsyncConnection, guild_id: int, game: str, tallies: dict[int, Tally], now: int) -> None:
    mine = (standings.c.guild_id == guild_id, standings.c.game == game, standings.c.user_id == bindparam("key"))
    rows = [{"key": user, "updated_at": now, **_columns(tally)} for user, tally in tallies.items()]
    await connection.execute(update(standings).where(*mine), rows)


def _tally(row: Row[Any]) -> Tally:
    return Tally(
        matches=row.matches,
        wins=row.wins,
        points=row.points,
        best_score=row.best_score,
        best_move=row.best_move,
        hexagons=row.hexagons,
        bridges=row.bridges,
        rating=rating_of(row.mu, row.sigma),
    )


def _columns(tally: Tally) -> dict[str, Any]:
    rating = tally.rating
    return {
        "matches": tally.matches,
        "wins": tally.wins,
        "points": tally.points,
        "best_score": tally.best_score,
        "best_move": tally.best_move,
        "hexagons": tally.hexagons,
        "bridges": tally.bridges,
        "mu": rating.mu if rating else None,
        "sigma": rating.sigma if rating else None,
        "ordinal": rating.ordinal if rating else None,
    }
