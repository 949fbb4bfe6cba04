"""A fork server that starts bot processes quickly, because everything is imported once.

Each herd has its own fork. It reads commands as JSON lines on a socket and answers each with a line.
When the fork ends, all its bots end. Sockets arrive through standard input; at its end this process exits.
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
from tests.crash.fast_clock import ClockOffset
from tests.crash.hangs import HANGS
from tests.crash.mutants import MUTANTS


def main() -> None:
    """Fork a process for each socket that arrives, until the end of standard input."""
    gc.freeze()
    with socket.socket(fileno=0) as control:
        while (received := socket.recv_fds(control, 1, 1))[0]:
            (connection,) = received[1]
            if os.fork() == 0:
                _serve(connection)
                os._exit(0)
            os.close(connection)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass  # reaped


def _serve(connection: int) -> None:
    """Execute the commands of a herd until it disconnects."""
    watchdog_pipes: dict[int, int] = {}
    with open(connection, "rb") as orders:
        for line in orders:
            match json.loads(line):
                case {"do": "start", **order}:
                    answer, watchdog_pipe = _start(order)
                    watchdog_pipes[answer] = watchdog_pipe
                case {"do": "bury", "pid": pid}:
                    answer = _reap(pid)
                    os.close(watchdog_pipes.pop(pid))
                case _:
                    _kill_all(watchdog_pipes)
                    answer = 0
            os.write(connection, b"%d\n" % answer)
        _kill_all(watchdog_pipes)


def _kill_all(watchdog_pipes: dict[int, int]) -> None:
    for orphan in watchdog_pipes:
        os.kill(orphan, signal.SIGKILL)
        _reap(orphan)
    watchdog_pipes.clear()


def _reap(pid: int) -> int:
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _start(order: dict[str, Any]) -> tuple[int, int]:
    read_end, watchdog_pipe = os.pipe()
    child = os.fork()
    if child:
        os.close(read_end)
        return child, watchdog_pipe
    status = 70
    try:
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for source, target in ((read_end, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.closerange(3, 256)  # close the parent watchdogs of sibling processes
        status = _run_bot(order)
    except BaseException:
        traceback.print_exc()  # nothing else does it
        raise
    finally:
        os._exit(status)


def _run_bot(order: dict[str, Any]) -> int:
    """Run a bot: `boneyard run --local`, with a fast clock and without rendering."""
    # In seconds of real time.
    bot.client.SWEEP_INTERVAL = 0.3  # type: ignore[misc]
    bot.core.discord_errors.RESPONSE_TIMEOUT = 1.2  # type: ignore[misc]  # a request takes as long with a fast clock
    bot.sending.post_lease.RENEW_SECONDS = 0.5  # type: ignore[misc]
    bot.operating.watchdog.CHECK_SECONDS, bot.operating.watchdog.STALL_TIMEOUT = 0.4, 4.0  # type: ignore[misc]
    # In ms of the bots' clock.
    engine.table.table_state.LOBBY_SPAN = 75_000  # type: ignore[misc]
    data.store.outbox.outbox.LEASE = 60_000  # type: ignore[misc]  # two seconds of real time
    bot.operating.sharding.IDENTIFY_GAP = 0  # type: ignore[misc]  # this Discord lets all shards start at once
    bot.tables.messages.render_table = bot.tables.messages.render_hand = _render_blank  # type: ignore[assignment]
    bot.operating.run.build = partial(bot.operating.run.build, clock=ClockOffset(Path(order["clock"])))
    if order["mutant"]:
        (MUTANTS | HANGS)[order["mutant"]]()
    shards = bot.operating.sharding.parse_shards(order["shards"], order["shard_ids"])
    return bot.operating.run.run(Settings(order["token"], order["database"]), local=order["url"], shards=shards)


def _render_blank(*_: object, **__: object) -> Picture:
    return BLANK


def _build_blank_picture() -> Picture:
    png = BytesIO()
    Image.new("1", (4, 4)).save(png, "PNG")
    return Picture(png.getvalue(), 4, 4)


BLANK = _build_blank_picture()

if __name__ == "__main__":
    main()
