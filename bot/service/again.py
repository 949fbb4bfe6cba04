"""Deciding anew when somebody else was quicker."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from bot.service.refusals import No, Refused
from data.store import Stale

T = TypeVar("T")

TRIES: Final = 5
"""How often something is decided anew before whoever asked is told to look again."""


async def tried(once: Callable[[], Awaitable[T]]) -> T:
    """Load, decide and write, as `once` does, again for as long as the table has moved on in between.

    Raises Refused(STALE) when it always has.
    """
    for _ in range(TRIES):
        try:
            return await once()
        except Stale:
            continue
    raise Refused(No.STALE)
