"""The store's door to the puzzles of the day: what people tried, and what they showed."""

from collections.abc import Sequence

from data.store.connection.transactions import Part
from data.store.puzzles import shares, tries
from data.store.puzzles.shares import Sharing
from data.store.puzzles.tries import PuzzleRating, PuzzleTry, RatePuzzle
from data.store.results.scores import Rating


class Puzzling(Part):
    """Puzzles, by game and by day like `2026-11-02`."""

    async def puzzle_try(self, user_id: int, game: str, day: str) -> PuzzleTry | None:
        """How somebody stands with a puzzle; None where they have not begun."""
        return await self._read(lambda connection: tries.puzzle_try(connection, user_id, game, day))

    async def begin_puzzle(self, user_id: int, game: str, day: str, *, counted: bool, now: int) -> PuzzleTry:
        """Somebody looks at a puzzle; where they have before, nothing changes."""
        return await self._write(lambda connection: tries.begin_puzzle(connection, user_id, game, day, counted, now))

    async def hint_puzzle(self, user_id: int, game: str, day: str) -> PuzzleTry:
        """Somebody who has begun takes the hint; once it is over, nothing changes."""
        return await self._write(lambda connection: tries.hint_puzzle(connection, user_id, game, day))

    async def try_puzzle(
        self, user_id: int, game: str, day: str, answer: str, *, right: bool, counts: bool, now: int, rate: RatePuzzle
    ) -> PuzzleTry:
        """Somebody who has begun answers. What they answered before, or after the end, is no try."""
        return await self._write(
            lambda connection: tries.try_puzzle(
                connection, user_id, game, day, answer, right=right, counts=counts, now=now, rate=rate
            )
        )

    async def end_puzzles(self, user_id: int, before: str, *, now: int, rate: RatePuzzle) -> int:
        """What somebody began in earnest on days before this one, and left, is not solved; how many that were."""
        return await self._write(lambda connection: tries.end_puzzles(connection, user_id, before, now, rate))

    async def solver_rating(self, user_id: int, game: str) -> Rating | None:
        """Somebody's rating by the puzzles of a game; None before the first that counts."""
        return await self._read(lambda connection: tries.solver_rating(connection, user_id, game))

    async def puzzle_rating(self, game: str, day: str) -> PuzzleRating | None:
        """How hard a puzzle is; None before anybody ended it."""
        return await self._read(lambda connection: tries.puzzle_rating(connection, game, day))

    async def days_solved(self, user_id: int, game: str) -> list[str]:
        """The days whose puzzles somebody solved so that it counts, newest first."""
        return await self._read(lambda connection: tries.days_solved(connection, user_id, game))

    async def share_puzzle(self, guild_id: int, tried: PuzzleTry, *, now: int) -> Sharing:
        """Somebody shows a server how it went; whether they stand in its table of the day, or did so before."""
        return await self._write(lambda connection: shares.share_puzzle(connection, guild_id, tried, now))

    async def unshare_puzzle(self, guild_id: int, user_id: int, game: str, day: str) -> None:
        """Nothing came of showing it."""
        await self._write(lambda connection: shares.unshare_puzzle(connection, guild_id, user_id, game, day))

    async def table_of_day(self, guild_id: int, game: str, day: str, *, limit: int = 10) -> Sequence[PuzzleTry]:
        """How those did who showed it to a server, best first."""
        return await self._read(lambda connection: shares.table_of_day(connection, guild_id, game, day, limit))

    async def rebuild_puzzles(self) -> int:
        """Fold the ratings of all puzzles anew from the tries; of how many. They come out as they were."""
        return await self._write(tries.rebuild_puzzles, limit=None)
