"""How often one act changes file: `uv run python -m tests.house.trace_act [--steps]`.

The fifth tile of a match of two people with a clock is played, through `Matches.act`, on a database in a file. All of
it happens twice and the second time counts, so that what the house keeps in memory is there, as in a bot that runs.
Counted is what runs on the thread of the event loop, where the house decides; the store's threads do SQL meanwhile.

An act *changes file* when the next function of the house that begins, or goes on after waiting, stands in another file
than the one before. Functions that return, libraries, comprehensions and lambdas count for nothing.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from itertools import groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from data.store import Store
from engine.actions import Play
from engine.table.commands import Act, Join
from tests.house.checks_only import in_the_checks_environment
from tests.house.tracing import Step, Trace

BEFORE, GOAL = 104, 52
"""How often an act changed file while a table's clock, seats and questions were looked after one by one, and how often
it may since the table is one log.
"""
EARLIER = 4
"""The tiles that lie when the act begins."""
SHOWN = 12
"""The commonest changes that are printed."""


async def trace() -> list[Step]:
    """The steps of one act."""
    await _played()
    return await _played()


async def _played() -> list[Step]:
    # Not above: it brings the simulated Discord, which is installed for the checks alone.
    from tests.bot.desk import GRACE
    from tests.bot.waiting_room import WaitingRoom, best

    with TemporaryDirectory() as folder:
        store = await Store.open(f"sqlite:///{Path(folder)}/boneyard.db")
        try:
            room = WaitingRoom(store)
            match_id = (await room.open(seats=2, clock="36h")).head.match_id
            table = await room.act(match_id, Join(GRACE), request=room.request())
            for _ in range(EARLIER):
                table = await room.move(match_id)
            user, action, request = table.turn_user(), best(table, table.match.turn), room.request()
            assert user is not None
            assert isinstance(action, Play)
            traced = Trace()
            with traced.recorded():
                await room.acts.act(match_id, Act(user, lambda _: action), request=request)
            assert (await room.table(match_id)).turn_user() not in (None, user), "a tile was played, and that was all"
            return traced.steps
        finally:
            await store.close()


def changes(steps: list[Step]) -> list[tuple[str, str]]:
    """From which file to which, for each change."""
    files = [step.function.file for step in steps]
    return [(before, after) for before, after in pairwise(files) if before != after]


def summary(changed: list[tuple[str, str]]) -> str:
    """What changes most, room by room and file by file."""
    rooms = Counter((before.partition("/")[0], after.partition("/")[0]) for before, after in changed)
    pairs = Counter(tuple(sorted(change)) for change in changed)
    return "\n".join(
        [
            *(f"{number:4}  {before} -> {after}" for (before, after), number in rooms.most_common()),
            "The commonest, either way:",
            *(f"{number:4}  {one} <-> {other}" for (one, other), number in pairs.most_common(SHOWN)),
        ]
    )


def main() -> None:
    """Print the figures, what changes most, and each step if asked."""
    in_the_checks_environment("tests.house.trace_act")
    steps = asyncio.run(trace())
    if "--steps" in sys.argv:
        for file, part in groupby(steps, lambda step: step.function.file):
            print(f"{file:34}", ", ".join(("…" if step.again else "") + step.function.name for step in part))
    changed = changes(steps)
    files = {step.function.file for step in steps}
    print(f"{len(files)} files, {len(changed)} changes of file; at most {GOAL}, half of {BEFORE}")
    print(summary(changed))


if __name__ == "__main__":
    main()
