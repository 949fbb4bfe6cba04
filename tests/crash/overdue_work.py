"""Check that all work that was due at the end of the last fault is done soon."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.crash.stored_rows import RowReader, StoredRows

MAX_DELAY = 120_000
"""In ms of the bots' clock: one minute, plus the one-minute lease of a killed process."""
MIN_SWEEPS = 5
"""Minimum number of sweeps before a bot counts as frozen: two per bot, twice, and one more."""
PROMPT_KINDS = ("computer", "settle")  # Clock actions that take effect soon
SCHEDULED_KINDS = ("lapses", "alert", "blocked")  # Outbox items with their own schedule


@dataclass(frozen=True)
class OverdueItem:
    description: str
    due_at: int | None


async def find_overdue_work(reader: RowReader, now: Callable[[], int], limit: float) -> list[str]:
    started_at, waiting, sweeps = now(), dict(_iterate_waiting(await reader.read_rows())), set[tuple[str, int]]()
    end = asyncio.get_running_loop().time() + limit
    while waiting:
        stored = await reader.read_rows()
        still_waiting = dict(_iterate_waiting(stored))
        waiting = {key: still_waiting[key] for key in waiting if key in still_waiting}
        frozen = [one for one in waiting.values() if one.due_at is not None and one.due_at > now() + MAX_DELAY]
        if now() > started_at + MAX_DELAY:
            sweeps |= stored.pulses.items()
        # A bot that has not had CPU time for a sweep is not frozen.
        if frozen and len(sweeps) > MIN_SWEEPS:
            return [
                f"{one.description} waits for {one.due_at - now()} ms more" for one in frozen if one.due_at is not None
            ]
        if asyncio.get_running_loop().time() > end:
            return [f"{one.description} is not said" for one in waiting.values()]
        await asyncio.sleep(0.2)
    return []


def _iterate_waiting(stored: StoredRows) -> Iterator[tuple[object, OverdueItem]]:
    for row in stored.outbox:
        if (
            row["next_at"] is not None
            and row["kind"] not in SCHEDULED_KINDS
            and row["match_id"] not in stored.quarantined
        ):
            yield ("post", row["dedupe"]), OverdueItem(f"{row['kind']} {row['dedupe']}", row["next_at"])
    for match_id, row in stored.matches.items():
        if row["shown_seq"] < row["seq"]:
            yield ("board", match_id, row["seq"]), OverdueItem(f"the board of match {match_id} at {row['seq']}", None)
        if row["due_kind"] in PROMPT_KINDS:
            description = f"match {match_id} at {row['seq']}: {row['due_kind']}"
            yield ("due", match_id, row["seq"]), OverdueItem(description, row["due_at"])
