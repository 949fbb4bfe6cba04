"""Films of finished matches, drawn frame by frame so that a board waits for one frame at most.

They are made one at a time, and users who ask for the same film share it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from bot.core.admission import RateLimit
from bot.core.names import SeatNames
from bot.core.pictures import draw_in_thread
from bot.tables.past_match import Replay, build_shots
from bot.tables.service import Table
from data.words import Words
from render.table.film import Film

MAX_FILMS: Final = 8  # the most films that run or wait
SPEEDS: Final = {"slow": 2000, "normal": 1000, "fast": 400}  # milliseconds for each move

FilmKey = tuple[int, int, str, str]


class FilmMaker:
    """Makes films. None is kept, because it shows names."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._limit = RateLimit(now, burst=4, per_second=1 / 30)
        self._render_lock = asyncio.Lock()
        self._running: dict[FilmKey, asyncio.Task[bytes]] = {}

    async def make_film(
        self,
        user_id: int,
        replay: Replay,
        speed: str,
        words: Words,
        names: Callable[[Table], Awaitable[SeatNames]],
        scheme: str = "dark",
    ) -> bytes | None:
        """Return the GIF of a match at one of `SPEEDS`; None if the user had several recently, or too many wait."""
        key = replay.head.match_id, SPEEDS[speed], words.language, scheme
        task = self._running.get(key)
        if task is None:
            if len(self._running) >= MAX_FILMS or not self._limit.take(user_id):
                return None
            task = self._running[key] = asyncio.create_task(self._render(replay, SPEEDS[speed], words, names, scheme))
            task.add_done_callback(lambda _: self._running.pop(key, None))
        return await asyncio.shield(task)

    async def _render(
        self, replay: Replay, ms: int, words: Words, names: Callable[[Table], Awaitable[SeatNames]], scheme: str
    ) -> bytes:
        async with self._render_lock:
            names_by_seats = {table.seats: await names(table) for table in await draw_in_thread(replay.list_seatings)}
            moments = (
                (table.event_log, names_by_seats[table.seats])
                for table in replay.iterate_tables()
                if table.event_log is not None
            )
            film_shots = await draw_in_thread(build_shots, moments, words)
            film = await draw_in_thread(Film, film_shots, ms, theme=replay.theme, scheme=scheme)
            for number in range(len(film)):
                await draw_in_thread(film.render_frame, number)
            return await draw_in_thread(film.to_gif)
