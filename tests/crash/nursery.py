"""Starts bot processes quickly: everything is imported once, and each bot is a fork of this process.

Each herd has a fork to itself, which takes orders as JSON lines on a socket and answers each by a line; when that ends,
all bots end with it. The sockets come by standard input, itself a socket; when that ends, so does this.
"""

import gc
import json
import os
import signal
import socket
import traceback
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

import bot.client
import bot.core.discord_errors
import bot.operating.run
import bot.operating.sharding
import bot.operating.watchdog
import bot.sending.post_lease
import bot.tables.messages
import data.store.outbox.outbox
import engine.table.table_state
from bot.core.environment import Settings
from render.canvas.picture import Picture
from tests.crash.hurry import Steps
from tests.crash.mutants import MUTANTS
from tests.crash.wedges import WEDGES

SWEEP = 0.3  # Seconds of ours between two looks for what is due
EXPIRES = 75_000  # A lobby that nobody starts closes after so many ms of the bots' clock
ANSWER = 1.2  # Seconds of ours that Discord has for an answer. A request takes no less time where clocks run fast.
LOOK, SILENT = 0.4, 4.0  # Seconds of ours between two looks of the watchdog, and until it replaces the connection
RENEW = 0.5  # Seconds of ours after which whoever still sends something says so
LEASE = 60_000  # So long, in ms of the bots' clock, nobody else sends it: two seconds of ours


def main() -> None:
    """A fork for each socket that comes, until the end of standard input."""
    gc.freeze()
    with socket.socket(fileno=0) as control:
        while (come := socket.recv_fds(control, 1, 1))[0]:
            (herd,) = come[1]
            if os.fork() == 0:
                _serve(herd)
                os._exit(0)
            os.close(herd)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass  # buried


def _serve(herd: int) -> None:
    """Serve the orders of a herd, until it says how much CPU time all of this took, or is gone."""
    lifelines: dict[int, int] = {}
    with open(herd, "rb") as orders:
        for line in orders:
            match json.loads(line):
                case {"do": "start", **order}:
                    answer, lifeline = _start(order)
                    lifelines[answer] = lifeline
                case {"do": "bury", "pid": pid}:
                    answer = _buried(pid)
                    os.close(lifelines.pop(pid))
                case _:
                    _end(lifelines)
                    answer = int(1000 * sum(os.times()[:4]))
            os.write(herd, b"%d\n" % answer)
        _end(lifelines)


def _end(lifelines: dict[int, int]) -> None:
    for orphan in lifelines:
        os.kill(orphan, signal.SIGKILL)
        _buried(orphan)
    lifelines.clear()


def _buried(pid: int) -> int:
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _start(order: dict[str, Any]) -> tuple[int, int]:
    reading, lifeline = os.pipe()
    born = os.fork()
    if born:
        os.close(reading)
        return born, lifeline
    status = 70
    try:
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for here, there in ((reading, 0), (log, 1), (log, 2)):
            os.dup2(here, there)
        os.closerange(3, 256)  # the lifelines of its siblings are none of its business
        status = _live(order)
    except BaseException:
        traceback.print_exc()  # nobody else would
        raise
    finally:
        os._exit(status)


def _live(order: dict[str, Any]) -> int:
    """Be a bot: `boneyard run --local`, in a hurry and without drawing."""
    bot.client.SWEEP = SWEEP  # type: ignore[misc]
    engine.table.table_state.EXPIRES = EXPIRES  # type: ignore[misc]
    bot.tables.messages.table_picture = bot.tables.messages.hand_picture = _blank  # type: ignore[assignment]
    bot.core.discord_errors.ANSWER = ANSWER  # type: ignore[misc]
    bot.sending.post_lease.RENEW = RENEW  # type: ignore[misc]
    bot.operating.watchdog.LOOK, bot.operating.watchdog.SILENT = LOOK, SILENT  # type: ignore[misc]
    bot.operating.sharding.GAP = 0  # type: ignore[misc]  # this Discord lets everybody begin at once
    data.store.outbox.outbox.LEASE = LEASE  # type: ignore[misc]
    bot.operating.run.build = partial(bot.operating.run.build, clock=Steps(Path(order["clock"])))
    if order["mutant"]:
        (MUTANTS | WEDGES)[order["mutant"]]()
    shards = bot.operating.sharding.division(order["shards"], order["shard_ids"])
    return bot.operating.run.run(Settings(order["token"], order["database"]), local=order["url"], shards=shards)


def _blank(*_: object, **__: object) -> Picture:
    return BLANK


def _drawn() -> Picture:
    png = BytesIO()
    Image.new("1", (4, 4)).save(png, "PNG")
    return Picture(png.getvalue(), 4, 4)


BLANK = _drawn()

if __name__ == "__main__":
    main()
