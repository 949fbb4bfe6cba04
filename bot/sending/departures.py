"""Users who have left a server, and users who are back.

Discord reports neither to a bot without the privileged intent for members. An interaction or a found member shows that
a user is there; the answer "Unknown Member" shows that they have left. So the bot asks about the user whose turn it is,
unless it saw them just now, and about one user of each list that it shows.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from bot.core.logs import get_logger
from bot.core.names import Key, NameCache, put_bounded
from bot.sending.announcer import Announcer
from bot.tables.acts import TableActions
from bot.tables.service import TableCache
from data.store.store import Store
from engine.table.commands import NoteDeparture
from engine.table.refusals import RefusalError

log = get_logger(__name__)

CALLED_AGE: Final = 5 * 60_000  # ms: a called player who was seen later is not asked about
LISTED_AGE: Final = 24 * 3_600_000  # the same for a user in a list
MAX_CHECKS: Final = 5  # requests in each sweep
MAX_ARRIVALS: Final = 50  # users whose return is noted in each sweep
MAX_WAITING: Final = 1_000


class _Row(Protocol):
    @property
    def user_id(self) -> int: ...


R = TypeVar("R", bound=_Row)


@dataclass(eq=False, repr=False)
class Departures:
    """Notes departures and returns: for the tables of the user, and for leaderboards."""

    _store: Store
    _tables: TableCache
    _acts: TableActions
    _names: NameCache
    _announcer: Announcer
    _now: Callable[[], int]
    _unchecked: OrderedDict[Key, None] = field(default_factory=OrderedDict)

    def check_called(self, guild_id: int, user_id: int) -> None:
        """Check a player whose turn begins, or who gets a reminder, in the next sweep."""
        self._check_later(guild_id, user_id, CALLED_AGE)

    def drop_departed(self, guild_id: int, rows: Sequence[R]) -> list[R]:
        """Return the rows of a list without users who have left. Checks one of the others in the next sweep."""
        shown = [row for row in rows if not self._names.has_left(guild_id, row.user_id)]
        if shown:
            oldest = min(shown, key=lambda row: self._names.find_last_seen(guild_id, row.user_id))
            self._check_later(guild_id, oldest.user_id, LISTED_AGE)
        return shown

    async def hide_departed(self, guild_id: int, rows: Sequence[_Row]) -> bool:
        """Hide users of a leaderboard who have left; return whether there are any."""
        left = {row.user_id for row in rows} - {row.user_id for row in self.drop_departed(guild_id, rows)}
        for user_id in left:
            await self._store.results.set_departed(guild_id, user_id, True)
        return bool(left)

    async def sweep(self) -> None:
        for guild_id, user_id in _take(self._unchecked, MAX_CHECKS):
            await self._names.check_member(guild_id, user_id)
        for guild_id, user_id in _take(self._names.departed, MAX_CHECKS):
            await self._note_departure(guild_id, user_id)
        arrived = _take(self._names.arrived, MAX_ARRIVALS)
        for guild_id in {guild_id for guild_id, _ in arrived}:
            users = [user_id for guild, user_id in arrived if guild == guild_id]
            for user_id in await self._store.results.list_hidden_in_guild(guild_id, users):
                await self._store.results.set_departed(guild_id, user_id, False)

    def _check_later(self, guild_id: int, user_id: int, max_age: int) -> None:
        if self._now() - self._names.find_last_seen(guild_id, user_id) > max_age:
            put_bounded(self._unchecked, (guild_id, user_id), None, MAX_WAITING)

    async def _note_departure(self, guild_id: int, user_id: int) -> None:
        await self._store.results.set_departed(guild_id, user_id, True)
        for table in await self._tables.list_of_user(user_id):
            if table.head.guild_id == guild_id and table.find_turn_user() == user_id:
                with suppress(RefusalError):
                    acted = await self._acts.act(table.head.match_id, NoteDeparture(user_id))
                    if acted.events:
                        log.info("a player has left the server", match=table.head.match_id)
                        self._announcer.refresh(table.head.match_id)


def _take(waiting: OrderedDict[Key, None], limit: int) -> Collection[Key]:
    return [waiting.popitem(last=False)[0] for _ in range(min(limit, len(waiting)))]
