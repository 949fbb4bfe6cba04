"""Starts `boneyard run` quickly: what takes a process a second to read is read once, and each bot is a fork of it.

Whoever wants a bot sends a socket and what is to be its standard input and error, by way of standard input, itself a
socket; when that ends, so does this. On the socket comes an order, and back go the bot's process id and, when it has
ended, its status and the CPU seconds that it took.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
from contextlib import suppress

import bot.operating.run  # noqa: F401 - what `boneyard run` reads as it begins
from bot.__main__ import main


def serve() -> str | None:
    """Serve orders until the end of standard input. In a bot it answers with what is to be done before it begins."""
    gc.freeze()
    with socket.socket(fileno=0) as control:
        while (come := socket.recv_fds(control, 1, 3))[0]:
            if os.fork() == 0:
                control.detach()
                return _kept(*come[1])
            for one in come[1]:
                os.close(one)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass  # told of already
    return None


def _kept(asked: int, reading: int, writing: int) -> str:
    """Begin one bot and tell of its end: only the bot itself comes back."""
    with open(asked, "rb", closefd=False) as orders:
        order = json.loads(orders.readline())
    born = os.fork()
    if born == 0:
        os.dup2(reading, 0)
        os.dup2(writing, 2)
        os.closerange(3, 256)
        os.environ.clear()
        os.environ.update(order["environment"])
        sys.argv[1:] = order["arguments"]
        return str(order["before"])
    os.close(reading)
    os.close(writing)
    os.write(asked, b"%d\n" % born)
    _, status, used = os.wait4(born, 0)
    with suppress(BrokenPipeError):
        os.write(asked, b"%d %f\n" % (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime))
    os._exit(0)


if __name__ == "__main__":
    before = serve()
    if before is not None:
        exec(before)
        main()
