"""Check that all work that was due at the end of the last fault is done soon."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.crash.stored_rows import Reader, StoredRows

SOON = 120_000
"""In ms of the bots' clock: one minute, plus the one-minute lease of a killed process."""
LOOKS = 5
"""Minimum number of sweeps before a bot counts as frozen: two per bot, twice, and one more."""
BY_THEMSELVES = ("computer", "settle")  # Clock actions that take effect soon
LATER = ("lapses", "alert", "blocked")  # Outbox items with their own schedule


@dataclass(frozen=True)
class OverdueItem:
    what: str
    at: int | None


async def unsaid_after(written: Reader, now: Callable[[], int], patience: float) -> list[str]:
    began, waiting, looks = now(), dict(_waiting(await written.books())), set[tuple[str, int]]()
    end = asyncio.get_running_loop().time() + patience
    while waiting:
        found = await written.books()
        still = dict(_waiting(found))
        waiting = {key: still[key] for key in waiting if key in still}
        frozen = [one for one in waiting.values() if one.at is not None and one.at > now() + SOON]
        if now() > began + SOON:
            looks |= found.pulses.items()
        # A bot that has not had CPU time for a sweep is not frozen.
        if frozen and len(looks) > LOOKS:
            return [f"{one.what} waits for {one.at - now()} ms more" for one in frozen if one.at is not None]
        if asyncio.get_running_loop().time() > end:
            return [f"{one.what} is not said" for one in waiting.values()]
        await asyncio.sleep(0.2)
    return []


def _waiting(found: StoredRows) -> Iterator[tuple[object, OverdueItem]]:
    for row in found.outbox:
        if row["next_at"] is not None and row["kind"] not in LATER and row["match_id"] not in found.quarantined:
            yield ("post", row["dedupe"]), OverdueItem(f"{row['kind']} {row['dedupe']}", row["next_at"])
    for match_id, row in found.matches.items():
        if row["shown_seq"] < row["seq"]:
            yield ("board", match_id, row["seq"]), OverdueItem(f"the board of match {match_id} at {row['seq']}", None)
        if row["due_kind"] in BY_THEMSELVES:
            what = f"match {match_id} at {row['seq']}: {row['due_kind']}"
            yield ("due", match_id, row["seq"]), OverdueItem(what, row["due_at"])
