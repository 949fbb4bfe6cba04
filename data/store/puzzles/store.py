"""Daily puzzles: tries of users, and results that they shared.

Each try is one transaction, so that the limit of tries holds. A rating is written with the try that ends a puzzle;
`rate` computes it.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    Index,
    Integer,
    Row,
    Select,
    String,
    Text,
    case,
    delete,
    exists,
    false,
    func,
    insert,
    literal,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from data.store.connection import hooks
from data.store.connection.bodies import check_text, read_body, register_body
from data.store.connection.engines import insert_if_missing
from data.store.connection.repository import Repository, build_read_method, read_transaction, write_transaction
from data.store.connection.schema import build_columns, build_key, build_table, bypass_index, to_row, to_value
from data.store.puzzles.tries import MAX_TRIES, PuzzleRating, PuzzleTry, RatePuzzle
from data.store.results.scores import Rating
from data.store.results.tables import results

puzzle_tries = build_table(
    "puzzle_tries",
    *build_key(user_id=BigInteger, game=String(40), day=String(10)),
    # Counts for streak and rating: begun on its day, and ended soon after.
    Column("counted", Boolean, nullable=False),
    Column("hinted", Boolean, nullable=False, server_default=false()),
    # Answers in order, separated by spaces.
    Column("answers", Text, nullable=False, server_default=""),
    # NULL while it is open.
    Column("solved", Boolean),
    Column("begun_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # The user's rating after it, if it counts.
    *build_columns(Double, "mu", "sigma", nullable=True),
    # The puzzle's rating after it, if it counts.
    *build_columns(Double, "puzzle_mu", "puzzle_sigma", nullable=True),
    Index("ix_puzzle_tries_ended", "user_id", "game", "counted", "ended_at"),
)

puzzle_shares = build_table(
    "puzzle_shares",
    *build_key(guild_id=BigInteger, game=String(40), day=String(10), user_id=BigInteger),
    Column("at", BigInteger, nullable=False),
    # The sort key in the table of the day; NULL if not in it.
    Column("ranked", BigInteger),
    Index("ix_puzzle_shares_user", "user_id"),
    Index("ix_puzzle_shares_table", "guild_id", "game", "day", "ranked"),
)

puzzle_ratings = build_table(
    "puzzle_ratings",
    # Ratings of puzzles, without users.
    *build_key(game=String(40), day=String(10)),
    *build_columns(Double, "mu", "sigma"),
    *build_columns(Integer, "tried", "solved"),
)


async def _rate(connection: AsyncConnection, user_id: int, game: str, day: str, rate: RatePuzzle) -> None:
    ended = await _load_try(connection, user_id, game, day)
    # A lock for users who end the same puzzle at the same time, including the first ones.
    unrated = {"game": game, "day": day, "mu": 0.0, "sigma": 0.0, "tried": 0, "solved": 0}
    await insert_if_missing(connection, puzzle_ratings, unrated)
    this_puzzle = puzzle_ratings.c.game == game, puzzle_ratings.c.day == day
    await connection.execute(select(puzzle_ratings.c.day).where(*this_puzzle).with_for_update())
    known = await find_puzzle_rating(connection, game, day)
    mine, theirs = rate(
        await find_solver_rating(connection, user_id, game), None if known is None else known.rating, ended
    )
    step = {"mu": mine.mu, "sigma": mine.sigma, "puzzle_mu": theirs.mu, "puzzle_sigma": theirs.sigma}
    await connection.execute(update(puzzle_tries).where(*_build_key_condition(user_id, game, day)).values(**step))
    solved = int(bool(ended.solved))
    now = {"tried": 1 + (known.tried if known else 0), "solved": solved + (known.solved if known else 0)}
    changed = {"mu": theirs.mu, "sigma": theirs.sigma, **now}
    await connection.execute(update(puzzle_ratings).where(*this_puzzle).values(**changed))


async def find_solver_rating(connection: AsyncConnection, user_id: int, game: str) -> Rating | None:
    """Return a user's puzzle rating in a game; None before the first puzzle that counts."""
    query = (
        select(puzzle_tries.c.mu, puzzle_tries.c.sigma)
        .where(puzzle_tries.c.user_id == user_id, puzzle_tries.c.game == game, puzzle_tries.c.counted)
        .where(puzzle_tries.c.mu.is_not(None))
        .order_by(puzzle_tries.c.ended_at.desc(), puzzle_tries.c.day.desc())
        .limit(1)
    )
    row = (await connection.execute(query)).first()
    return None if row is None else Rating(row.mu, row.sigma)


async def find_puzzle_rating(connection: AsyncConnection, game: str, day: str) -> PuzzleRating | None:
    """Return the difficulty of a puzzle; None before a user has ended it."""
    mine = (puzzle_ratings.c.game == game, puzzle_ratings.c.day == day)
    row = (await connection.execute(select(puzzle_ratings).where(*mine))).first()
    return None if row is None or not row.tried else PuzzleRating(Rating(row.mu, row.sigma), row.tried, row.solved)


def _build_key_condition(user_id: int, game: str, day: str) -> tuple[Any, ...]:
    return puzzle_tries.c.user_id == user_id, puzzle_tries.c.game == game, puzzle_tries.c.day == day


def _build_try_query(user_id: int, game: str, day: str) -> Select[Any]:
    return select(puzzle_tries).where(*_build_key_condition(user_id, game, day))


async def _load_try(connection: AsyncConnection, user_id: int, game: str, day: str) -> PuzzleTry:
    return to_try((await connection.execute(_build_try_query(user_id, game, day))).one())


_ANSWERS: Final = re.compile(r"[\w,=@+ -]*", re.ASCII)


def parse_answers(text: str) -> tuple[str, ...]:
    """Raises ValueError."""
    if _ANSWERS.fullmatch(check_text(text)) is None:
        raise ValueError("these are no answers")
    return tuple(text.split())


register_body(puzzle_tries.c.answers, lambda row: parse_answers(row.answers))


def to_try(row: Row[Any]) -> PuzzleTry:
    """Return the try of a row; garbled answers count as none."""
    rating = None if row.mu is None else Rating(row.mu, row.sigma)
    none: tuple[str, ...] = ()
    return to_value(PuzzleTry, row, answers=read_body(parse_answers, row.answers, none), rating=rating)


Puzzles = Sequence[tuple[str, str]]
"""Games, and days like `2026-11-02`."""

hooks.register_user_table(puzzle_tries)
hooks.register_user_table(puzzle_shares)
hooks.register_guild_column(puzzle_shares.c.guild_id)

_CHUNK: Final = 400


async def rebuild_puzzles(connection: AsyncConnection) -> int:
    """Compute the ratings of all puzzles from the tries; return how many. The result is the same."""
    await connection.execute(delete(puzzle_ratings))
    return await _insert_ratings(connection)


hooks.register_rebuilders(puzzles=rebuild_puzzles)


@hooks.register_user_eraser
async def erase_tries(connection: AsyncConnection, user_id: int) -> bool:
    tried = await lock_rated_puzzles(connection, user_id)
    gone = await connection.execute(delete(puzzle_tries).where(puzzle_tries.c.user_id == user_id))
    await recompute_ratings(connection, tried)
    return gone.rowcount > 0


@hooks.register_guild_purger
async def purge_shares(connection: AsyncConnection, guild_id: int) -> None:
    await connection.execute(delete(puzzle_shares).where(puzzle_shares.c.guild_id == guild_id))


async def lock_rated_puzzles(connection: AsyncConnection, user_id: int) -> Puzzles:
    """Return and lock the puzzles whose ratings depend on a user's tries."""
    tried = puzzle_tries.c
    theirs = (
        select(tried.game, tried.day)
        .where(tried.user_id == user_id, tried.puzzle_mu.is_not(None))
        .order_by(tried.day, tried.game)
    )
    found = [(row.game, row.day) for row in await connection.execute(theirs)]
    for some in _split_chunks(found):
        # In the order of tries that end together, to prevent deadlocks.
        held = select(puzzle_ratings.c.day).where(_build_puzzle_condition(puzzle_ratings.c, some))
        await connection.execute(held.order_by(puzzle_ratings.c.day, puzzle_ratings.c.game).with_for_update())
    return found


async def recompute_ratings(connection: AsyncConnection, puzzles: Puzzles) -> None:
    """Compute the ratings of these puzzles again; delete those without tries."""
    for some in _split_chunks(puzzles):
        await connection.execute(delete(puzzle_ratings).where(_build_puzzle_condition(puzzle_ratings.c, some)))
        await _insert_ratings(connection, _build_puzzle_condition(puzzle_tries.c, some))


async def _insert_ratings(connection: AsyncConnection, *which: ColumnElement[bool]) -> int:
    tried = puzzle_tries.c
    puzzle = (tried.game, tried.day)
    # Each try makes a puzzle's rating more certain, so the most certain one is the latest, even after a clock was set
    # back.
    latest = func.row_number().over(
        partition_by=puzzle, order_by=(tried.puzzle_sigma, tried.ended_at.desc(), tried.user_id)
    )
    ranked_tries = (
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
    one_each = select(*list(ranked_tries.c)[:-1]).where(ranked_tries.c.latest == 1)
    names = ("game", "day", "mu", "sigma", "tried", "solved")
    return (await connection.execute(insert(puzzle_ratings).from_select(names, one_each))).rowcount


def _build_puzzle_condition(columns: object, some: Collection[tuple[str, str]]) -> ColumnElement[bool]:
    return tuple_(columns.game, columns.day).in_(list(some))  # type: ignore[attr-defined]


def _split_chunks(puzzles: Puzzles) -> list[Puzzles]:
    return [puzzles[start : start + _CHUNK] for start in range(0, len(puzzles), _CHUNK)]


ShareResult = Literal["listed", "unlisted", "before"]
"""Whether a shared result is in the table of the day from now on, or was shared before."""
_TIME_FACTOR: Final = 10**13
"""Greater than every time in ms: the result is compared first, then the time."""


def compute_sort_key(tried: PuzzleTry) -> int:
    """Return a sort key, lower for a better try: solved, fewer tries, without the hint, earlier."""
    penalty = 100 * (not tried.solved) + 10 * (len(tried.answers) - 1) + tried.hinted
    return penalty * _TIME_FACTOR + (tried.ended_at or 0)


async def _can_be_listed(connection: AsyncConnection, guild_id: int, tried: PuzzleTry) -> bool:
    here = bypass_index(results.c.guild_id) == guild_id
    theirs = (results.c.user_id == tried.user_id, results.c.ended_at < tried.ended_at)
    mine = exists(literal(1)).where(*theirs, here, results.c.rated)
    anybody = exists(literal(1)).where(results.c.guild_id == guild_id, results.c.rated)
    row = (await connection.execute(select(mine.label("mine"), anybody.label("anybody")))).one()
    return bool(row.mine) or not row.anybody


class PuzzleStore(Repository):
    """Puzzles, by game and by day like `2026-11-02`."""

    find_solver_rating = build_read_method(find_solver_rating)
    find_puzzle_rating = build_read_method(find_puzzle_rating)

    @read_transaction
    async def find_try(self, connection: AsyncConnection, user_id: int, game: str, day: str) -> PuzzleTry | None:
        row = (await connection.execute(_build_try_query(user_id, game, day))).first()
        return None if row is None else to_try(row)

    @write_transaction
    async def begin_puzzle(
        self, connection: AsyncConnection, user_id: int, game: str, day: str, *, counted: bool, now: int
    ) -> PuzzleTry:
        row = {"user_id": user_id, "game": game, "day": day, "counted": counted, "begun_at": now}
        await insert_if_missing(connection, puzzle_tries, row)
        return await _load_try(connection, user_id, game, day)

    @write_transaction
    async def note_hint(self, connection: AsyncConnection, user_id: int, game: str, day: str) -> PuzzleTry:
        """Note that a user took the hint, unless their try is over."""
        open_one = (*_build_key_condition(user_id, game, day), puzzle_tries.c.ended_at.is_(None))
        await connection.execute(update(puzzle_tries).where(*open_one).values(hinted=True))
        return await _load_try(connection, user_id, game, day)

    @write_transaction
    async def add_answer(
        self,
        connection: AsyncConnection,
        user_id: int,
        game: str,
        day: str,
        answer: str,
        *,
        right: bool,
        counts: bool,
        now: int,
        rate: RatePuzzle,
    ) -> PuzzleTry:
        """Add an answer. A repeated answer, or one after the end, does not count as a try."""
        locked = (await connection.execute(_build_try_query(user_id, game, day).with_for_update())).one()
        before = to_try(locked)
        if before.solved is not None or answer in before.answers:
            return before
        answers = (*before.answers, answer)
        ended = right or len(answers) >= MAX_TRIES
        changed = {"answers": " ".join(answers), "counted": before.counted and counts}
        if ended:
            changed |= {"solved": right, "ended_at": now}
        mine = _build_key_condition(user_id, game, day)
        await connection.execute(update(puzzle_tries).where(*mine).values(**changed))
        if ended and changed["counted"]:
            await _rate(connection, user_id, game, day, rate)
        return await _load_try(connection, user_id, game, day)

    @write_transaction
    async def end_puzzles(
        self, connection: AsyncConnection, user_id: int, before: str, *, now: int, rate: RatePuzzle
    ) -> int:
        """End a user's unfinished puzzles of earlier days as unsolved; return how many."""
        tried = puzzle_tries.c
        open_ones = (tried.user_id == user_id, tried.ended_at.is_(None), tried.counted, tried.day < before)
        left = (
            select(tried.game, tried.day)
            .where(*open_ones, (tried.answers != "") | tried.hinted)
            .order_by(tried.day, tried.game)
            .with_for_update()
        )
        rows = (await connection.execute(left)).all()
        for row in rows:
            this = _build_key_condition(user_id, row.game, row.day)
            await connection.execute(update(puzzle_tries).where(*this).values(solved=False, ended_at=now))
            await _rate(connection, user_id, row.game, row.day, rate)
        await connection.execute(update(puzzle_tries).where(*open_ones).values(counted=False))
        return len(rows)

    @read_transaction
    async def list_solved_days(self, connection: AsyncConnection, user_id: int, game: str) -> list[str]:
        query = (
            select(puzzle_tries.c.day)
            .where(puzzle_tries.c.user_id == user_id, puzzle_tries.c.game == game)
            .where(puzzle_tries.c.counted, puzzle_tries.c.solved)
            .order_by(puzzle_tries.c.day.desc())
        )
        return list(await connection.scalars(query))

    @write_transaction
    async def share_puzzle(
        self, connection: AsyncConnection, guild_id: int, tried: PuzzleTry, *, now: int
    ) -> ShareResult:
        listed = await _can_be_listed(connection, guild_id, tried)
        ranked = compute_sort_key(tried) if listed else None
        row = to_row(puzzle_shares, tried, guild_id=guild_id, at=now, ranked=ranked)
        if not await insert_if_missing(connection, puzzle_shares, row):
            return "before"
        return "listed" if listed else "unlisted"

    @write_transaction
    async def unshare_puzzle(
        self, connection: AsyncConnection, guild_id: int, user_id: int, game: str, day: str
    ) -> None:
        shares = puzzle_shares.c
        this = (shares.guild_id == guild_id, shares.user_id == user_id, shares.game == game, shares.day == day)
        await connection.execute(puzzle_shares.delete().where(*this))

    @read_transaction
    async def list_shared_tries(
        self, connection: AsyncConnection, guild_id: int, game: str, day: str, *, limit: int = 10
    ) -> Sequence[PuzzleTry]:
        tried, shares = puzzle_tries.c, puzzle_shares.c
        same = (shares.user_id == tried.user_id) & (shares.game == tried.game) & (shares.day == tried.day)
        query = (
            select(puzzle_tries)
            .select_from(puzzle_shares.join(puzzle_tries, same))
            .where(shares.guild_id == guild_id, shares.game == game, shares.day == day, shares.ranked.is_not(None))
            .order_by(shares.ranked, shares.user_id)
            .limit(limit)
        )
        return [to_try(row) for row in await connection.execute(query)]
