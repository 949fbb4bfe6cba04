"""The ratings of puzzles as a fold of the tries: each try that counts and has ended says what it made of its puzzle.

So they are the same after `boneyard recount`, and nothing is left in them of whoever was forgotten.
"""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import ColumnElement, case, delete, func, insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.puzzle_tables import puzzle_ratings, puzzle_tries

Puzzles = Sequence[tuple[str, str]]
"""Games, and days like `2026-11-02`."""

_CHUNK: Final = 400
"""So many are named in one statement."""


async def rebuild_puzzles(connection: AsyncConnection) -> int:
    """Fold the ratings of all puzzles anew; of how many."""
    await connection.execute(delete(puzzle_ratings))
    return await _fold(connection)


async def rated_with(connection: AsyncConnection, user_id: int) -> Puzzles:
    """The puzzles whose ratings somebody has a part in. Whoever tries one of them meanwhile waits."""
    tried = puzzle_tries.c
    theirs = (
        select(tried.game, tried.day)
        .where(tried.user_id == user_id, tried.puzzle_mu.is_not(None))
        .order_by(tried.day, tried.game)
    )
    found = [(row.game, row.day) for row in await connection.execute(theirs)]
    for some in _chunks(found):
        # In the order in which tries that are settled together take them: nobody waits in a ring.
        held = select(puzzle_ratings.c.day).where(_among(puzzle_ratings.c, some))
        await connection.execute(held.order_by(puzzle_ratings.c.day, puzzle_ratings.c.game).with_for_update())
    return found


async def refold(connection: AsyncConnection, puzzles: Puzzles) -> None:
    """Fold the ratings of these anew; of one that nobody has tried any more nothing is left."""
    for some in _chunks(puzzles):
        await connection.execute(delete(puzzle_ratings).where(_among(puzzle_ratings.c, some)))
        await _fold(connection, _among(puzzle_tries.c, some))


async def _fold(connection: AsyncConnection, *which: ColumnElement[bool]) -> int:
    tried = puzzle_tries.c
    puzzle = (tried.game, tried.day)
    # With every try a puzzle is known better, so the surest is the latest, also where a clock was set back.
    latest = func.row_number().over(
        partition_by=puzzle, order_by=(tried.puzzle_sigma, tried.ended_at.desc(), tried.user_id)
    )
    folded = (
        select(
            *puzzle,
            tried.puzzle_mu,
            tried.puzzle_sigma,
            func.count().over(partition_by=puzzle).label("tried"),
            func.sum(case((tried.solved, 1), else_=0)).over(partition_by=puzzle).label("solved"),
            latest.label("latest"),
        )
        .where(tried.counted, tried.puzzle_mu.is_not(None), *which)
        .subquery()
    )
    one_each = select(*list(folded.c)[:-1]).where(folded.c.latest == 1)
    names = ("game", "day", "mu", "sigma", "tried", "solved")
    return (await connection.execute(insert(puzzle_ratings).from_select(names, one_each))).rowcount


def _among(columns: object, some: Collection[tuple[str, str]]) -> ColumnElement[bool]:
    return tuple_(columns.game, columns.day).in_(list(some))  # type: ignore[attr-defined]


def _chunks(puzzles: Puzzles) -> list[Puzzles]:
    return [puzzles[start : start + _CHUNK] for start in range(0, len(puzzles), _CHUNK)]
