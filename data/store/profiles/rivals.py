"""Two people beside each other: all matches on a server in which both have a result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection.schema import unindexed
from data.store.results.bests import Best
from data.store.results.tables import results

_THEIRS: Final = results.alias()


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One match of two people."""

    match_id: int
    game: str
    ended_at: int
    ahead: int
    """1 where the first of them came before the other, -1 behind, 0 level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """What two people have done against each other, the first of them first."""

    meetings: tuple[Meeting, ...]
    """In the order in which they ended."""
    points: tuple[int, int] = (0, 0)
    best_moves: tuple[Best | None, Best | None] = (None, None)
    hexagons: tuple[int, int] = (0, 0)
    longest: Best | None = None
    """The match with the most moves; None where they were never counted."""

    @property
    def won(self) -> tuple[int, int]:
        """In how many matches each came before the other."""
        return sum(one.ahead > 0 for one in self.meetings), sum(one.ahead < 0 for one in self.meetings)

    @property
    def level(self) -> int:
        """In how many neither did."""
        return sum(one.ahead == 0 for one in self.meetings)

    @property
    def lead(self) -> tuple[int, ...]:
        """By how many matches the first was ahead, before the first one and after each."""
        found = [0]
        for one in self.meetings:
            found.append(found[-1] + one.ahead)
        return tuple(found)


async def rivalry(
    connection: AsyncConnection, guild_id: int, first: int, second: int, game: str | None = None
) -> Rivalry:
    """Two people on a server, in one game or in all."""
    columns = [
        *(results.c[name] for name in ("match_id", "game", "ended_at", "moves")),
        *(
            table.c[name].label(f"{name}{number}")
            for number, table in enumerate((results, _THEIRS))
            for name in ("place", "finished", "score", "best_move", "hexagons")
        ),
    ]
    both = (results.c.user_id == first, unindexed(results.c.guild_id) == guild_id, _THEIRS.c.user_id == second)
    query = select(*columns).join(_THEIRS, _THEIRS.c.match_id == results.c.match_id).where(*both)
    if game is not None:
        query = query.where(results.c.game == game)
    rows = (await connection.execute(query.order_by(results.c.ended_at, results.c.match_id))).all()
    return Rivalry(
        meetings=tuple(
            Meeting(match_id=row.match_id, game=row.game, ended_at=row.ended_at, ahead=_ahead(row)) for row in rows
        ),
        points=(sum(row.score0 for row in rows), sum(row.score1 for row in rows)),
        best_moves=(_most(rows, "best_move0"), _most(rows, "best_move1")),
        hexagons=(sum(row.hexagons0 for row in rows), sum(row.hexagons1 for row in rows)),
        longest=_most(rows, "moves"),
    )


def _ahead(row: Row[Any]) -> int:
    """Whoever left comes after whoever did not."""
    mine, theirs = (not row.finished0, row.place0), (not row.finished1, row.place1)
    return (mine < theirs) - (mine > theirs)


def _most(rows: Sequence[Row[Any]], name: str) -> Best | None:
    """The highest value of a column, and the first match with it; None where there is none above nought."""
    found = max(rows, key=lambda row: row._mapping[name] or 0, default=None)
    value = found._mapping[name] if found is not None else None
    return Best(value, found.match_id) if found is not None and value else None
