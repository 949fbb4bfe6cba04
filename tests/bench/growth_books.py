"""Databases as they look after years: finished matches, their results, standings and logs, written in bulk.

The shape is that of a bot on many servers: a few big ones and many small, a few people who play every day and many who
tried it, most matches of one game, and more of them lately than at first.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Table

from data.store import EVERYWHERE, Store, recent
from data.store.bands import band_of
from data.store.bests import Folded
from data.store.codec import kind_of, to_body
from data.store.opening import open_engine
from data.store.score_tables import BESTS, standings
from data.store.score_tables import bests as bests_table
from data.store.score_tables import results as results_table
from data.store.scores import Rating, ranked
from engine.table.events import Opened
from engine.table.state import SeatRow
from engine.table.terms import Terms
from tests.data.store.scene import played

NOW: Final = 1_790_000_000_000
"""The moment the database was last written, UTC epoch ms."""
DAY: Final = 86_400_000
DAYS: Final = 730
"""The age of the bot."""
GAME: Final = "triominoes"
GAMES: Final = {GAME: 70, "quad-ominos": 12, "points": 8, "star": 4, "muggins": 3, "trioker": 3}
"""How often each is played, in percent."""
PEOPLE: Final = (15, 55, 15, 10, 3, 2)
"""Of a hundred matches, so many have one person (and computers), two, three, ..."""
LOGGED: Final = 50
"""One match of so many has its log, seats and messages; the others are the line of their result."""
CHUNK: Final = 20_000


def _insert(table: Table) -> str:
    names = [column.name for column in table.columns]
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


_NAMES: Final = tuple(column.name for column in results_table.columns)
_RESULT: Final = _insert(results_table)
_STANDING: Final = _insert(standings)
_BEST: Final = _insert(bests_table)


@dataclass(frozen=True)
class Books:
    """A database file and what is asked about it."""

    file: Path
    results: int
    guild: int
    """The server with the most matches of the game."""
    users: tuple[int, ...]
    """People with a line on that server's leaderboard, from its whole length."""
    match: int
    """A match that has a log."""
    busiest: int
    """Who has the most results on that server, and whom they have met most often there."""
    rival: int

    @property
    def url(self) -> str:
        """As the store takes it."""
        return f"sqlite:///{self.file}"


async def written(folder: Path, results: int, *, seed: int = 5) -> Books:
    """A new database with about this many results: one for each person of a finished match."""
    file = folder / f"results-{results}.db"
    store = await Store.open(f"sqlite:///{file}")
    await store.close()
    books = await asyncio.to_thread(_fill, file, results, seed)
    engine = await open_engine(books.url)
    async with engine.begin() as connection:
        await recent.rebuild_recent(connection)
    await engine.dispose()
    return books


@dataclass(frozen=True)
class _Server:
    guild: int
    people: int
    first: int
    """The user id of its first person; the others follow."""


def _servers(results: int, rng: random.Random) -> list[_Server]:
    """As many as there are matches for, the biggest with some thousand people where there are a million results."""
    count = max(1, results // 400)
    found, first = [], 10**17
    for number in range(count):
        people = max(4, int(results / 350 / (1 + number / 12) * rng.uniform(0.7, 1.3)))
        found.append(_Server(9 * 10**17 + number * 4_194_304, people, first))
        first += people * 4_194_304
    return found


def _fill(file: Path, results: int, seed: int) -> Books:
    rng = random.Random(seed)
    servers = _servers(results, rng)
    folding = _Folding()
    with closing(sqlite3.connect(file, isolation_level=None)) as base:
        base.executescript("PRAGMA journal_mode = wal; PRAGMA synchronous = off; PRAGMA cache_size = -400000;")
        base.execute("BEGIN")
        matches = list(_matches(results, servers, rng))
        log = _log()
        rows: list[tuple[Any, ...]] = []
        for match_id, (server, game, ended_at, users) in enumerate(matches, 1):
            rows += folding.add(match_id, server.guild, game, ended_at, users, rng)
            if match_id == 1 or match_id % LOGGED == 0:
                _write_log(base, match_id, server.guild, game, ended_at, users, log)
            if len(rows) >= CHUNK:
                base.executemany(_RESULT, rows)
                rows.clear()
        base.executemany(_RESULT, rows)
        lines = list(folding.lines())
        base.executemany(_STANDING, lines)
        base.executemany(_BEST, folding.bests())
        bands = Counter((line[0], line[1], band_of(line[15])) for line in lines)
        base.executemany("INSERT INTO bands VALUES (?,?,?,?)", [(*key, people) for key, people in bands.items()])
        base.execute("UPDATE spans SET since = ?", (NOW - 30 * DAY,))
        base.execute("COMMIT")
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        guild = base.execute(
            "SELECT guild_id FROM standings WHERE guild_id > 0 AND game = ? GROUP BY 1 ORDER BY count(*) DESC", (GAME,)
        ).fetchone()[0]
        ranked = base.execute(
            "SELECT user_id FROM standings WHERE guild_id = ? AND game = ? ORDER BY ordinal DESC", (guild, GAME)
        ).fetchall()
        count = base.execute("SELECT count(*) FROM results").fetchone()[0]
        busiest = base.execute(
            "SELECT user_id FROM results WHERE guild_id = ? GROUP BY 1 ORDER BY count(*) DESC", (guild,)
        ).fetchone()[0]
        rival = base.execute(
            "SELECT other.user_id FROM results AS mine JOIN results AS other USING (match_id) WHERE mine.user_id = ? "
            "AND mine.guild_id = ? AND other.user_id <> mine.user_id GROUP BY 1 ORDER BY count(*) DESC",
            (busiest, guild),
        ).fetchone()
    users = tuple(row[0] for row in ranked[:: max(1, len(ranked) // 20)])
    return Books(file, count, guild, users, match=1, busiest=busiest, rival=rival[0] if rival else 0)


def _matches(results: int, servers: list[_Server], rng: random.Random) -> Iterator[tuple[_Server, str, int, list[int]]]:
    """Matches in the order in which they ended, until there are enough results."""
    weights = list(accumulate(server.people for server in servers))
    sizes = range(1, len(PEOPLE) + 1)
    mean = sum(size * share for size, share in zip(sizes, PEOPLE, strict=True)) / sum(PEOPLE)
    count = max(1, round(results / mean))
    # The number of matches a day grows: half of them are of the last third.
    ends = sorted(NOW - int((1 - rng.random() ** 0.6) * DAYS * DAY) for _ in range(count))
    chosen = rng.choices(servers, cum_weights=weights, k=count)
    games = rng.choices(list(GAMES), list(GAMES.values()), k=count)
    games[0] = GAME  # however few there are
    people = rng.choices(sizes, PEOPLE, k=count)
    for ended_at, server, game, size in zip(ends, chosen, games, people, strict=True):
        users: set[int] = set()
        while len(users) < min(size, server.people):
            # A fifth of the people play half of the matches.
            users.add(server.first + int(server.people * rng.random() ** 2.3) * 4_194_304)
        yield server, game, ended_at, sorted(users)


class _Folding:
    """Standings folded from results. The rating is a plain one: what matters here is its spread, not its model."""

    def __init__(self) -> None:
        self._sums: dict[tuple[int, str, int], list[Any]] = {}
        self._met: dict[tuple[int, str, int], set[int]] = {}
        self._reached = Folded()

    def add(
        self, match_id: int, guild: int, game: str, ended_at: int, users: list[int], rng: random.Random
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a match's results."""
        scores = sorted(((rng.randrange(120, 460), user) for user in users), reverse=True)
        rated = len(users) > 1
        for place, (score, user) in enumerate(scores, 1):
            step = (len(users) + 1 - 2 * place) / 4
            met = []
            for where in (EVERYWHERE, guild):
                others = [other for other in users if other != user] if rated else []
                self._met.setdefault((where, game, user), set()).update(others)
                met.append(len(self._met[where, game, user]))
                old = self._add_up(where, game, user, score, place == 1, step if rated else None, ended_at)
                everywhere = self._sums[EVERYWHERE, game, user][4:6]
            mu, sigma = old if rated else (None, None)
            after = (mu + step, max(1.0, sigma * 0.97)) if mu is not None and sigma is not None else (None, None)
            seats = max(2, len(users))
            row = (
                *(match_id, user, guild, game, place, seats, len(users), score, score // 5, score % 4, 0),
                *(rated, place == 1, mu, sigma, *after, *everywhere, met[1], met[0]),
                *(True, True, True, score // 4, ended_at),
            )
            self._reached.add(dict(zip(_NAMES, row, strict=True)))
            yield row

    def _add_up(
        self, guild: int, game: str, user: int, score: int, won: bool, step: float | None, ended_at: int
    ) -> tuple[float | None, float | None]:
        """Add one result to a person's sums; the rating before."""
        found = self._sums.get((guild, game, user))
        if found is None:
            found = self._sums[guild, game, user] = [0, 0, 0, score, None, None, 0]
        found[0] += 1
        found[1] += won
        found[2] += score
        found[3] = max(found[3], score)
        before = found[4], found[5]
        if step is not None:
            found[4] = (25.0 if found[4] is None else found[4]) + step
            found[5] = max(1.0, (25 / 3 if found[5] is None else found[5]) * 0.97)
        found[6] = ended_at
        return (25.0, 25 / 3) if before[0] is None else before

    def bests(self) -> Iterator[tuple[Any, ...]]:
        """The rows of what people have reached."""
        for (guild, game, counted, user), reached in self._reached.of.items():
            best = (part for kind in BESTS for part in reached.best.get(kind, (None, None)))
            yield (guild, game, counted, user, False, *best, reached.running)

    def lines(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the standings."""
        for (guild, game, user), (matches, wins, points, best, mu, sigma, at) in self._sums.items():
            met = len(self._met[guild, game, user])
            ordinal = ranked(None if mu is None else Rating(mu, sigma), met)
            record = (matches, wins, points, best, 40, matches, 0, matches, met, False)
            yield (guild, game, user, *record, mu, sigma, ordinal, at)


def _log() -> list[tuple[str, str]]:
    """The log of a match as the store keeps it. All matches have the same, in databases of any size."""
    return [(kind_of(event), to_body(event)) for event in played(7, 2)]


def _write_log(
    base: sqlite3.Connection,
    match_id: int,
    guild: int,
    game: str,
    ended_at: int,
    users: list[int],
    log: list[tuple[str, str]],
) -> None:
    opened_at = ended_at - DAY
    # A log knows people by their numbers among those whom the match has had to do with.
    rows = tuple(SeatRow(seat=number, user_id=number, joined_at=opened_at) for number in range(len(users)))
    terms = Terms(game=game, seats=max(2, len(users)), target=400, by_hand=False)
    opening = Opened(terms, 0, rows)
    log = [(kind_of(opening), to_body(opening)), *log]
    base.execute(
        "INSERT INTO matches (match_id, game, guild_id, channel_id, host_id, state, seq, shown_seq, board_message_id, "
        "secret, created_at, updated_at) VALUES (?,?,?,?,?,'done',?,?,?,?,?,?)",
        (
            *(match_id, game, guild, guild + match_id % 7, users[0], len(log), len(log), match_id * 8),
            *(bytes(32), opened_at, ended_at),
        ),
    )
    base.executemany(
        "INSERT INTO seats VALUES (?,?,?,NULL,?)",
        [(match_id, seat, user, opened_at) for seat, user in enumerate(users)],
    )
    base.executemany(
        "INSERT INTO participants VALUES (?,?,?)", [(match_id, number, user) for number, user in enumerate(users)]
    )
    base.executemany(
        "INSERT INTO events VALUES (?,?,?,?,?)",
        [(match_id, seq, kind, body, ended_at) for seq, (kind, body) in enumerate(log, 1)],
    )
