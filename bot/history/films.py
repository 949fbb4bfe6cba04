"""Films of finished matches, drawn frame by frame so that a board waits for one frame at most.

They are made one at a time, and users who ask for the same film share it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from bot.core.admission import RateLimit
from bot.core.names import Names
from bot.core.pictures import drawn
from bot.tables.past_match import Replay, shots
from bot.tables.service import Table
from data.words import Words
from render.table.film import Film

WAITING: Final = 8  # the most films that run or wait
SPEEDS: Final = {"slow": 2000, "normal": 1000, "fast": 400}  # milliseconds for each move

Key = tuple[int, int, str, str]


class Films:
    """Makes films. None is kept, because it shows names."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._limit = RateLimit(now, most=4, per_second=1 / 30)
        self._one = asyncio.Lock()
        self._making: dict[Key, asyncio.Task[bytes]] = {}

    async def film(
        self,
        user_id: int,
        replay: Replay,
        speed: str,
        words: Words,
        names: Callable[[Table], Awaitable[Names]],
        scheme: str = "dark",
    ) -> bytes | None:
        """Return the GIF of a match at one of `SPEEDS`; None if the user had several recently, or too many wait."""
        key = replay.head.match_id, SPEEDS[speed], words.language, scheme
        making = self._making.get(key)
        if making is None:
            if len(self._making) >= WAITING or not self._limit.take(user_id):
                return None
            making = self._making[key] = asyncio.create_task(self._made(replay, SPEEDS[speed], words, names, scheme))
            making.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(making)

    async def _made(
        self, replay: Replay, ms: int, words: Words, names: Callable[[Table], Awaitable[Names]], scheme: str
    ) -> bytes:
        async with self._one:
            cast = {table.seats: await names(table) for table in await drawn(replay.casts)}
            moments = ((table.event_log, cast[table.seats]) for table in replay.each() if table.event_log is not None)
            told = await drawn(shots, moments, words)
            film = await drawn(Film, told, ms, theme=replay.theme, scheme=scheme)
            for number in range(len(film)):
                await drawn(film.shoot, number)
            return await drawn(film.file)
