"""The store's door to what was played: somebody's matches that are over.

Whatever is told here is read from the results of matches, or folded from them in the transaction that writes them. So
it is the same after `boneyard recount`, whoever is forgotten has no part in it, and nothing of a running match is.
"""

from collections.abc import Collection, Mapping

from data.store.connection.transactions import Part
from data.store.history import history
from data.store.history.history import HistoryPage, PastMatch, Search
from data.store.log.match_values import Head
from data.store.profiles import rivals
from data.store.profiles.rivals import Rivalry
from data.store.results import bests
from data.store.results.bests import Best, RecordLine
from data.store.results.scores import Result


class LookingBack(Part):
    """What results tell beside leaderboards."""

    async def history(self, search: Search, *, page: int = 0, size: int = 8) -> HistoryPage:
        """Page `page`, from 0, of somebody's matches that are over, newest first, with who else has a result of each;
        a page past the end is the last one.
        """
        return await self._read(lambda connection: history.history_page(connection, search, page, size))

    async def played(self, user_id: int, match_id: int) -> PastMatch | None:
        """A match that somebody has a result of, or ended as a substitute; None where there is none, be it that it runs
        yet, that it came to nothing, or that it is none of theirs.
        """
        return await self._read(lambda connection: history.played(connection, user_id, match_id))

    async def months_played(self, user_id: int, guild_id: int, *, limit: int = 24) -> list[int]:
        """The moment of somebody's last match in each month, by UTC, on a server:
        newest first, `limit` at most.
        """
        return await self._read(lambda connection: history.months(connection, user_id, guild_id, limit))

    async def lately_played(self, user_id: int, guild_id: int, game: str, *, limit: int = 100) -> tuple[Result, ...]:
        """Somebody's last results of a game on a server, in the order in which they came, `limit` at most."""
        search = Search(user_id=user_id, guild_id=guild_id, game=game)
        return await self._read(lambda connection: history.last_played(connection, search, limit))

    async def bests(self, user_id: int, guild_id: int, game: str) -> Mapping[str, Best]:
        """The most that somebody has reached in matches with others, by what it is of (`score_tables.BESTS`)."""
        return await self._read(lambda connection: bests.bests_of(connection, user_id, guild_id, game))

    async def records(self, guild_id: int, game: str, *, most: int = 3) -> dict[str, list[RecordLine]]:
        """The records of a server, `most` of each kind, the highest first."""
        return await self._read(lambda connection: bests.records(connection, guild_id, game, most))

    async def rivalry(self, guild_id: int, first: int, second: int, *, game: str | None = None) -> Rivalry:
        """All matches on a server in which both of these have a result, in one game or in all."""
        return await self._read(lambda connection: rivals.rivalry(connection, guild_id, first, second, game))

    async def heads(self, numbers: Collection[int]) -> list[Head]:
        """Where these matches stand; those of which nothing else is kept are missing."""
        return await self._read(lambda connection: history.heads_of(connection, numbers))
