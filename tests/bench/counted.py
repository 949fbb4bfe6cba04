"""How often a move goes to the database, draws a picture and asks Discord: counted, so that no machine plays a part.

Two people play at the local Discord, as those of `load` do, with a bot process that counts (`counted_bot`). They take
their time: whatever a press or a command leads to is over before the next one. `python -m tests.bench.counted` tells
what a move comes to, by name.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

from tests.bench.counted_bot import NEVER, SOCKET
from tests.bench.load_run import running
from tests.bench.measure import Effort
from tests.bench.rows import row

MOVES: Final = 30
"""The first of a match are counted, which neither open a table nor end one."""
TARGET: Final = 2000
"""Points that nobody has by then."""
SEED: Final = 3
"""Of what people choose: a third of the moves is typed, and one of the two wants no second look."""
PATIENCE: Final = 300.0
"""Seconds that anything may take on a busy machine."""


@cache
def counts() -> Counter[str]:
    """What was done for so many moves: `read asked`, `write commit`, `picture hand`, `request PATCH /...`."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_counts(Path(folder)))


async def _counts(folder: Path) -> Counter[str]:
    async with running("counted", folder, 1, target=TARGET, seed=SEED, late=NEVER, patience=PATIENCE) as run:
        reader, writer = await asyncio.open_unix_connection(str(folder / SOCKET))
        (party,) = run.crowd.parties.values()
        over: asyncio.Future[Counter[str]] = asyncio.get_running_loop().create_future()

        async def quiet() -> Counter[str]:
            """What was done so far, once there is nothing more to do."""
            while True:
                told = run.discord.gateway.told
                writer.write(b"%d\n" % told)
                async with asyncio.timeout(PATIENCE):
                    found = json.loads(await reader.readline())
                if run.discord.gateway.told == told:
                    return Counter(found)

        async def rest() -> None:
            found = await quiet()
            if party.moves >= MOVES and party.waits and not over.done():
                over.set_result(found)
                await asyncio.Future()  # they have played enough

        before = await quiet()
        run.crowd.rest = rest
        run.crowd.pace.at_once = 1
        run.crowd.pace.set_rate(None)
        await asyncio.wait([over, *run.crowd.playing], return_when=asyncio.FIRST_COMPLETED)
        writer.close()
        if run.crowd.watch.troubles or not over.done():
            raise RuntimeError(f"the match did not go on: {run.crowd.watch.troubles or run.crowd.playing}")
        return over.result() - before


def a_move(*kinds: str) -> float:
    """How many things of these kinds a move comes to: `read`, `write`, `picture`, `request`."""
    return sum(count for name, count in counts().items() if name.split()[0] in kinds) / MOVES


def by_name() -> str:
    """What a move comes to, one name a line, the most frequent first."""
    return "\n".join(f"{count / MOVES:6.2f}  {name}" for name, count in counts().most_common())


@row("count: transactions a move", goal=8, better="less", unit="")
def transactions(_: Effort) -> float:
    """Reads and writes, from the gateway's events to the last request that follows."""
    return a_move("read", "write")


@row("count: pictures a move", goal=2, better="less", unit="", held=2.27)
def drawn(_: Effort) -> float:
    """The board, hands, and second looks."""
    return a_move("picture")


@row("count: requests a move", goal=6, better="less", unit="", held=5.3)
def requests(_: Effort) -> float:
    """What Discord is asked, acknowledgements among it."""
    return a_move("request")


if __name__ == "__main__":
    print(by_name())
