"""Who was called to a kept seat lately and did not come: nobody calls the same person again and again."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from engine.table.events import Joined, Kept, LogEvent
from engine.table.pace import DAY

AGAIN_AFTER: Final = DAY
"""A host who called somebody in vain does not call them again before that, in ms, whatever tables they open."""
MOST: Final = 3
"""So many hosts of a server may call somebody in vain in that time. The others keep a seat for them and say nothing."""
MOST_OF_HOST: Final = 12
"""So many people may be called by one host in that time and not come: nobody rings a whole server."""
REMEMBERED: Final = 10_000
"""Calls that are remembered: the last ones."""

Call = tuple[int, int, int]
"""A server, who was called there, and by whom."""


class Summons:
    """Remembers calls until they are answered by sitting down. In memory: what a restart forgets is one call each."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._in_vain: OrderedDict[Call, int] = OrderedDict()
        """When, UTC epoch ms; the oldest first."""

    def uncalled(self, guild_id: int, host: int, users: Iterable[int]) -> frozenset[int]:
        """Those who are not to be called by this host now."""
        since = self._now() - AGAIN_AFTER
        while self._in_vain and next(iter(self._in_vain.values())) <= since:
            self._in_vain.popitem(last=False)
        found, left = set(), MOST_OF_HOST - sum(call[::2] == (guild_id, host) for call in self._in_vain)
        for user in dict.fromkeys(users):
            hosts = {call[2] for call in self._in_vain if call[:2] == (guild_id, user)}
            if left <= 0 or host in hosts or len(hosts) >= MOST:
                found.add(user)
            else:
                left -= 1
        return frozenset(found)

    def note(self, guild_id: int, host: int, events: Iterable[LogEvent]) -> None:
        """Something happened at a table of this host."""
        for event in events:
            match event:
                case Kept(users, _, True):
                    for user in users:
                        if user is not None:
                            self._in_vain[guild_id, user, host] = self._now()
                            self._in_vain.move_to_end((guild_id, user, host))
                case Joined(user) if user is not None:
                    self._in_vain.pop((guild_id, user, host), None)
                case _:
                    pass
        while len(self._in_vain) > REMEMBERED:
            self._in_vain.popitem(last=False)
