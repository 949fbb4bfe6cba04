"""Looking again at tables that were set aside, which a newer program, or a mended database, can read; and looking
through all others a few at a time, so that an operator hears of damage before the people who meet it.
"""

from contextlib import suppress
from typing import Final

from bot.base.logs import logger
from bot.service.acts import Acts, Now
from bot.service.tables import Tables, folded
from data.store import Aside, LogDamaged, Store
from engine.table.refusals import Refused

log = logger(__name__)

EVERY: Final = 60_000
"""Ms between two looks."""
AT_ONCE: Final = 50
"""Tables that are looked at in one go, the newest first; then those before them, until all have been."""
LOOKED_THROUGH: Final = 20
"""So many logs are re-run between two looks; ten thousand take eight hours."""


class Asides:
    """Lets tables go on that can be read again."""

    def __init__(self, store: Store, tables: Tables, acts: Acts, now: Now) -> None:
        self._store = store
        self._tables = tables
        self._acts = acts
        self._now = now
        self._looked_at: int | None = None
        self._last = 0
        """The number of the last table whose log was re-run."""
        self._behind: int | None = None
        """Where the next look begins: at the tables that were opened before this one. None: at the newest."""

    async def look(self) -> list[int]:
        """Look, if it is time to; answers with the tables that go on."""
        now = self._now()
        if self._looked_at is not None and 0 <= now - self._looked_at < EVERY:
            return []
        self._looked_at = now
        await self._look_through()
        found = [one for one in await self._store.asides() if self._behind is None or one.match_id < self._behind]
        some = found[:AT_ONCE]
        self._behind = some[-1].match_id if len(found) > AT_ONCE else None
        return [aside.match_id for aside in some if await self._goes_on(aside)]

    async def _look_through(self) -> None:
        heads = await self._store.heads_ahead(0, LOOKED_THROUGH, after=self._last)
        self._last = heads[-1].match_id if heads else 0
        for head in heads:
            try:
                loaded = await self._store.load(head.match_id)
                if loaded is not None:
                    folded(loaded)
            except LogDamaged as damage:
                # What a newer process writes, it reads; nobody who asks in vain is kept waiting by it here.
                if not damage.newer:
                    with suppress(Refused):
                        await self._tables.read_anew(head)

    async def _goes_on(self, aside: Aside) -> bool:
        """Whether a table can be read again, and has its channel back. One that others sit in now is waited for."""
        try:
            loaded = await self._store.load(aside.match_id)
            if loaded is None or folded(loaded)[0].state != aside.state:
                return False
        except LogDamaged:
            return False
        with suppress(Refused):
            await self._acts.restore_quarantined(aside)
            log.info("a match that was set aside can be read again", match=aside.match_id, server=aside.guild_id)
            return True
        return False
