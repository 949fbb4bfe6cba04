"""The best values of users in a guild with their matches, and so the records of a guild.

Computed from the results of matches with other users, in the order of their end. Stored twice: of all matches, for a
user's card, and of those that count (`COUNTS`), so that a second account of a user sets no records.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_into
from data.store.results.scores import EVERYWHERE
from data.store.results.tables import BESTS, bests, build_board_condition

_CHUNK: Final = 1000
_KEY: Final = (bests.c.guild_id, bests.c.game, bests.c.counted, bests.c.user_id)


class Best(NamedTuple):
    value: int
    match_id: int


class RecordLine(NamedTuple):
    user_id: int
    value: int
    match_id: int


@dataclass(frozen=True, slots=True)
class UserBests:
    best: Mapping[str, Best] = field(default_factory=dict)
    """By kind (`BESTS`); kinds without a value are missing."""
    streak: int = 0
    """Current winning streak."""

    def with_result(self, line: Mapping[str, Any]) -> "UserBests":
        # An uncontested first place is no win, but keeps a winning streak.
        is_uncontested = line["place"] == 1 and line["finished"] and not line["won"]
        running = self.streak + 1 if line["won"] else self.streak if is_uncontested else 0
        values = {
            "move": line["best_move"] or None,
            "score": line["score"],
            "hexagons": line["hexagons"] or None,
            "streak": running if line["won"] else None,
            "longest": line["moves"] or None,
        }
        best = dict(self.best)
        for kind, value in values.items():
            if value is not None and (kind not in best or value > best[kind].value):
                best[kind] = Best(value, line["match_id"])
        return UserBests(best, running)


class BestsAccumulator:
    """The best values of all users, computed from all results in order."""

    def __init__(self) -> None:
        self.by_user: dict[tuple[int, str, bool, int], UserBests] = defaultdict(UserBests)
        """By guild, game, whether only matches that count, and user."""

    def add(self, line: Mapping[str, Any]) -> None:
        for counted in _list_result_sets(line):
            key = (line["guild_id"], line["game"], counted, line["user_id"])
            self.by_user[key] = self.by_user[key].with_result(line)


async def add_results(connection: AsyncConnection, lines: Sequence[Mapping[str, Any]], hidden: Collection[int]) -> None:
    """Add the lines of a match that has ended. The caller holds the standings of its users."""
    accumulator = BestsAccumulator()
    lines = [line for line in lines if _list_result_sets(line)]
    if not lines:
        return
    guild_id, game = lines[0]["guild_id"], lines[0]["game"]
    users = [line["user_id"] for line in lines]
    mine = (*build_board_condition(bests, guild_id, game), bests.c.user_id.in_(users))
    for row in await connection.execute(select(bests).where(*mine, bests.c.counted.in_((False, True)))):
        accumulator.by_user[guild_id, game, row.counted, row.user_id] = to_user_bests(row._mapping)
    for line in lines:
        accumulator.add(line)
    added = insert_into(bests, connection.dialect.name)
    changed = {column.name: added.excluded[column.name] for column in bests.c if column not in _KEY}
    await connection.execute(
        added.on_conflict_do_update(index_elements=list(_KEY), set_=changed), _build_rows(accumulator, hidden)
    )


async def rebuild_bests(connection: AsyncConnection, accumulator: BestsAccumulator, hidden: Collection[int]) -> None:
    await connection.execute(delete(bests))
    rows = _build_rows(accumulator, hidden)
    for start in range(0, len(rows), _CHUNK):
        await connection.execute(insert(bests), rows[start : start + _CHUNK])


def _list_result_sets(line: Mapping[str, Any]) -> tuple[bool, ...]:
    """Return for which of the two sets a result is used: those of matches in a guild with other users."""
    if line["people"] < 2 or line["guild_id"] == EVERYWHERE:
        return ()
    return (False, True) if line["counts"] else (False,)


def to_user_bests(row: Mapping[Any, Any]) -> UserBests:
    best = {kind: Best(row[kind], row[f"{kind}_match"]) for kind in BESTS if row[kind] is not None}
    return UserBests(best, row["running"])


def _build_rows(accumulator: BestsAccumulator, hidden: Collection[int]) -> list[dict[str, Any]]:
    rows = []
    for (guild_id, game, counted, user_id), reached in sorted(accumulator.by_user.items()):
        row: dict[str, Any] = {"guild_id": guild_id, "game": game, "counted": counted, "user_id": user_id}
        for kind in BESTS:
            row[kind], row[f"{kind}_match"] = reached.best.get(kind, (None, None))
        rows.append(row | {"hidden": user_id in hidden, "running": reached.streak})
    return rows
