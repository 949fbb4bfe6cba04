"""Tables whose log cannot be read: they are set aside, and go on by themselves should it be read again."""

from collections.abc import Callable
from typing import Final

from bot.base.logs import logger
from data.store import RUNNING, Aside, Head, LogDamaged, Store
from engine.table.refusals import No, Refused

log = logger(__name__)

PATIENCE: Final = 5 * 60_000
"""So long, in ms, an event of a kind that is not known keeps its table waiting: while one process after the other is
brought up to date, those that are not yet meet what the others have written.
"""


class SettingAside:
    """Sets aside what cannot be read, and says why it is refused."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now
        self._since: dict[int, int] = {}
        """When an event of an unknown kind was first met, by its match."""

    async def refused(self, head: Head, damage: LogDamaged) -> Refused:
        """What to refuse with whoever needs this table."""
        match_id, now = head.match_id, self._now()
        if damage.newer and head.state in RUNNING:
            since = self._since.setdefault(match_id, now)
            if since <= now < since + PATIENCE:
                return Refused(No.UPDATING, match=match_id, server=head.guild_id)
        why = "newer" if damage.newer else "damaged"
        if await self._store.set_aside(match_id, damage.seq, why, now=now):
            self._since.pop(match_id, None)
            log.error("a match is set aside: " + what_to_do(damage), match=match_id, server=head.guild_id)
        aside = await self._store.aside_of(match_id)
        return Refused(No.NO_SUCH_TABLE) if aside is None else self.refusal(aside)

    def refusal(self, aside: Aside) -> Refused:
        """What to refuse with whoever needs a table that was set aside; of one that was over, its result stands."""
        why = {"lobby": No.SET_ASIDE, "open": No.SET_ASIDE, "void": No.ASIDE_CLOSED, "done": No.UNREADABLE}[aside.state]
        return Refused(why, match=aside.match_id, server=aside.guild_id)


def what_to_do(damage: LogDamaged) -> str:
    """What an operator is to do about it."""
    if damage.newer:
        return f"{damage}. A newer version wrote it: run that one, and the match goes on by itself"
    return f"{damage}. See that the disk is sound; a backup has the match as it was; a moderator can close it"
