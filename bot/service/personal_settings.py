"""What people have set about how they are answered. It is wanted at every press, so it is kept for a while."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from data.store import Store
from engine.table.preferences import Preferences

FRESH: Final = 10 * 60_000
"""So many ms after it was read it is read again: another process may have heard of something else."""


class PersonalSettings:
    """Knows people's preferences as they were set here, or last read."""

    KEPT: Final = 10_000

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._known: OrderedDict[int, tuple[Preferences, int]] = OrderedDict()
        """By person, with when it was read."""

    async def of(self, user_id: int) -> Preferences:
        """What somebody has set, read where that is unknown or long ago."""
        known = self._known.get(user_id)
        if known is None or not 0 <= self._now() - known[1] < FRESH:
            self.note(user_id, (await self._store.person(user_id)).preferences)
        return self.known(user_id)

    def known(self, user_id: int) -> Preferences:
        """The same as far as it is known, for whoever cannot wait; the defaults where nothing is."""
        return self._known[user_id][0] if user_id in self._known else Preferences()

    def note(self, user_id: int, preferences: Preferences) -> None:
        """Somebody has just set this, or it was just read."""
        self._known[user_id] = preferences, self._now()
        self._known.move_to_end(user_id)
        while len(self._known) > self.KEPT:
            self._known.popitem(last=False)

    def forget(self, user_id: int) -> None:
        """Somebody does not want to be known any more."""
        self._known.pop(user_id, None)
