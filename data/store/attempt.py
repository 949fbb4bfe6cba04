"""How far a transaction has come, seen from two sides: by whoever does it, and by whoever waits for it.

One of them may be a thread, so that each step is taken by one of them only.
"""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

PATIENCE: Final = 10.0
"""Seconds that a transaction waits for others that hold the database."""


class Abandoned(Exception):  # noqa: N818
    """Nobody waits for this transaction any more, and they were told that nothing of it is kept: it ends here."""


class Attempt:
    """One transaction. Until it begins to commit, whoever waits may take back what they asked for."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.until = monotonic() + patience
        """For so long it waits for others that hold the database, in seconds of the monotonic clock."""
        self.maybe = False
        """Whether it, or an earlier try of it, may have been committed without anybody knowing."""
        self.loosen: Callable[[], object] | None = None
        """What breaks off the statement it waits for, where there is a way."""
        self._before = False
        self._lock = threading.Lock()
        self._abandoned = False

    def go_on(self) -> None:
        """Before each further step. Raises Abandoned."""
        if self._abandoned:
            raise Abandoned

    def commits(self) -> None:
        """From now on it cannot be taken back. Raises Abandoned."""
        with self._lock:
            self.go_on()
            self._before, self.maybe = self.maybe, True

    def kept_nothing(self) -> None:
        """It failed, and nothing of this try was kept."""
        self.maybe = self._before

    def abandon(self) -> None:
        """Take it back, if that can be done; `maybe` says afterwards whether it could."""
        with self._lock:
            self._abandoned = True
        if self.loosen is not None:
            self.loosen()

    @property
    def may_wait(self) -> bool:
        """Whether it may try again where somebody else holds the database."""
        return not self._abandoned and not self.maybe and monotonic() < self.until
