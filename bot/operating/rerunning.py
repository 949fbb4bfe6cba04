"""Checks of a database before anybody relies on it: no bot runs on it, and every log can be replayed."""

from collections.abc import Sequence
from typing import Final

from data.store import Loaded, LogDamaged, SeatRow, Store
from data.store.copies import CopyFailed
from engine.shuffle import commitment
from engine.table import replay

LONG: Final = 160
"""Characters of what is wrong with one match; the rest is what stands in its log."""

ALIVE: Final = 60_000
"""A bot that gave a sign of life within this many ms is running."""
PAGE: Final = 1000
"""Numbers of matches that are read at once; their logs are read one by one."""


async def require_stopped(store: Store, now: int) -> None:
    """Raise CopyFailed where a bot runs on this database."""
    last = max((at for name, at in (await store.pulses()).items() if name != "doctor"), default=0)
    # A pulse in the far future comes from a clock that was ahead; nobody can wait for that.
    if abs(now - last) < ALIVE:
        raise CopyFailed(f"A bot runs on {store.name}. Stop it, wait a minute, try again.")


async def damaged(store: Store) -> dict[int, str]:
    """What is wrong with matches, by number: a log that cannot be read or folded, or that is another match's.

    That a log cannot be read whose match was set aside is known, and nothing of it is shown: it is left out.
    """
    found: dict[int, str] = {}
    known, last = await store.unreadable(), 0
    while numbers := await store.numbers(PAGE, after=last):
        for last in numbers:
            why = ""
            try:
                loaded = await store.load(last)
                if loaded is not None:
                    why = _fault(loaded, await store.seats(last), aside=last in known)
            except LogDamaged as error:
                if last not in known:
                    why = f"{str(error)[:LONG]}…" if len(str(error)) > LONG else str(error)
            except Exception as error:  # whatever a stranger's log makes of the fold
                if last not in known:
                    why = f"its log does not fold ({type(error).__name__})"
            if why:
                found[last] = why
    return found


def _fault(loaded: Loaded, seats: Sequence[SeatRow], *, aside: bool) -> str:
    """What does not fit together in a match; empty when all does."""
    head = loaded.head
    table, story = replay(loaded.log)
    if table.seq != head.seq:
        if aside:
            return ""
        return f"its log has {table.seq} events and not {head.seq}"
    if table.terms.game != head.game or _people(table.seats) != _people(seats):
        return "its log is that of another table"
    if story is None:
        return ""
    if story.match.rules.game != head.game or story.match.commitment != commitment(head.secret):
        return "its log is that of other deals"
    return "" if aside or table.state == head.state else f"it is {head.state}, and its log says {table.state}"


def _people(seats: Sequence[SeatRow]) -> list[tuple[int | None, str | None]]:
    return [(row.user_id, row.computer) for row in seats]
