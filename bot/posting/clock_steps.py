"""What is to be done when the machine's clock was ahead: waiting that was counted from the future is brought back."""

from collections.abc import Callable
from typing import Final

from bot.base.logs import logger
from bot.service.acts import Acts
from data.store import Store, StoreClosed
from engine.table.commands import Rearm
from engine.table.set_back import SKEW

log = logger(__name__)

EVERY: Final = 60_000
"""Ms between two looks for tables of the future: another machine may have written them."""
PAGE: Final = 50
"""Tables that are read at once."""


class ClockSteps:
    """Looks for leases and due times that lie further ahead than they ever may.

    They come from a clock that was ahead and has been set right since, or of whose machine nobody has heard again.
    """

    def __init__(self, store: Store, acts: Acts, now: Callable[[], int]) -> None:
        self._store = store
        self._acts = acts
        self._now = now
        self._looked_at: int | None = None

    async def bring_back(self) -> None:
        """Let nothing wait for a time that never was."""
        now = self._now()
        posts = await self._store.bring_back(now)
        tables = await self._tables(now) if self._is_time(now) else 0
        if posts or tables:
            log.warning(
                "the clock of a machine was ahead, and what it put off to that time is done now: "
                "see that every machine's time is synchronised (timedatectl)",
                posts=posts,
                tables=tables,
            )

    def _is_time(self, now: int) -> bool:
        # Also where this very clock was set back.
        if self._looked_at is not None and 0 <= now - self._looked_at < EVERY:
            return False
        self._looked_at = now
        return True

    async def _tables(self, now: int) -> int:
        """Put the clocks of tables right that were written to in the future; how many there were."""
        found = last = 0
        while heads := await self._store.heads_ahead(now + SKEW, PAGE, after=last):
            for head in heads:
                last = head.match_id
                try:
                    await self._acts.act(head.match_id, Rearm())
                except StoreClosed:
                    raise
                except Exception as error:
                    # One table that cannot be read must not keep the others in the future.
                    log.error("the clock of a table could not be put right", match=last, exc_info=error)
                else:
                    found += 1
        return found
