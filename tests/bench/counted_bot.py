"""A bot process that counts what it does, and says so when it is asked and has nothing more to do.

It is a process of the kind "counted" (`load_bots`): the bot as `boneyard run` makes it, but that its clock stands
still, it is dealt the same tiles every time and looks only once, at its start, for what time alone makes due. So the
counts are the same on every machine.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final

import bot.commands.first_answer
import bot.commands.play
import bot.operating.client
import bot.operating.run
import bot.operating.watchdog
import bot.views.messages
from bot.base.environment import from_environment
from bot.base.http_trace import Exchange
from bot.operating.client import Boneyard
from bot.operating.run import run
from bot.operating.sharding import AUTOMATIC
from bot.operating.wiring import build
from data.store.transactions import Transactions

DEAL: Final = bytes(range(32))
NOON: Final = 1_800_000_000_000
"""When everything happens, in UTC epoch ms."""
TICK: Final = 0.001
"""Seconds between two looks whether an event has come."""
SOCKET: Final = "counted.sock"
"""Where it answers, in its folder."""
NEVER: Final = 24 * 3600.0
"""Seconds between two sweeps, and two looks of the watchdog."""


class Counted:
    """What was done since the start: `read asked`, `write commit`, `request PATCH /channels/…/messages/…`,
    `picture hand`.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def count(self) -> None:
        """Begin."""
        for kind in ("read", "write"):
            setattr(Transactions, kind, self._transaction(kind, getattr(Transactions, kind)))
        for kind in ("table", "hand"):
            name = f"{kind}_picture"
            setattr(bot.views.messages, name, self._picture(kind, getattr(bot.views.messages, name)))
        count = bot.operating.client.count

        def request(answer: Exchange) -> None:
            if answer.status is not None:  # one that was lost with its connection is asked again at once
                self.counts[f"request {answer.method} {answer.route}"] += 1
            count(answer)

        bot.operating.client.count = request

    def _transaction(self, kind: str, do: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(do)
        def counted(transactions: Transactions, work: Callable[..., Any], **given: Any) -> Any:
            # `Store.asked.<locals>.work`, or the function itself where there is nothing to hand over.
            self.counts[f"{kind} {work.__qualname__.partition('.<locals>')[0].rpartition('.')[2]}"] += 1
            return do(transactions, work, **given)

        return counted

    def _picture(self, kind: str, draw: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(draw)
        def counted(*given: Any, **more: Any) -> Any:
            self.counts[f"picture {kind}"] += 1
            return draw(*given, **more)

        return counted

    async def tell(self, client: Boneyard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer each number of an event of the gateway with all counts, once that event has come and everything that
        followed is done.
        """
        while line := await reader.readline():
            while (client._get_websocket(shard_id=0).sequence or 0) < int(line):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(TICK)
            while busy := [task for task in asyncio.all_tasks() if not _lasts(task)]:
                await asyncio.wait(busy)
            writer.write(json.dumps(self.counts).encode() + b"\n")
        writer.close()


LASTING: Final = {
    "_watched",
    "_connected",
    "Event.wait",
    "Watchdog.watch",
    "Shard.worker",
    "Loop._loop",
    "_again_and_again",
    "Counted.tell",
}
"""What a bot does as long as it runs, by the names of the coroutines."""


def _lasts(task: asyncio.Task[Any]) -> bool:
    return getattr(task.get_coro(), "__qualname__", "") in LASTING


def main(url: str, folder: str) -> None:
    """Be that bot."""
    counted = Counted()
    counted.count()
    # How fast this machine is decides nothing: not whether a sign comes first, nor what is shown before the answer.
    bot.commands.first_answer.SOON = bot.commands.first_answer.OLD = bot.commands.play.SOON = NEVER
    bot.operating.client.SWEEP = bot.operating.watchdog.LOOK = NEVER
    serving = []

    def built(*given: Any, **more: Any) -> Boneyard:
        client = build(*given, clock=lambda: NOON, secret=lambda: DEAL, **more)
        tell = partial(counted.tell, client)
        serving.append(asyncio.ensure_future(asyncio.start_unix_server(tell, Path(folder) / SOCKET)))
        return client

    bot.operating.run.build = built
    raise SystemExit(run(from_environment(), local=url, shards=AUTOMATIC))
