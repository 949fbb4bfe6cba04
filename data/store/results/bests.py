"""The most that people have reached on a server, and in which match; and so the records of a server.

A fold of the results of matches with other people, in the order in which they ended. It is kept twice: of all of them,
for a person's own card, and of those alone that count (`standings.COUNTS`), so that nobody sets a server's records
against an account of their own.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.engines import insert_into
from data.store.results.scores import EVERYWHERE
from data.store.results.tables import BESTS, bests

_CHUNK: Final = 1000

_KEY: Final = (bests.c.guild_id, bests.c.game, bests.c.counted, bests.c.user_id)


class Best(NamedTuple):
    """How much it is, and in which match it was reached first."""

    value: int
    match_id: int


class RecordLine(NamedTuple):
    """Somebody's best, as it stands among those of others."""

    user_id: int
    value: int
    match_id: int


@dataclass(frozen=True, slots=True)
class Reached:
    """What somebody has reached by now."""

    best: Mapping[str, Best] = field(default_factory=dict)
    """By what it is of (`BESTS`); what was never reached is missing."""
    running: int = 0
    """Matches won in a row up to now."""

    def after(self, line: Mapping[str, Any]) -> "Reached":
        """The same after one more result, a line of `results`."""
        # A first place that nobody played for neither is a win nor ends a row of them.
        worthless = line["place"] == 1 and line["finished"] and not line["won"]
        running = self.running + 1 if line["won"] else self.running if worthless else 0
        made = {
            "move": line["best_move"] or None,
            "score": line["score"],
            "hexagons": line["hexagons"] or None,
            "streak": running if line["won"] else None,
            "longest": line["moves"] or None,
        }
        best = dict(self.best)
        for kind, value in made.items():
            if value is not None and (kind not in best or value > best[kind].value):
                best[kind] = Best(value, line["match_id"])
        return Reached(best, running)


class Folded:
    """What everybody has reached, added up from all results in their order."""

    def __init__(self) -> None:
        self.of: dict[tuple[int, str, bool, int], Reached] = defaultdict(Reached)
        """By server, game, whether only what counts is among it, and person."""

    def add(self, line: Mapping[str, Any]) -> None:
        """One more result."""
        for counted in _kept_as(line):
            key = (line["guild_id"], line["game"], counted, line["user_id"])
            self.of[key] = self.of[key].after(line)


async def fold_in(connection: AsyncConnection, lines: Sequence[Mapping[str, Any]], hidden: Collection[int]) -> None:
    """A match has ended; its lines are as they went into the results. The caller holds the standings of its people."""
    replay_loaded = Folded()
    lines = [line for line in lines if _kept_as(line)]
    if not lines:
        return
    guild_id, game = lines[0]["guild_id"], lines[0]["game"]
    users = [line["user_id"] for line in lines]
    mine = (bests.c.guild_id == guild_id, bests.c.game == game, bests.c.user_id.in_(users))
    for row in await connection.execute(select(bests).where(*mine, bests.c.counted.in_((False, True)))):
        replay_loaded.of[guild_id, game, row.counted, row.user_id] = reached_in(row._mapping)
    for line in lines:
        replay_loaded.add(line)
    added = insert_into(bests, connection.dialect.name)
    changed = {column.name: added.excluded[column.name] for column in bests.c if column not in _KEY}
    await connection.execute(
        added.on_conflict_do_update(index_elements=list(_KEY), set_=changed), _rows(replay_loaded, hidden)
    )


async def rebuild_bests(connection: AsyncConnection, replay_loaded: Folded, hidden: Collection[int]) -> None:
    """This is all that was reached."""
    await connection.execute(delete(bests))
    rows = _rows(replay_loaded, hidden)
    for start in range(0, len(rows), _CHUNK):
        await connection.execute(insert(bests), rows[start : start + _CHUNK])


def _kept_as(line: Mapping[str, Any]) -> tuple[bool, ...]:
    """In which of the two folds a result stands: one on a server, of a match with other people."""
    if line["people"] < 2 or line["guild_id"] == EVERYWHERE:
        return ()
    return (False, True) if line["counts"] else (False,)


def reached_in(row: Mapping[Any, Any]) -> Reached:
    """A row of `bests` as a value."""
    best = {kind: Best(row[kind], row[f"{kind}_match"]) for kind in BESTS if row[kind] is not None}
    return Reached(best, row["running"])


def _rows(replay_loaded: Folded, hidden: Collection[int]) -> list[dict[str, Any]]:
    rows = []
    for (guild_id, game, counted, user_id), reached in sorted(replay_loaded.of.items()):
        row: dict[str, Any] = {"guild_id": guild_id, "game": game, "counted": counted, "user_id": user_id}
        for kind in BESTS:
            row[kind], row[f"{kind}_match"] = reached.best.get(kind, (None, None))
        rows.append(row | {"hidden": user_id in hidden, "running": reached.running})
    return rows
