"""Growth: what a move, a picture and a leaderboard cost when there is more of everything.

`python -m tests.bench.growth --results 1000000 --pictures docs/pictures` measures all of it and draws it; the rows of
the table are the part that has a goal. All times are CPU, of the whole process.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated, Any, Final, TypeVar

import typer

from data.store import EVERYWHERE, Search, Store
from engine.seen import Seen
from render import table_picture
from tests.bench.boards import NAMES, captions, course
from tests.bench.growth_books import GAME, Books, written
from tests.bench.measure import FULL, Effort, Work, cost
from tests.bench.positions import full_hands
from tests.bench.rows import row

T = TypeVar("T")
MANY, SOME, FEW = 1_000_000, 50_000, 500
"""Results in a database: what the goals speak of, what a short run makes do with, and hardly any."""
TIMES: Final = 15
PLOT: Final = Effort(pairs=3, seconds=0.15)
HANDS: Final = (1, 3, 9, 15, 21, 30)
"""Tiles in a hand of Quad-Ominos, which can grow."""


@dataclass(frozen=True)
class Asked:
    """What somebody waits for who opens a leaderboard, in ms of CPU; the slowest page counts."""

    ever: float
    lately: float
    people: int
    """Lines of the longest leaderboard."""
    match: float
    """Reading a match and finding the moves of whoever is to move."""
    history: float
    """A page of somebody's matches."""
    card: float
    rivals: float
    records: float


class _Desk:
    """A database with an open match, and a loop to ask it."""

    def __init__(self, folder: Path, results: int) -> None:
        self.runner = asyncio.Runner()
        self.books: Books = self.runner.run(written(folder, results))
        self.store: Store = self.runner.run(Store.open(self.books.url))

    def ms(self, ask: Callable[[], Awaitable[object]]) -> float:
        """CPU ms of one question, the median of some."""

        async def times() -> float:
            await ask()
            found = []
            for _ in range(TIMES):
                start = process_time()
                await ask()
                found.append(process_time() - start)
            return 1000 * median(found)

        return self.runner.run(times())

    def close(self) -> None:
        """Let go of it."""
        self.runner.run(self.store.close())
        self.runner.close()

    # -- questions

    def board(self, *, lately: bool) -> tuple[float, int]:
        """A page and one's own rank together, on the slowest of three pages here and everywhere; and how many lines."""
        slowest, longest = 0.0, 0
        for guild in (self.books.guild, EVERYWHERE):
            first = self.runner.run(self.store.leaderboard(guild, GAME, lately=lately))
            longest = max(longest, first.total)
            for page in (0, first.pages // 2, first.pages - 1):
                user = self.books.users[page % len(self.books.users)]
                slowest = max(slowest, self.ms(partial(self._both, guild, page, user, lately=lately)))
        return slowest, longest

    async def _both(self, guild: int, page: int, user: int, *, lately: bool) -> None:
        await self.store.leaderboard(guild, GAME, lately=lately, page=page)
        await self.store.own_rank(guild, GAME, user, lately=lately)

    def match(self) -> float:
        """Reading a match and finding its moves."""

        async def read() -> None:
            await self.store.head(self.books.match)
            await self.store.load(self.books.match)

        return self.ms(read)

    def history(self) -> float:
        """A page of the matches of whoever has most, the slowest of some, with the months there are."""
        slowest = 0.0
        for other in (None, self.books.rival):
            search = Search(user_id=self.books.busiest, guild_id=self.books.guild, other=other)
            last = self.runner.run(self.store.history(search)).pages - 1
            for page in (0, last // 2, last):
                slowest = max(slowest, self.ms(partial(self._page, search, page)))
        return slowest

    async def _page(self, search: Search, page: int) -> None:
        await self.store.history(search, page=page)
        await self.store.months_played(search.user_id, search.guild_id)

    def card(self) -> float:
        """All that stands on the card of whoever has most matches."""
        user, guild = self.books.busiest, self.books.guild

        async def read() -> None:
            await self.store.profile(user, guild, GAME)
            await self.store.lately_played(user, guild, GAME)
            await self.store.bests(user, guild, GAME)
            await self.store.records(guild, GAME, most=1)

        return self.ms(read)

    def rivals(self) -> float:
        """The two who have met most often beside each other."""
        first, second = self.books.busiest, self.books.rival
        return self.ms(lambda: self.store.rivalry(self.books.guild, first, second))

    def records(self) -> float:
        """The records of the server with most matches."""
        return self.ms(lambda: self.store.records(self.books.guild, GAME))

    def all(self) -> Asked:
        """Everything."""
        ever, people = self.board(lately=False)
        lately = self.board(lately=True)[0]
        return Asked(ever, lately, people, self.match(), self.history(), self.card(), self.rivals(), self.records())


@contextmanager
def _desk(results: int) -> Iterator[_Desk]:
    with tempfile.TemporaryDirectory() as name:
        desk = _Desk(Path(name), results)
        try:
            yield desk
        finally:
            desk.close()


_known: dict[int, Asked] = {}


def asked(results: int) -> Asked:
    """The answers beside so many results. The database is made once and thrown away."""
    if results not in _known:
        with _desk(results) as desk:
            _known[results] = desk.all()
    return _known[results]


def _many(effort: Effort) -> int:
    return MANY if effort == FULL else SOME


@row("leaderboard of all time at 1 M results: a page and one's own rank", goal=20, better="less", unit="ms")
def leaderboard_ever(effort: Effort) -> float:
    return asked(_many(effort)).ever


@row("leaderboard of the last 30 days at 1 M results: a page and one's own rank", goal=20, better="less", unit="ms")
def leaderboard_lately(effort: Effort) -> float:
    return asked(_many(effort)).lately


@row("history of whoever has most of 1 M results: a page and the months", goal=20, better="less", unit="ms")
def history_page(effort: Effort) -> float:
    return asked(_many(effort)).history


@row("card of whoever has most of 1 M results: profile, form, bests, titles", goal=20, better="less", unit="ms")
def card(effort: Effort) -> float:
    return asked(_many(effort)).card


@row("two people beside each other at 1 M results", goal=20, better="less", unit="ms")
def rivals(effort: Effort) -> float:
    return asked(_many(effort)).rivals


@row("records of a server at 1 M results", goal=20, better="less", unit="ms")
def server_records(effort: Effort) -> float:
    return asked(_many(effort)).records


@row("reading a match beside 1 M results, to beside 500", goal=1.25, better="less")
def match_beside_many(effort: Effort) -> float:
    return asked(_many(effort)).match / asked(FEW).match


# -- tables and hands


def by_tiles(effort: Effort) -> dict[int, dict[str, float]]:
    """By the number of tiles that lie: ms for a board picture from scratch, and how many moves a hand has there."""
    found: dict[int, dict[str, float]] = {}
    for everybody, mine in course():
        lying = len(everybody.tiles)
        if lying % 4 == 0 and lying not in found:
            found[lying] = {
                "picture": 1000 * cost(Work(partial(_drawn, everybody)), effort),
                "moves": float(len(mine.moves)),
            }
    return found


def _drawn(seen: Seen) -> object:
    return table_picture(seen, NAMES, captions(seen))


def by_hand(effort: Effort) -> dict[int, float]:
    """By the size of a hand of Quad-Ominos: ms for its legal moves, asked afresh on a table that has just changed."""
    found = {}
    for size in HANDS:
        tables = full_hands("quad-ominos", size)

        def ask(tables: Any = tables) -> None:
            for match, hand in tables:
                match.board.copy().legal(hand)

        def copy(tables: Any = tables) -> None:
            for match, _ in tables:
                match.board.copy()

        both = cost(Work(ask, len(tables)), effort)
        found[size] = 1000 * max(0.0, both - cost(Work(copy, len(tables)), effort))
    return found


def main(
    results: Annotated[list[int] | None, typer.Option(help="Sizes of the databases.")] = None,
    pictures: Annotated[Path | None, typer.Option(help="Draw plots into this folder.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
) -> None:
    """Measure growth."""
    found: dict[str, Any] = {"results": {}, "tiles": by_tiles(PLOT), "hand": by_hand(PLOT)}
    for count in results or (1, 10_000, 100_000, MANY):
        answers = asked(count)
        found["results"][count] = vars(answers)
        typer.echo(f"{count:>9,} results: {answers}")
    typer.echo(json.dumps({name: found[name] for name in ("tiles", "hand")}, indent=1))
    if out is not None:
        out.write_text(json.dumps(found, indent=1))
    if pictures is not None:
        from tests.bench.growth_plots import draw

        draw(found, pictures, MANY)


if __name__ == "__main__":
    typer.run(main)
